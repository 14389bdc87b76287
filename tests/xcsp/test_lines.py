"""Lines of messages, and text that reaches the reader through every feature of XML."""

from __future__ import annotations

import io

import pytest

from tests.xcsp.documents import document, read
from xcsp import XcspError, read_instance

XY = '<var id="x"> 0 1 </var>\n<var id="y"> 0 1 </var>'
WRONG = "<extension> <list> z </list> </extension>"


class Dripping(io.RawIOBase):
    """Gives a few bytes at a time."""

    def __init__(self, data: bytes, size: int) -> None:
        self._stream = io.BytesIO(data)
        self._size = size

    def read(self, size: int | None = -1) -> bytes:
        return self._stream.read(self._size)


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ("", 7),
        ("<!-- <list>\n > \n -->", 9),
        ("<?go <\n?>\n", 9),
        ('<block\n class="a"\n note="&#10;&#10;"\n>\n</block>', 11),
        ("<extension> <list> x </list> <supports> <![CDATA[0\n\n1]]> </supports>\n</extension>\n", 11),
        ("<extension> <list> x </list> <supports>" + " 0\n" * 3 + "</supports></extension>", 10),
        ("\n" * 1000, 1007),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_lines(before: str, line: int, end: str, size: int) -> None:
    text = document(XY, before + WRONG).replace("\n", end)
    with pytest.raises(XcspError, match="unknown variable z") as caught:
        read_instance(Dripping(text.encode(), size))
    assert caught.value.line == line


def test_the_line_of_a_tag_is_where_it_begins() -> None:
    with pytest.raises(XcspError, match="not XCSP3") as caught:
        read('<?xml version="1.0"?>\n<!-- note -->\n\n<instance\n  format="XCSP2"\n>')
    assert caught.value.line == 4
    with pytest.raises(XcspError, match="attribute type") as caught:
        read(document(XY, '<block>\n</block> <extension\n\n type="hybrid"\n>'))
    assert caught.value.line == 8


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1"])
@pytest.mark.parametrize("size", [1, 3, 1 << 20])
def test_encodings_in_small_pieces(encoding: str, size: int) -> None:
    text = f'<?xml version="1.0" encoding="{encoding.removesuffix("-sig")}"?>\n' + document('<var id="x" note="é"> 0 1 </var>')
    assert read_instance(Dripping(text.encode(encoding), size)).variables[0].note == "é"


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        (document('<var id="x" note="é"> 0 1 </var>').encode("latin-1"), 3, "not well-formed"),
        (b'<?xml version="1.0" encoding="us-ascii"?>\n' + document('<var id="x" note="é"/>').encode(), 4, "not us-ascii"),
        (b'<?xml version="1.0" encoding="utf-16"?>\n' + document(XY).encode(), 1, "is not utf-16, as declared"),
        (document(XY).encode("utf-16")[:-1], 9, "not utf-16"),
        (document(XY, "<z:block/>").encode(), 7, "prefix z"),
    ],
)
def test_wrong_bytes(data: bytes, line: int, message: str) -> None:
    with pytest.raises(XcspError, match=message) as caught:
        read(data)
    assert caught.value.line == line


def test_references_in_text_and_values() -> None:
    instance = read(document('<var id="x" note="&amp;#38; &#38;lt; &lt;&#10;"> &#48;<![CDATA[ 1]]> </var>'))
    assert instance.variables[0].note == "&#38; &lt; <\n"
    assert instance.variables[0].domain.tolist() == [0, 1]


def test_names_may_be_in_one_default_namespace() -> None:
    assert len(read(document(XY, attributes='type="CSP" xmlns="http://www.xcsp.org" xmlns:o="urn:o" o:p="1"')).variables) == 2

"""Documents with faults: each gives one error with file, line and remedy, whatever the fault."""

from __future__ import annotations

import io
import lzma
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.xcsp.documents import document, read
from xcsp import XcspError, read_instance

ONE = "<extension> <list> %0 </list> <supports> 0 </supports> </extension>"
TWO = "<extension>\n<list> x y </list>\n"
XY = '<var id="x"> 0 1 </var>\n<var id="y"> 0 1 </var>'  # lines 3 and 4 of the document


def extension(text: str) -> str:
    return document(XY, text)  # the constraint begins on line 7


def supports(text: str) -> str:
    return extension(f"<extension>\n<list> x y </list>\n<supports>\n{text}\n</supports>\n</extension>")  # text on line 10


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "empty"),
        ("hello", 1, "not well-formed"),
        ("\x00\x01\x02", 1, "not well-formed"),
        ("{}", 1, "not well-formed"),
        ("<html>\n</html>", 1, "root element is <html>"),
        ("<instance>\n</instance>", 1, "format is not given"),
        ('<instance>\n<presentation format="XCSP 2.1"/></instance>', 1, "format is not given"),
        ('<instance format="XCSP3" type="WCSP">', 1, "type WCSP"),
        (document(XY, attributes='type="CSP" note="threshold=7/3"'), 1, "threshold"),
        (document(XY)[:-12], 9, "ends before </instance>"),
        (document(XY).replace("</constraints>", ""), 9, "tag mismatch"),
        (document(XY) + "<more/>", 10, "Extra content"),
        (document('<var id="x" note="a & b"> 0 1 </var>'), 3, "not well-formed"),
        (document('<var id="x" note="&nbsp;"> 0 1 </var>'), 3, "Entity 'nbsp' not defined"),
        (document("<var> 0 1 </var>"), 3, "without id"),
        (document('<var id="not"> 0 1 </var>'), 3, "keyword"),
        (document('<var id="1x"> 0 1 </var>'), 3, "identifier"),
        (document(XY + '<var id="x"> 0 </var>'), 4, "used twice"),
        (document('<array id="a" size="[2]"> 0 </array>\n<var id="a[1]"> 0 </var>'), 4, "used twice"),
        (document('<var id="x"> </var>'), 3, "no values"),
        (document('<var id="x"> 1 0 </var>'), 3, "ascend"),
        (document('<var id="x"> 0 0 </var>'), 3, "ascend"),
        (document('<var id="x"> 3..1 </var>'), 3, "empty"),
        (document('<var id="x"> 0..+infinity </var>'), 3, "neither"),
        (document('<var id="x"> 0 9999999999 </var>'), 3, "32 bits"),
        (document('<var id="x"> 0 2147483647 </var>'), 3, "within"),
        (document('<var id="x"> a b </var>'), 3, "neither"),
        (document('<var id="x" type="symbolic"> a b a </var>'), 3, "twice"),
        (document('<var id="x" type="symbolic"> 1 a </var>'), 3, "symbol"),
        (document(XY, "<extension> <list> x y </list> <supports> (0,a) </supports> </extension>"), 7, "y, an integer variable,"),
        (document('<var id="x" type="set"> 1 </var>'), 3, "type 'set'"),
        (document('<var id="x" type="stochastic"> 0:1/2 1:1/3 </var>'), 3, "sum to 5/6"),
        (document('<var id="x" type="stochastic"> 0 1 </var>'), 3, "value:probability"),
        (document('<var id="x" type="stochastic"> 0..2:1/3 </var>'), 3, "several values"),
        (document('<var id="x" class="chance" note="0:1/2 1:1/3"> 0 1 </var>'), 3, "sum to 5/6"),
        (document('<var id="x" class="chance" note="0:1/2 2:1/2"> 0 1 </var>'), 3, "other values"),
        (document('<var id="x" as="y"/>'), 3, 'as="y"'),
        (document('<var id="x" domain="y"/>'), 3, "attribute domain"),
        (document('<array id="x"> 0 1 </array>'), 3, "size"),
        (document('<array id="x" size="[0]"> 0 1 </array>'), 3, "size"),
        (document('<array id="x" size="2"> 0 1 </array>'), 3, "size"),
        (document('<array id="x" size="[2]" startIndex="1"> 0 1 </array>'), 3, "startIndex"),
        (document('<array id="x" size="[2]">\n<domain for="y[0]"> 0 </domain></array>'), 4, "selects no cells"),
        (document('<array id="x" size="[2]">\n<domain for="x[2]"> 0 </domain></array>'), 4, "leaves the array"),
        (document('<array id="x" size="[2]">\n<domain for="x[]">0</domain><domain for="x[1]"> 0 </domain></array>'), 4, "already"),
        (document('<array id="x" size="[2]"> 0 1 <domain for="x[0]"> 0 </domain></array>'), 3, "beside its domains"),
        (document("<real/>"), 3, "<real> is not supported"),
        (document(XY, rest="<objectives>\n<minimize> x </minimize>\n</objectives>"), 10, "objective <minimize>"),
        (document(XY, rest="<stages/>"), 9, "<stages>"),
        (extension("<lex> <list> x y </list> </lex>"), 7, "constraint <lex>"),
        (extension("<block>\n<circuit> eq(x,y) </circuit></block>"), 8, "constraint <circuit>"),
        (extension("<group>\n<circuit> %... </circuit></group>"), 8, "constraint <circuit>"),
        (extension("<group>\n<instantiation/></group>"), 8, "<instantiation> is not supported in <group>"),
        (extension("<xi:include href='a.xml'/>"), 7, "constraint <include>"),
        (extension("stray"), 7, "makes no sense"),
        (extension('<extension id="x"> </extension>'), 7, "used twice"),
        (extension('<extension type="hybrid"> </extension>'), 7, "attribute type"),
        (extension('<extension reifiedBy="x"> </extension>'), 7, "attribute reifiedBy"),
        (extension("<extension> <list> x </list> </extension>"), 7, "without list or table"),
        (extension("<extension> <supports> 0 </supports> </extension>"), 7, "without list or table"),
        (extension("<extension> <list> x </list>\n<list> y </list> </extension>"), 8, "second list"),
        (extension("<extension> <list> x </list> <supports> 0 </supports>\n<conflicts/></extension>"), 8, "second table"),
        (extension("<extension>\n<list> x z </list> </extension>"), 8, "unknown variable z"),
        (extension("<extension>\n<list> x z[] </list> </extension>"), 8, "unknown variable z"),
        (extension("<extension>\n<list> </list> </extension>"), 8, "without variables"),
        (extension("<extension>\n<list> %0 </list>\n<supports> 0 </supports> </extension>"), 7, "only in a group"),
        (extension("<extension>\n<list> x x </list>\n<supports> (0) </supports> </extension>"), 9, "tuples of 1"),
        (extension(TWO + "<supports> (0,*) </supports>\n<conflicts/> </extension>"), 10, "second table"),
        (extension(TWO + "<conflicts> (0,*) </conflicts> </extension>"), 9, r"conflicts with \*"),
        (extension(TWO + "<supports> 0 1 </supports> </extension>"), 9, "tuples of 1 values for 2 variables"),
        (extension("<extension>\n<list> x </list>\n<supports> * </supports> </extension>"), 9, "no value|neither"),
        (extension("<extension>\n<list> x </list>\n<supports> 0 1..* </supports> </extension>"), 9, "neither"),
        (extension("<extension>\n<list> x </list>\n<supports> 0\nb+ </supports> </extension>"), 10, "no value"),
        (extension("<group> <args> x </args> </group>"), 7, "before the constraint"),
        (extension("<group> </group>"), 7, "without constraint"),
        (extension(f"<group> {ONE} </group>".replace("%0", "x")), 7, "no parameters"),
        (extension(f"<group> {ONE}\n<args> x </args> </group>".replace("%0", "%1")), 8, "1 arguments"),
        (extension(f"<group> {ONE}\n<args> x y </args> </group>"), 8, "2 arguments"),
        (extension(f"<group> {ONE}\n{ONE} </group>"), 8, "second constraint"),
        (extension("<instantiation>\n<list> x y </list> <values> 0 </values> </instantiation>"), 7, "1 values for 2"),
        (extension("<instantiation>\n<list> x y </list> <values> 0x999999999 </values> </instantiation>"), 7, "no value for"),
        (extension("<instantiation> <list> x </list> </instantiation>"), 7, "without list or values"),
        (supports("(0,0)(0)"), 10, "1 values instead of 2"),
        (supports("(0,0)\n(0,1,2)"), 11, "3 values instead of 2"),
        (supports("(0,0,0)"), 9, "tuples of 3 values for 2 variables"),
        (supports("(0,0)\n(0,1"), 11, "not closed"),
        (supports("(0,0)\n(0,1\n(1,1)"), 11, "not closed"),
        (supports("(0,0)\n\n7"), 12, r"begin with '\('|not closed"),
        (supports("(0,0)<!-- \n\n -->(0,)"), 12, "where an integer"),
        (supports("(0,0..1)"), 10, "for a value"),
        (supports("(0,a-b)"), 10, "for a value"),
        (supports("(0,0)\n(0,b)\n(c)"), 12, "1 values instead of 2"),
        (supports("(0,3000000000)"), 10, "32 bits"),
        (document(XY, rest="<annotations>\n<decision> x w </decision></annotations>"), 10, "unknown variable w"),
        (document(XY, rest="<annotations>\n<decision> x x </decision></annotations>"), 10, "twice"),
    ],
)
def test_faults(text: str, line: int, message: str) -> None:
    with pytest.raises(XcspError, match=message) as caught:
        read(text)
    assert caught.value.line == line
    assert caught.value.remedy
    assert str(caught.value).startswith(f"<document>:{line}: ")


@pytest.mark.parametrize("rows", [1_000, 400_000])
def test_the_line_of_a_fault_in_a_large_table(rows: int) -> None:
    text = supports("(0,1)\n" * rows + "(0,1)(1;1)\n" + "(1,1)\n" * rows)
    with pytest.raises(XcspError, match="1;1") as caught:
        read(text)
    assert caught.value.line == 10 + rows


@given(st.integers(0, 10**6))
def test_every_truncation_is_noticed(cut: int) -> None:
    whole = supports("(0,0)(0,1)").encode()
    with pytest.raises(XcspError):
        read(whole[: cut % (len(whole) - 2)])


@given(st.binary(max_size=60))
def test_bytes_of_any_kind(data: bytes) -> None:
    with pytest.raises(XcspError):
        read(data)


@given(st.integers(0, 10**6), st.sampled_from(list("<>/\"'&()[],*%0x.\x00 \n")))
def test_one_wrong_character_gives_an_instance_or_an_error_of_ours(place: int, character: str) -> None:
    text = document(
        '<array id="a" size="[2]"> 0 1 </array> <var id="y" type="stochastic"> 0:1/2 1:1/2 </var>',
        "<group> <extension> <list> %0 %1 </list> <supports> (0,*)(1,0) </supports> </extension> <args> a[] </args> </group>",
    )
    place %= len(text)
    try:
        read(text[:place] + character + text[place + 1 :])
    except XcspError as error:
        assert error.line > 0  # noqa: PT017 - both outcomes are fine


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(XcspError, match=r"no\.xml: cannot be read: No such file"):
        read_instance(tmp_path / "no.xml")
    with pytest.raises(XcspError, match="cannot be read: Is a directory"):
        read_instance(tmp_path)


@pytest.mark.parametrize("form", [lzma.FORMAT_XZ, lzma.FORMAT_ALONE])
def test_damaged_compression(form: int) -> None:
    packed = lzma.compress(supports("(0,0)(0,1)").encode(), format=form)
    assert len(read(packed).constraints) == 1
    for cut in (7, 20, len(packed) - 1):
        with pytest.raises(XcspError, match=r"ends too early|ends before|empty"):
            read(packed[:cut])
    with pytest.raises(XcspError):
        read(packed[:30] + b"\xff" * 10 + packed[40:])


def test_concatenated_and_padded_streams() -> None:
    text = supports("(0,0)(0,1)").encode()
    packed = lzma.compress(text[:50]) + b"\0" * 8 + lzma.compress(text[50:]) + b"\0" * 4
    assert len(read(packed).constraints) == 1


def test_a_file_that_fails_in_the_middle() -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise OSError("the disk is gone")

    with pytest.raises(XcspError, match="the disk is gone"):
        read_instance(Broken())

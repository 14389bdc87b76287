"""Documents made to exhaust the reader, or to make it read other files: all are refused quickly."""

from __future__ import annotations

import lzma
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.xcsp.documents import document, read
from xcsp import Limits, XcspError, read_instance

XY = '<var id="x"> 0 1 </var> <var id="y"> 0 1 </var>'
SMALL = Limits(document_bytes=2_000_000, piece_bytes=100_000, variables=1000, constraints=1000, values=10_000, entries=10_000)


@pytest.fixture(autouse=True)
def _bounded_memory() -> Iterator[None]:
    tracemalloc.start()
    yield
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 60_000_000


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE lolz [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>',
        '<!DOCTYPE instance [<!ENTITY secret SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE instance SYSTEM "http://127.0.0.1:9/instance.dtd">',
        '<!DOCTYPE instance [<!ENTITY % other SYSTEM "http://127.0.0.1:9/other.dtd"> %other;]>',
        "<!DOCTYPE instance>",
        '<!DOCTYPE instance [<!ATTLIST var id CDATA "x">]>',
    ],
)
def test_document_types_and_entities(doctype: str) -> None:
    text = document(XY).replace("</variables>", "&c; &secret; </variables>")
    with pytest.raises(XcspError, match=r"2: document types and entities are not read \(remove"):
        read(f'<?xml version="1.0"?>\n{doctype}\n{text}')


def test_inclusion(tmp_path: Path) -> None:
    other = tmp_path / "other.xml"
    other.write_text(document(XY))
    with pytest.raises(XcspError, match="xi:include"):
        read(f'<instance format="XCSP3" xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="{other}"/></instance>')


@pytest.mark.parametrize("encoding", ["utf-7", "base64", "rot13", "cp037", "zlib", "x" * 1000])
def test_other_encodings(encoding: str) -> None:
    with pytest.raises(XcspError, match=r"encoding|well-formed"):
        read(f'<?xml version="1.0" encoding="{encoding}"?>\n{document(XY)}'.encode())


@pytest.mark.parametrize(
    ("variables", "constraints", "limit"),
    [
        ('<array id="x" size="[999999999][999999999]"> 0 1 </array>', "", "Limits.variables"),
        ('<array id="x" size="[900]"> 0 1 </array> <array id="y" size="[900]"> 0 1 </array>', "", "Limits.variables"),
        ('<var id="x"> 0..2000000000 </var>', "", "ascending values"),
        ("".join(f'<var id="x{i}"> {i}..{i + 5000} </var>' for i in range(3)), "", "Limits.values"),
        (XY, "<extension> <list> x </list> <supports> 0..2000000000 </supports> </extension>", "variable looks like"),
        (XY, f"<extension> <list> x </list> <supports> {'1 ' * 90_000} </supports> </extension>", "Limits.values|looks like"),
        (XY, f"<extension> <list> x y </list> <supports> {'(0,1)' * 6000} </supports> </extension>", "Limits.entries"),
        (XY, f"<extension> <list> x y </list> <supports> ({'0' * 1_500_000},1) </supports> </extension>", "piece_bytes"),
        (XY, f"<extension> <list> x y </list> <supports> ({'0,' * 700_000} </supports> </extension>", "Limits.piece_bytes"),
        (XY, f"<extension> <list> {'x ' * 100_000} </list> </extension>", "Limits.piece_bytes"),
        (XY, f"<extension> <list> {'x ' * 1000} </list> </extension>", "without list or table"),
        (f'<var id="x" note="{"a" * 1_500_000}"> 0 </var>', "", "Limits.piece_bytes"),
        (f"<{'v' * 1_500_000} />", "", "Limits.piece_bytes"),
        (XY, "<block>" * 100, "Limits.depth"),
        (XY, "<block>" * 10_000, "Limits.depth"),
        (XY, "<extension> <list> x </list> <supports> 0 </supports> </extension>" * 1001, "Limits.constraints"),
        ('<array id="a" size="[900]"> 0 1 </array>', f"<extension> <list> {'a[] ' * 9000} </list> </extension>", "variables twice"),
        (XY, "".join(f'<block id="b{i}"/>' for i in range(3000)), "identifiers"),
    ],
)
def test_bombs(variables: str, constraints: str, limit: str) -> None:
    with pytest.raises(XcspError, match=limit):
        read(document(variables, constraints), SMALL)


def test_more_pairs_than_combinations() -> None:
    variables = '<array id="a" size="[900]"> 0 1 </array> <var id="s" type="stochastic"> 0:1/2 1:1/2 </var>'
    with pytest.raises(XcspError, match=r"405450 pairs of variables \(raise Limits\.combinations"):
        read(document(variables, "<allDifferent> a[] a[0] </allDifferent>"), replace(SMALL, combinations=100_000))


def test_groups_that_cut_a_table_down_again_and_again() -> None:
    variables = "".join(f'<var id="x{i}"> 0..{i} </var>' for i in range(40))
    rows = "".join(f"({i % 40},{i // 40})" for i in range(1600))
    arguments = "".join(f"<args> x{i} x{j} </args>" for i in range(40) for j in range(i))
    group = f"<group> <extension> <list> %0 %1 </list> <supports> {rows} </supports> </extension> {arguments} </group>"
    with pytest.raises(XcspError, match="the groups have too many entries"):
        read(document(variables, group), SMALL)


def test_compressed_zeros() -> None:
    packer = lzma.LZMACompressor(preset=0)
    packed = packer.compress(document(XY).encode())
    for _ in range(20):
        packed += packer.compress(b" " * 1_000_000)
    packed += packer.flush()
    assert len(packed) < 20_000
    with pytest.raises(XcspError, match=r"Limits\.document_bytes"):
        read(packed, SMALL)


def test_endless_decisions() -> None:
    with pytest.raises(XcspError, match="name a variable twice"):
        read(document(XY, rest=f"<annotations> {'<decision> x y </decision>' * 10_000} </annotations>"), SMALL)


def test_a_device_without_end() -> None:
    with pytest.raises(XcspError, match="not well-formed"):
        read_instance("/dev/zero")

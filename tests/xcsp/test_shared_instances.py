"""Public instances: tables are read, small other constraints become tables, all else is refused by element and line."""

from __future__ import annotations

import lzma
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.shared_data import SHARED
from xcsp import Limits, XcspError, read_instance

FOLDER = SHARED / "xcsp-instances"
FACTS = {  # variables, constraints, entries of all tables
    "Kakuro-easy-000-ext": (36, 12, 2730),
    "Nonogram-001-table": (576, 48, 1456200),
    "driverlogw-09": (650, 17447, 208242),
    "qcp-15-120-00_X2": (225, 3150, 28586),
    "testExtension1": (7, 4, 48),
    "testExtension2": (7, 4, 48),
    "testExtension3": (9, 6, 72),
}

needs_instances = pytest.mark.skipif(not FOLDER.is_dir(), reason="the folder shared/xcsp-instances is not beside the project")


def others() -> Iterator[Path]:
    return (path for path in sorted(FOLDER.glob("*.xml.lzma")) if path.name.removesuffix(".xml.lzma") not in FACTS)


@needs_instances
@pytest.mark.parametrize("name", FACTS)
def test_extension_only(name: str) -> None:
    instance = read_instance(FOLDER / f"{name}.xml.lzma")
    assert instance.name == name
    assert (len(instance.variables), len(instance.constraints), sum(t.tuples.size for t in instance.constraints)) == FACTS[name]


WRITTEN_OUT = {  # variables, constraints after they became tables
    "AllInterval-005": (9, 20),
    "ColouredQueens-07": (49, 476),
    "CostasArray-12": (75, 349),
    "CryptoPuzzle-cross-roads-danger": (32, 51),
    "Domino-300-300": (300, 300),
    "GracefulGraph-K02-P04": (30, 83),
    "Kakuro-easy-000-sumdiff": (36, 56),
    "Langford-3-10": (30, 455),
    "LangfordBin-08": (32, 24),
    "MagicSquare-4-table": (16, 130),
    "MultiKnapsack-1-01": (6, 11),
    "MultiKnapsack-1-0_X2": (6, 11),
    "Ortholatin-005": (75, 535),
    "Primes-15-20-2-1": (100, 20),
    "QuasiGroup-3-04": (32, 76),
    "QuasiGroup-7-09": (162, 801),
    "Queens-0008-m1": (8, 56),
    "Sat-flat200-00-clause": (600, 2237),
    "Subisomorphism-A-10": (180, 16678),
    "Sudoku-s01a-alldiff": (81, 1005),
    "Zebra": (25, 64),
    "qwh-o30-h374-01": (900, 26626),
    "testPrimitive": (3, 5),
}
SMALL = Limits(combinations=1 << 19, combinations_together=1 << 22)


@needs_instances
def test_the_others_become_tables_or_are_refused_by_element_and_line() -> None:
    read, refused = {}, []
    for path in others():
        try:
            instance = read_instance(path, limits=SMALL)
        except XcspError as error:
            refused.append((path, error))
        else:
            read[instance.name] = (len(instance.variables), len(instance.constraints))
    for path, error in refused:
        element = re.search(r"(?:constraint|objective|element) <(\w+)>", error.message)
        assert element, error
        assert error.line
        with lzma.open(path, "rt") as stream:
            lines = stream.read().splitlines()
        # In a group the line is that of the arguments.
        assert re.search(f"<(?:{element[1]}|args)\\b", lines[error.line - 1]), error
    assert read == WRITTEN_OUT

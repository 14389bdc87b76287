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


WRITTEN_OUT = {  # variables, tables, relations
    "AllInterval-005": (9, 4, 2),
    "Bibd-sc-06-050-25-03-10": (2100, 849, 26),
    "CarSequencing-dingbas": (60, 62, 6),
    "ColouredQueens-07": (49, 4, 32),
    "CostasArray-12": (75, 64, 10),
    "CryptoPuzzle-cross-roads-danger": (32, 15, 1),
    "Domino-300-300": (300, 300, 0),
    "GracefulGraph-K02-P04": (30, 10, 2),
    "Kakuro-easy-000-sumdiff": (36, 16, 8),
    "Langford-3-10": (30, 20, 1),
    "LangfordBin-08": (32, 24, 0),
    "MagicSequence-008-ca": (8, 0, 10),
    "MagicSequence-008-co": (8, 0, 10),
    "MagicSquare-4-table": (16, 10, 1),
    "MagicSquare-6-sum": (36, 0, 15),
    "MagicSquare-9-f10-01": (81, 9, 21),
    "MarketSplit-01": (30, 0, 4),
    "MultiKnapsack-1-01": (6, 11, 0),
    "MultiKnapsack-1-0_X2": (6, 11, 0),
    "Nonogram-001-regular": (576, 48, 0),
    "Ortholatin-005": (75, 35, 21),
    "Pb-robin08": (784, 0, 256),
    "Primes-15-20-2-1": (100, 11, 9),
    "QuasiGroup-3-04": (32, 28, 8),
    "QuasiGroup-7-09": (162, 153, 18),
    "Queens-0008-m1": (8, 28, 1),
    "Sat-flat200-00-clause": (600, 2237, 0),
    "SocialGolfers-4-3-4-cp": (48, 408, 30),
    "SportsScheduling-08": (92, 36, 80),
    "Subisomorphism-A-10": (180, 568, 1),
    "Sudoku-s01a-alldiff": (81, 33, 27),
    "Zebra": (25, 14, 5),
    "qwh-o30-h374-01": (900, 526, 60),
    "testPrimitive": (3, 5, 0),
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
            read[instance.name] = (len(instance.variables), len(instance.constraints), len(instance.relations))
    for path, error in refused:
        element = re.search(r"(?:constraint|objective|element) <(\w+)>", error.message)
        assert element, error
        assert error.line
        with lzma.open(path, "rt") as stream:
            lines = stream.read().splitlines()
        # In a group the line is that of the arguments.
        assert re.search(f"<(?:{element[1]}|args)\\b", lines[error.line - 1]), error
    assert read == WRITTEN_OUT

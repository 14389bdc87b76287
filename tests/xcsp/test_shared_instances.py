"""Public instances: those in extension only are read, all others refused by element and line."""

from __future__ import annotations

import lzma
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.shared_data import SHARED
from xcsp import XcspError, read_instance

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


@needs_instances
def test_the_others_are_refused_by_element_and_line() -> None:
    refused = 0
    for path in others():
        with pytest.raises(XcspError) as caught:
            read_instance(path)
        element = re.search(r"(?:constraint|objective) <(\w+)> is not supported", caught.value.message)
        assert element, caught.value
        with lzma.open(path, "rt") as stream:
            lines = stream.read().splitlines()
        assert f"<{element[1]}" in lines[caught.value.line - 1]
        refused += 1
    assert refused == 77

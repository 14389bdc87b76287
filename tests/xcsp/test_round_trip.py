"""What is written and read back is the same instance, in both kinds of document."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.xcsp.instances import described, instances, ints, table
from xcsp import Instance, Variable, read_instance, write_instance


def written(instance: Instance, stochastic: bool | None = None) -> bytes:
    stream = io.BytesIO()
    write_instance(instance, stream, stochastic=stochastic)
    return stream.getvalue()


@given(instances(), st.sampled_from([None, False, True]))
def test_the_instance_comes_back(instance: Instance, stochastic: bool | None) -> None:
    again = read_instance(io.BytesIO(written(instance, stochastic)))
    assert described(again) == described(instance)
    for t in again.constraints:
        rows = t.tuples.tolist()
        assert rows == [list(row) for row in sorted(set(map(tuple, rows)))]
        assert t.tuples.dtype == t.scope.dtype == np.int32
    document = written(again, stochastic)
    assert written(read_instance(io.BytesIO(document)), stochastic) == document


@pytest.mark.parametrize("suffix", [".xml", ".xml.lzma", ".xml.xz"])
def test_files(tmp_path: Path, suffix: str) -> None:
    instance = Instance("", (Variable("x", ints(0, 1, 2)), Variable("y", ints(3, 7))), (table([0, 1], [(0, 3), (2, 7)]),))
    path = tmp_path / f"small{suffix}"
    write_instance(instance, path)
    again = read_instance(str(path))
    assert again.name == "small"
    assert described(again) == described(instance)
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_open_files_of_both_kinds(tmp_path: Path) -> None:
    instance = Instance("", (Variable("x", ints(0, 1), note="λ"),), ())
    text = io.StringIO()
    write_instance(instance, text)
    assert described(read_instance(io.StringIO(text.getvalue()))) == described(instance)
    with (tmp_path / "a.xml").open("wb") as stream:
        write_instance(instance, stream)
    with (tmp_path / "a.xml").open("rb") as stream:
        again = read_instance(stream)
    assert again.name == "a"
    assert described(again) == described(instance)

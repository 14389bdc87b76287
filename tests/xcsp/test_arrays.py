from __future__ import annotations

from collections.abc import Sequence

import pytest

from xcsp.arrays import Run, runs


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["a", "b"], [Run("a", 0), Run("b", 1)]),
        (["c[0]"], [Run("c", 0, (1,))]),
        (["x", "c[0][0]", "c[0][1]", "c[1][0]", "c[1][1]", "y"], [Run("x", 0), Run("c", 1, (2, 2)), Run("y", 5)]),
        (["c[0]", "c[1]", "d[0]"], [Run("c", 0, (2,)), Run("d", 2, (1,))]),
        (["c[1]", "c[0]"], [Run("c[1]", 0), Run("c[0]", 1)]),
        (["c[0]", "x", "c[1]"], [Run("c[0]", 0), Run("x", 1), Run("c[1]", 2)]),
        (["c[0]", "c[2]"], [Run("c[0]", 0), Run("c[2]", 1)]),
        (["c[0]", "c[1]", "c"], [Run("c[0]", 0), Run("c[1]", 1), Run("c", 2)]),
        (["c[0]", "c[1]", "c[0][0]"], [Run("c[0]", 0), Run("c[1]", 1), Run("c[0][0]", 2)]),
        (["c[0][1]", "c[0][0]"], [Run("c[0][1]", 0), Run("c[0][0]", 1)]),
    ],
)
def test_runs(names: Sequence[str], expected: list[Run]) -> None:
    assert runs(names, [0] * len(names)) == expected


def test_unequal_treatment_keeps_cells_apart() -> None:
    assert runs(["c[0]", "c[1]"], ["a", "b"]) == [Run("c[0]", 0), Run("c[1]", 1)]


def test_a_long_broken_array_takes_linear_time() -> None:
    names = [f"c[{i}]" for i in range(1, 100_000)]
    assert len(runs(names, [0] * len(names))) == len(names)

"""Values of matrix games that can be worked out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.games import matrix_game


@pytest.mark.parametrize(
    ("payoffs", "value"),
    [
        ([[7]], 7),
        ([[1, -1], [-1, 1]], 0),
        ([[0, 1, -1], [-1, 0, 1], [1, -1, 0]], 0),
        ([[3, 0], [1, 2]], 1.5),
        ([[4, 2, 3], [1, 0, 9]], 2),
        ([[0], [5], [2]], 5),
    ],
)
def test_known_values(payoffs, value):
    assert matrix_game.value(payoffs) == pytest.approx(value)


@given(st.integers(1, 5).flatmap(lambda n: st.lists(st.lists(st.integers(-9, 9), min_size=n, max_size=n), min_size=1, max_size=5)))
def test_the_other_side_gets_the_opposite(payoffs):
    """Minimax theorem: what the columns can hold the rows to is what the rows can make sure of."""
    payoffs = np.array(payoffs)
    value = matrix_game.value(payoffs)
    assert value == pytest.approx(-matrix_game.value(-payoffs.T), abs=1e-8)
    assert payoffs.min(axis=1).max() - 1e-9 <= value <= payoffs.max(axis=0).min() + 1e-9

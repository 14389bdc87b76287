"""Covers are disjoint, complete and short."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from scsp_player.network.cover import ANY, FORBIDDEN, Coverer

TABLES = st.lists(st.integers(1, 4), min_size=0, max_size=4).flatmap(
    lambda shape: arrays(np.int32, tuple(shape), elements=st.integers(FORBIDDEN, 2))
)


def listed(rows, shape):
    """Number of rows that contain each cell, and the value of the last one."""
    times, value = np.zeros(shape, dtype=int), np.full(shape, FORBIDDEN)
    for row in rows:
        place = tuple(slice(None) if x == ANY else x for x in row[:-1])
        times[place] += 1
        value[place] = row[-1]
    return times, value


@settings(max_examples=200, deadline=None)
@given(TABLES)
def test_every_cell_in_exactly_one_row_of_its_value(table):
    times, value = listed(Coverer().cover(table), table.shape)
    allowed = table != FORBIDDEN
    assert (times[allowed] == 1).all()
    assert (times[~allowed] <= 1).all()
    assert (value[allowed] == table[allowed]).all()


def test_a_disjunction_takes_one_row_more_than_inputs():
    table = np.ones((2,) * 6, dtype=np.int32)
    table[(0,) * 6] = 0
    assert len(Coverer().cover(table)) == 7


def test_a_selection_is_split_on_its_selector():
    selector, a, b = np.meshgrid(range(2), range(5), range(5), indexing="ij")
    rows = Coverer().cover(np.where(selector == 0, a, b).astype(np.int32))
    assert len(rows) == 10
    assert (rows[:, 0] != ANY).all()

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

from tests.xcsp.instances import ints
from xcsp import STAR
from xcsp.tables import in_order, within_domains, without_idle_stars

wide = st.integers(-(2**31) + 1, 2**31 - 1)
rows = st.one_of(
    arrays(np.int32, array_shapes(min_dims=2, max_dims=2, max_side=8), elements=elements)
    for elements in (st.integers(-2, 3), st.integers(0, 2) | st.just(int(STAR)), wide | st.just(int(STAR)))
)


def test_in_order_of_many() -> None:
    rng = np.random.default_rng(1)
    for low, high in ((0, 4), (-(2**31) + 1, 2**31 - 1)):
        tuples = rng.integers(low, high, (3000, 4)).astype(np.int32)
        tuples[rng.random(tuples.shape) < 0.1] = STAR
        tuples = np.concatenate([tuples, tuples[:100]])
        ordered = in_order(tuples)
        assert ordered.tolist() == [list(row) for row in sorted(set(map(tuple, tuples.tolist())))]
        assert in_order(ordered) is ordered


@given(rows)
def test_in_order_is_the_sorted_set(tuples: NDArray[np.int32]) -> None:
    ordered = in_order(tuples)
    assert ordered.tolist() == [list(row) for row in sorted(set(map(tuple, tuples.tolist())))]
    assert in_order(ordered) is ordered


@given(st.data())
def test_without_idle_stars(data: st.DataObject) -> None:
    domain = st.lists(st.integers(0, 4), min_size=1, max_size=3, unique=True).map(sorted)
    domains = [data.draw(domain) for _ in range(data.draw(st.integers(2, 3)))]
    entries = st.tuples(*[st.sampled_from([*d, int(STAR)]) for d in domains])
    tuples = in_order(np.array(data.draw(st.lists(entries, min_size=1, max_size=12)), np.int32))
    plain = without_idle_stars(tuples, [ints(*d) for d in domains])
    assert _meaning(plain, domains) == _meaning(tuples, domains)
    assert in_order(plain) is plain
    starred = (plain == STAR).any(axis=0)
    assert not any(s and len(d) == 1 for s, d in zip(starred, domains, strict=True))
    assert not starred.any() or len(plain) != np.prod([len(d) for d in domains]) - 1


def _meaning(tuples: NDArray[np.int32], domains: list[list[int]]) -> set[tuple[int, ...]]:
    return {
        point
        for row in tuples.tolist()
        for point in itertools.product(*[d if v == STAR else [v] for v, d in zip(row, domains, strict=True)])
    }


@given(rows, st.data())
def test_within_domains(tuples: NDArray[np.int32], data: st.DataObject) -> None:
    domain = st.lists(st.integers(-3, 5) | st.integers(2**31 - 5, 2**31 - 1), min_size=1, max_size=5, unique=True).map(sorted)
    domains = [data.draw(domain) for _ in range(tuples.shape[1])]
    kept = within_domains(tuples, [ints(*d) for d in domains])
    expected = [row for row in tuples.tolist() if all(v == STAR or v in d for v, d in zip(row, domains, strict=True))]
    assert kept.tolist() == expected
    assert len(expected) < len(tuples) or kept is tuples

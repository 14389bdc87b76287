"""Where the constraints that are no tables lie in memory (see ``sum_kernels`` and ``different_kernels``)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scsp_player.solver.different_kernels import COLUMNS
from scsp_player.solver.encoding import Encoded
from scsp_player.solver.layout import DIFFERENT, SUM_INSIDE, SUM_OUTSIDE
from xcsp.errors import XcspError
from xcsp.relations import AllDifferent, Weighted

_FAR = 1 << 61
_LARGEST_TOTAL = 1 << 60
_MOST_ENTRIES = 1 << 28


def lay_out_relations(
    encoded: Encoded,
    constraints: NDArray[np.void],
    slots: NDArray[np.void],
    tables: NDArray[np.int32],
    bits: NDArray[np.int64],
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Fills in the records of the relations, which follow those of the tables; gives both arrays with what they need added.

    Raises:
        XcspError: if numbers or the relations themselves are too large.
    """
    if not encoded.relations:
        return tables, bits
    first = len(encoded.positive) - len(encoded.relations)
    constraints["current"][first:-1] = 1
    sizes = np.diff(encoded.first_value)[encoded.scopes[encoded.first_slot[first] :]]
    if len(sizes) and int(sizes.sum(dtype=np.int64)) > _MOST_ENTRIES:
        raise XcspError("the constraints that are no tables are too large", remedy="write smaller domains or scopes")
    places, terms = [tables], [bits]
    place, term = len(tables), len(bits)
    for number, relation in enumerate(encoded.relations, start=first):
        constraint = constraints[number]
        scope = slots[encoded.first_slot[number] : encoded.first_slot[number + 1]]
        domains = [encoded.domain[encoded.first_value[x] : encoded.first_value[x + 1]] for x in relation.scope.tolist()]
        if isinstance(relation, AllDifferent):
            part = _different(relation, domains, constraint, scope, place)
            place += len(part)
            places.append(part)
        else:
            sums = _sum(relation, domains, constraint, scope, term)
            term += len(sums)
            terms.append(sums)
    return np.concatenate(places), np.concatenate(terms)


def _different(
    relation: AllDifferent, domains: list[NDArray[np.int32]], constraint: np.void, slots: NDArray[np.void], place: int
) -> NDArray[np.int32]:
    """What an allDifferent adds to ``tables`` at ``place``: numbers of the values, the matching and scratch space."""
    joined = np.concatenate(domains)
    values, numbers = np.unique(joined, return_inverse=True)
    shared = np.isin(values, relation.excepted)
    numbers = np.argsort(np.argsort(shared, kind="stable"), kind="stable")[numbers].astype(np.int32)
    ends = np.cumsum([len(domain) for domain in domains])
    slots["first_residue"] = place + np.append(0, ends[:-1])
    constraint["kind"] = DIFFERENT
    constraint["first_row"] = len(values)
    constraint["most"] = np.count_nonzero(shared)
    constraint["first_cell"] = place + len(joined)
    size, nodes = len(domains), len(domains) + len(values) + 1
    scratch = np.zeros(nodes - 1 + COLUMNS * nodes, dtype=np.int32)
    scratch[:size] = -1
    return np.concatenate([numbers, scratch])


def _sum(
    relation: Weighted, domains: list[NDArray[np.int32]], constraint: np.void, slots: NDArray[np.void], place: int
) -> NDArray[np.int64]:
    """What a sum adds to ``bits`` at ``place``: bounds, room for the least and greatest terms, terms."""
    terms = [relation.terms(k, domain) for k, domain in enumerate(domains)]
    if sum(int(np.abs(part).max()) for part in terms) >= _LARGEST_TOTAL:
        raise XcspError("the numbers of a sum are too large")
    least = -_FAR if relation.least is None else min(max(relation.least, -_FAR), _FAR)
    greatest = _FAR if relation.greatest is None else min(max(relation.greatest, -_FAR), _FAR)
    if least > greatest:
        # Nothing lies between such bounds.
        least, greatest = _FAR, _FAR
    head = 2 + 2 * len(terms)
    ends = np.cumsum([len(part) for part in terms])
    slots["first_exact"] = place + 2 + 2 * np.arange(len(terms))
    slots["first_support"] = place + head + np.append(0, ends[:-1])
    constraint["kind"] = SUM_INSIDE if relation.inside else SUM_OUTSIDE
    constraint["first_word"] = place
    return np.concatenate([np.array([least, greatest], dtype=np.int64), np.zeros(head - 2, dtype=np.int64), *terms])

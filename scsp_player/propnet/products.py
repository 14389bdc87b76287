"""Long disjunctions as few products: (a ∧ c) ∨ (a ∧ d) ∨ (b ∧ c) ∨ (b ∧ d) = (a ∨ b) ∧ (c ∨ d).

"Four pieces in a line have a property in common" grounds to one conjunction for every four pieces that have one: a relation with
tens of thousands of rows. It is the union of a product for each property. In general, literals that stand beside the same others
are taken for values of one *column*, conjunctions with one literal of each of the same columns are the rows of a table, and a
table is covered with products that lie in it, the largest first. A table of two columns is also read row by row: "x is less than y"
is one product for each x, and what stands beside x is what stands beside x - 1 and one literal more. So sums are made of sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import IntArray
from scsp_player.propnet import circuit_kernels as kernels
from scsp_player.propnet.circuit import Circuit, outputs_of

LEAST_ROWS = 64
"""Tables with fewer rows are left to factoring."""

MOST_CELLS = 1 << 22
"""Tables with more combinations of values are left alone."""

MOST_CELLS_OF_TWO = 1 << 24
"""The same for tables of two columns."""

MOST_WORK = 1 << 25
"""Bound on combinations times products, which is what the search for the largest products takes time for."""

ENOUGH = 16
"""Products that need so many times fewer literals than the rows of a table are not improved upon."""

EARLIER_SUMS = 64
"""A sum is made of the largest of so many sums with fewer literals that is part of it."""

MOST_COLUMNS = 16
"""Conjunctions of more literals are left alone."""

TRIED_ROWS = 12
"""Of the products around so many rows the one is taken that covers most."""

MOST_PRODUCTS = 256
"""Tables that need more products are left alone, so that time stays in proportion to their size."""

Rows = NDArray[np.int64]
Product = list[NDArray[np.int64]]
"""For each column the literals that its factor admits."""


def with_products(circuit: Circuit) -> Circuit:
    """The circuit with disjunctions of many conjunctions written as products where that halves their literals. To be cleaned.

    Exact for every assignment. Only conjunctions that nothing else uses are replaced.
    """
    nodes = len(circuit.kind)
    size = np.diff(circuit.child_start)
    gate = circuit.kind == kernels.GATE
    long = np.flatnonzero(gate & (size >= LEAST_ROWS))
    if not len(long):
        return circuit
    uses = np.bincount(circuit.child >> 1, minlength=nodes) + np.bincount(outputs_of(circuit) >> 1, minlength=nodes)
    replaceable = gate & (uses == 1) & (size <= MOST_COLUMNS)
    new: dict[int, list[int]] = {}
    for parent in long.tolist():
        children = circuit.child[circuit.child_start[parent] : circuit.child_start[parent + 1]]
        alternatives = children[(children & 1 == 1) & replaceable[children >> 1]] >> 1
        gone: list[IntArray] = []
        come: list[int] = []
        for width in np.flatnonzero(np.bincount(size[alternatives], minlength=1) >= LEAST_ROWS).tolist():
            some = alternatives[size[alternatives] == width]
            rows = np.sort(circuit.child[circuit.child_start[some][:, None] + np.arange(width)], axis=1).astype(np.int64)
            for members, table in _tables(rows):
                products = _products(table)
                added = _placed(products, np.sort(some[members])) if products else None
                if added is not None:
                    gone.append(some[members])
                    come += added.pop(-1)
                    new |= added
        if come:
            replaced = np.zeros(nodes, np.bool_)
            replaced[np.concatenate(gone)] = True
            left = children[~replaced[children >> 1]]
            new[parent] = [*left.tolist(), *come]
    return _with_gates(circuit, new) if new else circuit


def _tables(rows: Rows) -> Iterator[tuple[NDArray[np.int64], Rows]]:
    """Those rows (int64[n, width]) that have literals of the same columns; their indices, and the rows sorted by column."""
    literals, compact = np.unique(rows, return_inverse=True)
    compact = compact.reshape(rows.shape)
    column = _columns(compact, len(literals))
    order = np.argsort(column[compact], axis=1, kind="stable")
    rows, signature = (np.take_along_axis(a, order, axis=1) for a in (rows, column[compact]))
    code = _codes(len(literals))[signature].sum(axis=1, dtype=np.uint64)
    _, label, count = np.unique(code, return_inverse=True, return_counts=True)
    for number in np.flatnonzero(count >= LEAST_ROWS).tolist():
        members = np.flatnonzero(label == number)
        if (np.diff(signature[members[0]]) > 0).all():
            yield members, rows[members]


def _columns(rows: Rows, literals: int) -> NDArray[np.int64]:
    """int64[literals]: a number for each column; literals that stand beside the same others are in the same one."""
    code = _codes(literals)
    beside = (code[rows].sum(axis=1, dtype=np.uint64)[:, None] - code[rows]).ravel()
    order = np.argsort(beside, kind="stable")
    sorted_literals, sorted_beside = rows.ravel()[order], beside[order]
    same = sorted_beside[1:] == sorted_beside[:-1]
    pairs = np.stack([sorted_literals[:-1][same], sorted_literals[1:][same]], axis=1)
    result = np.arange(literals)
    while True:
        smaller = result.copy()
        least = np.minimum(result[pairs[:, 0]], result[pairs[:, 1]])
        np.minimum.at(smaller, pairs[:, 0], least)
        np.minimum.at(smaller, pairs[:, 1], least)
        smaller = smaller[smaller]
        if (smaller == result).all():
            return result
        result = smaller


def _codes(count: int) -> NDArray[np.uint64]:
    """uint64[count], random; sums tell sets of numbers apart."""
    return np.random.default_rng(0).integers(0, 2**63, size=count, dtype=np.uint64)


def _products(rows: Rows) -> list[Product]:
    """Products whose union is the rows of a table (int64[n, columns]); none if they would not halve the literals."""
    values, places = zip(*(np.unique(column, return_inverse=True) for column in rows.T), strict=True)
    shape = tuple(len(v) for v in values)
    cells = np.prod([float(n) for n in shape])
    if cells > (MOST_CELLS_OF_TWO if len(shape) == 2 else MOST_CELLS):
        return []
    inside = np.zeros(shape, np.bool_)
    inside[tuple(p.reshape(-1) for p in places)] = True
    candidates: list[list[Product]] = []
    if len(shape) == 2:
        candidates = [_row_by_row(values, inside), _row_by_row(values[::-1], inside.T)]
    # Where these save nearly everything there is no need for the long search.
    if not any(ENOUGH * _cost(products) <= rows.size for products in candidates):
        candidates.append(_cover(rows, values, inside, min(MOST_PRODUCTS, int(MOST_WORK / cells))))
    costs = [(_cost(products), products) for products in candidates if products]
    least, best = min(costs, key=lambda pair: pair[0], default=(0, []))
    return best if 2 * least <= rows.size + len(rows) else []


def _row_by_row(values: Sequence[Rows], inside: NDArray[np.bool_]) -> list[Product]:
    """A table of two columns as a product for each set of values that stands beside some value of the first column."""
    _, first, group = np.unique(np.packbits(inside, axis=1), axis=0, return_index=True, return_inverse=True)
    members = np.split(np.argsort(group.reshape(-1), kind="stable"), np.cumsum(np.bincount(group.reshape(-1)))[:-1])
    return [[values[0][m], values[1][inside[row]]] for row, m in zip(first.tolist(), members, strict=True)]


def _cost(products: list[Product]) -> int:
    """Literals and gates of products."""
    return sum(map(len, products)) + len(products) + sum(len(rest) + 1 for _, rest in _sums(products).values())


def _cover(rows: Rows, values: Sequence[Rows], inside: NDArray[np.bool_], most: int) -> list[Product]:
    """The products of a table, the largest first; none if more than ``most`` are needed, or if they would not halve the literals.

    Args:
        rows: int64[n, columns], the table.
        values: the literals of each column, ascending.
        inside: bool, one dimension for each column: which combinations of them are rows.
        most: number of products.
    """
    places = np.stack([np.searchsorted(v, column) for v, column in zip(values, rows.T, strict=True)], axis=1)
    open_rows = inside.copy()
    generator = np.random.default_rng(0)
    found: list[Product] = []
    cost, left = 0, places
    while len(left):
        tried = left[generator.choice(len(left), min(TRIED_ROWS, len(left)), replace=False)]
        grown = [_grown(inside, row) for row in tried]
        best = max(grown, key=lambda chosen: (int(open_rows[np.ix_(*chosen)].sum()), -sum(map(len, chosen))))
        open_rows[np.ix_(*best)] = False
        found.append([v[c] for v, c in zip(values, best, strict=True)])
        cost += sum(map(len, best)) + len(best) + 1
        left = left[open_rows[tuple(left.T)]]
        # The largest products come first: what does not pay soon will not pay later.
        if len(found) > most or 2 * cost > (len(rows) - len(left)) * (rows.shape[1] + 1):
            return []
    return found


def _grown(inside: NDArray[np.bool_], row: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """A product around a row that lies inside a table and cannot be made larger, one column after the other."""
    chosen = [row[i : i + 1] for i in range(len(row))]
    for axis in range(len(row)):
        box = inside[np.ix_(*chosen[:axis], np.arange(inside.shape[axis]), *chosen[axis + 1 :])]
        chosen[axis] = np.flatnonzero(box.all(axis=tuple(other for other in range(len(row)) if other != axis)))
    return chosen


def _sums(products: list[Product]) -> dict[tuple[int, ...], tuple[tuple[int, ...], list[int]]]:
    """All factors of more than one literal, the shorter ones first; for each a factor before it that is part of it, and the rest.

    The part is empty where there is none.
    """
    factors = {tuple(factor.tolist()) for product in products for factor in product if len(factor) > 1}
    ordered = sorted(factors, key=lambda factor: (len(factor), factor))
    size = np.array([len(factor) for factor in ordered], np.int64)
    literals, column = np.unique(np.array([x for factor in ordered for x in factor], np.int64), return_inverse=True)
    member = np.zeros((len(ordered), len(literals)), np.bool_)
    member[np.repeat(np.arange(len(ordered)), size), column.reshape(-1)] = True
    packed = np.packbits(member, axis=1)
    result: dict[tuple[int, ...], tuple[tuple[int, ...], list[int]]] = {}
    for number, factor in enumerate(ordered):
        begin = max(0, number - EARLIER_SUMS)
        parts = np.flatnonzero(~(packed[begin:number] & ~packed[number]).any(axis=1))
        if len(parts):
            part = begin + int(parts[-1])
            result[factor] = ordered[part], literals[member[number] & ~member[part]].tolist()
        else:
            result[factor] = (), list(factor)
    return result


def _placed(products: list[Product], free: IntArray) -> dict[int, list[int]] | None:
    """The products as conjunctions that take the places ``free`` (ascending), those of the rows that they replace.

    Returns the literals of each place, and under -1 the negated products; None if literals would come after their users.
    """
    sums = _sums(products)
    count = len(sums) + len(products)
    if count > len(free):
        return None
    place = iter(free[-count:].tolist())
    result: dict[int, list[int]] = {-1: []}
    literal: dict[tuple[int, ...], int] = {}
    for factor, (part, rest) in sums.items():
        node = next(place)
        if factor[-1] >> 1 >= node:
            return None
        result[node] = [x ^ 1 for x in ([literal[part]] if part else []) + rest]
        literal[factor] = 2 * node + 1
    for product in products:
        node = next(place)
        parts = [literal.get(factor, factor[0]) for factor in (tuple(f.tolist()) for f in product)]
        if max(parts) >> 1 >= node:
            return None
        result[node] = parts
        result[-1].append(2 * node + 1)
    return result


def _with_gates(circuit: Circuit, new: dict[int, list[int]]) -> Circuit:
    """The circuit with the literals of some gates replaced."""
    size = np.diff(circuit.child_start)
    kept = np.ones(len(size), np.bool_)
    kept[list(new)] = False
    before = np.repeat(kept, size)
    size[list(new)] = [len(literals) for literals in new.values()]
    start = np.append(0, np.cumsum(size)).astype(np.int64)
    child = np.zeros(start[-1], np.int32)
    child[np.repeat(kept, size)] = circuit.child[before]
    for node, literals in new.items():
        child[start[node] : start[node + 1]] = literals
    return replace(circuit, child_start=start, child=child)

"""An instance as flat arrays of value ids: unary tables folded into the domains, tuples outside the domains dropped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from xcsp.errors import XcspError
from xcsp.model import STAR, Instance, Table
from xcsp.relations import Relation

_CHUNK_CELLS = 1 << 22
_MOST_CELLS = 1 << 30
_MOST_VALUES = 1 << 26  # of all variables together; each takes about 80 bytes while the arrays are built


@dataclass(frozen=True, eq=False)
class Encoded:
    """Tables of arity two and more over value ids (the values of all variables numbered through).

    Attributes:
        first_value: int32[n + 1], first id of each variable.
        domain: int32[value ids], the value behind an id.
        living: bool[value ids], ids left by the unary tables.
        first_slot: int32[m + 1], start of each scope in ``scopes``.
        scopes: int32[scope entries], variables.
        first_row: int64[m + 1], numbers of rows summed up.
        cells: int32[cells], ids row after row; the number of ids itself stands for ``*``.
        positive: bool[m], supports or conflicts.
        relations: the constraints that are no tables, the last ones of the m; they have no rows.
    """

    first_value: NDArray[np.int32]
    domain: NDArray[np.int32]
    living: NDArray[np.bool_]
    first_slot: NDArray[np.int32]
    scopes: NDArray[np.int32]
    first_row: NDArray[np.int64]
    cells: NDArray[np.int32]
    positive: NDArray[np.bool_]
    relations: tuple[Relation, ...] = ()


def encode(instance: Instance) -> Encoded:
    """``instance`` over value ids.

    Unary tables only restrict ``living``. Tuples with a value outside its domain are dropped, conflicts are made distinct, and
    conflict tables without tuples disappear.

    Raises:
        ValueError: if a scope is empty, repeats a variable or names none, a domain is not ascending, the tuples have another
            width than the scope, or a conflict contains ``*``.
        XcspError: if the tables or the domains are too large to be held.
    """
    sizes = np.array([len(variable.domain) for variable in instance.variables], dtype=np.int64)
    if sizes.sum() > _MOST_VALUES:
        raise XcspError(
            f"the domains of {instance.name} are too large: {sizes.sum()} values of all variables together",
            remedy="write smaller domains",
        )
    first_value = np.append(0, np.cumsum(sizes)).astype(np.int32)
    domain = _joined([variable.domain for variable in instance.variables])
    # One ascending key for all (variable, value) pairs: ids are found by one binary search over all cells of a chunk of tables.
    keys = (np.repeat(np.arange(len(sizes)), sizes) << 32) + domain
    if np.any(np.diff(keys) <= 0):
        raise ValueError("the values of a domain must be distinct and ascending")
    arity, rows = _check(instance)
    positive = np.array([table.positive for table in instance.constraints], dtype=np.bool_)
    living = np.ones(len(domain) + 1, dtype=np.bool_)
    kept_rows = np.zeros_like(rows)
    cells = []
    for start, end in chunks(arity * rows):
        chunk = instance.constraints[start:end]
        ids, keep = _chunk_ids(chunk, arity[start:end], rows[start:end], keys)
        row_table = np.repeat(np.arange(start, end), rows[start:end])
        kept_rows[start:end] = np.bincount(row_table[keep] - start, minlength=end - start)
        row_start = np.append(0, np.cumsum(arity[row_table]))
        first_row = np.append(0, np.cumsum(rows[start:end]))
        for i in np.flatnonzero(arity[start:end] == 1).tolist():
            kept = first_row[i] + np.flatnonzero(keep[first_row[i] : first_row[i + 1]])
            _restrict(living, first_value, int(chunk[i].scope[0]), chunk[i].positive, ids[row_start[kept]])
        cells.append(ids[np.repeat(keep & (arity[row_table] > 1), arity[row_table])])
    stays = (arity > 1) & (positive | (kept_rows > 0))
    scopes = _joined([table.scope for table in instance.constraints])
    added = np.array([len(relation.scope) for relation in instance.relations], dtype=np.int64)
    none = np.zeros(len(added), dtype=np.int64)
    return Encoded(
        first_value=first_value,
        domain=domain,
        living=living[:-1],
        first_slot=np.append(0, np.cumsum(np.append(arity[stays], added))).astype(np.int32),
        scopes=_joined([scopes[np.repeat(stays, arity)], *(relation.scope for relation in instance.relations)]),
        first_row=np.append(0, np.cumsum(np.append(kept_rows[stays], none))),
        cells=_joined(cells),
        positive=np.append(positive[stays], none == 0),
        relations=instance.relations,
    )


def chunks(weights: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Ranges of tables whose cells together fit well into memory several times over."""
    ends = np.cumsum(weights)
    start, done = 0, 0
    while start < len(weights):
        end = max(start + 1, int(np.searchsorted(ends, done + _CHUNK_CELLS, side="right")))
        yield start, end
        start, done = end, int(ends[end - 1])


def _chunk_ids(
    tables: Sequence[Table], arity: NDArray[np.int64], rows: NDArray[np.int64], keys: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Value ids of all cells of ``tables``, row after row, and which rows count."""
    scopes = _joined([table.scope for table in tables])
    cells = _joined([table.tuples for table in tables])
    positive = np.array([table.positive for table in tables], dtype=np.bool_)
    row_table = np.repeat(np.arange(len(tables)), rows)
    row_arity = arity[row_table]
    row_start = np.append(0, np.cumsum(row_arity))
    cell_row = np.repeat(np.arange(len(row_arity)), row_arity)
    first_slot = np.append(0, np.cumsum(arity))
    cell_slot = first_slot[row_table[cell_row]] + np.arange(len(cells)) - row_start[cell_row]
    ids, known = _lookup(keys, scopes, cell_slot, cells)
    starred = cells == STAR
    if np.any(starred & ~positive[row_table[cell_row]]):
        raise ValueError("conflict tuples cannot contain *")
    ids[starred] = len(keys)
    keep = np.ones(len(row_arity), dtype=np.bool_)
    keep[cell_row[~known & ~starred]] = False
    _drop_repeated(keep, ids, row_start, row_arity, row_table, positive)
    return ids, keep


def _joined(parts: Sequence[NDArray[np.int32]]) -> NDArray[np.int32]:
    """All entries of all arrays, one after the other."""
    return np.concatenate([np.zeros(0, np.int32), *(part.ravel() for part in parts)], dtype=np.int32)


def _check(instance: Instance) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Arity and number of rows of every table, after a look at their shapes."""
    n = len(instance.variables)
    for number, relation in enumerate(instance.relations):
        scope = relation.scope.tolist()
        if not scope or len(set(scope)) < len(scope) or min(scope) < 0 or max(scope) >= n:
            raise ValueError(f"relation {number}: its scope must name different variables that exist")
    for number, table in enumerate(instance.constraints):
        problem = _problem(table, n)
        if problem:
            raise ValueError(f"table {number}: {problem}")
    arity = np.array([len(table.scope) for table in instance.constraints], dtype=np.int64)
    rows = np.array([len(table.tuples) for table in instance.constraints], dtype=np.int64)
    if np.sum(arity * rows) > _MOST_CELLS:
        raise XcspError(f"the tables of {instance.name} are too large: {np.sum(arity * rows)} entries")
    return arity, rows


def _problem(table: Table, n: int) -> str:
    """What is wrong with the shape of ``table``, or an empty text."""
    scope = table.scope.tolist()
    if not scope:
        return "its scope is empty"
    if len(set(scope)) < len(scope):
        return "its scope names a variable twice"
    if min(scope) < 0 or max(scope) >= n:
        return "its scope names a variable that does not exist"
    if table.tuples.shape != (len(table.tuples), len(scope)):
        return f"tuples of shape {table.tuples.shape} do not fit a scope of {len(scope)} variables"
    return ""


def _lookup(
    keys: NDArray[np.int64], scopes: NDArray[np.int32], cell_slot: NDArray[np.int64], cells: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Id of every cell, and whether its value lies in the domain (the id means nothing if not)."""
    if not len(keys):
        return np.zeros(len(cells), np.int32), np.zeros(len(cells), np.bool_)
    wanted = (scopes[cell_slot].astype(np.int64) << 32) + cells
    ids = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return ids.astype(np.int32), keys[ids] == wanted


def _drop_repeated(
    keep: NDArray[np.bool_],
    ids: NDArray[np.int32],
    row_start: NDArray[np.int64],
    row_arity: NDArray[np.int64],
    row_table: NDArray[np.int64],
    positive: NDArray[np.bool_],
) -> None:
    """Clears ``keep`` for conflicts that repeat an earlier one: they are counted, so each may stand only once."""
    conflicts = keep & ~positive[row_table]
    for arity in np.unique(row_arity[conflicts]).tolist():
        rows = np.flatnonzero(conflicts & (row_arity == arity))
        matrix = np.column_stack([row_table[rows], ids[row_start[rows][:, None] + np.arange(arity)]])
        first = np.unique(matrix, axis=0, return_index=True)[1]
        keep[np.delete(rows, first)] = False


def _restrict(
    living: NDArray[np.bool_], first_value: NDArray[np.int32], variable: int, positive: bool, ids: NDArray[np.int32]
) -> None:
    """Clears ``living`` for the ids of ``variable`` that a unary table with the values ``ids`` forbids."""
    if not positive:
        living[ids] = False
    elif len(living) - 1 not in ids:
        allowed = np.zeros(len(living), dtype=np.bool_)
        allowed[ids] = True
        first, last = first_value[variable], first_value[variable + 1]
        living[first:last] &= allowed[first:last]

"""The arrays that hold a constraint network and the state of its search.

Values of all variables are numbered through: the values of variable x are ``first .. first of x+1`` (*value ids*). A domain is a
reversible sparse set: ``listed`` holds the ids of a variable with the living ones in front, ``place`` their places, and going back
only restores the number ``alive``. The current tuples of a table are a sparse set of its rows of the same kind (``order``,
``rows_alive``). Both numbers of living elements are the only trailed quantities.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scsp_player.solver.encoding import Encoded, encode
from xcsp.model import Instance

VARIABLE = np.dtype(
    [
        ("stamp", np.int64),  # serial number of the level that last trailed this domain
        ("first", np.int32),  # first value id
        ("alive", np.int32),  # number of living values (trailed)
        ("first_watch", np.int32),  # first place in the column ``watched`` of the slots
        ("open_place", np.int32),  # place of this variable in the column ``opened``
        ("opened", np.int32),  # (column of its own) the variables with more than one value, then the others
        ("projected", np.int32),  # 1 if solutions are told apart by this variable
    ],
    align=True,
)
"""One row a variable, and a last row whose ``first`` and ``first_watch`` close the ranges."""

CONSTRAINT = np.dtype(
    [
        ("stamp", np.int64),  # as for variables
        ("first_row", np.int64),  # start of the row numbers in ``tables``
        ("first_cell", np.int64),  # start of the rows in ``tables``
        ("rows_alive", np.int32),  # number of current rows (trailed)
        ("first_slot", np.int32),  # start of the scope
        ("open", np.int32),  # number of variables of the scope with more than one value
        ("positive", np.int32),  # 1 supports, 0 conflicts
        ("queued", np.int32),  # 1 while waiting for propagation
        ("waiting", np.int32),  # (column of its own) ring of the tables that wait for propagation
    ],
    align=True,
)
"""One row a table, and a last row whose ``first_slot`` closes the ranges."""

SLOT = np.dtype(
    [
        ("variable", np.int32),
        ("constraint", np.int32),
        ("changed", np.int32),  # 1 if the domain changed since the table was last revised
        ("limit", np.int32),  # while revising: end of the living values of the variable in the column ``listed``
        ("missing", np.int32),  # while revising: number of values without support so far
        ("checked", np.int32),  # (column of its own) while revising: the slots that changed
        ("sought", np.int32),  # (column of its own) while revising: the slots with values without support so far
        ("watched", np.int32),  # (column of its own) the slots grouped by variable
    ],
    align=True,
)
"""One row a place in a scope, the scopes one after the other."""

VALUE = np.dtype(
    [
        ("mark", np.int64),  # tick of the last revision that found a support, or a conflict, with this id
        ("place", np.int32),  # place of the id in the column ``listed``
        ("listed", np.int32),  # (column of its own) the ids of each variable, living ones first
        ("number", np.int32),  # the value behind the id, ascending within a variable
        ("tally", np.int32),  # number of current conflicts with this id, if it is marked by the present revision
        ("candidate", np.int32),  # (column of its own) copy of ``listed`` while singletons are probed
    ],
    align=True,
)
"""One row a value id, and a last row that stands for ``*``: its place −1 makes it alive at all times."""

LEVEL = np.dtype(
    [
        ("trail_top", np.int64),  # length of the trail when the level was opened
        ("variable", np.int32),  # the decision that opened the level
        ("value", np.int32),
        ("projected", np.int32),  # whether the decision belongs to the projection
    ],
    align=True,
)
"""One row a level of the search; level 0 is the propagated root, level 1 holds the assumptions."""

TRAIL = np.dtype([("item", np.int32), ("old", np.int32)], align=True)
"""An old number of living elements; items are variables, then constraints."""

CONTROL = np.dtype(
    [
        ("serial", np.int64),  # of the present level; never used twice
        ("tick", np.int64),  # of the present revision; never used twice
        ("trail_top", np.int64),
        ("starts", np.int64),  # questions put to the store so far
        ("nodes", np.int64),  # decisions taken since the start
        ("fails", np.int64),  # contradictions met by propagation
        ("count", np.int64),  # solutions counted since the last drain
        ("depth", np.int32),
        ("base", np.int32),  # the search never goes back behind this depth
        ("phase", np.int32),  # what to do next (see ``engine_kernels``)
        ("open_count", np.int32),
        ("queue_head", np.int32),
        ("queue_length", np.int32),
        ("cursor", np.int32),  # singletons: the variable that is probed
        ("candidates", np.int32),  # singletons: how many of its values are still to be probed
        ("unchanged", np.int32),  # singletons: variables visited without any removal since
    ],
    align=True,
)
"""One row."""


class Store(NamedTuple):
    """A network and its search state as the kernels take it.

    Few arrays of records instead of many plain ones: every array of an argument costs at each call and in compilation. Columns
    marked "of its own" have no relation to the other fields of their row, they only share its space.
    """

    variables: NDArray[np.void]
    """VARIABLE[n + 1]"""
    constraints: NDArray[np.void]
    """CONSTRAINT[m + 1]"""
    slots: NDArray[np.void]
    """SLOT[scope entries]"""
    values: NDArray[np.void]
    """VALUE[value ids + 1]"""
    tables: NDArray[np.int32]
    """int32[rows + cells]: permutations of the row numbers of each table, current ones first; then the value ids of all cells, row
    after row."""
    trail: NDArray[np.void]
    """TRAIL[value ids + rows + 1]: each trailed number falls from entry to entry, which bounds the length."""
    levels: NDArray[np.void]
    """LEVEL[n + 3]"""
    control: NDArray[np.void]
    """CONTROL[1]"""


def build_store(instance: Instance) -> Store | None:
    """Arrays of ``instance`` with every table waiting for propagation; None if a unary table leaves a variable no value.

    Raises:
        ValueError: if a table is malformed (see ``encode``).
    """
    encoded = encode(instance)
    n = len(instance.variables)
    starts = encoded.first_value[:-1]
    alive = np.add.reduceat(np.append(encoded.living, False), starts, dtype=np.int32) if n else np.zeros(0, np.int32)
    alive[starts == encoded.first_value[1:]] = 0
    if not alive.all():
        return None
    rows = np.diff(encoded.first_row)
    row_numbers = np.arange(encoded.first_row[-1]) - np.repeat(encoded.first_row[:-1], rows)
    control = np.zeros(1, dtype=CONTROL)
    control["serial"] = 1
    control["open_count"] = np.count_nonzero(alive > 1)
    control["queue_length"] = len(rows)
    return Store(
        variables=_variables(encoded, alive),
        constraints=_constraints(encoded, alive),
        slots=_slots(encoded),
        values=_values(encoded),
        tables=np.concatenate([row_numbers, encoded.cells], dtype=np.int32),
        trail=np.zeros(len(encoded.domain) + len(row_numbers) + 1, dtype=TRAIL),
        levels=np.zeros(n + 3, dtype=LEVEL),
        control=control,
    )


def _variables(encoded: Encoded, alive: NDArray[np.int32]) -> NDArray[np.void]:
    variables = np.zeros(len(alive) + 1, dtype=VARIABLE)
    variables["first"] = encoded.first_value
    variables["alive"][:-1] = alive
    variables["first_watch"][1:] = np.cumsum(np.bincount(encoded.scopes, minlength=len(alive)))
    opened = np.argsort(alive == 1, kind="stable")
    variables["opened"][:-1] = opened
    variables["open_place"][opened] = np.arange(len(alive))
    return variables


def _constraints(encoded: Encoded, alive: NDArray[np.int32]) -> NDArray[np.void]:
    m = len(encoded.positive)
    arity = np.diff(encoded.first_slot)
    rows = np.diff(encoded.first_row)
    constraints = np.zeros(m + 1, dtype=CONSTRAINT)
    constraints["first_slot"] = encoded.first_slot
    constraints["first_row"] = encoded.first_row
    constraints["first_cell"] = encoded.first_row[-1] + np.append(0, np.cumsum(rows * arity))
    constraints["rows_alive"][:-1] = rows
    constraints["positive"][:-1] = encoded.positive
    constraints["open"][:-1] = np.bincount(np.repeat(np.arange(m), arity), weights=alive[encoded.scopes] > 1, minlength=m)
    constraints["queued"][:-1] = 1
    constraints["waiting"][:-1] = np.arange(m)
    return constraints


def _slots(encoded: Encoded) -> NDArray[np.void]:
    slots = np.zeros(len(encoded.scopes), dtype=SLOT)
    slots["variable"] = encoded.scopes
    slots["constraint"] = np.repeat(np.arange(len(encoded.positive)), np.diff(encoded.first_slot))
    slots["changed"] = 1
    slots["watched"] = np.argsort(encoded.scopes, kind="stable")
    return slots


def _values(encoded: Encoded) -> NDArray[np.void]:
    values = np.zeros(len(encoded.domain) + 1, dtype=VALUE)
    owner = np.repeat(np.arange(len(encoded.first_value) - 1), np.diff(encoded.first_value))
    listed = np.lexsort((~encoded.living, owner))
    values["number"][:-1] = encoded.domain
    values["listed"][:-1] = listed
    values["place"][listed] = np.arange(len(listed))
    values["place"][-1] = -1
    return values

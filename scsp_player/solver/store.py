"""The arrays that hold a constraint network and the state of its search.

Values of all variables are numbered through: the values of variable x are ``first .. first of x+1`` (*value ids*). A domain is a
reversible sparse set: ``listed`` holds the ids of a variable with the living ones in front, ``place`` their places, and going back
only restores the number ``alive``. The current tuples of a table are either a sparse set of its rows of the same kind, or a bitset
whose words that are not empty form such a set. Numbers of living elements (``alive``, ``current``) and words of bitsets are the
only trailed quantities.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scsp_player.solver.encoding import Encoded, encode
from scsp_player.solver.layout import MOST_MASK_WORDS, lay_out
from scsp_player.solver.relation_layout import lay_out_relations
from xcsp.model import Instance

VARIABLE = np.dtype(
    [
        ("stamp", np.int64),  # serial number of the level that last trailed this domain
        ("weight", np.int64),  # weights of all its tables together
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
        ("weight", np.int64),  # contradictions met by this table, plus one
        ("first_row", np.int64),  # rows: start of their numbers in ``tables``; allDifferent: number of values
        ("first_cell", np.int64),  # rows: start of their cells in ``tables``
        ("first_order", np.int64),  # bits: start of the numbers of the words in ``tables``
        ("first_word", np.int64),  # bits: start of the words in ``bits``
        ("words", np.int32),  # bits: number of words
        ("current", np.int32),  # number of current rows, or of words that are not empty (trailed)
        ("first_slot", np.int32),  # start of the scope
        ("open", np.int32),  # number of variables of the scope with more than one value
        ("kind", np.int32),  # SUPPORT_ROWS … (see ``layout``)
        ("most", np.int32),  # conflicts: the most that a value has at the root; allDifferent: number of values that may be shared
        ("fresh", np.int32),  # 1 until the first revision
        ("queued", np.int32),  # 1 while waiting for propagation
        ("waiting", np.int32),  # (column of its own) ring of the tables that wait for propagation
    ],
    align=True,
)
"""One row a table, and a last row whose ``first_slot`` closes the ranges."""

SLOT = np.dtype(
    [
        ("first_support", np.int64),  # bits: start in ``bits`` of the masks of the values, each as long as the table's words
        ("first_exact", np.int64),  # bits: the same without the rows that have a star here
        ("first_residue", np.int64),  # bits: start in ``tables`` of the word where each value last had a support
        ("variable", np.int32),
        ("constraint", np.int32),
        ("changed", np.int32),  # 1 if the domain changed since the table was last revised
        ("seen", np.int32),  # number of living values then, if it changed
        ("limit", np.int32),  # while revising rows: end of the living values of the variable in the column ``listed``
        ("missing", np.int32),  # while revising rows: number of values without support so far
        ("checked", np.int32),  # (column of its own) while revising rows: the slots that changed
        ("sought", np.int32),  # (column of its own) while revising rows: the slots with values without support so far
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
        ("probe", np.int32),  # 1 while its singleton is still to be tested
    ],
    align=True,
)
"""One row a value id, and a last row that stands for ``*``: its place −1 makes it alive at all times."""

LEVEL = np.dtype(
    [
        ("trail_top", np.int64),  # length of the trail when the level was opened
        ("variable", np.int32),  # the decision that opened the level; or, for told values, how many of them hold up to here
        ("value", np.int32),
        ("projected", np.int32),  # whether the decision belongs to the projection
        ("fruitful", np.int32),  # whether a solution was found below
        ("silent", np.int32),  # whether the values tried before were taken away without propagation
    ],
    align=True,
)
"""One row a level of the search; level 0 is the propagated root, above it stand levels of told values, then decisions."""

TRAIL = np.dtype([("old", np.int64), ("item", np.int64)], align=True)
"""An old number; items are the ``alive`` of variables, then the ``current`` of constraints, then words of bitsets."""

CONTROL = np.dtype(
    [
        ("serial", np.int64),  # of the present level; never used twice
        ("tick", np.int64),  # of the present revision; never used twice
        ("trail_top", np.int64),
        ("words", np.int64),  # number of words of all bitsets
        ("starts", np.int64),  # questions put to the store so far
        ("nodes", np.int64),  # decisions taken since the start
        ("fails", np.int64),  # contradictions met by propagation
        ("count", np.int64),  # solutions counted since the last drain
        ("found", np.int64),  # solutions written out since the start
        ("told", np.int64),  # the set of told values that is at work
        ("told_found", np.int64),  # solutions written out for it
        ("nogood_end", np.int64),  # where the next nogood goes; 0 while there are none
        ("random", np.int64),  # state of the generator of random value orders, from 1 to 2³¹ − 2
        ("depth", np.int32),
        ("bottom", np.int32),  # the level below the first told value
        ("base", np.int32),  # the search never goes back behind this depth
        ("phase", np.int32),  # what to do next (see ``engine_kernels``)
        ("open_count", np.int32),
        ("queue_head", np.int32),
        ("queue_length", np.int32),
        ("cursor", np.int32),  # singletons: where the next one to test is looked for
        ("removed", np.int32),  # singletons: whether a value was removed in this pass
        ("refuted", np.int32),  # nogoods: number of refutations on the branch
        ("settled", np.int32),  # nogoods: number of closed variables whose nogoods were looked at
    ],
    align=True,
)
"""One row."""


NO_NOGOODS = np.zeros(0, dtype=np.int32)


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
    """int32: of tables as rows, permutations of their row numbers, current ones first, then the value ids of all cells, row after
    row; of tables as bitsets, permutations of their word numbers in the same way, then the residues; then what relations need."""
    bits: NDArray[np.int64]
    """int64: the current rows of the tables as bitsets, the serial number of the level that last trailed each of these words, then
    the masks; then the terms of sums."""
    trail: NDArray[np.void]
    """TRAIL[value ids + rows + tables + 1]: each trailed quantity falls from entry to entry, which bounds the length."""
    levels: NDArray[np.void]
    """LEVEL[2 n + 3]"""
    control: NDArray[np.void]
    """CONTROL[1]"""
    nogoods: NDArray[np.int32] | None = None
    """int32: see ``nogood_kernels``; None or empty unless one solution is asked for, and not None if there are relations."""


def build_store(instance: Instance, most_mask_words: int = MOST_MASK_WORDS) -> Store | None:
    """Arrays of ``instance`` with every table waiting for propagation; None if a unary table leaves a variable no value.

    Args:
        instance: the network.
        most_mask_words: tables whose masks would take more words than this are held as rows.

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
    constraints, slots = _constraints(encoded, alive), _slots(encoded)
    tables, bits = lay_out(encoded, constraints, slots, most_mask_words)
    tables, bits = lay_out_relations(encoded, constraints, slots, tables, bits)
    rows = int(encoded.first_row[-1])
    control = np.zeros(1, dtype=CONTROL)
    control["serial"] = 1
    control["random"] = 1
    control["open_count"] = np.count_nonzero(alive > 1)
    control["queue_length"] = len(encoded.positive)
    control["words"] = constraints["words"].sum(dtype=np.int64)
    return Store(
        variables=_variables(encoded, alive),
        constraints=constraints,
        slots=slots,
        values=_values(encoded),
        tables=tables,
        bits=bits,
        trail=np.zeros(len(encoded.domain) + rows + len(encoded.positive) + 1, dtype=TRAIL),
        levels=np.zeros(2 * n + 3, dtype=LEVEL),
        control=control,
        nogoods=NO_NOGOODS if encoded.relations else None,
    )


def _variables(encoded: Encoded, alive: NDArray[np.int32]) -> NDArray[np.void]:
    variables = np.zeros(len(alive) + 1, dtype=VARIABLE)
    variables["first"] = encoded.first_value
    variables["alive"][:-1] = alive
    variables["weight"][:-1] = np.bincount(encoded.scopes, minlength=len(alive))
    variables["first_watch"][1:] = np.cumsum(variables["weight"][:-1])
    opened = np.argsort(alive == 1, kind="stable")
    variables["opened"][:-1] = opened
    variables["open_place"][opened] = np.arange(len(alive))
    return variables


def _constraints(encoded: Encoded, alive: NDArray[np.int32]) -> NDArray[np.void]:
    m = len(encoded.positive)
    constraints = np.zeros(m + 1, dtype=CONSTRAINT)
    constraints["first_slot"] = encoded.first_slot
    constraints["weight"] = 1
    constraints["fresh"] = 1
    scope_table = np.repeat(np.arange(m), np.diff(encoded.first_slot))
    constraints["open"][:-1] = np.bincount(scope_table, weights=alive[encoded.scopes] > 1, minlength=m)
    constraints["queued"][:-1] = 1
    constraints["waiting"][:-1] = np.arange(m)
    return constraints


def _slots(encoded: Encoded) -> NDArray[np.void]:
    slots = np.zeros(len(encoded.scopes), dtype=SLOT)
    slots["variable"] = encoded.scopes
    slots["constraint"] = np.repeat(np.arange(len(encoded.positive)), np.diff(encoded.first_slot))
    slots["changed"] = 1
    slots["seen"] = np.diff(encoded.first_value)[encoded.scopes]
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

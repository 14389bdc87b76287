"""Numbers of ground atoms, and the terms that they stand for."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.rulebase import Rulebase
from scsp_player.grounding.store import Store
from scsp_player.grounding.term_table import TermTable

IntArray = NDArray[np.int32]


def number_atoms(store: Store, relations: Iterable[int]) -> int:
    """Number the atoms of the relations, 1 upwards, relation by relation; returns the first free number."""
    atoms = 1
    for relation in relations:
        store.number_atoms(relation, atoms)
        atoms += store.count(relation)
    return atoms


def atoms_of(store: Store, relation: int) -> IntArray:
    """The numbers of a relation's atoms, in the order of its rows."""
    return store.field(relation, "atom_base") + np.arange(store.count(relation), dtype=np.int32)


def atom_terms(table: TermTable, rules: Rulebase, relations: Iterable[int], atoms: IntArray) -> tuple[TermTable, IntArray]:
    """The terms, such as ``(true (cell 1 1 b))``, of atoms of the relations.

    Args:
        table: all terms of the store.
        rules: the names of the relations, and their rows.
        relations: where to look for the atoms.
        atoms: int32[n], numbers of atoms.

    Returns:
        The table with a term for each atom behind the others (a term may stand twice then), and int32[n], the
        identifiers of these terms; -1 for an atom of no relation.
    """
    store = rules.store
    names = list(table.names)
    functors, arities, arguments = [table.functor], [np.diff(table.argument_start)], [table.arguments]
    terms = len(table)
    found = np.full(len(atoms), -1, dtype=np.int32)
    for relation in relations:
        base, count = store.field(relation, "atom_base"), store.count(relation)
        mine = np.flatnonzero((atoms >= base) & (atoms < base + count))
        if not len(mine):
            continue
        name, arity = rules.name_of(relation)
        functors.append(np.full(len(mine), len(names), dtype=np.int32))
        names.append(name)
        arities.append(np.full(len(mine), arity, dtype=np.int64))
        arguments.append(store.rows(relation)[atoms[mine] - base].reshape(-1))
        found[mine] = terms + np.arange(len(mine), dtype=np.int32)
        terms += len(mine)
    start = np.zeros(terms + 1, dtype=np.int64)
    np.cumsum(np.concatenate(arities), out=start[1:])
    return TermTable(tuple(names), np.concatenate(functors), start, np.concatenate(arguments)), found

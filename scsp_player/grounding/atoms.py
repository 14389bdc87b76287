"""Numbers of ground atoms, and the terms that they stand for."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.rulebase import Rulebase
from scsp_player.grounding.store import Store

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


def atom_terms(rules: Rulebase, relations: Iterable[int], atoms: IntArray) -> IntArray:
    """Identifiers of the terms, such as ``(true (cell 1 1 b))``, of atoms of the relations."""
    store = rules.store
    found = np.full(len(atoms), -1, dtype=np.int32)
    for relation in relations:
        base, count = store.field(relation, "atom_base"), store.count(relation)
        mine = np.flatnonzero((atoms >= base) & (atoms < base + count))
        if not len(mine):
            continue
        name, arity = rules.name_of(relation)
        if arity:
            found[mine] = store.compounds(store.functor(name, arity), store.rows(relation)[atoms[mine] - base])
        else:
            found[mine] = store.symbol(name)
    return found

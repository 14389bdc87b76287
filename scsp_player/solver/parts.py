"""The hard part and the chance part of a stochastic problem (WoodStock, algorithms 1 and 2)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from xcsp.model import Instance, Table


def hard_part(instance: Instance) -> Instance:
    """The constraints that have nothing to do with chance, and their variables (with those that are in no constraint at all).

    Variables keep their names and order; tables that stay keep theirs.
    """
    chance = chance_tables(instance)
    constrained = np.zeros(len(instance.variables), dtype=np.bool_)
    for table in instance.constraints:
        constrained[table.scope] = True
    free = [x for x, variable in enumerate(instance.variables) if not constrained[x] and not variable.stochastic]
    return restricted(instance, np.flatnonzero(~chance).tolist(), free)


def chance_part(instance: Instance) -> Instance:
    """The constraints that have to do with chance, and their variables; all stochastic variables, and the threshold.

    A constraint has to do with chance if its scope holds a stochastic variable, or a variable that is decided after chance (it
    stands after the first stochastic variable) and occurs in a constraint of the chance part. The second clause keeps together what
    is decided in view of the outcome; without it, hard part and chance part could each be satisfied by another value of the same
    variable.
    """
    stochastic = [x for x, variable in enumerate(instance.variables) if variable.stochastic]
    return restricted(instance, np.flatnonzero(chance_tables(instance)).tolist(), stochastic)


def chance_tables(instance: Instance) -> NDArray[np.bool_]:
    """bool[m]: the constraints of the chance part."""
    stochastic = np.array([variable.stochastic for variable in instance.variables], dtype=np.bool_)
    if not stochastic.any():
        return np.zeros(len(instance.constraints), dtype=np.bool_)
    first = int(np.argmax(stochastic))
    watching: list[list[int]] = [[] for _ in instance.variables]
    for number, table in enumerate(instance.constraints):
        for x in table.scope.tolist():
            watching[x].append(number)
    chance = np.zeros(len(instance.constraints), dtype=np.bool_)
    reached = stochastic.copy()
    waiting = np.flatnonzero(stochastic).tolist()
    while waiting:
        for number in watching[waiting.pop()]:
            if chance[number]:
                continue
            chance[number] = True
            for x in instance.constraints[number].scope.tolist():
                if x > first and not reached[x]:
                    reached[x] = True
                    waiting.append(x)
    return chance


def restricted(instance: Instance, tables: Iterable[int], variables: Iterable[int] = ()) -> Instance:
    """The instance with some of its constraints, their variables, and further ``variables``."""
    kept = [instance.constraints[number] for number in tables]
    chosen = np.zeros(len(instance.variables), dtype=np.bool_)
    chosen[list(variables)] = True
    for table in kept:
        chosen[table.scope] = True
    number = (np.cumsum(chosen) - 1).astype(np.int32)
    return Instance(
        name=instance.name,
        variables=tuple(instance.variables[x] for x in np.flatnonzero(chosen)),
        constraints=tuple(Table(number[t.scope], t.tuples, t.positive, t.classes, t.note) for t in kept),
        threshold=instance.threshold,
        decisions=tuple(int(number[x]) for x in instance.decisions if chosen[x]),
        note=instance.note,
    )

"""Rules that differ in the values of state variables become one: "the cell shows one of these"."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from scsp_player.network.rules import MoveRules

Ints = NDArray[np.int32]

Values: TypeAlias = tuple[frozenset[int], ...]
"""For each of some variables the values of which it must have one."""


@dataclass(frozen=True, eq=False)
class Alike:
    """Rules of an atom that differ in values of state variables only.

    Attributes:
        variables: the variables, ascending.
        values: int32[rules, variables], a value of each that a rule asks for.
        others: the literals that all rules have beside.
        rule: one of the rules.
    """

    variables: tuple[int, ...]
    values: Ints
    others: tuple[int, ...]
    rule: int


class RuleCodes:
    """Random codes of the conditions of rules; sets of conditions are told apart by the sums of their codes.

    Args:
        merged: the rules.
        fluents: int32[fluents], the atoms that can be the values of variables.

    Attributes:
        conditions: uint64[literals]; moves: for each role uint64[sets + 1], the last for "no move".
        place: int32[atoms], the number of a fluent, the number of fluents for all other atoms.
    """

    def __init__(self, merged: MoveRules, fluents: Ints) -> None:
        atoms = len(merged.head_start) - 1
        random = np.random.default_rng(2)
        self.conditions = random.integers(0, 2**64, size=2 * atoms, dtype=np.uint64)
        self.moves = [random.integers(0, 2**64, size=len(sets) + 1, dtype=np.uint64) for sets in merged.sets]
        self.place = np.full(atoms, len(fluents), dtype=np.int32)
        self.place[fluents] = np.arange(len(fluents), dtype=np.int32)


class RulePatterns:
    """Tells which rules of an atom differ in nothing but values of variables, in arrays.

    Args:
        merged: the rules.
        codes: of their conditions.
        fluents: number of fluents.
        exclusive: whether no variable has two values, so that rules that ask for two can be left out. Otherwise a "variable" is
            any set of atoms, and may occur twice.
    """

    def __init__(self, merged: MoveRules, codes: RuleCodes, fluents: int, *, exclusive: bool = True) -> None:
        self._merged = merged
        self._codes = codes
        self._exclusive = exclusive
        # The last place is that of all atoms that are no fluents.
        self._variable = np.full(fluents + 1, -1, dtype=np.int32)
        self._value = np.zeros(fluents + 1, dtype=np.int32)
        self._variable_code = np.zeros(fluents + 1, dtype=np.uint64)

    def give_values(self, atoms: Ints, variable: int, values: Ints) -> None:
        """Each of the atoms, which are fluents, holds exactly if the variable has the value beside it."""
        places = self._codes.place[atoms]
        self._variable[places] = variable
        self._value[places] = values
        # A variable has the code of the first atom given for it.
        self._variable_code[places] = self._codes.conditions[2 * atoms[0]]

    def any(self, first: int, last: int) -> bool:
        """Whether any of the rules ``first`` to ``last - 1`` mentions a fluent at all."""
        merged = self._merged
        body = merged.body[merged.body_start[first] : merged.body_start[last]]
        return bool((self._codes.place[body >> 1] < len(self._variable) - 1).any())

    def of(self, first: int, last: int, most: int) -> list[Alike] | None:
        """The rules ``first`` to ``last - 1``, those that are alike together, None for more than ``most`` kinds."""
        merged = self._merged
        begin = merged.body_start[first : last + 1] - merged.body_start[first]
        body = merged.body[merged.body_start[first] : merged.body_start[last]]
        row = np.repeat(np.arange(last - first), np.diff(begin))
        place = self._codes.place[body >> 1]
        variable = self._variable[place]
        value = (variable >= 0) & ((body & 1) == 0)
        code = np.zeros(last - first, dtype=np.uint64)
        np.add.at(code, row, np.where(value, self._variable_code[place], self._codes.conditions[body]))
        for role, codes in enumerate(self._codes.moves):
            code += codes[merged.moves[first:last, role]]
        width = np.bincount(row[value], minlength=last - first)
        # The values in order of rules, those of a rule in order of variables.
        places = np.flatnonzero(value)
        places = places[np.lexsort((variable[places], row[places]))]
        variables, owner = variable[places], row[places]
        twice = owner[1:][(owner[1:] == owner[:-1]) & (variables[1:] == variables[:-1])]
        possible = np.ones(last - first, dtype=np.bool_)
        possible[twice] = not self._exclusive
        start = np.concatenate([[0], np.cumsum(width)])
        rules = np.flatnonzero(possible)
        rules = rules[np.argsort(code[rules], kind="stable")]
        ends = np.append(np.flatnonzero(np.diff(code[rules])) + 1, len(rules))
        if len(ends) > most:
            return None
        groups = [rules[a:b] for a, b in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True) if b > a]
        result: list[Alike] = []
        for group in sorted(groups, key=lambda g: int(g[0])):
            rule = int(group[0])
            cells = start[group][:, None] + np.arange(width[rule])
            own = body[begin[rule] : begin[rule + 1]]
            others = own[~value[begin[rule] : begin[rule + 1]]]
            result.append(
                Alike(
                    tuple(variables[start[rule] : start[rule + 1]].tolist()),
                    self._value[place[places[cells]]],
                    tuple(others.tolist()),
                    first + rule,
                )
            )
        return result


def merge_values(rows: Iterable[Values]) -> list[Values]:
    """A disjunction of conjunctions over the same variables, with rows put together that differ in one place only.

    >>> a, b, c = frozenset({0}), frozenset({1}), frozenset({2})
    >>> [[sorted(values) for values in row] for row in merge_values([(a, a), (b, a), (c, b), (c, a)])]
    [[[0, 1, 2], [0]], [[2], [1]]]
    """
    current = list(dict.fromkeys(rows))
    for place in range(len(current[0]) if current else 0):
        together: dict[Values, set[int]] = defaultdict(set)
        for row in current:
            together[row[:place] + row[place + 1 :]] |= row[place]
        current = [(*rest[:place], frozenset(values), *rest[place:]) for rest, values in together.items()]
    return current

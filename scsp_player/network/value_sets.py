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


class RulePatterns:
    """Tells which rules of an atom differ in nothing but values of variables, in arrays.

    Args:
        merged: the rules.
        exclusive: whether no variable has two values, so that rules that ask for two can be left out. Otherwise a "variable" is
            any set of atoms, and may occur twice.
    """

    def __init__(self, merged: MoveRules, *, exclusive: bool = True) -> None:
        self._merged = merged
        self._exclusive = exclusive
        atoms = len(merged.head_start) - 1
        self._variable = np.full(atoms, -1, dtype=np.int32)
        self._value = np.zeros(atoms, dtype=np.int32)
        # Sets of conditions are told apart by sums of random codes: of variables by the first atom given for them.
        random = np.random.default_rng(2)
        self._codes = random.integers(0, 2**64, size=2 * atoms, dtype=np.uint64)
        self._variable_code = np.zeros(atoms, dtype=np.uint64)
        self._code_of: dict[int, int] = {}
        self._move_codes = [random.integers(0, 2**64, size=len(sets) + 1, dtype=np.uint64) for sets in merged.sets]

    def give_value(self, atom: int, variable: int, value: int) -> None:
        """The atom holds exactly if the variable has the value."""
        self._variable[atom] = variable
        self._value[atom] = value
        self._variable_code[atom] = self._codes[2 * self._code_of.setdefault(variable, atom)]

    def of(self, first: int, last: int, most: int) -> list[Alike] | None:
        """The rules ``first`` to ``last - 1``, those that are alike together, None for more than ``most`` kinds."""
        merged = self._merged
        begin = merged.body_start[first : last + 1] - merged.body_start[first]
        body = merged.body[merged.body_start[first] : merged.body_start[last]]
        row = np.repeat(np.arange(last - first), np.diff(begin))
        value = (self._variable[body >> 1] >= 0) & ((body & 1) == 0)
        code = np.zeros(last - first, dtype=np.uint64)
        np.add.at(code, row, np.where(value, self._variable_code[body >> 1], self._codes[body]))
        for role, codes in enumerate(self._move_codes):
            code += codes[merged.moves[first:last, role]]
        width = np.bincount(row[value], minlength=last - first)
        # The values in order of rules, those of a rule in order of variables.
        places = np.flatnonzero(value)
        places = places[np.lexsort((self._variable[body[places] >> 1], row[places]))]
        variables, owner = self._variable[body[places] >> 1], row[places]
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
                    self._value[body[places[cells]] >> 1],
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

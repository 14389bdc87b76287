"""The ground rules as clauses: what holds in a state, one Boolean a fluent and one a derived atom."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import FALSE, TRUE, GroundGame
from scsp_player.network.acyclic import AcyclicRules
from scsp_player.network.csr import reachable
from scsp_player.solver.clauses import ClauseList

Ints = NDArray[np.int32]


class StateLogic:
    """Clauses whose models are the states of a game, reachable or not, with the truth of some questions about them.

    The completion of the rules (Clark 1978) without positive cycles; so every model has exactly the atoms that hold in its state.

    Args:
        game: the ground rules.
        rules: the same, unfolded.
        questions: literals of the game that do not depend on moves.

    Attributes:
        clauses: the clauses, variable f for fluent f; users add what they know.
        needed: bool[fluents], those that the questions depend on.
    """

    def __init__(self, game: GroundGame, rules: AcyclicRules, questions: Iterable[int]) -> None:
        self.clauses = ClauseList(game.fluents)
        roots = np.array([literal >> 1 for literal in questions], dtype=np.int32)
        needed = reachable(roots, rules.head_start, rules.rule_start, rules.rule_body)
        self.needed = needed[game.fluent_atom]
        self._variable = np.full(rules.atoms, -1, dtype=np.int64)
        self._variable[game.fluent_atom] = np.arange(game.fluents)
        derived = rules.order[needed[rules.order]]
        first = self.clauses.fresh(len(derived))
        self._variable[derived] = first + np.arange(len(derived))
        written = (2 * self._variable[rules.rule_body >> 1] + (rules.rule_body & 1)).tolist()
        starts = rules.rule_start.tolist()
        for atom, variable in zip(derived.tolist(), self._variable[derived].tolist(), strict=True):
            span = range(int(rules.head_start[atom]), int(rules.head_start[atom + 1]))
            self.clauses.define(variable, (written[starts[r] : starts[r + 1]] for r in span))
        self._true = -1

    def literal(self, literal: int) -> int:
        """The literal of the clauses that stands for one of the questions (a literal of the game)."""
        if literal in (TRUE, FALSE):
            if self._true < 0:
                self._true = 2 * self.clauses.fresh()
                self.clauses.add([self._true])
            return self._true ^ literal
        return int(2 * self._variable[literal >> 1] + (literal & 1))


def at_least(clauses: ClauseList, inputs: list[int], most: int) -> list[int]:
    """Literals "at least k of the inputs are true" for k = 1 … ``most`` (sequential counter, Sinz 2005, in both directions)."""
    before: list[int] = []
    for literal in inputs:
        counted: list[int] = []
        for k in range(min(most, len(before) + 1)):
            # At least k + 1 so far: it was so before, or it was k and this one is true.
            output = 2 * clauses.fresh()
            here = before[k] if k < len(before) else None
            below = before[k - 1] if k > 0 else None
            if here is not None:
                clauses.add((output, here ^ 1))
            clauses.add([output, literal ^ 1, *([] if below is None else [below ^ 1])])
            clauses.add([output ^ 1, literal, *([] if here is None else [here])])
            if below is not None:
                clauses.add([output ^ 1, below, *([] if here is None else [here])])
            counted.append(output)
        before = counted
    return before

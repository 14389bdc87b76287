"""Positive cycles of the ground rules rewritten: tables know no order of derivation, and would let atoms hold each other up."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import GroundGame
from scsp_player.network.acyclic import AcyclicRules, RuleCollector
from scsp_player.network.all_pairs import AllPairs, all_pairs
from scsp_player.network.csr import ranges, reachable
from scsp_player.network.elimination import LinearSystem, elimination_order, linear_system, solve

Ints = NDArray[np.int32]
Offsets = NDArray[np.int64]


def unfold(game: GroundGame, *, max_literals: int = 20_000_000) -> AcyclicRules:
    """Take apart the cyclic components that some question about the game depends on.

    Raises:
        NetworkTooLargeError: if that takes more than ``max_literals`` body literals.
    """
    return _Unfolding(game, max_literals).result()


class _Unfolding:
    """One run of ``unfold``."""

    def __init__(self, game: GroundGame, max_literals: int) -> None:
        self.game = game
        self.collector = RuleCollector(game.atoms, max_literals, game.source)
        self.roots = np.concatenate(
            [
                game.next_literal,
                game.legal_literal,
                game.goal_literal,
                game.percept_literal,
                np.array([game.terminal_literal], dtype=np.int32),
            ]
        )
        sizes = np.diff(game.component_start)
        self.component_of = np.full(game.atoms, -1, dtype=np.int32)
        self.component_of[game.component_atoms] = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
        self.place = np.zeros(game.atoms, dtype=np.int32)
        self.place[game.component_atoms] = ranges(np.zeros(len(sizes), dtype=np.int64), sizes)
        self.head_start, self.rule_start, self.rule_body = game.head_start, game.rule_start, game.rule_body

    def result(self) -> AcyclicRules:
        game = self.game
        needed = reachable(self.roots >> 1, self.head_start, self.rule_start, self.rule_body)
        cyclic = np.flatnonzero(game.component_cyclic)
        cyclic = cyclic[needed[game.component_atoms[game.component_start[cyclic]]]]
        systems = {int(component): self._system(int(component)) for component in cyclic}
        questions = all_pairs(game, [system for system in systems.values() if system is not None])
        if questions:
            self._without(np.concatenate([question.rules for question in questions]))
            asked = [literal for question in questions for body in question.system.condition for literal in body]
            self.roots = np.concatenate([self.roots, np.array(asked, dtype=np.int32)])
            needed = reachable(self.roots >> 1, self.head_start, self.rule_start, self.rule_body)
        rewritten = np.zeros(game.atoms, dtype=np.bool_)
        rewritten[game.component_atoms] = np.repeat(game.component_cyclic, np.diff(game.component_start))
        by_component: dict[int, list[AllPairs]] = {}
        for question in questions:
            rewritten[question.head] = True
            by_component.setdefault(int(self.component_of[question.head]), []).append(question)
        heads = np.repeat(np.arange(game.atoms, dtype=np.int32), np.diff(self.head_start))
        plain = np.flatnonzero((needed & ~rewritten)[heads])
        self.collector.rules(heads[plain], np.diff(self.rule_start)[plain], self._bodies(plain))
        outside = self._used_outside(needed, heads)
        previous = 0
        for component in sorted({*systems, *by_component}):
            first, stop = int(game.component_start[component]), int(game.component_start[component + 1])
            self.collector.follow(game.component_atoms[previous:first])
            previous = stop
            for question in by_component.get(component, []):
                question.answer(self.collector, [frozenset(body) for _, body in self._rules(np.array([question.head]))])
            if component in systems and needed[game.component_atoms[first]]:
                self._take_apart(game.component_atoms[first:stop], systems[component], outside)
        self.collector.follow(game.component_atoms[previous:])
        return self.collector.finish()

    def _system(self, component: int) -> LinearSystem | None:
        atoms = self.game.component_atoms[self.game.component_start[component] : self.game.component_start[component + 1]]
        return linear_system(atoms.tolist(), self._rules(atoms))

    def _rules(self, atoms: Ints) -> Iterator[tuple[int, list[int]]]:
        """Head and body of every rule of the atoms."""
        rules = ranges(self.head_start[atoms], self.head_start[atoms + 1])
        heads = np.repeat(atoms, np.diff(self.head_start)[atoms])
        body = self._bodies(rules).tolist()
        lengths = np.diff(self.rule_start)[rules]
        end = np.cumsum(lengths)
        for head, first, last in zip(heads.tolist(), (end - lengths).tolist(), end.tolist(), strict=True):
            yield head, body[first:last]

    def _bodies(self, rules: Offsets) -> Ints:
        return self.rule_body[ranges(self.rule_start[rules], self.rule_start[rules + 1])]

    def _without(self, rules: Offsets) -> None:
        """Leave out rules for which others will stand."""
        kept = np.ones(len(self.rule_start) - 1, dtype=np.bool_)
        kept[rules] = False
        chosen = np.flatnonzero(kept)
        body = self._bodies(chosen)
        before = np.concatenate([[0], np.cumsum(kept)]).astype(np.int64)
        self.head_start = before[self.head_start]
        self.rule_start = np.concatenate([[0], np.cumsum(np.diff(self.rule_start)[chosen])]).astype(np.int64)
        self.rule_body = body

    def _used_outside(self, needed: NDArray[np.bool_], heads: Ints) -> NDArray[np.bool_]:
        """bool[atoms]: whether an atom is asked for, or occurs in a needed rule of another component."""
        used = np.zeros(self.game.atoms, dtype=np.bool_)
        used[self.roots >> 1] = True
        row = np.repeat(np.arange(len(heads)), np.diff(self.rule_start))
        atom = self.rule_body >> 1
        head = heads[row]
        used[atom[needed[head] & (self.component_of[head] != self.component_of[atom])]] = True
        return used

    def _take_apart(self, atoms: Ints, system: LinearSystem | None, outside: NDArray[np.bool_]) -> None:
        if system is not None:
            # Never more than the rounds of a fixpoint would take.
            order = elimination_order(system, len(atoms) * sum(map(len, system.into)))
            if order is not None:
                solve(system, order, atoms[outside[atoms]].tolist(), self.collector)
                return
        self._levels(atoms)

    def _levels(self, atoms: Ints) -> None:
        """Level j of an atom holds exactly if the atom is derived in at most j rounds.

        The last level, which is the atom itself, has as many rounds as the component has atoms, which is enough.
        """
        rules = ranges(self.head_start[atoms], self.head_start[atoms + 1])
        lengths = np.diff(self.rule_start)[rules]
        head = np.repeat(np.arange(len(atoms), dtype=np.int32), np.diff(self.head_start)[atoms])
        body = self._bodies(rules)
        row = np.repeat(np.arange(len(rules)), lengths)
        cyclic = self.component_of[body >> 1] == self.component_of[atoms[0]]
        inner = np.where(cyclic, self.place[body >> 1], 0)
        derived = np.zeros(len(atoms), dtype=np.bool_)
        below = atoms
        for round_ in range(1, len(atoms) + 1):
            # Rules of which an atom of the component is not derivable so early are left out, and so is the atom's level.
            usable = np.ones(len(rules), dtype=np.bool_)
            usable[row[cyclic & ~derived[inner]]] = False
            derived = np.zeros(len(atoms), dtype=np.bool_)
            derived[head[usable]] = True
            above = atoms.copy()
            if round_ < len(atoms):
                above[derived] = self.collector.fresh(atoms[derived], round_)
            moved = np.where(cyclic, 2 * below[inner], body).astype(np.int32)
            self.collector.rules(above[head[usable]], lengths[usable], moved[usable[row]])
            self.collector.follow(above[derived])
            below = above

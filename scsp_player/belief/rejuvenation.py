"""Other courses that fit, by changing those that fit so far: rejuvenation of a sample (Gilks and Berzuini 2001).

A sample that has been thinned out by what was seen stems from few of the moves that were made long ago. Here one of them is made
otherwise: in a course from the tree of histories somebody else makes another move in some turn, what follows is kept where it is
legal still, and what shows the wrong thing is left out. Many courses are tried side by side. Where no course fits the last turns,
those that fit longest are changed, so that fitting ones are found step by step.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from scsp_player.belief.history_tree import HistoryTree, Layer, Moves, Numbers, Past
from scsp_player.belief.joint_moves import draw_joint_moves, number_of_joint_moves
from scsp_player.belief.model import Found
from scsp_player.belief.views import MULTIPLIER, ViewArray, mix

LANES, LEAST_LANES = 1024, 64
"""Changes that are tried at the same time; fewer where there was no time for so many."""

MOST_LEAVES = 4000
"""Courses that are changed at most, the latest ones."""

BOLDNESS = (0.0, 0.0, 0.5, 1.0)
"""How likely later turns are changed as well, those in which that is most promising; each lane is as bold as one of these."""

PROGRESS = 10.0
"""What courses count that fit a turn longer than what there was."""

MOST_BYTES = 1 << 27
"""What the tree may take before nothing more is added to it."""

HOPE, FADING = 2.0, 0.8
"""A turn that has not been tried counts as if one of so many changes there had fitted; and what counts of all that a turn later."""


class Rejuvenation:
    """Changes courses of a tree.

    Attributes:
        tried: changes that were tried.
        found: of these fitted all turns.
    """

    def __init__(self, tree: HistoryTree, *, seed: int = 0) -> None:
        self.tree = tree
        self.tried = self.found = 0
        self._generator = np.random.default_rng((seed, 4))
        self._tries, self._gains = np.zeros(0), np.zeros(0)
        self._lanes = LANES

    def find(self, past: Past, count: int, expired: Callable[[], bool]) -> Found | None:
        """Courses made from others that fit all turns, at least ``count`` of them unless time is up; None if there are none.

        All count the same: changing one move at random leaves a sample of the probable courses what it is, roughly.
        """
        found, number = [np.zeros(0, np.int64)], 0
        more = len(past) + 1 - len(self._tries)
        self._tries, self._gains = (FADING * np.append(a, np.zeros(more)) for a in (self._tries, self._gains))
        leaves, depth = self._leaves(past), self.tree.turns
        while number < count and not expired() and self.tree.bytes < MOST_BYTES:
            if self.tree.turns > depth:
                leaves, depth = self._leaves(past), self.tree.turns
            new = self._sweep(past, leaves, expired)
            if new is None:
                break
            leaves = np.append(leaves, new)[-MOST_LEAVES:]
            if self.tree.turns == len(past):
                number += len(new)
                found.append(new)
        self.found += number
        if not number:
            return None
        nodes = np.concatenate(found)
        return Found(nodes, np.ones(len(nodes)), complete=False)

    def _leaves(self, past: Past) -> Numbers:
        """Rows of the deepest layer: courses to be changed, those that come nearest to what was seen next."""
        tree, depth = self.tree, self.tree.turns
        layer = tree.layers[depth]
        rows = np.arange(len(layer.states))[-MOST_LEAVES:]
        if depth == len(past):
            return rows
        own, percepts = past[depth]
        legal = tree.propnet.legal(layer.states[rows])
        able = number_of_joint_moves(tree.game, legal, {tree.role: own}) > 0
        rows, legal = rows[able], legal[able]
        joint = draw_joint_moves(tree.game, legal, self._generator, {tree.role: own})
        mine = tree.game.percept_role == tree.role
        wrong = (tree.propnet.percepts(layer.states[rows], joint)[:, mine] != percepts[mine]).sum(axis=1)
        nearest: Numbers = rows[wrong == wrong.min(initial=len(percepts))]
        return nearest

    def _sweep(self, past: Past, leaves: Numbers, expired: Callable[[], bool]) -> Numbers | None:
        """Change some of these courses, rows of the deepest layer; the rows of new ones in what is the deepest then.

        None if there is nothing that could be changed, or no time for it. The next time less is tried at once then.
        """
        tree, depth = self.tree, self.tree.turns
        if not len(leaves):
            return None
        rows = tree.rows(leaves)
        turns = self._open(rows, past)
        if not len(turns):
            return None
        chances = (1.0 + self._gains[turns]) / (HOPE + self._tries[turns])
        start = np.sort(self._generator.choice(turns, self._lanes, p=chances / chances.sum()))
        again = np.zeros(len(past))
        again[turns] = chances / chances.max()
        boldness = self._generator.choice(BOLDNESS, size=len(start))
        leaf = self._generator.integers(len(rows[0]), size=len(start))
        trail: list[tuple[Layer, Numbers]] = []
        at, lanes = tree.layers[0].some(np.zeros(0, np.int64)), np.zeros(0, np.int64)
        for now in range(int(start[0]), len(past)):
            new = np.flatnonzero(start == now)
            if len(new):
                at, lanes = at.and_also(tree.layers[now].some(rows[now][leaf[new]])), np.append(lanes, new)
            if now > start[-1] and not len(lanes):
                break
            if expired():
                self._lanes = max(LEAST_LANES, self._lanes // 2)
                return None
            recorded = tree.layers[now + 1].moves[rows[now + 1][leaf[lanes]]] if now < depth else None
            changed = (start[lanes] == now) | (self._generator.random(len(lanes)) < boldness[lanes] * again[now])
            at, on = self._step(at, past[now], recorded, changed)
            lanes = lanes[on]
            trail.append((at, lanes))
        while trail and not len(trail[-1][1]):
            trail.pop()
        self.tried += len(start)
        self._lanes = min(LANES, 2 * self._lanes)
        self._tries += np.bincount(start, minlength=len(self._tries))
        if int(start[0]) + len(trail) < depth or not trail:
            return np.zeros(0, np.int64)
        # Being asked for another move tells that the match goes on.
        last, turn = trail[-1][0], int(start[0]) + len(trail)
        fresh = ~tree.propnet.terminal(last.states)
        if turn == depth:
            fresh &= ~np.isin(_names(last.views), _names(tree.layers[depth].views))
        ends = np.flatnonzero(fresh)
        ends = ends[np.unique(_names(last.views[ends]), return_index=True)[1]]
        lanes = np.sort(trail[-1][1][ends])
        worth = PROGRESS if turn > depth else 1.0
        self._gains += worth * np.bincount(start[lanes], minlength=len(self._gains))
        node = np.array([rows[turn][leaf[lane]] for lane, turn in zip(lanes, start[lanes], strict=True)], np.int64)
        return self._keep(node, start, lanes, trail)

    def _open(self, rows: list[Numbers], past: Past) -> Numbers:
        """Turns in which others had a choice somewhere, and the first one that nothing fits, if there is one."""
        layers = self.tree.layers
        turns = [
            turn
            for turn in range(len(rows) - 1)
            if (layers[turn + 1].chance[rows[turn + 1]] < layers[turn].chance[rows[turn]]).any()
        ]
        return np.array(turns + [len(rows) - 1] * (len(rows) - 1 < len(past)), np.int64)

    def _step(
        self, at: Layer, told: tuple[int, NDArray[np.bool_]], recorded: Moves | None, changed: NDArray[np.bool_]
    ) -> tuple[Layer, Numbers]:
        """One turn further: the nodes that fit, and which rows of ``at`` they come from.

        Others make the ``recorded`` moves where they can; where something is to be ``changed``, bool[n], one of them does not.
        """
        tree, game = self.tree, self.tree.game
        own, percepts = told
        terminal, legal, _ = tree.propnet.evaluate(at.states)
        sizes = number_of_joint_moves(game, legal, {tree.role: own})
        able = legal if recorded is None else self._able(legal, recorded, changed)
        joint = draw_joint_moves(game, able, self._generator, {tree.role: own})
        states, shown = tree.views.observe(tree.propnet, at.states, joint)
        fits = shown[:, tree.role] == tree.views.shown(tree.role, percepts)
        on = np.flatnonzero(fits & ~terminal & legal[:, own] & (sizes > 0))
        views = tree.views.after(at.views[on], joint[on], shown[on])
        return Layer(states[on], views, on, joint[on], at.chance[on] - np.log(sizes[on])), on

    def _able(self, legal: NDArray[np.bool_], recorded: Moves, changed: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """bool[n, moves]: from which moves everybody draws."""
        game, every = self.tree.game, np.arange(len(legal))
        parts = {role: slice(game.role_start[role], game.role_start[role + 1]) for role in range(len(game.roles))}
        others = [role for role in parts if role != self.tree.role]
        choices = np.stack([legal[:, parts[role]].sum(axis=1) for role in others], axis=1)
        who = np.where(choices > 1, self._generator.random(choices.shape), -1.0).argmax(axis=1)
        able = legal.copy()
        for number, role in enumerate(others):
            other = changed & (who == number) & (choices[:, number] > 1)
            able[np.flatnonzero(other), recorded[other, role]] = False
            same = np.flatnonzero(~other & legal[every, recorded[:, role]])
            able[same, parts[role]] = False
            able[same, recorded[same, role]] = True
        return able

    def _keep(self, node: Numbers, start: Numbers, lanes: Numbers, trail: list[tuple[Layer, Numbers]]) -> Numbers:
        """Put the ends of the trail in some lanes and what leads there from the tree's nodes into the tree; rows of the ends."""
        if not len(lanes):
            return lanes
        rows = node.copy()
        for turn, (layer, of) in enumerate(trail, int(start[0])):
            part = lanes[start[lanes] <= turn]
            new = layer.some(np.searchsorted(of, part))._replace(parent=rows[: len(part)].copy())
            rows[: len(part)] = self.tree.add(turn + 1, new)
        return rows


def _names(views: ViewArray) -> NDArray[np.uint64]:
    """uint64[n]: a number for each course; what all roles have gone through together tells courses apart."""
    with np.errstate(over="ignore"):
        factors = MULTIPLIER * np.arange(1, 2 * views.shape[1], 2, dtype=np.uint64)
        names: NDArray[np.uint64] = mix((views * factors).astype(np.uint64)).sum(axis=1, dtype=np.uint64)
    return names

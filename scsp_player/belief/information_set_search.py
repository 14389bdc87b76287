"""Search when states cannot be told apart: many possible states are played at once, and every role learns for what it knows.

Multiple-observer information-set Monte Carlo tree search (Cowling, Powley and Whitehouse 2012): each walk begins in a state drawn
from the belief, and every role has a tree of its own, whose nodes are *views*, what the role has gone through. So a role cannot
answer what it has not seen, and a move that shows something is worth what it makes possible. All walks of a batch are lanes of the
circuit: they go one turn further together by one pass of it, and each ends in a random game.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scsp_player.belief import walk_kernels
from scsp_player.belief.information_set import Belief
from scsp_player.belief.minds import Minds
from scsp_player.belief.views import MULTIPLIER, ViewArray, Views
from scsp_player.belief.walk_kernels import NODE, NODES, SLOT, SLOTS, STEP
from scsp_player.grounding.ground_game import GroundGame
from scsp_player.propnet import Propnet
from scsp_player.propnet.lanes import first_lanes
from scsp_player.propnet.stepping import Stepper

Floats = NDArray[np.float64]
Words = NDArray[np.uint64]

TURNS = 128
"""Turns that a walk goes at most before it ends in a random game."""

SLOTS_A_NODE = 16
"""Room for moves, for each view that is remembered."""

FULL = 0.5
"""Share of that room after which everything is forgotten before the next move is thought about."""

REDRAW = 8
"""Batches that begin in the same states of the belief."""


@dataclass(frozen=True)
class WalkSettings:
    """How information-set search spends its time.

    Attributes:
        exploration: C of UCB.
        others_share: share of walks that begin in states that others may hold possible, be they possible or not.
        guessed_share: share of the other walks in which the others' first moves are drawn from how they are likely to move.
        mixing: share of the uniform distribution in regret matching; negative for UCB.
        patience: how often a move must have been made before what its role sees after it is remembered.
        playouts: random games at the end of a walk.
        groups: lane groups of walks side by side.
        depth_limit: longest playout.
        nodes: views that are remembered.
    """

    exploration: float = 0.12
    others_share: float = 0.5
    guessed_share: float = 0.8
    mixing: float = -1.0
    patience: float = 4.0
    playouts: int = 4
    groups: int = 4
    depth_limit: int = 1000
    nodes: int = 1 << 18


class InformationSetSearch:
    """Walks from the states of a belief.

    Attributes:
        minds: what others may hold possible; None if they are taken to know what we know.
        walks: how many there have been.
        turns: their turns together.
        rate: walks a second when it last thought, without the time for drawing states.
    """

    def __init__(
        self,
        game: GroundGame,
        propnet: Propnet,
        role: int,
        *,
        settings: WalkSettings | None = None,
        minds: Minds | None = None,
        seed: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.game = game
        self.minds = minds
        self.role = role
        self.settings = settings or WalkSettings()
        self.clock = clock
        self.walks = self.turns = 0
        self.rate = 0.0
        self._propnet = propnet
        self._views = Views(game)
        self._generator = np.random.default_rng(seed)
        self._kernel_generator = self._generator.integers(0, 2**63, size=1, dtype=np.uint64)
        self._stepper = Stepper(propnet, self.settings.groups)
        lanes, roles, nodes = self._stepper.lanes, len(game.roles), self.settings.nodes
        self._moves, self._length = np.zeros((lanes, roles), np.int32), np.zeros(lanes, np.int32)
        self._steps = np.zeros((TURNS, lanes, roles), STEP)
        self._shown = np.zeros((roles, 64), np.uint64)
        self._node, self._slot = np.zeros(nodes, NODE), np.zeros(SLOTS_A_NODE * nodes, SLOT)
        self._table, self._used = np.zeros(4 * nodes, np.int32), np.zeros(2, np.int64)
        mixed = len(self._slot) if self.settings.mixing >= 0 else 1
        self._regret, self._average = np.zeros(mixed), np.zeros(mixed)
        self._roots: tuple[Words, ViewArray, NDArray[np.int32]] | None = None
        self._free, self._last = np.full((lanes, roles), -1, np.int32), np.full((lanes, roles), -1, np.int32)
        self.forget()

    def forget(self) -> None:
        """Drop all statistics."""
        self._table[:] = -1
        self._used[:] = 0
        self._regret[:] = self._average[:] = 0.0

    def think(
        self, belief: Belief, deadline: float, report: Callable[[], None] | None = None, *, walks: int | None = None
    ) -> None:
        """Walk until ``deadline`` by ``clock``, or until there have been ``walks`` more walks."""
        target = None if walks is None else self.walks + walks
        lanes = self._stepper.lanes if target is not None else self._stepper.lanes // self._stepper.groups
        before, number, walking = self.walks, 0, 0.0
        told = self.clock()
        if self._used[NODES] > FULL * len(self._node) or self._used[SLOTS] > FULL * len(self._slot):
            self.forget()
        while target is None or self.walks < target:
            start = self.clock()
            if number % REDRAW == 0 or self._roots is None or len(self._roots[1]) != lanes:
                self._draw_roots(belief, lanes)
            number += 1
            drawn = self.clock()
            self._walk(lanes if target is None else min(lanes, target - self.walks), deadline)
            end = self.clock()
            walking += end - drawn
            self.rate = (self.walks - before) / max(1e-9, walking)
            if report is not None and end >= told:
                report()
                told = end + 0.05
            if target is None:
                if end + 1.25 * (end - start) >= deadline:
                    break
                # Many walks side by side cost hardly more than few, as long as there are many batches.
                if lanes < self._stepper.lanes and end - start < 0.02 * (deadline - end):
                    lanes *= 2

    def measure(self, belief: Belief, deadline: float) -> None:
        """Find out how many walks there are in a second, by a few of them that leave nothing behind."""
        few, many = self._stepper.lanes // self._stepper.groups, self._stepper.lanes
        # The first time code may have to be loaded; and many walks are not tried where few take too long.
        for walks in (few, few, many):
            if self.rate and self.rate * (deadline - self.clock()) < many:
                break
            self.think(belief, deadline, walks=walks)
        self.forget()

    def _draw_roots(self, belief: Belief, lanes: int) -> None:
        picked = belief.draw(lanes)
        states, views = belief.states[picked], belief.views[picked]
        guessed = np.full((lanes, len(self.game.roles)), -1, np.int32)
        if self.minds is not None:
            # What others hold possible makes them choose, whether we know better or not.
            others = self.minds.others
            doubtful = np.flatnonzero(self._generator.random(lanes) < self.settings.others_share)
            for number, role in enumerate(others):
                mine = doubtful[number :: len(others)]
                held = self.minds.held(role)
                copy = self._generator.integers(held.states.shape[1], size=len(mine))
                states[mine], views[mine] = held.states[picked[mine], copy], held.views[picked[mine], copy]
            surely = self._generator.random(lanes) < self.settings.guessed_share
            surely[doubtful] = False
            for role, policy in self._policies(belief).items():
                mine = np.flatnonzero(surely & (policy[picked].max(axis=1) > 0))
                rows = np.cumsum(policy[picked[mine]], axis=1)
                place = (rows <= self._generator.random((len(mine), 1)) * rows[:, -1:]).sum(axis=1)
                guessed[mine, role] = self.game.role_start[role] + np.minimum(place, policy.shape[1] - 1)
        self._stepper.put(states)
        groups = -(-lanes * self._stepper.groups // self._stepper.lanes)
        self._roots = self._stepper.states[:groups].copy(), views, guessed

    def _policies(self, belief: Belief) -> dict[int, Floats]:
        """How others are likely to move now: role to float64[entries, moves of the role], zeros where it has no choice."""
        if self.minds is None or self.settings.guessed_share <= 0:
            return {}
        terminal, legal, _ = self._propnet.evaluate(belief.states)
        found = {}
        for role in self.minds.others:
            mine = legal[:, self.game.role_start[role] : self.game.role_start[role + 1]] & ~terminal[:, None]
            choosing = mine.sum(axis=1, keepdims=True) > 1
            if choosing.any():
                found[role] = choosing * self.minds.policy(role, belief.views[:, role], mine, belief.probabilities)
        return found

    def _walk(self, lanes: int, deadline: float) -> None:
        s, stepper, game = self.settings, self._stepper, self.game
        assert self._roots is not None
        states, views = self._roots[0], self._roots[1].copy()
        groups, layout, memory = len(states), stepper.layout, stepper.memory
        stepper.states[:groups] = states
        every = groups * stepper.lanes // stepper.groups
        live = first_lanes(np.minimum(64, np.maximum(0, lanes - 64 * np.arange(every // 64)))).reshape(groups, -1)
        new = np.zeros_like(live)
        length, scores = self._length[:every], np.zeros((every, len(game.roles)))
        length[:], self._last[:] = 0, -1
        counts = np.ones(every, np.bool_)
        goals = stepper.goals.start, stepper.goals.value
        for turn in range(TURNS):
            stepper.look(groups)
            over = live & memory[:groups, layout.terminal]
            if over.any():
                walk_kernels.collect(over, memory, layout.goal, *goals, 1.0, scores)
                live &= ~over
            going = walk_kernels.choose(
                memory,
                live,
                new,
                views,
                self._roots[2] if turn == 0 else self._free,
                self._last,
                game.role_start,
                game.random_role,
                layout.move,
                s.exploration,
                s.mixing,
                s.patience,
                self._table,
                self._node,
                self._slot,
                self._used,
                self._regret,
                self._average,
                self._kernel_generator,
                self._moves,
                self._steps[turn],
            )
            if not going:
                break
            stepper.move(groups)
            walk_kernels.advance(
                memory,
                live,
                layout.fluents,
                layout.next,
                layout.percept,
                game.percept_role,
                self._views.move_hash,
                self._views.percept_hash,
                MULTIPLIER,
                self._moves,
                self._shown,
                views,
                length,
            )
        self._play_out(new | live, counts, scores, deadline)
        walk_kernels.back_up(self._steps, length, counts, scores, s.mixing, self._node, self._slot, self._regret)
        self.walks += lanes
        self.turns += int(length.sum())

    def _play_out(self, lanes: Words, counts: NDArray[np.bool_], scores: Floats, deadline: float) -> None:
        """Random games in these lanes. Games cut off score zero; lanes for which there was no time do not count."""
        if not lanes.any():
            return
        late = [False]

        def expired() -> bool:
            late[0] = self.clock() >= deadline
            return late[0]

        number, goals = self.settings.playouts, self._stepper.goals
        for _ in range(number):
            ended = self._stepper.play_out(lanes, self._generator, max_depth=self.settings.depth_limit, expired=expired)
            walk_kernels.collect(lanes, ended, 1, goals.start, goals.value, 1.0 / number, scores)
            if late[0]:
                unknown = np.ascontiguousarray(lanes & ~ended[:, 0], "<u8")
                counts &= np.unpackbits(unknown.view(np.uint8).ravel(), bitorder="little") == 0
                break

    def choices(self, view: int) -> tuple[NDArray[np.int32], Floats, Floats, Floats]:
        """What is known of the moves of a role that has gone through ``view``: moves, visits, mean scores, average strategy."""
        number = walk_kernels.find(self._table, self._node, np.uint64(view))
        part = slice(0, 0)
        if number >= 0:
            first = int(self._node["first"][number])
            part = slice(first, first + int(self._node["count"][number]))
        slots = self._slot[part]
        visits = slots["visits"].astype(np.float64)
        average = self._average[part] if self.settings.mixing >= 0 else np.zeros(len(slots))
        return slots["move"].copy(), visits, slots["total"] / np.maximum(1.0, visits), average / max(1e-300, float(average.sum()))

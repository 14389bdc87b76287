"""Sub-games: parts of a game that have nothing to do with each other but for how the match ends and what it scores.

After Günther, Schiffel and Thielscher, "Factoring General Games" (GIGA 2009), who look at rules with their variables, and Cox,
Schkufza, Madsen and Genesereth, "Factoring General Games using Propositional Automata" (GIGA 2009). Here blocks of fluents are
merged until nothing that the ground rules say of ``next`` and ``legal`` joins two of them (``dependence``).

That leaves far too many of them: nothing but the lines that count joins the cells of tic-tac-toe. So blocks are merged, too, if
what the goals and the end ask of them cannot be taken apart: if two conditions speak of sets of blocks that cross each other.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import GroundGame
from scsp_player.propnet.circuit import Circuit
from scsp_player.propnet.circuit_kernels import FEEDBACK
from scsp_player.structure.counters import Counters
from scsp_player.structure.dependence import Dependence, UnknownError, find_dependence
from scsp_player.structure.endings import ending_sets
from scsp_player.structure.partition import Partition, crossing, members
from scsp_player.structure.series import find_series
from scsp_player.structure.words import scramble

Bools = NDArray[np.bool_]


class Kind(Enum):
    """How sub-games go together.

    INTERLEAVED: every joint move changes one of them at most, and the others stay as they are.
    SIMULTANEOUS: every joint move is one move in each of them, all combinations of which there are.
    SERIAL: each begins once the one before has ended.
    """

    INTERLEAVED = "interleaved"
    SIMULTANEOUS = "simultaneous"
    SERIAL = "serial"


@dataclass(frozen=True, eq=False)
class SubGame:
    """One of several sub-games.

    Attributes:
        fluents: int64[n], its fluents.
        moves: int64[m], the moves (global indices) that are made in it; of simultaneous sub-games the first of each set of moves
            that are all the same to it.
        timed: whether what its moves do depends on counters, too.
        same: int64[moves], of simultaneous sub-games of a game with one role: equal numbers for moves (global indices) that are all
            the same to it, -1 for moves that are never made; else empty.
    """

    fluents: NDArray[np.int64]
    moves: NDArray[np.int64]
    timed: bool
    same: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SubGames:
    """The sub-games of a game, in the order in which they are played if they are serial.

    Attributes:
        kind: how they go together.
        games: two or more of them.
        idle: int64[n], moves (global indices) that change none of them.
    """

    kind: Kind
    games: tuple[SubGame, ...]
    idle: NDArray[np.int64]


def find_sub_games(game: GroundGame, circuit: Circuit, counters: Counters, deadline: float) -> SubGames | None:
    """The sub-games of a game, None if it is one whole, or if that is not known by ``deadline`` of ``time.process_time``.

    Not looked for where roles do not see everything, as what they see may join what the rules of ``next`` do not.

    Args:
        game: the game.
        circuit: its circuit.
        counters: the fluents that run through a course of their own; they belong to no sub-game.
        deadline: when to give up.
    """
    if len(game.percept_literal):
        return None
    try:
        search = _Search(game, circuit, counters, find_dependence(game, circuit, deadline), deadline)
        return search.serial() or search.interleaved() or search.simultaneous()
    except UnknownError:
        return None


class _Search:
    """Tries the ways in which sub-games may go together."""

    def __init__(self, game: GroundGame, circuit: Circuit, counters: Counters, known: Dependence, deadline: float) -> None:
        self._circuit = circuit
        self._counters = counters
        self._known = known
        self._deadline = deadline
        self._free: Bools = known.changes.any(axis=1) & ~counters.fluents
        self._timed = known.depends[:, counters.fluents].any(axis=1) | (known.phase.max(initial=0) > 0)
        self._blocks = Partition(game.fluents)
        for fluent in np.flatnonzero(self._free).tolist():
            self._blocks.merge([fluent, *np.flatnonzero(known.depends[fluent] & self._free).tolist()])
        # A condition of a move that speaks of several blocks joins them.
        needs = {c: np.flatnonzero(fluents & self._free) for c, fluents in known.needs.items()}
        for fluents in needs.values():
            self._blocks.merge(fluents.tolist())
        self._changes: Bools = np.where(self._free[:, None], known.changes, False)
        #: conditions that speak of blocks, one fluent of each, and bool[conditions, lanes], whether they are asked for.
        self._conditions = [c for c, fluents in needs.items() if len(fluents)]
        self._speaks_of = np.array([needs[c][0] for c in self._conditions], np.int64)
        of_move = np.zeros((len(self._conditions), game.moves), np.bool_)
        place = {c: k for k, c in enumerate(self._conditions)}
        for move, conditions in enumerate(known.conditions):
            of_move[[place[c] for c in conditions if c in place], move] = True
        self._asked: Bools = np.asarray(of_move[:, known.joint].any(axis=2))
        clocked = [c for c, fluents in known.needs.items() if (fluents & counters.fluents).any()]
        self._clocked = np.array([not set(clocked).isdisjoint(conditions) for conditions in known.conditions], np.bool_)
        self._salt = scramble(np.arange(1, game.fluents + len(self._conditions) + 1, dtype=np.uint64))

    def interleaved(self) -> SubGames | None:
        """Sub-games of which each joint move changes one at most."""
        blocks = self._blocks.copy()
        changing = self._changes.any(axis=0)
        rows = np.packbits(np.vstack([self._changes[:, changing], self._asked[:, changing]]), axis=0).T
        _, first = np.unique(np.ascontiguousarray(rows).view(f"V{max(1, rows.shape[1])}").reshape(-1), return_index=True)
        for lane in np.flatnonzero(changing)[first].tolist():
            asked = self._speaks_of[self._asked[:, lane]].tolist()
            blocks.merge([*np.flatnonzero(self._changes[:, lane]).tolist(), *asked])
        while self._merge_endings(blocks):
            self._check_time()
        return self._result(Kind.INTERLEAVED, blocks.labels())

    def simultaneous(self) -> SubGames | None:
        """Sub-games in all of which every joint move is a move."""
        blocks = self._blocks.copy()
        while self._merge_linked(blocks) or self._merge_endings(blocks):
            self._check_time()
        labels = blocks.labels()
        lanes = np.arange(len(self._known.joint))
        # Where all moves are the same something is counted, and nothing is played.
        played = [name for name in np.unique(labels[self._free]) if self._moves_in(labels == name, lanes).max(initial=0) > 0]
        return self._result(Kind.SIMULTANEOUS, labels) if len(played) > 1 else None

    def serial(self) -> SubGames | None:
        """Two sub-games, the second of which begins when the first one has ended."""
        found = find_series(self._circuit, self._known, self._counters, self._blocks, self._free)
        if found is None:
            return None
        return self._result(Kind.SERIAL, np.where(found.second, 1, 0), found.late)

    def _check_time(self) -> None:
        if time.process_time() > self._deadline:
            raise UnknownError

    def _merge_endings(self, blocks: Partition) -> bool:
        """Merge blocks that conditions of the end join so that they cannot be taken apart; whether there were any."""
        labels = blocks.labels()
        names, numbers = np.unique(labels[self._free], return_inverse=True)
        own = np.full(len(labels), -1, np.int64)
        own[self._free] = numbers.reshape(-1)
        merged = False
        found = ending_sets(self._circuit, own)
        # What goes round in a circle cannot be taken apart at all.
        cycles = [touched for node, touched in found.items() if self._circuit.kind[node] == FEEDBACK]
        for union in [*cycles, *crossing(found.values())]:
            merged |= blocks.merge(names[members(union)].tolist())
        return merged

    def _merge_linked(self, blocks: Partition) -> bool:
        """Merge blocks if not all combinations of their moves are possible; whether there were any."""
        labels = blocks.labels()
        names = np.unique(labels[self._free]).tolist()
        merged = False
        for phase in np.unique(self._known.phase).tolist():
            lanes = np.flatnonzero(self._known.phase == phase)
            columns = [self._moves_in(labels == name, lanes) for name in names]
            sizes = [int(column.max(initial=-1)) + 1 for column in columns]
            moving = [number for number, size in enumerate(sizes) if size > 1]
            for place, one in enumerate(moving):
                self._check_time()
                for other in moving[:place]:
                    if blocks.block(names[one]) == blocks.block(names[other]):
                        continue
                    combinations = sizes[one] * sizes[other]
                    pairs = columns[one] * sizes[other] + columns[other]
                    # There cannot be more than there are joint moves.
                    if combinations > len(lanes) or (np.bincount(pairs, minlength=combinations) == 0).any():
                        merged |= blocks.merge([names[one], names[other]])
            if not merged and len(names) > 1:
                # All together: as many different joint moves as there are combinations.
                rows = np.stack(columns, axis=1)
                if len(np.unique(rows, axis=0)) < math.prod(sizes):
                    merged = blocks.merge(names)
        return merged

    def _moves_in(self, block: Bools, lanes: NDArray[np.intp]) -> NDArray[np.int64]:
        """int64[lanes]: numbers of the moves that joint moves are in a block; the same number if they are the same to it."""
        fluents = np.flatnonzero(block & self._free)
        outcome = self._known.outcome[np.ix_(fluents, lanes)] + self._salt[fluents, None]
        conditions = np.flatnonzero(block[self._speaks_of])
        asked = self._asked[np.ix_(conditions, lanes)] * self._salt[len(block) + conditions, None]
        words = scramble(outcome).sum(axis=0, dtype=np.uint64) + scramble(asked.astype(np.uint64)).sum(axis=0, dtype=np.uint64)
        _, numbers = np.unique(words, return_inverse=True)
        return numbers.reshape(-1).astype(np.int64)

    def _result(self, kind: Kind, labels: NDArray[np.int64], late: Bools | None = None) -> SubGames | None:
        names = np.unique(labels[self._free]).tolist()
        if len(names) < 2:
            return None
        numbers = np.where(self._free, np.searchsorted(names, labels), len(names))
        touched = np.zeros((len(self._known.conditions), len(names)), np.bool_)
        for number in range(len(names)):
            changing = self._changes[numbers == number].any(axis=0)
            touched[self._known.joint[changing], number] = True
        games = []
        for number, name in enumerate(names):
            fluents = np.flatnonzero(numbers == number)
            if kind is Kind.SIMULTANEOUS:
                moves = self._representatives(labels == name)
            elif late is not None:
                moves = np.flatnonzero(touched.any(axis=1) & (late == bool(number)))
            else:
                moves = np.flatnonzero(touched[:, number] & (touched.sum(axis=1) == 1))
            if not len(moves):
                return None
            timed = self._timed[fluents].any() or self._clocked[moves].any()
            same = np.zeros(0, np.int64)
            if kind is Kind.SIMULTANEOUS and self._known.joint.shape[1] == 1:
                same = np.full(len(touched), -1, np.int64)
                same[self._known.joint[:, 0]] = self._moves_in(labels == name, np.arange(len(self._known.joint)))
            games.append(SubGame(fluents, moves, bool(timed), same))
        made = np.isin(np.arange(len(touched)), self._known.joint)
        return SubGames(kind, tuple(games), np.flatnonzero(made & ~touched.any(axis=1)))

    def _representatives(self, block: Bools) -> NDArray[np.int64]:
        """Of each set of joint moves that are the same to a block, the moves of the first one that make a difference to it."""
        lanes = np.arange(len(self._known.joint))
        _, first = np.unique(self._moves_in(block, lanes), return_index=True)
        moves = self._known.joint[np.sort(first)]
        # Roles that have no choice are left out.
        chosen = [r for r in range(moves.shape[1]) if len(np.unique(self._known.joint[:, r])) > 1]
        return np.unique(moves[:, chosen]).astype(np.int64)

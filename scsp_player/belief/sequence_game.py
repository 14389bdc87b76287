"""A game with hidden information in sequence form: who decides where, knowing what, and what comes of it.

A *sequence* of a player is a list of its own decisions in the order in which it met them; the *information set* that it decides in
is what it has gone through. Ends of the match need no more than the sequences of all players that lead to them and the
probability of chance (Koller, Megiddo and von Stengel 1996), so the tree itself is forgotten layer by layer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scsp_player.belief.joint_moves import JointMoves, joint_moves, number_of_joint_moves
from scsp_player.belief.samples import States, Weights, sums
from scsp_player.belief.views import ViewArray, Views
from scsp_player.grounding.ground_game import GroundGame
from scsp_player.propnet import Propnet

Ints = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class SequenceGame:
    """All information sets and ends of a game.

    Sequences of all players are numbered together; sequence r is the empty one of player r.

    Attributes:
        players: roles of the players; chance has no place here.
        owner: int32[sets], the player (0 …) of each information set; sets come before those that lie below them.
        view: uint64[sets], what the owner has gone through.
        parent: int32[sets], the sequence that leads there.
        first: int32[sets], the sequences of its moves are first … first + count - 1.
        count: int32[sets].
        move: int32[sequences], global index of the last move; -1 for empty sequences.
        end_sequence: int32[ends, players].
        end_chance: float64[ends], probability of chance's part.
        end_score: float64[ends, players], scores from 0 to 1.
    """

    players: tuple[int, ...]
    owner: Ints
    view: ViewArray
    parent: Ints
    first: Ints
    count: Ints
    move: Ints
    end_sequence: Ints
    end_chance: Weights
    end_score: Weights


class _Builder:
    def __init__(self, game: GroundGame, propnet: Propnet) -> None:
        self.game = game
        self.propnet = propnet
        self.views = Views(game)
        self.players = [r for r in range(len(game.roles)) if r != game.random_role]
        self.sequences = len(self.players)
        self.sets: list[tuple[NDArray[np.int64], ViewArray, Ints, NDArray[np.int64], NDArray[np.int64]]] = []
        self.moves: list[Ints] = [np.full(self.sequences, -1, np.int32)]
        self.ends: list[tuple[Ints, Weights, Weights]] = []

    def end(self, sequence: Ints, chance: Weights, scores: NDArray[np.int32]) -> None:
        self.ends.append((sequence, chance, scores[:, self.players] / 100.0))

    def decide(self, place: int, views: ViewArray, legal: NDArray[np.bool_], sequence: Ints, found: JointMoves) -> Ints:
        """The sequences of one player after the joint moves of a layer: int32[n]."""
        role = self.players[place]
        begin = int(self.game.role_start[role])
        own = legal[:, begin : self.game.role_start[role + 1]]
        result: Ints = sequence[found.owner, place]
        choosing = np.flatnonzero(own.sum(axis=1) > 1)
        if not len(choosing):
            return result
        view, first, group = np.unique(views[choosing, role], return_index=True, return_inverse=True)
        options = np.zeros((len(view), own.shape[1]), np.bool_)
        np.logical_or.at(options, group.ravel(), own[choosing])
        counts = options.sum(axis=1)
        start = self.sequences + np.cumsum(counts) - counts
        self.sequences += int(counts.sum())
        owner = np.full(len(view), place)
        self.sets.append((owner, view, sequence[choosing[first], place], start, counts))
        self.moves.append((np.nonzero(options)[1] + begin).astype(np.int32))
        rank = np.cumsum(options, axis=1) - 1
        set_of = np.full(len(own), -1)
        set_of[choosing] = group.ravel()
        taken = set_of[found.owner]
        deciding = np.flatnonzero(taken >= 0)
        chosen = found.moves[deciding, role] - begin
        result[deciding] = start[taken[deciding]] + rank[taken[deciding], chosen]
        return result

    def game_of(self) -> SequenceGame:
        empty = np.zeros(0, np.int64)
        sets = [*self.sets, (empty, np.zeros(0, np.uint64), np.zeros(0, np.int32), empty, empty)]
        owner, view, parent, first, count = (np.concatenate(list(parts)) for parts in zip(*sets, strict=True))
        end_sequence, chance, score = (np.concatenate(list(parts)) for parts in zip(*self.ends, strict=True))
        # Ends that differ in nothing but what chance did are one.
        pairs, place = np.unique(np.concatenate([end_sequence, np.rint(score * 100)], axis=1), axis=0, return_inverse=True)
        width = len(self.players)
        return SequenceGame(
            tuple(self.players),
            owner.astype(np.int32),
            view.astype(np.uint64),
            parent.astype(np.int32),
            first.astype(np.int32),
            count.astype(np.int32),
            np.concatenate(self.moves),
            np.ascontiguousarray(pairs[:, :width].astype(np.int32)),
            sums(place, chance, len(pairs)),
            np.ascontiguousarray(pairs[:, width:] / 100.0),
        )


def sequence_game(
    game: GroundGame,
    propnet: Propnet,
    states: States,
    views: ViewArray,
    probabilities: Weights,
    *,
    work: int,
    expired: Callable[[], bool],
) -> SequenceGame | None:
    """The game from weighted states on, or None if it has more than ``work`` joint moves or time is up.

    Args:
        game: the game.
        propnet: its circuit.
        states: uint64[k, words], not terminal.
        views: uint64[k, roles], what the roles have gone through.
        probabilities: float64[k].
        work: joint moves to look at.
        expired: whether time is up.
    """
    builder = _Builder(game, propnet)
    sequence = np.tile(np.arange(len(builder.players), dtype=np.int32), (len(states), 1))
    chance = probabilities / probabilities.sum()
    terminal, legal, scores = propnet.evaluate(states)
    if terminal.any():
        return None
    while len(states):
        work -= int(min(number_of_joint_moves(game, legal).sum(), 1e15))
        if work < 0 or expired():
            return None
        found = joint_moves(game, legal)
        owner = found.owner
        after, shown = builder.views.observe(propnet, states[owner], found.moves)
        following = np.stack(
            [builder.decide(p, views, legal, sequence, found) for p in range(len(builder.players))], axis=1
        ).astype(np.int32)
        chance = chance[owner] * (found.share([game.random_role]) if game.random_role >= 0 else 1.0)
        states, views = after, builder.views.after(views[owner], found.moves, shown)
        # Sequences follow from views, so states with equal views are one.
        keys = np.ascontiguousarray(np.concatenate([states, views[:, builder.players]], axis=1))
        _, first, place = np.unique(keys.view(f"V{8 * keys.shape[1]}").ravel(), return_index=True, return_inverse=True)
        chance = sums(place, chance, len(first))
        states, views, sequence = states[first], views[first], following[first]
        terminal, legal, scores = propnet.evaluate(states)
        over = np.flatnonzero(terminal)
        builder.end(sequence[over], chance[over], scores[over])
        on = np.flatnonzero(~terminal)
        states, views, sequence, chance, legal = states[on], views[on], sequence[on], chance[on], legal[on]
    return builder.game_of()

"""Symmetries in a search: one node for all states that they take to each other, one move of those that lead to such states."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import GroundGame
from scsp_player.search import symmetry_kernels as kernels
from scsp_player.search.symmetry import MOST_IMAGES, Symmetries

BIT_NUMBER = np.zeros(64, np.int64)
"""The number of bit *i* of a word in the order in which kernels compute it: the upper six bits of 2^i times a constant."""
BIT_NUMBER[[((1 << bit) * 0x07EDD5E59A4E28C2 & (1 << 64) - 1) >> 58 for bit in range(64)]] = np.arange(64)


def bit_images(images: NDArray[np.int32]) -> NDArray[np.int32]:
    """int32[k, 64 * words]: images int32[k, fluents] of fluents, in the order in which kernels number the bits of words."""
    words = -(-images.shape[1] // 64)
    padded = np.zeros((len(images), 64 * words), np.int32)
    padded[:, : images.shape[1]] = images
    return np.ascontiguousarray(padded.reshape(len(images), words, 64)[:, :, BIT_NUMBER].reshape(len(images), -1))


class Frames(NamedTuple):
    """What symmetries do to moves, for kernels; number 0 is the identity.

    Attributes:
        moves: int32[order, moves], images of moves.
        product: int32[order, order]: entry (a, b) is the symmetry that does what b does, and then what a does.
    """

    moves: NDArray[np.int32]
    product: NDArray[np.int32]

    @classmethod
    def of(cls, elements: NDArray[np.int64], first_move: int) -> Frames:
        """The frames of a closed set of symmetries int64[order, fluents + moves], the identity first."""
        number = {element.tobytes(): i for i, element in enumerate(elements)}
        product = [[number[a[b].tobytes()] for b in elements] for a in elements]
        return cls((elements[:, first_move:] - first_move).astype(np.int32), np.array(product, np.int32))

    @classmethod
    def alone(cls, moves: int) -> Frames:
        """Where there is no symmetry but the identity."""
        return cls(np.arange(moves, dtype=np.int32)[None], np.zeros((1, 1), np.int32))


class Reduction:
    """What the symmetries of a game say of its states and moves.

    Attributes:
        order: how many symmetries there are, the identity included.
        frames: what they do to moves.
    """

    def __init__(self, game: GroundGame, elements: NDArray[np.int64]) -> None:
        """``elements`` int64[k, fluents + moves] are the symmetries, closed under composition but for the identity."""
        self.order = 1 + len(elements)
        self._fluents = game.fluents
        self._role_start = np.ascontiguousarray(game.role_start, np.int32)
        self._chance = int(game.random_role)
        self._images = bit_images(elements[:, : game.fluents].astype(np.int32))
        identity = np.arange(game.fluents + game.moves)[None]
        self.frames = Frames.of(np.concatenate([identity, elements[(elements != identity).any(axis=1)]]), game.fluents)
        self._moves: NDArray[np.int32] = (elements[:, game.fluents :] - game.fluents).astype(np.int32)
        self._scratch = np.zeros((2, game.state_words), np.uint64)

    @classmethod
    def of(cls, game: GroundGame, symmetries: Symmetries) -> Reduction | None:
        """What the symmetries are good for; None if there are none, or too many to try them all."""
        elements = symmetries.elements(MOST_IMAGES)
        return cls(game, np.array(elements[1:])) if elements is not None and len(elements) > 1 else None

    @classmethod
    def rehearsal(cls, game: GroundGame) -> Reduction:
        """One that changes nothing and uses all kernels."""
        return cls(game, np.arange(game.fluents + game.moves)[None])

    def canonical(self, states: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """The states uint64[k, words], each replaced by the first of its images."""
        return self.turned(states)[0]

    def turned(self, states: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
        """The same, and int32[k], the numbers of symmetries that do it."""
        states, turns = states.copy(), np.zeros(len(states), np.int32)
        kernels.make_canonical(states, turns, self._images, *self._scratch)
        return states, turns

    def thin(self, states: NDArray[np.uint64], legal: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Of the legal moves bool[k, moves] of states uint64[k, words], one of those that symmetries take to each other."""
        legal = legal.copy()
        kernels.thin(states, legal, self._images, self._moves, self._role_start, self._chance, self._scratch[0])
        return legal

    def turn(self, state: NDArray[np.uint64]) -> NDArray[np.int32] | None:
        """int32[moves]: what a symmetry that makes a state uint64[words] canonical makes of moves; None for the identity."""
        number = int(self.turned(state[None])[1][0])
        return None if number == 0 else self._moves[number - 1]

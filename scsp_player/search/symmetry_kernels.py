"""Kernels that make states that symmetries take to each other the same, and leave out moves that are the same then."""

from __future__ import annotations

from typing import Any

import numpy as np

from scsp_player.kernels import helper, kernel


@helper
def _make_image(states: Any, k: Any, images: Any, s: Any, image: Any) -> None:
    """``image`` uint64[words] becomes what symmetry ``s`` makes of ``states[k]``."""
    words = states.shape[1]
    for w in range(words):
        image[w] = 0
    for w in range(words):
        word = states[k, w]
        while word != np.uint64(0):
            low = word & (~word + np.uint64(1))
            # A single bit times this constant has its number in the six upper bits, in some order; see ``zobrist_hash``.
            to = images[s, 64 * w + np.int64((low * np.uint64(0x07EDD5E59A4E28C2)) >> np.uint64(58))]
            image[to >> 6] |= np.uint64(1) << np.uint64(to & 63)
            word ^= low


@kernel
def make_canonical(states: Any, turns: Any, images: Any, image: Any, least: Any) -> None:
    """Replace each of the states uint64[k, words] by its least image under the symmetries, a table of ``bit_images``.

    ``turns`` int32[k] becomes the number of the symmetry that does it, counted from 1; 0 for a state that is its least image.
    ``image`` and ``least``, uint64[words], are scratch.
    """
    words = states.shape[1]
    for k in range(states.shape[0]):
        for w in range(words):
            least[w] = states[k, w]
        turns[k] = 0
        for s in range(images.shape[0]):
            _make_image(states, k, images, s, image)
            for w in range(words):
                if image[w] != least[w]:
                    if image[w] < least[w]:
                        turns[k] = s + 1
                        for v in range(w, words):
                            least[v] = image[v]
                    break
        for w in range(words):
            states[k, w] = least[w]


@kernel
def thin(states: Any, legal: Any, images: Any, moves: Any, role_start: Any, chance: int, image: Any) -> None:
    """Leave one of the moves that symmetries of a state take to each other, where one role alone has a choice.

    Args:
        states: uint64[k, words].
        legal: bool[k, moves], the legal moves; the first of each orbit stays. Chance keeps its moves: their number is their weight.
        images: a table of ``bit_images``.
        moves: int32[n, moves], what symmetries make of moves.
        role_start: int32[roles + 1], where the moves of each role begin.
        chance: the role that is chance, or -1.
        image: uint64[words], scratch.
    """
    roles = role_start.size - 1
    for k in range(states.shape[0]):
        chooser = -1
        choosers = 0
        for role in range(roles):
            number = 0
            for move in range(role_start[role], role_start[role + 1]):
                number += legal[k, move]
            if number > 1:
                chooser = role
                choosers += 1
        if choosers != 1 or chooser == chance:
            continue
        for s in range(images.shape[0]):
            _make_image(states, k, images, s, image)
            same = True
            for w in range(image.size):
                same = same and image[w] == states[k, w]
            if same:
                for move in range(role_start[chooser], role_start[chooser + 1]):
                    if legal[k, move] and moves[s, move] < move:
                        legal[k, move] = False

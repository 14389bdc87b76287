"""What a network says of many states at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Answers:
    """States and all there is to know about them before a move.

    Attributes:
        states: uint64[k, words].
        terminal: bool[k], whether the match is over.
        legal: bool[k, moves], what the rules call legal.
        scores: int32[k, roles], 0 where the rules give a role no score or several.
    """

    states: NDArray[np.uint64]
    terminal: NDArray[np.bool_]
    legal: NDArray[np.bool_]
    scores: NDArray[np.int32]

    @classmethod
    def joined(cls, parts: Sequence[Answers]) -> Answers:
        """Several one after the other; at least one."""
        if len(parts) == 1:
            return parts[0]
        names = ("states", "terminal", "legal", "scores")
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


@dataclass(frozen=True, eq=False)
class Expansion:
    """All joint moves of a state.

    Attributes:
        legal: bool[moves], what is legal in the state.
        joint: int32[k, roles], all combinations of legal moves (global indices), those of the last role varying fastest.
        after: what there is to know about the state after each.
    """

    legal: NDArray[np.bool_]
    joint: NDArray[np.int32]
    after: Answers

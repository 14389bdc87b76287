"""The best line of moves that the searches for puzzles have found."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass
class BestLine:
    """Joint moves from a state to the end of the match, and what they score.

    Attributes:
        possible: the highest score that there may be; reaching it ends every search.
        score: of the line, -1 if there is none.
        moves: int32[length, roles], global move indices.
        certain: whether no line scores more.
        shortest: whether it is proved that no line that scores as much is shorter.
    """

    possible: float
    score: float = -1.0
    moves: NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 1), np.int32))
    certain: bool = False
    shortest: bool = False

    def offer(self, score: float, moves: NDArray[np.int32]) -> bool:
        """Take a line if it scores more than the one that is known, or as much in fewer moves."""
        if score < self.score or (score == self.score and len(moves) >= len(self.moves)):
            return False
        self.score, self.moves, self.shortest = score, moves, False
        self.certain = bool(self.certain or score >= self.possible)
        return True

    def limit(self, possible: float) -> None:
        """No line can score more than that."""
        self.possible = min(self.possible, possible)
        self.certain = bool(self.certain or self.score >= self.possible)

"""How a search spends its time, and what it reports."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SearchSettings:
    """How the search spends its time.

    Attributes:
        exploration: C in mean/100 + C·sqrt(ln n / n_i).
        amaf: squared bias of what a move was worth that was made at any time below a node (all moves as first, see
            ``amaf_kernels``), measured in variances of the mean of one leaf; 0 for not to look at that.
        first_play: value of a move never tried, as an addition to its node's mean; 1000 or more: every move is tried once.
        playouts: random games a leaf.
        batch: most leaves in flight.
        depth_limit: longest playout in joint moves; longer ones score 0 for everybody.
        prove: whether values of decided subtrees are backed up exactly.
        lookahead: share of the cost of its playouts that looking for ends one move below a new node may take; 0 for never.
        serious: only moves with at least this share of the visits of the most visited one can be played.
        symmetries: whether states that symmetries of the game take to each other are one.
        leaves: leaves after which thinking about a move ends even if time is left; None for no such bound.
        memory_bytes: when the graph is larger, what is rarely visited is forgotten.
    """

    exploration: float = 0.4
    amaf: float = 0.0
    first_play: float = 1000.0
    playouts: int = 64
    batch: int = 32
    depth_limit: int = 1000
    prove: bool = True
    lookahead: float = 0.25
    serious: float = 0.1
    symmetries: bool = True
    leaves: int | None = None
    memory_bytes: int = 1 << 29


@dataclass(frozen=True)
class MoveStatistics:
    """What the search knows about one of our moves: global move index, visits, mean score (0-100), and whether it is proven."""

    move: int
    visits: int
    mean: float
    proven: bool

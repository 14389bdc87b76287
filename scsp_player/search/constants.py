"""Codes shared by the search graph and its kernels."""

from typing import Final

UNEVALUATED: Final = 0
"""Status of a node whose state is known but that was never visited."""
LEAF: Final = 1
"""Status of a node that was evaluated but whose legal moves are not listed."""
EXPANDED: Final = 2
"""Status of a node whose legal moves are listed."""
TERMINAL: Final = 3
"""Status of a terminal node; its scores are exact."""

KIND_KNOWN: Final = 0
"""A path that ends in a node with exact scores."""
KIND_EXPAND: Final = 1
"""A path that ends in a node whose legal moves are needed."""
KIND_NEW: Final = 2
"""A path whose last joint move leads to a state never visited."""
KIND_STUCK: Final = 3
"""A path that cannot go on: a role has no legal move, the path is too long, or there is no memory for its last node's moves."""
KIND_CYCLE: Final = 4
"""A path whose last joint move leads to a state that the path has visited already."""
KIND_DROPPED: Final = 5
"""A path that duplicates another one of the same batch."""

OUTCOMES_IN_TURN: Final = 64
"""Chance's outcomes are visited in turn, and weighed exactly, if there are at most so many; above, they are drawn."""

SIMULTANEOUS_EXPLORATION: Final = 0.4
"""C where several roles choose at the same time is no smaller: best play may have to mix moves."""

NOBODY: Final = -1
"""Chooser of a node in which no role, chance aside, has several moves."""
SEVERAL: Final = -2
"""Chooser of a node in which several roles have several moves."""

# Entries of ``GraphArrays.used``: how many there are.
NODES: Final = 0
MOVES: Final = 1
EDGES: Final = 2
PATHS: Final = 3
PENDING: Final = 4
COUNTS: Final = 5

# Entries of ``GraphArrays.fact``.
CHANCE: Final = 0
"""The role that is chance, or -1."""
PLAYING: Final = 1
"""Number of roles, chance aside."""
PROVE: Final = 2
"""1 if values are to be proven."""
JOINT_LIMIT: Final = 3
"""Nodes with more joint moves and several choosers are never proven from their children."""
SUM: Final = 4
"""The sum of all scores in every terminal state so far (chance aside), or one of the codes below."""
FACTS: Final = 5
SUM_UNKNOWN: Final = -(1 << 40)
SUM_VARIES: Final = -(1 << 41)

# Rows of ``GraphArrays.goal``.
MOST: Final = 0
"""The highest score that each role's goals mention."""
LEAST: Final = 1
"""The lowest."""
VALUE: Final = 2
"""Scratch of proofs."""

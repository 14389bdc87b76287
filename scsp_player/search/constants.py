"""Codes shared by the search tree and its kernels."""

from typing import Final

LEAF: Final = 0
"""Status of a node that was evaluated by playouts but whose legal moves are not listed yet."""
EXPANDED: Final = 1
"""Status of a node whose legal moves are listed."""
TERMINAL: Final = 2
"""Status of a terminal node; its scores are exact."""
UNEVALUATED: Final = 3
"""Status of a node whose state is known (from its parent's solutions) but that was never visited."""

KIND_KNOWN: Final = 0
"""A path that ends in a node with exact scores."""
KIND_EXPAND: Final = 1
"""A path that ends in a node whose legal moves are needed."""
KIND_NEW: Final = 2
"""A path whose last joint move leads to a state never visited."""
KIND_STUCK: Final = 3
"""A path that cannot go on: a role has no legal move, or the path is too long."""
KIND_DROPPED: Final = 4
"""A path that duplicates another one of the same batch."""

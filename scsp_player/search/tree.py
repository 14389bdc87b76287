"""The search tree over states: flat arrays that grow, and the numbered steps of one batch of UCB."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import GroundGame
from scsp_player.search import tree_kernels
from scsp_player.search.constants import EXPANDED, LEAF, TERMINAL, UNEVALUATED

JOINT_LIMIT = 4096
"""Nodes with more joint moves than this are never proven from their children (the check would cost too much)."""

PATH_LIMIT = 512
"""Longest path in joint moves; a longer one is evaluated where it stands."""


class SearchTree:
    """Nodes (states), their statistics for every role and move, and the edges between them.

    A node owns, for each role, a slice of the *move arena*: the role's legal moves with visits and total score, so UCB is
    decoupled: every role chooses for itself, also when moves are simultaneous. Several nodes may be roots (a belief).

    Attributes:
        states: uint64[capacity, words].
        status: int8[capacity], see ``search.constants``.
        proven: bool[capacity], whether ``exact`` holds the value under best play.
        exact: float64[capacity, roles], scores of terminal and proven nodes.
        parent: int32[capacity], -1 for roots.
        node_visits: int32[capacity].
        legal_count, stat_start: int32/int64[capacity, roles], each role's slice of the move arena.
        stat_move, stat_visits: int32[arena]; stat_total: float64[arena], scores 0-100 added up.
        nodes: number of nodes in use; moves_used: entries of the arena in use; edges: entries of the edge table in use.
    """

    def __init__(self, game: GroundGame, capacity: int = 4096) -> None:
        self.game = game
        self.roles = len(game.roles)
        self.nodes = 0
        self.moves_used = 0
        self.edges = 0
        self.states: NDArray[np.uint64] = np.zeros((capacity, game.state_words), dtype=np.uint64)
        self.status: NDArray[np.int8] = np.zeros(capacity, dtype=np.int8)
        self.proven: NDArray[np.bool_] = np.zeros(capacity, dtype=np.bool_)
        self.has_proven_child: NDArray[np.bool_] = np.zeros(capacity, dtype=np.bool_)
        self.exact: NDArray[np.float64] = np.zeros((capacity, self.roles))
        self.parent: NDArray[np.int32] = np.full(capacity, -1, dtype=np.int32)
        self.node_visits: NDArray[np.int32] = np.zeros(capacity, dtype=np.int32)
        self.legal_count: NDArray[np.int32] = np.zeros((capacity, self.roles), dtype=np.int32)
        self.stat_start: NDArray[np.int64] = np.zeros((capacity, self.roles), dtype=np.int64)
        self.stat_move: NDArray[np.int32] = np.zeros(4 * capacity, dtype=np.int32)
        self.stat_visits: NDArray[np.int32] = np.zeros(4 * capacity, dtype=np.int32)
        self.stat_total: NDArray[np.float64] = np.zeros(4 * capacity)
        self._new_edges(8 * capacity)

    def _new_edges(self, least: int) -> None:
        size = 1 << (least - 1).bit_length()
        self.edge_node: NDArray[np.int32] = np.full(size, -1, dtype=np.int32)
        self.edge_code: NDArray[np.int64] = np.zeros(size, dtype=np.int64)
        self.edge_child: NDArray[np.int32] = np.zeros(size, dtype=np.int32)

    @property
    def bytes_used(self) -> int:
        """Bytes of all arrays as allocated."""
        return sum(a.nbytes for a in vars(self).values() if isinstance(a, np.ndarray))

    def add_nodes(self, states: NDArray[np.uint64], parent: NDArray[np.int32]) -> NDArray[np.int32]:
        """Append unevaluated nodes: states uint64[k, words], parent int32[k] (-1 for a root); returns their numbers int32[k]."""
        first, count = self.nodes, len(states)
        if first + count > len(self.status):
            self._grow_nodes(first + count)
        span = slice(first, first + count)
        self.states[span] = states
        self.status[span] = UNEVALUATED
        self.proven[span] = False
        self.has_proven_child[span] = False
        self.parent[span] = parent
        self.node_visits[span] = 0
        self.legal_count[span] = 0
        self.nodes += count
        return np.arange(first, first + count, dtype=np.int32)

    def link(self, nodes: NDArray[np.int32], codes: NDArray[np.int64], children: NDArray[np.int32]) -> None:
        """Record that joint move ``codes[i]`` leads from ``nodes[i]`` to ``children[i]``."""
        self.edges += len(children)
        if 2 * self.edges > len(self.edge_node):
            old = self.edge_node, self.edge_code, self.edge_child
            self._new_edges(4 * self.edges)
            same = np.arange(self.nodes, dtype=np.int32)
            tree_kernels.copy_edges(same, *old, self.edge_node, self.edge_code, self.edge_child)
        tree_kernels.link_children(self.edge_node, self.edge_code, self.edge_child, nodes, codes, children)

    def child(self, node: int, code: int) -> int:
        """The child reached by joint move ``code``, or -1."""
        return int(tree_kernels.find_child(self.edge_node, self.edge_code, self.edge_child, node, code))

    def set_outcome(self, nodes: NDArray[np.int32], terminal: NDArray[np.bool_], scores: NDArray[np.int32]) -> None:
        """Mark evaluated nodes as leaves or terminal: terminal bool[k], scores int32[k, roles] (used where terminal)."""
        self.status[nodes] = np.where(terminal, TERMINAL, LEAF)
        self.proven[nodes] = terminal
        self.exact[nodes] = scores

    def expand(self, nodes: NDArray[np.int32], legal: NDArray[np.bool_]) -> None:
        """List the legal moves (bool[k, moves]) of ``nodes`` int32[k]."""
        needed = self.moves_used + int(legal.sum())
        if needed > len(self.stat_move):
            self._grow_moves(needed)
        begin = self.moves_used
        self.moves_used = tree_kernels.add_legal_moves(
            nodes, legal, self.game.role_start, self.legal_count, self.stat_start, self.stat_move, self.status, begin
        )
        self.stat_visits[begin : self.moves_used] = 0
        self.stat_total[begin : self.moves_used] = 0.0

    def moves_of(self, node: int, role: int) -> NDArray[np.int32]:
        """Global move indices of a role's legal moves at an expanded node, int32[count]."""
        start = int(self.stat_start[node, role])
        return self.stat_move[start : start + int(self.legal_count[node, role])]

    def codes_of(self, node: int, joint_moves: NDArray[np.int32]) -> NDArray[np.int64]:
        """Codes int64[n] of joint moves (global move indices int32[n, roles]) at an expanded node; -1 for those not legal."""
        codes = np.zeros(len(joint_moves), dtype=np.int64)
        legal = np.ones(len(joint_moves), dtype=np.bool_)
        for role in range(self.roles):
            moves = self.moves_of(node, role)
            position = np.minimum(np.searchsorted(moves, joint_moves[:, role]), len(moves) - 1)
            legal &= moves[position] == joint_moves[:, role]
            codes = codes * len(moves) + position
        return np.where(legal, codes, -1)

    def keep_subtree(self, root: int) -> SearchTree:
        """A new tree that holds ``root`` (as node 0) and all that hangs below it, statistics included."""
        number = tree_kernels.number_subtree(root, self.parent[: self.nodes])
        kept = np.flatnonzero(number >= 0)
        tree = SearchTree(self.game, capacity=max(4096, 2 * len(kept)))
        tree.nodes = len(kept)
        for name in ("states", "status", "proven", "has_proven_child", "exact", "node_visits", "legal_count"):
            getattr(tree, name)[: tree.nodes] = getattr(self, name)[kept]
        tree.parent[: tree.nodes] = number[self.parent[kept]]
        tree.parent[0] = -1
        tree._copy_moves(self, kept)
        inside = (self.edge_node >= 0) & (number[self.edge_node] >= 0)
        tree.edges = int(inside.sum())
        if 2 * tree.edges > len(tree.edge_node):
            tree._new_edges(4 * tree.edges)
        tree_kernels.copy_edges(
            number, self.edge_node, self.edge_code, self.edge_child, tree.edge_node, tree.edge_code, tree.edge_child
        )
        return tree

    def _copy_moves(self, source: SearchTree, kept: NDArray[np.intp]) -> None:
        counts = source.legal_count[kept].astype(np.int64).ravel()
        starts = np.concatenate(([0], np.cumsum(counts)))
        self.stat_start[: self.nodes] = starts[:-1].reshape(self.nodes, self.roles)
        self.moves_used = int(starts[-1])
        if self.moves_used > len(self.stat_move):
            self._grow_moves(self.moves_used)
        offset = np.repeat(source.stat_start[kept].ravel() - starts[:-1], counts)
        index = np.arange(self.moves_used) + offset
        for name in ("stat_move", "stat_visits", "stat_total"):
            getattr(self, name)[: self.moves_used] = getattr(source, name)[index]

    def _grow_nodes(self, needed: int) -> None:
        size = max(needed, 2 * len(self.status))
        for name in (
            "states",
            "status",
            "proven",
            "has_proven_child",
            "exact",
            "parent",
            "node_visits",
            "legal_count",
            "stat_start",
        ):
            setattr(self, name, _grown(getattr(self, name), size))

    def _grow_moves(self, needed: int) -> None:
        size = max(needed, 2 * len(self.stat_move))
        for name in ("stat_move", "stat_visits", "stat_total"):
            setattr(self, name, _grown(getattr(self, name), size))

    def is_expanded(self, node: int) -> bool:
        """Whether the legal moves of ``node`` are listed."""
        return bool(self.status[node] == EXPANDED)


def _grown(array: NDArray[Any], size: int) -> NDArray[Any]:
    larger = np.zeros((size, *array.shape[1:]), dtype=array.dtype)
    larger[: len(array)] = array
    return larger

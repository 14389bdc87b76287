"""The search graph over states: flat arrays that kernels fill, bounded in size, pruned when they are full."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import GroundGame
from scsp_player.search import graph_kernels, proof_kernels
from scsp_player.search.constants import (
    CHANCE,
    COUNTS,
    EDGES,
    EXPANDED,
    FACTS,
    JOINT_LIMIT,
    MOVES,
    NODES,
    PLAYING,
    PROVE,
    SUM,
    SUM_UNKNOWN,
)

PATH_LIMIT = 512
"""Longest path in joint moves; a longer one is evaluated where it stands."""

MOST_JOINT_MOVES = 4096
"""Nodes with more joint moves than this in which several roles choose are never proven from their children."""

FIRST_TABLE = 1 << 12
"""Slots of the hash tables at the beginning."""

NODE = np.dtype(
    [
        ("hash", np.uint64),  # exclusive or of the words of the state's fluents
        ("stamp", np.int64),  # number of the last path through the node
        ("visits", np.int32),
        ("parents", np.int32),  # the last edge that leads to the node, -1 for none
        ("status", np.int8),  # see ``constants``
        ("chooser", np.int8),  # the only role with a choice, chance aside, or ``NOBODY`` or ``SEVERAL``; of expanded nodes
        ("proven", np.int8),  # 1 if ``exact`` holds the value under best play
        ("floored", np.int8),  # 1 if ``exact`` holds the value of the best proven move of the only chooser
    ],
    align=True,
)
MOVE = np.dtype(
    [
        ("total", np.float64),  # sum of the scores 0-100 of the role that moves
        ("move", np.int32),  # global move index
        ("visits", np.int32),
        ("exact", np.float32),  # expectation of the node's only chooser after this move once it is proven, else nan
        ("bound", np.float32),  # the most that it can be, as far as is proven
        ("amaf_total", np.float32),  # sum of the mean scores of playouts below the node in which the move was made at any time
        ("amaf_visits", np.float32),  # how many these are, in leaves
    ],
    align=True,
)
EDGE = np.dtype(
    [
        ("code", np.int64),  # the joint move
        ("node", np.int32),
        ("child", np.int32),
        ("visits", np.int32),
        ("next", np.int32),  # the next edge that leads to the same child, -1 for none
        ("turn", np.int32),  # number of the symmetry that takes the successor to the child, see ``Reduction``
    ],
    align=True,
)


class GraphArrays(NamedTuple):
    """Everything that kernels know of the graph.

    A node owns, for each role, a slice of the *move arena*: the role's legal moves with visits and total score, so UCB is
    decoupled: every role chooses for itself, also when moves are simultaneous. Equal states are one node, however they are reached.

    Attributes:
        used: int64[COUNTS], how much of the arrays is in use; fact: int64[FACTS]; goal: float64[3, roles]; see ``constants``.
        zobrist: uint64[words, 64], a random word for each fluent.
        state: uint64[nodes, words].
        node: ``NODE``[nodes].
        exact: float64[nodes, roles], scores of terminal and proven nodes; of others what their chooser can make sure of.
        total: float64[nodes, roles], sums of the scores 0-100 found by the node's visits.
        first: int64[nodes, roles + 1], where the moves of each role begin in the arena, and the end; of expanded nodes.
        move: ``MOVE``[moves], the arena.
        edge: ``EDGE``[edges].
        stack: int32[edges], edges that lead to children of which something was proven, and have not been looked at since.
        node_table, edge_table: int32[2^n], open addressing: 1 + number, 0 for an empty slot.
    """

    used: NDArray[np.int64]
    fact: NDArray[np.int64]
    goal: NDArray[np.float64]
    zobrist: NDArray[np.uint64]
    state: NDArray[np.uint64]
    node: NDArray[np.void]
    exact: NDArray[np.float64]
    total: NDArray[np.float64]
    first: NDArray[np.int64]
    move: NDArray[np.void]
    edge: NDArray[np.void]
    stack: NDArray[np.int32]
    node_table: NDArray[np.int32]
    edge_table: NDArray[np.int32]


class SearchGraph:
    """Nodes (states), their statistics for every role and move, and the edges between them.

    The arrays have room for ``memory_bytes`` in all from the beginning; pages that are never touched cost nothing.

    Attributes:
        arrays: what kernels get. The tables in it are replaced as they grow.
        memory_bytes: how much may be in use before ``full`` is true.
    """

    def __init__(self, game: GroundGame, memory_bytes: int = 1 << 29, *, prove: bool = True, seed: int = 0) -> None:
        self.game = game
        self.memory_bytes = memory_bytes
        self.roles = roles = len(game.roles)
        self._unit = {
            NODES: NODE.itemsize + 8 * (game.state_words + 3 * roles + 1),
            MOVES: MOVE.itemsize,
            EDGES: EDGE.itemsize + 4,
        }
        nodes, moves, edges = (min(max(64, memory_bytes // unit), 1 << 30) for unit in self._unit.values())
        goals = [game.goal_value[game.goal_role == role].tolist() for role in range(roles)]
        fact = np.zeros(FACTS, np.int64)
        fact[[CHANCE, PLAYING, PROVE, JOINT_LIMIT]] = game.random_role, roles - (game.random_role >= 0), prove, MOST_JOINT_MOVES
        fact[SUM] = SUM_UNKNOWN
        self.arrays = GraphArrays(
            used=np.zeros(COUNTS, np.int64),
            fact=fact,
            goal=np.array([*([limit(g, default=0) for g in goals] for limit in (max, min)), [0] * roles], float),
            zobrist=np.random.default_rng(seed).integers(1, 2**64, size=(game.state_words, 64), dtype=np.uint64),
            state=np.zeros((nodes, game.state_words), np.uint64),
            node=np.zeros(nodes, NODE),
            exact=np.zeros((nodes, roles)),
            total=np.zeros((nodes, roles)),
            first=np.zeros((nodes, roles + 1), np.int64),
            move=np.zeros(moves, MOVE),
            edge=np.zeros(edges, EDGE),
            stack=np.zeros(edges, np.int32),
            node_table=np.zeros(FIRST_TABLE, np.int32),
            edge_table=np.zeros(FIRST_TABLE, np.int32),
        )

    @property
    def nodes(self) -> int:
        """Number of nodes in use."""
        return int(self.arrays.used[NODES])

    @property
    def edges(self) -> int:
        """Number of edges in use."""
        return int(self.arrays.used[EDGES])

    @property
    def bytes_used(self) -> int:
        """Bytes of all entries in use."""
        return sum(int(self.arrays.used[counter]) * unit for counter, unit in self._unit.items())

    @property
    def full(self) -> bool:
        """Whether it is time to prune."""
        return self.bytes_used > self.memory_bytes

    def reserve(self, nodes: int, edges: int) -> None:
        """Make the tables large enough for so many more nodes and edges."""
        tables = self.arrays.node_table, self.arrays.edge_table
        wanted = self.nodes + nodes, self.edges + edges
        sizes = [4 * number if 2 * number > len(table) else len(table) for number, table in zip(wanted, tables, strict=True)]
        if sizes != [len(table) for table in tables]:
            self._rebuild(sizes)

    def _rebuild(self, sizes: list[int]) -> None:
        node_table, edge_table = (np.zeros(1 << max(12, (size - 1).bit_length()), np.int32) for size in sizes)
        self.arrays = self.arrays._replace(node_table=node_table, edge_table=edge_table)
        graph_kernels.rebuild_tables(self.arrays)

    def obtain(self, states: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The nodes int64[k] of states uint64[k, words], made unevaluated where there were none; -1 where there is no room."""
        self.reserve(len(states), 0)
        nodes = np.empty(len(states), np.int64)
        graph_kernels.obtain_nodes(self.arrays, np.ascontiguousarray(states), nodes)
        return nodes

    def slots(self, node: int, role: int) -> slice:
        """The part of the move arena that holds a role's legal moves at an expanded node, ascending."""
        return slice(int(self.arrays.first[node, role]), int(self.arrays.first[node, role + 1]))

    def moves_of(self, node: int, role: int) -> NDArray[np.int32]:
        """Global move indices of a role's legal moves at an expanded node, int32[count]."""
        moves: NDArray[np.int32] = self.arrays.move["move"][self.slots(node, role)]
        return moves

    def prune(self, roots: NDArray[np.int64]) -> NDArray[np.int64]:
        """Forget what cannot be reached from the roots int64[k], and rarely visited nodes, until half of the memory is free.

        Returns the new numbers of the roots.
        """
        proof_kernels.settle(self.arrays)
        kept = np.zeros(self.nodes, np.bool_)
        least = 0
        while True:
            graph_kernels.mark_reachable(self.arrays, roots, least, kept)
            if least > (1 << 30) or self._bytes_of(kept) <= self.memory_bytes // 2:
                break
            least = 2 * max(1, least)
        number = np.cumsum(kept) - 1
        self._compact(np.flatnonzero(kept), kept, number)
        new_roots: NDArray[np.int64] = number[roots]
        return new_roots

    def _bytes_of(self, kept: NDArray[np.bool_]) -> int:
        numbers = np.flatnonzero(kept)
        moves, edges = int(self._move_counts(numbers).sum()), int(self._edges_between(kept).sum())
        return len(numbers) * self._unit[NODES] + moves * self._unit[MOVES] + edges * self._unit[EDGES]

    def _move_counts(self, nodes: NDArray[np.intp]) -> NDArray[np.int64]:
        """int64[k]: how much of the move arena each of the nodes owns."""
        first = self.arrays.first[nodes]
        return np.where(self.arrays.node["status"][nodes] == EXPANDED, first[:, -1] - first[:, 0], 0)

    def _edges_between(self, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """bool[edges]: which edges lead from a kept node to a kept node."""
        edges = self.arrays.edge[: self.edges]
        between: NDArray[np.bool_] = kept[edges["node"]] & kept[edges["child"]]
        return between

    def _compact(self, kept: NDArray[np.intp], is_kept: NDArray[np.bool_], number: NDArray[np.intp]) -> None:
        """Move what is kept to the front of all arrays; ``number`` are the nodes' new numbers."""
        g = self.arrays
        between = np.flatnonzero(self._edges_between(is_kept))
        edges = g.edge[between]
        edges["node"], edges["child"] = number[edges["node"]], number[edges["child"]]
        g.edge[: len(edges)] = edges
        counts = self._move_counts(kept)
        starts = np.cumsum(counts) - counts
        moves = int(counts.sum())
        old = g.first[kept, 0]
        g.move[:moves] = g.move[np.arange(moves) + np.repeat(old - starts, counts)]
        first = g.first[kept] + (starts - old)[:, None]
        for array in (g.state, g.node, g.exact, g.total):
            array[: len(kept)] = array[kept]
        g.first[: len(kept)] = first
        g.used[[NODES, MOVES, EDGES]] = len(kept), moves, len(edges)
        self._rebuild([4 * len(kept), 4 * len(edges)])

"""MAC-UCB: upper confidence bounds over the solution policies of micro-SCSPs, fed by bit-parallel playouts.

After WoodStock (Koriche, Lagrue, Piette, Tabary), with the search as a tree with backup instead of one global list, one UCB a
role, chance sampled below the joint moves, and proven values. The same class with one playout a leaf and a propnet expander is
classical UCT (Kocsis, Szepesvári 2006).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import GroundGame
from scsp_player.propnet import Propnet
from scsp_player.search import tree_kernels
from scsp_player.search.constants import KIND_DROPPED, KIND_EXPAND, KIND_NEW, KIND_STUCK, UNEVALUATED
from scsp_player.search.expansion import Expander
from scsp_player.search.tree import JOINT_LIMIT, PATH_LIMIT, SearchTree

ROOT_LIMIT = 256
"""Most states of a belief that become roots; of a larger belief, this many are drawn."""


@dataclass(frozen=True)
class SearchSettings:
    """How the search spends its time.

    Attributes:
        exploration: C in mean/100 + C·sqrt(ln n / n_i).
        playouts: random games a leaf.
        batch: most leaves in flight.
        depth_limit: longest playout in joint moves; longer ones score 0 for everybody.
        prove: whether values of decided subtrees are backed up exactly.
        memory_bytes: when the tree is larger, it stops growing (statistics go on).
    """

    exploration: float = 0.4
    playouts: int = 64
    batch: int = 16
    depth_limit: int = 1000
    prove: bool = True
    memory_bytes: int = 1 << 30


@dataclass(frozen=True)
class MoveStatistics:
    """What the search knows about one of our moves: global move index, visits, mean score (0-100), and whether it is proven."""

    move: int
    visits: int
    mean: float
    proven: bool


class MacUcb:
    """A search for one role; ``set_roots`` or ``advance``, then ``think``, then ``best_move``."""

    def __init__(
        self,
        game: GroundGame,
        propnet: Propnet,
        expander: Expander,
        role: int,
        *,
        settings: SearchSettings | None = None,
        seed: int = 0,
    ) -> None:
        self.game = game
        self.role = role
        self.settings = settings or SearchSettings()
        self.leaves = 0
        self._propnet = propnet
        self._expander = expander
        self._generator = np.random.default_rng(seed)
        self._kernel_generator = self._generator.integers(0, 2**63, size=1, dtype=np.uint64)
        roles = len(game.roles)
        self._best_scores = np.array([game.goal_value[game.goal_role == r].max(initial=0) for r in range(roles)], dtype=np.float64)
        self.set_roots(game.initial_state[None], np.ones(1))

    def set_roots(self, states: NDArray[np.uint64], probabilities: NDArray[np.float64]) -> None:
        """Start afresh from a belief: uint64[k, words] and float64[k] summing to 1."""
        if len(states) > ROOT_LIMIT:
            picked = self._generator.choice(len(states), size=ROOT_LIMIT, p=probabilities)
            numbers, counts = np.unique(picked, return_counts=True)
            states, probabilities = states[numbers], counts / ROOT_LIMIT
        self.tree = SearchTree(self.game)
        roots = self.tree.add_nodes(states, np.full(len(states), -1, dtype=np.int32))
        self._use_roots(roots, probabilities)

    def _use_roots(self, roots: NDArray[np.int32], probabilities: NDArray[np.float64]) -> None:
        self._roots = roots
        self._cumulative = np.cumsum(probabilities)
        fresh = roots[self.tree.status[roots] == UNEVALUATED]
        if len(fresh):
            terminal, _, scores = self._propnet.evaluate(self.tree.states[fresh])
            self.tree.set_outcome(fresh, terminal, scores)
        unlisted = np.array([r for r in roots if not self.tree.is_expanded(r) and not self._is_over(r)], dtype=np.int32)
        self._expand(unlisted)
        self._share_moves()

    def _is_over(self, node: int) -> bool:
        return bool(self.tree.proven[node]) and not self.tree.is_expanded(node)

    def _share_moves(self) -> None:
        """One list of our legal moves for all roots: those that are legal in every possible state (else the most widely legal)."""
        live = [int(r) for r in self._roots if self.tree.is_expanded(r)]
        counts = np.zeros(self.game.moves, dtype=np.int64)
        for root in live:
            counts[self.tree.moves_of(root, self.role)] += 1
        self._candidates = np.flatnonzero((counts == counts.max(initial=0)) & (counts > 0)).astype(np.int32)
        self._shares = len(live) > 1 and all(len(self.tree.moves_of(r, self.role)) == len(self._candidates) for r in live)
        self._shared_visits = np.zeros(len(self._candidates), dtype=np.int32)
        self._shared_total = np.zeros(len(self._candidates))

    def advance(self, joint_move: NDArray[np.int32]) -> None:
        """All roles have moved (global indices int32[roles]) and the state was known: keep what was learnt below that move.

        Raises:
            ValueError: if there are several possible states.
        """
        if len(self._roots) != 1:
            raise ValueError("the state is not known: give the new belief to set_roots")
        root = int(self._roots[0])
        code = int(self.tree.codes_of(root, joint_move[None])[0]) if self.tree.is_expanded(root) else -1
        child = self.tree.child(root, code) if code >= 0 else -1
        if child < 0:
            successor = self._propnet.successors(self.tree.states[root][None], joint_move[None])
            self.set_roots(successor, np.ones(1))
            return
        self.tree = self.tree.keep_subtree(child)
        self._use_roots(np.zeros(1, dtype=np.int32), np.ones(1))

    def think(self, deadline: float, report: Callable[[int], None] | None = None, *, leaves: int | None = None) -> None:
        """Search until ``deadline`` (``time.monotonic``), until ``leaves`` more leaves are evaluated, or until nothing is open.

        Args:
            deadline: when to stop at the latest; the last batch is planned to end before it.
            report: called now and then with the best move so far (global index).
            leaves: a bound on work instead of time, for reproducible runs.
        """
        if len(self._candidates) == 0:
            return
        target = None if leaves is None else self.leaves + leaves
        batch = 1
        next_report = time.monotonic()
        while target is None or self.leaves < target:
            start = time.monotonic()
            if self._decided():
                break
            self._run_batch(batch)
            end = time.monotonic()
            if report is not None and end >= next_report:
                report(self.best_move())
                next_report = end + 0.05
            if end + 1.5 * (end - start) >= deadline:
                break
            # Batches grow while they stay short beside what is left, so that slow games keep to the clock too.
            if batch < self.settings.batch and end - start < 0.02 * (deadline - end):
                batch = min(2 * batch, self.settings.batch)
            elif batch > 1 and end - start > 0.1 * (deadline - end):
                batch //= 2
        if report is not None:
            report(self.best_move())

    def _decided(self) -> bool:
        return len(self._roots) == 1 and bool(self.tree.proven[self._roots[0]])

    def _run_batch(self, rows: int) -> None:
        tree, settings = self.tree, self.settings
        roles = tree.roles
        path_node = np.zeros((rows, PATH_LIMIT), dtype=np.int32)
        path_slot = np.zeros((rows, PATH_LIMIT, roles), dtype=np.int64)
        path_length = np.zeros(rows, dtype=np.int32)
        path_kind = np.zeros(rows, dtype=np.int8)
        leaf_code = np.zeros(rows, dtype=np.int64)
        leaf_moves = np.zeros((rows, roles), dtype=np.int32)
        shared_role = self.role if self._shares else -1
        self._descend(True, shared_role, path_node, path_slot, path_length, path_kind, leaf_code, leaf_moves)
        pending = path_kind == KIND_EXPAND
        if pending.any():
            self._expand(np.unique(path_node[pending, path_length[pending] - 1]))
            self._descend(False, shared_role, path_node, path_slot, path_length, path_kind, leaf_code, leaf_moves)
        last = path_node[np.arange(rows), path_length - 1]
        scores = tree.exact[last].copy()
        leaf = np.full(rows, -1, dtype=np.int32)
        new = np.flatnonzero(path_kind == KIND_NEW)
        if len(new):
            leaf[new], scores[new] = self._visit(last[new], leaf_code[new], leaf_moves[new])
        stuck = np.flatnonzero(path_kind == KIND_STUCK)
        if len(stuck):
            scores[stuck] = self._play_out(tree.states[last[stuck]])
        tree_kernels.back_up(
            scores, shared_role, self._shared_total, tree.stat_start, tree.stat_total, path_node, path_slot, path_length, path_kind
        )
        if settings.prove:
            tree_kernels.prove_upwards(
                self.game.random_role,
                self._best_scores,
                JOINT_LIMIT,
                tree.legal_count,
                tree.status,
                tree.proven,
                tree.exact,
                tree.has_proven_child,
                tree.edge_node,
                tree.edge_code,
                tree.edge_child,
                path_node,
                path_length,
                path_kind,
                leaf,
            )
        self.leaves += int((path_kind != KIND_DROPPED).sum())

    def _descend(
        self,
        fresh: bool,
        shared_role: int,
        path_node: NDArray[np.int32],
        path_slot: NDArray[np.int64],
        path_length: NDArray[np.int32],
        path_kind: NDArray[np.int8],
        leaf_code: NDArray[np.int64],
        leaf_moves: NDArray[np.int32],
    ) -> None:
        tree = self.tree
        tree_kernels.descend(
            fresh,
            self.settings.exploration,
            self.game.random_role,
            self._kernel_generator,
            self._roots,
            self._cumulative,
            shared_role,
            self._shared_visits,
            self._shared_total,
            tree.status,
            tree.proven,
            tree.exact,
            tree.has_proven_child,
            tree.node_visits,
            tree.legal_count,
            tree.stat_start,
            tree.stat_move,
            tree.stat_visits,
            tree.stat_total,
            tree.edge_node,
            tree.edge_code,
            tree.edge_child,
            path_node,
            path_slot,
            path_length,
            path_kind,
            leaf_code,
            leaf_moves,
        )

    def _expand(self, nodes: NDArray[np.int32]) -> None:
        """List the legal moves of ``nodes``; successors that the expander knows become unevaluated children."""
        if not len(nodes):
            return
        tree = self.tree
        expansions = self._expander.expand(tree.states[nodes])
        tree.expand(nodes, np.stack([e.legal for e in expansions]))
        if tree.bytes_used > self.settings.memory_bytes:
            return
        for node, expansion in zip(nodes, expansions, strict=True):
            count = len(expansion.joint_moves)
            if count:
                children = tree.add_nodes(expansion.successors, np.full(count, node, dtype=np.int32))
                tree.link(np.full(count, node, dtype=np.int32), tree.codes_of(int(node), expansion.joint_moves), children)

    def _visit(
        self, parents: NDArray[np.int32], codes: NDArray[np.int64], joint_moves: NDArray[np.int32]
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Evaluate states reached for the first time; their node numbers (-1 if the tree is full) and scores float64[k, roles]."""
        tree = self.tree
        nodes = np.array([tree.child(int(p), int(c)) for p, c in zip(parents, codes, strict=True)], dtype=np.int32)
        missing = np.flatnonzero(nodes < 0)
        states = tree.states[nodes]
        if len(missing):
            states[missing] = self._propnet.successors(tree.states[parents[missing]], joint_moves[missing])
            if tree.bytes_used <= self.settings.memory_bytes:
                nodes[missing] = tree.add_nodes(states[missing], parents[missing])
                tree.link(parents[missing], codes[missing], nodes[missing])
        terminal, _, exact = self._propnet.evaluate(states)
        scores = exact.astype(np.float64)
        open_states = np.flatnonzero(~terminal)
        if len(open_states):
            scores[open_states] = self._play_out(states[open_states])
        kept = np.flatnonzero(nodes >= 0)
        tree.set_outcome(nodes[kept], terminal[kept], exact[kept])
        return nodes, scores

    def _play_out(self, states: NDArray[np.uint64]) -> NDArray[np.float64]:
        """Mean scores of random games from ``states``: float64[k, roles]; games cut off count as zero."""
        result = self._propnet.playouts(
            states,
            lanes_per_state=self.settings.playouts,
            playouts_per_state=self.settings.playouts,
            seed=self._generator,
            max_depth=self.settings.depth_limit,
        )
        means: NDArray[np.float64] = result.score_sum / self.settings.playouts
        return means

    def statistics(self) -> list[MoveStatistics]:
        """What is known about each of our moves at the root, best first."""
        found = []
        live = [int(r) for r in self._roots if self.tree.is_expanded(r)]
        for position, move in enumerate(self._candidates):
            if self._shares:
                visits, total, proven = int(self._shared_visits[position]), float(self._shared_total[position]), False
            else:
                visits, total, proven = self._own_statistics(live, int(move))
            found.append(MoveStatistics(int(move), visits, total / visits if visits else 0.0, proven))
        most = max((s.visits for s in found), default=0)

        def merit(entry: MoveStatistics) -> tuple[bool, float, int]:
            # A mean over few visits is a guess; only moves that UCB took seriously compete.
            return entry.proven or entry.visits * 10 >= most, entry.mean, entry.visits

        return sorted(found, key=merit, reverse=True)

    def _own_statistics(self, roots: list[int], move: int) -> tuple[int, float, bool]:
        visits, total = 0, 0.0
        tree = self.tree
        for root in roots:
            position = np.flatnonzero(tree.moves_of(root, self.role) == move)
            if not len(position):
                continue
            slot = int(tree.stat_start[root, self.role] + position[0])
            visits += int(tree.stat_visits[slot])
            total += float(tree.stat_total[slot])
        if len(roots) == 1 and int(tree.legal_count[roots[0]].prod()) == int(tree.legal_count[roots[0], self.role]):
            child = tree.child(roots[0], int(np.flatnonzero(tree.moves_of(roots[0], self.role) == move)[0]))
            if child >= 0 and tree.proven[child]:
                return max(visits, 1), float(tree.exact[child, self.role]) * max(visits, 1), True
        return visits, total, False

    def best_move(self) -> int:
        """Global index of our move with the best expectation; -1 if we have none."""
        ranking = self.statistics()
        return ranking[0].move if ranking else -1

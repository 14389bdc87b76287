"""The graph's arrays: nodes and edges are found again, against dictionaries; forgetting keeps what is left intact."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scsp_player.search import batch_kernels
from scsp_player.search.constants import EXPANDED, UNEVALUATED
from scsp_player.search.graph import SearchGraph
from tests.oracles.naive_grounder import ground
from tests.search.edges import child_of

SHEET = """
(role a) (role b)
(init (s 0))
(m 1) (m 2) (m 3)
(<= (legal a (x ?m)) (m ?m))
(<= (legal b (y ?m)) (m ?m) (distinct ?m 3))
(<= (next (s ?m)) (does a (x ?m)))
(<= terminal (true (s 3)))
(<= (goal a 100) (true (s 3))) (<= (goal b 0) (true (s 3)))
"""


@pytest.fixture(scope="module")
def game():
    return ground(SHEET)


def expanded(graph, states):
    """The nodes of some states, with every move legal."""
    g, game = graph.arrays, graph.game
    nodes = graph.obtain(states)
    over, legal = np.zeros(len(nodes), np.bool_), np.ones((len(nodes), game.moves), np.bool_)
    batch_kernels.record(g, nodes, over, legal, np.zeros((len(nodes), 2), np.int32), game.role_start, 100)
    return nodes


def linked(graph, parents, joint_moves, states):
    batch_kernels.link_solutions(graph.arrays, parents, joint_moves, states, np.zeros(len(states), np.int32))


@given(st.lists(st.integers(0, 2**64 - 1), max_size=300))
@settings(max_examples=30)
def test_equal_states_are_one_node(game, words):
    graph = SearchGraph(game, 1 << 20)
    states = np.array(words, dtype=np.uint64).reshape(-1, 1)
    nodes = [int(graph.obtain(state[None])[0]) for state in states]
    numbers = {}
    for word in words:
        numbers.setdefault(word, len(numbers))
    assert nodes == [numbers[word] for word in words]
    assert graph.nodes == len(numbers)
    assert graph.obtain(states).tolist() == nodes


def test_edges_are_found_while_tables_grow(game):
    graph = SearchGraph(game, 1 << 22)
    rng = np.random.default_rng(1)
    known = {}
    for _ in range(40):
        states = rng.integers(0, 3000, size=(100, 1)).astype(np.uint64)
        parents = expanded(graph, states)
        moves = np.stack([rng.integers(0, 3, 100), rng.integers(3, 5, 100)], axis=1).astype(np.int32)
        after = rng.integers(0, 5000, size=(100, 1)).astype(np.uint64)
        graph.reserve(100, 100)
        linked(graph, parents, moves, after)
        for parent, joint, state in zip(parents, moves, after, strict=True):
            known.setdefault((int(parent), *joint.tolist()), int(state[0]))
    assert graph.edges == len(known)
    for (parent, x, y), word in known.items():
        child = child_of(graph, parent, np.array([x, y], np.int32))
        assert graph.arrays.state[child, 0] == word
    assert child_of(graph, 0, np.array([9, 4], np.int32)) == -1


def test_pruning_keeps_what_hangs_below_the_root_and_was_visited(game):
    graph = SearchGraph(game, 1 << 20)
    states = np.arange(1, 7, dtype=np.uint64)[:, None]
    nodes = expanded(graph, states)
    root, busy, _idle, below, proven, elsewhere = nodes.tolist()
    joint = np.array([[0, 3], [1, 3], [2, 4], [0, 4], [0, 3]], np.int32)
    linked(graph, np.array([root, root, root, busy, elsewhere]), joint, states[[1, 2, 4, 3, 1]])
    g = graph.arrays
    g.node["visits"][[busy, below, proven]] = 10, 5, 0
    g.node["proven"][proven] = 1
    g.exact[proven] = 70, 30
    g.move["visits"][graph.slots(busy, 0)] = 4, 5, 6
    graph.memory_bytes = 2600  # of which pruning wants half to be free
    [new_root] = graph.prune(np.array([root]))
    assert graph.nodes == 4
    assert graph.edges == 3
    new_busy = child_of(graph, new_root, joint[0])
    assert graph.arrays.state[new_busy, 0] == 2
    assert graph.arrays.move["visits"][graph.slots(new_busy, 0)].tolist() == [4, 5, 6]
    assert graph.moves_of(new_busy, 1).tolist() == [3, 4]
    assert graph.arrays.state[child_of(graph, new_busy, joint[3]), 0] == 4
    assert graph.arrays.exact[child_of(graph, new_root, joint[2])].tolist() == [70, 30]
    assert child_of(graph, new_root, joint[1]) == -1
    assert graph.obtain(states[:2]).tolist() == [new_root, new_busy]
    assert graph.obtain(states[2:3]).tolist() == [4]
    assert graph.arrays.node["status"][[new_busy, 4]].tolist() == [EXPANDED, UNEVALUATED]


def test_without_room_there_is_no_node(game):
    graph = SearchGraph(game, 0)
    nodes = graph.obtain(np.arange(100, dtype=np.uint64)[:, None])
    assert nodes.tolist() == list(range(64)) + [-1] * 36

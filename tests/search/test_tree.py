"""The tree's arrays: edges, growth, subtrees, codes; each against dictionaries."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scsp_player.search import tree_kernels
from scsp_player.search.constants import EXPANDED
from scsp_player.search.tree import SearchTree
from tests.oracles.naive_grounder import ground

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


def small_tree(game):
    tree = SearchTree(game, capacity=4)
    tree.add_nodes(game.initial_state[None], np.array([-1], dtype=np.int32))
    return tree


@given(st.dictionaries(st.tuples(st.integers(0, 50), st.integers(-(2**62), 2**62)), st.integers(0, 1000), max_size=60))
def test_edges_are_found_again(edges):
    node, code, child = np.full(128, -1, np.int32), np.zeros(128, np.int64), np.zeros(128, np.int32)
    for (n, c), k in edges.items():
        tree_kernels.link_child(node, code, child, n, c, k)
    for (n, c), k in edges.items():
        assert tree_kernels.find_child(node, code, child, n, c) == k
        assert (n, c + 1) in edges or tree_kernels.find_child(node, code, child, n, c + 1) == -1


def test_the_tree_grows_and_keeps_everything(game):
    tree = small_tree(game)
    rng = np.random.default_rng(5)
    known = {}
    for i in range(3000):
        parent = int(rng.integers(tree.nodes))
        if (parent, i) in known:
            continue
        state = np.array([i], dtype=np.uint64)
        [child] = tree.add_nodes(state[None], np.array([parent], dtype=np.int32))
        tree.link(np.array([parent], dtype=np.int32), np.array([i]), np.array([child], dtype=np.int32))
        known[parent, i] = int(child)
    assert tree.edges == len(known)
    assert all(tree.child(*key) == child for key, child in known.items())
    assert tree.states[known[next(iter(known))], 0] == 0
    assert [int(s) for s in tree.states[1 : tree.nodes, 0]] == list(range(3000))


@given(st.lists(st.floats(0, 1, exclude_max=True), max_size=40), st.integers(0, 40))
def test_subtree_is_what_can_be_reached(fractions, root):
    parent = np.array([-1, *(int(f * (i + 1)) for i, f in enumerate(fractions))], dtype=np.int32)
    root = min(root, len(parent) - 1)

    def below(node):
        while node != root:
            if node < 0:
                return False
            node = parent[node]
        return True

    kept = [n for n in range(len(parent)) if below(n)]
    number = tree_kernels.number_subtree(root, parent)
    assert {n: int(number[n]) for n in range(len(parent)) if number[n] >= 0} == {n: i for i, n in enumerate(kept)}


def test_keep_subtree_copies_statistics_and_edges(game):
    tree = small_tree(game)
    every = np.ones((1, game.moves), dtype=np.bool_)
    tree.expand(np.array([0], dtype=np.int32), every)
    children = tree.add_nodes(np.arange(1, 4, dtype=np.uint64)[:, None], np.zeros(3, dtype=np.int32))
    tree.link(np.zeros(3, dtype=np.int32), np.arange(3), children)
    tree.expand(children[1:2], every)
    [grandchild] = tree.add_nodes(np.array([[9]], dtype=np.uint64), children[1:2])
    tree.link(children[1:2], np.array([4]), np.array([grandchild], dtype=np.int32))
    start = int(tree.stat_start[children[1], 1])
    tree.stat_visits[start] = 7
    tree.stat_total[start] = 70.0
    kept = tree.keep_subtree(int(children[1]))
    assert kept.nodes == 2
    assert kept.edges == 1
    assert kept.status[0] == EXPANDED
    assert kept.child(0, 4) == 1
    assert kept.states[1, 0] == 9
    assert kept.parent[:2].tolist() == [-1, 0]
    assert kept.stat_visits[kept.stat_start[0, 1]] == 7
    assert kept.stat_total[kept.stat_start[0, 1]] == 70.0
    assert kept.moves_of(0, 0).tolist() == tree.moves_of(int(children[1]), 0).tolist()


def test_codes_number_joint_moves(game):
    tree = small_tree(game)
    tree.expand(np.array([0], dtype=np.int32), np.ones((1, game.moves), dtype=np.bool_))
    first, second, end = game.role_start
    joint_moves = np.array([[x, y] for x in range(first, second) for y in range(second, end)], dtype=np.int32)
    assert tree.codes_of(0, joint_moves).tolist() == list(range(6))
    assert tree.codes_of(0, np.array([[0, 0], [9, 4]], dtype=np.int32)).tolist() == [-1, -1]

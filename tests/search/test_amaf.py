"""What nodes are told of moves that are made at any time below them."""

from pathlib import Path

import numpy as np
import pytest

from scsp_player.gdl import load_program, parse_program
from scsp_player.grounding import ground
from scsp_player.propnet import Propnet
from scsp_player.search.constants import EXPANDED, KIND_NEW
from scsp_player.search.evaluation import Evaluator
from scsp_player.search.expansion import PropnetExpander
from scsp_player.search.mac_ucb import MacUcb
from scsp_player.search.reduction import Reduction
from scsp_player.search.settings import SearchSettings
from scsp_player.search.symmetry import find_symmetries

TIC_TAC_TOE = Path(__file__).resolve().parents[2] / "games" / "tic-tac-toe.kif"

TWO_PICKS = f"""
; Two of 24 numbers are picked, one after the other; with 7 among them everything is won.
(role picker)
(init (turn 1)) (succ 1 2) (succ 2 3)
{" ".join(f"(number {n})" for n in range(1, 25))}
(<= (legal picker (pick ?n)) (number ?n) (not (true (picked ?n))))
(<= (next (picked ?n)) (does picker (pick ?n)))
(<= (next (picked ?n)) (true (picked ?n)))
(<= (next (turn ?k)) (true (turn ?t)) (succ ?t ?k))
(<= terminal (true (turn 3)))
(<= (goal picker 100) (true (picked 7)))
(<= (goal picker 0) (not (true (picked 7))))
"""


def search_of(program, *, merged=False, **settings):
    game = ground(program)
    net = Propnet(game)
    search = MacUcb(game, net, PropnetExpander(net), 0, settings=SearchSettings(exploration=0.02, **settings), seed=4)
    if merged:
        search.merge(Reduction.of(game, find_symmetries(game, 5.0)))
    return search


def told(graph, rows, count, leaves, values, playouts, drawn, frames, known):
    """What ``learn`` should add, in a dictionary from slots of the move arena to weight and score."""
    g = graph.arrays
    edge_of = {(int(e["node"]), int(e["code"])): e for e in g.edge[: graph.edges]}
    number, score_sum = (array.copy() for array in drawn)

    def add(node, k, names):
        for role in range(graph.roles):
            moves, first = graph.moves_of(node, role), graph.slots(node, role).start
            for slot, move in enumerate(moves if len(moves) > 1 else [], first):
                old = known.get(slot, (0.0, 0.0))
                known[slot] = old[0] + number[k, names[move]] / playouts, old[1] + score_sum[k, names[move]] / playouts

    same = np.arange(number.shape[1])
    for k, leaf in enumerate(leaves.tolist()):
        if g.node["status"][leaf] == EXPANDED:
            add(leaf, k, same)
    for row, path, slot in zip(rows.row[:count], rows.path[:count], rows.slot[:count], strict=True):
        if row["kind"] != KIND_NEW or row["leaf"] not in leaves:
            continue
        k = leaves.tolist().index(row["leaf"])
        names = same
        for depth in reversed(range(row["length"])):
            node, last = int(path[depth]["node"]), depth == row["length"] - 1
            edge = edge_of[node, int(row["code"])] if last else g.edge[path[depth]["edge"]]
            names = names[frames.moves[edge["turn"]]]
            for role in range(graph.roles):
                move = names[g.move["move"][slot[depth, role]]]
                number[k, move], score_sum[k, move] = playouts, playouts * values[k, role]
            add(node, k, names)


@pytest.mark.parametrize("merged", [False, True])
def test_nodes_add_up_what_the_playouts_below_them_say_of_moves(monkeypatch, merged):
    known = {}
    search = search_of(load_program(TIC_TAC_TOE), merged=merged, amaf=1.0, batch=4)
    learn = Evaluator.learn

    def watched(self, g, rows, count, leaves, values):
        frames = self._unturned if self.reduction is None else self.reduction.frames
        told(search.graph, rows, count, leaves, values, 64, self._drawn, frames, known)
        learn(self, g, rows, count, leaves, values)

    monkeypatch.setattr(Evaluator, "learn", watched)
    search.think(1e9, leaves=60)
    moves = search.graph.arrays.move
    assert len(known) > 50
    for slot, (weight, total) in known.items():
        assert moves["amaf_visits"][slot] == pytest.approx(weight, rel=1e-4)
        assert moves["amaf_total"][slot] == pytest.approx(total, rel=1e-4)
    assert moves["amaf_visits"].astype(bool).sum() == sum(weight > 0 for weight, _ in known.values())


def test_symmetries_of_edges_say_how_successors_became_nodes():
    search = search_of(load_program(TIC_TAC_TOE), merged=True, amaf=1.0)
    search.think(1e9, leaves=100)
    graph, net = search.graph, Propnet(search.game)
    turns = set()
    for edge in graph.arrays.edge[: graph.edges]:
        node, child = int(edge["node"]), int(edge["child"])
        code, joint = int(edge["code"]), []
        for role in reversed(range(graph.roles)):
            moves = graph.moves_of(node, role)
            code, position = divmod(code, len(moves))
            joint.insert(0, int(moves[position]))
        after = net.successors(graph.arrays.state[node][None], np.array([joint], np.int32))
        renamed = search._evaluator.reduction.frames.moves[edge["turn"]]
        legal = np.zeros(search.game.moves, bool)
        legal[renamed] = net.legal(after)[0]
        assert (legal == net.legal(graph.arrays.state[child][None])[0]).all()
        turns.add(int(edge["turn"]))
    assert len(turns) > 2


def test_moves_that_did_well_later_are_tried_before_others():
    plain, amaf = (search_of(parse_program(TWO_PICKS), amaf=bias, prove=False, batch=4) for bias in (0.0, 1.0))
    for search in (plain, amaf):
        search.think(1e9, leaves=24)
    assert min(s.visits for s in plain.statistics()) == 1
    best = amaf.statistics()[0]
    assert str(amaf.game.move(best.move)) == "(pick 7)"
    assert best.visits > 8

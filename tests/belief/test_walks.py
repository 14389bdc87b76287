"""Information-set search against a twin in plain Python, which plays the same walks one by one."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from scsp_player.arena.sheet import read_game
from scsp_player.belief import Belief, InformationSetSearch, Views, WalkSettings
from scsp_player.grounding import ground
from scsp_player.propnet import Propnet
from scsp_player.propnet.stepping import Stepper

GAMES = Path(__file__).resolve().parents[2] / "games"
WORD = (1 << 64) - 1


class Twin:
    """The walks of ``InformationSetSearch`` with dictionaries; random games are taken over from it."""

    def __init__(self, game, propnet, exploration, seed):
        self.game, self.propnet, self.exploration = game, propnet, exploration
        self.views, self.random = Views(game), int(seed)
        self.nodes: dict[int, dict[int, list[float]]] = {}

    def below(self, bound):
        self.random = (self.random + 0x9E3779B97F4A7C15) & WORD
        z = self.random
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & WORD
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & WORD
        return ((z ^ (z >> 31)) >> 32) * bound >> 32

    def walk(self, states, views, leaf_scores):
        """A batch: one walk a state; ``leaf_scores(lanes)`` says how random games from the last states ended."""
        count, roles = views.shape
        live, path, scores = list(range(count)), [[] for _ in range(count)], np.zeros((count, roles))
        waiting = []
        while live:
            terminal, legal, final = self.propnet.evaluate(states)
            for lane in [lane for lane in live if terminal[lane]]:
                scores[lane] = final[lane] / 100
            live = [lane for lane in live if not terminal[lane]]
            joint = np.zeros((count, roles), np.int32)
            new = []
            for lane in live:
                chosen = []
                for role in range(roles):
                    first, last = self.game.role_start[role : role + 2]
                    options = (first + np.flatnonzero(legal[lane, first:last])).tolist()
                    joint[lane, role] = options[0]
                    if len(options) == 1:
                        continue
                    if role == self.game.random_role:
                        joint[lane, role] = options[self.below(len(options))]
                        continue
                    node = self.nodes.get(int(views[lane, role]))
                    if node is None:
                        self.nodes[int(views[lane, role])] = {move: [0.0, 0.0] for move in options}
                        new.append(lane)
                        continue
                    joint[lane, role] = self.best(node, options)
                    node[joint[lane, role]][0] += 1
                    chosen.append((role, node, joint[lane, role]))
                if lane in new:
                    for _, node, move in chosen:
                        node[move][0] -= 1
                else:
                    path[lane] += chosen
            waiting += new
            live = [lane for lane in live if lane not in new]
            if live:
                states[live], seen = self.views.observe(self.propnet, states[live], joint[live])
                views[live] = self.views.after(views[live], joint[live], seen)
        leaves = sorted(set(waiting))
        scores[leaves] = leaf_scores(leaves)
        for lane in range(count):
            for role, node, move in path[lane]:
                node[move][1] += scores[lane, role]

    def best(self, node, options):
        reach = self.exploration * math.sqrt(math.log(1 + sum(visits for visits, _ in node.values())))
        moves = list(node)
        start, best, result = self.below(len(moves)), -1.0, -1
        for move in moves[start:] + moves[:start]:
            visits, total = node[move]
            merit = 1e9 if visits == 0 else total / visits + reach / math.sqrt(visits)
            if move in options and merit > best * (1 + 1e-6):
                best, result = merit, move
        return result


@pytest.mark.parametrize("name", ["kuhn-poker.kif", "kriegspiel-tic-tac-toe.kif", "hide-and-seek.kif"])
def test_walks_are_those_of_the_twin(name, monkeypatch):
    game = ground(read_game(GAMES / name).program)
    propnet, belief = Propnet(game), None
    ended = []
    play_out = Stepper.play_out
    monkeypatch.setattr(Stepper, "play_out", lambda *args, **more: ended.append(play_out(*args, **more)) or ended[-1])
    role = next(r for r in range(len(game.roles)) if r != game.random_role)
    belief = Belief(game, propnet, role)
    search = InformationSetSearch(game, propnet, role, settings=WalkSettings(exploration=0.5, patience=1, playouts=1), seed=3)
    twin = Twin(game, propnet, 0.5, search._kernel_generator[0])
    goals = search._stepper.goals

    def leaf_scores(lanes):
        lines = ended.pop().transpose(1, 0, 2) if lanes else np.zeros((1 + len(goals.value), 1, 1), np.uint64)
        bits = np.unpackbits(np.ascontiguousarray(lines).view(np.uint8).reshape(len(lines), -1), axis=1, bitorder="little")
        result = np.zeros((len(lanes), len(game.roles)))
        for r in range(len(game.roles)):
            of_role = slice(goals.start[r], goals.start[r + 1])
            result[:, r] = goals.value[of_role] @ bits[1:][of_role][:, lanes] / 100
        return result

    for _ in range(6):
        search.think(belief, math.inf, walks=40)
        states = np.repeat(game.initial_state[None], 40, axis=0)
        twin.walk(states, np.repeat(belief.views, 40, axis=0), leaf_scores)
    assert search._used[0] == len(twin.nodes)
    for view, node in twin.nodes.items():
        moves, visits, means, _ = search.choices(view)
        assert moves.tolist() == list(node)
        assert visits.tolist() == [entry[0] for entry in node.values()]
        assert means * visits == pytest.approx([entry[1] for entry in node.values()], abs=1e-4)

"""Computes the facts in ``games/expected.json``; run ``python -m tests.games.expected [SHEET…]`` to renew them.

Two oracles are asked: the lane evaluator on the slow grounder's ground rules walks far and computes values; clingo, which shares
no code with it, has to agree on the counts of the first turns, on the vocabulary and along random matches.

For each sheet the file holds

* ``roles``; ``fluents`` and ``moves``: how many there are if negation is ignored (an upper bound of what can be reached);
* ``opening_moves``: legal moves of each role at the start;
* ``positions``, ``ends``, ``sequences``: distinct positions, terminal ones among them, and sequences of joint moves after 0, 1, 2 …
  turns, as far as ``COUNTED_EDGES`` joint moves go;
* ``playouts``: shortest and longest of so many random matches with this seed;
* ``complete``: null if there are more than ``EXPLORED_EDGES`` joint moves to try, else the number of distinct positions, the length
  of the shortest and of the longest match, and the probability of each combination of final scores if all roles play uniformly
  at random (scores in the order of the roles, chance left out);
* ``best_play``: the scores under best play (with the knowledge that the rules give), null where not computed;
* ``solution``: one-player games only: the best score, the fewest turns to it, and by how many sequences in that many turns.
"""

from __future__ import annotations

import json
import random
import sys

import numpy as np

from tests.games import exploration, solving
from tests.games.sheets import EXPECTED, SHEETS, prefix_text
from tests.games.walking import walk
from tests.oracles import naive_grounder
from tests.oracles.clingo_engine import ClingoMachine
from tests.oracles.ground_machine import GroundMachine
from tests.oracles.lane_machine import LaneMachine

COUNTED_EDGES = 20_000
EXPLORED_EDGES = 1_500_000
CROSS_CHECKED_EDGES = 1_000
PLAYOUTS, SEED = 200, 2016


def scores(game, values):
    """Role to score with six decimals; chance has none."""
    return {name: round(float(values[r]), 6) + 0.0 for r, name in enumerate(game.roles) if r != game.random_role}


def outcomes(game, chances):
    """Final scores, chance left out, to probability with six decimals."""
    players = [r for r in range(len(game.roles)) if r != game.random_role]
    by_text = {" ".join(str(scores[r]) for r in players): round(p, 6) for scores, p in chances.items()}
    return dict(sorted(by_text.items(), key=lambda item: (-item[1], item[0])))


def solution(layers):
    """Best score of a one-player game, fewest turns to it and number of sequences; from as many layers as there are."""
    best = max(int(layer.goals[layer.terminal].max()) for layer in layers if layer.terminal.any())
    for turns, layer in enumerate(layers):
        hits = [i for i in range(len(layer.states)) if layer.terminal[i] and layer.goals[i, 0] == best]
        if hits:
            return {"score": best, "turns": turns, "sequences": sum(layer.sequences[i] for i in hits)}
    raise AssertionError


def explore(machine):
    """The layers as far as ``EXPLORED_EDGES`` go, and whether they are all; a large puzzle is left once it is solved."""
    layers, positions = [], 0
    for layer in exploration.layers(machine, edge_limit=EXPLORED_EDGES):
        layers.append(layer)
        positions += len(layer.states)
        solved = len(machine.game.roles) == 1 and (layer.goals[layer.terminal] == 100).any()
        if solved and positions > COUNTED_EDGES:
            break
    return layers, bool(layers[-1].terminal.all())


def counted(layers):
    """The first layers, as many as ``COUNTED_EDGES`` allow."""
    edges = np.cumsum([0 if layer.origin is None else len(layer.origin) for layer in layers])
    return layers[: int((edges <= COUNTED_EDGES).sum()) + 1]


def complete_facts(game, layers):
    """What only a game of which all positions are known tells."""
    ended = [turns for turns, layer in enumerate(layers) if layer.terminal.any()]
    return {
        "positions": len({state.tobytes() for layer in layers for state in layer.states}),
        "shortest": ended[0],
        "longest": ended[-1],
        "random_outcomes": outcomes(game, solving.random_outcomes(layers)),
    }


def best_play(machine, layers, complete, solved):
    """Scores under best play by the method that the game needs; None where none is feasible."""
    if solved:
        return [solved["score"]] if solved["score"] == 100 or complete else None
    if not complete:
        return None
    if not len(machine.game.percept_role):
        return solving.best_play(layers, machine.game)
    ways = sum(sequences for layer in layers for sequences in np.array(layer.sequences)[layer.terminal].tolist())
    return solving.hidden_play(layers, machine) if ways <= COUNTED_EDGES else None


def facts(name):
    """All facts about one sheet."""
    text = prefix_text(name)
    game = naive_grounder.ground(text, name)
    machine = LaneMachine(game)
    layers, complete = explore(machine)
    shown = counted(layers)
    lengths, _ = exploration.random_playouts(machine, PLAYOUTS, SEED)
    opening = GroundMachine(game).legal_moves(tuple(game.initial.tolist()))
    hidden = len(game.percept_role) > 0
    solved = solution(layers) if len(game.roles) == 1 and not hidden else None
    best = best_play(machine, layers, complete, solved)
    result = {
        "roles": list(game.roles),
        "fluents": game.fluents,
        "moves": {r: int(game.role_start[i + 1] - game.role_start[i]) for i, r in enumerate(game.roles)},
        "opening_moves": {r: len(opening[i]) for i, r in enumerate(game.roles)},
        "positions": [len(layer.states) for layer in shown],
        "ends": [int(layer.terminal.sum()) for layer in shown],
        "sequences": [sum(layer.sequences) for layer in shown],
        "playouts": {"games": PLAYOUTS, "seed": SEED, "shortest": int(lengths.min()), "longest": int(lengths.max())},
        "complete": complete_facts(game, layers) if complete else None,
        "best_play": None if best is None else scores(game, best),
        "solution": solved,
    }
    cross_check(text, game, result)
    return result


def cross_check(text, game, result):
    """Raises AssertionError if clingo has another opinion."""
    clingo, oracle = ClingoMachine(text), GroundMachine(game)
    assert clingo.roles == game.roles
    assert clingo.all_fluents() == set(game.fluent_index)
    assert [set(moves) for moves in clingo.moves()] == [set(moves) for moves in game.move_index]
    counts = walk(clingo, edge_limit=CROSS_CHECKED_EDGES)
    for key in ("positions", "ends", "sequences"):
        found, wanted = getattr(counts, key), result[key]
        assert found[: len(wanted)] == wanted[: len(found)], (key, found, wanted)
    rng = random.Random(SEED)
    for _ in range(10):
        state = clingo.initial_state()
        while not clingo.is_terminal(state):
            moves = clingo.legal_moves(state)
            other = oracle.state(state)
            assert not oracle.is_terminal(other)
            assert moves == oracle.legal_moves(other)
            joint = tuple(map(rng.choice, moves))
            assert clingo.percepts(state, joint) == oracle.percepts(other, joint)
            state = clingo.successor(state, joint)
            assert state == oracle.fluents(oracle.successor(other, joint))
        assert clingo.goals(state) == oracle.goals(oracle.state(state))


def main(names):
    """Renews the facts of the named sheets, or of all."""
    known = json.loads(EXPECTED.read_text(encoding="utf-8")) if EXPECTED.is_file() else {}
    for name in names or SHEETS:
        known[name] = facts(name)
        print(name, json.dumps(known[name]), flush=True)
    ordered = {name: known[name] for name in sorted(known) if name in SHEETS}
    entries = [
        f'  "{name}": {{\n' + ",\n".join(f'    "{key}": {json.dumps(value)}' for key, value in entry.items()) + "\n  }"
        for name, entry in ordered.items()
    ]
    EXPECTED.write_text("{\n" + ",\n".join(entries) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])

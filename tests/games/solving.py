"""Exact values of small games, from their complete layers."""

from __future__ import annotations

import itertools
from collections import defaultdict

import numpy as np

from tests.games import matrix_game


def backward(layers, combine):
    """Values float[k, roles] of the first layer; ``combine(moves, values)`` gives a position's value from its edges.

    ``moves`` is int[e, roles], ``values`` float[e, roles] the values of the positions that the edges lead to. Scores that the rules
    leave open count as 0.
    """
    later = None
    for layer in reversed(layers):
        values = np.maximum(layer.goals, 0).astype(np.float64)
        if layer.origin is not None:
            bounds = np.flatnonzero(np.diff(layer.origin, prepend=-1, append=-1))
            for start, stop in itertools.pairwise(bounds):
                values[layer.origin[start]] = combine(layer.joint[start:stop], later[layer.target[start:stop]])
        later = values
    return later


def random_outcomes(layers):
    """Probability of each vector of final scores (a tuple, one entry a role) if every role plays uniformly at random."""
    chance, outcomes = np.ones(1), defaultdict(float)
    for depth, layer in enumerate(layers):
        for i in np.flatnonzero(layer.terminal):
            outcomes[tuple(layer.goals[i].tolist())] += float(chance[i])
        if layer.origin is not None:
            choices = np.bincount(layer.origin, minlength=len(chance))
            chance = np.bincount(layer.target, chance[layer.origin] / choices[layer.origin], len(layers[depth + 1].states))
    return dict(outcomes)


def best_play(layers, game):
    """Scores float[roles] under best play with perfect information; None if this module cannot tell.

    Covers one player, two players whose scores always add up to 100 (moving in turn, or at once: then in mixed strategies), and
    chance as a further role.
    """
    players = [r for r in range(len(game.roles)) if r != game.random_role]
    if len(players) > 2:
        return None
    if len(players) == 2 and any((layer.goals[layer.terminal][:, players].sum(axis=1) != 100).any() for layer in layers):
        return None
    mine, other = players[0], players[-1]

    def combine(moves, values):
        outcomes = defaultdict(list)
        for move, value in zip(moves.tolist(), values, strict=True):
            outcomes[move[mine], move[other]].append(value[mine])
        rows = sorted({a for a, _ in outcomes})
        columns = sorted({b for _, b in outcomes}) if other != mine else [None]
        table = np.array([[np.mean(outcomes[a, a if b is None else b]) for b in columns] for a in rows])
        if len(rows) == 1 or len(columns) == 1:
            best = table.max() if len(columns) == 1 else table.min()
        else:
            best = matrix_game.value(table)
        result = np.zeros(len(game.roles))
        result[other] = 100 - best
        result[mine] = best
        return result

    return backward(layers, combine)[0]


def hidden_play(layers, machine, *, strategy_limit=1000):
    """Scores float[roles] under best play when a player knows only its own moves and what it sees; None if too much to try.

    One player is solved backwards over what it can have gone through (``hidden_play_alone``). A *plan* fixes a move for each such
    thing; two players with opposed interests mix plans.
    """
    game = machine.game
    players = [r for r in range(len(game.roles)) if r != game.random_role]
    if len(players) == 1:
        return hidden_play_alone(layers, machine)
    if len(players) > 2:
        return None
    ends = []  # One entry a way to play: probability by chance, the players' decisions, the scores.

    def follow(depth, index, chance, pasts, decisions):
        layer = layers[depth]
        if layer.terminal[index]:
            ends.append((chance, decisions, np.maximum(layer.goals[index], 0)))
            return
        edges = np.flatnonzero(layer.origin == index)
        joint = layer.joint[edges]
        seen = machine.percepts(layer.states[np.full(len(edges), index)], joint)
        lots = len(set(joint[:, game.random_role].tolist())) if game.random_role >= 0 else 1
        for e, moves, held in zip(edges, joint.tolist(), seen, strict=True):
            new_pasts, new_decisions = list(pasts), list(decisions)
            for k, r in enumerate(players):
                new_decisions[k] = (*decisions[k], (pasts[k], moves[r]))
                new_pasts[k] = (*pasts[k], moves[r], tuple(np.flatnonzero(held & (game.percept_role == r)).tolist()))
            follow(depth + 1, layer.target[e], chance / lots, new_pasts, new_decisions)

    follow(0, 0, 1.0, [()] * len(players), [()] * len(players))
    plans = []
    for k in range(len(players)):
        options = defaultdict(set)
        for _, decisions, _ in ends:
            for past, move in decisions[k]:
                options[past].add(move)
        open_points = [(past, sorted(moves)) for past, moves in sorted(options.items()) if len(moves) > 1]
        if np.prod([float(len(moves)) for _, moves in open_points]) > strategy_limit:
            return None
        choices = itertools.product(*(moves for _, moves in open_points))
        plans.append([dict(zip([past for past, _ in open_points], choice, strict=True)) for choice in choices])

    fits = np.ones((len(players), max(map(len, plans)), len(ends)), dtype=np.bool_)
    for k, mine in enumerate(plans):
        for i, plan in enumerate(mine):
            fits[k, i] = [all(plan.get(past, move) == move for past, move in decisions[k]) for _, decisions, _ in ends]
    chance = np.array([c for c, _, _ in ends])
    scores = np.array([s for _, _, s in ends], dtype=np.float64)
    result = np.zeros(len(game.roles))
    first, second = players
    if not np.allclose(scores[:, first] + scores[:, second], 100):
        return None
    table = (fits[0, : len(plans[0])] * (chance * scores[:, first])) @ fits[1, : len(plans[1])].T
    result[first] = matrix_game.value(table)
    result[second] = 100 - result[first]
    return result


def hidden_play_alone(layers, machine):
    """Scores float[roles] under best play of the only player, which knows its own moves and what it sees."""
    game = machine.game
    (mine,) = (r for r in range(len(game.roles)) if r != game.random_role)

    def best(depth, points):
        """The most that can be made of positions (index to probability) that look alike to the player."""
        layer, value = layers[depth], 0.0
        outcomes = defaultdict(lambda: defaultdict(lambda: defaultdict(float)))  # move, percepts, next position → probability
        for index, chance in points.items():
            if layer.terminal[index]:
                value += chance * max(0, layer.goals[index, mine])
                continue
            edges = np.flatnonzero(layer.origin == index)
            joint = layer.joint[edges]
            seen = machine.percepts(layer.states[np.full(len(edges), index)], joint)[:, game.percept_role == mine]
            lots = (joint[:, mine] == joint[0, mine]).sum()
            for edge, moves, held in zip(edges.tolist(), joint.tolist(), seen, strict=True):
                outcomes[moves[mine]][held.tobytes()][int(layer.target[edge])] += chance / lots
        worth = [sum(best(depth + 1, points) for points in after.values()) for after in outcomes.values()]
        return value + max(worth, default=0.0)

    result = np.zeros(len(game.roles))
    result[mine] = best(0, {0: 1.0})
    return result

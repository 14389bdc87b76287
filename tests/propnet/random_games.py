"""Random ground games: any circuit, with positive cycles, built as arrays without a rule sheet."""

from __future__ import annotations

import random

import numpy as np

from scsp_player.gdl import Symbol
from scsp_player.grounding.components import evaluation_order
from scsp_player.grounding.ground_game import FALSE, TRUE, GroundGame
from scsp_player.grounding.term_table import TermTable


def random_game(seed, *, fluents=5, moves=(3, 2), atoms=25, goals=4, percepts=3, cyclic=True):
    """A ``GroundGame`` whose rules are drawn at random; the first half of the derived atoms depends on the state alone."""
    rng = random.Random(seed)
    inputs = fluents + sum(moves)
    still = list(range(1, 1 + fluents))
    everything = list(range(1, 1 + inputs))
    rules = []
    for number in range(atoms):
        head = 1 + inputs + number
        known = still if number < atoms // 2 else everything
        # Cycles: a few atoms may use the ones that come next, positively.
        ahead = [a for a in range(head, head + 3) if a < 1 + inputs + (atoms // 2 if number < atoms // 2 else atoms)]
        for _ in range(rng.randint(1, 4)):
            body = {2 * rng.choice(known) + rng.randint(0, 1) for _ in range(rng.randint(1, 4))}
            if cyclic and rng.random() < 0.3:
                body.add(2 * rng.choice(ahead))
            rules.append((head, sorted(body)))
        known.append(head)
        if known is still:
            everything.append(head)

    def literal(known):
        return rng.choice([TRUE, FALSE, *(2 * rng.choice(known) + rng.randint(0, 1) for _ in range(12))])

    return game_of(
        _stratified(rules),
        total=1 + inputs + atoms,
        initial=[rng.random() < 0.5 for _ in range(fluents)],
        moves=moves,
        following=[literal(everything) for _ in range(fluents)],
        legal=[literal(still) for _ in range(sum(moves))],
        goals=sorted((rng.randrange(len(moves)), rng.randint(0, 100), literal(still)) for _ in range(goals)),
        percepts=[(rng.randrange(len(moves)), literal(everything)) for _ in range(percepts)],
        terminal=literal(still),
    )


def game_of(rules, *, total, initial, moves, following, legal, goals, percepts, terminal):
    """A ``GroundGame`` of (head, body) pairs in ascending order of heads, with atoms numbered: constant, fluents, moves, others.

    ``initial`` has one entry a fluent, ``moves`` one a role; all others are literals, with role and score before those of goals,
    and the role before those of percepts.
    """
    fluents, inputs = len(initial), len(initial) + sum(moves)
    rule_head = np.array([h for h, _ in rules], np.int32)
    rule_start = np.cumsum([0, *(len(b) for _, b in rules)]).astype(np.int64)
    rule_body = np.array([x for _, b in rules for x in b], np.int32)
    head_start = np.searchsorted(rule_head, np.arange(total + 1)).astype(np.int64)
    start, order, in_cycle, offending = evaluation_order(head_start, rule_head, rule_start, rule_body)
    assert not len(offending)
    table, names = TermTable.of([Symbol(f"t{i:05}") for i in range(max(total, len(percepts)))])
    goal_role, goal_value, goal_literal = np.array(goals, np.int32).reshape(-1, 3).T
    percept_role, percept_literal = np.array(percepts, np.int32).reshape(-1, 2).T
    return GroundGame(
        source="a game of arrays",
        roles=tuple(f"role{r}" for r in range(len(moves))),
        terms=table,
        atom_term=np.array([-1, *names[1:total]], np.int32),
        rule_head=rule_head,
        rule_start=rule_start,
        rule_body=rule_body,
        head_start=head_start,
        fluent_term=np.array(names[:fluents], np.int32),
        fluent_atom=np.arange(1, 1 + fluents, dtype=np.int32),
        next_literal=np.array(following, np.int32),
        initial=np.array(initial, np.bool_),
        role_start=np.cumsum([0, *moves]).astype(np.int32),
        move_term=np.array(names[: sum(moves)], np.int32),
        does_atom=np.arange(1 + fluents, 1 + inputs, dtype=np.int32),
        legal_literal=np.array(legal, np.int32),
        goal_role=goal_role.copy(),
        goal_value=goal_value.copy(),
        goal_literal=goal_literal.copy(),
        percept_role=percept_role.copy(),
        percept_term=np.array(names[: len(percepts)], np.int32),
        percept_literal=percept_literal.copy(),
        terminal_literal=terminal,
        component_start=start,
        component_atoms=order,
        component_cyclic=in_cycle,
    )


def _stratified(rules):
    """The rules without negative literals inside a positive cycle: those become positive."""
    while True:
        heads = np.array([h for h, _ in rules], np.int32)
        start = np.cumsum([0, *(len(b) for _, b in rules)]).astype(np.int64)
        body = np.array([x for _, b in rules for x in b], np.int32)
        total = int(max(heads.max(), (body >> 1).max())) + 1
        head_start = np.searchsorted(heads, np.arange(total + 1)).astype(np.int64)
        *_, offending = evaluation_order(head_start, heads, start, body)
        if not len(offending):
            return rules
        bad_head, bad_atom = offending
        rules = [(h, sorted({x & ~1 if h == bad_head and x >> 1 == bad_atom else x for x in b})) for h, b in rules]

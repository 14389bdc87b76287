"""The steps of grounding, one after the other."""

from __future__ import annotations

from typing import Final

import numpy as np

from scsp_player.gdl.program import Program
from scsp_player.grounding.assembly import Assembler
from scsp_player.grounding.atoms import number_atoms
from scsp_player.grounding.budget import Budget
from scsp_player.grounding.evaluation import Statistics
from scsp_player.grounding.ground_game import GroundGame
from scsp_player.grounding.instances import Recording, possible_atoms
from scsp_player.grounding.pairs import pairs, position_in
from scsp_player.grounding.rulebase import DOES, INIT, LEGAL, NEXT, TRUE, Rulebase, components
from scsp_player.grounding.simplification import RuleArrays, Simplifier, bytes_needed, collect
from scsp_player.grounding.static import prepared_rules
from scsp_player.grounding.store import Store

SECONDS_FOR_A_RULE: Final = 3e-7
"""Time from the instance of a rule to the game, at least; kernels that simplify cannot be interrupted."""


def ground_within(program: Program, budget: Budget, *, restricted: bool = False) -> GroundGame:
    """All ground rules of a program, simplified (see ``grounder.ground``)."""
    store = Store(budget)
    statistics = Statistics(store)
    rules = prepared_rules(program, store, statistics, restricted=restricted)
    if restricted:
        rules.restrict(statistics.matches, positive=False)
    possible_atoms(rules, [*rules.clauses, *rules.demand_clauses], statistics)
    budget.start_trial(None)  # what is possible is known; writing down the instances is work of the same order
    atoms = number_atoms(store, sorted(rules.dynamic - rules.demand_relations))
    instances = Recording(store, rules.clauses, rules.dynamic, statistics).instances()
    budget.check_bytes(4 * len(store.heap) + sum(bytes_needed(i) for i in instances), of_trial=False)
    budget.check(ahead=SECONDS_FOR_A_RULE * sum(len(i.literals) for i in instances))
    arrays = collect(instances)
    del instances
    budget.check()
    simplifier = simplified(rules, arrays, atoms)
    budget.check()
    check_cycles = any(c.negative for c in components(rules.clauses))
    return Assembler(rules, simplifier, check_cycles=check_cycles).game()


def simplified(rules: Rulebase, arrays: RuleArrays, atoms: int) -> Simplifier:
    """Constants found in the ground rules, with what ``next`` and ``legal`` make possible linked to ``true`` and ``does``."""
    store = rules.store
    base = {name: store.field(rules.relation(name), "atom_base") for name in (TRUE, DOES, NEXT, LEGAL)}
    rows = {name: store.rows(rules.relation(name)) for name in (TRUE, DOES, NEXT, LEGAL, INIT)}
    inputs = np.zeros(atoms, dtype=np.bool_)
    for name in (TRUE, DOES):
        inputs[base[name] : base[name] + len(rows[name])] = True
    terms = store.terms()
    fluent = np.full(terms, -1, dtype=np.int32)
    fluent[rows[TRUE][:, 0]] = base[TRUE] + np.arange(len(rows[TRUE]), dtype=np.int32)
    link = np.full(atoms, -1, dtype=np.int32)
    initial = [fluent[rows[INIT][:, 0]]]
    if rules.relation(NEXT) in rules.dynamic:
        link[base[NEXT] + np.arange(len(rows[NEXT]))] = fluent[rows[NEXT][:, 0]]
    else:
        initial.append(fluent[rows[NEXT][:, 0]])
    move = position_in(pairs(rows[DOES]), pairs(rows[LEGAL]))
    target = (base[DOES] + move[move >= 0]).astype(np.int32)
    if rules.relation(LEGAL) in rules.dynamic:
        link[base[LEGAL] + np.flatnonzero(move >= 0)] = target
    else:
        initial.append(target)
    simplifier = Simplifier(arrays, atoms, inputs)
    simplifier.remove_unfounded(link, np.concatenate(initial).astype(np.int32))
    return simplifier


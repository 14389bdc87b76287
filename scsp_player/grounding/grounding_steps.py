"""The steps of grounding, one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Final

import numpy as np

from scsp_player.gdl.program import Program
from scsp_player.grounding.assembly import Assembler
from scsp_player.grounding.atoms import number_atoms
from scsp_player.grounding.budget import Budget, TrialOver
from scsp_player.grounding.evaluation import Statistics
from scsp_player.grounding.ground_game import GroundGame
from scsp_player.grounding.instances import Recording, possible_atoms
from scsp_player.grounding.pairs import pairs, position_in
from scsp_player.grounding.rulebase import DOES, INIT, LEGAL, NEXT, TRUE, Rulebase, components
from scsp_player.grounding.simplification import RuleArrays, Simplifier, bytes_needed, collect
from scsp_player.grounding.static import prepared_rules
from scsp_player.grounding.store import Store
from scsp_player.grounding.wide_demands import wide_demands

STEPS_BEFORE_LOOKING: Final = 8_000_000
"""Steps after which the sizes of demands tell something."""

SECONDS_FOR_A_RULE: Final = 3e-7
"""Time from the instance of a rule to the game, at least; kernels that simplify cannot be interrupted."""


def ground_within(
    program: Program,
    budget: Budget,
    *,
    restricted: bool = False,
    relaxed: Mapping[int, frozenset[int]] | None = None,
    noticed: dict[int, frozenset[int]] | None = None,
) -> GroundGame:
    """All ground rules of a program, simplified (see ``grounder.ground``).

    Args:
        program: a normalised rule sheet.
        budget: bounds on time and memory.
        restricted: derived relations are computed for what is asked for only (see ``demand``).
        relaxed: columns that are not asked for by value.
        noticed: columns that should not be asked for are entered here if there are any; then it is no use to go on.

    Raises:
        TrialOver: if the trial is over, or something was noticed.
    """
    store = Store(budget)
    statistics = Statistics(store)
    rules = prepared_rules(program, store, statistics, restricted=restricted)
    if restricted:
        rules.cover_dense_joins()
        rules.restrict(statistics.matches, positive=False, relaxed=relaxed or {})
    if noticed is not None:
        budget.look_after(STEPS_BEFORE_LOOKING, partial(notice_wide_demands, rules, noticed))
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


def notice_wide_demands(rules: Rulebase, noticed: dict[int, frozenset[int]]) -> None:
    """Raise ``TrialOver`` if there are demands that are too wide, which are entered in ``noticed``."""
    noticed.update(wide_demands(rules))
    if noticed:
        raise TrialOver("some demands cost more than they save")


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


"""What a sheet says about its own fluents and moves by ``base`` and ``input``."""

from __future__ import annotations

import time
from dataclasses import replace

from scsp_player.gdl.errors import GdlError
from scsp_player.gdl.program import Program, Rule
from scsp_player.gdl.terms import Compound, Term, signature
from scsp_player.grounding import BudgetExceeded, Reasoner

_READ_AS = {("base", 1): "init", ("input", 2): "legal"}
_MEMORY_BYTES = 1 << 28


def hinted(program: Program, seconds: float) -> tuple[frozenset[Term] | None, tuple[frozenset[Term], ...] | None]:
    """The fluents that ``base`` lists, and for each role the moves that ``input`` lists; None where a sheet lists none.

    The two are evaluated as if they were the initial state and the legal moves of a game with no other rules than those that do not
    depend on the state. Both are None if that takes too long, or more than a modest amount of memory, or has no meaning.
    """
    given = {signature(rule.head) for rule in program.rules} & _READ_AS.keys()
    if not given:
        return None, None
    try:
        machine = Reasoner(_hints_alone(program), seconds=seconds, memory_bytes=_MEMORY_BYTES, clock=time.process_time)
        state = machine.initial_state()
        fluents = machine.fluents(state) if ("base", 1) in given else None
        moves = tuple(map(frozenset, machine.legal_moves(state))) if ("input", 2) in given else None
    except (BudgetExceeded, GdlError):
        return None, None
    return fluents, moves


def _hints_alone(program: Program) -> Program:
    """The rules without a state, with ``base`` for ``init`` and ``input`` for ``legal``."""
    dynamic = {("true", 1), ("does", 2)}
    size = 0
    while size != (size := len(dynamic)):
        dynamic |= {signature(r.head) for r in program.rules if any(signature(x.atom) in dynamic for x in r.body)}
    dropped = dynamic | {("init", 1), ("legal", 2), ("next", 1), ("sees", 2), ("goal", 2), ("terminal", 0)}
    return replace(program, rules=tuple(_renamed(rule) for rule in program.rules if signature(rule.head) not in dropped))


def _renamed(rule: Rule) -> Rule:
    name = _READ_AS.get(signature(rule.head))
    if name is None:
        return rule
    assert isinstance(rule.head, Compound)
    return replace(rule, head=Compound(name, rule.head.arguments))

"""Checks of a rule sheet by random matches: one class for each; their levels stand with all others in ``gdl.checks.LEVELS``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Protocol

from scsp_player.arena.hints import hinted
from scsp_player.arena.simulation import Moment, Scope, Simulation, require_stratified
from scsp_player.gdl.checks import LEVELS, Message
from scsp_player.gdl.checks.message import Finding
from scsp_player.gdl.errors import GdlError, Position
from scsp_player.gdl.printing import kif_term
from scsp_player.gdl.program import Program
from scsp_player.gdl.terms import Compound, Symbol, Term, Variable, signature

SHOWN_MOVES = 12
"""Joint moves of a path that are spelled out."""

SHOWN_FLUENTS = 12
"""Fluents of a state that are spelled out."""

CYCLE_SHARE = 0.5
"""Share of the time for the question whether a cycle of relations through ``not`` is one of ground atoms too."""

HINT_SECONDS = 1.0
"""Time for evaluating ``base`` and ``input``."""


class SimulationCheck(Protocol):
    """One question to each state that is reached."""

    def look(self, moment: Moment) -> Iterator[Finding]:
        """Everything in a state that the check objects to."""


class Playable:
    """Every role has a legal move in every state in which the match goes on."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def look(self, moment: Moment) -> Iterator[Finding]:
        """One finding for each role without a move."""
        for role, moves in zip(self._program.roles, moment.legal or (), strict=False):
            if not moves:
                text = f"role {role} has no legal move {_place(self._program, moment)}; add a legal rule, or end the match there"
                yield Finding("no-legal-move", _position(self._program, ("legal", 2), role), text)


class UniqueGoals:
    """Every role but ``random`` has exactly one goal when the match is over."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def look(self, moment: Moment) -> Iterator[Finding]:
        """One finding for each role with no goal, or with several."""
        for role, goal in zip(self._program.roles, moment.goals or (), strict=False):
            if goal is None and role != "random":
                text = f"role {role} has no goal, or several, {_place(self._program, moment)}; it needs exactly one"
                yield Finding("goal-not-unique", _position(self._program, ("goal", 2), role), text)


class Terminating:
    """Matches come to an end."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def look(self, moment: Moment) -> Iterator[Finding]:
        """A finding for a match that was given up."""
        if moment.cut:
            text = f"a random match goes on after {len(moment.path)} moves; make sure that every match ends, with a step counter"
            yield Finding("no-end", _position(self._program, ("terminal", 0)), text)


class Begins:
    """The initial state is not the end."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def look(self, moment: Moment) -> Iterator[Finding]:
        """A finding if the match is over before it begins."""
        if moment.terminal and not moment.path:
            text = "the match is over in its initial state; correct init or terminal if that is not meant"
            yield Finding("over-at-start", _position(self._program, ("terminal", 0)), text)


class CompleteHints:
    """``base`` and ``input`` list everything that comes up; players that trust them go wrong otherwise."""

    def __init__(self, program: Program, seconds: float) -> None:
        self._program = program
        self._fluents, self._moves = hinted(program, seconds)

    def look(self, moment: Moment) -> Iterator[Finding]:
        """One finding for each state with a fluent that ``base`` does not list, and for each role with such a move."""
        if self._fluents is not None and not moment.fluents <= self._fluents:
            missing = kif_term(min(moment.fluents - self._fluents), self._program.spelling)
            text = f"fluent not covered by base: {missing}; add (base {missing}) or a rule for it"
            yield Finding("hint-incomplete", _position(self._program, ("base", 1)), text)
        if self._moves is not None:
            for role, moves, listed in zip(self._program.roles, moment.legal or (), self._moves, strict=False):
                if not listed.issuperset(moves):
                    missing = kif_term(min(set(moves) - listed), self._program.spelling)
                    text = f"legal not covered by input: {missing} of role {role}; add (input {role} {missing}) or a rule for it"
                    yield Finding("hint-incomplete", _position(self._program, ("input", 2), role), text)


def simulate(program: Program, messages: list[Message], scope: Scope) -> tuple[list[Message], Simulation]:
    """The messages of a sheet that reads well, completed by what random matches show.

    Args:
        program: a sheet without errors.
        messages: what ``check_program`` has said about it.
        scope: how much may be simulated.

    Returns:
        All messages in the order of the sheet, and what was simulated.
    """
    simulation = Simulation(program, scope)
    whole = Position(program.source, 1, 1)
    found: dict[tuple[str, Position], Finding] = {}  # of each kind the first at each place
    try:
        cycles = any(message.check == "negative-cycle" for message in messages)
        if cycles and require_stratified(program, CYCLE_SHARE * scope.seconds):
            messages = [_settled(message) for message in messages]
        checks: list[SimulationCheck] = [kind(program) for kind in (Playable, UniqueGoals, Terminating, Begins)]
        checks.append(CompleteHints(program, min(HINT_SECONDS, simulation.left)))
        for moment in simulation.moments():
            for check in checks:
                for finding in check.look(moment):
                    found.setdefault((finding.kind, finding.position or whole), finding)
    except GdlError as error:
        kind = "unstratified" if "its own negation" in error.message else "unplayable"
        text = error.message + (f"; {error.remedy}" if error.remedy else "")
        found[kind, error.position or whole] = Finding(kind, error.position, text)
    new = [Message(LEVELS[kind], kind, position, finding.text) for (kind, position), finding in found.items()]
    return sorted([*messages, *new], key=lambda message: (message.position.line, message.position.column)), simulation


def _settled(message: Message) -> Message:
    """A cycle of relations that is none of ground atoms."""
    if message.check != "negative-cycle":
        return message
    text = f"{message.text.partition(';')[0]}; no ground atom depends on its own negation, but other programs may refuse the sheet"
    return replace(message, text=text)


def _position(program: Program, relation: tuple[str, int], role: str | None = None) -> Position | None:
    """The first rule of a relation, if possible one for the role."""
    heads = [rule for rule in program.rules if signature(rule.head) == relation]

    def fits(term: Term) -> bool:
        owner = term.arguments[0] if isinstance(term, Compound) else None
        return isinstance(owner, Variable) or (isinstance(owner, Symbol) and owner.name == role)

    return next((rule.position for rule in heads if role is None or fits(rule.head)), heads[0].position if heads else None)


def _place(program: Program, moment: Moment) -> str:
    """Where a state is in a match: the way there, and what is true."""

    def show(term: Term) -> str:
        return kif_term(term, program.spelling)

    fluents = [show(fluent) for fluent in sorted(moment.fluents)]
    state = " ".join(fluents[:SHOWN_FLUENTS]) + (f" and {rest} more" if (rest := len(fluents) - SHOWN_FLUENTS) > 0 else "")
    if not moment.path:
        return f"in the initial state {{{state}}}"
    moves = [" | ".join(map(show, joint)) for joint in moment.path]
    way = ("… " if len(moves) > SHOWN_MOVES else "") + ", ".join(moves[-SHOWN_MOVES:])
    return f"after {len(moves)} move{'s' if len(moves) > 1 else ''} ({way}) in the state {{{state}}}"

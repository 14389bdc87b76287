"""Replays recorded traces on an engine and reports every state on which the two disagree.

A trace is a JSON document (gzipped or plain): roles, and states with their fluents, terminal flag, legal moves, goals, the joint
move played, what each role saw, and the index of the state that followed.
"""

from __future__ import annotations

import gzip
import json
import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scsp_player.gdl import GdlError, Program, load_program, parse_term
from scsp_player.gdl.terms import Term
from scsp_player.grounding import BudgetExceeded
from scsp_player.machine import StateMachine
from scsp_player.network import NetworkTooLargeError

MachineFactory = Callable[[Program], StateMachine]


@dataclass(frozen=True)
class Mismatch:
    """One answer of an engine that differs from the recorded one.

    Attributes:
        trace: name of the trace file.
        engine: name of the engine.
        state: index of the state in the trace.
        question: ``roles``, ``terminal``, ``legal``, ``goals``, ``successor``, ``percepts`` or ``state``.
        recorded: the recorded answer, printed; for sets, what the engine lacks.
        answered: the engine's answer, printed; for sets, what the engine has in addition.
    """

    trace: str
    engine: str
    state: int
    question: str
    recorded: str
    answered: str

    def __str__(self) -> str:
        place = f"{self.trace}, state {self.state}, {self.engine}"
        return f"{place}: {self.question} recorded {self.recorded or 'nothing'}, answered {self.answered or 'nothing'}"


@dataclass(frozen=True)
class Conformance:
    """Outcome of one trace on one engine.

    Attributes:
        trace: name of the trace file.
        engine: name of the engine.
        states: number of states compared.
        mismatches: in the order of the trace; empty if the engine agrees everywhere.
        skipped: why not all states were compared; empty if they were.
    """

    trace: str
    engine: str
    states: int = 0
    mismatches: tuple[Mismatch, ...] = ()
    skipped: str = ""


@dataclass
class _Comparison:
    trace: str
    engine: str
    found: list[Mismatch] = field(default_factory=list)

    def values(self, state: int, question: str, recorded: object, answered: object) -> None:
        if recorded != answered:
            self.found.append(Mismatch(self.trace, self.engine, state, question, str(recorded), str(answered)))

    def sets(self, state: int, question: str, recorded: set[Term], answered: set[Term]) -> None:
        if recorded != answered:
            missing, extra = sorted(recorded - answered), sorted(answered - recorded)
            self.found.append(
                Mismatch(self.trace, self.engine, state, question, " ".join(map(str, missing)), " ".join(map(str, extra)))
            )


def read_trace(path: Path) -> dict[str, Any]:
    """The JSON document of a trace.

    Raises:
        GdlError: if the file is not a trace.
    """
    try:
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        trace = json.loads(data)
        if not isinstance(trace, dict) or not {"file", "roles", "states"} <= trace.keys():
            raise ValueError("the keys file, roles and states are not all there")
    except (OSError, EOFError, ValueError) as error:
        raise GdlError(f"{path} is not a trace: {error}", remedy="give a recorded trace, JSON or gzipped JSON") from error
    return trace


def sheet_of(path: Path, trace: dict[str, Any]) -> Path:
    """The rule sheet that a trace was recorded on: beside the trace, or in ``games``/``games-gdl2`` beside the trace's folder.

    Raises:
        GdlError: if it is in none of these places.
    """
    name = Path(trace["file"]).name
    folder = path.resolve().parent
    places = [folder, folder.parent / folder.name.replace("traces", "games"), folder.parent / "games"]
    for place in places:
        if (place / name).is_file():
            return place / name
    raise GdlError(f"no rule sheet {name} for {path}", remedy=f"put it into one of {', '.join(map(str, places))}")


def conform(path: Path, engine: str, factory: MachineFactory, *, seconds: float = math.inf) -> Conformance:
    """Compare one engine with one trace, state by state.

    Recorded peculiarities are respected: no goal, or several, is a score of zero; legal moves count where the match goes on; upper
    and lower case are the same, and so are a name and that name in parentheses.

    Args:
        path: the trace.
        engine: the engine's name, for the report.
        factory: makes the engine from the program; a game that is not for it (unusable, over budget, too large) is skipped.
        seconds: processor time after which the rest of the states is skipped.

    Raises:
        GdlError: if the file is no trace.
    """
    end = time.process_time() + seconds
    trace = read_trace(path)
    states = trace["states"]
    comparison = _Comparison(path.name, engine)
    compared, skipped = 0, ""
    try:
        machine = factory(load_program(sheet_of(path, trace)))
        comparison.values(0, "roles", tuple(trace["roles"]), machine.roles)
        for compared, record in enumerate(states):
            if time.process_time() > end:
                skipped = f"more than {seconds:g} s of processor time, {compared} of {len(states)} states compared"
                break
            _compare_state(comparison, machine, compared, record, states)
        else:
            compared = len(states)
    except (GdlError, BudgetExceeded, NetworkTooLargeError, MemoryError) as error:
        skipped = f"{type(error).__name__}: {error}" + (f", {compared} of {len(states)} states compared" if compared else "")
    return Conformance(path.name, engine, compared, tuple(comparison.found), skipped)


def _terms(texts: list[str]) -> set[Term]:
    return {parse_term(text) for text in texts}


def _compare_state(
    comparison: _Comparison, machine: StateMachine, index: int, record: dict[str, Any], states: list[dict[str, Any]]
) -> None:
    try:
        state = machine.state(_terms(record["fluents"]))
    except ValueError as error:
        comparison.values(index, "state", "a state", str(error))
        return
    if record["playout"] == record["depth"] == 0:
        comparison.sets(index, "initial state", _terms(record["fluents"]), set(machine.fluents(machine.initial_state())))
    comparison.values(index, "terminal", record["terminal"], machine.is_terminal(state))
    if record.get("goals") is not None:
        # No goal, or several, is a score of zero in every engine; the network knows only the score.
        comparison.values(index, "goals", _scores(record["goals"]), _scores(machine.goals(state)))
    if record.get("legal") is not None:
        for role, recorded, answered in zip(machine.roles, record["legal"], machine.legal_moves(state), strict=True):
            comparison.sets(index, f"legal moves of {role}", _terms(recorded), set(answered))
    if record.get("move") is not None and not comparison.found:
        joint = [parse_term(move) for move in record["move"]]
        if record.get("next") is not None:
            successor = machine.fluents(machine.successor(state, joint))
            comparison.sets(index, "successor", _terms(states[record["next"]]["fluents"]), set(successor))
        if record.get("sees") is not None:
            for role, seen, answered_set in zip(machine.roles, record["sees"], machine.percepts(state, joint), strict=True):
                comparison.sets(index, f"percepts of {role}", _terms(seen), set(answered_set))


def _scores(goals: Iterable[int | None]) -> tuple[int, ...]:
    return tuple(goal or 0 for goal in goals)

"""One match between agents in this process, with the processor time of each kept, so that a busy machine harms nobody."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from scsp_player.agents.base import Agent, Turn
from scsp_player.agents.registry import agent_kind
from scsp_player.agents.searching import SearchingAgent
from scsp_player.arena.sheet import CHANCE, Sheet
from scsp_player.gdl.terms import Term
from scsp_player.machine import State, StateMachine

LATE_SHARE = 0.1
LATE_SECONDS = 0.05
"""An agent is late if it takes more than its time, a tenth of it, and this."""

CHANCE_STREAM = 1
"""Which stream of a seed the moves of chance are drawn from."""


@dataclass(frozen=True)
class Terms:
    """What the players of a match are given.

    Attributes:
        start: seconds to prepare.
        play: seconds for each move.
        turn_limit: joint moves after which a match is broken off; everybody scores 0.
        forced: whether there is time for a move without alternative as well; a search may use it to look ahead.
    """

    start: float = 10.0
    play: float = 0.3
    turn_limit: int = 1000
    forced: bool = True


@dataclass(frozen=True)
class Outcome:
    """How a match ended.

    Attributes:
        scores: role to score.
        turns: joint moves.
        late: role to number of moves that took too long; they count all the same.
        illegal: role to number of moves that were not legal; a random one was played.
        seconds: role to processor seconds for all its moves (wall-clock seconds for agents that know no other clock).
    """

    scores: dict[str, int]
    turns: int
    late: dict[str, int]
    illegal: dict[str, int]
    seconds: dict[str, float]


def make_agent(spec: str) -> Agent:
    """The agent of a name such as ``mac-ucb`` or ``mac-ucb+exploration=0.2+batch=32``; settings only for agents that search.

    Raises:
        LookupError: if there is no agent of this name, or no such setting.
        ValueError: if the value of a setting is not of its kind.
    """
    name, *options = spec.split("+")
    agent = agent_kind(name).make()
    for option in options:
        key, _, text = option.partition("=")
        fields = {field.name: field for field in dataclasses.fields(agent.settings)} if isinstance(agent, SearchingAgent) else {}
        if key not in fields or not isinstance(agent, SearchingAgent):
            raise LookupError(f"{name} has no setting {key!r}" + (f"; there are {', '.join(fields)}" if fields else ""))
        before = getattr(agent.settings, key)
        value: Any = text == "True" if isinstance(before, bool) else int(text) if before is None else type(before)(text)
        agent.settings = dataclasses.replace(agent.settings, **{key: value})
    return agent


@dataclass
class _Seat:
    role: str
    agent: Agent
    clock: Callable[[], float]
    late: int = 0
    illegal: int = 0
    seconds: float = 0.0


def play_match(sheet: Sheet, machine: StateMachine, seating: Mapping[str, str], terms: Terms, seed: int) -> Outcome:
    """Play a match.

    Args:
        sheet: the game.
        machine: judges it.
        seating: role to agent, for every role that needs a player.
        terms: clocks.
        seed: of chance and of the agents.
    """
    # A stream of its own: an agent with the same numbers would guess what chance does.
    rng = np.random.default_rng((seed, CHANCE_STREAM))
    seats = []
    for role in sheet.seats:
        agent = make_agent(seating[role])
        clock: Callable[[], float] = time.monotonic
        if isinstance(agent, SearchingAgent):
            agent.clock = clock = time.thread_time
        seats.append(_Seat(role, agent, clock))
    state = machine.initial_state()
    joint: tuple[Term, ...] | None = None
    percepts: tuple[frozenset[Term], ...] | None = None
    turns = 0
    try:
        for number, seat in enumerate(seats):
            deadline = seat.clock() + terms.start
            seat.agent.start(sheet.program, seat.role, play_seconds=terms.play, deadline=deadline, seed=seed * 10 + number)
        while not machine.is_terminal(state) and turns < terms.turn_limit:
            legal = dict(zip(machine.roles, machine.legal_moves(state), strict=True))
            chosen = {role: moves[rng.integers(len(moves))] for role, moves in legal.items()}
            for seat in seats:
                turn = _turn(sheet, machine.roles.index(seat.role), turns, joint, percepts)
                move = _ask(seat, turn, terms.play if terms.forced or len(legal[seat.role]) > 1 else 0.0)
                if move in legal[seat.role]:
                    chosen[seat.role] = move
                else:
                    seat.illegal += 1
            joint = tuple(chosen[role] for role in machine.roles)
            percepts = machine.percepts(state, joint) if sheet.hidden else None
            state = machine.successor(state, joint)
            turns += 1
    finally:
        for seat in seats:
            seat.agent.stop()
    return _outcome(machine, state, seats, turns)


def _turn(
    sheet: Sheet, role: int, number: int, joint: tuple[Term, ...] | None, percepts: tuple[frozenset[Term], ...] | None
) -> Turn:
    if joint is None:
        return Turn(0)
    if percepts is None:
        return Turn(number, joint_move=joint)
    return Turn(number, own_move=joint[role], percepts=percepts[role])


def _ask(seat: _Seat, turn: Turn, seconds: float) -> Term:
    begin = seat.clock()
    move = seat.agent.play(turn, begin + seconds)
    used = seat.clock() - begin
    seat.seconds += used
    # Without time there is nothing to exceed: whatever follows the match takes some.
    seat.late += seconds > 0 and used > seconds * (1 + LATE_SHARE) + LATE_SECONDS
    return move


def _outcome(machine: StateMachine, state: State, seats: list[_Seat], turns: int) -> Outcome:
    goals = machine.goals(state) if machine.is_terminal(state) else (0,) * len(machine.roles)
    return Outcome(
        scores={role: goal or 0 for role, goal in zip(machine.roles, goals, strict=True) if role != CHANCE},
        turns=turns,
        late={seat.role: seat.late for seat in seats},
        illegal={seat.role: seat.illegal for seat in seats},
        seconds={seat.role: seat.seconds for seat in seats},
    )

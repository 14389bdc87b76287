"""Which state to translate: the initial one, or one that moves lead to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from scsp_player.gdl import GdlError, Program, read_expressions, term_from_expression
from scsp_player.gdl import Position as Place
from scsp_player.gdl.sexpr import Group
from scsp_player.gdl.terms import Term
from scsp_player.grounding import Reasoner
from scsp_player.machine import State


@dataclass(frozen=True)
class Position:
    """A state and how it was reached.

    Attributes:
        moves: the joint moves from the initial state, one move a role in each.
        fluents: what is true in the state.
    """

    moves: tuple[tuple[Term, ...], ...]
    fluents: frozenset[Term]


def position(program: Program, at: str, *, seed: int = 0, moves: Path | None = None) -> Position:
    """The state that ``at`` describes, after the moves of a file if there is one.

    Args:
        program: the rules.
        at: ``init`` or ``template`` (the state the file leads to), or ``random:N``: up to N joint moves, each role's drawn
            uniformly from its legal ones; fewer if the match ends before.
        seed: seed of the draws.
        moves: file of joint moves, one a line, as moves in a row or as one list.

    Raises:
        GdlError: if ``at`` makes no sense, the file cannot be read, or a move in it is not legal.
    """
    steps = _random_steps(at)
    reasoner = Reasoner(program)
    state = reasoner.initial_state()
    played: list[tuple[Term, ...]] = []
    for place, joint in _read_moves(moves, len(program.roles)) if moves is not None else []:
        _check(reasoner, state, joint, place)
        state = reasoner.successor(state, joint)
        played.append(joint)
    generator = np.random.default_rng(seed)
    for _ in range(steps):
        legal = reasoner.legal_moves(state)
        if reasoner.is_terminal(state) or not all(legal):
            break
        joint = tuple(choices[int(generator.integers(len(choices)))] for choices in legal)
        state = reasoner.successor(state, joint)
        played.append(joint)
    return Position(tuple(played), reasoner.fluents(state))


def _random_steps(at: str) -> int:
    if at in ("init", "template"):
        return 0
    kind, _, number = at.partition(":")
    if kind != "random" or not number.isdecimal() or len(number) > 9:
        raise GdlError(f"no state is called {at}", remedy="say template, init or random:N")
    return int(number)


def _read_moves(path: Path, roles: int) -> list[tuple[Place, tuple[Term, ...]]]:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise GdlError(f"{path} cannot be read: {error.strerror or error}", remedy="name a file of joint moves") from error
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        place = Place(str(path), number, 1)
        try:
            items = read_expressions(line, str(path))
            if len(items) == 1 and isinstance(items[0], Group) and roles > 1:
                items = list(items[0].items)
            joint = tuple(term_from_expression(item) for item in items)
        except GdlError as error:
            raise GdlError(error.message, place, error.remedy) from error
        if joint:
            found.append((place, joint))
    return found


def _check(reasoner: Reasoner, state: State, joint: tuple[Term, ...], place: Place) -> None:
    if len(joint) != len(reasoner.roles):
        raise GdlError(
            f"{len(joint)} moves for {len(reasoner.roles)} roles", place, f"write one for each of {', '.join(reasoner.roles)}"
        )
    if reasoner.is_terminal(state):
        raise GdlError("the match is over before this move", place, "remove the line")
    for role, move, legal in zip(reasoner.roles, joint, reasoner.legal_moves(state), strict=True):
        if move not in legal:
            shown = " ".join(map(str, legal[:8])) + (" …" if len(legal) > 8 else "")
            raise GdlError(f"{move} is not a legal move of {role}", place, f"legal are {shown}")

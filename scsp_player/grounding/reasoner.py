"""The fallback engine: the rules evaluated on one state at a time, without ground rules."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scsp_player.gdl.program import Program
from scsp_player.gdl.scores import score_of
from scsp_player.gdl.terms import Compound, Term, Variable, signature
from scsp_player.grounding.budget import Budget, BudgetExceeded, TrialOver
from scsp_player.grounding.preparation import prepare_kernels
from scsp_player.grounding.rulebase import GOAL, INIT, LEGAL, NEXT, SEES, TERMINAL
from scsp_player.grounding.state_rules import StateRules

IntArray = NDArray[np.int32]

TRIAL_STEPS: Final = 1_000_000

LISTED_TERMS: Final = 200_000
"""Moves in the sorted lists that are remembered."""


class Reasoner:
    """A ``StateMachine`` that joins the rules with the facts of one state.

    Static relations are computed once. A question evaluates the components that it needs and that no earlier question about the
    same state has evaluated. A state is the sorted identifiers of its fluents as bytes. A question that needs more than its bounds
    raises ``BudgetExceeded``, and the next one starts afresh.
    """

    def __init__(
        self, program: Program, *, seconds: float = 60.0, memory_bytes: int = 4 << 30, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Compute the static relations, and compile the others.

        Args:
            program: a normalised rule sheet.
            seconds: bound on the time of each question, and of the beginning.
            memory_bytes: bound on the relations, of each question and of the static ones.
            clock: what counts as time, in seconds.

        Raises:
            GdlError: if the sheet is unsafe, a relation depends on its own negation, or a goal value is written that is no integer.
            BudgetExceeded: if the static relations or the initial state need more than the bounds.
        """
        self._budget = partial(Budget, seconds, memory_bytes, clock)
        self._roles = tuple(dict.fromkeys(program.roles))
        prepare_kernels()
        self._rules = _compiled(program, self._budget())
        self._store = self._rules.store
        self._role_symbol = [self._store.symbol(role) for role in self._roles]
        self._move_shapes = _shapes(program, LEGAL, 1)
        self._fluent_shapes = _shapes(program, INIT, 0) | _shapes(program, NEXT, 0)
        self._text: dict[int, str] = {}
        self._lists: dict[bytes, tuple[Term, ...]] = {}
        self._listed = 0
        self._state: bytes | None = None
        self._joint: bytes | None = None

    @property
    def roles(self) -> tuple[str, ...]:
        """Names of the roles, ``random`` included."""
        return self._roles

    def initial_state(self) -> bytes:
        """The state in which every match starts."""
        return _packed(self._rules.rows(INIT)[:, 0])

    def state(self, fluents: Iterable[Term]) -> bytes:
        """The state in which exactly ``fluents`` are true.

        Raises:
            ValueError: if a fluent is of a form that the rules never make true.
        """
        wanted = list(fluents)
        for fluent in wanted:
            if None not in self._fluent_shapes and signature(fluent) not in self._fluent_shapes:
                raise ValueError(f"{fluent} can never be true in {self._rules.program.source}")
        return _packed(np.array([self._store.term(f) for f in wanted], dtype=np.int32))

    def fluents(self, state: bytes) -> frozenset[Term]:
        """The fluents that are true in ``state``."""
        return frozenset(self._store.decoded(t) for t in np.frombuffer(state, dtype=np.int32).tolist())

    def is_terminal(self, state: bytes) -> bool:
        """Whether the match is over in ``state``."""
        return bool(len(self._answers(TERMINAL, state)))

    def legal_moves(self, state: bytes) -> tuple[tuple[Term, ...], ...]:
        """For each role its legal moves, sorted by their printed form."""
        rows = self._answers(LEGAL, state)
        return tuple(self._sorted(rows[rows[:, 0] == role, 1]) for role in self._role_symbol)

    def goals(self, state: bytes) -> tuple[int | None, ...]:
        """For each role its score, or None if the rules give it no score or several in ``state``; what is no number is no score."""
        rows = self._answers(GOAL, state)
        held = [{score_of(self._store.decoded(v)) for v in rows[rows[:, 0] == role, 1].tolist()} for role in self._role_symbol]
        return tuple(scores.pop() if len(scores := values - {None}) == 1 else None for values in held)

    def successor(self, state: bytes, joint_move: Sequence[Term]) -> bytes:
        """The state after ``joint_move`` (one move a role).

        Raises:
            ValueError: if a move is of a form that is never legal.
        """
        return _packed(self._answers(NEXT, state, joint_move)[:, 0])

    def percepts(self, state: bytes, joint_move: Sequence[Term]) -> tuple[frozenset[Term], ...]:
        """For each role what it sees as a consequence of ``joint_move`` in ``state``."""
        rows = self._answers(SEES, state, joint_move)
        seen = [rows[rows[:, 0] == role, 1].tolist() for role in self._role_symbol]
        return tuple(frozenset(self._store.decoded(p) for p in ps) for ps in seen)

    def _sorted(self, identifiers: IntArray) -> tuple[Term, ...]:
        """Terms by their printed form. States have many lists of moves in common, and to sort one takes longer than to find it."""
        key = identifiers.tobytes()
        terms = self._lists.get(key)
        if terms is None:
            self._listed += len(identifiers)
            if self._listed > LISTED_TERMS:
                self._lists, self._listed = {}, len(identifiers)
            terms = tuple(self._store.decoded(m) for m in sorted(identifiers.tolist(), key=self._printed))
            self._lists[key] = terms
        return terms

    def _printed(self, identifier: int) -> str:
        text = self._text.get(identifier)
        if text is None:
            text = self._text[identifier] = str(self._store.decoded(identifier))
        return text

    def _answers(self, name: tuple[str, int], state: bytes, joint_move: Sequence[Term] | None = None) -> IntArray:
        """The rows of a relation in a state, with the moves done if there are any."""
        self._store.budget = self._budget()
        joint = None if joint_move is None else self._joint_of(joint_move)
        try:
            if state != self._state:
                self._rules.set_state(np.frombuffer(state, dtype=np.int32))
                self._state, self._joint = state, None
            if joint is not None and joint != self._joint:
                self._rules.set_moves(np.frombuffer(joint, dtype=np.int32).reshape(-1, 2))
                self._joint = joint
            return self._rules.answers(name)
        except BudgetExceeded:
            self._store.abandon()
            self._state = None
            raise

    def _joint_of(self, joint_move: Sequence[Term]) -> bytes:
        if len(joint_move) != len(self._roles):
            raise ValueError(f"{len(joint_move)} moves for {len(self._roles)} roles")
        for move in joint_move:
            if None not in self._move_shapes and signature(move) not in self._move_shapes:
                raise ValueError(f"{move} is no move of {self._rules.program.source}")
        pairs = [[r, self._store.term(m)] for r, m in zip(self._role_symbol, joint_move, strict=True)]
        return np.array(pairs, dtype=np.int32).tobytes()


def _compiled(program: Program, budget: Budget) -> StateRules:
    """The rules as they are, or restricted to what is asked for if they take too many steps in the initial state."""
    budget.start_trial(TRIAL_STEPS)
    try:
        return StateRules(program, budget)
    except TrialOver:
        budget.start_trial(None)
        return StateRules(program, budget, restricted=True)


def _packed(identifiers: IntArray) -> bytes:
    return np.unique(identifiers).astype(np.int32).tobytes()


def _shapes(program: Program, name: tuple[str, int], argument: int) -> set[tuple[str, int] | None]:
    """Functor and arity of an argument of all heads of a relation; None stands for a variable."""
    shapes: set[tuple[str, int] | None] = set()
    for rule in program.rules:
        if signature(rule.head) == name:
            assert isinstance(rule.head, Compound)
            term = rule.head.arguments[argument]
            shapes.add(None if isinstance(term, Variable) else signature(term))
    return shapes

"""Fluents of which at most one is ever true: proposed from their shape, refuted by play, proved by induction.

A *claim* is a group of fluents. It holds in every reachable state if it holds in the initial one and every step keeps all claims
that are kept together. After a legal joint move two fluents of a group can only both be true if an alternative of the first and
an alternative of the second hold together. That is impossible if they need disjoint sets of moves of a role, or if what one of
them implies contradicts what the other implies: a literal and its negation, or two fluents of a claim. What a move requires to be
legal, and that the match was not over, counts among the implications. This is weaker than a search, and much faster.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np

from scsp_player.gdl.terms import Compound
from scsp_player.grounding.ground_game import GroundGame, IntArray
from scsp_player.propnet.circuit import Circuit
from scsp_player.propnet.simplify.draft import FALSE, TRUE
from scsp_player.propnet.simplify.move_sets import MoveSet, implied_by
from scsp_player.propnet.simplify.one_move import Rewritten
from scsp_player.propnet.simplify.sampling import packed, random_positions
from scsp_player.propnet.simplify.sampling_kernels import mark_refuted

MAX_FREE_ARITY = 4
"""Of fluents with so many arguments every non-empty set of arguments is tried as the free one, of others single ones."""

LANES, TURNS = 64, 120
"""How many random matches are watched, and for how long."""

MAX_GROUP = 400
"""Larger groups are not looked into: the work grows with the square."""

MAX_SINGLE_MOVES, MAX_CASES = 64, 8
"""Sets of so many moves are looked at move by move, disjunctions of so many fluents fluent by fluent."""

MAX_ALTERNATIVES = 5_000
"""Groups whose fluents have more alternatives together are not looked into."""


@dataclass(frozen=True, eq=False)
class _Alternative:
    """One way in which a fluent can become true: sets of moves, and literals that hold then (of fluents and gates)."""

    moves: dict[int, MoveSet]
    known: frozenset[int]


_Case = tuple[_Alternative, frozenset[int]]
"""An alternative and the literals that contradict it."""


class _Cases:
    """The alternatives of one fluent: those with a set of moves of some role, by role and by move, and the others."""

    def __init__(self, cases: list[_Case]) -> None:
        self.all = cases
        self.plain: list[_Case] = []
        self.arriving: dict[int, list[_Case]] = defaultdict(list)
        self.by_move: dict[int, dict[int, list[_Case]]] = defaultdict(lambda: defaultdict(list))
        for case in cases:
            sets = [moves for moves in case[0].moves.values() if not moves.others]
            if not sets:
                self.plain.append(case)
                continue
            best = min(sets, key=lambda moves: len(moves.moves))
            self.arriving[best.role].append(case)
            for move in best.moves:
                self.by_move[best.role][move].append(case)
        self.known = {r: frozenset.intersection(*(c[0].known for c in cs)) for r, cs in self.arriving.items()}
        self.opposed = {r: frozenset.intersection(*(c[1] for c in cs)) for r, cs in self.arriving.items()}


def exclusive_groups(rewritten: Rewritten, game: GroundGame, deadline: float, *, seed: int = 0) -> list[IntArray]:
    """int32 arrays of fluents of which at most one is true in every state that legal play reaches.

    Args:
        rewritten: a circuit that is right for reachable states and joint legal moves, without exclusions.
        game: its game.
        deadline: value of ``time.thread_time()``; what is not proved by then is left out.
        seed: of the random matches.
    """
    if not rewritten.complete:
        return []
    claims = _not_refuted(rewritten.like, game, _candidates(game), deadline, seed)
    step = _Step(rewritten)
    while claims:
        excluded = exclusions(claims, game.fluents)
        step.assume(excluded)
        kept = []
        for claim in claims:
            if time.thread_time() > deadline:
                return []
            if step.keeps(claim):
                kept.append(claim)
        if len(kept) == len(claims):
            break
        claims = kept
    return claims


def exclusions(groups: Sequence[IntArray], fluents: int) -> list[frozenset[int]]:
    """For each fluent the others of its groups."""
    excluded: list[set[int]] = [set() for _ in range(fluents)]
    for group in groups:
        members = group.tolist()
        for fluent in members:
            excluded[fluent].update(members)
    return [frozenset(others - {fluent}) for fluent, others in enumerate(excluded)]


def _candidates(game: GroundGame) -> list[IntArray]:
    """Groups of fluents that differ in some arguments at most, and those of equal arguments but different functors."""
    shapes: dict[tuple[str, int], list[tuple[int, tuple[object, ...]]]] = defaultdict(list)
    for fluent in range(game.fluents):
        term = game.fluent(fluent)
        arguments: tuple[object, ...] = term.arguments if isinstance(term, Compound) else ()
        shapes[(term.functor if isinstance(term, Compound) else str(term), len(arguments))].append((fluent, arguments))
    found: dict[bytes, IntArray] = {}
    for (_, arity), members in shapes.items():
        for size in range(1, arity + 1 if arity <= MAX_FREE_ARITY else 2):
            for free in combinations(range(arity), size):
                groups: dict[tuple[object, ...], list[int]] = defaultdict(list)
                for fluent, arguments in members:
                    groups[tuple(a for i, a in enumerate(arguments) if i not in free)].append(fluent)
                for group in groups.values():
                    if 1 < len(group) <= MAX_GROUP:
                        array = np.array(sorted(group), np.int32)
                        found[array.tobytes()] = array
    return list(found.values())


def _not_refuted(
    circuit: Circuit, game: GroundGame, groups: list[IntArray], deadline: float, seed: int
) -> list[IntArray]:
    """The groups of which never two members were true in random matches."""
    alive = [g for g in groups if game.initial[g].sum() <= 1]
    start = np.append(0, np.cumsum([len(g) for g in alive])).astype(np.int64)
    members = np.concatenate([*alive, np.zeros(0, np.int32)])
    refuted = np.zeros(len(alive), np.bool_)
    generator = np.random.default_rng(seed)
    for inputs in islice(random_positions(circuit, game, LANES, generator), TURNS):
        mark_refuted(packed(inputs[: game.fluents]), start, members, refuted)
        if time.thread_time() > deadline:
            break
    return [group for group, bad in zip(alive, refuted.tolist(), strict=True) if not bad]


class _Step:
    """The alternatives of every fluent's next value."""

    def __init__(self, rewritten: Rewritten) -> None:
        circuit, draft, outputs = rewritten.like, rewritten.draft, rewritten.outputs
        self._one, self._required, self._draft = rewritten.one, rewritten.required, draft
        self._fluents = circuit.fluents
        self._going_on = frozenset(implied_by(draft, int(outputs[0]) ^ 1))
        first = 1 + len(circuit.legal) + len(circuit.goal)
        self._next = outputs[first : first + circuit.fluents].tolist()
        self._cases: dict[int, list[_Alternative]] = {}
        self._sorted: dict[int, _Cases] = {}

    def assume(self, excluded: Sequence[frozenset[int]]) -> None:
        """Take the exclusions as given."""
        self._excluded = excluded
        self._sorted.clear()

    def keeps(self, claim: IntArray) -> bool:
        """Whether after a step at most one fluent of the claim is true."""
        members = claim.tolist()
        if sum(len(self._alternatives(fluent)) for fluent in members) > MAX_ALTERNATIVES:
            return False
        seen: list[_Cases] = []
        for fluent in members:
            cases = self._sorted_cases(fluent)
            if not all(self._exclude(cases, other) for other in seen):
                return False
            seen.append(cases)
        return True

    def _sorted_cases(self, fluent: int) -> _Cases:
        found = self._sorted.get(fluent)
        if found is None:
            found = self._sorted[fluent] = _Cases([(case, self._opposed(case)) for case in self._alternatives(fluent)])
        return found

    def _exclude(self, a: _Cases, b: _Cases) -> bool:
        """Whether no case of one fluent goes with a case of another."""
        if not all(self._impossible(c, o) for c in a.plain for o in b.all):
            return False
        for role, ours in a.arriving.items():
            if not all(self._impossible(c, o) for c in ours for o in b.plain):
                return False
            for other_role, theirs in b.arriving.items():
                if role == other_role:
                    at = b.by_move[role]
                    pairs = ((c, o) for move, cases in a.by_move[role].items() for c in cases for o in at.get(move, ()))
                elif a.known[role].isdisjoint(b.opposed[other_role]):
                    pairs = ((c, o) for c in ours for o in theirs)
                else:
                    continue
                if not all(self._impossible(c, o) for c, o in pairs):
                    return False
        return True

    def _impossible(self, a: _Case, b: _Case) -> bool:
        """Whether two alternatives are known to exclude each other."""
        if not a[0].known.isdisjoint(b[1]):
            return True
        for role, moves in {**b[0].moves, **a[0].moves}.items():
            met = self._one.both(moves, b[0].moves[role]) if role in b[0].moves else moves
            if met == FALSE:
                return True
            # One by one, moves may be impossible that have nothing in common.
            if isinstance(met, MoveSet) and not met.others and len(met.moves) <= MAX_SINGLE_MOVES:
                required = (self._required[move] for move in met.moves)
                if all(not r.isdisjoint(a[1]) or not r.isdisjoint(b[1]) for r in required):
                    return True
        return False

    def _alternatives(self, fluent: int) -> list[_Alternative]:
        found = self._cases.get(fluent)
        if found is None:
            literal = self._next[fluent]
            found = []
            if literal != FALSE:
                alternatives = self._draft.alternatives(literal) if literal != TRUE else (TRUE,)
                for alternative in alternatives:
                    found += self._described(alternative)
            self._cases[fluent] = found
        return found

    def _described(self, alternative: int) -> list[_Alternative]:
        sets, rest = self._one.split(self._draft, alternative)
        for part in rest:
            cases = [self._one.split(self._draft, case) for case in self._draft.alternatives(part)]
            if len(cases) > 1 and all(of_case for of_case, _ in cases):
                met = [(self._met(sets, of_case), rest - {part} | others) for of_case, others in cases]
                return [found for both, known in met if both is not None for found in self._cases_of_state(both, known)]
        return self._cases_of_state(sets, rest)

    def _cases_of_state(self, sets: dict[int, MoveSet], rest: frozenset[int]) -> list[_Alternative]:
        """An alternative, or one for each case of a short disjunction of fluents in it."""
        for part in rest:
            cases = self._draft.alternatives(part)
            if 1 < len(cases) <= MAX_CASES and all(0 < case >> 1 <= self._fluents and not case & 1 for case in cases):
                return [self._alternative(sets, rest - {part} | {case}) for case in cases]
        return [self._alternative(sets, rest)]

    def _met(self, a: dict[int, MoveSet], b: dict[int, MoveSet]) -> dict[int, MoveSet] | None:
        """Sets of moves that belong to both of two conjunctions; None if there are none."""
        result = dict(a)
        for role, moves in b.items():
            both = self._one.both(result[role], moves) if role in result else moves
            if both == FALSE:
                return None
            if isinstance(both, MoveSet):
                result[role] = both
        return result

    def _alternative(self, sets: dict[int, MoveSet], rest: frozenset[int]) -> _Alternative:
        known = set(self._going_on)
        for literal in rest:
            known.update(implied_by(self._draft, literal))
        for moves in sets.values():
            known |= self._one.required(moves)
        return _Alternative(sets, frozenset(known))

    def _opposed(self, case: _Alternative) -> frozenset[int]:
        """Literals that contradict an alternative."""
        against = {literal ^ 1 for literal in case.known}
        for literal in case.known:
            if not literal & 1 and 0 < literal >> 1 <= self._fluents:
                against.update(2 * (1 + other) for other in self._excluded[(literal >> 1) - 1])
        return frozenset(against)

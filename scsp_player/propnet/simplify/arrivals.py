"""What a move brings, worked out once for all the fluents that it may be brought to.

Take a piece that goes from square s to square t. For every t and every kind of piece the rules ask, for every s, whether the move
from s to t is made and such a piece is on s. Since one move is made, it is enough to ask once a kind "is the move one from s, with
such a piece on s, for some s", and for every t whether the move goes there.

In general the alternatives of fluent f that depend on a role's move are pairs (set of moves D, condition X). Fluents form a *group*
if no move stands with different conditions in two of them. Then f has one alternative instead: "the move belongs to one of the
sets of f" and "it belongs to one of the sets of X, and X holds, for some condition X of the group".
"""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass, field

from scsp_player.grounding.ground_game import IntArray
from scsp_player.propnet.simplify.draft import Draft
from scsp_player.propnet.simplify.move_sets import MoveSet, OneMove

Condition = frozenset[int]


@dataclass
class _Arrival:
    """The alternatives of one output that depend on the move of one role.

    Attributes:
        output: index in the array of outputs.
        alternatives: for each condition the moves that it stands with; each move stands with one condition.
        common: literals that were part of every condition.
        used: the alternatives' literals.
    """

    output: int
    alternatives: dict[Condition, set[int]]
    common: Condition
    used: set[int]

    @property
    def cost(self) -> int:
        return sum(len(condition) + (2 if condition else 0) for condition in self.alternatives)

    @property
    def moves(self) -> frozenset[int]:
        return frozenset().union(*self.alternatives.values())


@dataclass
class _Group:
    role: int
    arrivals: list[_Arrival] = field(default_factory=list)
    condition_of: dict[int, Condition] = field(default_factory=dict)
    moves_of: dict[Condition, set[int]] = field(default_factory=lambda: defaultdict(set))

    def accepts(self, arrival: _Arrival) -> bool:
        """Whether no move would have two conditions."""
        known = self.condition_of
        return all(known.get(m, x) == x for x, moves in arrival.alternatives.items() for m in moves)

    def add(self, arrival: _Arrival) -> None:
        self.arrivals.append(arrival)
        for condition, moves in arrival.alternatives.items():
            self.moves_of[condition] |= moves
            self.condition_of.update(dict.fromkeys(moves, condition))

    @property
    def saving(self) -> int:
        """Literals saved, sets of moves included."""
        before = sum(arrival.cost for arrival in self.arrivals)
        after = 3 * len(self.arrivals) + sum(len(condition) + 2 for condition in self.moves_of)
        sets_before = {frozenset(moves) for a in self.arrivals for moves in a.alternatives.values()}
        sets_after = {a.moves for a in self.arrivals} | {frozenset(moves) for moves in self.moves_of.values()}
        return before + _size(sets_before) - after - _size(sets_after)


def _size(sets: set[frozenset[int]]) -> int:
    return sum(len(s) for s in sets if len(s) > 1)


def with_arrivals(draft: Draft, one: OneMove, outputs: IntArray, deadline: float) -> IntArray:
    """The output literals anew, those that depend on moves rewritten where that saves literals.

    Past ``deadline`` (a value of ``time.thread_time()``) the others are left as they are.
    """
    result = outputs.copy()
    by_role: dict[int, list[_Arrival]] = defaultdict(list)
    expanded: dict[int, list[int]] = {}
    for output, literal in enumerate(outputs.tolist()):
        if time.thread_time() > deadline:
            break
        cases: dict[int, list[tuple[MoveSet, Condition, int]]] = defaultdict(list)
        alternatives = []
        for alternative in draft.alternatives(literal):
            found = _cases(draft, one, alternative)
            for moves, condition in found:
                case = alternative if len(found) == 1 else draft.all_of((one.literal(draft, moves), *condition))
                cases[moves.role].append((moves, condition, case))
                alternatives.append(case)
            if not found:
                alternatives.append(alternative)
        for role, entries in cases.items():
            arrival = _arrival(output, entries)
            if arrival is not None:
                by_role[role].append(arrival)
                expanded[output] = alternatives
    replaced: dict[int, tuple[set[int], list[int]]] = {}
    for role, arrivals in by_role.items():
        for group in _grouped(role, arrivals):
            if time.thread_time() > deadline or group.saving <= 0:
                continue
            brought = draft.any_of(
                draft.all_of((_literal(draft, one, role, moves), *condition)) for condition, moves in group.moves_of.items()
            )
            for arrival in group.arrivals:
                new = draft.all_of((_literal(draft, one, role, arrival.moves), brought, *arrival.common))
                gone, come = replaced.setdefault(arrival.output, (set(), []))
                gone |= arrival.used
                come.append(new)
    for output, (gone, come) in replaced.items():
        result[output] = draft.any_of([a for a in expanded[output] if a not in gone] + come)
    return result


def _literal(draft: Draft, one: OneMove, role: int, moves: set[int] | frozenset[int]) -> int:
    found = one.moves(role, frozenset(moves))
    return found if isinstance(found, int) else one.literal(draft, found)


def _arrival(output: int, entries: list[tuple[MoveSet, Condition, int]]) -> _Arrival | None:
    """The cases of one role, each a set of moves, a condition and the literal of both, as far as no move stands in two of them."""
    if len(entries) < 2:
        return None
    common = frozenset.intersection(*(condition for _, condition, _ in entries))
    seen: set[int] = set()
    alternatives: dict[Condition, set[int]] = defaultdict(set)
    used = set()
    for moves, condition, case in entries:
        if moves.moves & seen:
            continue
        seen |= moves.moves
        alternatives[condition - common] |= moves.moves
        used.add(case)
    return _Arrival(output, dict(alternatives), common, used) if len(alternatives) > 1 else None


def _cases(draft: Draft, one: OneMove, alternative: int) -> list[tuple[MoveSet, Condition]]:
    """An alternative as a disjunction of pairs of a set of moves and a condition, where it is one."""
    found = _pair(draft, one, alternative)
    if found is not None:
        return [found]
    parts = draft.parts(alternative)
    for part in parts:
        if part & 1 and draft.is_gate(part):
            cases = [_pair(draft, one, case) for case in draft.alternatives(part)]
            others = [p for p in parts if p != part]
            if all(case is not None for case in cases):
                return [(case[0], case[1].union(others)) for case in cases if case is not None]
    return []


def _pair(draft: Draft, one: OneMove, alternative: int) -> tuple[MoveSet, Condition] | None:
    sets, rest = one.split(draft, alternative)
    inside = [s for s in sets.values() if not s.others]
    if not inside:
        return None
    best = min(inside, key=lambda s: len(s.moves))
    others = [one.literal(draft, s) for s in sets.values() if s is not best]
    return best, rest.union(others)


def _grouped(role: int, arrivals: list[_Arrival]) -> list[_Group]:
    groups: list[_Group] = []
    by_condition: dict[Condition, list[_Group]] = defaultdict(list)
    for arrival in arrivals:
        shared: dict[int, int] = defaultdict(int)
        candidates: dict[int, _Group] = {}
        for condition in arrival.alternatives:
            for group in by_condition[condition]:
                shared[id(group)] += 1
                candidates[id(group)] = group
        for key in sorted(shared, key=lambda k: -shared[k])[:8]:
            if candidates[key].accepts(arrival):
                group = candidates[key]
                break
        else:
            group = _Group(role)
            groups.append(group)
        for condition in arrival.alternatives:
            if condition not in group.moves_of:
                by_condition[condition].append(group)
        group.add(arrival)
    return groups

"""Sets of moves of one role, and the conjunction that knows that every role makes exactly one move."""

from __future__ import annotations

from dataclasses import dataclass

from scsp_player.grounding.ground_game import GroundGame
from scsp_player.propnet.simplify.draft import FALSE, TRUE, Draft

DEPTH, MAX_EXAMINED = 3, 16
"""Conditions beside a move are simplified by what the move requires so many levels deep, in conjunctions of so many literals."""

MAX_IMPLIED = 64
"""Of the literals that a literal implies at most about so many are used."""

@dataclass(frozen=True)
class MoveSet:
    """The moves of ``role`` in ``moves``, or all others if ``others``. Neither empty nor all moves; the shorter form."""

    role: int
    moves: frozenset[int]
    others: bool = False


class OneMove:
    """Conjunctions under the assumption that every role makes exactly one move, which is legal.

    ``conjunction`` is made for ``redraw``. Nodes that are true exactly if a role's move belongs to some set are recognised, and one
    node stands for each set. What every move of a set requires is not asked again beside the set.

    Args:
        game: the game.
        fluents: number of its fluents.
    """

    def __init__(self, game: GroundGame, fluents: int) -> None:
        self._first_move = 1 + fluents
        self._moves = [
            frozenset(range(int(game.role_start[r]), int(game.role_start[r + 1]))) for r in range(len(game.roles))
        ]
        self._set_of: dict[int, MoveSet] = {}
        for role, everything in enumerate(self._moves):
            for move in everything:
                single = self._normal(role, frozenset((move,)), False)
                if isinstance(single, MoveSet):
                    self._know(2 * (self._first_move + move), single)
        self._required: list[frozenset[int]] | None = None
        self._required_by: dict[MoveSet, frozenset[int]] = {}

    def require(self, required: list[frozenset[int]]) -> None:
        """From now on use that a move implies literals of the state alone (one set of literals a move)."""
        self._required = required

    # Sets.

    def set_of(self, literal: int) -> MoveSet | None:
        """The set of moves that a literal stands for."""
        return self._set_of.get(literal)

    def _know(self, literal: int, moves: MoveSet) -> None:
        self._set_of[literal] = moves
        self._set_of[literal ^ 1] = self.complement(moves)

    def _normal(self, role: int, moves: frozenset[int], others: bool) -> MoveSet | int:
        everything = self._moves[role]
        if not moves:
            return TRUE if others else FALSE
        if len(moves) == len(everything):
            return FALSE if others else TRUE
        if 2 * len(moves) + others > len(everything):
            return MoveSet(role, everything - moves, not others)
        return MoveSet(role, moves, others)

    def moves(self, role: int, moves: frozenset[int]) -> MoveSet | int:
        """A set of a role's moves (global indices), or a constant."""
        return self._normal(role, moves, False)

    def both(self, a: MoveSet, b: MoveSet) -> MoveSet | int:
        """The intersection of two sets of the same role."""
        if not a.others and not b.others:
            return self._normal(a.role, a.moves & b.moves, False)
        if a.others and b.others:
            return self._normal(a.role, a.moves | b.moves, True)
        inside, outside = (a, b) if b.others else (b, a)
        return self._normal(a.role, inside.moves - outside.moves, False)

    def complement(self, a: MoveSet) -> MoveSet:
        """All other moves."""
        result = self._normal(a.role, a.moves, not a.others)
        assert isinstance(result, MoveSet)
        return result

    def either(self, a: MoveSet, b: MoveSet) -> MoveSet | int:
        """The union of two sets of the same role."""
        met = self.both(self.complement(a), self.complement(b))
        return met ^ 1 if isinstance(met, int) else self.complement(met)

    def literal(self, draft: Draft, moves: MoveSet) -> int:
        """The literal of a set."""
        if len(moves.moves) == 1:
            (move,) = moves.moves
            return 2 * (self._first_move + move) + moves.others
        literal = draft.any_of(2 * (self._first_move + move) for move in moves.moves)
        if literal not in self._set_of:
            self._know(literal, MoveSet(moves.role, moves.moves))
        return literal ^ moves.others

    # Conjunctions.

    def split(self, draft: Draft, literal: int) -> tuple[dict[int, MoveSet], frozenset[int]]:
        """A literal as a conjunction of one set of moves a role, for some roles, and other literals."""
        sets: dict[int, MoveSet] = {}
        rest = []
        for part in draft.parts(literal) if self.set_of(literal) is None else (literal,):
            moves = self.set_of(part)
            if moves is not None and moves.role not in sets:
                sets[moves.role] = moves
            else:
                rest.append(part)
        return sets, frozenset(rest)

    def conjunction(self, draft: Draft, literals: list[int]) -> int:
        """The literal of a conjunction of literals of the draft."""
        chosen: dict[int, MoveSet] = {}
        rest: list[int] = []
        for literal in self._spread(draft, literals):
            moves = self.set_of(literal)
            if moves is None:
                rest.append(literal)
                continue
            met = self.both(moves, chosen[moves.role]) if moves.role in chosen else moves
            if isinstance(met, int):
                if met == FALSE:
                    return FALSE
                del chosen[moves.role]
            else:
                chosen[moves.role] = met
        if self._required is not None and chosen:
            required = set().union(*(self.required(moves) for moves in chosen.values()))
            rest = [self._given(draft, literal, required, DEPTH) for literal in rest] if required else rest
            if FALSE in rest:
                return FALSE
        if self._required is not None:
            against = {literal ^ 1 for literal in rest}
            possible_rest = [self._possible(draft, literal, against) for literal in rest]
            if possible_rest != rest:
                sets = [self.literal(draft, moves) for moves in chosen.values()]
                return self.conjunction(draft, possible_rest + sets)
        kept = self._merged(draft, [literal for literal in rest if literal != TRUE], chosen)
        if kept is None:
            return FALSE
        if self._required is not None:
            against = {literal ^ 1 for literal in kept}
            for role, moves in list(chosen.items()):
                possible = frozenset(m for m in moves.moves if self._required[m].isdisjoint(against))
                # A slightly smaller set costs more than it saves where the larger one serves others, too.
                if 2 * len(possible) <= len(moves.moves):
                    smaller = self._normal(role, possible, moves.others)
                    if smaller == FALSE:
                        return FALSE
                    if isinstance(smaller, int):
                        del chosen[role]
                    else:
                        chosen[role] = smaller
        # What became a set of moves on the way is met with the others.
        if any(self.set_of(literal) is not None for literal in kept):
            return self.conjunction(draft, kept + [self.literal(draft, moves) for moves in chosen.values()])
        return draft.all_of(kept + [self.literal(draft, moves) for moves in chosen.values()])

    def _possible(self, draft: Draft, literal: int, against: set[int]) -> int:
        """A disjunction without the alternatives, and the moves in them, that cannot be legal where ``against`` is false.

        What the literal itself has in there does not count.
        """
        if not literal & 1 or literal in self._set_of or not draft.is_gate(literal):
            return literal
        alternatives = draft.alternatives(literal)
        if len(alternatives) > MAX_EXAMINED:
            return literal
        against.discard(literal ^ 1)
        result = self._with_possible_moves(draft, literal, alternatives, against)
        against.add(literal ^ 1)
        return result

    def _with_possible_moves(self, draft: Draft, literal: int, alternatives: tuple[int, ...], against: set[int]) -> int:
        """A literal whose alternatives have no moves but those that can be legal where ``against`` is false."""
        assert self._required is not None
        left = []
        for alternative in alternatives:
            sets, rest = self.split(draft, alternative)
            inside = [moves for moves in sets.values() if not moves.others]
            smaller = [frozenset(m for m in s.moves if self._required[m].isdisjoint(against)) for s in inside]
            if all(len(a.moves) == len(b) for a, b in zip(inside, smaller, strict=True)):
                left.append(alternative)
            elif all(smaller):
                literals = [self.literal(draft, MoveSet(s.role, moves)) for s, moves in zip(inside, smaller, strict=True)]
                literals += [self.literal(draft, moves) for moves in sets.values() if moves.others]
                left.append(draft.all_of([*literals, *rest]))
        return literal if left == list(alternatives) else draft.any_of(left)

    def _given(self, draft: Draft, literal: int, known: set[int], depth: int) -> int:
        """A literal where ``known`` literals hold."""
        if literal in known:
            return TRUE
        if literal ^ 1 in known:
            return FALSE
        if not depth or not draft.is_gate(literal) or literal in self._set_of:
            return literal
        parts = draft.children[literal >> 1]
        if len(parts) > MAX_EXAMINED:
            return literal
        left = [self._given(draft, part, known, depth - 1) for part in parts]
        if all(a == b for a, b in zip(parts, left, strict=True)):
            return literal
        return draft.all_of(left) ^ (literal & 1)

    def _spread(self, draft: Draft, literals: list[int]) -> list[int]:
        """The literals, with conjunctions of nothing but sets of moves replaced by these."""
        result: list[int] = []
        for literal in literals:
            parts = draft.parts(literal) if self.set_of(literal) is None else (literal,)
            result += parts if all(self.set_of(part) is not None for part in parts) else (literal,)
        return result

    def _merged(self, draft: Draft, rest: list[int], chosen: dict[int, MoveSet]) -> list[int] | None:
        """Negated conjunctions of moves and equal conditions as one: ¬(a ∧ x) ∧ ¬(b ∧ x) = ¬((a ∨ b) ∧ x)."""
        kept: list[int] = []
        groups: dict[frozenset[int], list[tuple[int, list[MoveSet]]]] = {}
        for literal in rest:
            if not literal & 1 or not draft.is_gate(literal):
                kept.append(literal)
                continue
            sets, conditions = self.split(draft, literal ^ 1)
            # Beside a set of moves only what it leaves open matters.
            open_sets = []
            met: MoveSet | int = TRUE
            for role, moves in sets.items():
                met = self.both(moves, chosen[role]) if role in chosen else moves
                if met == FALSE:
                    break
                if role not in chosen or met != chosen[role]:
                    open_sets.append(moves)
            if met == FALSE:
                continue
            if len(open_sets) < len(sets):
                literal = draft.all_of([*conditions, *(self.literal(draft, m) for m in open_sets)]) ^ 1
            if open_sets:
                # With sets of several roles one is united, the others count as conditions.
                united = min(open_sets, key=lambda m: (len(m.moves), m.role))
                key = conditions.union(self.literal(draft, m) for m in open_sets if m is not united)
                groups.setdefault(key, []).append((literal, [united]))
                continue
            for part in conditions:
                union = self.united(draft, part)
                if union:
                    groups.setdefault(conditions - {part}, []).append((literal, union))
                    break
            else:
                kept.append(literal)
        for conditions, entries in groups.items():
            if len(entries) == 1:
                kept.append(entries[0][0])
                continue
            unions: dict[int, MoveSet | int] = {}
            for _, given in entries:
                for moves in given:
                    known = unions.get(moves.role, moves)
                    unions[moves.role] = known if isinstance(known, int) else self.either(known, moves)
            choice = draft.any_of(u if isinstance(u, int) else self.literal(draft, u) for u in unions.values())
            kept.append(draft.all_of([*conditions, choice]) ^ 1)
        if FALSE in kept:
            return None
        return [literal for literal in kept if literal != TRUE]

    def united(self, draft: Draft, literal: int) -> list[MoveSet]:
        """The sets of moves, of several roles, whose union a literal is; none if it is not that."""
        if not literal & 1 or not draft.is_gate(literal):
            return []
        sets = []
        for part in draft.children[literal >> 1]:
            moves = self._set_of.get(part ^ 1)
            if moves is None:
                return []
            sets.append(moves)
        return sets

    def required(self, moves: MoveSet) -> frozenset[int]:
        """Literals of the state alone that every move of a set implies."""
        if self._required is None:
            return frozenset()
        found = self._required_by.get(moves)
        if found is None:
            members = iter(self._moves[moves.role] - moves.moves if moves.others else moves.moves)
            found = self._required[next(members)]
            for move in members:
                found &= self._required[move]
                if not found:
                    break
            self._required_by[moves] = found
        return found


def implied_by(draft: Draft, literal: int) -> list[int]:
    """The literal and what stands in the conjunctions that it is made of."""
    found = [literal]
    for known in found:
        if len(found) > MAX_IMPLIED:
            break
        if draft.is_gate(known) and not known & 1:
            found += draft.children[known >> 1]
    return found

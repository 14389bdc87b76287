"""Proofs about one step of a game: after a legal joint move, can several fluents of a group be true, or none?"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import GroundGame
from scsp_player.network.csr import NO_ROWS, Rows, distinct, ranges, rows_by_owner, stack_rows, take_rows
from scsp_player.network.errors import Deadline
from scsp_player.network.proof import ClauseProver
from scsp_player.network.rules import MoveRules
from scsp_player.network.step_conditions import StepConditions

Ints = NDArray[np.int32]
Offsets = NDArray[np.int64]

MAX_PARTS = 16
"""A class of moves is divided by what the moves require if that gives at most so many classes."""

MAX_CONE = 200_000
"""A group whose next values depend on more literals is not looked into."""


LOCAL_WORK = 800_000
"""What putting the clauses of one group together costs at least, in steps of the prover …"""

LITERAL_WORK = 10
"""… and for each of their literals."""


class Effort(IntEnum):
    """How closely moves are looked at: by their effects; by what they require, too; and what that in turn depends on."""

    EFFECTS = 0
    CONDITIONS = 1
    EVERYTHING = 2


class StepProver:
    """Proves statements about the next state, one small set of clauses a group.

    The clauses hold of every state that is not terminal and satisfies the groups taken as hypotheses, and of every joint legal
    move: the completion of the rules on which the group's next values depend (true of the least fixpoint, hence sound also where
    these rules are cyclic), and the conditions under which the moves that matter are legal. Moves of a role that these rules
    treat alike form one class, so that a proof by cases has few cases.

    Attributes:
        spent: steps done so far; what they are does not depend on the machine.
    """

    def __init__(self, game: GroundGame, merged: MoveRules, deadline: Deadline | None = None) -> None:
        self.spent = 0
        self._deadline = deadline or Deadline()
        self._needed: dict[int, Effort] = {}
        self._game = game
        self._merged = merged
        self._conditions = StepConditions(game, merged, self._deadline)
        atoms = len(merged.head_start) - 1
        self._role_of = np.full(atoms, -1, dtype=np.int32)
        self._move_of = np.zeros(atoms, dtype=np.int32)
        for role, (first, last) in enumerate(zip(game.role_start[:-1], game.role_start[1:], strict=True)):
            self._role_of[game.does_atom[first:last]] = role
            self._move_of[game.does_atom[first:last]] = np.arange(last - first)
        self._fluent_of = np.full(atoms, -1, dtype=np.int32)
        self._fluent_of[game.fluent_atom] = np.arange(game.fluents)
        self._sets = [stack_rows(sets) for sets in merged.sets]
        self._clauses_of = _by_rarest_atom(*self._conditions.clauses, atoms)
        self._codes = np.random.default_rng(0).integers(0, 2**64, size=max(map(len, merged.sets), default=0), dtype=np.uint64)
        self.assume([], [])

    def assume(self, groups: Sequence[Ints], full: Sequence[bool]) -> None:
        """Take groups of fluents as hypotheses: at most one of each is true now; where ``full``, at least one."""
        self._groups = stack_rows([self._game.fluent_atom[g] for g in groups])
        self._full = np.array(full, dtype=np.bool_)
        numbers = np.repeat(np.arange(len(groups), dtype=np.int32), np.diff(self._groups[0]))
        self._groups_of = rows_by_owner(self._groups[1].astype(np.int64), numbers, len(self._role_of))

    def prove(self, fluents: Ints, *, full: bool, limit: int | None = None) -> tuple[bool, bool]:
        """Whether it is proved that at most one of the fluents is true next, and (if ``full`` asks for it) at least one.

        Nothing more is proved once ``spent`` reaches ``limit``.
        """
        open_values = list(range(1, len(fluents)))
        complete = not full
        # Groups of one size are mostly of one kind: what the last one needed, this one will.
        for effort in list(Effort)[self._needed.get(len(fluents), Effort.EFFECTS) :]:
            self._deadline.check()
            if limit is not None and self.spent >= limit:
                break
            local = _Local(self, fluents, effort)
            self.spent += LOCAL_WORK
            prover = local.prover()
            if prover is None:
                break
            before = self.spent + LITERAL_WORK * prover.size
            self.spent = before
            # The first failure calls for more effort at once: most groups with one failure are no groups.
            while open_values and (limit is None or self.spent < limit):
                value = open_values[-1]
                refuted = prover.refutes([local.following[value], local.prefix[value - 1]])
                self.spent = before + prover.spent
                if not refuted:
                    break
                open_values.pop()
            # One question for the whole group may take longer than the many before.
            complete = complete or (not open_values and prover.refutes([local.prefix[-1] ^ 1], effort=10))
            self.spent = before + prover.spent
            if complete and not open_values:
                self._needed[len(fluents)] = effort
                break
        return not open_values, full and complete


class _Local:
    """The clauses for one group, under construction."""

    def __init__(self, step: StepProver, fluents: Ints, effort: Effort) -> None:
        self._step = step
        self._effort = effort
        self._following = step._game.next_literal[fluents]
        self.following: list[int] = []
        self.prefix: list[int] = []

    def prover(self) -> ClauseProver | None:
        """The clauses, ready for questions about ``following`` and ``prefix``; None if there are too many."""
        step = self._step
        cone = self._cone(self._following >> 1)
        if cone is None:
            return None
        sets = self._sets_used(cone)
        roles = range(len(step._game.roles))
        classes = [self._classes(role, sets[role]) for role in roles]
        required = [self._required(role, classes[role]) for role in roles]
        wanted = distinct(np.concatenate([literals for _, literals in required]) >> 1)
        if self._effort == Effort.EVERYTHING:
            # Legality depends on no move, so the classes stay as they are.
            below = self._cone(np.concatenate([self._following >> 1, wanted]))
            if below is None:
                return None
            cone = below
        atoms = distinct(np.concatenate([cone, wanted[step._fluent_of[wanted] >= 0]]))
        groups = distinct(take_rows(step._groups_of, atoms.astype(np.int64))[1]).astype(np.int64)
        atoms = distinct(np.concatenate([atoms, take_rows(step._groups, groups[step._full[groups]])[1]])).astype(np.int32)
        atoms = atoms[step._role_of[atoms] < 0]
        self._atoms = atoms
        self._present = np.zeros(len(step._role_of), dtype=np.bool_)
        self._present[atoms] = True

        # Variables: true, atoms, classes of moves, sets of classes, rule bodies, prefixes.
        self._count = 1 + len(atoms)
        self._definitions: list[tuple[Ints, int, Offsets, Ints]] = []
        choices: list[Ints] = []
        clauses: list[Rows] = []
        self._set_variable: list[Ints] = []
        units: list[int] = self._local_facts()
        for role in roles:
            labels = classes[role]
            if self._effort > Effort.EFFECTS:
                labels = self._refine(role, labels)
                required[role] = self._required(role, labels)
            class_variable = self._new(int(labels.max(initial=-1)) + 1)
            choices.append(class_variable)
            owner, literals = required[role]
            present = self._has(literals >> 1)
            implied = np.stack([2 * class_variable[owner[present]] + 1, self._literals(literals[present])], axis=1)
            clauses.append((2 * np.arange(len(implied) + 1, dtype=np.int64), implied.astype(np.int32).ravel()))
            self._set_variable.append(self._sets(role, sets[role], labels, class_variable, units))
        self._rules(cone)
        self._chain()
        clauses.append(self._local_clauses())
        start, members = take_rows(step._groups, groups)
        present = self._has(members)
        owner = np.repeat(np.arange(len(groups)), np.diff(start))[present]
        return ClauseProver(
            *self._definition_arrays(),
            clauses=clauses,
            units=units,
            choices=stack_rows(choices),
            exclusive=rows_by_owner(owner, self._variables(members[present]), len(groups)),
            full=step._full[groups],
        )

    def _new(self, count: int) -> Ints:
        """New variables."""
        self._count += count
        return np.arange(self._count - count, self._count, dtype=np.int32)

    def _define(self, variables: Ints, kind: int, start: Offsets, inputs: Ints) -> None:
        """Define each variable by its inputs (CSR)."""
        self._definitions.append((variables, kind, start, inputs))

    def _definition_arrays(self) -> tuple[Ints, Offsets, Ints]:
        """All definitions by ascending variable."""
        kind = np.zeros(self._count, dtype=np.int32)
        lengths = np.zeros(self._count, dtype=np.int64)
        for variables, which, start, _ in self._definitions:
            kind[variables] = which
            lengths[variables] = np.diff(start)
        total = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        flat = np.zeros(int(total[-1]), dtype=np.int32)
        for variables, _, _, inputs in self._definitions:
            flat[ranges(total[variables], total[variables + 1])] = inputs
        return kind, total, flat

    def _sets(self, role: int, numbers: Ints, labels: Ints, class_variable: Ints, units: list[int]) -> Ints:
        """For each set of the role's moves (by its number) the variable that says "one of them is done"."""
        rows = self._step._sets[role]
        table = np.zeros(len(rows[0]) - 1, dtype=np.int32)
        start, moves = take_rows(rows, numbers.astype(np.int64))
        owner = np.repeat(np.arange(len(numbers)), np.diff(start))
        inside = labels[moves] >= 0
        width = len(class_variable) + 1
        pairs = distinct(owner[inside] * width + labels[moves[inside]])
        owner, members = pairs // width, class_variable[pairs % width]
        count = np.bincount(owner, minlength=len(numbers))
        single = count[owner] == 1
        table[numbers[owner[single]]] = members[single]
        other = np.flatnonzero(count != 1)
        table[numbers[other]] = self._new(len(other))
        units += (2 * table[numbers[count == 0]] + 1).tolist()
        several = np.flatnonzero(count > 1)
        definition_start = np.concatenate([[0], np.cumsum(count[several])]).astype(np.int64)
        self._define(table[numbers[several]], 0, definition_start, (2 * members[~single]).astype(np.int32))
        return table

    def _cone(self, roots: Ints) -> Ints | None:
        """The atoms that ``roots`` depend on, ascending; None if their rules have too many literals."""
        merged = self._step._merged
        found = np.zeros(len(self._step._role_of), dtype=np.bool_)
        order = np.zeros(len(found), dtype=np.int64)
        frontier, literals = distinct(roots[roots > 0]), 0
        found[frontier] = True
        while len(frontier):
            first, last = merged.body_start[merged.head_start[frontier]], merged.body_start[merged.head_start[frontier + 1]]
            literals += int((last - first).sum())
            if literals > MAX_CONE:
                return None
            below = merged.body[ranges(first, last)] >> 1
            below = below[~found[below]]
            found[below] = True
            # Each once: the one that was written last.
            order[below] = np.arange(len(below))
            frontier = below[order[below] == np.arange(len(below))]
        return np.flatnonzero(found).astype(np.int32)

    def _rows(self, cone: Ints) -> NDArray[np.int64]:
        merged = self._step._merged
        return ranges(merged.head_start[cone], merged.head_start[cone + 1])

    def _sets_used(self, cone: Ints) -> list[Ints]:
        """For each role the numbers of the sets of moves that occur in the cone's rules."""
        step, merged = self._step, self._step._merged
        moves = merged.moves[self._rows(cone)]
        single = cone[step._role_of[cone] >= 0]
        return [
            distinct(
                np.concatenate([moves[:, role][moves[:, role] >= 0], step._move_of[single[step._role_of[single] == role]]])
            ).astype(np.int32)
            for role in range(len(step._game.roles))
        ]

    def _classes(self, role: int, sets: Ints) -> Ints:
        """Labels of the role's moves: equal if the moves lie in the same sets; -1 for moves that are never legal."""
        step = self._step
        first, last = step._game.role_start[role : role + 2].tolist()
        code = np.zeros(last - first, dtype=np.uint64)
        start, moves = take_rows(step._sets[role], sets.astype(np.int64))
        np.add.at(code, moves, np.repeat(step._codes[sets], np.diff(start)))
        return _numbered(code, ~step._conditions.impossible[first:last])

    def _refine(self, role: int, labels: Ints) -> Ints:
        """Classes divided by what the moves require of the present atoms, where that gives few parts."""
        conditions = self._step._conditions
        first = int(self._step._game.role_start[role])
        start = conditions.start[first : first + len(labels) + 1]
        literals = conditions.required[start[0] : start[-1]]
        code = np.zeros(len(literals) + 1, dtype=np.uint64)
        present = self._has(literals >> 1)
        code[1:][present] = conditions.codes[literals[present]]
        total = np.cumsum(code)
        each = total[start[1:] - start[0]] - total[start[:-1] - start[0]]
        # Classes and literals have codes of their own, so that no sum of one kind is taken for the other.
        fine = _numbered(each + conditions.codes[2 * len(self._step._role_of) + labels], labels >= 0)
        _, representative = np.unique(fine, return_index=True)
        parts = np.bincount(labels[representative][fine[representative] >= 0], minlength=int(labels.max(initial=-1)) + 1)
        divided = (labels >= 0) & (parts[labels] <= MAX_PARTS)
        # Numbers of undivided classes are shifted out of the way of the others.
        mixed = np.where(divided, fine, int(fine.max(initial=0)) + 1 + labels)
        return _numbered(mixed.astype(np.uint64), labels >= 0)

    def _required(self, role: int, labels: Ints) -> tuple[Offsets, Ints]:
        """The literals that all moves of a class require: classes, and for each a literal."""
        return self._step._conditions.common(int(self._step._game.role_start[role]), labels)

    def _rules(self, cone: Ints) -> None:
        """Definitions of the derived atoms in the cone, and of their rule bodies."""
        merged = self._step._merged
        cone = cone[merged.head_start[cone] < merged.head_start[cone + 1]]
        rows = self._rows(cone)
        first, last = merged.body_start[rows], merged.body_start[rows + 1]
        owners = [np.repeat(np.arange(len(rows)), last - first)]
        literals = [self._literals(merged.body[ranges(first, last)])]
        for role, table in enumerate(self._set_variable):
            numbers = merged.moves[rows, role]
            owners.append(np.flatnonzero(numbers >= 0))
            literals.append(2 * table[numbers[owners[-1]]])
        owner = np.concatenate(owners)
        order = np.argsort(owner, kind="stable")
        start = np.searchsorted(owner[order], np.arange(len(rows) + 1)).astype(np.int64)
        conditions = np.concatenate(literals)[order].astype(np.int32)
        long = np.flatnonzero(np.diff(start) != 1)
        body = np.zeros(len(rows), dtype=np.int32)
        short = np.flatnonzero(np.diff(start) == 1)
        body[short] = conditions[start[short]]
        variables = self._new(len(long))
        body[long] = 2 * variables
        long_start = np.concatenate([[0], np.cumsum(np.diff(start)[long])]).astype(np.int64)
        self._define(variables, 1, long_start, conditions[ranges(start[long], start[long + 1])])
        count = merged.head_start[cone + 1] - merged.head_start[cone]
        self._define(self._variables(cone), 0, np.concatenate([[0], np.cumsum(count)]).astype(np.int64), body)

    def _chain(self) -> None:
        """Prefix i of the next values is true if one of the values 0 … i is."""
        following = self._literals(self._following)
        variables = self._new(len(following) - 1)
        prefix = np.concatenate([following[:1], 2 * variables]).astype(np.int32)
        inputs = np.stack([prefix[:-1], following[1:]], axis=1).astype(np.int32).ravel()
        self._define(variables, 0, 2 * np.arange(len(following), dtype=np.int64), inputs)
        self.following, self.prefix = following.tolist(), prefix.tolist()

    def _local_facts(self) -> list[int]:
        facts = np.array(sorted(self._step._conditions.facts), dtype=np.int32)
        return list(self._literals(facts[self._has(facts >> 1)]).tolist())

    def _local_clauses(self) -> Rows:
        near = np.sort(take_rows(self._step._clauses_of, self._atoms.astype(np.int64))[1]).astype(np.int64)
        if not len(near):
            return NO_ROWS
        rows = take_rows(self._step._conditions.clauses, near)
        whole = np.flatnonzero(np.logical_and.reduceat(self._has(rows[1] >> 1), rows[0][:-1]))
        chosen = take_rows(rows, whole)
        return chosen[0], self._literals(chosen[1])

    def _has(self, atoms: Ints) -> NDArray[np.bool_]:
        return self._present[atoms]

    def _variables(self, atoms: Ints) -> Ints:
        return (1 + np.searchsorted(self._atoms, atoms)).astype(np.int32)

    def _literals(self, literals: Ints) -> Ints:
        """Local literals of literals over the constant, present atoms and moves."""
        atoms = literals >> 1
        variables = np.where(atoms == 0, 0, self._variables(atoms))
        role = self._step._role_of[atoms]
        for number, table in enumerate(self._set_variable):
            moves = np.flatnonzero(role == number)
            variables[moves] = table[self._step._move_of[atoms[moves]]]
        result: Ints = (2 * variables + (literals & 1)).astype(np.int32)
        return result


def _by_rarest_atom(start: Offsets, flat: Ints, atoms: int) -> Rows:
    """For each atom the clauses (CSR, none of them empty) of whose atoms it occurs in fewest, so that each clause is there once."""
    occurrences = np.bincount(flat >> 1, minlength=atoms)
    owner = np.repeat(np.arange(len(start) - 1), np.diff(start))
    rarest_first = np.lexsort((occurrences[flat >> 1], owner))
    rarest = flat[rarest_first[start[:-1]]] >> 1
    return rows_by_owner(rarest.astype(np.int64), np.arange(len(rarest), dtype=np.int32), atoms)


def _numbered(codes: NDArray[np.uint64], kept: NDArray[np.bool_]) -> Ints:
    """Numbers 0, 1, … for equal codes; -1 where not kept."""
    labels = np.full(len(codes), -1, dtype=np.int32)
    labels[kept] = np.unique(codes[kept], return_inverse=True)[1]
    return labels

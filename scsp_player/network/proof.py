"""Proofs about one step of a game: can a non-terminal state and legal moves make these literals true?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import FALSE, TRUE, GroundGame
from scsp_player.network import proof_kernels as kernels
from scsp_player.network.csr import concatenate, ranges, reachable
from scsp_player.network.proof_kernels import Assignment, Clauses, Definitions, Groups

Ints = NDArray[np.int32]
Offsets = NDArray[np.int64]


class StepProver:
    """Clauses that hold of every non-terminal state and every joint legal move done in it.

    They are the completion of the ground rules (true of the least fixpoint, hence sound also for positive cycles), exactly one
    move a role, legality of the moves done, ``terminal`` false, and the groups of fluents that are taken as hypotheses. Whatever
    is refuted from them cannot happen in a state that satisfies the hypotheses.

    Args:
        game: the ground rules.
        at_most_one: groups of fluents of which at most one is assumed true now.
        exactly_one: for each of these groups whether at least one is assumed true as well.
        chains: sequences of literals; for each a variable "some literal of this prefix is true" is defined for every prefix.
        max_conflicts: effort for one question.
    """

    def __init__(
        self,
        game: GroundGame,
        at_most_one: Sequence[Ints],
        exactly_one: Sequence[bool],
        chains: Sequence[Ints] = (),
        *,
        max_conflicts: int = 2000,
    ) -> None:
        self._max_conflicts = max_conflicts
        roots = np.concatenate([game.next_literal, game.legal_literal, np.array([game.terminal_literal], dtype=np.int32)]) >> 1
        needed = reachable(roots, game.head_start, game.rule_start, game.rule_body)
        kind, definition_start, definition = self._definitions(game, needed, chains)
        variables = len(kind)
        does = (2 * game.does_atom).astype(np.int32)
        self._inputs = Definitions(kind, definition_start, definition, game.role_start.astype(np.int64), does)

        clauses = [*self._clauses_of_definitions(kind, definition_start, definition)]
        given = [TRUE, game.terminal_literal ^ 1]
        given += [int(d) ^ 1 for d in does[game.legal_literal == FALSE]]
        conditional = game.legal_literal > FALSE
        clauses.append(_binary(does[conditional] ^ 1, game.legal_literal[conditional]))
        alternatives = [does[a:b] for a, b in zip(game.role_start[:-1], game.role_start[1:], strict=True)]
        alternatives += [
            (2 * game.fluent_atom[g]).astype(np.int32) for g, full in zip(at_most_one, exactly_one, strict=True) if full
        ]
        given += [int(a[0]) for a in alternatives if len(a) == 1]
        clauses += [(np.array([0, len(a)]), a) for a in alternatives if len(a) > 1]
        start, literals = concatenate(clauses)

        groups = [game.does_atom[a:b] for a, b in zip(game.role_start[:-1], game.role_start[1:], strict=True)]
        full = [len(groups) + i for i, is_full in enumerate(exactly_one) if is_full]
        groups += [game.fluent_atom[g] for g in at_most_one]
        group_start = np.cumsum([0, *map(len, groups)]).astype(np.int64)
        members = np.concatenate([*groups, np.zeros(0, dtype=np.int32)]).astype(np.int32)
        order = np.argsort(members, kind="stable")
        self._groups = Groups(
            start=group_start,
            members=members,
            member_start=np.searchsorted(members[order], np.arange(variables + 1)).astype(np.int64),
            groups_of=np.repeat(np.arange(len(groups), dtype=np.int32), np.diff(group_start))[order],
            full=np.array(full, dtype=np.int32),
        )
        self._state = Assignment(
            value=np.zeros(2 * variables, dtype=np.int8),
            level=np.zeros(variables, dtype=np.int32),
            reason=np.full(variables, -1, dtype=np.int64),
            trail=np.zeros(variables + 1, dtype=np.int32),
            trail_at=np.zeros(variables + 2, dtype=np.int64),
            frontier_at=np.zeros(variables + 2, dtype=np.int64),
            counters=np.zeros(kernels.COUNTERS, dtype=np.int64),
        )
        self._seen = np.zeros(variables, dtype=np.bool_)
        self._learned = np.zeros(variables + 1, dtype=np.int32)
        self._given = len(start) - 1
        self._clauses = Clauses(start, literals, np.full(2 * variables, -1, dtype=np.int64), np.zeros(0, dtype=np.int64))
        self._reserve(len(start) + 2000, len(literals) + 100_000)
        self._contradictory = not self._assert(given)

    def _definitions(self, game: GroundGame, needed: NDArray[np.bool_], chains: Sequence[Ints]) -> tuple[Ints, Offsets, Ints]:
        """Every defined variable as a disjunction (kind 0) or conjunction (kind 1) of literals; others have no inputs."""
        rules = np.flatnonzero(needed[game.rule_head])
        length = np.diff(game.rule_start)[rules]
        long = rules[length > 1]
        body_variable = np.zeros(game.rules, dtype=np.int64)
        body_variable[long] = game.atoms + np.arange(len(long))
        representative = (2 * body_variable).astype(np.int32)
        short = rules[length == 1]
        representative[short] = game.rule_body[game.rule_start[short]]
        heads = game.rule_head[rules]
        head_count = np.bincount(heads, minlength=game.atoms)
        parts = [
            (np.concatenate([[0], np.cumsum(head_count)]).astype(np.int64), representative[rules]),
            (
                np.concatenate([[0], np.cumsum(np.diff(game.rule_start)[long])]).astype(np.int64),
                game.rule_body[ranges(game.rule_start[long], game.rule_start[long + 1])],
            ),
        ]
        first = game.atoms + len(long)
        self._prefix: list[Ints] = []
        for chain in chains:
            # The variable of prefix i is "variable of prefix i - 1, or literal i"; the first prefix is the first literal itself.
            new = (2 * (first + np.arange(len(chain) - 1))).astype(np.int32)
            prefix = np.concatenate([chain[:1], new]).astype(np.int32)
            self._prefix.append(prefix)
            inputs = np.stack([prefix[:-1], chain[1:]], axis=1).astype(np.int32).ravel()
            parts.append((2 * np.arange(len(chain), dtype=np.int64), inputs))
            first += len(chain) - 1
        definition_start, definition = concatenate(parts)
        kind = np.zeros(first, dtype=np.int32)
        kind[game.atoms : game.atoms + len(long)] = 1
        return kind, definition_start, definition

    @staticmethod
    def _clauses_of_definitions(kind: Ints, start: Offsets, definition: Ints) -> list[tuple[Offsets, Ints]]:
        count = np.diff(start)
        owner = np.repeat(np.arange(len(kind), dtype=np.int32), count)
        flip = kind[owner]
        implied = _binary((definition ^ 1 ^ flip).astype(np.int32), ((2 * owner) ^ flip).astype(np.int32))
        defined = np.flatnonzero(count)
        long_start = np.concatenate([[0], np.cumsum(count[defined] + 1)]).astype(np.int64)
        long = np.zeros(int(long_start[-1]), dtype=np.int32)
        is_head = np.zeros(len(long), dtype=np.bool_)
        is_head[long_start[:-1]] = True
        long[is_head] = (2 * defined + 1) ^ kind[defined]
        long[~is_head] = definition ^ flip
        return [implied, (long_start, long)]

    def _reserve(self, clauses: int, literals: int) -> None:
        """Room for learned clauses; those learned so far are forgotten."""
        old = self._clauses
        used = int(old.start[self._given])
        start = np.zeros(clauses + 1, dtype=np.int64)
        start[: self._given + 1] = old.start[: self._given + 1]
        buffer = np.zeros(literals, dtype=np.int32)
        buffer[:used] = old.literals[:used]
        self._clauses = Clauses(start, buffer, old.watch_head, np.zeros(2 * clauses, dtype=np.int64))
        self._state.counters[kernels.CLAUSES] = self._given
        kernels.watch_all(self._clauses, np.int64(self._given))

    def _assert(self, literals: Sequence[int]) -> bool:
        """Make literals true for good; False if they contradict each other."""
        for literal in literals:
            if self._state.value[literal] == -1:
                return False
            if self._state.value[literal] == 0:
                kernels.assign(np.int64(literal), np.int64(-1), self._state)
        return True

    def prefix(self, chain: int) -> Ints:
        """Literals of the prefix variables of a chain: entry i is "one of the literals 0 … i of the chain is true"."""
        return self._prefix[chain]

    def refutes(self, assumptions: Sequence[int]) -> bool:
        """Whether it is proved that the literals cannot all be true; False also when the effort ran out."""
        if self._contradictory:
            return True
        literals = np.array(assumptions, dtype=np.int32)
        for _ in range(3):
            outcome = kernels.search(
                literals,
                np.int64(self._max_conflicts),
                self._clauses,
                self._state,
                self._inputs,
                self._groups,
                self._seen,
                self._learned,
            )
            if outcome != kernels.FULL:
                break
            kernels.backtrack(np.int64(0), self._state)
            self._state.counters[kernels.HEAD] = 0
            self._reserve(2 * len(self._clauses.start), 2 * len(self._clauses.literals))
        return bool(outcome == kernels.UNSATISFIABLE)


def _binary(left: Ints, right: Ints) -> tuple[Offsets, Ints]:
    return 2 * np.arange(len(left) + 1, dtype=np.int64), np.stack([left, right], axis=1).astype(np.int32).ravel()

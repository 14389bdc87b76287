"""The multi-valued state variables of a game: groups of fluents proved to exclude each other.

A group is proved by induction: it holds in the initial state, and whenever all groups hold in a state that is not terminal, it
holds after every joint legal move. All candidates are assumed together; the ones that cannot be proved are dropped, and the proof
is repeated with the rest until nothing has to be dropped. "At most one" and "at least one" are proved separately.
"""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import GroundGame
from scsp_player.network.candidates import Candidate, candidates
from scsp_player.network.csr import stack_rows
from scsp_player.network.evaluation import observe_groups
from scsp_player.network.naming import words_of
from scsp_player.network.rules import MoveRules
from scsp_player.network.step_proof import StepProver

Ints = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class StateGroup:
    """Fluents that become the values of one variable.

    Attributes:
        fluents: int32[k]; value i of the variable means that ``fluents[i]`` is true (but see ``boolean``).
        exact: one of them is always true; otherwise the variable has a further value k, "none of them".
        label: what they have in common, as words.
    """

    fluents: Ints
    exact: bool
    label: tuple[str, ...]

    @property
    def boolean(self) -> bool:
        """Whether the variable is a plain Boolean: 1 if its only fluent is true, else 0."""
        return len(self.fluents) == 1 and not self.exact


def state_groups(game: GroundGame, merged: MoveRules, *, seconds: float = 30.0) -> list[StateGroup]:
    """A partition of all fluents into proved groups, and groups of one fluent each where nothing was proved.

    What cannot be proved within about ``seconds`` counts as unproved.
    """
    proved = prove(game, merged, candidates(game), seconds=seconds)
    return choose(game, proved)


def prove(
    game: GroundGame, merged: MoveRules, proposed: list[Candidate], *, seconds: float = 30.0
) -> list[tuple[Candidate, bool]]:
    """The candidates that hold in every reachable state, each with a flag whether one member is always true."""
    deadline = time.perf_counter() + seconds
    start, members = stack_rows([c.fluents for c in proposed])
    several, missing = observe_groups(game, start, members)
    true_now = np.add.reduceat(game.initial[members].astype(np.int64), start[:-1]) if len(members) else np.zeros(0, np.int64)
    alive = [
        (candidate, bool(not lacking and n))
        for candidate, lacking, bad, n in zip(proposed, missing, several, true_now, strict=True)
        if not bad and n <= 1
    ]
    prover = StepProver(game, merged)
    while alive:
        prover.assume([c.fluents for c, _ in alive], [exact for _, exact in alive])
        kept: list[tuple[Candidate, bool]] = []
        for candidate, exact in alive:
            if time.perf_counter() > deadline:
                return []
            exclusive, complete = prover.prove(candidate.fluents, full=exact)
            if exclusive:
                kept.append((candidate, complete))
        if len(kept) == len(alive) and [e for _, e in kept] == [e for _, e in alive]:
            return kept
        alive = kept
    return []


def choose(game: GroundGame, proved: list[tuple[Candidate, bool]]) -> list[StateGroup]:
    """A partition of the fluents: again and again the family of groups that saves most variables among the fluents left."""
    families: dict[int, list[tuple[Candidate, bool]]] = defaultdict(list)
    for candidate, exact in proved:
        families[candidate.family].append((candidate, exact))
    left = np.ones(game.fluents, dtype=np.bool_)
    groups: list[StateGroup] = []
    while families:
        best, best_key = -1, (0, 0, 0, 0)
        for family, members in families.items():
            sizes = [int(left[c.fluents].sum()) for c, _ in members]
            saved = sum(size - 1 for size in sizes if size > 1)
            saved += sum(e and size == 1 for (_, e), size in zip(members, sizes, strict=True))
            whole = sum(e and bool(left[c.fluents].all()) for c, e in members)
            key = (saved, whole, -members[0][0].free, family)
            if saved > 0 and key > best_key:
                best, best_key = family, key
        if best < 0:
            break
        for candidate, is_exact in families.pop(best):
            fluents = candidate.fluents[left[candidate.fluents]]
            whole = is_exact and len(fluents) == len(candidate.fluents)
            if len(fluents) > 1 or whole:
                groups.append(StateGroup(fluents, whole, candidate.label))
                left[fluents] = False
    for fluent in np.flatnonzero(left).tolist():
        groups.append(StateGroup(np.array([fluent], dtype=np.int32), False, words_of(game.fluent(fluent))))
    groups.sort(key=lambda g: int(g.fluents[0]))
    return groups


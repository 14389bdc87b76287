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
from scsp_player.network.evaluation import observe_groups
from scsp_player.network.proof import StepProver

Ints = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class StateGroup:
    """Fluents that become the values of one variable.

    Attributes:
        fluents: int32[k]; value i of the variable means that ``fluents[i]`` is true.
        exact: one of them is always true; otherwise the variable has a further value k, "none of them".
        label: what they have in common, as words; the words of a single fluent that stands alone (then k = 1).
    """

    fluents: Ints
    exact: bool
    label: tuple[str, ...]

    @property
    def size(self) -> int:
        """Number of values."""
        return len(self.fluents) + (not self.exact)


def state_groups(game: GroundGame, *, seconds: float = 30.0) -> list[StateGroup]:
    """A partition of all fluents into proved groups, and groups of one fluent each where nothing was proved.

    What cannot be proved within about ``seconds`` counts as unproved.
    """
    proved = prove(game, candidates(game), seconds=seconds)
    return choose(game, proved)


def prove(game: GroundGame, proposed: list[Candidate], *, seconds: float = 30.0) -> list[tuple[Candidate, bool]]:
    """The candidates that hold in every reachable state, each with a flag whether one member is always true."""
    deadline = time.perf_counter() + seconds
    start, members = _csr([c.fluents for c in proposed])
    several, missing = observe_groups(game, start, members)
    true_now = np.add.reduceat(game.initial[members].astype(np.int64), start[:-1]) if len(members) else np.zeros(0, np.int64)
    alive = [
        (candidate, bool(not lacking and n))
        for candidate, lacking, bad, n in zip(proposed, missing, several, true_now, strict=True)
        if not bad and n <= 1
    ]
    while alive:
        kept: list[tuple[Candidate, bool]] = []
        chains = [game.next_literal[c.fluents] for c, _ in alive]
        prover = StepProver(game, [c.fluents for c, _ in alive], [exact for _, exact in alive], chains)
        for i, (candidate, exact) in enumerate(alive):
            following, prefix = chains[i], prover.prefix(i)
            exclusive = all(
                time.perf_counter() < deadline and prover.refutes([int(following[k]), int(prefix[k - 1])])
                for k in range(1, len(following))
            )
            if exclusive:
                complete = exact and time.perf_counter() < deadline and prover.refutes([int(prefix[-1]) ^ 1])
                kept.append((candidate, complete))
        if [(c.family, c.label, e) for c, e in kept] == [(c.family, c.label, e) for c, e in alive]:
            return kept
        if time.perf_counter() > deadline:
            return []
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
            whole = sum(e and bool(left[c.fluents].all()) for c, e in members)
            key = (saved, whole, -members[0][0].free, family)
            if saved > 0 and key > best_key:
                best, best_key = family, key
        if best < 0:
            break
        for candidate, is_exact in families.pop(best):
            fluents = candidate.fluents[left[candidate.fluents]]
            if len(fluents) > 1:
                groups.append(StateGroup(fluents, is_exact and len(fluents) == len(candidate.fluents), candidate.label))
                left[fluents] = False
    for fluent in np.flatnonzero(left):
        groups.append(StateGroup(np.array([fluent], dtype=np.int32), False, (str(game.fluent(int(fluent))),)))
    groups.sort(key=lambda g: int(g.fluents[0]))
    return groups


def _csr(rows: list[Ints]) -> tuple[NDArray[np.int64], Ints]:
    start = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    return start, np.concatenate([np.zeros(0, dtype=np.int32), *rows]).astype(np.int32)

"""The multi-valued state variables of a game: groups of fluents proved to exclude each other.

A group is proved by induction: it holds in the initial state, and whenever all groups hold in a state that is not terminal, it
holds after every joint legal move. The candidates of a family are assumed together with all groups proved before; the ones that
cannot be proved are dropped, and the proof is repeated with the rest until nothing has to be dropped. In the end the same is done
with all candidates left, which may need each other. "At most one" and "at least one" are proved separately.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import GroundGame
from scsp_player.network.candidates import Candidate, candidates
from scsp_player.network.csr import stack_rows
from scsp_player.network.errors import Deadline
from scsp_player.network.evaluation import observe_groups
from scsp_player.network.naming import words_of
from scsp_player.network.rules import MoveRules
from scsp_player.network.step_proof import StepProver

Ints = NDArray[np.int32]
Claim: TypeAlias = tuple[Candidate, bool]
"""A group, and whether one member is always true."""

WORK = 800_000_000
"""Effort for all proofs, in literals and clauses looked at (some ten seconds), unless the caller says otherwise. It is counted, not
timed, so that a game has the same variables on every machine."""

FAMILY_SHARE, DOUBTFUL_SHARE = 0.5, 0.02
"""Part of the effort left that one family may take (twice that to confirm)."""

SMALL_FAMILY = 4
"""Families with at most that many groups, counters and phases, come first: others may need them."""


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


def state_groups(
    game: GroundGame, merged: MoveRules, *, work: int = WORK, deadline: Deadline | None = None
) -> list[StateGroup]:
    """A partition of all fluents into proved groups, and groups of one fluent each where nothing was proved.

    What cannot be proved with about ``work`` steps counts as unproved.

    Raises:
        NetworkTooLargeError: if ``deadline`` is over.
    """
    proved = prove(game, merged, candidates(game), work=work, deadline=deadline or Deadline())
    return choose(game, proved)


def prove(
    game: GroundGame,
    merged: MoveRules,
    proposed: list[Candidate],
    *,
    work: int = WORK,
    everything: bool = False,
    deadline: Deadline | None = None,
) -> list[tuple[Candidate, bool]]:
    """The candidates that hold in every reachable state, each with a flag whether one member is always true.

    What cannot be proved with that effort is left out, and so are families that would save no variable beside those proved before,
    unless ``everything`` is wanted.
    """
    start, members = stack_rows([c.fluents for c in proposed])
    several, missing = observe_groups(game, start, members) if work else (np.zeros(len(proposed), dtype=np.bool_),) * 2
    true_now = np.add.reduceat(game.initial[members].astype(np.int64), start[:-1]) if len(members) else np.zeros(0, np.int64)
    families: dict[int, list[Claim]] = defaultdict(list)
    for candidate, lacking, bad, n in zip(proposed, missing, several, true_now, strict=True):
        if not bad and n <= 1:
            families[candidate.family].append((candidate, bool(not lacking and n)))
    size = Counter(candidate.family for candidate in proposed)
    saving = {family: sum(len(c.fluents) - 1 for c, _ in claims) for family, claims in families.items()}
    # Families of which play refuted a large part are doubtful and come last, the others by what they save.
    doubtful = {family: 2 * len(claims) < size[family] for family, claims in families.items()}
    induction = _Induction(StepProver(game, merged, deadline or Deadline()), work)
    chosen = _Savings(game)
    for family in sorted(families, key=lambda f: (doubtful[f], size[f] > SMALL_FAMILY, -saving[f], f)):
        if everything or chosen.gain(families[family]) > 0:
            share = DOUBTFUL_SHARE if doubtful[family] else FAMILY_SHARE
            if induction.add(families[family], int(induction.left * share)):
                chosen.count(induction.proved)
    rest = [claim for family, claims in families.items() if not doubtful[family] for claim in claims]
    if everything or chosen.gain(rest) > 0:
        induction.add(rest, induction.left // 2)
    return induction.proved


class _Savings:
    """How many variables the groups proved so far save, and how many others would."""

    def __init__(self, game: GroundGame) -> None:
        self._game = game
        self._saved = np.zeros(game.fluents)

    def count(self, proved: list[Claim]) -> None:
        """Take account of what is proved."""
        for group in choose(self._game, proved):
            self._saved[group.fluents] = (len(group.fluents) - (not group.exact)) / len(group.fluents)

    def gain(self, claims: list[Claim]) -> float:
        """Variables that the claims, if they hold, may save beyond those saved already."""
        gain = 0.0
        for candidate, exact in claims:
            gain += max(0.0, len(candidate.fluents) - (not exact) - float(self._saved[candidate.fluents].sum()) - 1e-6)
        return gain


class _Induction:
    """Claims about groups, at most one member or exactly one, that are proved to be kept by every step."""

    def __init__(self, prover: StepProver, work: int) -> None:
        self._prover = prover
        self._work = work
        self._exact: dict[Candidate, bool] = {}

    @property
    def proved(self) -> list[Claim]:
        """The claims proved so far."""
        return list(self._exact.items())

    @property
    def left(self) -> int:
        """Effort left."""
        return max(0, self._work - self._prover.spent)

    def add(self, claims: list[Claim], work: int) -> bool:
        """Prove those of the claims that hold each other up, together with what is proved; nothing if that takes twice ``work``.

        Returns whether anything was proved.
        """
        begin = self._prover.spent
        limit = begin + work
        claims = [(c, e) for c, e in claims if c not in self._exact or (e and not self._exact[c])]
        while claims and self._prover.spent < begin + 2 * work:
            assumed = self._exact | dict(claims)
            self._prover.assume([c.fluents for c in assumed], list(assumed.values()))
            kept: list[Claim] = []
            for candidate, exact in claims:
                exclusive, complete = self._prover.prove(candidate.fluents, full=exact, limit=limit)
                if exclusive:
                    kept.append((candidate, complete))
            if kept == claims:
                self._exact |= dict(kept)
                return True
            claims, limit = kept, begin + 2 * work
        return False


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


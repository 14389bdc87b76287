"""Sub-games in a row: one begins when the other has ended."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scsp_player.propnet.circuit import Circuit
from scsp_player.structure.counters import Counters
from scsp_player.structure.dependence import Cases, Dependence, conjuncts
from scsp_player.structure.partition import Partition

Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Series:
    """Two sub-games in a row.

    Attributes:
        first, second: bool[fluents], their fluents.
        late: bool[moves], the moves of the second one; others that change anything are moves of the first one.
    """

    first: Bools
    second: Bools
    late: Bools


def find_series(circuit: Circuit, known: Dependence, counters: Counters, blocks: Partition, free: Bools) -> Series | None:
    """Look for a condition that no move of the first sub-game allows and every move of the second one demands.

    Args:
        circuit: of the game.
        known: what depends on what.
        counters: of the game; the condition may speak of them instead of the first sub-game.
        blocks: blocks of fluents that nothing joins but moves.
        free: bool[fluents], the fluents that belong to blocks.
    """
    search = _Search(circuit, known, counters, blocks.labels(), free)
    for gate in sorted(search.holders):
        found = search.attempt(gate)
        if found is not None:
            return found
    return None


class _Search:
    """Tries one condition after the other."""

    def __init__(self, circuit: Circuit, known: Dependence, counters: Counters, labels: NDArray[np.int64], free: Bools) -> None:
        self._circuit = circuit
        self._known = known
        self._counters = counters
        self._labels = labels
        self._free = free
        self._changes: Bools = np.where(free[:, None], known.changes, False)
        self._changing = self._changes.any(axis=0)
        #: for each condition that is not always true the moves that demand it.
        self.holders: dict[int, set[int]] = {}
        for move, conditions in enumerate(known.conditions):
            for condition in conditions:
                if condition in known.needs:
                    self.holders.setdefault(condition, set()).add(move)

    def attempt(self, gate: int) -> Series | None:
        """The two sub-games if this condition separates them, else None."""
        closed = conjuncts(self._circuit, gate ^ 1)
        early_moves = set.intersection(*(self.holders.get(c, set()) for c in closed)) if closed else set()
        if not early_moves:
            return None
        moves = np.arange(len(self._known.conditions))
        late_moves = np.isin(moves, list(self.holders[gate]))
        late: Bools = np.asarray(late_moves[self._known.joint].any(axis=1))
        early: Bools = np.asarray(np.isin(moves, list(early_moves))[self._known.joint].any(axis=1))
        if (late & early).any() or (self._changing & ~late & ~early).any() or not (self._changing & late).any():
            return None
        needs = self._known.needs[gate]
        own = self._changes[:, early].any(axis=1) | (needs & self._free)
        first: Bools = np.where(self._free, np.isin(self._labels, self._labels[own]), False)
        begun = self._changes[:, late].any(axis=1) & ~first
        second: Bools = np.where(self._free, np.isin(self._labels, self._labels[begun]), False)
        if not first.any() or not second.any():
            return None
        if not self._apart(gate, set(closed), first, second, late) or not self._stays_open(gate, first, late):
            return None
        return Series(first, second, late_moves)

    def _apart(self, gate: int, closed: set[int], first: Bools, second: Bools, late: Bools) -> bool:
        """Whether moves of one sub-game demand nothing of the other but that the first one has ended or not."""
        for joint, is_late in zip(self._known.joint.tolist(), late.tolist(), strict=True):
            others = first if is_late else second
            allowed = {gate} if is_late else closed
            for condition in {c for move in joint for c in self._known.conditions[move]} - allowed:
                if (self._known.needs.get(condition, others) & others).any() and condition in self._known.needs:
                    return False
        return True

    def _stays_open(self, gate: int, first: Bools, late: Bools) -> bool:
        """Whether the second sub-game goes on once it has begun, and its moves do all the same to the first one, if anything."""
        changes = self._changes[np.ix_(first, late)]
        changed = changes.any(axis=1)
        outcome = self._known.outcome[np.ix_(first, late)][changed]
        if not changes[changed].all() or (outcome != outcome[:, :1]).any():
            return False
        needs = self._known.needs[gate]
        if (needs & self._counters.fluents).any():
            return not (needs & self._free).any() and self._opens_once(gate)
        if not changed.any():
            return True
        if not ((outcome == 0) | (outcome == ~np.uint64(0))).all():
            return False
        cases = Cases(self._circuit, 1)
        cases.forced[1 + np.flatnonzero(first)[changed], 0] = outcome[:, 0] != 0
        cases.solve()
        return bool(cases.of(np.array([gate], np.int32))[0, 0] == ~np.uint64(0))

    def _opens_once(self, gate: int) -> bool:
        """Whether a condition on counters is false at first, and true for ever after some turn."""
        course = self._counters.course
        if not len(course):
            return False
        cases = Cases(self._circuit, len(course))
        for fluent in np.flatnonzero(self._counters.fluents).tolist():
            cases.forced[1 + fluent] = course[:, fluent]
        cases.solve()
        words = cases.of(np.array([gate], np.int32))[0]
        opens = words == ~np.uint64(0)
        known = bool((opens | (words == 0)).all())
        # It stays open where the counters go round, too.
        once = bool((np.diff(opens.astype(np.int8)) >= 0).all()) and bool(opens[self._counters.repeats or 0 :].all())
        return known and once and not opens[0] and bool(opens[-1])

"""Tables of the words that an automaton or a decision diagram accepts."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from xcsp.tabulation import TooLargeError

Ints = NDArray[np.int32]

_TRANSITION = re.compile(r"\s*\(\s*([^\s(),]+)\s*,\s*([+-]?[0-9]{1,10})\s*,\s*([^\s(),]+)\s*\)\s*")


class Automaton:
    """States and transitions, by the text ``(state,value,state)…``; several from one state by one value are allowed.

    Raises:
        ValueError: if the text is something else.
    """

    def __init__(self, text: str) -> None:
        self.states: dict[str, int] = {}
        rows: list[tuple[int, int, int]] = []
        position = 0
        while position < len(text):
            match = _TRANSITION.match(text, position)
            if match is None:
                raise ValueError(f"{text[position : position + 40]!r} is no transition")
            source, target = (self.states.setdefault(name, len(self.states)) for name in (match[1], match[3]))
            rows.append((source, int(match[2]), target))
            position = match.end()
        if not rows:
            raise ValueError("it needs transitions")
        self._rows = np.unique(np.array(rows, dtype=np.int64), axis=0)

    def ends(self) -> tuple[list[str], list[str]]:
        """The states to which no transition leads, and those from which none does."""
        sources, targets = set(self._rows[:, 0].tolist()), set(self._rows[:, 2].tolist())
        names = list(self.states)
        return [names[s] for s in sorted(sources - targets)], [names[s] for s in sorted(targets - sources)]

    def words(self, start: Sequence[str], final: Sequence[str], domains: Sequence[Sequence[int]], limit: int) -> Ints:
        """The accepted words with one value of each domain, int32[words, domains], ascending.

        Raises:
            TooLargeError: if they, or what leads to them, have more than ``limit`` entries.
        """
        usable = [self._rows[np.isin(self._rows[:, 1], np.array(list(domain), dtype=np.int64))] for domain in domains]
        # Backwards first, so that no prefix is made that cannot be finished.
        alive = self._set(final)
        for place in reversed(range(len(domains))):
            usable[place] = usable[place][alive[usable[place][:, 2]]]
            alive = np.zeros(len(self.states), dtype=np.bool_)
            alive[usable[place][:, 0]] = True
        states = np.flatnonzero(self._set(start))
        prefixes = np.zeros((len(states), 0), dtype=np.int64)
        for rows in usable:
            first = np.searchsorted(rows[:, 0], states)
            count = np.searchsorted(rows[:, 0], states, side="right") - first
            total = int(count.sum())
            if total * (prefixes.shape[1] + 1) > limit:
                raise TooLargeError(f"{total} accepted beginnings")
            owner = np.repeat(np.arange(len(states)), count)
            taken = rows[np.arange(total) - np.repeat(np.cumsum(count) - count, count) + first[owner]]
            longer = np.concatenate([prefixes[owner], taken[:, 1:]], axis=1)
            longer = np.unique(longer, axis=0) if total else longer
            prefixes, states = longer[:, :-1], longer[:, -1]
        return np.unique(prefixes, axis=0).astype(np.int32)

    def _set(self, names: Sequence[str]) -> NDArray[np.bool_]:
        unknown = [name for name in names if name not in self.states]
        if unknown:
            raise ValueError(f"no transition names the state {unknown[0][:40]}")
        chosen = np.zeros(len(self.states), dtype=np.bool_)
        chosen[[self.states[name] for name in names]] = True
        return chosen

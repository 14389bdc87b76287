"""Which moves percepts may speak of: percepts mostly quote what they come from."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from scsp_player.gdl.terms import Compound, Term

LONGEST_RUN = 8
"""Constants side by side that are compared at most."""

LISTED_MOVES = 50_000
"""Moves in the lists that are remembered; a longer list is not compared at all.

They take up to 200 MB with eight constants each, 15 MB with three.
"""

Run = tuple[Term, ...]


class Likeness:
    """Finds among moves those that have the longest run of constants in common with percepts.

    Lists of moves come again as the same objects, and new ones have most moves in common with older ones: each move is taken apart
    once.
    """

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self._lists: dict[int, tuple[Sequence[Term], frozenset[Term]]] = {}
        self._with_run: dict[Run, list[Term]] = {}
        self._indexed: set[Term] = set()

    def most_alike(self, moves: Sequence[Term], percepts: Collection[Term]) -> Sequence[Term]:
        """The moves most like any of the percepts; all of them if none is like them at all, or if they are too many to compare.

        >>> from scsp_player.gdl.reading import parse_term
        >>> moves = [parse_term(f"(deal {card})") for card in ("1 2", "2 1", "3 2")]
        >>> [str(move) for move in Likeness().most_alike(moves, [parse_term("(hand 3 2)"), parse_term("(turn 2)")])]
        ['(deal 3 2)']
        """
        if not 1 < len(moves) <= LISTED_MOVES or not percepts:
            return moves
        members = self._members(moves)
        longest, found = 0, dict[Term, None]()
        for run in sorted({run for percept in percepts for run in runs_of(percept)}, key=len, reverse=True):
            if len(run) < longest:
                break
            alike = [move for move in self._with_run.get(run, ()) if move in members]
            if alike:
                longest = len(run)
                found.update(dict.fromkeys(alike))
        return list(found) if found else moves

    def _members(self, moves: Sequence[Term]) -> frozenset[Term]:
        """The moves of a list, after the new ones among them have been indexed."""
        known = self._lists.get(id(moves))
        if known is not None and known[0] is moves:
            return known[1]
        if sum(len(moves) for moves, _ in self._lists.values()) + len(moves) > LISTED_MOVES:
            self._forget()
        members = frozenset(moves)
        for move in moves:
            if move not in self._indexed:
                self._indexed.add(move)
                for run in runs_of(move):
                    self._with_run.setdefault(run, []).append(move)
        self._lists[id(moves)] = moves, members
        return members


def runs_of(term: Term) -> frozenset[Run]:
    """All runs of constants that stand side by side in a term, functors left out.

    >>> from scsp_player.gdl.reading import parse_term
    >>> sorted(" ".join(map(str, run)) for run in runs_of(parse_term("(hand 2 (card 7))")))
    ['2', '2 7', '7']
    """
    leaves: list[Term] = []
    rest = [term]
    while rest:
        part = rest.pop()
        if isinstance(part, Compound):
            rest.extend(reversed(part.arguments))
        else:
            leaves.append(part)
    long = min(len(leaves), LONGEST_RUN)
    return frozenset(tuple(leaves[i : i + size]) for size in range(1, long + 1) for i in range(len(leaves) - size + 1))

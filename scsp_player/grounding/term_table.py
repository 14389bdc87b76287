"""Ground terms coded as integers, so that a million of them are three arrays."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from scsp_player.gdl.terms import Compound, Symbol, Term


@dataclass(frozen=True, eq=False)
class TermTable:
    """A read-only table of ground terms; a term's identifier is its index.

    Arguments of a term have smaller identifiers than the term itself, which is why no operation needs recursion.

    Attributes:
        names: functor and symbol names; position = functor identifier.
        functor: int32[n], functor identifier of each term.
        argument_start: int64[n + 1], start of each term's arguments in ``arguments`` (a symbol has none).
        arguments: int32[total], term identifiers.
    """

    names: tuple[str, ...]
    functor: NDArray[np.int32]
    argument_start: NDArray[np.int64]
    arguments: NDArray[np.int32]
    _decoded: dict[int, Term] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.functor)

    def term(self, identifier: int) -> Term:
        """The term with this identifier, decoded on first use and kept."""
        found = self._decoded.get(identifier)
        if found is not None:
            return found
        stack = [int(identifier)]
        while stack:
            current = stack[-1]
            start, stop = int(self.argument_start[current]), int(self.argument_start[current + 1])
            children = [int(a) for a in self.arguments[start:stop]]
            missing = [a for a in children if a not in self._decoded]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            name = self.names[self.functor[current]]
            if children:
                self._decoded[current] = Compound(name, tuple(self._decoded[a] for a in children))
            else:
                self._decoded[current] = Symbol(name)
        return self._decoded[int(identifier)]

    @classmethod
    def of(cls, terms: list[Term]) -> tuple[TermTable, list[int]]:
        """A table of the given ground terms and their subterms, with the identifier of each given term.

        >>> table, [identifier] = TermTable.of([Compound("cell", (Symbol("1"), Symbol("b")))])
        >>> str(table.term(identifier)), len(table)
        ('(cell 1 b)', 3)
        """
        names: dict[str, int] = {}
        functor: list[int] = []
        start: list[int] = [0]
        arguments: list[int] = []
        known: dict[Term, int] = {}
        for term in terms:
            stack = [term]
            while stack:
                current = stack[-1]
                if current in known:
                    stack.pop()
                    continue
                children = current.arguments if isinstance(current, Compound) else ()
                missing = [a for a in children if a not in known]
                if missing:
                    stack.extend(missing)
                    continue
                stack.pop()
                name = current.functor if isinstance(current, Compound) else str(current)
                functor.append(names.setdefault(name, len(names)))
                arguments.extend(known[a] for a in children)
                start.append(len(arguments))
                known[current] = len(functor) - 1
        table = cls(
            tuple(names),
            np.array(functor, dtype=np.int32),
            np.array(start, dtype=np.int64),
            np.array(arguments, dtype=np.int32),
        )
        return table, [known[term] for term in terms]

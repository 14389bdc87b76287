"""Terms of GDL: symbols, variables and compound terms.

Terms are immutable values. Nothing here recurses, so a term may be nested thousands of levels deep.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final


class Term:
    """A symbol, a variable or a compound term; compared by structure, hashed once.

    ``str(term)`` is the term in KIF prefix notation.
    """

    __slots__ = ("_hash",)
    _hash: int

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Term):
            return NotImplemented
        return _same_structure(self, other)

    def __lt__(self, other: Term) -> bool:
        """Order by printed form: the order in which legal moves and fluents are listed everywhere."""
        return str(self) < str(other)

    def __repr__(self) -> str:
        return f"<{self}>"


class Symbol(Term):
    """A constant such as ``xplayer``, ``3`` or ``+``. The name is what stands in the (case-folded) sheet.

    >>> str(Symbol("noop"))
    'noop'
    """

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name: Final = name
        self._hash = hash(("symbol", name))

    def __str__(self) -> str:
        return self.name


class Variable(Term):
    """A logical variable. ``name`` excludes the leading question mark of KIF.

    >>> str(Variable("x"))
    '?x'
    """

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name: Final = name
        self._hash = hash(("variable", name))

    def __str__(self) -> str:
        return f"?{self.name}"


class Compound(Term):
    """A functor or relation applied to at least one argument.

    >>> str(Compound("mark", (Symbol("1"), Variable("y"))))
    '(mark 1 ?y)'
    """

    __slots__ = ("arguments", "functor")

    def __init__(self, functor: str, arguments: tuple[Term, ...]) -> None:
        if not arguments:
            raise ValueError(f"a compound term needs arguments; write the symbol {functor} instead")
        self.functor: Final = functor
        self.arguments: Final = arguments
        self._hash = hash((functor, tuple(a._hash for a in arguments)))

    def __str__(self) -> str:
        pieces: list[str] = []
        stack: list[Term | str] = [self]
        while stack:
            item = stack.pop()
            if isinstance(item, Compound):
                pieces.append("(" + item.functor)
                stack.append(")")
                for argument in reversed(item.arguments):
                    stack.append(argument)
                    stack.append(" ")
            else:
                pieces.append(str(item))
        return "".join(pieces)


def _same_structure(left: Term, right: Term) -> bool:
    stack = [(left, right)]
    while stack:
        a, b = stack.pop()
        if a is b:
            continue
        if a._hash != b._hash or type(a) is not type(b):
            return False
        if isinstance(a, Compound) and isinstance(b, Compound):
            if a.functor != b.functor or len(a.arguments) != len(b.arguments):
                return False
            stack.extend(zip(a.arguments, b.arguments, strict=True))
        elif a.name != b.name:  # type: ignore[attr-defined]
            return False
    return True


def signature(term: Term) -> tuple[str, int]:
    """Name and arity of a relation or functor application; a symbol has arity 0.

    >>> signature(Compound("cell", (Symbol("1"), Symbol("b"))))
    ('cell', 2)

    Raises:
        TypeError: if ``term`` is a variable.
    """
    if isinstance(term, Compound):
        return term.functor, len(term.arguments)
    if isinstance(term, Symbol):
        return term.name, 0
    raise TypeError(f"a variable has no signature: {term}")


def variables(term: Term) -> Iterator[Variable]:
    """The variables of a term, left to right, with repetitions."""
    stack = [term]
    while stack:
        item = stack.pop()
        if isinstance(item, Variable):
            yield item
        elif isinstance(item, Compound):
            stack.extend(reversed(item.arguments))

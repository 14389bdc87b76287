"""Rule bodies with ``or``, ``and`` and ``not`` in any nesting, to conjunctions of literals.

Negation moves inwards (De Morgan), then each alternative of the body gives a rule of its own. Where that would multiply a rule
too often, an alternative becomes a relation of its own instead, so the result is never much longer than the sheet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Protocol

from scsp_player.gdl.errors import GdlError, Position
from scsp_player.gdl.program import Literal, Rule
from scsp_player.gdl.sexpr import Expression, Group, unused_names, words
from scsp_player.gdl.terms import Compound, Symbol, Term, Variable, signature, variables

MAX_ALTERNATIVES = 64
"""A body with more alternatives than this is split with auxiliary relations …"""
MAX_LITERALS = 20_000
"""… and so is one whose alternatives together have more literals than this."""
MAX_NESTING = 200
"""Levels of ``or`` and ``and`` inside each other; more are refused (hand-written sheets have three or four)."""

Alternatives = list[list[Literal]]


class Reader(Protocol):
    """What the expansion needs from the reader of a sheet."""

    def connective(self, group: Group) -> str | None:
        """``or``, ``and``, ``not`` …, or None for an atom."""

    def literal(self, expression: Expression, positive: bool) -> Literal:
        """An atom with a sign."""

    def remark_once(self, check: str, key: str, expression: Expression, text: str) -> None:
        """Keep an oddity for the checks."""


@dataclass(slots=True)
class _Frame:
    """A conjunction or disjunction under way: its formulas, their common sign, and the alternatives of those already read."""

    conjunctive: bool
    items: Sequence[Expression]
    positive: bool
    parts: list[Alternatives] = field(default_factory=list)
    _binders: dict[Variable, Literal] | None = None

    def binders(self, auxiliary_names: set[str]) -> dict[Variable, Literal]:
        """For each variable that a conjunction binds in all its alternatives, a literal of the sheet that does so."""
        if self._binders is None:
            self._binders = {}
            for part in self.parts:
                for literal in part[0] if len(part) == 1 else ():
                    if _binds(literal) and signature(literal.atom)[0] not in auxiliary_names:
                        for variable in variables(literal.atom):
                            self._binders.setdefault(variable, literal)
        return self._binders


@dataclass(slots=True)
class _Auxiliary:
    """A relation that stands for a disjunction, and the conjunctions around it (which may bind its variables)."""

    atom: Term
    alternatives: Alternatives
    around: list[_Frame]
    position: Position


class BodyExpander:
    """Expands the bodies of one sheet. ``expressions`` is the whole sheet: auxiliary relations get names that it does not use."""

    def __init__(self, reader: Reader, expressions: Sequence[Expression]) -> None:
        self._reader = reader
        self._expressions = expressions
        self._names: Iterator[str] | None = None
        self._everywhere: Counter[str] = Counter()

    def rules(self, head: Term, body: Sequence[Expression], position: Position, whole: Expression) -> list[Rule]:
        """The rules for ``head``, one for each alternative of ``body``, then those of auxiliary relations.

        Args:
            head: the conclusion.
            body: formulas that must all hold.
            position: position of the rule.
            whole: the rule as written.
        """
        plain = self._literals(body)
        if plain is not None:
            return [Rule(head, plain, position)]
        auxiliaries: list[_Auxiliary] = []
        result = [Rule(head, tuple(literals), position) for literals in self._alternatives(body, whole, auxiliaries)]
        names = {signature(auxiliary.atom)[0] for auxiliary in auxiliaries}
        for auxiliary in auxiliaries:
            for literals in auxiliary.alternatives:
                guards = _guards(auxiliary, literals, names)
                result.append(Rule(auxiliary.atom, (*guards, *literals), auxiliary.position))
        return result

    def _literals(self, body: Sequence[Expression]) -> tuple[Literal, ...] | None:
        """The body if it consists of atoms and negated atoms only, as most do; else None."""
        literals = []
        for item in body:
            connective = self._reader.connective(item) if isinstance(item, Group) else None
            positive = connective is None
            if connective == "not" and isinstance(item, Group) and len(item.items) == 2:
                item = item.items[1]
                connective = self._reader.connective(item) if isinstance(item, Group) else None
            if connective is not None:
                return None
            literals.append(self._reader.literal(item, positive))
        return tuple(literals)

    def _alternatives(self, body: Sequence[Expression], whole: Expression, auxiliaries: list[_Auxiliary]) -> Alternatives:
        path = [_Frame(True, body, True)]
        while True:
            frame = path[-1]
            if len(frame.parts) == len(frame.items):
                if frame.conjunctive:
                    alternatives = self._product(path, whole, auxiliaries)
                else:
                    alternatives = [literals for part in frame.parts for literals in part]
                path.pop()
                if not path:
                    return alternatives
                path[-1].parts.append(alternatives)
                continue
            item, positive = self._without_negation(frame.items[len(frame.parts)], frame.positive)
            connective = self._reader.connective(item) if isinstance(item, Group) else None
            if connective in ("or", "and"):
                assert isinstance(item, Group)
                self._remark_oddities(item, connective, frame)
                path.append(_Frame((connective == "and") == positive, item.items[1:], positive))
                if len(path) > MAX_NESTING:
                    raise GdlError(f"more than {MAX_NESTING} levels of or / and", item.position, "name parts of it")
            elif connective is not None:
                raise GdlError(f"'{connective}' inside a body", item.position, "rules cannot be nested; close the list before it")
            else:
                frame.parts.append([[self._reader.literal(item, positive)]])

    def _without_negation(self, item: Expression, positive: bool) -> tuple[Expression, bool]:
        """Strips ``not``, changing the sign each time."""
        depth = 0
        while isinstance(item, Group) and self._reader.connective(item) == "not":
            if len(item.items) != 2:
                raise GdlError(f"'not' with {len(item.items) - 1} formulas", item.position, "write one; join several with and")
            if depth == 1:
                self._reader.remark_once("double-negation", str(item), item, "double negation; leave both out")
            item, positive, depth = item.items[1], not positive, depth + 1
        return item, positive

    def _remark_oddities(self, item: Group, connective: str, frame: _Frame) -> None:
        if len(item.items) == 1:
            meaning = "false" if connective == "or" else "true"
            text = f"({connective}) without formulas is always {meaning}; leave it out"
        elif len(item.items) == 2:
            text = f"'{connective}' with a single formula; leave '{connective}' out"
        elif connective == "or" and frame.positive and not frame.conjunctive:
            text = "'or' directly inside 'or'; join the two lists"
        else:
            return
        self._reader.remark_once("odd-connective", str(item), item, text)

    def _product(self, path: list[_Frame], whole: Expression, auxiliaries: list[_Auxiliary]) -> Alternatives:
        frame = path[-1]
        parts = frame.parts
        if any(not part for part in parts):
            return []
        alternatives = prod(len(part) for part in parts)
        if alternatives > 1:
            length = sum(max(map(len, part)) for part in parts)
            largest_last = sorted((i for i, part in enumerate(parts) if len(part) > 1), key=lambda i: len(parts[i]))
            while largest_last and (alternatives > MAX_ALTERNATIVES or alternatives * length > MAX_LITERALS):
                index = largest_last.pop()
                alternatives //= len(parts[index])
                parts[index] = self._auxiliary(path, index, whole, auxiliaries)
        result: Alternatives = [[]]
        for part in parts:
            if len(part) == 1:
                for literals in result:
                    literals.extend(part[0])
            else:
                result = [[*literals, *more] for literals in result for more in part]
        return result

    def _auxiliary(self, path: list[_Frame], index: int, whole: Expression, auxiliaries: list[_Auxiliary]) -> Alternatives:
        if self._names is None:
            self._names = unused_names(self._expressions, "either")
        item = path[-1].items[index]
        inside = _variable_words(item)
        if not auxiliaries:
            self._everywhere = _variable_words(whole)
        alternatives = path[-1].parts[index]
        used = dict.fromkeys(v for literals in alternatives for literal in literals for v in variables(literal.atom))
        shared = tuple(v for v in used if self._everywhere[key := f"?{v.name}".lower()] > inside[key])
        name = next(self._names)
        atom: Term = Compound(name, shared) if shared else Symbol(name)
        auxiliaries.append(_Auxiliary(atom, alternatives, [frame for frame in path if frame.conjunctive], item.position))
        return [[Literal(atom, True, item.position)]]


def _binds(literal: Literal) -> bool:
    return literal.positive and signature(literal.atom)[0] != "distinct"


def _guards(auxiliary: _Auxiliary, literals: list[Literal], names: set[str]) -> list[Literal]:
    """Literals from around the disjunction that bind variables which this alternative leaves unbound."""
    bound = {v for literal in literals if _binds(literal) for v in variables(literal.atom)}
    used = [*variables(auxiliary.atom), *(v for literal in literals for v in variables(literal.atom))]
    guards: dict[Literal, None] = {}
    for variable in used:
        if variable in bound:
            continue
        binders = (frame.binders(names).get(variable) for frame in auxiliary.around)
        guards.update((binder, None) for binder in list(filter(None, binders))[:1])
    return list(guards)


def _variable_words(expression: Expression) -> Counter[str]:
    return Counter(word.text.lower() for word in words(expression) if word.text.startswith("?"))

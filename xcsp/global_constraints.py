"""Constraints of XCSP3-core that are no tables, as tables: in intension, allDifferent, allEqual, ordered, sum, count, element …"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from xcsp.expressions import parse_expression
from xcsp.model import STAR
from xcsp.tabulation import Tabulated, TooLargeError, tabulate, weighted_sums
from xcsp.value_text import integer_values, repeated_words
from xcsp.written import Part, Written

Operand: TypeAlias = "int | Reference"
"""A constant or a variable."""

Post: TypeAlias = tuple[tuple[int, ...], Tabulated]
"""Variables and a table over them."""

_INTEGER = re.compile(r"[+-]?[0-9]{1,10}")
_CONDITION = re.compile(r"\(\s*(lt|le|ge|gt|ne|eq|in|notin)\s*,\s*(.+?)\s*\)", re.DOTALL)
_COMPARE: dict[str, Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]]] = {
    "lt": np.less,
    "le": np.less_equal,
    "ge": np.greater_equal,
    "gt": np.greater,
    "ne": np.not_equal,
    "eq": np.equal,
}
PAIR_WORK = 4
"""What a pair of variables of one ``allDifferent`` counts, in combinations."""

_FAR = 1 << 62


@dataclass(frozen=True)
class Reference:
    """The variable with this index."""

    index: int


class Unsupported(ValueError):  # noqa: N818 - says what it is
    """A constraint, or a form of it, that is not turned into tables."""


class Tabulator:
    """Turns constraints into tables; equal ones over equal domains are made once.

    Args:
        operands: variables and integers of a list, by its text.
        matrix: the same for the rows of a matrix.
        domain: of a variable, by its index.
        combinations: assignments that may be tried for one constraint.
        together: and for all.
    """

    def __init__(
        self,
        operands: Callable[[str], list[Operand]],
        matrix: Callable[[str], list[list[Operand]]],
        domain: Callable[[int], NDArray[np.int32]],
        combinations: int,
        together: int,
    ) -> None:
        self._operands = operands
        self._matrix = matrix
        self._domain = domain
        self._combinations = combinations
        self._left = together
        self._known: dict[object, Tabulated] = {}
        self._kinds: dict[str, Callable[[Written], Iterator[Post]]] = {
            "intension": self._intension,
            "allDifferent": self._all_different,
            "allEqual": self._all_equal,
            "ordered": self._ordered,
            "sum": self._sum,
            "count": self._count,
            "nValues": self._distinct_values,
            "minimum": self._extremum,
            "maximum": self._extremum,
            "element": self._element,
            "clause": self._clause,
            "lex": self._lexicographic,
            "channel": self._channel,
            "cardinality": self._cardinality,
        }

    def tables(self, written: Written) -> Iterator[Post]:
        """The tables that together say the same as a constraint.

        Raises:
            ValueError: if it makes no sense, is not supported, or is too large.
        """
        extra = written.attributes.keys() - {"id", "class", "note", "startIndex", "rank"}
        if extra:
            raise Unsupported(f"the attribute {min(extra)[:40]}")
        return self._kinds[written.tag](written)

    def _table(self, key: object, scope: Sequence[int], predicate: Callable[..., NDArray[np.bool_]]) -> Post:
        """The table over distinct variables whose columns satisfy ``predicate``; ``key`` tells predicates apart."""
        domains = [self._domain(x) for x in scope]
        full = (key, tuple(map(id, domains)))
        if full not in self._known:
            table = tabulate(domains, predicate, min(self._combinations, self._left))
            self._left -= int(np.prod([len(domain) for domain in domains], dtype=np.float64))
            self._known[full] = table
        return tuple(scope), self._known[full]

    def _over(
        self, key: str, operands: Sequence[Operand], predicate: Callable[[list[NDArray[np.int64]]], NDArray[np.bool_]]
    ) -> Post:
        """The table of a predicate over operands, among which there may be constants and equal variables."""
        scope = list(dict.fromkeys(o.index for o in operands if isinstance(o, Reference)))
        if not scope:
            raise Unsupported("no variable in it")
        shape = tuple(scope.index(o.index) if isinstance(o, Reference) else (o,) for o in operands)

        def over(columns: list[NDArray[np.int64]]) -> NDArray[np.bool_]:
            return predicate([columns[s] if isinstance(s, int) else np.full(1, s[0], dtype=np.int64) for s in shape])

        return self._table((key, shape), scope, over)

    def _variables(self, text: str) -> list[int]:
        operands = self._operands(text)
        if not all(isinstance(o, Reference) for o in operands):
            raise Unsupported("a constant in this place")
        return [o.index for o in operands if isinstance(o, Reference)]

    def _intension(self, written: Written) -> Iterator[Post]:
        text = _part(written, "function") if any(p.tag == "function" for p in written.parts) else written.text
        expression = parse_expression(text)
        operands = [self._operands(name) for name in expression.names]
        if any(len(o) != 1 for o in operands):
            raise ValueError("a name stands for several variables")
        flat = [o[0] for o in operands]
        names = expression.names
        # Names are numbered, so that the constraints of a group are recognised as equal.
        numbers = {name: str(i) for i, name in enumerate(names)}
        steps = tuple(numbers[step] if isinstance(step, str) else step for step in expression.steps)
        yield self._over(f"intension {steps}", flat, lambda c: expression.evaluate(dict(zip(names, c, strict=True))))

    def _pairs(self, kind: str, pairs: Iterator[tuple[Operand, Operand]]) -> Iterator[Post]:
        compare = _COMPARE[kind]
        for a, b in pairs:
            if isinstance(a, int) and isinstance(b, int):
                if not compare(np.int64(a), np.int64(b)):  # type: ignore[arg-type]
                    raise Unsupported(f"the constants {a} and {b}, which contradict each other,")
                continue
            yield self._over(kind, (a, b), lambda c: compare(c[0], c[1]))

    def _all_different(self, written: Written) -> Iterator[Post]:
        if len(written.parts) > 1 or any(p.tag not in ("list", "matrix") for p in written.parts):
            raise Unsupported("several lists or exceptions")
        if written.parts and written.parts[0].tag == "matrix":
            rows = self._matrix(written.parts[0].text)
            lines = [*rows, *map(list, zip(*rows, strict=True))]
        else:
            lines = [self._operands(written.parts[0].text if written.parts else written.text)]
        count = sum(len(line) * (len(line) - 1) // 2 for line in lines)
        if count * PAIR_WORK > min(self._combinations, self._left):
            raise TooLargeError(f"{count} pairs of variables")
        self._left -= count * PAIR_WORK
        for line in lines:
            yield from self._pairs("ne", ((a, b) for i, a in enumerate(line) for b in line[:i]))

    def _all_equal(self, written: Written) -> Iterator[Post]:
        if any(p.tag != "list" for p in written.parts) or len(written.parts) > 1:
            raise Unsupported("several lists or exceptions")
        operands = self._operands(written.parts[0].text if written.parts else written.text)
        yield from self._pairs("eq", itertools.pairwise(operands))

    def _ordered(self, written: Written) -> Iterator[Post]:
        _only(written, "list", "operator")
        operator = _part(written, "operator").strip()
        if operator not in ("lt", "le", "ge", "gt"):
            raise ValueError(f"the operator {operator[:20]!r}")
        operands = self._operands(_part(written, "list"))
        yield from self._pairs(operator, itertools.pairwise(operands))

    def _lexicographic(self, written: Written) -> Iterator[Post]:
        _only(written, "list", "operator")
        operator = _part(written, "operator").strip()
        lists = [self._operands(part.text) for part in written.parts if part.tag == "list"]
        if operator not in ("lt", "le", "ge", "gt") or len(lists) < 2 or len({len(each) for each in lists}) != 1:
            raise ValueError("it needs lists of one length and an operator lt, le, ge or gt")
        def ordered(columns: list[NDArray[np.int64]]) -> NDArray[np.bool_]:
            half = len(columns) // 2
            result: NDArray[np.bool_] = np.full(1, operator in ("le", "ge"))
            for a, b in zip(reversed(columns[:half]), reversed(columns[half:]), strict=True):
                result = (a < b if operator in ("lt", "le") else a > b) | ((a == b) & result)
            return result

        for left, right in itertools.pairwise(lists):
            yield self._over(f"lex {operator}", [*left, *right], ordered)

    def _channel(self, written: Written) -> Iterator[Post]:
        """Element i of the first list is j exactly if element j of the second (or the same) is i: a table for each i and j."""
        _only(written, "list")
        parts = written.parts or (Part("list", written.attributes, written.text),)
        lists = [self._operands(part.text) for part in (parts * 2)[:2]]
        starts = [int(part.attributes.get("startIndex", "0")) for part in (parts * 2)[:2]]
        size = len(lists[0])
        indices = [set(range(start, start + size)) for start in reversed(starts)]
        fits = all(self._values(o) <= allowed for line, allowed in zip(lists, indices, strict=True) for o in line)
        if len(parts) > 2 or len(lists[1]) != size or not fits:
            raise Unsupported("lists of different lengths, or values that are no index,")
        if size * size * PAIR_WORK > self._combinations:
            raise TooLargeError(f"{size * size} pairs of variables")
        for i, j in itertools.product(range(size), repeat=2):
            a, b = j + starts[1], i + starts[0]
            yield self._over(f"channel {a} {b}", [lists[0][i], lists[1][j]], partial(_both_or_none, a, b))

    def _cardinality(self, written: Written) -> Iterator[Post]:
        _only(written, "list", "values", "occurs")
        values = self._operands(_part(written, "values"))
        occurs = _part(written, "occurs").split()
        if len(occurs) != len(values) or not all(isinstance(v, int) for v in values):
            raise Unsupported("variables among the values, or not one number for each value,")
        for value, text in zip(values, occurs, strict=True):
            bound = "in" if ".." in text else "eq"
            texts = {"list": _part(written, "list"), "values": str(value), "condition": f"({bound},{text})"}
            yield from self._count(replace(written, parts=tuple(Part(tag, {}, text) for tag, text in texts.items())))

    def _clause(self, written: Written) -> Iterator[Post]:
        text = _part(written, "list") if written.parts else written.text
        literals = [re.fullmatch(r"(?:not\((\S+)\)|(\S+))", token) for token in text.split()]
        wrong: dict[int, set[int]] = {}
        for literal in literals:
            assert literal is not None
            for x in self._variables(literal[1] or literal[2]):
                wrong.setdefault(x, set()).add(1 if literal[1] else 0)
        if all(len(values) == 1 for values in wrong.values()):
            row = [next(iter(values)) for values in wrong.values()]
            yield tuple(wrong), Tabulated(np.array([row], dtype=np.int32), False)

    def _condition(self, written: Written) -> tuple[str, Operand | NDArray[np.int32]]:
        match = _CONDITION.fullmatch(_part(written, "condition").strip())
        if match is None:
            raise Unsupported("this condition")
        if match[1] in ("in", "notin"):
            text = match[2].strip("{}").replace(",", " ")
            return match[1], integer_values(text, self._combinations)
        operands = self._operands(match[2])
        if len(operands) != 1:
            raise ValueError("a condition compares with one variable or number")
        return match[1], operands[0]

    def _conditioned(
        self, written: Written, operands: list[Operand], value: Callable[[list[NDArray[np.int64]]], NDArray[np.int64]], key: str
    ) -> Iterator[Post]:
        """What ``value`` makes of the operands meets the condition."""
        operator, other = self._condition(written)
        if isinstance(other, np.ndarray):
            members = other.astype(np.int64)
            wanted = operator == "in"
            key = f"{key} {operator} {members.tolist()}"
            yield self._over(key, operands, lambda c: np.isin(value(c), members) == wanted)
        else:
            compare = _COMPARE[operator]
            yield self._over(f"{key} {operator}", [*operands, other], lambda c: compare(value(c[:-1]), c[-1]))

    def _sum(self, written: Written) -> Iterator[Post]:
        _only(written, "list", "coeffs", "condition")
        operands = self._operands(_part(written, "list"))
        weights = [1] * len(operands)
        if any(p.tag == "coeffs" for p in written.parts):
            coefficients = self._operands(repeated_words(_part(written, "coeffs")))
            if not all(isinstance(c, int) for c in coefficients):
                raise Unsupported("variables for coefficients")
            weights = [c for c in coefficients if isinstance(c, int)]
        if len(weights) != len(operands):
            raise ValueError(f"{len(weights)} coefficients for {len(operands)} variables")
        operator, other = self._condition(written)
        if isinstance(other, Reference):
            operands, weights, other = [*operands, other], [*weights, -1], 0
        constant = sum(w * o for w, o in zip(weights, operands, strict=True) if isinstance(o, int))
        weight: dict[int, int] = {}
        for w, o in zip(weights, operands, strict=True):
            if isinstance(o, Reference):
                weight[o.index] = weight.get(o.index, 0) + w
        scope = tuple(weight)
        if not scope:
            raise Unsupported("no variable in it")
        yield scope, self._weighted(scope, tuple(weight.values()), operator, other, constant)

    def _weighted(
        self, scope: tuple[int, ...], weights: tuple[int, ...], operator: str, other: int | NDArray[np.int32], constant: int
    ) -> Tabulated:
        positive = operator not in ("ne", "notin")
        if isinstance(other, np.ndarray):
            least, greatest = int(other.min()), int(other.max())
            if greatest - least + 1 != len(other):
                raise Unsupported("a set with gaps")
        else:
            least = {"gt": other + 1, "lt": -_FAR, "le": -_FAR}.get(operator, other)
            greatest = {"lt": other - 1, "gt": _FAR, "ge": _FAR}.get(operator, other)
        domains = [self._domain(x) for x in scope]
        if sum(abs(w) * int(np.abs(d.astype(np.int64)).max()) for w, d in zip(weights, domains, strict=True)) >= _FAR // 4:
            raise ValueError("its numbers become too large")
        key = ("sum", weights, least - constant, greatest - constant, positive, tuple(map(id, domains)))
        if key not in self._known:
            # A row takes as much memory as many assignments that are only tried.
            most = min(self._combinations, self._left) // max(1, len(scope))
            rows = weighted_sums(domains, weights, max(least - constant, -_FAR), min(greatest - constant, _FAR), most)
            self._left -= rows.size
            self._known[key] = Tabulated(rows, positive)
        return self._known[key]

    def _count(self, written: Written) -> Iterator[Post]:
        _only(written, "list", "values", "condition")
        values = self._operands(_part(written, "values"))
        if not all(isinstance(v, int) for v in values):
            raise Unsupported("variables among the values")
        members = np.array([v for v in values if isinstance(v, int)], dtype=np.int64)

        def number(columns: list[NDArray[np.int64]]) -> NDArray[np.int64]:
            found = [np.isin(column, members) for column in np.broadcast_arrays(*columns)]
            return np.asarray(np.sum(found, axis=0), dtype=np.int64)

        yield from self._conditioned(written, self._operands(_part(written, "list")), number, f"count {members.tolist()}")

    def _distinct_values(self, written: Written) -> Iterator[Post]:
        _only(written, "list", "condition")

        def number(columns: list[NDArray[np.int64]]) -> NDArray[np.int64]:
            ordered = np.sort(np.stack(np.broadcast_arrays(*columns)), axis=0)
            return np.asarray(1 + np.count_nonzero(ordered[1:] != ordered[:-1], axis=0), dtype=np.int64)

        yield from self._conditioned(written, self._operands(_part(written, "list")), number, "nValues")

    def _extremum(self, written: Written) -> Iterator[Post]:
        _only(written, "list", "condition")
        best = np.minimum if written.tag == "minimum" else np.maximum

        def extremum(columns: list[NDArray[np.int64]]) -> NDArray[np.int64]:
            result = columns[0]
            for column in columns[1:]:
                result = best(result, column)
            return result

        yield from self._conditioned(written, self._operands(_part(written, "list")), extremum, written.tag)

    def _element(self, written: Written) -> Iterator[Post]:
        """Short tuples: the index, the variable there and the value; all others are free."""
        _only(written, "list", "index", "value")
        if written.attributes.get("rank", "any") != "any":
            raise Unsupported("the attribute rank")
        items = self._operands(_part(written, "list"))
        start = int(next(p for p in written.parts if p.tag == "list").attributes.get("startIndex", "0"))
        (index,) = self._variables(_part(written, "index"))
        (value,) = self._operands(_part(written, "value"))
        scope = list(dict.fromkeys([index, *(o.index for o in (*items, value) if isinstance(o, Reference))]))
        if len(scope) != 1 + sum(isinstance(o, Reference) for o in (*items, value)) and (
            index in [o.index for o in (*items, value) if isinstance(o, Reference)] or value in items
        ):
            raise Unsupported("a variable that occurs twice")
        rows = []
        for position in self._domain(index).tolist():
            if not 0 <= position - start < len(items):
                continue
            item = items[position - start]
            for common in sorted(self._values(item) & self._values(value)):
                row = dict.fromkeys(scope, int(STAR)) | {index: position}
                row |= {o.index: common for o in (item, value) if isinstance(o, Reference)}
                rows.append(list(row.values()))
            if len(rows) * len(scope) > min(self._combinations, self._left):
                raise TooLargeError(f"more than {len(rows)} tuples")
        self._left -= len(rows) * len(scope)
        yield tuple(scope), Tabulated(np.array(rows, dtype=np.int32).reshape(len(rows), len(scope)), True)

    def _values(self, operand: Operand) -> set[int]:
        return {operand} if isinstance(operand, int) else set(self._domain(operand.index).tolist())


def _both_or_none(a: int, b: int, columns: list[NDArray[np.int64]]) -> NDArray[np.bool_]:
    return np.asarray((columns[0] == a) == (columns[1] == b), dtype=np.bool_)


def _part(written: Written, tag: str) -> str:
    found = [part for part in written.parts if part.tag == tag]
    if len(found) != 1:
        raise ValueError(f"it needs one <{tag}>")
    return found[0].text


def _only(written: Written, *tags: str) -> None:
    for part in written.parts:
        if part.tag not in tags:
            raise Unsupported(f"the element <{part.tag[:40]}> in it")
        extra = part.attributes.keys() - {"note", "startIndex"}
        if extra:
            raise Unsupported(f"the attribute {min(extra)[:40]}")

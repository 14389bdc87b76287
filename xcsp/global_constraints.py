"""Constraints of XCSP3-core that are not written as tables: as tables if these are small, as relations else where there are any."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from xcsp.automata import Automaton
from xcsp.expressions import parse_expression
from xcsp.model import STAR
from xcsp.operands import Operand, Reference, Unsupported, only, part, start_index
from xcsp.predicates import Post, Predicates
from xcsp.relations import CONDITIONS, AllDifferent, Count, Sum
from xcsp.tabulation import Tabulated, TooLargeError, weighted_sums
from xcsp.value_text import INTERVAL, Runs, integer_runs, repeated_words
from xcsp.written import Part, Written

PAIR_WORK = 4
"""What a pair of variables of one ``allDifferent`` counts, in combinations."""

_FAR = 1 << 62


class Tabulator(Predicates):
    """Turns constraints into tables and relations; equal ones over equal domains are made once."""

    def __init__(
        self,
        operands: Callable[[str], list[Operand]],
        matrix: Callable[[str], list[list[Operand]]],
        domain: Callable[[int], NDArray[np.int32]],
        combinations: int,
        together: int,
        native: Callable[[], bool] = lambda: False,
    ) -> None:
        """Arguments as for ``Predicates``, and ``matrix``: the operands of the rows of a matrix, by its text."""
        super().__init__(operands, domain, combinations, together, native)
        self._matrix = matrix
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
            "regular": self._regular,
            "mdd": self._diagram,
        }

    def tables(self, written: Written) -> Iterator[Post]:
        """The tables and relations that together say the same as a constraint.

        Raises:
            ValueError: if it makes no sense, is not supported, or is too large.
        """
        extra = written.attributes.keys() - {"id", "class", "note", *(() if written.parts else ("startIndex",))}
        if extra:
            raise Unsupported(f"the attribute {min(extra)[:40]}")
        return self._kinds[written.tag](written)

    def _intension(self, written: Written) -> Iterator[Post]:
        text = part(written, "function") if any(p.tag == "function" for p in written.parts) else written.text
        expression = parse_expression(text)
        operands = [self._operands(name) for name in expression.names]
        if any(len(o) != 1 for o in operands):
            raise ValueError("a name stands for several variables")
        flat = [o[0] for o in operands]
        names = expression.names
        # Names are numbered, so that the constraints of a group are recognised as equal.
        numbers = {name: str(i) for i, name in enumerate(names)}
        steps = tuple(numbers[step] if isinstance(step, str) else step for step in expression.steps)
        yield self._over(
            f"intension {steps}", flat, lambda c: expression.evaluate(dict(zip(names, c, strict=True))), steps=len(steps)
        )

    def _all_different(self, written: Written) -> Iterator[Post]:
        lists = [p for p in written.parts if p.tag != "except"]
        if len(lists) > 1 or any(p.tag not in ("list", "matrix", "except") for p in written.parts):
            raise Unsupported("several lists")
        excepted = self._integers(part(written, "except")) if len(lists) < len(written.parts) else []
        if lists and lists[0].tag == "matrix":
            rows = self._matrix(lists[0].text)
            lines = [*rows, *map(list, zip(*rows, strict=True))]
        else:
            lines = [self._line(lists[0].text if lists else written.text)]
        for line in lines:
            yield from self._different(line, excepted)

    def _different(self, line: list[Operand], excepted: list[int]) -> Iterator[Post]:
        variables = Counter(o for o in line if isinstance(o, Reference))
        constants = [o for o in line if isinstance(o, int)]
        if len(variables) < 3 or not self._native():
            yield from self._pairwise_different(line, excepted)
            return
        scope = np.array([v.index for v in variables], dtype=np.int32)
        yield AllDifferent(scope, np.array(excepted, dtype=np.int32))
        free = set(excepted)
        left = [c for c in constants if c not in free]
        if len(set(left)) < len(left):
            yield self._settled(False)
            return
        among, others = f"in {excepted}", f"not in {left}"
        # No variable has the value of a constant, and one that is named twice has an excepted value.
        for variable, times in variables.items():
            if times > 1:
                yield self._over(among, [variable], lambda c: np.isin(c[0], excepted))
            if left:
                yield self._over(others, [variable], lambda c: ~np.isin(c[0], left))

    def _pairwise_different(self, line: list[Operand], excepted: list[int]) -> Iterator[Post]:
        count = len(line) * (len(line) - 1) // 2
        if count * PAIR_WORK > min(self._combinations, self._left):
            raise TooLargeError(f"{count} pairs of variables")
        self._left -= count * PAIR_WORK
        pairs = ((a, b) for i, a in enumerate(line) for b in line[:i])
        if not excepted:
            yield from self._pairs("ne", pairs)
            return
        for a, b in pairs:
            yield self._over(f"ne {excepted}", (a, b), lambda c: (c[0] != c[1]) | np.isin(c[0], excepted))

    def _all_equal(self, written: Written) -> Iterator[Post]:
        if any(p.tag != "list" for p in written.parts) or len(written.parts) > 1:
            raise Unsupported("several lists or exceptions")
        operands = self._line(written.parts[0].text if written.parts else written.text)
        yield from self._pairs("eq", itertools.pairwise(operands))

    def _ordered(self, written: Written) -> Iterator[Post]:
        only(written, "list", "operator")
        operator = part(written, "operator").strip()
        if operator not in ("lt", "le", "ge", "gt"):
            raise ValueError(f"the operator {operator[:20]!r}")
        operands = self._line(part(written, "list"))
        yield from self._pairs(operator, itertools.pairwise(operands))

    def _lexicographic(self, written: Written) -> Iterator[Post]:
        only(written, "list", "matrix", "operator")
        operator = part(written, "operator").strip()
        if any(p.tag == "matrix" for p in written.parts):
            rows = self._matrix(part(written, "matrix"))
            for lines in (rows, [list(column) for column in zip(*rows, strict=True)]):
                yield from self._ascending(operator, lines)
            return
        lists = [self._line(part.text) for part in written.parts if part.tag == "list"]
        if operator not in ("lt", "le", "ge", "gt") or len(lists) < 2 or len({len(each) for each in lists}) != 1:
            raise ValueError("it needs lists of one length and an operator lt, le, ge or gt")
        yield from self._ascending(operator, lists)

    def _ascending(self, operator: str, lists: list[list[Operand]]) -> Iterator[Post]:
        if operator not in ("lt", "le", "ge", "gt"):
            raise ValueError(f"the operator {operator[:20]!r}")

        def ordered(columns: list[NDArray[np.int64]]) -> NDArray[np.bool_]:
            half = len(columns) // 2
            result: NDArray[np.bool_] = np.full(1, operator in ("le", "ge"))
            for a, b in zip(reversed(columns[:half]), reversed(columns[half:]), strict=True):
                result = (a < b if operator in ("lt", "le") else a > b) | ((a == b) & result)
            return result

        for left, right in itertools.pairwise(lists):
            scope = [o.index for o in (*left, *right) if isinstance(o, Reference)]
            if len(set(scope)) == len(left) + len(right) and self._large(scope):
                yield self._as_numerals(operator, scope)
            else:
                yield self._over(f"lex {operator}", [*left, *right], ordered)

    def _as_numerals(self, operator: str, scope: list[int]) -> Sum:
        """Two lists in lexicographic order as two numerals of which one is not greater."""
        domains = [self._domain(x) for x in scope]
        base = 1 + max(int(domain[-1]) for domain in domains) - min(int(domain[0]) for domain in domains)
        half = len(scope) // 2
        if base**half * max(1, max(abs(int(v)) for domain in domains for v in (domain[0], domain[-1]))) >= _FAR >> 4:
            raise TooLargeError(f"numerals of {half} digits of base {base}")
        places = [base ** (half - 1 - i) for i in range(half)]
        weights = np.array([*places, *(-place for place in places)], dtype=np.int64)
        return Sum(np.array(scope, dtype=np.int32), weights, *CONDITIONS[operator](0))

    def _channel(self, written: Written) -> Iterator[Post]:
        """Element i of the first list is j exactly if element j of the second (or the same) is i: a table for each i and j."""
        only(written, "list")
        parts = written.parts or (Part("list", written.attributes, written.text),)
        lists = [self._line(part.text) for part in (parts * 2)[:2]]
        starts = [start_index(part) for part in (parts * 2)[:2]]
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
        only(written, "list", "values", "occurs", known=("closed",))
        values = self._integers(part(written, "values"))
        occurs: list[Operand | Runs] = []
        for token in part(written, "occurs").split():
            occurs += [integer_runs(token)] if INTERVAL.fullmatch(token) else self._operands(token)
        if len(occurs) != len(values):
            raise ValueError("it needs one number for each value")
        line = self._line(part(written, "list"))
        closed = next(p for p in written.parts if p.tag == "values").attributes.get("closed", "false").strip()
        if closed not in ("true", "false"):
            raise ValueError(f"closed is {closed[:20]!r}, neither true nor false")
        if closed == "true":
            for operand in line:
                yield self._over(f"closed {sorted(values)}", [operand], lambda c: np.isin(c[0], values))
        for value, bounds in zip(values, occurs, strict=True):
            yield from self._counted(line, [value], "eq" if isinstance(bounds, Reference) else "in", bounds)

    def _regular(self, written: Written) -> Iterator[Post]:
        only(written, "list", "transitions", "start", "final")
        automaton = Automaton(part(written, "transitions"))
        yield self._accepted(written, automaton, part(written, "start").split(), part(written, "final").split())

    def _diagram(self, written: Written) -> Iterator[Post]:
        only(written, "list", "transitions")
        automaton = Automaton(part(written, "transitions"))
        roots, leaves = automaton.ends()
        if len(roots) != 1 or len(leaves) != 1:
            raise ValueError(f"it has {len(roots)} roots and {len(leaves)} leaves")
        yield self._accepted(written, automaton, roots, leaves)

    def _accepted(self, written: Written, automaton: Automaton, start: list[str], final: list[str]) -> Post:
        """The table of the accepted words over the distinct variables of the list."""
        line = self._line(part(written, "list"))
        limit = min(self._combinations, self._left)
        words = automaton.words(start, final, [sorted(self._values(operand)) for operand in line], limit)
        self._left -= words.size
        places: dict[int, int] = {}
        for place, operand in enumerate(line):
            if isinstance(operand, Reference):
                words = words[words[:, places.setdefault(operand.index, place)] == words[:, place]]
        if not places:
            return self._settled(len(words) > 0)
        return tuple(places), Tabulated(np.ascontiguousarray(words[:, list(places.values())]), True)

    def _clause(self, written: Written) -> Iterator[Post]:
        text = part(written, "list") if written.parts else written.text
        literals = [re.fullmatch(r"(?:not\((\S+)\)|(\S+))", token) for token in text.split()]
        if not literals:
            raise ValueError("an empty list")
        wrong: dict[int, set[int]] = {}
        for literal in literals:
            assert literal is not None
            for x in self._variables(literal[1] or literal[2]):
                wrong.setdefault(x, set()).add(1 if literal[1] else 0)
        if all(len(values) == 1 for values in wrong.values()):
            row = [next(iter(values)) for values in wrong.values()]
            yield tuple(wrong), Tabulated(np.array([row], dtype=np.int32), False)

    def _sum(self, written: Written) -> Iterator[Post]:
        only(written, "list", "coeffs", "condition")
        operands = self._line(part(written, "list"))
        weights = [1] * len(operands)
        if any(p.tag == "coeffs" for p in written.parts):
            words = self._operands(repeated_words(part(written, "coeffs")))
            if not all(isinstance(c, int) for c in words):
                raise Unsupported("variables for coefficients")
            weights = [c for c in words if isinstance(c, int)]
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
        reach = sum(abs(w) * int(np.abs(self._domain(x).astype(np.int64)).max()) for x, w in weight.items())
        if reach + abs(constant) >= _FAR // 4:
            raise ValueError("its numbers become too large")
        if not scope:
            yield from self._meets(operator, other, [constant], lambda c: c[0], "sum")
            return
        coefficients = np.array(list(weight.values()), dtype=np.int64)
        large, domains = self._large(scope), [self._domain(x) for x in scope]
        for bounds in self._bounds(operator, other):
            least, greatest = (None if bound is None else bound - constant for bound in bounds[:2])
            if large:
                yield Sum(np.array(scope, dtype=np.int32), coefficients, least, greatest, bounds[2])
                continue
            key = ("sum", tuple(weight.values()), least, greatest, bounds[2], tuple(map(id, domains)))
            if key not in self._known:
                # A row takes as much memory as many assignments that are only tried.
                most = min(self._combinations, self._left) // max(1, len(scope))
                low, high = -_FAR if least is None else max(least, -_FAR), _FAR if greatest is None else min(greatest, _FAR)
                rows = weighted_sums(domains, list(weight.values()), low, high, most)
                self._left -= rows.size
                self._known[key] = Tabulated(rows, bounds[2])
            yield scope, self._known[key]

    def _count(self, written: Written) -> Iterator[Post]:
        only(written, "list", "values", "condition")
        operator, other = self._condition(written)
        members = self._integers(part(written, "values"))
        yield from self._counted(self._line(part(written, "list")), members, operator, other)

    def _counted(
        self, line: list[Operand], members: list[int], operator: str, other: Operand | Runs
    ) -> Iterator[Post]:
        """The number of those in ``line`` that have one of some values meets a condition."""
        listed = [o.index for o in line if isinstance(o, Reference)]
        counter = other.index if isinstance(other, Reference) else -1
        scope = list(dict.fromkeys(listed if counter < 0 else [*listed, counter]))
        if self._large(scope) and len(set(listed)) == len(listed):
            chosen = set(members)
            constant = sum(o in chosen for o in line if isinstance(o, int))
            for least, greatest, inside in self._bounds(operator, 0 if isinstance(other, Reference) else other):
                yield Count(
                    np.array(scope, dtype=np.int32),
                    np.isin(scope, listed),
                    counter,
                    np.array(members, dtype=np.int32),
                    None if least is None else least - constant,
                    None if greatest is None else greatest - constant,
                    inside,
                )
            return

        def number(columns: list[NDArray[np.int64]]) -> NDArray[np.int64]:
            found = [np.isin(column, members) for column in np.broadcast_arrays(*columns)]
            return np.asarray(np.sum(found, axis=0), dtype=np.int64)

        yield from self._meets(operator, other, line, number, f"count {members}")

    def _distinct_values(self, written: Written) -> Iterator[Post]:
        only(written, "list", "condition")
        operator, other = self._condition(written)
        line = self._line(part(written, "list"))
        if isinstance(other, int):
            if (operator, other) in (("gt", 1), ("ge", 2), ("ne", 1)) and not any(isinstance(o, int) for o in line):
                scope = tuple(dict.fromkeys(o.index for o in line if isinstance(o, Reference)))
                common = sorted(set.intersection(*(self._values(Reference(x)) for x in scope)))
                yield scope, Tabulated(np.array([[v] * len(scope) for v in common], np.int32).reshape(-1, len(scope)), False)
                return
            if (operator, other) in (("eq", len(line)), ("ge", len(line)), ("gt", len(line) - 1)):
                yield from self._different(line, [])
                return

        def number(columns: list[NDArray[np.int64]]) -> NDArray[np.int64]:
            ordered = np.sort(np.stack(np.broadcast_arrays(*columns)), axis=0)
            return np.asarray(1 + np.count_nonzero(ordered[1:] != ordered[:-1], axis=0), dtype=np.int64)

        yield from self._meets(operator, other, line, number, "nValues")

    def _extremum(self, written: Written) -> Iterator[Post]:
        only(written, "list", "condition")
        best = np.minimum if written.tag == "minimum" else np.maximum

        def extremum(columns: list[NDArray[np.int64]]) -> NDArray[np.int64]:
            result = columns[0]
            for column in columns[1:]:
                result = best(result, column)
            return result

        yield from self._conditioned(written, self._line(part(written, "list")), extremum, written.tag)

    def _element(self, written: Written) -> Iterator[Post]:
        """Short tuples: the index, the variable there and the value; all others are free."""
        only(written, "list", "index", "value")
        items = self._line(part(written, "list"))
        start = start_index(next(p for p in written.parts if p.tag == "list"))
        index, value = self._single(written, "index"), self._single(written, "value")
        if not isinstance(index, Reference):
            raise Unsupported("a constant for the index")
        scope = list(dict.fromkeys(o.index for o in (index, *items, value) if isinstance(o, Reference)))
        rows = []
        for position in self._domain(index.index).tolist():
            if not 0 <= position - start < len(items):
                continue
            item = items[position - start]
            for common in sorted(self._values(item) & self._values(value)):
                told = [(index.index, position), *((o.index, common) for o in (item, value) if isinstance(o, Reference))]
                row = dict(told)
                if all(row[x] == number for x, number in told):  # the index may be an item, too
                    rows.append([row.get(x, int(STAR)) for x in scope])
            if len(rows) * len(scope) > min(self._combinations, self._left):
                raise TooLargeError(f"more than {len(rows)} tuples")
        self._left -= len(rows) * len(scope)
        yield tuple(scope), Tabulated(np.array(rows, dtype=np.int32).reshape(len(rows), len(scope)), True)


def _both_or_none(a: int, b: int, columns: list[NDArray[np.int64]]) -> NDArray[np.bool_]:
    return np.asarray((columns[0] == a) == (columns[1] == b), dtype=np.bool_)

"""The ``<variables>`` part of a document: variables, arrays, and what a list of names refers to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import prod

import numpy as np
from numpy.typing import NDArray

from xcsp.checks import GREATEST_VALUE, LEAST_VALUE
from xcsp.conventions import CHANCE_CLASS, CONSTANT_CLASS, split_chance_note
from xcsp.errors import XcspError
from xcsp.identifiers import check_identifier, check_symbol
from xcsp.limits import Limits
from xcsp.model import Variable
from xcsp.operands import NO_EXPRESSION
from xcsp.probabilities import parse_distribution
from xcsp.table_reader import Fail
from xcsp.value_text import integer_values

CONSTANT = -2
"""Stands in scopes for the constant variable of the dialect, which is no variable of the instance."""

_SIZE = re.compile(r"(?:\[[1-9][0-9]{0,8}\])+")
_SELECTION = re.compile(r"([A-Za-z][A-Za-z0-9_]*)((?:\[(?:[0-9]{1,9}(?:\.\.[0-9]{1,9})?)?\])+)")
_TYPES = {
    "": (False, False),
    "integer": (False, False),
    "symbolic": (True, False),
    "stochastic": (False, True),
    "integer stochastic": (False, True),
    "symbolic stochastic": (True, True),
}


@dataclass(frozen=True, eq=False)
class Domain:
    """What a variable can be, shared by all variables declared with the same text.

    Attributes:
        values: int32[values], ascending.
        probabilities: as in ``Variable``.
        symbols: as in ``Variable``.
    """

    values: NDArray[np.int32]
    probabilities: tuple[Fraction, ...] | None = None
    symbols: tuple[str, ...] | None = None


@dataclass
class _Array:
    """An array whose cells are being declared: its attributes and, cell by cell in row-major order, the domains."""

    attributes: Mapping[str, str]
    line: int
    sizes: tuple[int, ...]
    domains: list[Domain | None]


class Declarations:
    """Everything that ``<variables>`` declares.

    Attributes:
        variables: in the order of the document.
        domains: of the variables; tables are cut down once for equal objects.
        identifiers: every ``id`` of the document so far, cells of arrays included.

    Args:
        fail: raises the error of the document.
        limits: bounds on variables and values.
    """

    def __init__(self, fail: Fail, limits: Limits) -> None:
        self.variables: list[Variable] = []
        self.domains: list[Domain] = []
        self.stochastic = False
        self.identifiers: set[str] = set()
        self._fail = fail
        self._limits = limits
        self._values = 0
        self._numbers: dict[str, int] = {}
        self._arrays: dict[str, NDArray[np.int32]] = {}
        self._known: dict[tuple[object, ...], Domain] = {}
        self._named: dict[str, Domain] = {}  # for the attribute "as"
        self._open: _Array | None = None

    def claim(self, name: str, line: int) -> None:
        """Take an identifier, which must be well formed and new."""
        try:
            check_identifier(name)
        except XcspError as error:
            self._fail(error.message, line, error.remedy)
        if len(self.identifiers) > self._limits.variables + self._limits.constraints:
            self._fail("the document has too many identifiers", line, "raise Limits.variables")
        if name in self.identifiers:
            self._fail(f"the identifier {name} is used twice", line, "identifiers must differ")
        self.identifiers.add(name)

    def add_variable(self, attributes: Mapping[str, str], text: str, line: int) -> None:
        """Declare a ``<var>`` with its text."""
        name = self._name(attributes, line)
        domain = self._domain(attributes, attributes, text, line)
        self._named[name] = domain
        if CONSTANT_CLASS in attributes.get("class", "").split() and domain.values.tolist() == [1] and domain.symbols is None:
            self._numbers[name] = CONSTANT
        else:
            self._append(name, domain, attributes, line)

    def begin_array(self, attributes: Mapping[str, str], line: int) -> None:
        """Open an ``<array>``."""
        size = attributes.get("size", "")
        if not _SIZE.fullmatch(size):
            self._fail(f"the array has the size {size[:40]!r}", line, "a size looks like [3] or [2][4]")
        sizes = tuple(int(n) for n in size[1:-1].split("]["))
        if len(self.variables) + prod(sizes) > self._limits.variables:
            self._fail("the document declares too many variables", line, "raise Limits.variables")
        self._open = _Array(attributes, line, sizes, [None] * prod(sizes))

    def add_domain(self, attributes: Mapping[str, str], text: str, line: int) -> None:
        """Give the cells named by a ``<domain for="…">`` their domain."""
        array = self._array()
        domain = self._domain(array.attributes, attributes, text, line)
        selected = attributes.get("for", "")
        if selected.strip() == "others":
            array.domains = [domain if d is None else d for d in array.domains]
            return
        cells = np.arange(prod(array.sizes), dtype=np.int32).reshape(array.sizes)
        for token in selected.split() or [""]:
            match = _SELECTION.fullmatch(token)
            if match is None or match[1] != array.attributes.get("id"):
                self._fail(f"{token[:40]!r} selects no cells of the array", line, 'for="x[0][] x[1][2..3]" or for="others"')
            for cell in self._select(cells, match[1], match[2], line).tolist():
                if array.domains[cell] is not None:
                    self._fail(f"{token} has a domain already", line, "give each cell one domain")
                array.domains[cell] = domain

    def end_array(self, text: str, has_domains: bool) -> None:
        """Close an array: its text is the domain of all cells unless ``<domain>`` elements were given."""
        array = self._array()
        self._open = None
        name = self._name(array.attributes, array.line)
        if not has_domains:
            domain = self._domain(array.attributes, array.attributes, text, array.line)
            self._named[name] = domain
            array.domains = [domain] * len(array.domains)
        elif text.strip():
            self._fail(f"array {name} has values beside its domains", array.line, "write values or <domain> elements")
        numbers = np.full(len(array.domains), -1, np.int32)
        for index, (cell, each) in enumerate(zip(np.ndindex(*array.sizes), array.domains, strict=True)):
            if each is not None:
                cell_name = name + "".join(f"[{i}]" for i in cell)
                self.claim(cell_name, array.line)
                numbers[index] = len(self.variables)
                self._append(cell_name, each, array.attributes, array.line)
        self._arrays[name] = numbers.reshape(array.sizes)

    def resolve(self, tokens: list[str], line: int) -> NDArray[np.int32]:
        """Indices of the variables that a list names; ``CONSTANT`` for the constant variable of the dialect."""
        numbers = self._numbers
        try:
            return np.array([numbers[token] for token in tokens], np.int32)
        except KeyError:
            pass
        parts = []
        most = len(self.variables) + len(tokens)
        for token in tokens:
            parts.append(self._resolve_one(token, line))
            most -= parts[-1].size
            if most < 0:
                self._fail("the list names variables twice", line, "name each variable once")
        return np.concatenate(parts)

    def _resolve_one(self, token: str, line: int) -> NDArray[np.int32]:
        if token in self._numbers:
            return np.array([self._numbers[token]], np.int32)
        match = _SELECTION.fullmatch(token)
        if match is None and ("(" in token or ")" in token):
            self._fail(f"the expression {token[:40]} among variables is not supported", line, NO_EXPRESSION)
        if match is None or match[1] not in self._arrays:
            self._fail(f"unknown variable {token[:60]}", line, "declare it in <variables>")
        cells = self._select(self._arrays[match[1]], match[1], match[2], line)
        found = cells[cells >= 0]
        if found.size == 0:
            self._fail(f"{token} names no variable: these cells have no domain", line, "declare a domain for them")
        return found

    def _select(self, cells: NDArray[np.int32], name: str, indices: str, line: int) -> NDArray[np.int32]:
        parts = indices[1:-1].split("][")
        if len(parts) != cells.ndim:
            self._fail(f"{name}{indices} has {len(parts)} indices, not {cells.ndim}", line, f"e.g. {name}{'[]' * cells.ndim}")
        slices = []
        for part, size in zip(parts, cells.shape, strict=True):
            first, _, last = part.partition("..")
            begin = int(first) if first else 0
            end = int(last or first) if first else size - 1
            if begin > end or end >= size:
                self._fail(f"{name}{indices} leaves the array", line, f"indices go from 0 to {size - 1} here")
            slices.append(slice(begin, end + 1))
        return cells[tuple(slices)].reshape(-1)

    def _array(self) -> _Array:
        assert self._open is not None, "<domain> occurs only inside <array>"
        return self._open

    def _name(self, attributes: Mapping[str, str], line: int) -> str:
        name = attributes.get("id")
        if name is None:
            self._fail("a variable without id", line, 'write id="…"')
        self.claim(name, line)
        return name

    def _append(self, name: str, domain: Domain, attributes: Mapping[str, str], line: int) -> None:
        if len(self.variables) >= self._limits.variables:
            self._fail("the document declares too many variables", line, "raise Limits.variables")
        classes = tuple(attributes.get("class", "").split())
        note = attributes.get("note", "")
        probabilities = domain.probabilities
        if CHANCE_CLASS in classes and probabilities is None:
            domain, note = self._chance(domain, note, line)
            probabilities = domain.probabilities
        if probabilities is not None:
            classes = tuple(c for c in classes if c != CHANCE_CLASS)
        self._numbers[name] = len(self.variables)
        self.stochastic |= probabilities is not None
        self.variables.append(Variable(name, domain.values, probabilities, domain.symbols, classes, note))
        self.domains.append(domain)

    def _chance(self, domain: Domain, note: str, line: int) -> tuple[Domain, str]:
        """Domain and free note of an integer variable of class ``chance`` whose note may hold a distribution."""
        key = (id(domain), note)
        try:
            split = split_chance_note(note)
        except ValueError as error:
            self._fail(f"the distribution in the note: {error}", line, "write value:p/q for each value")
        if split is None:
            return domain, note
        if key not in self._known:
            written = list(domain.symbols) if domain.symbols is not None else [str(v) for v in domain.values.tolist()]
            if split[0] != written:
                self._fail("the distribution in the note has other values than the domain", line, "write value:p/q for each value")
            self._known[key] = Domain(domain.values, split[1], domain.symbols)
        return self._known[key], split[2]

    def _domain(self, typed: Mapping[str, str], attributes: Mapping[str, str], text: str, line: int) -> Domain:
        """Domain given by the text or by the attribute ``as``."""
        other = attributes.get("as")
        if other is not None:
            if other not in self._named:
                self._fail(f'as="{other[:60]}" names nothing with a domain', line, "refer to an earlier variable or array")
            return self._named[other]
        kind = typed.get("type", "").replace("_", " ")
        if kind not in _TYPES:
            self._fail(f"variables of type {kind[:40]!r} are not supported", line, "integer, symbolic or stochastic")
        words = text.split()
        key = (kind, " ".join(words))
        if key not in self._known:
            try:
                domain = self._parse(words, *_TYPES[kind])
            except (ValueError, XcspError) as error:
                remedy = "write value:p/q for each value" if _TYPES[kind][1] else "write ascending values, e.g. 0 2..5"
                self._fail(f"the domain: {getattr(error, 'message', error)}", line, remedy)
            self._values += domain.values.size
            if self._values > self._limits.values:
                self._fail("the domains have too many values", line, "raise Limits.values")
            self._known[key] = domain
        return self._known[key]

    def _parse(self, words: list[str], symbolic: bool, stochastic: bool) -> Domain:
        probabilities: tuple[Fraction, ...] | None = None
        if not words:
            raise ValueError("it has no values")
        if stochastic:
            words, probabilities = parse_distribution(" ".join(words))
        if symbolic:
            for word in words:
                check_symbol(word)
            if len(set(words)) != len(words):
                raise ValueError("a symbol occurs twice")
            return Domain(np.arange(len(words), dtype=np.int32), probabilities, tuple(words))
        values = integer_values(" ".join(words), self._limits.values)
        if (values[1:] <= values[:-1]).any():
            raise ValueError("the values do not ascend")
        if values[0] < LEAST_VALUE or values[-1] > GREATEST_VALUE:
            raise ValueError(f"values must lie within {LEAST_VALUE}..{GREATEST_VALUE}")
        return Domain(values, probabilities)



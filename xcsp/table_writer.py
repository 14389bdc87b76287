"""The ``<constraints>`` part of a document: groups of equal tables, and a table for each variable that is in none."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from xcsp.conventions import FREE_CLASS
from xcsp.errors import XcspError
from xcsp.grouping import domain_numbers, groups
from xcsp.model import STAR, Instance, Table, Variable
from xcsp.sinks import Lines
from xcsp.tables import in_order, within_domains, without_idle_stars
from xcsp.tuple_text import tuples_text
from xcsp.xml_text import attribute, values_text

_SLICE = 1 << 15  # tuples turned into text at once
_INLINE = 8  # a table of at most this many tuples stands on the line of its element
_VALUES_PER_LINE = 32


class TableWriter:
    """Writes the constraints of an instance.

    Args:
        lines: where to.
        instance: its variables and tables have been checked.
        chance: bool[variables], the variables that this document declares as stochastic.
        constant: name of the constant variable that joins tables over chance variables only; empty if the document has none.
    """

    def __init__(self, lines: Lines, instance: Instance, chance: NDArray[np.bool_], constant: str) -> None:
        self._lines = lines
        self._instance = instance
        self._variables = instance.variables
        self._chance = chance
        self._constant = constant
        self._faithful = bool(chance.any())
        self._used = np.zeros(len(instance.variables), np.bool_)
        for relation in instance.relations:
            self._used[relation.scope] = True

    def write(self) -> None:
        """Write everything.

        Raises:
            XcspError: at conflicts with stars.
        """
        numbers = domain_numbers(self._variables)
        for members in groups(self._instance, numbers, self._alone):
            tables = [self._instance.constraints[i] for i in members]
            self._write_group(tables[0], [table.scope for table in tables], members[0])
        self._write_free(numbers)

    def _alone(self, table: Table) -> bool:
        # The official parser fails on groups whose arguments mix integer and stochastic variables.
        return self._faithful and bool(self._chance[table.scope].any())

    def _write_free(self, numbers: NDArray[np.int32]) -> None:
        """Name every variable that no table written so far has named."""
        together: dict[int, list[int]] = {}
        for index in np.flatnonzero(~self._used).tolist():
            together.setdefault(-1 - index if self._chance[index] else int(numbers[index]), []).append(index)
        for indices in together.values():
            scopes = [np.array([i], np.int32) for i in indices]
            table = Table(scopes[0], self._whole_domain(scopes[0]), classes=(FREE_CLASS,))
            self._write_group(table, scopes, 0)

    def _whole_domain(self, scope: NDArray[np.int32]) -> NDArray[np.int32]:
        """int32[values, 1]: every value of the first variable of the scope."""
        return self._variables[int(scope[0])].domain[:, None]

    def _write_group(self, table: Table, scopes: Sequence[NDArray[np.int32]], index: int) -> None:
        """Write one table for all the scopes, whose domains agree column by column."""
        domains = [self._variables[i].domain for i in table.scope.tolist()]
        tuples = in_order(within_domains(table.tuples, domains))
        if (tuples == STAR).any():
            if not table.positive:
                raise XcspError(f"constraint {index} has conflicts with *, which the solvers refuse", remedy="list every value")
            tuples = without_idle_stars(tuples, domains) if len(domains) > 1 else self._whole_domain(scopes[0])
        if not table.positive and tuples.shape[0] == 0:
            return  # it says nothing
        constants = len(domains) > 1 and all(domain.size == 1 for domain in domains)
        if tuples.shape[0] == 0 or (constants and not table.positive):
            for scope in scopes:
                self._write_contradiction(table, scope, index)
            return
        for scope in scopes:
            self._used[scope] = True
        names = [" ".join([self._variables[i].name for i in scope.tolist()]) for scope in scopes]
        columns: list[Variable | None] = [self._variables[i] for i in scopes[0].tolist()]
        if self._chance[scopes[0]].all():
            names = [f"{self._constant} {names[0]}"]
            columns.insert(0, None)
            tuples = np.column_stack([np.ones(tuples.shape[0], np.int32), tuples])
        marks = attribute("class", " ".join(table.classes)) + attribute("note", table.note)
        element = "supports" if table.positive else "conflicts"
        if len(names) == 1:
            self._lines.add(f"    <extension{marks}>\n      <list> {names[0]} </list>")
            self._write_tuples("      ", element, tuples, columns)
            self._lines.add("    </extension>")
            return
        parameters = " ".join(f"%{i}" for i in range(tuples.shape[1]))
        self._lines.add(f"    <group{marks}>\n      <extension>\n        <list> {parameters} </list>")
        self._write_tuples("        ", element, tuples, columns)
        self._lines.add("      </extension>")
        for name in names:
            self._lines.add(f"      <args> {name} </args>")
        self._lines.add("    </group>")

    def _write_contradiction(self, table: Table, scope: NDArray[np.int32], index: int) -> None:
        """Write what no assignment satisfies as a table that forbids every value of a variable, of chance only if all are."""
        stochastic = [self._variables[i].stochastic for i in scope.tolist()]
        first = stochastic.index(False) if False in stochastic else 0
        victim = scope[first : first + 1]
        self._write_group(Table(victim, self._whole_domain(victim), False, table.classes, table.note), [victim], index)

    def _write_tuples(self, indent: str, element: str, tuples: NDArray[np.int32], columns: Sequence[Variable | None]) -> None:
        arity = tuples.shape[1]
        symbolic = any(column is not None and column.symbols is not None for column in columns)
        if arity == 1:
            text = " ".join(_symbol_rows(tuples, columns)) if symbolic else values_text(tuples[:, 0])
            self._lines.add(f"{indent}<{element}> {text} </{element}>")
            return
        per_line = max(1, _VALUES_PER_LINE // arity)
        slices = range(0, tuples.shape[0], max(1, _SLICE // per_line) * per_line)
        inline = tuples.shape[0] <= _INLINE
        if not inline:
            self._lines.add(f"{indent}<{element}>")
        for begin in slices:
            part = tuples[begin : begin + slices.step]
            if symbolic:
                rows = [f"({row})" for row in _symbol_rows(part, columns)]
                data = "".join("".join(rows[i : i + per_line]) + "\n" for i in range(0, len(rows), per_line)).encode()
            else:
                data = tuples_text(part, per_line)
            if inline:
                text = data.decode().replace("\n", "")
                self._lines.add(f"{indent}<{element}> {text} </{element}>")
            else:
                self._lines.add_raw(data)
        if not inline:
            self._lines.add(f"{indent}</{element}>")


def _symbol_rows(tuples: NDArray[np.int32], columns: Sequence[Variable | None]) -> list[str]:
    """Each tuple as symbols between commas."""
    star = int(STAR)
    words = []
    for column, values in zip(columns, tuples.T.tolist(), strict=True):
        symbols = dict(zip(column.domain.tolist(), column.symbols, strict=True)) if column is not None and column.symbols else {}
        words.append(["*" if value == star else symbols.get(value, str(value)) for value in values])
    return [",".join(row) for row in zip(*words, strict=True)]

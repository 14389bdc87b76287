"""The ``<constraints>`` part of a document: from lists, tables and groups to constraints over variables."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from xcsp.conventions import FREE_CLASS
from xcsp.declarations import CONSTANT, Declarations
from xcsp.global_constraints import Tabulator
from xcsp.limits import Limits
from xcsp.model import STAR, Table, Variable
from xcsp.operands import NO_EXPRESSION, Operand, Reference, Unsupported
from xcsp.relations import Relation
from xcsp.table_reader import Fail, RawTable, values_of
from xcsp.tables import in_order, within_domains, without_repetitions
from xcsp.tabulation import TooLargeError
from xcsp.value_text import INTERVAL, integer_values
from xcsp.written import Written

_PARAMETER = re.compile(r"%(?:([0-9]{1,6})|\.\.\.)")
_VALUE = re.compile(r"([+-]?[0-9]{1,10}|[A-Za-z][A-Za-z0-9_]*|\*)")
_VALUE_INTEGER = re.compile(r"[+-]?[0-9]+")
_REPEATED = re.compile(r"([+-]?[0-9]{1,10}|\*)x([0-9]{1,9})")


@dataclass(frozen=True)
class Scope:
    """A list of variables, perhaps with parameters of a group between them.

    Attributes:
        parts: indices of variables (int32), or the number of a parameter, or -1 for all parameters that no number names (``%...``).
        greatest: greatest number of a parameter; -1 if there is none.
        rest: whether ``%...`` occurs.
        in_order: whether the parts are ``%0 %1 …``, the usual case.
    """

    parts: tuple[NDArray[np.int32] | int, ...]
    greatest: int
    rest: bool
    in_order: bool

    @property
    def template(self) -> bool:
        """Whether there are parameters."""
        return self.rest or self.greatest >= 0


class Posting:
    """A table over a scope or a template, which can be posted again and again for the arguments of a group.

    Attributes:
        scope: where the table is posted.
        table: as written.
        positive: supports or conflicts.
        classes: of the element and all around it.
        note: of the element, or of its group.
    """

    def __init__(self, scope: Scope, table: RawTable, positive: bool, classes: tuple[str, ...], note: str) -> None:
        self.scope = scope
        self.table = table
        self.positive = positive
        self.classes = classes
        self.note = note
        self.bound: dict[tuple[int, ...], NDArray[np.int32]] = {}


class Postings:
    """Gathers the constraints of a document.

    Attributes:
        tables: the tables so far.
        relations: the constraints so far that are no tables.

    Args:
        declarations: the variables.
        fail: raises the error of the document.
        limits: bounds on constraints and scopes.
    """

    def __init__(self, declarations: Declarations, fail: Fail, limits: Limits) -> None:
        self.tables: list[Table] = []
        self.relations: list[Relation] = []
        self._declarations = declarations
        self._fail = fail
        self._limits = limits
        self._scope_entries = 0
        self._bound_entries = 0
        self._line = 0
        self._tabulator = Tabulator(
            self._operands,
            self._matrix,
            lambda x: declarations.domains[x].values,
            limits.combinations,
            limits.combinations_together,
            # Policies are found through tables only.
            native=lambda: not declarations.stochastic,
        )

    def scope(self, text: str, line: int) -> Scope:
        """Read the text of a ``<list>``."""
        parts: list[NDArray[np.int32] | int] = []
        greatest, rest = -1, False
        plain: list[str] = []
        for token in text.split():
            match = _PARAMETER.fullmatch(token)
            if match is None:
                plain.append(token)
                continue
            if plain:
                parts.append(self._declarations.resolve(plain, line))
                plain = []
            number = int(match[1]) if match[1] else -1
            rest |= number < 0
            greatest = max(greatest, number)
            parts.append(number)
        if plain:
            parts.append(self._declarations.resolve(plain, line))
        if not parts:
            self._fail("a list without variables", line, "name at least one variable")
        in_order = all(isinstance(part, int) and part == i for i, part in enumerate(parts))
        return Scope(tuple(parts), greatest, rest, in_order)

    def post(self, posting: Posting, line: int) -> None:
        """Post a constraint that is in no group."""
        if posting.scope.template:
            self._fail("parameters like %0 make sense only in a group", line, "name variables")
        self._post(posting, np.concatenate([part for part in posting.scope.parts if not isinstance(part, int)]), line)

    def post_arguments(self, posting: Posting, text: str, line: int) -> None:
        """Post the constraint of a group for one ``<args>`` element."""
        scope = posting.scope
        arguments = self._declarations.resolve(text.split(), line)
        missing = scope.greatest >= arguments.size
        if missing or (not scope.rest and arguments.size > scope.greatest + 1):
            wanted = f"{scope.greatest + 1}{' or more' if scope.rest else ''}"
            self._fail(f"{arguments.size} arguments for a template of {wanted}", line, "give each parameter one variable")
        if scope.in_order:
            self._post(posting, arguments, line)
            return
        parts = []
        for part in scope.parts:
            if not isinstance(part, int):
                parts.append(part)
            elif part < 0:
                parts.append(arguments[scope.greatest + 1 :])
            else:
                parts.append(arguments[part : part + 1])
        self._post(posting, np.concatenate(parts), line)

    def post_written(self, written: Written, line: int) -> None:
        """Post a constraint that is no table, outside groups."""
        if written.template:
            self._fail("parameters like %0 make sense only in a group", line, "name variables")
        self._post_tables(written, line)

    def post_filled(self, written: Written, text: str, line: int) -> None:
        """Post such a constraint of a group for one ``<args>`` element."""
        self._line = line
        arguments = []
        try:
            for token in text.split():
                arguments += [token] if token.startswith("not(") else [self._shown(operand) for operand in self._operands(token)]
            filled = written.filled(arguments)
        except Unsupported as error:
            self._fail(f"arguments for <{written.tag}> with {error} are not supported", line, error.remedy)
        except ValueError as error:
            self._fail(f"arguments for <{written.tag}>: {error}", line, "give each parameter one variable or number")
        self._post_tables(filled, line)

    def _post_tables(self, written: Written, line: int) -> None:
        self._line = line
        try:
            for post in self._tabulator.tables(written):
                if isinstance(post, tuple):
                    scope, table = np.array(post[0], dtype=np.int32), post[1]
                    if table.positive or len(table.tuples):
                        self.tables.append(Table(scope, table.tuples, table.positive, written.classes, written.note))
                else:
                    scope = post.scope
                    self.relations.append(replace(post, classes=written.classes, note=written.note))
                self._scope_entries += len(scope)
                many = len(self.tables) + len(self.relations) > self._limits.constraints
                if many or self._scope_entries > self._limits.scope_entries:
                    self._fail("the document has too many constraints", line, "raise Limits.constraints and scope_entries")
        except TooLargeError as error:
            remedy = "raise Limits.combinations and combinations_together"
            self._fail(f"the constraint <{written.tag}> is too large for a table: {error}", line, remedy)
        except Unsupported as error:
            self._fail(f"the constraint <{written.tag}> with {error} is not supported", line, error.remedy)
        except ValueError as error:
            self._fail(f"the constraint <{written.tag}>: {error}", line, "correct it")

    def _operands(self, text: str) -> list[Operand]:
        """Variables and integers of a list."""
        operands: list[Operand] = []
        for token in text.split():
            if INTERVAL.fullmatch(token):
                operands += integer_values(token, self._limits.combinations).tolist()
                continue
            if "(" in token or ")" in token:
                raise Unsupported(f"the expression {token[:40]} among its variables", NO_EXPRESSION)
            for x in self._declarations.resolve([token], self._line).tolist():
                if x != CONSTANT and self._declarations.variables[x].symbols is not None:
                    raise Unsupported("symbolic variables")
                operands.append(1 if x == CONSTANT else Reference(x))
        return operands

    def _matrix(self, text: str) -> list[list[Operand]]:
        """Rows of a matrix: of an array of two dimensions, or lists in parentheses."""
        if "(" in text:
            rows = [self._operands(row.replace(",", " ")) for row in re.findall(r"\(([^()]*)\)", text)]
        else:
            rows, last = [], ""
            for operand in self._operands(text):
                name = "" if isinstance(operand, int) else self._declarations.variables[operand.index].name
                start = name.rpartition("[")[0]
                if not rows or not start or start != last:
                    rows.append([])
                last = start
                rows[-1].append(operand)
        if len({len(row) for row in rows}) != 1:
            raise Unsupported("a matrix whose rows differ in length")
        return rows

    def _shown(self, operand: Operand) -> str:
        return str(operand) if isinstance(operand, int) else self._declarations.variables[operand.index].name

    def instantiate(self, scope: Scope, text: str, classes: tuple[str, ...], note: str, line: int) -> None:
        """Post one table of one value for each variable of an ``<instantiation>``."""
        if scope.template:
            self._fail("groups of instantiations are not supported", line, "write each of them")
        indices = np.concatenate([part for part in scope.parts if not isinstance(part, int)])
        words: list[str] = []
        for token in text.split():
            repeated = _REPEATED.fullmatch(token)
            if repeated and len(words) + int(repeated[2]) <= indices.size:
                words += [repeated[1]] * int(repeated[2])
            elif _VALUE.fullmatch(token):
                words.append(token)
            else:
                self._fail(f"{token[:40]!r} is no value for the rest of the list", line, "write one value for each variable")
        if len(words) != indices.size:
            self._fail(f"{len(words)} values for {indices.size} variables", line, "write one value for each variable")
        for index, word in zip(indices, words, strict=True):
            if word != "*":
                number = int(word) if word[-1].isdigit() and not word[0].isalpha() else None
                value = np.clip(number or 0, -(2**31) + 1, 2**31 - 1)
                table = RawTable(np.full((1, 1), value, np.int32), None if number is not None else (word,), line)
                self._post(Posting(scope, table, True, classes, note), np.array([index], np.int32), line)

    def _post(self, posting: Posting, scope: NDArray[np.int32], line: int) -> None:
        table = posting.table
        if len(self.tables) >= self._limits.constraints:
            self._fail("the document has too many constraints", line, "raise Limits.constraints")
        self._scope_entries += scope.size
        if self._scope_entries > self._limits.scope_entries:
            self._fail("the scopes have too many variables", line, "raise Limits.scope_entries")
        indices = scope.tolist()
        if table.rows.shape[1] not in (0, scope.size):
            self._fail(f"tuples of {table.rows.shape[1]} values for {scope.size} variables", table.line, "match list and tuples")
        domains = self._declarations.domains
        key = tuple([id(domains[i]) if i != CONSTANT else CONSTANT for i in indices])
        repeated = len(set(indices)) < len(indices)
        if repeated:
            key += tuple(map(indices.index, indices))
        tuples = posting.bound.get(key)
        if tuples is None:
            self._bound_entries += table.rows.size
            if self._bound_entries > self._limits.entries:
                self._fail("the groups have too many entries", line, "raise Limits.entries")
            tuples = posting.bound[key] = self._bind(posting, scope)
        if repeated:
            scope = np.array(list(dict.fromkeys(indices)), np.int32)
        if CONSTANT in indices:
            scope = scope[scope != CONSTANT]
            if scope.size == 0:
                if (tuples.shape[0] > 0) != posting.positive:
                    self._fail("the constraint contradicts the constant variable", line, "remove it")
                return
        free = scope.size == 1 and posting.positive and FREE_CLASS in posting.classes
        if not free or not np.array_equal(tuples[:, 0], domains[int(scope[0])].values):
            self.tables.append(Table(scope, tuples, posting.positive, posting.classes, posting.note))

    def _refuse_symbols(self, raw: RawTable, variables: list[Variable | None]) -> None:
        """Refuse words in the columns of integer variables: such a tuple would never apply, and is more likely a mistake."""
        words = raw.words or ()
        symbol = np.array([word != "*" and not _VALUE_INTEGER.fullmatch(word) for word in words], dtype=np.bool_)
        for column, variable in enumerate(variables if symbol.any() else ()):
            found = np.flatnonzero(symbol[raw.rows[:, column]])
            if len(found) and (variable is None or variable.symbols is None):
                name = "a constant" if variable is None else f"{variable.name}, an integer variable,"
                word = words[raw.rows[found[0], column]]
                self._fail(f"{name} is given the value {word[:40]!r}", raw.line, "write integers, or declare the variable symbolic")

    def _bind(self, posting: Posting, scope: NDArray[np.int32]) -> NDArray[np.int32]:
        """The tuples in normal form for variables with these domains, each once, without the column of the constant."""
        raw = posting.table
        rows = raw.rows
        if rows.shape[1] == 0:
            return np.empty((0, len(set(scope.tolist()) - {CONSTANT})), np.int32)
        variables = [None if i == CONSTANT else self._declarations.variables[i] for i in scope.tolist()]
        if raw.words is not None or any(v is not None and v.symbols is not None for v in variables):
            self._refuse_symbols(raw, variables)
            one = np.ones(1, np.int32)
            columns = [values_of(raw, c, v.symbols if v else None, v.domain if v else one) for c, v in enumerate(variables)]
            rows = np.column_stack(columns).astype(np.int32)
        rows, first = without_repetitions(rows, scope)
        scope, variables = scope[first], [variables[column] for column in first]
        kept = np.flatnonzero(scope != CONSTANT)
        if kept.size < scope.size:
            constant = rows[:, scope == CONSTANT]
            rows = rows[((constant == 1) | (constant == STAR)).all(axis=1)][:, kept]
        domains = [v.domain for v in variables if v is not None]
        tuples = in_order(within_domains(rows, domains)) if domains else rows
        starred = bool((tuples == STAR).any())
        if starred and not posting.positive:
            self._fail("conflicts with * are not supported", raw.line, "write supports, or every value")
        return domains[0][:, None] if starred and kept.size == 1 else tuples

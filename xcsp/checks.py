"""What an instance must satisfy to be written as a document that the tools read."""

from __future__ import annotations

import re

import numpy as np

from xcsp.conventions import CHANCE_CLASS, CONSTANT_CLASS, split_chance_note
from xcsp.errors import XcspError
from xcsp.identifiers import check_identifier, check_symbol
from xcsp.model import Instance, Table, Variable
from xcsp.probabilities import distribution_text

LEAST_VALUE, GREATEST_VALUE = -(2**31) + 10, 2**31 - 11
"""Range of values: the official parser keeps a margin of 10 at both ends of the 32-bit integers for its own marks."""

_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def check_text(text: str, owner: str) -> None:
    """Refuse characters that XML 1.0 has no way to write.

    Raises:
        XcspError: at the first such character.
    """
    if match := _UNWRITABLE.search(text):
        code = f"U+{ord(match[0]):04X}"
        raise XcspError(f"the note of {owner} holds {code}, which XML has no way to write", remedy="remove the character")


def check_classes(classes: tuple[str, ...], owner: str) -> None:
    """Refuse class tokens that are empty or would be read as several.

    Raises:
        XcspError: at the first such token.
    """
    for token in classes:
        if not token or token.split() != [token] or _UNWRITABLE.search(token):
            raise XcspError(f"{owner} has the class {token!r}", remedy="a class is one word without blanks")


def check_variable(variable: Variable) -> None:
    """Check name, domain, symbols and probabilities.

    Raises:
        XcspError: if the variable cannot be written.
    """
    check_identifier(variable.name)
    owner = f"variable {variable.name}"
    domain = variable.domain
    if domain.ndim != 1 or domain.dtype != np.int32:
        raise XcspError(f"the domain of {owner} is not a list of 32-bit integers", remedy="use numpy.int32")
    if domain.size == 0:
        raise XcspError(f"the domain of {owner} is empty", remedy="XCSP3 has no empty domains: the instance has no solution")
    if (domain[1:] <= domain[:-1]).any():
        raise XcspError(f"the domain of {owner} is not strictly ascending", remedy="sort it")
    if domain[0] < LEAST_VALUE or domain[-1] > GREATEST_VALUE:
        raise XcspError(f"the domain of {owner} leaves {LEAST_VALUE}..{GREATEST_VALUE}", remedy="renumber the values")
    if int(domain[-1]) - int(domain[0]) >= 2**31:
        raise XcspError(f"the domain of {owner} reaches over 2^31 values, at which ACE fails", remedy="renumber the values")
    if variable.symbols is not None:
        _check_symbols(variable, owner)
    if variable.probabilities is not None:
        try:
            distribution_text([str(value) for value in domain.tolist()], variable.probabilities)
        except ValueError as error:
            raise XcspError(f"the distribution of {owner}: {error}", remedy="use Fraction values that sum to 1") from error
    check_text(variable.note, owner)
    check_classes(variable.classes, owner)
    if CONSTANT_CLASS in variable.classes:
        raise XcspError(f"{owner} has the reserved class {CONSTANT_CLASS}", remedy="use another class")
    if not variable.stochastic and CHANCE_CLASS in variable.classes and _looks_stochastic(variable.note):
        raise XcspError(f"{owner} is no chance variable, but its class and note say so", remedy="change the class or the note")


def _looks_stochastic(note: str) -> bool:
    try:
        return split_chance_note(note) is not None
    except ValueError:
        return True


def _check_symbols(variable: Variable, owner: str) -> None:
    symbols = variable.symbols or ()
    if len(symbols) != variable.domain.size or len(set(symbols)) != len(symbols):
        raise XcspError(f"{owner} has {variable.domain.size} values but other symbols", remedy="one distinct symbol a value")
    for symbol in symbols:
        check_symbol(symbol)


def check_table(table: Table, index: int, instance: Instance) -> None:
    """Check scope and shape of a constraint; values are not looked at.

    Raises:
        XcspError: if the table cannot be written.
    """
    owner = f"constraint {index}"
    scope = table.scope.tolist()
    if not scope or table.tuples.ndim != 2 or table.tuples.shape[1] != len(scope) or table.tuples.dtype != np.int32:
        raise XcspError(
            f"{owner} has {len(scope)} variables and tuples of shape {table.tuples.shape}, {table.tuples.dtype}",
            remedy="tuples are int32[n, arity], arity at least 1",
        )
    if min(scope) < 0 or max(scope) >= len(instance.variables):
        raise XcspError(f"{owner} refers to a variable that does not exist", remedy="scopes index Instance.variables")
    if len(set(scope)) != len(scope):
        raise XcspError(f"{owner} names a variable twice", remedy="merge the equal columns")
    check_text(table.note, owner)
    check_classes(table.classes, owner)

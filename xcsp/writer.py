"""Writing an instance as an XCSP3 document, as a stream: no more than a slice of one table is held as text."""

from __future__ import annotations

from collections import Counter
from os import PathLike
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from xcsp.arrays import Run, runs
from xcsp.checks import check_table, check_text, check_variable
from xcsp.conventions import CHANCE_CLASS, CONSTANT_CLASS, chance_note, root_note
from xcsp.errors import XcspError
from xcsp.identifiers import split_cell
from xcsp.model import Instance, Variable
from xcsp.probabilities import distribution_text
from xcsp.relation_writer import check_relation, write_relation
from xcsp.sinks import Lines, open_sink
from xcsp.table_writer import TableWriter
from xcsp.tables import within_domains
from xcsp.xml_text import attribute, values_text


def write_instance(instance: Instance, file: str | PathLike[str] | IO[Any], *, stochastic: bool | None = None) -> None:
    """Write ``instance`` as an XCSP3 document.

    The document is either the faithful one, ``type="SCSP"`` with ``type="stochastic"`` variables, which the official parser reads
    but no known solver, or its twin of ``type="CSP"``, which every solver reads: there the chance variables are integers of class
    ``chance`` with their distribution in the note, so that ``read_instance`` gives the same instance back from either. See
    docs/xcsp3.md.

    Tables are written in normal form (tuples within the domains, ascending, once each), tables without conflicts not at all, and
    equal tables as one group at the place of the first. A table that no assignment satisfies (no supports, or conflicts between
    constants) becomes a table that forbids every value of one of its variables, because the tools fail on it as it stands.

    Args:
        instance: what to write.
        file: a path (``.xz`` and ``.lzma`` compress; an existing file is replaced only once the new one is complete), or an open
            file, binary or text.
        stochastic: True for the faithful document, False for the twin, None for the faithful one if some variable is stochastic.

    Raises:
        XcspError: if the official tools would refuse or misread the document; the message says what and what to do.
        OSError: if the file cannot be written.
    """
    faithful = instance.stochastic if stochastic is None else stochastic
    variables = instance.variables
    _check(instance, faithful)
    try:
        note = root_note(instance.threshold, instance.note, faithful)
    except ValueError as error:
        raise XcspError(f"the threshold: {error}", remedy="use a Fraction from 0 to 1") from error
    chance = np.array([faithful and v.stochastic for v in variables], np.bool_)
    constant = _constant_name(instance) if _needs_constant(instance, chance) else ""
    with open_sink(file) as write:
        lines = Lines(write)
        lines.add('<?xml version="1.0" encoding="UTF-8"?>')
        lines.add(f'<instance format="XCSP3" type="{"SCSP" if faithful else "CSP"}"{attribute("note", note)}>')
        lines.add("  <variables>")
        if constant:
            lines.add(f'    <var id="{constant}" class="{CONSTANT_CLASS}"> 1 </var>')
        attributes = [_attributes(v, faithful) for v in variables]
        for run in runs([v.name for v in variables], attributes):
            _write_run(lines, run, variables[run.first : run.first + run.count], attributes[run.first], faithful)
        lines.add("  </variables>\n  <constraints>")
        TableWriter(lines, instance, chance, constant).write()
        for relation in instance.relations:
            write_relation(lines, relation, instance)
        lines.add("  </constraints>")
        if instance.decisions:
            names = " ".join(variables[i].name for i in instance.decisions)
            lines.add(f"  <annotations>\n    <decision> {names} </decision>\n  </annotations>")
        lines.add("</instance>")
        lines.flush()


def _check(instance: Instance, faithful: bool) -> None:
    """Refuse what no document of the asked kind can hold."""
    variables = instance.variables
    if not variables:
        raise XcspError("the instance has no variables", remedy="XCSP3 needs at least one")
    for variable in variables:
        check_variable(variable)
        if faithful and variable.stochastic and variable.symbols is not None:
            raise XcspError(
                f"variable {variable.name} is symbolic and stochastic, which the official parser does not read",
                remedy="use integer values, or write the twin with stochastic=False",
            )
    for name, count in Counter(v.name for v in variables).items():
        if count > 1:
            raise XcspError(f"{count} variables are called {name}", remedy="names must differ")
    symbolic = np.array([v.symbols is not None for v in variables], np.bool_)
    symbols = bool(symbolic.any())
    for index, table in enumerate(instance.constraints):
        check_table(table, index, instance)
        if symbols and symbolic[table.scope].any() and not symbolic[table.scope].all():
            raise XcspError(f"constraint {index} mixes symbols and integers, which no solver reads", remedy="use integers")
    for index, relation in enumerate(instance.relations):
        check_relation(relation, index, instance)
    for decision in instance.decisions:
        if not 0 <= decision < len(variables):
            raise XcspError("a decision refers to a variable that does not exist", remedy="decisions index Instance.variables")
        if symbolic[decision] or (faithful and variables[decision].stochastic):
            name = variables[decision].name
            raise XcspError(f"the decision {name} is no integer variable, which the tools refuse", remedy="leave it out")
    check_text(instance.note, "the instance")


def _needs_constant(instance: Instance, chance: NDArray[np.bool_]) -> bool:
    """Whether a table may be written whose scope is only chance variables."""
    if not chance.any():
        return False
    # A chance variable in no table gets one of its own, and a table without possible tuples does not name its chance variables.
    named = np.zeros(chance.size, np.bool_)
    for table in instance.constraints:
        if chance[table.scope].all():
            return True
        if chance[table.scope].any():
            domains = [instance.variables[i].domain for i in table.scope.tolist()]
            named[table.scope] |= within_domains(table.tuples, domains).shape[0] > 0
    return bool((chance & ~named).any())


def _constant_name(instance: Instance) -> str:
    """A name that neither a variable nor an array has."""
    taken = {cell[0] if (cell := split_cell(v.name)) else v.name for v in instance.variables}
    return next(name for name in ("one", *(f"one_{i}" for i in range(len(taken)))) if name not in taken)


def _attributes(variable: Variable, faithful: bool) -> str:
    """Type, class and note of a variable as attributes."""
    kind = "symbolic" if variable.symbols is not None else ""
    classes, note = variable.classes, variable.note
    if variable.stochastic:
        classes = (CHANCE_CLASS, *(c for c in classes if c != CHANCE_CLASS))
        if faithful:
            kind = "stochastic"
        else:
            note = chance_note(_distribution(variable), note)
    return attribute("type", kind) + attribute("class", " ".join(classes)) + attribute("note", note)


def _distribution(variable: Variable) -> str:
    values = list(variable.symbols) if variable.symbols is not None else [str(value) for value in variable.domain.tolist()]
    return distribution_text(values, variable.probabilities or ())


def _write_run(lines: Lines, run: Run, variables: tuple[Variable, ...], attributes: str, faithful: bool) -> None:
    """Declare a variable, or an array whose cells may have different domains."""
    cells: dict[str, list[str]] = {}
    for variable in variables:
        if variable.symbols is not None:
            domain = " ".join(variable.symbols)
        else:
            domain = _distribution(variable) if faithful and variable.stochastic else values_text(variable.domain)
        cells.setdefault(domain, []).append(variable.name)
    others = max(cells, key=lambda domain: len(cells[domain]))
    if not run.sizes:
        lines.add(f'    <var id="{run.name}"{attributes}> {others} </var>')
        return
    size = "".join(f"[{n}]" for n in run.sizes)
    head = f'    <array id="{run.name}" size="{size}"{attributes}>'
    if len(cells) == 1:
        lines.add(f"{head} {others} </array>")
        return
    lines.add(head)
    for domain, names in cells.items():
        if domain != others:
            lines.add(f'      <domain for="{" ".join(names)}"> {domain} </domain>')
    lines.add(f'      <domain for="others"> {others} </domain>\n    </array>')

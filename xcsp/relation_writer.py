"""Relations as elements of a document."""

from __future__ import annotations

from xcsp.checks import check_classes, check_text
from xcsp.errors import XcspError
from xcsp.model import Instance
from xcsp.relations import AllDifferent, Relation, Sum, Weighted
from xcsp.sinks import Lines
from xcsp.xml_text import attribute

_GREATEST = 2**31 - 11
_AGAINST_COUNTER = {
    (0, 0, True): "eq",
    (0, 0, False): "ne",
    (None, 0, True): "le",
    (None, -1, True): "lt",
    (0, None, True): "ge",
    (1, None, True): "gt",
}
"""What bounds on a number less the value of a variable mean."""


def check_relation(relation: Relation, index: int, instance: Instance) -> None:
    """Checks the scope, and that the numbers are such as the solvers read.

    Raises:
        XcspError: if the relation cannot be written.
    """
    owner = f"relation {index}"
    scope = relation.scope.tolist()
    if not scope or len(set(scope)) < len(scope) or min(scope) < 0 or max(scope) >= len(instance.variables):
        raise XcspError(f"{owner} has the scope {scope[:9]}", remedy="a scope has different indices into Instance.variables")
    symbolic = any(instance.variables[x].symbols is not None for x in scope)
    if symbolic or any(instance.variables[x].stochastic for x in scope):
        raise XcspError(f"{owner} has variables that are symbolic or stochastic", remedy="write it as a table")
    numbers = relation.coefficients.tolist() if isinstance(relation, Sum) else []
    if not isinstance(relation, AllDifferent):
        numbers += [bound for bound in (relation.least, relation.greatest) if bound is not None]
    if any(abs(number) > _GREATEST for number in numbers):
        raise XcspError(f"{owner} has numbers beyond 2^31", remedy="write it as several sums")
    check_text(relation.note, owner)
    check_classes(relation.classes, owner)


def write_relation(lines: Lines, relation: Relation, instance: Instance) -> None:
    """Writes one relation.

    Raises:
        XcspError: if a count and the variable it is compared with lie between bounds that no comparison says.
    """
    names = [instance.variables[x].name for x in relation.scope.tolist()]
    head = attribute("class", " ".join(relation.classes)) + attribute("note", relation.note)
    if isinstance(relation, AllDifferent):
        excepted = " ".join(map(str, relation.excepted.tolist()))
        tail = f" <except> {excepted} </except>" if excepted else ""
        lines.add(f"    <allDifferent{head}> <list> {' '.join(names)} </list>{tail} </allDifferent>")
        return
    if isinstance(relation, Sum):
        coefficients = " ".join(map(str, relation.coefficients.tolist()))
        lines.add(f"    <sum{head}>\n      <list> {' '.join(names)} </list>\n      <coeffs> {coefficients} </coeffs>")
        lines.add(f"      <condition> {_condition(relation)} </condition>\n    </sum>")
        return
    listed = " ".join(name for name, counted in zip(names, relation.counted.tolist(), strict=True) if counted)
    values = " ".join(map(str, relation.values.tolist()))
    if relation.counter < 0:
        condition = _condition(relation)
    else:
        bounds = relation.least, relation.greatest, relation.inside
        if bounds not in _AGAINST_COUNTER:
            raise XcspError("a count lies between bounds about a variable", remedy="compare it with the variable only")
        condition = f"({_AGAINST_COUNTER[bounds]},{instance.variables[relation.counter].name})"
    lines.add(f"    <count{head}>\n      <list> {listed} </list>\n      <values> {values} </values>")
    lines.add(f"      <condition> {condition} </condition>\n    </count>")


def _condition(relation: Weighted) -> str:
    """The bounds as a condition; those that nothing meets as one that no sum of the solvers' integers meets."""
    least, greatest = relation.least, relation.greatest
    if least is not None and greatest is not None:
        if least == greatest:
            return f"({'eq' if relation.inside else 'ne'},{least})"
        return f"({'in' if relation.inside else 'notin'},{least}..{greatest})"
    if least is None and greatest is None:
        return f"(ge,{-_GREATEST})"
    if greatest is None:
        return f"({'ge' if relation.inside else 'lt'},{least})"
    return f"({'le' if relation.inside else 'gt'},{greatest})"

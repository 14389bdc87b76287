"""Relations that depend on their own negation."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from scsp_player.gdl.checks.message import Finding
from scsp_player.gdl.checks.sheet import Relation, Sheet
from scsp_player.gdl.terms import signature


class NegativeCycles:
    """A cycle of relations through ``not``.

    Whether such rules have a meaning depends on their ground instances, so this is a warning, except where the cycle consists of
    rules without arguments and without other conditions: then no instance can break it.
    """

    def find(self, sheet: Sheet) -> Iterator[Finding]:
        """One finding for each strongly connected component with a negative dependency inside."""
        reported: set[int] = set()
        for rule in sheet.program.rules:
            head = signature(rule.head)
            for literal in rule.body:
                used = signature(literal.atom)
                if literal.positive or not sheet.recursive(head, used) or sheet.component[head] in reported:
                    continue
                reported.add(sheet.component[head])
                cycle, lines = _cycle(sheet, head, used)
                where = f"a cycle through negation, {cycle}, in line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))}"
                if _unavoidable(sheet, head, used):
                    text = f"{where}; no state gives these rules a meaning, remove one of the negations"
                    yield Finding("unstratified", literal.position, text)
                else:
                    text = f"{where}; playable only if no ground atom depends on its own negation, better split the relation"
                    yield Finding("negative-cycle", literal.position, text)


def _cycle(sheet: Sheet, head: Relation, negated: Relation) -> tuple[str, list[int]]:
    """The cycle as text, and the lines of its literals."""
    chain = [head, negated]
    if head != negated:
        chain += sheet.path(negated, [head])[1:]
    text = sheet.name(head)
    lines: dict[int, None] = {}
    for source, target in pairwise(chain):
        literals = [x for rule in sheet.produced[source] for x in rule.body if signature(x.atom) == target]
        literal = next((x for x in literals if not x.positive), literals[0])
        text += f" → {'' if literal.positive else 'not '}{sheet.name(target)}"
        lines[literal.position.line] = None
    return text, sorted(lines)


def _unavoidable(sheet: Sheet, head: Relation, negated: Relation) -> bool:
    """Whether the negated relation leads back to the head through rules that have no arguments and one literal each."""

    def bare(relation: Relation) -> list[Relation]:
        rules = sheet.produced.get(relation, []) if relation[1] == 0 else []
        return [signature(rule.body[0].atom) for rule in rules if len(rule.body) == 1]

    if any(not rule.body for rule in sheet.produced[head]) or negated not in bare(head):
        return False
    reached = {negated}
    pending = [negated]
    while pending:
        relation = pending.pop()
        if relation == head:
            return True
        if any(not rule.body for rule in sheet.produced.get(relation, [])):
            continue  # a fact: simplification removes it from the cycle
        for used in bare(relation):
            if used not in reached:
                reached.add(used)
                pending.append(used)
    return False

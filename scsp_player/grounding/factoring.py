"""Alternatives inside a rule are taken together before the rest of the body is joined with them.

A rule with ``or`` comes as one clause for each alternative, and each of them would join the common rest of the body again. Where
all alternatives speak of the same variables, a new relation is their union, and one clause joins it with the rest: an alternative
that holds for the same values as another then costs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scsp_player.grounding.clauses import Clause, Kind, Part, Schema, variables_in


def factored(schema: Schema, alternatives: Sequence[Clause]) -> list[Clause]:
    """The clauses of one rule of the sheet, with equal heads and numbers of variables, perhaps with a new relation for a union."""
    if len(alternatives) < 2:
        return list(alternatives)
    first = alternatives[0]
    if any(c.tokens != first.tokens for c in alternatives):
        return list(alternatives)
    common = [p for p in first.body if all(p in c.body for c in alternatives)]
    rests = [tuple(p for p in c.body if p not in common) for c in alternatives]
    rest_of_clause = variables_in(first.tokens).union(*(p.variables for p in common))
    shared = {frozenset(_variables(rest) & rest_of_clause) for rest in rests}
    if len(shared) > 1 or not all(map(_binds_all, rests)):
        return list(alternatives)
    columns = shared.pop()
    if frozenset().union(*(p.variables for p in common)) <= columns or not columns:
        return list(alternatives)
    tokens = tuple(sorted(columns))
    union = schema.auxiliary(len(tokens))
    body = (*common, Part(Kind.POSITIVE, union, tokens))
    parts = [Clause(union, tokens, rest, c.variables, c.rule) for c, rest in zip(alternatives, rests, strict=True)]
    return [*parts, replace(first, body=body)]


def _variables(parts: Sequence[Part]) -> frozenset[int]:
    return frozenset[int]().union(*(p.variables for p in parts))


def _binds_all(parts: Sequence[Part]) -> bool:
    """Whether positive parts bind all variables, so that the parts can be the body of a clause."""
    return bool(parts) and _variables(parts) <= _variables([p for p in parts if p.kind is Kind.POSITIVE])

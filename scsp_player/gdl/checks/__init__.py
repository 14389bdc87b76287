"""Checks that need no grounding: one class for each, all severities in ``message.LEVELS``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from scsp_player.gdl.checks.arity import Arities, GoalValues, KeywordArities
from scsp_player.gdl.checks.conditions import PointlessConditions, RepeatedConditions, RepeatedRules
from scsp_player.gdl.checks.keywords import Dependencies, HintDependencies, KeywordHeads, KeywordsInBodies
from scsp_player.gdl.checks.message import LEVELS, Finding, Message
from scsp_player.gdl.checks.names import KeywordsInTerms, RelationsAsFunctions
from scsp_player.gdl.checks.negation import NegativeCycles
from scsp_player.gdl.checks.oddities import TextOddities
from scsp_player.gdl.checks.presence import MissingRelations, MissingStart, RolesWithoutGoal
from scsp_player.gdl.checks.recursion import UnboundedRecursion
from scsp_player.gdl.checks.safety import FactsWithVariables, UnsafeRules
from scsp_player.gdl.checks.sheet import Sheet
from scsp_player.gdl.checks.usage import UnproducedFluentsAndMoves, UnproducedRelations, UnusedRelations
from scsp_player.gdl.collector import paused_collector
from scsp_player.gdl.errors import GdlError, Position
from scsp_player.gdl.program import Program

__all__ = ["CHECKS", "LEVELS", "Check", "Message", "check_program", "require_playable"]


class Check(Protocol):
    """One question to a sheet."""

    def find(self, sheet: Sheet) -> Iterator[Finding]:
        """Everything in the sheet that the check objects to."""


CHECKS: tuple[Check, ...] = (
    MissingRelations(),
    MissingStart(),
    RolesWithoutGoal(),
    KeywordArities(),
    Arities(),
    GoalValues(),
    UnsafeRules(),
    FactsWithVariables(),
    UnboundedRecursion(),
    NegativeCycles(),
    KeywordHeads(),
    KeywordsInBodies(),
    KeywordsInTerms(),
    Dependencies(),
    HintDependencies(),
    RelationsAsFunctions(),
    PointlessConditions(),
    RepeatedConditions(),
    RepeatedRules(),
    UnusedRelations(),
    UnproducedRelations(),
    UnproducedFluentsAndMoves(),
    TextOddities(),
)
"""All checks; the messages of a sheet come in the order of its lines."""


def check_program(program: Program) -> list[Message]:
    """Everything that can be said about a sheet without grounding it, in the order of its lines.

    >>> from scsp_player.gdl.reading import parse_program
    >>> sheet = "(role r) (legal r go) (<= terminal (true end)) (init a) (<= (next end) (does r go)) (<= (goal ?p 100) terminal)"
    >>> for message in check_program(parse_program(sheet, "tiny")):
    ...     print(message)
    tiny:1:85: error: unsafe rule, no positive literal binds variable ?p of (goal ?p 100); add one that does [unsafe-rule]
    """
    whole = Position(program.source, 1, 1)
    with paused_collector():
        sheet = Sheet(program)
        found = [finding for check in CHECKS for finding in check.find(sheet)]
    messages = [Message(LEVELS[finding.kind], finding.kind, finding.position or whole, finding.text) for finding in found]
    return sorted(messages, key=lambda message: (message.position.line, message.position.column))


def require_playable(program: Program) -> None:
    """Do nothing if a sheet has no error.

    Raises:
        GdlError: the first error of ``check_program``.
    """
    for message in check_program(program):
        if message.level == "error":
            raise GdlError(message.text, message.position)

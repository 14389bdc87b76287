"""Relations that every game must have."""

from __future__ import annotations

from collections.abc import Iterator

from scsp_player.gdl.checks.message import Finding
from scsp_player.gdl.checks.sheet import Sheet
from scsp_player.gdl.terms import Compound, Variable

_NEEDED = {
    "role": (1, "add a fact (role name) for each player"),
    "legal": (2, "add rules (<= (legal role move) …) that say which moves a role may make"),
    "terminal": (0, "add rules (<= terminal …) that say when the game is over"),
    "goal": (2, "add rules (<= (goal role value) …) with values from 0 to 100"),
}


class MissingRelations:
    """There is no game without roles, moves, an end and goals."""

    def find(self, sheet: Sheet) -> Iterator[Finding]:
        """One finding for each relation that no rule produces."""
        for name, (arity, remedy) in _NEEDED.items():
            if (name, arity) not in sheet.produced or (name == "role" and not sheet.program.roles):
                yield Finding("missing-relation", None, f"no rule for {name}: {remedy}")


class MissingStart:
    """A game without ``init`` starts in the empty state; one without ``next`` is empty after the first move."""

    def find(self, sheet: Sheet) -> Iterator[Finding]:
        """One finding for each of the two that no rule produces."""
        for name, effect in (("init", "the first state is empty"), ("next", "every later state is empty")):
            if (name, 1) not in sheet.produced:
                yield Finding("missing-start", None, f"no rule for {name}: {effect}; add rules for {name} if that is not meant")


class RolesWithoutGoal:
    """A role for which no goal rule can apply always scores 0. The role ``random`` needs no goal (GDL-II)."""

    def find(self, sheet: Sheet) -> Iterator[Finding]:
        """One finding for each such role."""
        heads = [rule.head for rule in sheet.produced.get(("goal", 2), ())]
        owners = [head.arguments[0] for head in heads if isinstance(head, Compound)]
        if not owners or any(isinstance(owner, Variable) for owner in owners):
            return
        named = {str(owner) for owner in owners}
        for rule in sheet.produced.get(("role", 1), ()):
            role = rule.head.arguments[0] if isinstance(rule.head, Compound) else rule.head
            if str(role) in sheet.program.roles and str(role) not in named and str(role) != "random":
                text = f"no goal rule for role {sheet.show(role)}: it always scores 0; add (<= (goal {sheet.show(role)} value) …)"
                yield Finding("missing-role-goal", rule.position, text)

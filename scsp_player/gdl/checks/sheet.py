"""A program prepared for the checks: its rules by relation, and which relation depends on which."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property

from scsp_player.gdl.checks.graph import strong_components
from scsp_player.gdl.errors import Position
from scsp_player.gdl.printing import kif_term
from scsp_player.gdl.program import KEYWORDS, Literal, Program, Rule
from scsp_player.gdl.terms import Compound, Term, Variable, signature

Relation = tuple[str, int]

ARITIES = {
    "role": 1,
    "init": 1,
    "true": 1,
    "does": 2,
    "legal": 2,
    "next": 1,
    "terminal": 0,
    "goal": 2,
    "base": 1,
    "input": 2,
    "sees": 2,
    "distinct": 2,
}
"""Number of arguments of every keyword."""
OWN_IF_OTHER_ARITY = frozenset({"base", "input", "sees"})
"""Keywords that are ordinary relations when they have another number of arguments (many sheets use them so)."""


class Sheet:
    """The view of a program that all checks share.

    Attributes:
        program: the program itself.
        produced: rules by the relation of their heads.
        read: literals by the relation of their atoms.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.produced: dict[Relation, list[Rule]] = defaultdict(list)
        self.read: dict[Relation, list[Literal]] = defaultdict(list)
        for rule in program.rules:
            self.produced[signature(rule.head)].append(rule)
            for literal in rule.body:
                self.read[signature(literal.atom)].append(literal)

    @cached_property
    def dependencies(self) -> dict[Relation, dict[Relation, None]]:
        """For every relation, those in the bodies of its rules (``distinct`` left out), in the order of the sheet."""
        graph: dict[Relation, dict[Relation, None]] = {}
        for relation, rules in self.produced.items():
            bodies = (signature(literal.atom) for rule in rules for literal in rule.body)
            graph[relation] = {used: None for used in bodies if used[0] != "distinct"}
        return graph

    @cached_property
    def component(self) -> dict[Relation, int]:
        """Number of the strongly connected component of every relation that has rules."""
        return strong_components(self.dependencies)

    @cached_property
    def names_in_terms(self) -> dict[Relation, Position]:
        """Every constant and function inside an atom, with its first place, in the order of the sheet."""
        found: dict[Relation, Position] = {}
        seen: set[int] = set()  # identities, for speed: the symbols of a sheet are shared, and lists of facts are long

        def look(atom: Term, position: Position) -> None:
            if not isinstance(atom, Compound):
                return
            stack = [term for term in atom.arguments if id(term) not in seen]
            while stack:
                term = stack.pop()
                seen.add(id(term))
                if not isinstance(term, Variable):
                    found.setdefault(signature(term), position)
                if isinstance(term, Compound):
                    stack += [inner for inner in term.arguments if id(inner) not in seen]

        for rule in self.program.rules:
            look(rule.head, rule.position)
            for literal in rule.body:
                look(literal.atom, literal.position)
        return found

    def recursive(self, head: Relation, used: Relation) -> bool:
        """Whether ``used`` in a body of ``head`` closes a cycle."""
        return head in self.component and self.component.get(used) == self.component[head]

    def path(self, start: Relation, targets: Iterable[Relation]) -> list[Relation]:
        """A shortest chain of dependencies from ``start`` to one of ``targets``, both ends included; empty if there is none."""
        wanted = set(targets)
        before: dict[Relation, Relation | None] = {start: None}
        queue = [start]
        for relation in queue:
            if relation in wanted and relation != start:
                chain = [relation]
                while (previous := before[chain[-1]]) is not None:
                    chain.append(previous)
                return chain[::-1]
            for used in self.dependencies.get(relation, ()):
                if used not in before:
                    before[used] = relation
                    queue.append(used)
        return []

    def literal_between(self, head: Relation, used: Relation) -> Literal:
        """The first literal through which ``head`` depends on ``used``."""
        return next(literal for rule in self.produced[head] for literal in rule.body if signature(literal.atom) == used)

    def show(self, term: Term) -> str:
        """A term in prefix notation, spelled as in the sheet."""
        return kif_term(term, self.program.spelling)

    def name(self, relation: Relation) -> str:
        """The name of a relation, spelled as in the sheet."""
        return self.program.spelling.get(relation[0], relation[0])


def is_keyword(relation: Relation) -> bool:
    """Whether a relation has a meaning fixed by the language."""
    return relation[0] in KEYWORDS and not is_own(relation)


def is_own(relation: Relation) -> bool:
    """Whether a relation has the name of a keyword but is an ordinary relation of the sheet."""
    return relation[0] in OWN_IF_OTHER_ARITY and ARITIES[relation[0]] != relation[1]

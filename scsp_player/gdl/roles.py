"""The roles of a game, in the order of the sheet."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from scsp_player.gdl.errors import GdlError
from scsp_player.gdl.program import KEYWORDS, Literal, Rule
from scsp_player.gdl.terms import Compound, Symbol, Term, Variable, signature

Relation = tuple[str, int]
_ROLE: Relation = ("role", 1)
_MAX_STEPS = 20_000
_REMEDY = "write a fact (role name) for each role"


def roles_of(rules: Sequence[Rule]) -> tuple[str, ...]:
    """Names of all roles: those of ``role`` facts, then those that rules derive from facts alone.

    Raises:
        GdlError: if a role is not a plain name, or follows from more than facts and ``distinct``, or from too many facts.
    """
    role_rules = [rule for rule in rules if signature(rule.head) == _ROLE]
    if any(rule.body for rule in role_rules):
        heads = _derived(rules)
    else:
        heads = [(rule.head, rule) for rule in role_rules]
    names: dict[str, None] = {}
    for head, rule in heads:
        assert isinstance(head, Compound)
        name = head.arguments[0]
        if not isinstance(name, Symbol):
            raise GdlError(f"role {name} is not a plain name", rule.position, _REMEDY)
        names[name.name] = None
    return tuple(names)


def _derived(rules: Sequence[Rule]) -> list[tuple[Term, Rule]]:
    """All facts of ``role``, by repeating the rules that it depends on until nothing new follows."""
    needed = _needed(rules)
    known: dict[Relation, dict[Term, Rule]] = defaultdict(dict)
    budget = iter(range(_MAX_STEPS))
    size = -1
    while size != (size := sum(map(len, known.values()))):
        for rule in needed:
            relation = signature(rule.head)
            for binding in list(_bindings(rule, known, budget)):
                known[relation].setdefault(_instance(rule.head, binding), rule)
    return list(known[_ROLE].items())


def _needed(rules: Sequence[Rule]) -> list[Rule]:
    """The rules of ``role`` and of everything that it depends on, in the order of the sheet."""
    by_head: dict[Relation, list[Rule]] = defaultdict(list)
    for rule in rules:
        by_head[signature(rule.head)].append(rule)
    reached = {_ROLE}
    pending = [_ROLE]
    while pending:
        for rule in by_head[pending.pop()]:
            for literal in rule.body:
                relation = signature(literal.atom)
                if relation[0] == "distinct":
                    continue
                if not literal.positive or (relation[0] in KEYWORDS and relation != _ROLE):
                    raise GdlError(f"the roles depend on {literal}", literal.position, _REMEDY)
                if relation not in reached:
                    reached.add(relation)
                    pending.append(relation)
    return [rule for rule in rules if signature(rule.head) in reached]


def _bindings(
    rule: Rule, known: Mapping[Relation, Mapping[Term, Rule]], budget: Iterator[int]
) -> Iterator[dict[Variable, Term]]:
    """All ways to satisfy the body of a rule with known facts; each fact tried takes one item from ``budget``."""
    positive = [literal.atom for literal in rule.body if signature(literal.atom)[0] != "distinct"]
    tests = [literal for literal in rule.body if signature(literal.atom)[0] == "distinct"]
    stack: list[tuple[int, dict[Variable, Term]]] = [(0, {})]
    while stack:
        done, binding = stack.pop()
        if done < len(positive):
            for fact in reversed(list(known.get(signature(positive[done]), ()))):
                if next(budget, None) is None:
                    raise GdlError("the roles follow from too many facts", rule.position, _REMEDY)
                extended = _matched(positive[done], fact, binding)
                if extended is not None:
                    stack.append((done + 1, extended))
        elif all(_holds(test, binding) for test in tests):
            yield binding


def _holds(test: Literal, binding: Mapping[Variable, Term]) -> bool:
    atom = _instance(test.atom, binding)
    return not isinstance(atom, Compound) or (len(set(atom.arguments)) > 1) == test.positive


def _matched(pattern: Term, fact: Term, binding: dict[Variable, Term]) -> dict[Variable, Term] | None:
    binding = dict(binding)
    stack = [(pattern, fact)]
    while stack:
        left, right = stack.pop()
        if isinstance(left, Variable):
            if binding.setdefault(left, right) != right:
                return None
        elif isinstance(left, Compound) and isinstance(right, Compound):
            if signature(left) != signature(right):
                return None
            stack.extend(zip(left.arguments, right.arguments, strict=True))
        elif left != right:
            return None
    return binding


def _instance(pattern: Term, binding: Mapping[Variable, Term]) -> Term:
    """The pattern with its variables replaced."""
    results: list[Term] = []
    stack: list[tuple[Term, bool]] = [(pattern, False)]
    while stack:
        term, arguments_done = stack.pop()
        if not isinstance(term, Compound):
            results.append(binding.get(term, term) if isinstance(term, Variable) else term)
        elif arguments_done:
            first = len(results) - len(term.arguments)
            results[first:] = [Compound(term.functor, tuple(results[first:]))]
        else:
            stack.append((term, True))
            stack.extend((argument, False) for argument in reversed(term.arguments))
    return results[0]

"""A slow grounder that shares no code with the package's: its own reader, nested loops, tuples and sets.

It turns a small prefix rule sheet into a ``GroundGame`` and serves as the oracle of the relational grounder.
"""

from __future__ import annotations

import itertools
import re

import numpy as np

from scsp_player.gdl.terms import Compound, Symbol, Term
from scsp_player.grounding.components import evaluation_order
from scsp_player.grounding.ground_game import FALSE, TRUE, GroundGame
from scsp_player.grounding.term_table import TermTable

DYNAMIC_INPUTS = ("true", "does")


def read(text):
    tokens = re.findall(r"[()]|[^\s()]+", re.sub(r";[^\n]*", "", text).lower())
    stack = [[]]
    for token in tokens:
        if token == "(":
            stack.append([])
        elif token == ")":
            done = tuple(stack.pop())
            stack[-1].append(done[0] if len(done) == 1 and isinstance(done[0], str) else done)
        else:
            stack[-1].append(token)
    return stack[0]


def atom_of(form):
    return form if isinstance(form, tuple) else (form,)


def expand(body, positive=True):
    """Alternatives (lists of signed atoms) of one body formula."""
    form = atom_of(body)
    if form[0] == "not":
        return expand(form[1], not positive)
    if form[0] in ("or", "and"):
        parts = [expand(f, positive) for f in form[1:]]
        if (form[0] == "or") == positive:
            return [alternative for part in parts for alternative in part]
        return [list(itertools.chain(*choice)) for choice in itertools.product(*parts)]
    return [[(form, positive)]]


def rules_of(text):
    for form in read(text):
        form = atom_of(form)
        if form[0] != "<=":
            yield form, []
            continue
        for choice in itertools.product(*[expand(f) for f in form[2:]]):
            yield atom_of(form[1]), list(itertools.chain(*choice))


def match(pattern, value, binding):
    if isinstance(pattern, str):
        if not pattern.startswith("?"):
            return binding if pattern == value else None
        if pattern in binding:
            return binding if binding[pattern] == value else None
        return {**binding, pattern: value}
    if not isinstance(value, tuple) or len(value) != len(pattern):
        return None
    for p, v in zip(pattern, value, strict=True):
        binding = match(p, v, binding)
        if binding is None:
            return None
    return binding


def substitute(pattern, binding):
    if isinstance(pattern, str):
        return binding.get(pattern, pattern)
    return tuple(substitute(p, binding) for p in pattern)


def instances(body, known, binding):
    positive = [a for a, sign in body if sign and a[0] != "distinct"]
    tests = [(a, sign) for a, sign in body if a[0] == "distinct"]

    def go(i, binding):
        for (_, x, y), sign in tests:
            x, y = substitute(x, binding), substitute(y, binding)
            if "?" not in str(x) + str(y) and (x != y) != sign:
                return
        if i == len(positive):
            yield binding
            return
        for value in list(known.get((positive[i][0], len(positive[i])), ())):
            extended = match(positive[i], value, binding)
            if extended is not None:
                yield from go(i + 1, extended)

    yield from go(0, binding)


def as_term(form) -> Term:
    if isinstance(form, str):
        return Symbol(form)
    if len(form) == 1:
        return Symbol(form[0])
    return Compound(form[0], tuple(as_term(f) for f in form[1:]))


def ground(text: str, source: str = "oracle") -> GroundGame:
    rules = list(rules_of(text))
    # Relaxed reachability: next and init feed true, legal feeds does, negation is ignored.
    known: dict[tuple[str, int], dict] = {}

    def add(fact):
        bucket = known.setdefault((fact[0], len(fact)), {})
        if fact in bucket:
            return False
        bucket[fact] = None
        return True

    changed = True
    while changed:
        changed = False
        for head, body in rules:
            for binding in list(instances(body, known, {})):
                changed |= add(substitute(head, binding))
        for relation, target in (("init", "true"), ("next", "true")):
            for fact in list(known.get((relation, 2), ())):
                changed |= add((target, fact[1]))
        for fact in list(known.get(("legal", 3), ())):
            if ("role", fact[1]) in known.get(("role", 2), ()):
                changed |= add(("does", *fact[1:]))

    ground_rules: dict[tuple, set] = {}
    for head, body in rules:
        for binding in instances(body, known, {}):
            literals = frozenset((substitute(a, binding), sign) for a, sign in body if a[0] != "distinct")
            ground_rules.setdefault(substitute(head, binding), set()).add(literals)

    # Constants: facts forward, unsupported atoms backward, until nothing changes.
    value: dict[tuple, bool] = {}

    def lookup(atom):
        if atom in value:
            return value[atom]
        if atom[0] in DYNAMIC_INPUTS:
            return None if atom in known.get((atom[0], len(atom)), ()) else False
        return None if atom in ground_rules else False

    changed = True
    while changed:
        changed = False
        for head in list(ground_rules):
            if head in value:
                continue
            kept = set()
            for body in ground_rules[head]:
                states = [(atom, sign, lookup(atom)) for atom, sign in body]
                if any(v is not None and v != sign for _, sign, v in states):
                    continue
                kept.add(frozenset((a, s) for a, s, v in states if v is None))
            if frozenset() in kept:
                value[head] = True
                changed = True
            elif not kept:
                value[head] = False
                changed = True
            elif kept != ground_rules[head]:
                ground_rules[head] = kept
                changed = True
    live = sorted((h for h in ground_rules if h not in value), key=str)

    roles = [head[1] for head, body in rules if head[0] == "role" and not body]
    fluents = sorted({f[1] for f in known.get(("true", 2), ())}, key=lambda f: str(as_term(f)))
    moves = [sorted({f[2] for f in known.get(("does", 3), ()) if f[1] == r}, key=lambda m: str(as_term(m))) for r in roles]
    atoms = [("true", f) for f in fluents] + [("does", r, m) for r, ms in zip(roles, moves, strict=True) for m in ms] + live
    number = {a: i + 1 for i, a in enumerate(atoms)}
    number.update({("true", f): number[("true", f)] for f in fluents})

    def literal(atom, sign=True):
        v = lookup(atom)
        if v is not None:
            return TRUE if v == sign else FALSE
        return 2 * number[atom] + (not sign)

    rows = sorted((number[h], sorted(literal(a, s) for a, s in body)) for h in live for body in ground_rules[h])
    goals = sorted({(roles.index(g[1]), int(g[2]), g) for g in known.get(("goal", 3), ()) if g[1] in roles}, key=str)
    sees = sorted({(roles.index(s[1]), s) for s in known.get(("sees", 3), ()) if s[1] in roles}, key=str)
    init = known.get(("init", 2), {})

    terms = [as_term(a) for a in atoms] + [as_term(f) for f in fluents]
    terms += [as_term(m) for ms in moves for m in ms] + [as_term(s[2]) for _, s in sees]
    table, ids = TermTable.of(terms)
    n, f, m = len(atoms), len(fluents), sum(map(len, moves))
    i32 = lambda xs: np.array(list(xs), dtype=np.int32)  # noqa: E731
    rule_head = i32(h for h, _ in rows)
    rule_start = np.cumsum([0, *(len(b) for _, b in rows)]).astype(np.int64)
    rule_body = i32(x for _, b in rows for x in b)
    head_start = np.searchsorted(rule_head, np.arange(n + 2)).astype(np.int64)
    start, order, cyclic, offending = evaluation_order(head_start, rule_head, rule_start, rule_body)
    assert not len(offending), "negative cycle"
    return GroundGame(
        source=source,
        roles=tuple(roles),
        terms=table,
        atom_term=i32([-1, *ids[:n]]),
        rule_head=rule_head,
        rule_start=rule_start,
        rule_body=rule_body,
        head_start=head_start,
        fluent_term=i32(ids[n : n + f]),
        fluent_atom=i32(number[("true", x)] for x in fluents),
        next_literal=i32(literal(("next", x)) for x in fluents),
        initial=np.array([("init", x) in init for x in fluents], dtype=np.bool_),
        role_start=np.cumsum([0, *map(len, moves)]).astype(np.int32),
        move_term=i32(ids[n + f : n + f + m]),
        does_atom=i32(number[("does", r, x)] for r, ms in zip(roles, moves, strict=True) for x in ms),
        legal_literal=i32(literal(("legal", r, x)) for r, ms in zip(roles, moves, strict=True) for x in ms),
        goal_role=i32(r for r, _, _ in goals),
        goal_value=i32(v for _, v, _ in goals),
        goal_literal=i32(literal(g) for _, _, g in goals),
        percept_role=i32(r for r, _ in sees),
        percept_term=i32(ids[n + f + m :]),
        percept_literal=i32(literal(s) for _, s in sees),
        terminal_literal=literal(("terminal",)),
        component_start=start,
        component_atoms=order,
        component_cyclic=cyclic,
    )

"""GDL through answer sets: an engine that shares nothing with the package but the ``Term`` class.

The rules are translated to one answer-set program that clingo grounds once. What can ever be true or done is found by clingo
too, in a first program that ignores negation. After that a question about a state is one call of the solver, in which the
state's fluents and the joint move are assumptions: stratified rules leave exactly one answer set.
"""

from __future__ import annotations

import clingo

from scsp_player.gdl.terms import Compound, Symbol
from tests.oracles.naive_grounder import rules_of

FREE = {"true": 1, "does": 2}
"""The relations given from outside."""


def _quoted(name):
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _expression(form, names):
    """A term of a rule in the solver's notation; compound terms become ``t("functor", …)``."""
    if isinstance(form, str):
        if form.startswith("?"):
            return "V" + str(names.setdefault(form, len(names)))
        return _quoted(form)
    return f"t({','.join([_quoted(form[0]), *(_expression(f, names) for f in form[1:])])})"


def _relation(name, arity, prefix):
    return prefix + "_".join(str(ord(c)) for c in name) + f"_{arity}"


def _atom(form, names, prefix):
    arguments = ",".join(_expression(f, names) for f in form[1:])
    return _relation(form[0], len(form) - 1, prefix) + (f"({arguments})" if arguments else "")


def _body(body, names, prefix, *, relaxed):
    for atom, positive in body:
        if atom[0] == "distinct":
            left, right = (_expression(f, names) for f in atom[1:])
            yield f"{left} {'!=' if positive else '='} {right}"
        elif positive:
            yield _atom(atom, names, prefix)
        elif not relaxed:
            yield "not " + _atom(atom, names, prefix)


def _translate(rules, prefix, *, relaxed):
    for head, body in rules:
        names: dict = {}
        left = _atom(head, names, prefix)
        right = ", ".join(_body(body, names, prefix, relaxed=relaxed))
        yield f"{left} :- {right}." if right else f"{left}."


def _term(symbol):
    if symbol.type == clingo.SymbolType.String:
        return Symbol(symbol.string)
    functor, *arguments = symbol.arguments
    return Compound(functor.string, tuple(_term(a) for a in arguments))


class ClingoMachine:
    """A ``StateMachine``; states are frozensets of fluents."""

    def __init__(self, text):
        rules = list(rules_of(text))
        self._roles = tuple(head[1] for head, body in rules if head[0] == "role" and not body)
        reached = [*_translate(rules, "m", relaxed=True)]
        true, does = _relation("true", 1, "m"), _relation("does", 2, "m")
        reached += [f"{true}(F) :- {_relation(source, 1, 'm')}(F)." for source in ("init", "next")]
        reached.append(f"{does}(R,M) :- {_relation('legal', 2, 'm')}(R,M), {_relation('role', 1, 'm')}(R).")
        exact = [*_translate(rules, "x", relaxed=False)]
        exact.append(f"{{ {_relation('true', 1, 'x')}(F) }} :- {true}(F).")
        exact.append(f"{{ {_relation('does', 2, 'x')}(R,M) }} :- {does}(R,M).")
        shown = [("terminal", 0), ("legal", 2), ("goal", 2), ("next", 1), ("sees", 2)]
        exact += [f"#show {_relation(name, arity, 'x')}/{arity}." for name, arity in shown]
        # Atoms over constants that no rule can derive are "info" to clingo, not errors.
        self._control = clingo.Control(["--warn=none"])
        self._control.add("base", [], "\n".join([*reached, *exact]))
        self._control.ground([("base", [])])
        self._names = {_relation(name, arity, "x"): name for name, arity in shown}
        self._terms: dict = {}
        atoms = self._control.symbolic_atoms
        self._true = {self._decode(a.symbol.arguments[0]): a.literal for a in atoms.by_signature(_relation("true", 1, "x"), 1)}
        self._does = {
            tuple(map(self._decode, a.symbol.arguments)): a.literal for a in atoms.by_signature(_relation("does", 2, "x"), 2)
        }
        init = _relation("init", 1, "x")
        self._initial = frozenset(self._decode(a.symbol.arguments[0]) for a in atoms.by_signature(init, 1) if a.is_fact)
        self._symbols = {name: Symbol(name) for name in self._roles}
        self._answer: tuple = (None, None)

    def _decode(self, symbol):
        found = self._terms.get(symbol)
        if found is None:
            found = self._terms[symbol] = _term(symbol)
        return found

    def _consequences(self, state, joint_move=None):
        """All that holds, by relation, in a state (or because of a joint move in it)."""
        if self._answer[0] == (state, joint_move):
            return self._answer[1]
        done = set(zip(self._symbols.values(), joint_move or (), strict=False))
        unknown = [d for d in done if d not in self._does]
        if unknown:
            raise ValueError(f"{unknown[0][1]} is not a move of {unknown[0][0]}")
        assumptions = [literal if fluent in state else -literal for fluent, literal in self._true.items()]
        assumptions += [literal if pair in done else -literal for pair, literal in self._does.items()]
        found: dict = {name: [] for name in self._names.values()}
        models = 0
        self._control.configuration.solve.models = 2
        with self._control.solve(assumptions=assumptions, yield_=True) as handle:
            for model in handle:
                models += 1
                for symbol in model.symbols(shown=True):
                    found[self._names[symbol.name]].append(tuple(map(self._decode, symbol.arguments)))
        assert models == 1, f"{models} answer sets: the rules are not stratified"
        self._answer = ((state, joint_move), found)
        return found

    @property
    def roles(self):
        return self._roles

    def moves(self):
        """For each role all moves that negation-free reasoning allows."""
        return tuple(tuple(sorted(m for r, m in self._does if r == s)) for s in self._symbols.values())

    def all_fluents(self):
        """All fluents that negation-free reasoning allows."""
        return frozenset(self._true)

    def initial_state(self):
        return self._initial

    def state(self, fluents):
        state = frozenset(fluents)
        unknown = state - self._true.keys()
        if unknown:
            raise ValueError(f"{min(unknown)} can never be true")
        return state

    def fluents(self, state):
        return state

    def is_terminal(self, state):
        return bool(self._consequences(state)["terminal"])

    def legal_moves(self, state):
        legal = self._consequences(state)["legal"]
        return tuple(tuple(sorted({m for r, m in legal if r == s})) for s in self._symbols.values())

    def goals(self, state):
        held = self._consequences(state)["goal"]
        by_role = [{v for r, v in held if r == s} for s in self._symbols.values()]
        return tuple(int(next(iter(values)).name) if len(values) == 1 else None for values in by_role)

    def successor(self, state, joint_move):
        return frozenset(f for (f,) in self._consequences(state, tuple(joint_move))["next"])

    def percepts(self, state, joint_move):
        seen = self._consequences(state, tuple(joint_move))["sees"]
        return tuple(frozenset(p for r, p in seen if r == s) for s in self._symbols.values())

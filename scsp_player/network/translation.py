"""From ground rules to the template: variables, then the tables of every question about a turn."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from scsp_player.gdl.collector import paused_collector
from scsp_player.grounding.ground_game import FALSE as FALSE_LITERAL
from scsp_player.grounding.ground_game import GroundGame
from scsp_player.network.cases import Outputs
from scsp_player.network.circuit import Circuit
from scsp_player.network.cover import FORBIDDEN
from scsp_player.network.csr import distinct
from scsp_player.network.errors import Deadline
from scsp_player.network.formulas import Formulas
from scsp_player.network.functions import Function, Partition, cells, common_axes, simplify, spread
from scsp_player.network.groups import WORK, StateGroup, state_groups
from scsp_player.network.micro_scsp import ALWAYS, NEVER, MicroSCSP
from scsp_player.network.naming import dictionary, identifier, words_of
from scsp_player.network.rules import inline_moves, merge_moves
from scsp_player.network.scores import define_by_tree
from scsp_player.network.tables import Draft, TableBuilder
from scsp_player.network.unfolding import unfold
from xcsp.model import Instance, Table, Variable

Ints = NDArray[np.int32]
Offsets = NDArray[np.int64]

ValueRules: TypeAlias = tuple[int, list[list[Function]]]
"""A value of a variable, and the rules under which it takes it."""

TUPLE_LIMIT = 100_000
"""No table of a template has more tuples, unless the caller says so."""

LEAST_TUPLE_LIMIT = 64
"""Smaller limits are refused: the tables into which others are split need that many."""

MOVES_IN_NOTE = 16_384
"""Roles with more moves have no dictionary of them in the note of their variable: it would be megabytes long."""

DENSE_CELLS = 4096
"""The function of a variable with several values is tabulated at once up to this size, by cases above."""

DENSE_COLUMNS = 7


def template(
    game: GroundGame,
    *,
    tuple_limit: int = TUPLE_LIMIT,
    proof_work: int = WORK,
    explicit_legality: Sequence[int] = (),
    seconds: float = math.inf,
) -> MicroSCSP:
    """The micro-SCSP that stands for any turn of the game (WoodStock paper, section 3; ``docs/translation.md``).

    Args:
        game: the ground rules.
        tuple_limit: no table has more tuples; larger ones are split by auxiliary variables. At least ``LEAST_TUPLE_LIMIT``.
        proof_work: effort for proving groups of fluents; what remains unproved stays Boolean.
        explicit_legality: roles for whose moves the result tells which variables say that they are legal.
        seconds: how long the translation may take.

    Raises:
        NetworkTooLargeError: if the tables cannot be kept within bounds, for instance because a role has more moves, or the time
            does not suffice.
        ValueError: if ``tuple_limit`` is too small.
    """
    if tuple_limit < LEAST_TUPLE_LIMIT:
        raise ValueError(f"tuple_limit is at least {LEAST_TUPLE_LIMIT}")
    # Variables, functions and tables: hundreds of thousands of small objects, none of which is garbage.
    with paused_collector():
        return _Translation(game, TableBuilder(tuple_limit, deadline=Deadline(seconds)), proof_work, explicit_legality).result()


class _Translation:
    """One run of ``template``."""

    def __init__(self, game: GroundGame, builder: TableBuilder, proof_work: int, explicit_legality: Sequence[int]) -> None:
        self.game = game
        self.explicit_legality = explicit_legality
        self.builder = builder
        self.codes = np.random.default_rng(0)
        self.circuit = Circuit(self.builder)
        rules = inline_moves(game, unfold(game))
        merged = merge_moves(game, rules)
        self.groups = state_groups(game, merged, work=proof_work, deadline=builder.deadline)
        self.fluent_value = np.zeros(game.fluents, dtype=np.int32)
        for group in self.groups:
            self.fluent_value[group.fluents] = 1 if group.boolean else np.arange(len(group.fluents))
        self.formulas = Formulas(game, rules, merged, self.circuit)

    def result(self) -> MicroSCSP:
        game = self.game
        now = self._state_variables("now")
        actions = self._action_variables()
        terminal = self._terminal()
        self._legality(actions, terminal)
        scores = self._scores(terminal)
        following = self._state_variables("next")
        for group, variable, successor in zip(self.groups, now, following, strict=True):
            self._transition(group, variable, successor, actions, terminal)
        percept_variable, percept_value = self._percepts()
        fluent_group = np.zeros(game.fluents, dtype=np.int64)
        for number, group in enumerate(self.groups):
            fluent_group[group.fluents] = number
        legality = {role: self._legality_of(role) for role in self.explicit_legality}
        finished = self.builder.finish([*percept_variable, *(v for variables, _ in legality.values() for v in variables if v >= 0)])
        index = finished.index
        instance = self._instance(finished.variables, finished.tables)
        return MicroSCSP(
            game=game,
            instance=instance,
            groups=tuple(self.groups),
            now=index[now],
            next=index[following],
            action_variable=index[actions],
            none_value=np.diff(game.role_start).astype(np.int32),
            fluent_variable=index[now][fluent_group],
            fluent_value=self.fluent_value,
            next_variable=index[following][fluent_group],
            next_value=self.fluent_value,
            terminal_variable=int(index[terminal]),
            score_variable=index[scores],
            percept_variable=index[np.array(percept_variable, dtype=np.int32)],
            percept_value=np.array(percept_value, dtype=np.int32),
            defines=(*finished.defines, *(((),) * (len(instance.constraints) - len(finished.defines)))),
            legality={
                role: (np.where(variables >= 0, index[variables], variables).astype(np.int32), values)
                for role, (variables, values) in legality.items()
            },
        )

    def _state_variables(self, prefix: str) -> list[int]:
        result: list[int] = []
        for group in self.groups:
            words = [str(self.game.fluent(int(f))) for f in group.fluents]
            values = [f"(not {words[0]})", *words] if group.boolean else words if group.exact else [*words, "none of these"]
            kind = "state" if prefix == "now" else "next"
            result.append(self.builder.variable(identifier(prefix, group.label), len(values), kind, dictionary(values)))
            if prefix == "now":
                atoms = self.game.fluent_atom[group.fluents]
                self.formulas.give_values(atoms, result[-1], self.fluent_value[group.fluents])
        return result

    def _action_variables(self) -> list[int]:
        """One variable a role, that of chance last."""
        game = self.game
        actions = [0] * len(game.roles)
        for role in sorted(range(len(game.roles)), key=lambda r: r == game.random_role):
            moves = range(int(game.role_start[role]), int(game.role_start[role + 1]))
            kind = "chance" if role == game.random_role else "decision"
            note = dictionary([*(game.move(m) for m in moves), "none"]) if len(moves) <= MOVES_IN_NOTE else ""
            actions[role] = self.builder.variable(identifier("action", [game.roles[role]]), len(moves) + 1, kind, note)
        self.formulas.give_actions(actions)
        return actions

    def _terminal(self) -> int:
        literal = self.game.terminal_literal
        function = self.circuit.rules(self.formulas.rules(literal), "terminal")
        variable = self.builder.variable("terminal", 2, "terminal", "1 = the match is over")
        self.builder.define(variable, function.axes, function.table.astype(np.int32), "terminal")
        if literal > FALSE_LITERAL:
            holds = self.builder.truth(variable)
            self.formulas.give(literal >> 1, ~holds if literal & 1 else holds)
        return variable

    def _legality(self, actions: list[int], terminal: int) -> None:
        """A role does nothing exactly in terminal states; elsewhere its move satisfies every condition of its legality."""
        game = self.game
        for role, action in enumerate(actions):
            size = self.builder.variables[action].size
            conditions: dict[tuple[int, ...], dict[Hashable, tuple[Function, list[Offsets]]]] = defaultdict(dict)
            never = np.zeros(size, dtype=np.bool_)
            for function, moves in self.formulas.conjuncts(game.legal_literal[game.role_start[role] : game.role_start[role + 1]]):
                if function.constant:
                    never[moves] |= not bool(function.table)
                else:
                    conditions[function.variables].setdefault(function.key, (function, []))[1].append(moves)
            kinds = np.where(never, 2, np.arange(size) < size - 1)
            axis = self.builder.partitions.of(action, kinds)
            of_class = kinds[axis.first]
            allowed = np.array([[c == 1, c == 0] for c in of_class])
            self.builder.restrict([axis, self.builder.identity(terminal)], allowed, "legal")
            for entries in conditions.values():
                self._require(action, [(function, distinct(np.concatenate(moves))) for function, moves in entries.values()])

    def _require(self, action: int, entries: Sequence[tuple[Function, Offsets]]) -> None:
        """For every entry: the function holds if one of the values is the move. All functions have the same variables."""
        size = self.builder.variables[action].size
        # Moves that ask for the same functions form a class; sets of functions are told apart by sums of random codes.
        code = np.zeros(size, dtype=np.uint64)
        for number, (_, moves) in zip(self.codes.integers(0, 2**64, size=len(entries), dtype=np.uint64), entries, strict=True):
            code[moves] += number
        labels = code > 0
        if len(entries) > 1:
            inside = np.flatnonzero(labels)
            labels = np.zeros(size, dtype=np.int64)
            labels[inside] = 1 + np.unique(code[inside], return_inverse=True)[1]
        axis = self.builder.partitions.of(action, labels)
        state = common_axes(self.builder.partitions, [f for f, _ in entries])
        if cells(state) * axis.size > self.builder.tuple_limit and len(state) > 1:
            for function, moves in entries:
                self._require(action, [(self.circuit.boolean(function, "legal"), moves)])
            return
        shape = [a.size for a in state]
        allowed = np.ones([axis.size, *shape], dtype=np.bool_)
        for function, moves in entries:
            allowed[distinct(axis.labels[moves])] &= spread(function, state)
        self.builder.restrict([axis, *state], allowed, "legal")

    def _legality_of(self, role: int) -> tuple[Ints, Ints]:
        """For each move of a role a Boolean variable and the value that it has exactly if the move is legal (see ``MicroSCSP``)."""
        variables: list[int] = []
        values: list[int] = []
        for move in range(int(self.game.role_start[role]), int(self.game.role_start[role + 1])):
            function = self.formulas.function(int(self.game.legal_literal[move]))
            holds = self.circuit.boolean(function, identifier("legal", words_of(self.game.move(move))))
            if holds.constant:
                variables.append(ALWAYS if holds.table else NEVER)
                values.append(0)
            else:
                variables.append(holds.axes[0].variable)
                values.append(int(np.flatnonzero(holds.table[holds.axes[0].labels])[0]))
        return np.array(variables, dtype=np.int32), np.array(values, dtype=np.int32)

    def _scores(self, terminal: int) -> list[int]:
        game = self.game
        over = self.builder.truth(terminal)
        result: list[int] = []
        for role, name in enumerate(game.roles):
            goals = np.flatnonzero(game.goal_role == role)
            domain = sorted({0, *game.goal_value[goals].tolist()})
            score = self.builder.variable(identifier("score", [name]), len(domain), "score", domain=tuple(domain))
            zero = domain.index(0)
            values = [
                (domain.index(int(game.goal_value[goal])), self.formulas.function(int(game.goal_literal[goal]))) for goal in goals
            ]
            outputs = Outputs(tuple((v, [[over, f]]) for v, f in values), default=zero, several=zero)
            if not self._define(score, outputs, "score"):
                booleans = [(v, self.circuit.boolean(f, identifier("goal", [name, str(domain[v])]))) for v, f in values]
                define_by_tree(self.builder, score, over, booleans, zero)
            result.append(score)
        return result

    def _transition(self, group: StateGroup, now: int, successor: int, actions: list[int], terminal: int) -> None:
        """The next value by the rules; in terminal states, where nobody moves, the present one."""
        values: list[ValueRules] = []
        for fluent in group.fluents.tolist():
            rules = [list(rule) for rule in self.formulas.rules(int(self.game.next_literal[fluent]))]
            values.append((int(self.fluent_value[fluent]), rules))
        over = self._over([f for _, rules in values for rule in rules for f in rule], actions, terminal)
        values = [
            (v, [*([*rule, ~over] for rule in rules), [over, self.builder.one_of(now, [v])]]) for v, rules in values
        ]
        default = FORBIDDEN if group.exact else 0 if group.boolean else len(group.fluents)
        outputs = Outputs(tuple(values), default=default)
        if self._define(successor, outputs, "next"):
            return
        values = self._by_role(values, successor, actions)
        if self._define(successor, Outputs(tuple(values), default=default), "next"):
            return
        name = self.builder.variables[successor].name
        functions = [(v, self.circuit.rules(rules, f"{name}_{v}")) for v, rules in values]
        if group.boolean:
            self.builder.define(successor, functions[0][1].axes, functions[0][1].table.astype(np.int32), "next")
            return
        if self._define(successor, Outputs(tuple((v, [[f]]) for v, f in functions), default=default), "next"):
            return
        axis = self.builder.identity(successor)
        for value, function in functions:
            holds = self.circuit.boolean(function, f"{name}_{value}")
            is_value = np.arange(axis.size) == value
            if holds.constant:
                self.builder.restrict([axis], is_value == bool(holds.table), "next")
            else:
                allowed = holds.table[:, None] == is_value[None, :]
                self.builder.restrict([holds.axes[0], axis], allowed, "next")

    def _by_role(self, values: list[ValueRules], successor: int, actions: list[int]) -> list[ValueRules]:
        """The same values by rules about *arrivals*: variables that say which value a role's move brings, if any.

        ("The cell gets whatever stands where the move comes from.") At most one value arrives, because the values of the next
        state exclude each other. Rules that mention no move, or the moves of several roles, stay as they are.
        """
        remaining = [(value, rules) for value, rules in values]
        for action in actions:
            own: list[ValueRules] = []
            others: list[ValueRules] = []
            for value, rules in remaining:
                used = [{a.variable for f in rule for a in f.axes} & set(actions) for rule in rules]
                own.append((value, [rule for rule, u in zip(rules, used, strict=True) if u == {action}]))
                others.append((value, [rule for rule, u in zip(rules, used, strict=True) if u != {action}]))
            present = [(value, rules) for value, rules in own if rules]
            if not present:
                continue
            found = self._rows(Outputs(tuple((k, rules) for k, (_, rules) in enumerate(present, 1)), default=0))
            if found is None:
                continue
            names = [self.builder.variables[v].name.split("_", 1)[-1] for v in (action, successor)]
            arrival = self.builder.variable("_".join(["arrival", *names]), len(present) + 1, "auxiliary")
            self.builder.define_rows(arrival, *found, "auxiliary")
            number = {value: k for k, (value, _) in enumerate(present, 1)}
            remaining = [
                (value, [*rules, [self.builder.one_of(arrival, [number[value]])]] if value in number else rules)
                for value, rules in others
            ]
        return remaining

    def _over(self, conditions: Sequence[Function], actions: list[int], terminal: int) -> Function:
        """A condition that holds exactly in terminal states: "this role does nothing" for a role that matters anyway, if any."""
        classes = dict.fromkeys(actions, 0)
        for axis in common_axes(self.builder.partitions, conditions):
            if axis.variable in classes:
                classes[axis.variable] = axis.size
        used = [action for action in actions if classes[action]]
        if not used:
            return self.builder.truth(terminal)
        action = min(used, key=lambda a: classes[a])
        return self.builder.one_of(action, [self.builder.variables[action].size - 1])

    def _define(self, variable: int, outputs: Outputs, kind: str) -> bool:
        """Tabulate a function with several values; False if its table would be too large."""
        found = self._rows(outputs)
        if found is not None:
            self.builder.define_rows(variable, *found, kind)
        return found is not None

    def _rows(self, outputs: Outputs) -> tuple[Sequence[Partition], Ints] | None:
        """Axes and rows of a function, or None if there would be too many."""
        axes = common_axes(self.builder.partitions, outputs.conditions())
        limit = min(DENSE_CELLS, self.builder.tuple_limit)
        if cells(axes) <= limit and len(axes) <= DENSE_COLUMNS:
            function = simplify(self.builder.partitions, axes, outputs.table(axes))
            return function.axes, self.builder.coverer.cover(function.table)
        rows = self.circuit.cases.rows(outputs, axes, max_rows=limit)
        return None if rows is None else (axes, rows)

    def _percepts(self) -> tuple[list[int], list[int]]:
        """For every percept a variable and the value that it has exactly if the role sees it."""
        game = self.game
        variables: list[int] = []
        values: list[int] = []
        for percept, role in enumerate(game.percept_role.tolist()):
            function = self.formulas.function(int(game.percept_literal[percept]))
            if len(function.axes) == 1:
                axis = function.axes[0]
                holds = np.flatnonzero(function.table[axis.labels])
                if len(holds) == 1:
                    variables.append(axis.variable)
                    values.append(int(holds[0]))
                    continue
            term = game.terms.term(int(game.percept_term[percept]))
            name = identifier("sees", [game.roles[role], *words_of(term)])
            variable = self.builder.variable(name, 2, "percept", f"1 = {game.roles[role]} sees {term}")
            self.builder.define(variable, function.axes, function.table.astype(np.int32), "percept")
            variables.append(variable)
            values.append(1)
        return variables, values

    def _instance(self, drafts: list[Draft], constraints: list[Table]) -> Instance:
        used = np.zeros(len(drafts), dtype=np.bool_)
        for table in constraints:
            used[table.scope] = True
        variables: list[Variable] = []
        for index, draft in enumerate(drafts):
            domain = np.arange(draft.size, dtype=np.int32) if draft.domain is None else np.array(draft.domain, dtype=np.int32)
            probabilities = None
            if draft.kind == "chance":
                moves = draft.size - 1
                probabilities = (*((Fraction(1, max(1, moves)),) * moves), Fraction(int(moves == 0)))
            variables.append(Variable(draft.name, domain, probabilities, classes=(draft.kind,), note=draft.note))
            if not used[index]:
                # Solvers drop variables that are in no constraint, and then count fewer solutions.
                constraints.append(Table(np.array([index], dtype=np.int32), domain[:, None].copy(), True, ("free",)))
        decisions = tuple(i for i, draft in enumerate(drafts) if draft.kind == "decision")
        return Instance(f"one turn of {self.game.source}", tuple(variables), tuple(constraints), decisions=decisions)

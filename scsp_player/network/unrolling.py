"""Several turns in a row as one network: the next state of each is the state of the one that follows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from scsp_player.gdl.terms import Term
from scsp_player.network.assembly import Assembly, Part
from scsp_player.network.micro_scsp import MicroSCSP, inject
from scsp_player.network.outcomes import Count, Mover, count_legal, draw_chance, draw_opponent, moves_of
from scsp_player.solver import Solver
from xcsp.model import Instance

Ints = NDArray[np.int32]
Words = NDArray[np.uint64]

REDUNDANT = "redundantConstraints"
"""The class that XCSP3 has for constraints that follow from others."""

COUNTING_SECONDS = 2.0
"""Time to find out how many outcomes chance can have at one stage; beyond it, propagation alone says what is possible."""


@dataclass(frozen=True, eq=False)
class Unrolled:
    """A network of several turns.

    Attributes:
        micro: the template.
        stages: number of turns m.
        instance: the network; its variables stand in the order of decision.
        variable: int32[m + 1, variables of the template], the variable that stands for a variable of the template at a stage;
            -1 where there is none. Stage m has only the state, whether it is terminal, and the scores.
    """

    micro: MicroSCSP
    stages: int
    instance: Instance
    variable: Ints

    def moves(self, values: Ints) -> list[tuple[Term | None, ...]]:
        """The joint moves in a solution over all variables (int32[variables]), until everybody does nothing."""
        micro, game = self.micro, self.micro.game
        played: list[tuple[Term | None, ...]] = []
        for chosen in values[self.variable[: self.stages, micro.action_variable]]:
            if (chosen == micro.none_value).all():
                break
            played.append(tuple(game.move(int(m)) for m in game.role_start[:-1] + chosen))
        return played


def unroll(
    micro: MicroSCSP,
    stages: int,
    *,
    state: Words | None = None,
    goal: tuple[int, int] | None = None,
    opponents: Sequence[int] = (),
    threshold: Fraction = Fraction(1),
    exclusive: NDArray[np.bool_] | None = None,
    histories: bool = False,
) -> Unrolled:
    """The network of ``stages`` turns in a row.

    A match that ends earlier stays as it is: in a terminal state nobody moves. Chance becomes stochastic: at every stage its
    outcomes are equally likely. So do opponents: with threshold 1 a solution policy reaches the goal whatever they do (and answers
    moves made at the same time without knowing them). Policies see every state; that players of some games do not, a constraint
    network cannot say.

    Args:
        micro: the template; its ``legality`` must tell of chance and ``opponents``.
        stages: number of turns, at least 0.
        state: the first state; any state if left out.
        goal: role and score; the state at the end must be terminal and bring the role this score.
        opponents: roles that are not decided but met.
        threshold: least probability of satisfaction.
        exclusive: pairs of fluents that are never true together, from ``exclusive_pairs``; they become redundant constraints on
            the last state.
        histories: leave chance free as well and keep the percepts, so that the solutions are the courses that the match can take
            with what everybody sees; for beliefs.

    Raises:
        NetworkTooLargeError: if chance or opponents need too large tables.
        ValueError: if the state cannot be reached, or the template does not tell what it must.
    """
    assembly = Assembly()
    variable, movers = _copies(assembly, micro, stages, opponents, histories)
    if state is not None:
        for x, value in zip(*inject(micro, state), strict=True):
            assembly.table([int(variable[0, x])], [value], "state")
    counts = [count_legal(assembly, mover) for mover, chance in movers if chance]
    sizes = _sizes(assembly, variable[:, micro.terminal_variable], movers, counts)
    counters = iter(zip(counts, sizes, strict=True))
    for mover, chance in movers:
        if chance:
            draw_chance(assembly, mover, *next(counters))
        else:
            draw_opponent(assembly, mover)
    if exclusive is not None:
        _exclude(assembly, micro, exclusive, variable[stages])
    note = ""
    if goal is not None:
        role, score = goal
        assembly.table([int(variable[stages, micro.terminal_variable])], [1], "goal")
        assembly.table([int(variable[stages, micro.score_variable[role]])], [score], "goal")
        note = f"{micro.game.roles[role]} reaches {score} within {stages} turns"
    instance, index = assembly.finish(f"{stages} turns of {micro.game.source}", threshold, note)
    return Unrolled(micro, stages, instance, np.where(variable >= 0, index[variable], -1).astype(np.int32))


def _copies(
    assembly: Assembly, micro: MicroSCSP, stages: int, opponents: Sequence[int], histories: bool
) -> tuple[Ints, list[tuple[Mover, bool]]]:
    """Variables and tables of all stages, and the roles whose moves are drawn, each with a flag "chance"."""
    game, template = micro.game, micro.instance
    drawn = [*opponents, *([game.random_role] if game.random_role >= 0 and not histories else [])]
    for role in drawn:
        if role not in micro.legality:
            raise ValueError(f"the template does not tell which moves of {game.roles[role]} are legal: see explicit_legality")
    relations = [t for t, outputs in enumerate(micro.defines) if not outputs and "free" not in template.constraints[t].classes]
    told = [v[v >= 0] for v, _ in (micro.legality[role] for role in drawn)]
    seen = [micro.percept_variable] if histories else []
    step = _cone(micro, np.concatenate([micro.next, [micro.terminal_variable], micro.action_variable, *told, *seen]), relations)
    last = _cone(micro, np.concatenate([micro.now, [micro.terminal_variable], micro.score_variable]), [])
    part = np.full(len(template.variables), Part.CONSEQUENCE)
    for role, action in enumerate(micro.action_variable.tolist()):
        if role not in drawn:
            part[action] = Part.DECISION
    variable = np.full((stages + 1, len(template.variables)), -1, dtype=np.int32)
    for stage in range(stages + 1):
        wanted, tables = step if stage < stages else last
        for x in np.flatnonzero(wanted).tolist():
            # The next state was made with the stage before; the one of the last stage does not exist.
            if variable[stage, x] >= 0:
                continue
            own = template.variables[x]
            following = np.flatnonzero(micro.next == x)
            if len(following):
                own = template.variables[int(micro.now[following[0]])]
            is_state = bool((micro.now == x).any())
            new = replace(
                own,
                name=f"{own.name}_at_{stage + bool(len(following))}",
                probabilities=None,
                classes=tuple("outcome" if c == "chance" else "state" if c == "next" else c for c in own.classes),
                note=own.note if stage == 0 and not len(following) else "",
            )
            variable[stage, x] = assembly.variable(new, stage, Part.STATE if is_state else Part(int(part[x])))
            if len(following):
                variable[stage + 1, micro.now[following]] = variable[stage, x]
        for table in tables:
            constraint = template.constraints[table]
            assembly.share(constraint, variable[stage, constraint.scope])
    movers = [
        (
            Mover(
                game.roles[role].replace("-", "_"),
                stage,
                int(variable[stage, micro.action_variable[role]]),
                int(micro.none_value[role]),
                moves_of(micro.legality[role], variable[stage]),
            ),
            role == game.random_role,
        )
        for stage in range(stages)
        for role in drawn
    ]
    return variable, movers


def _exclude(assembly: Assembly, micro: MicroSCSP, exclusive: NDArray[np.bool_], variable: Ints) -> None:
    """One table of conflicts for each two state variables with exclusive values."""
    left, right = np.nonzero(np.triu(exclusive))
    pairs = np.stack([variable[micro.fluent_variable[left]], variable[micro.fluent_variable[right]]], axis=1)
    values = np.stack([micro.fluent_value[left], micro.fluent_value[right]], axis=1)
    swapped = pairs[:, 0] > pairs[:, 1]
    pairs[swapped], values[swapped] = pairs[swapped][:, ::-1], values[swapped][:, ::-1]
    different = np.flatnonzero(pairs[:, 0] != pairs[:, 1])
    order = different[np.lexsort((values[different, 1], values[different, 0], pairs[different, 1], pairs[different, 0]))]
    if not len(order):
        return
    begins = np.flatnonzero(np.any(np.diff(pairs[order], axis=0, prepend=-1) != 0, axis=1))
    for part in np.split(order, begins[1:]):
        assembly.table(pairs[part[0]].tolist(), values[part], REDUNDANT, positive=False)


def _cone(micro: MicroSCSP, roots: Ints, relations: list[int]) -> tuple[NDArray[np.bool_], list[int]]:
    """The variables on which ``roots`` depend (bool[variables]) and the tables that say how; ``relations`` are tables to keep."""
    template = micro.instance
    definition: dict[int, list[int]] = {}
    for table, outputs in enumerate(micro.defines):
        for output in outputs:
            definition.setdefault(output, []).append(table)
    wanted = np.zeros(len(template.variables), dtype=np.bool_)
    kept = set(relations)
    stack = [int(x) for x in roots]
    for table in relations:
        stack.extend(template.constraints[table].scope.tolist())
    while stack:
        x = stack.pop()
        if wanted[x]:
            continue
        wanted[x] = True
        for table in definition.get(x, ()):
            if table not in kept:
                kept.add(table)
                stack.extend(template.constraints[table].scope.tolist())
    return wanted, sorted(kept)


def _sizes(
    assembly: Assembly, terminal: Ints, movers: list[tuple[Mover, bool]], counts: list[list[Count]]
) -> list[list[int]]:
    """For each stage of chance the numbers of legal outcomes that are possible before the end, 0 excepted."""
    if not counts:
        return []
    instance, index = assembly.finish("outcomes of chance")
    solver = Solver(instance)
    result: list[list[int]] = []
    for mover, count in zip([m for m, chance in movers if chance], counts, strict=True):
        total = count[-1]
        going_on = ([int(index[terminal[mover.stage]])], [0])
        if total.variable < 0:
            found = {0}
        else:
            variable = int(index[total.variable])
            answer = solver.solutions(going_on, project=[variable], seconds=COUNTING_SECONDS)
            found = set(answer.values[:, 0].tolist())
            if not answer.complete:
                domains = solver.propagate(going_on)
                found = set() if domains is None else set(domains[variable].tolist())
        result.append(sorted(n + total.offset for n in found if n + total.offset))
    return result

"""``scsp-player solve``: solutions of a constraint instance, or policies of a stochastic one."""

from __future__ import annotations

import sys
import time
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from scsp_player.commands.solve_output import Answer
    from xcsp import Instance

ENGINES = ("ct", "str2", "python-constraint")
ORDERINGS = ("adaptive", "dom/ddeg", "dom/wdeg", "dom", "lex")


def command(
    instance: Annotated[
        Path, typer.Argument(help="An XCSP3 document, plain or compressed (.lzma, .xz).", exists=True, dir_okay=False)
    ],
    engine: Annotated[
        str,
        typer.Option(
            help="ct (tables as bitsets, without compiled code for small instances), str2 (as rows), "
            "or the slow independent python-constraint."
        ),
    ] = "ct",
    ordering: Annotated[
        str | None,
        typer.Option(
            help="adaptive (for all solutions: dom/ddeg, where that leads nowhere dom/wdeg), dom/wdeg (for one, with restarts), "
            "dom/ddeg, dom or lex.",
            show_default=False,
        ),
    ] = None,
    all_solutions: Annotated[bool, typer.Option("--all", help="Print all solutions instead of one.")] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="Stop after so many solutions.")] = None,
    count: Annotated[
        bool,
        typer.Option("--count", help="Count solutions, all or up to --limit; print none. With --all find them one by one."),
    ] = False,
    time_limit: Annotated[float | None, typer.Option(min=0, help="Stop so many seconds after the start of reading.")] = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="For one solution: random order of values, the same for a seed.", show_default=False),
    ] = None,
    theta: Annotated[
        str | None,
        typer.Option(help="Solve the stochastic problem: first decisions from which a policy is satisfied with this probability."),
    ] = None,
    tree: Annotated[
        bool, typer.Option("--tree", help="With --theta: show the best policy after each decision, as a tree in JSON.")
    ] = False,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Solve an XCSP3 instance and print the result in the lines of the XCSP3 competitions.

    Chance variables are treated like others, unless a threshold is given. Exit status 1 if there is no solution.

    Example: `scsp-player solve instance.xml --all`, `scsp-player solve game.scsp.xml --theta 2/3 --all --tree`
    """
    if engine not in ENGINES:
        raise typer.BadParameter(f"{engine} is none of {', '.join(ENGINES)}")
    threshold = None if theta is None else _probability(theta)
    if threshold is not None and engine == "python-constraint":
        raise typer.BadParameter("python-constraint finds no policies; take another engine")
    if tree and (threshold is None or count):
        raise typer.BadParameter("--tree goes with --theta and without --count")
    if ordering is not None and ordering not in ORDERINGS:
        raise typer.BadParameter(f"{ordering} is none of {', '.join(ORDERINGS)}")
    from scsp_player.commands.solve_output import JsonAnswer, LineAnswer

    # Numbers of solutions may have more digits than Python shows by itself.
    sys.set_int_max_str_digits(0)
    began = time.perf_counter()
    from xcsp import read_instance

    problem = read_instance(instance)
    parsing = time.perf_counter() - began
    facts = {"instance": instance.name, "engine": engine, "parse_seconds": round(parsing, 6)}
    answer: Answer = JsonAnswer(problem, facts) if json_output else LineAnswer(problem)
    most = limit if all_solutions or count or limit is not None else 1
    left = None if time_limit is None else max(0.0, time_limit - parsing)
    if threshold is not None:
        _policies(answer, problem, engine, threshold, most, left, count, tree)
    elif engine == "python-constraint":
        _solutions(answer, problem, None, most, left, count)
    elif engine == "ct" and seed is None and _plainly(answer, problem, ordering, most, left, count, all_solutions):
        pass
    elif most == 1 and not count:
        _first(answer, problem, engine, ordering or "dom/wdeg", _until(began, time_limit), seed)
    else:
        most_left = _until(began, time_limit)
        _solutions(answer, problem, (engine, ordering or "adaptive"), most, most_left, count, all_solutions)
    answer.close()
    if answer.status == "UNSAT":
        raise typer.Exit(1)


def _probability(text: str) -> Fraction:
    try:
        threshold = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise typer.BadParameter(f"--theta {text} is no number; write it like 2/3 or 0.9") from None
    if not 0 <= threshold <= 1:
        raise typer.BadParameter(f"--theta {text} is no probability; it lies between 0 and 1")
    return threshold


def _until(began: float, time_limit: float | None) -> float | None:
    """Seconds that are left."""
    return None if time_limit is None else max(0.0, began + time_limit - time.perf_counter())


def _plainly(
    answer: Answer, problem: Instance, ordering: str | None, most: int | None, seconds: float | None, count: bool, one_by_one: bool
) -> bool:
    """Answers without compiled code; False, with nothing said, if that would take longer than to load it."""
    from scsp_player.solver import Count, PlainSolver, TooMuchWorkError

    first = most == 1 and not count
    began = time.perf_counter()
    try:
        known = None if ordering == "adaptive" else ordering
        solver = PlainSolver(problem, known or ("dom/wdeg" if first else "dom/ddeg"))
        setup = time.perf_counter() - began
        left = None if seconds is None else max(0.0, seconds - setup)
        cpu = time.process_time()
        ask = solver.count if count and not one_by_one else solver.solutions
        found = ask(limit=most, seconds=left)
        cpu = time.process_time() - cpu
    except TooMuchWorkError:
        return False
    answer.open(list(range(len(problem.variables))))
    if isinstance(found, Count):
        answer.add_count(found.number)
    elif count:
        answer.add_count(len(found))
    else:
        answer.add(found.values, None)
    effort: dict[str, int | None] = {"nodes": found.nodes, "fails": found.fails}
    answer.finish(found.complete, setup, found.seconds, effort, None if first else cpu)
    return True


def _first(answer: Answer, problem: Instance, engine: str, ordering: str, seconds: float | None, seed: int | None) -> None:
    """Finds one solution."""
    from scsp_player.solver import Solver

    began = time.perf_counter()
    solver = Solver(problem, ordering, engine=engine)
    setup = time.perf_counter() - began
    solutions = solver.first(seconds=None if seconds is None else max(0.0, seconds - setup), seed=seed)
    answer.open(list(range(len(problem.variables))))
    answer.add(solutions.values, None)
    effort: dict[str, int | None] = {"nodes": solutions.nodes, "fails": solutions.fails}
    answer.finish(solutions.complete, setup, solutions.seconds, effort)


def _solutions(
    answer: Answer,
    problem: Instance,
    engine: tuple[str, str] | None,
    most: int | None,
    seconds: float | None,
    count: bool,
    one_by_one: bool = True,
) -> None:
    """Streams the solutions of a plain problem into ``answer``, found by an engine with an ordering or by python-constraint."""
    from scsp_player.solver import ReferenceSolver, Solver

    began = time.perf_counter()
    solver = Solver(problem, engine[1], engine=engine[0]) if engine else ReferenceSolver(problem)
    setup = time.perf_counter() - began
    left = None if seconds is None else max(0.0, seconds - setup)
    enumeration = solver.stream(limit=most, seconds=left)
    answer.open(list(range(len(problem.variables))))
    cpu = time.process_time()
    if count and one_by_one:
        answer.add_count(sum(map(len, enumeration)))
    elif count:
        answer.add_count(enumeration.count())
    else:
        for block in enumeration:
            answer.add(block, None)
    cpu = time.process_time() - cpu
    effort = {"nodes": enumeration.nodes if engine else None, "fails": enumeration.fails if engine else None}
    answer.finish(enumeration.complete, setup, enumeration.seconds, effort, cpu)


def _policies(
    answer: Answer,
    problem: Instance,
    engine: str,
    threshold: Fraction,
    most: int | None,
    seconds: float | None,
    count: bool,
    tree: bool,
) -> None:
    """Finds the solution policies of a stochastic problem."""
    from scsp_player.solver import Solver, best_policy, sfc

    began = time.perf_counter()
    solver = Solver(problem, engine=engine)
    setup = time.perf_counter() - began
    left = None if seconds is None else max(0.0, seconds - setup)
    policies = sfc.solution_policies(solver, threshold=threshold, limit=most, seconds=left)
    answer.open(policies.variables.tolist(), threshold)
    if count:
        answer.add_count(len(policies))
    else:
        told = [best_policy(solver, (policies.variables, row)) for row in policies.values] if tree else []
        answer.add(policies.values, policies.satisfaction, [policy.as_json(problem) for policy in told])
    answer.finish(policies.complete, setup, policies.seconds, {"nodes": policies.nodes})

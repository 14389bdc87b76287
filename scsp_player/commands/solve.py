"""``scsp-player solve``: solutions of a constraint instance, or policies of a stochastic one."""

from __future__ import annotations

import time
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from scsp_player.commands.solve_output import Answer
    from xcsp import Instance

ENGINES = ("str2", "python-constraint")


def command(
    instance: Annotated[
        Path, typer.Argument(help="An XCSP3 document, plain or compressed (.lzma, .xz).", exists=True, dir_okay=False)
    ],
    engine: Annotated[str, typer.Option(help="str2, or the slow independent python-constraint.")] = "str2",
    all_solutions: Annotated[bool, typer.Option("--all", help="Print all solutions instead of one.")] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="Stop after so many solutions.")] = None,
    count: Annotated[bool, typer.Option("--count", help="Count solutions, all or up to --limit; print none.")] = False,
    time_limit: Annotated[float | None, typer.Option(min=0, help="Stop the search after so many seconds.")] = None,
    theta: Annotated[
        str | None,
        typer.Option(help="Solve the stochastic problem: first decisions from which a policy is satisfied with this probability."),
    ] = None,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Solve an XCSP3 instance and print the result in the lines of the XCSP3 competitions.

    Chance variables are treated like others, unless a threshold is given. Exit status 1 if there is no solution.

    Example: `scsp-player solve instance.xml --all`, `scsp-player solve game.scsp.xml --theta 2/3 --all`
    """
    if engine not in ENGINES:
        raise typer.BadParameter(f"{engine} is none of {', '.join(ENGINES)}")
    threshold = None if theta is None else _probability(theta)
    if threshold is not None and engine != "str2":
        raise typer.BadParameter("policies are found by the engine str2 only")
    from scsp_player.commands.solve_output import JsonAnswer, LineAnswer

    began = time.perf_counter()
    from xcsp import read_instance

    problem = read_instance(instance)
    facts = {"instance": instance.name, "engine": engine, "parse_seconds": round(time.perf_counter() - began, 6)}
    answer: Answer = JsonAnswer(problem, facts) if json_output else LineAnswer(problem)
    most = limit if all_solutions or count or limit is not None else 1
    if threshold is not None:
        _policies(answer, problem, threshold, most, time_limit, count)
    else:
        _solutions(answer, problem, engine, most, time_limit, count)
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


def _solutions(answer: Answer, problem: Instance, engine: str, most: int | None, seconds: float | None, count: bool) -> None:
    """Streams the solutions of a plain problem into ``answer``."""
    from scsp_player.solver import ReferenceSolver, Solver

    began = time.perf_counter()
    solver = Solver(problem) if engine == "str2" else ReferenceSolver(problem)
    left = None if seconds is None else max(0.0, seconds - (time.perf_counter() - began))
    setup = time.perf_counter() - began
    enumeration = solver.stream(limit=most, seconds=left)
    answer.open(list(range(len(problem.variables))))
    if count:
        answer.add_count(enumeration.count())
    else:
        for block in enumeration:
            answer.add(block, None)
    counted = engine == "str2"
    effort = {"nodes": enumeration.nodes if counted else None, "fails": enumeration.fails if counted else None}
    answer.finish(enumeration.complete, setup, enumeration.seconds, effort)


def _policies(answer: Answer, problem: Instance, threshold: Fraction, most: int | None, seconds: float | None, count: bool) -> None:
    """Finds the solution policies of a stochastic problem."""
    from scsp_player.solver import Solver, sfc

    began = time.perf_counter()
    solver = Solver(problem)
    setup = time.perf_counter() - began
    policies = sfc.solution_policies(solver, threshold=threshold, limit=most, seconds=seconds)
    answer.open(policies.variables.tolist(), threshold)
    if count:
        answer.add_count(len(policies))
    else:
        answer.add(policies.values, policies.satisfaction)
    answer.finish(policies.complete, setup, policies.seconds, {"nodes": policies.nodes})

"""Makes a set of constraint instances from rule sheets, for solvers to be compared on.

    python -m benchmarks.instances OUT games ../shared/games --seed 1 --seconds 60

Of each sheet:

* ``template``: one turn in any state. Few solvers will count it, any should find a solution.
* ``state-N``: one turn in a state that random play reaches after N moves; the solutions are the legal joint moves.
* ``plays-M``: M turns from the initial state; the solutions are the plays, and their number grows as in a game tree.
* ``goal-M`` (two of them): a play of M turns that brings the first role its best score; the longest M without solutions, and the
  shortest with solutions or with a search too long to tell. In games with several roles all help.

The documents are plain CSPs (for chance see docs/translation.md), the same for the same seed. ``features.csv`` tells the size of
each, and with ``--count-seconds`` the number of solutions and the decisions of our search for them.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Annotated
from zlib import crc32

import numpy as np
import typer
from rich.console import Console

from scsp_player.commands.bench_ground import sheets_in
from scsp_player.commands.limited_tasks import Limits, Stopped, collect_limited
from scsp_player.gdl import GdlError, load_program
from scsp_player.grounding import BudgetExceeded, ground
from scsp_player.grounding.ground_game import GroundGame
from scsp_player.network import MicroSCSP, injected_instance, template, unroll
from scsp_player.network.evaluation import Evaluator, random_walk
from scsp_player.solver import Solver
from xcsp import Instance, write_instance

STATES = 3
"""States of each sheet."""

DEEPEST = 60
"""Random matches that lead to states have at most that many moves; half as many, again and again, if they are over before."""

PLAYS = (2, 4, 8)
"""Turns in a row without a goal."""

HORIZONS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
"""Turns in a row with a goal: the last without and the first with solutions become instances."""

GOAL_NODES = 20_000
"""Decisions that the search for the first such horizon may take at each; beyond, the instance counts as hard and is the last."""

SLICE_SECONDS = 0.01
"""The search is looked at that often."""

MAX_ENTRIES = 20_000_000
"""Instances with more table entries are left out."""

COMPRESSED = 2_000_000
"""Instances with more entries are compressed."""


@dataclass
class Features:
    """A row of ``features.csv``.

    Attributes:
        instance: file name; sheet, kind: where it comes from.
        variables, constraints, tuples, entries: size (entries: tuples times arity).
        domain, arity, table: the largest of each.
        starred: whether a table is short; conflicts: whether one lists conflicts.
        solutions: their number, empty if it was not counted in time; nodes: decisions that it took.
    """

    instance: str
    sheet: str
    kind: str
    variables: int
    constraints: int
    tuples: int
    entries: int
    domain: int
    arity: int
    table: int
    starred: bool
    conflicts: bool
    solutions: int | str = ""
    nodes: int | str = ""


def features(name: str, sheet: str, kind: str, instance: Instance) -> Features:
    tables = instance.constraints
    star = np.iinfo(np.int32).min
    return Features(
        instance=name,
        sheet=sheet,
        kind=kind,
        variables=len(instance.variables),
        constraints=len(tables),
        tuples=sum(len(t.tuples) for t in tables),
        entries=sum(t.tuples.size for t in tables),
        domain=max(len(v.domain) for v in instance.variables),
        arity=max(len(t.scope) for t in tables),
        table=max(len(t.tuples) for t in tables),
        starred=any(bool((t.tuples == star).any()) for t in tables),
        conflicts=any(not t.positive for t in tables),
    )


def kinds(game: GroundGame, seed: int) -> Iterator[tuple[str, Instance]]:
    """The instances of a game with what they are."""
    chance = [game.random_role] if game.random_role >= 0 else []
    micro = template(game, explicit_legality=chance)
    yield "template", micro.instance
    generator = np.random.default_rng([seed, crc32(game.source.split("/")[-1].encode())])
    lanes = Evaluator(game)
    seen: set[int] = set()
    walks = generator.integers([[DEEPEST], [1 << 31]], size=(2, STATES))
    for depth, walk in walks.T.tolist():
        lanes.load(random_walk(game, depth, walk))
        while depth and lanes.terminal():
            depth //= 2
            lanes.load(random_walk(game, depth, walk))
        if depth not in seen:
            seen.add(depth)
            yield f"state-{depth}", injected_instance(micro, random_walk(game, depth, walk))
    entries = sum(table.tuples.size for table in micro.instance.constraints)
    for turns in PLAYS:
        if turns * entries <= MAX_ENTRIES:
            yield f"plays-{turns}", unroll(micro, turns, state=game.initial_state).instance
    yield from goals(micro, entries)


def goals(micro: MicroSCSP, entries: int) -> Iterator[tuple[str, Instance]]:
    """The goal instances around the first horizon with solutions."""
    role = next(r for r in range(len(micro.game.roles)) if r != micro.game.random_role)
    score = int(micro.instance.variables[int(micro.score_variable[role])].domain[-1])
    last: tuple[str, Instance] | None = None
    for turns in HORIZONS:
        if turns * entries > MAX_ENTRIES:
            break
        network = unroll(micro, turns, state=micro.game.initial_state, goal=(role, score))
        found, settled = first_solution(network.instance)
        if found or not settled:
            if last is not None:
                yield last
            yield f"goal-{turns}", network.instance
            return
        last = (f"goal-{turns}", network.instance)
    if last is not None:
        yield last


def first_solution(instance: Instance) -> tuple[bool, bool]:
    """Whether there is a solution, as far as known within ``GOAL_NODES`` decisions, and whether that is settled."""
    search = Solver(instance).stream(limit=1, seconds=SLICE_SECONDS)
    while not search.complete and search.nodes <= GOAL_NODES:
        # How many decisions come before a solution does not depend on how long the slices are.
        if any(True for _ in search):
            return search.nodes <= GOAL_NODES, search.nodes <= GOAL_NODES
    return False, search.nodes <= GOAL_NODES


def make(sheet: Path, folder: Path, seed: int, count_seconds: float) -> list[Features]:
    """Write the instances of one sheet."""
    rows: list[Features] = []
    try:
        game = ground(load_program(sheet), seconds=600.0)
        for kind, instance in kinds(game, seed):
            row = features("", sheet.stem, kind, instance)
            if row.entries > MAX_ENTRIES:
                continue
            row.instance = f"{sheet.stem}.{kind}.xml" + (".lzma" if row.entries > COMPRESSED else "")
            write_instance(instance, folder / row.instance, stochastic=False)
            if count_seconds:
                count = Solver(instance).count(seconds=count_seconds)
                row.solutions, row.nodes = count.number if count.complete else "", count.nodes
            rows.append(row)
    except (GdlError, BudgetExceeded) as error:
        Console(stderr=True).print(f"{sheet.name}: {error}", markup=False)
    return rows


def main(
    out: Annotated[Path, typer.Argument(help="Folder to write into.")],
    paths: Annotated[list[Path], typer.Argument(help="Rule sheets, or folders of them.")],
    seed: Annotated[int, typer.Option(help="Of the random matches.", min=0)] = 1,
    seconds: Annotated[float, typer.Option(help="CPU seconds for each sheet; what is not written by then is left out.")] = 120.0,
    memory: Annotated[int, typer.Option(help="MiB for each sheet.", min=256)] = 4096,
    count_seconds: Annotated[float, typer.Option(help="Seconds for counting the solutions of each; 0: do not count.")] = 0.0,
    processes: Annotated[int, typer.Option(help="Sheets at work at once.", min=1)] = 1,
) -> None:
    """Write instances and ``features.csv`` to OUT."""
    out.mkdir(parents=True, exist_ok=True)
    sheets = list(sheets_in(paths))
    tasks = [(sheet, out, seed, count_seconds) for sheet in sheets]
    results = collect_limited("translating", make, tasks, Limits(seconds, memory << 20), processes=processes)
    rows: list[Features] = []
    for sheet, result in zip(sheets, results, strict=True):
        if isinstance(result, Stopped):
            Console(stderr=True).print(f"{sheet.name}: {result.text}", markup=False)
        else:
            rows += result
    with (out / "features.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Features)])
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)
    print(f"{len(rows)} instances of {len({row.sheet for row in rows})} sheets in {out}")


if __name__ == "__main__":
    typer.run(main)

"""Every way to ask the propositional network, against the recorded answers of independent engines.

Each trace is replayed state by state (*one*), with all its states side by side in lanes (*lanes*), and state by state on the
simplified circuit (*simplified*); and random playouts of the simplified circuit are compared with those of the first one, move for
move (*playouts*). Example: ``python -m benchmarks.traces ../shared/traces --seconds 30 --journal traces.jsonl``. The journal holds
every result; a run that was interrupted goes on where it ended.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from scsp_player.arena.conform import conform, read_trace, sheet_of
from scsp_player.commands.limited_tasks import Limits, Stopped, run_limited
from scsp_player.gdl import GdlError, load_program, parse_term
from scsp_player.grounding import BudgetExceeded, GroundGame, ground
from scsp_player.propnet import Propnet, PropnetMachine
from scsp_player.propnet.simplify import simplify

PLAYOUTS, DEPTH = 128, 300
"""Random playouts of a game, and their longest length."""


@dataclass
class Outcome:
    """What came out of one trace.

    Attributes:
        trace: its file name.
        states: how many states it has.
        agree: way of asking to whether all answers were right; ways that time did not allow are missing.
        note: what was wrong, or why something is missing.
    """

    trace: str
    states: int = 0
    agree: dict[str, bool] = field(default_factory=dict)
    note: str = ""


def check(path: Path, seconds: float, improve: float) -> Outcome:
    """Replay one trace in every way; runs in a worker process."""
    end = time.process_time() + seconds
    outcome = Outcome(path.name)
    try:
        trace = read_trace(path)
        game = ground(load_program(sheet_of(path, trace)), seconds=seconds / 2)
        net = Propnet(game)
    except (GdlError, BudgetExceeded, ValueError, MemoryError) as error:
        outcome.note = f"{type(error).__name__}: {error}"
        return outcome
    outcome.states = len(trace["states"])
    _replay(outcome, "one", path, _machine(game, net), end)
    if time.process_time() < end:
        outcome.agree["lanes"] = _lanes_agree(game, net, trace["states"])
    if time.process_time() < end - improve:
        circuit = simplify(net.circuit, game, seconds=improve)
        _replay(outcome, "simplified", path, _machine(game, Propnet(game, split=False, circuit=circuit)), end)
        before = net.playouts(game.initial_state[None], playouts_per_state=PLAYOUTS, max_depth=DEPTH)
        net.use(circuit, same_draws=True)
        after = net.playouts(game.initial_state[None], playouts_per_state=PLAYOUTS, max_depth=DEPTH)
        outcome.agree["playouts"] = all(
            np.array_equal(getattr(before, name), getattr(after, name)) for name in ("goal_count", "finished", "truncated", "plies")
        )
    return outcome


def _machine(game: GroundGame, net: Propnet) -> PropnetMachine:
    machine = PropnetMachine(game)
    machine.net = net
    return machine


def _replay(outcome: Outcome, way: str, path: Path, machine: PropnetMachine, end: float) -> None:
    found = conform(path, way, lambda _: machine, seconds=end - time.process_time())
    if found.mismatches:
        outcome.note = str(found.mismatches[0])
    if found.skipped:
        outcome.note = outcome.note or f"{way}: {found.skipped}"
    else:
        outcome.agree[way] = not found.mismatches


def _lanes_agree(game: GroundGame, net: Propnet, records: list[dict[str, Any]]) -> bool:
    """Whether all states side by side get the recorded answers."""
    states = np.stack([game.state_of(parse_term(text) for text in record["fluents"]) for record in records])
    over, legal, scores = net.evaluate(states)
    right = over.tolist() == [record["terminal"] for record in records]
    moving = [i for i, record in enumerate(records) if record.get("move") is not None and record.get("next") is not None]
    for i, record in enumerate(records):
        if record.get("goals") is not None:
            right &= scores[i].tolist() == [goal or 0 for goal in record["goals"]]
        if record.get("legal") is not None:
            expected = [game.move_index[r][parse_term(m)] for r, moves in enumerate(record["legal"]) for m in moves]
            right &= np.flatnonzero(legal[i]).tolist() == sorted(expected)
    if moving:
        joint = [[game.move_index[r][parse_term(m)] for r, m in enumerate(records[i]["move"])] for i in moving]
        following = net.successors(states[moving], np.array(joint, np.int32))
        right &= np.array_equal(following, states[[records[i]["next"] for i in moving]])
    return bool(right)


def main(
    folders: Annotated[list[Path], typer.Argument(help="Traces, or folders of them.", exists=True)],
    seconds: Annotated[float, typer.Option(help="Processor seconds for each trace.")] = 60.0,
    improve: Annotated[float, typer.Option(help="Seconds of them for simplifying.")] = 5.0,
    jobs: Annotated[int, typer.Option(help="Traces at a time.")] = 1,
    journal: Annotated[Path | None, typer.Option(help="Write results here, and go on from what is there.", dir_okay=False)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Counts the traces that agree in each way; exit status 1 if one does not."""
    files = [f for folder in folders for f in (sorted(folder.glob("*.json*")) if folder.is_dir() else [folder])]
    known = journal.read_text(encoding="utf-8").splitlines() if journal is not None and journal.exists() else []
    found = {outcome.trace: outcome for outcome in (Outcome(**json.loads(line)) for line in known)}
    waiting = [file for file in files if file.name not in found]
    tasks = [(file, seconds, improve) for file in waiting]
    for index, result in run_limited(check, tasks, Limits(3 * seconds), processes=jobs):
        outcome = Outcome(waiting[index].name, note=result.text) if isinstance(result, Stopped) else result
        found[outcome.trace] = outcome
        if journal is not None:
            with journal.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(outcome)) + "\n")
        if outcome.note or not all(outcome.agree.values()):
            print(f"{outcome.trace}: {outcome.agree} {outcome.note}", file=sys.stderr, flush=True)
    outcomes = [found[file.name] for file in files]
    ways = ("one", "lanes", "simplified", "playouts")
    counts = {way: [sum(o.agree.get(way) is said for o in outcomes) for said in (True, False, None)] for way in ways}
    if as_json:
        print(json.dumps({"counts": counts, "outcomes": [asdict(outcome) for outcome in outcomes]}))
    else:
        for way, (right, wrong, missing) in counts.items():
            print(f"{way}: {right} agree, {wrong} differ, {missing} left out")
        print(f"{sum(o.states for o in outcomes)} states")
    raise typer.Exit(int(any(wrong for _, wrong, _ in counts.values())))


if __name__ == "__main__":
    typer.run(main)

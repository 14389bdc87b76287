"""How many games with one player our search solves, and how soon.

    python -m benchmarks.puzzles ../shared/games --seconds 20

For each sheet with one role and no chance: processor seconds of grounding and building the circuit, then of search (which stops as
soon as its line is certain to be the best), the score found and the highest one that is not refuted, the moves of the line, and
whether it is certain that nothing better can be reached.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from scsp_player.gdl import GdlError, load_program
from scsp_player.grounding import BudgetExceeded, ground
from scsp_player.propnet import Propnet
from scsp_player.search.puzzle import PuzzleSearch


def attempt(sheet: Path, seconds: float, grounding_seconds: float) -> tuple[str, bool] | None:
    """A line of the table, and whether the best score is certain; None if this is no game with one player."""
    try:
        program = load_program(sheet)
        if len(program.roles) != 1:
            return None
        begin = time.process_time()
        game = ground(program, seconds=grounding_seconds, clock=time.process_time)
        propnet = Propnet(game)
    except (GdlError, BudgetExceeded) as error:
        return f"| {sheet.stem} | – | – | – | – | {error} |", False
    ready = time.process_time()
    search = PuzzleSearch(game, propnet, clock=time.process_time)
    search.think(ready + seconds)
    spent, line = time.process_time() - ready, search.line
    cells = (
        sheet.stem,
        f"{ready - begin:.1f}",
        f"{spent:.1f}",
        f"{line.score:g} of {line.possible:g}",
        str(len(line.moves)),
        "best" if line.certain else "open",
    )
    return f"| {' | '.join(cells)} |", line.certain


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", type=Path, nargs="+", help="rule sheets, or folders of them")
    parser.add_argument("--seconds", type=float, default=20.0, help="processor time of the search of a sheet")
    parser.add_argument("--grounding-seconds", type=float, default=60.0, help="processor time of grounding")
    options = parser.parse_args()
    sheets = [s for path in options.games for s in (sorted(path.glob("*.kif")) if path.is_dir() else [path])]
    print("| sheet | set-up, s | search, s | score | moves | |\n|---|---|---|---|---|---|")
    certain = []
    for sheet in sheets:
        found = attempt(sheet, options.seconds, options.grounding_seconds)
        if found is not None:
            print(found[0], flush=True)
            certain.append(found[1])
    print(f"\nbest score certain: {sum(certain)} of {len(certain)}")


if __name__ == "__main__":
    main()

"""Sizes of circuits before and after simplification, as a table in Markdown.

Example: ``python -m benchmarks.circuits ../shared/games/breakthrough_v0.kif games/connect-four.kif --seconds 100``
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from scsp_player.gdl import load_program
from scsp_player.grounding import ground
from scsp_player.propnet.circuit import build_circuit
from scsp_player.propnet.simplify import simplify


def main(
    sheets: Annotated[list[Path], typer.Argument(help="Rule sheets.", exists=True)],
    seconds: Annotated[float, typer.Option(help="Processor seconds that simplification may take.")] = 100.0,
) -> None:
    """Prints gates / literals of the circuit, what is left of it, and the processor seconds that this took."""
    print("| game | ground rules | circuit | CPU s | simplified | CPU s |\n|---|---|---|---|---|---|")
    for sheet in sheets:
        game = ground(load_program(sheet))
        begin = time.thread_time()
        circuit = build_circuit(game)
        built = time.thread_time()
        smaller = simplify(circuit, game, seconds=seconds)
        done = time.thread_time()
        sizes = [f"{c.gates:,} / {c.literals:,}" for c in (circuit, smaller)]
        print(f"| {sheet.stem} | {game.rules:,} | {sizes[0]} | {built - begin:.1f} | {sizes[1]} | {done - built:.1f} |", flush=True)


if __name__ == "__main__":
    typer.run(main)

"""``scsp-player bench``: measure the parts of the player."""

from __future__ import annotations

import typer

from scsp_player.commands import bench_ground, bench_rollouts, bench_search, bench_solve

app = typer.Typer(help="Measure grounding, playouts and solvers; report CPU time and rates.", no_args_is_help=True)
app.command("ground")(bench_ground.ground)
app.command("rollouts")(bench_rollouts.rollouts)
app.command("solve")(bench_solve.solve)
app.command("search")(bench_search.search)

"""``scsp-player bench``: measure the parts of the player."""

from __future__ import annotations

import typer

from scsp_player.commands import bench_ground, bench_rollouts

app = typer.Typer(help="Measure grounding and playouts; report CPU time and rates.", no_args_is_help=True)
app.command("ground")(bench_ground.ground)
app.command("rollouts")(bench_rollouts.rollouts)

"""``scsp-player agents``: which agents there are."""

from __future__ import annotations

import json
from typing import Annotated

import typer


def command(json_output: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False) -> None:
    """List the agents that `serve` and `match` know.

    Example: `scsp-player agents`
    """
    from scsp_player.agents.registry import AGENTS

    if json_output:
        print(json.dumps({"agents": [{"name": kind.name, "description": kind.description} for kind in AGENTS.values()]}))
        return
    width = max(map(len, AGENTS))
    for kind in AGENTS.values():
        print(f"{kind.name:{width}}  {kind.description}")

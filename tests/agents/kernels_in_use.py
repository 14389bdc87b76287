"""Prints how many compiled variants of kernels an agent has, prepared, and those that matches of some games have added.

    python kernels_in_use.py AGENT SHEET…
"""

import sys
from pathlib import Path

from numba.core.dispatcher import Dispatcher

from scsp_player.agents.registry import agent_kind
from scsp_player.arena.contest import Terms, play_match
from scsp_player.arena.sheet import read_game
from scsp_player.grounding import ground
from scsp_player.propnet import PropnetMachine


def variants() -> dict[str, int]:
    """Number of compiled variants of each kernel of ours that is imported."""
    modules = [module for name, module in list(sys.modules.items()) if name.startswith("scsp_player")]
    kernels = {id(kernel): kernel for module in modules for kernel in vars(module).values() if isinstance(kernel, Dispatcher)}
    return {f"{k.py_func.__module__}.{k.py_func.__name__}": len(k.signatures) for k in kernels.values()}


def main(agent: str, paths: list[str]) -> None:
    """Play a match of each game, all roles by the agent."""
    agent_kind(agent).load()
    before = variants()
    print(sum(before.values()))
    for path in paths:
        sheet = read_game(Path(path))
        machine = PropnetMachine(ground(sheet.program))
        play_match(sheet, machine, dict.fromkeys(sheet.seats, agent), Terms(start=0.5, play=0.02, turn_limit=2), seed=1)
        after = variants()
        print(*(name for name, count in after.items() if count > before.get(name, 0)))
        before |= after


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])

"""What a short command loads: a process of its own each, since everything is loaded in the tests' own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from scsp_player.cli import COMMANDS, build
from tests.solver.networks import random_ternary, table, variable
from xcsp import Instance, write_instance

_PROGRAM = """
import sys
from scsp_player.cli import main
try:
    main()
finally:
    loaded = {name.partition(".")[0] for name in sys.modules}
    print("loaded", *sorted(loaded & {"numba", "llvmlite", "numpy", "lark", "rich", "constraint"}))
    print("commands", *sorted(name for name in sys.modules if name.startswith("scsp_player.commands.")))
"""


def loaded(*arguments: object) -> tuple[set[str], set[str], list[str]]:
    """The heavy packages and the modules of commands that a command line loads, and what it prints."""
    run = subprocess.run([sys.executable, "-c", _PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=True)
    *answer, packages, commands = run.stdout.splitlines()
    return set(packages.split()[1:]), {name.rpartition(".")[2] for name in commands.split()[1:]}, answer


@pytest.mark.parametrize("options", [["--all"], ["--count", "--json"], []])
def test_a_small_instance_is_solved_without_the_compiler(tmp_path: Path, options: list[str]) -> None:
    rows = [(0, 1), (1, 2), (2, 0)]
    instance = Instance("small", tuple(variable(name, range(3)) for name in "xyz"), (table([0, 1], rows), table([1, 2], rows)))
    write_instance(instance, tmp_path / "small.xml")
    packages, commands, answer = loaded("solve", tmp_path / "small.xml", *options)
    assert "SAT" in answer[0]
    assert packages == {"numpy"}
    assert commands == {"solve", "solve_output"}


def test_a_large_one_is_left_to_the_compiled_engine(tmp_path: Path) -> None:
    write_instance(random_ternary(), tmp_path / "large.xml")
    packages, _, answer = loaded("solve", tmp_path / "large.xml", "--count")
    assert "numba" in packages
    assert answer[:2] == ["s SATISFIABLE", "d FOUND SOLUTIONS 592694"]


def test_a_list_of_agents_needs_no_other_command() -> None:
    _, commands, _ = loaded("agents")
    assert commands == {"agents"}


def test_all_commands_are_there_unless_one_is_asked_for() -> None:
    assert len(build().registered_commands) + len(build().registered_groups) == len(COMMANDS)
    assert [command.name for command in build("check").registered_commands] == ["check"]
    assert len(build("no such command").registered_commands) == len(COMMANDS) - 1

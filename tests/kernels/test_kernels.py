"""Kernels compiled here do what the same functions do in Python; and a process without compiled code finds the same moves."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from scsp_player.kernels import VARIABLE, helper, inlined, is_kept, kernel, plain, stamps

ROOT = Path(__file__).resolve().parents[2]
PAIR = np.dtype([("item", np.int32), ("weight", np.int64)], align=True)


def build(declare):
    @declare.inlined
    def twice(x):
        return 2 * x

    @declare.helper
    def weigh(pair, x):
        pair.weight += twice(x)
        return pair.item

    def total(pairs, numbers, sums):
        result = 0
        for i in range(len(numbers)):
            result += weigh(pairs[i % len(pairs)], numbers[i]) * numbers[i]
            sums[i] = result
        return result

    return total


class Compiled:
    inlined, helper = staticmethod(inlined), staticmethod(helper)


@pytest.mark.parametrize("declare", [Compiled, plain])
def test_a_kernel_with_helpers(declare):
    # Functions made here have no file of their own for their code.
    total = build(declare)
    run = plain.kernel(total) if declare is plain else kernel(total)
    pairs = np.array([(3, 0), (5, 0)], PAIR)
    numbers, sums = np.array([1, 2, 3], np.int32), np.zeros(3, np.int64)
    assert run(pairs, numbers, sums) == 3 * 1 + 5 * 2 + 3 * 3
    assert sums.tolist() == [3, 13, 22]
    assert pairs["weight"].tolist() == [8, 4]


def test_a_kernel_may_allocate():
    @kernel(allocates=True)
    def smallest_of_squares(numbers):
        squares = np.empty(len(numbers), np.int64)
        for i in range(len(numbers)):
            squares[i] = numbers[i] * numbers[i]
        return squares.min()

    assert smallest_of_squares(np.array([3, -2, 5])) == 4


MOVES = """
import sys
from scsp_player.arena.sheet import read_game
from scsp_player.grounding import Reasoner
from pathlib import Path
for name in sys.argv[1:]:
    machine = Reasoner(read_game(Path(name)).program)
    state = machine.initial_state()
    for turn in range(4):
        if machine.is_terminal(state):
            break
        moves = machine.legal_moves(state)
        state = machine.successor(state, [m[turn % len(m)] for m in moves])
        print(*map(str, moves), *sorted(map(str, machine.fluents(state))), machine.goals(state))
print("numba" in sys.modules)
"""


def test_the_same_moves_without_compiled_code():
    games = [str(ROOT / "games" / f"{name}.kif") for name in ("tic-tac-toe", "connect-four", "light-trails", "kuhn-poker")]

    def output(**environment: str) -> list[str]:
        command = [sys.executable, "-c", MOVES, *games]
        result = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True, env={**os.environ, **environment})
        return result.stdout.splitlines()

    *plainly, loaded = output(**{VARIABLE: "plain"})
    *compiled, _ = output()
    assert loaded == "False"
    assert plainly == compiled
    assert len(plainly) > 10


HELPED = """
import sys
import numpy as np
from tests.kernels.test_kernels import build, Compiled, PAIR
from scsp_player.kernels import declaration, kernel

run = kernel(build(Compiled))
pairs, sums = np.array([(3, 0), (5, 0)], PAIR), np.zeros(3, np.int64)
print(declaration.SHORT, run(pairs, np.array([1, 2, 3], np.int32), sums), sums.tolist(), pairs["weight"].tolist())
"""


def test_other_versions_of_numba_compile_in_their_own_way():
    environment = {**os.environ, VARIABLE: "ordinary"}
    command = [sys.executable, "-c", HELPED]
    result = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True, env=environment)
    assert result.stdout.split(maxsplit=1) == ["False", "22 [3, 13, 22] [8, 4]\n"]


def test_machine_code_is_for_the_present_text_of_all_that_a_kernel_is_made_of(tmp_path, monkeypatch):
    package = tmp_path / "scsp_player" / "part"
    package.mkdir(parents=True)
    upper, lower = package / "upper_kernels.py", package / "lower_kernels.py"
    upper.write_text("from scsp_player.part.lower_kernels import helper\n")
    lower.write_text("# from scsp_player.part.upper_kernels import kernel\n")
    monkeypatch.setattr(stamps, "_PACKAGE", package.parent)

    def digest() -> str:
        stamps.digest.cache_clear()
        return stamps.digest(str(upper))

    first = digest()
    assert digest() == first
    lower.write_text("# something else\n")
    assert digest() != first
    stamps.digest.cache_clear()


def test_what_is_kept_of_another_text_is_not_used():
    from scsp_player.grounding import join_kernels

    file = join_kernels.run._cache._cache_file
    assert file._source_stamp[1] == stamps.digest(join_kernels.__file__)
    assert is_kept(join_kernels.run) == bool(file._load_index())
    file._source_stamp, now = (file._source_stamp[0], "another text"), file._source_stamp
    assert not is_kept(join_kernels.run)
    file._source_stamp = now

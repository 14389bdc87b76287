"""The engines that tests run one body against, by name.

``ENGINES`` maps a name to a function from rule text (either notation) to a ``StateMachine``. The three engines of the package come
first; the oracles after them share as little code with the package as possible. Use ``machine(engine, sheet)`` for a sheet of
``games/``: it is built once a session.
"""

from __future__ import annotations

from functools import cache

from scsp_player.arena.engines import ENGINES as PACKAGE_ENGINES
from scsp_player.arena.engines import machine as package_machine
from scsp_player.gdl import parse_program
from tests.games.sheets import path_of, prefix_text
from tests.oracles.clingo_engine import ClingoMachine
from tests.oracles.ground_machine import GroundMachine


def _of_package(name):
    return lambda text: package_machine(name, parse_program(text))


def _lanes(text):
    """The package's grounder under an evaluator of the tests: tells a wrong ground game from a wrong engine."""
    from scsp_player.grounding import ground

    return GroundMachine(ground(parse_program(text)))


ENGINES = {
    **{name: _of_package(name) for name in PACKAGE_ENGINES},
    "lanes": _lanes,
    "clingo": ClingoMachine,
}
"""Name to factory."""


@cache
def machine(engine, sheet):
    """An engine on a sheet of ``games/``."""
    text = prefix_text(sheet) if engine == "clingo" else path_of(sheet).read_text(encoding="utf-8")
    return ENGINES[engine](text)

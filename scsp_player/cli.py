"""The command line: one sub-command a module of ``scsp_player.commands``."""

from __future__ import annotations

import gc
import importlib
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import typer

COMMANDS = (
    *("check", "ground", "translate", "solve", "plan"),
    *("serve", "match", "tournament", "ratings", "history", "conform", "agents", "bench"),
)
"""Names of sub-commands: modules of ``scsp_player.commands``, each with a function ``command``, or an ``app`` of several."""


def build(asked: str | None = None) -> typer.Typer:
    """The command-line application.

    Args:
        asked: the sub-command that is wanted. Only it is attached: each one takes time to load and to describe. All are attached
            if this names none.
    """
    import typer

    app = typer.Typer(
        name="scsp-player",
        help="A general game player driven by stochastic constraints.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown",
    )
    app.callback()(_nothing)  # a lone sub-command would lose its name otherwise
    for name in (asked,) if asked in COMMANDS else COMMANDS:
        module = importlib.import_module(f"scsp_player.commands.{name}")
        if name == "bench":
            app.add_typer(module.app, name=name)
        else:
            app.command(name)(module.command)
    return app


def _nothing() -> None:
    """What all sub-commands begin with."""


def main() -> None:
    """Entry point of the ``scsp-player`` script: errors that a user can cause end with one line and exit status 2."""
    # Loading modules makes many objects and no garbage; to look for it after every 700 new ones is a sixteenth of a short command.
    gc.set_threshold(10_000)
    try:
        build(sys.argv[1] if len(sys.argv) > 1 else None)()
    except Exception as error:
        # Only now: these packages take time to load, and most commands need few of them.
        from scsp_player.gdl.errors import GdlError
        from scsp_player.protocol.errors import ProtocolError
        from xcsp.errors import XcspError

        if not isinstance(error, GdlError | ProtocolError | XcspError):
            raise
        print(f"scsp-player: {error}", file=sys.stderr)
        sys.exit(2)

"""The command line: one sub-command a module of ``scsp_player.commands``."""

from __future__ import annotations

import importlib
import sys

import typer

COMMANDS = (
    *("check", "ground", "translate", "solve", "plan"),
    *("serve", "match", "tournament", "ratings", "history", "conform", "agents"),
)
"""Names of sub-commands; each is the function ``command`` of the module with its name in ``scsp_player.commands``."""


def build() -> typer.Typer:
    """The command-line application with every sub-command attached."""
    app = typer.Typer(
        name="scsp-player",
        help="A general game player driven by stochastic constraints.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown",
    )
    for name in COMMANDS:
        module = importlib.import_module(f"scsp_player.commands.{name}")
        app.command(name)(module.command)
    bench = importlib.import_module("scsp_player.commands.bench")
    app.add_typer(bench.app, name="bench")
    return app


def main() -> None:
    """Entry point of the ``scsp-player`` script: errors that a user can cause end with one line and exit status 2."""
    try:
        build()()
    except Exception as error:
        # Only now: these packages take time to load, and most commands need few of them.
        from scsp_player.gdl.errors import GdlError
        from scsp_player.protocol.errors import ProtocolError
        from xcsp.errors import XcspError

        if not isinstance(error, GdlError | ProtocolError | XcspError):
            raise
        print(f"scsp-player: {error}", file=sys.stderr)
        sys.exit(2)

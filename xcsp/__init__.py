"""XCSP3 documents and the constraint instances in them; knows nothing of games.

``read_instance`` and ``write_instance`` translate between documents and ``Instance`` values. Finite-domain variables, integer,
symbolic or stochastic, and constraints in extension are covered: what table-constraint solvers need. docs/xcsp3.md describes the
dialect. Names load their modules when they are asked for: who reads does not wait for the writer.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xcsp.errors import XcspError
    from xcsp.identifiers import check_identifier, safe_identifier
    from xcsp.limits import Limits
    from xcsp.model import STAR, Instance, Table, Variable
    from xcsp.reader import read_instance
    from xcsp.writer import write_instance

_MODULES = {
    "STAR": "model",
    "Instance": "model",
    "Limits": "limits",
    "Table": "model",
    "Variable": "model",
    "XcspError": "errors",
    "check_identifier": "identifiers",
    "read_instance": "reader",
    "safe_identifier": "identifiers",
    "write_instance": "writer",
}

__all__ = [
    "STAR",
    "Instance",
    "Limits",
    "Table",
    "Variable",
    "XcspError",
    "check_identifier",
    "read_instance",
    "safe_identifier",
    "write_instance",
]

if not TYPE_CHECKING:  # else every misspelt name would pass the type checker

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
        globals()[name] = found
        return found

"""XCSP3 documents and the constraint instances in them; knows nothing of games.

``read_instance`` and ``write_instance`` translate between documents and ``Instance`` values. Finite-domain variables, integer,
symbolic or stochastic, and constraints in extension are covered: what table-constraint solvers need. docs/xcsp3.md describes the
dialect.
"""

from xcsp.errors import XcspError
from xcsp.identifiers import check_identifier, safe_identifier
from xcsp.limits import Limits
from xcsp.model import STAR, Instance, Table, Variable
from xcsp.reader import read_instance
from xcsp.writer import write_instance

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

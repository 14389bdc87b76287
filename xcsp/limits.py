"""How large a document may be: untrusted input must not exhaust the machine."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Bounds on a document; the defaults let benchmark instances through and stay below about 8 GiB of memory.

    Attributes:
        document_bytes: size of the XML text, after decompression.
        piece_bytes: size of one tag or CDATA section, one tuple, or one list of variables or values: what must be in
            memory as text at once.
        depth: nesting of elements.
        variables: variables, cells of arrays included.
        constraints: constraints, after expansion of groups.
        values: values of all different domains and unary tables together.
        entries: entries of all tables (tuples × arity) together; groups count their table once.
        scope_entries: variables of all scopes together.
        combinations: assignments that are tried to turn one constraint that is no table into one.
        combinations_together: the same for all constraints.
    """

    document_bytes: int = 1 << 33
    piece_bytes: int = 1 << 26
    depth: int = 64
    variables: int = 5_000_000
    constraints: int = 5_000_000
    values: int = 50_000_000
    entries: int = 1 << 30
    scope_entries: int = 100_000_000
    combinations: int = 1 << 22
    combinations_together: int = 1 << 26

"""What depends on what in a circuit, and the values of its nodes in one state; see ``phases``."""

from __future__ import annotations

from typing import Any

from scsp_player.kernels import helper, kernel
from scsp_player.propnet.circuit_kernels import FEEDBACK, GATE, INPUT


@kernel
def spread_marks(kind: Any, child_start: Any, child: Any, mark: Any) -> None:
    """Mark (uint8[nodes]) all nodes that depend on a marked input or on a positive cycle."""
    for node in range(len(kind)):
        if kind[node] == FEEDBACK:
            mark[node] = 1
        elif kind[node] != INPUT:
            mark[node] = 0
            for i in range(child_start[node], child_start[node + 1]):
                if mark[child[i] >> 1]:
                    mark[node] = 1
                    break


@kernel
def evaluate_nodes(kind: Any, child_start: Any, child: Any, value: Any) -> None:
    """Set the gates of ``value`` (uint8[nodes], inputs given); feedback nodes count as false."""
    for node in range(len(kind)):
        if kind[node] == FEEDBACK:
            value[node] = 0
        elif kind[node] != INPUT:
            value[node] = 1
            for i in range(child_start[node], child_start[node + 1]):
                if value[child[i] >> 1] == child[i] & 1:
                    value[node] = 0
                    break


@helper
def _is_part(literal: Any, part: Any, kind: Any, child_start: Any, child: Any) -> Any:
    """Whether a literal is another one, or a conjunction with that one in it."""
    if literal == part:
        return True
    node = literal >> 1
    if (literal & 1) == 0 and kind[node] == GATE:
        for i in range(child_start[node], child_start[node + 1]):
            if child[i] == part:
                return True
    return False


@helper
def _all_parts(literal: Any, part: Any, kind: Any, child_start: Any, child: Any) -> Any:
    """Whether a literal, or each alternative of a disjunction, is another literal or a conjunction with that one in it."""
    node = literal >> 1
    if (literal & 1) == 0 or kind[node] != GATE:
        return _is_part(literal, part, kind, child_start, child)
    every = True
    for i in range(child_start[node], child_start[node + 1]):
        every = every and _is_part(child[i] ^ 1, part, kind, child_start, child)
    return every


@helper
def _follows_from(literal: Any, part: Any, kind: Any, child_start: Any, child: Any) -> Any:
    """Whether a literal is seen to be true only where another one is; False may mean that it takes a deeper look."""
    if literal == 1 or _all_parts(literal, part, kind, child_start, child):
        return True
    node = literal >> 1
    if (literal & 1) == 0 and kind[node] == GATE:
        for i in range(child_start[node], child_start[node + 1]):
            if _all_parts(child[i], part, kind, child_start, child):
                return True
    return False


@kernel
def find_kept(kind: Any, child_start: Any, child: Any, following: Any, kept: Any) -> None:
    """Which literals of fluents no move makes true.

    ``following`` int32[fluents] are the literals of their next values. Sets ``kept`` (uint8[2 * nodes], by literal) for them.
    """
    for fluent in range(len(following)):
        literal = 2 * (1 + fluent)
        kept[literal] = _follows_from(following[fluent], literal, kind, child_start, child)
        kept[literal + 1] = _follows_from(following[fluent] ^ 1, literal + 1, kind, child_start, child)


@kernel
def spread_kept(kind: Any, child_start: Any, child: Any, kept: Any) -> None:
    """Set ``kept`` (uint8[2 * nodes], inputs given) for gates: kept if made of kept literals alone. Feedback nodes never are."""
    for node in range(len(kind)):
        if kind[node] == FEEDBACK:
            kept[2 * node] = kept[2 * node + 1] = 0
        elif kind[node] == GATE:
            both = True
            opposite = True
            for i in range(child_start[node], child_start[node + 1]):
                both = both and kept[child[i]] != 0
                opposite = opposite and kept[child[i] ^ 1] != 0
            kept[2 * node] = both
            kept[2 * node + 1] = opposite


@kernel
def spread_to_users(kind: Any, child_start: Any, child: Any, mark: Any) -> None:
    """Mark (uint8[nodes]) all gates that depend on a marked node without a feedback node between them."""
    for node in range(len(kind)):
        if kind[node] == GATE:
            for i in range(child_start[node], child_start[node + 1]):
                if mark[child[i] >> 1]:
                    mark[node] = 1
                    break

"""What the reader notices while it brings a sheet into normal form, kept for the checks."""

from __future__ import annotations

from dataclasses import dataclass

from scsp_player.gdl.errors import Position


@dataclass(frozen=True, slots=True)
class Remark:
    """An oddity of the text that the normal form no longer shows.

    Attributes:
        check: name of the check that reports it, e.g. ``empty-body``.
        position: where it stands.
        text: what is written there and what to write instead.
    """

    check: str
    position: Position
    text: str

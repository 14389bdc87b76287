"""The error that a message, an address or a peer can cause."""

from __future__ import annotations

from scsp_player.gdl.errors import GdlError, Position


class ProtocolError(Exception):
    """A message or a peer cannot be used.

    Attributes:
        message: what is wrong, without the position.
        position: where in the message, or None when no single place can be named.
        remedy: what to do instead; may be empty.
    """

    def __init__(self, message: str, position: Position | None = None, remedy: str = "") -> None:
        self.message = message
        self.position = position
        self.remedy = remedy
        super().__init__(str(self))

    def __str__(self) -> str:
        place = f"{self.position}: " if self.position else ""
        return f"{place}{self.message}" + (f" ({self.remedy})" if self.remedy else "")

    @classmethod
    def of(cls, error: GdlError) -> ProtocolError:
        """The same complaint about a text that is a message."""
        return cls(error.message, error.position, error.remedy)

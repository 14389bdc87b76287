"""What can keep a game from becoming a network."""

from __future__ import annotations

from scsp_player.gdl.errors import GdlError


class NetworkTooLargeError(GdlError):
    """The tables of a game exceed the bounds under which its network is of use."""

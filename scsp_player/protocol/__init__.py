"""The language that game managers and players speak: messages, the player's HTTP server, the manager's client.

The server's process never looks at rules and never thinks. Each match has two engine processes, one for the agent and one that
always has some legal move at hand; the server passes messages on and answers with what they have said when it is time.
"""

from scsp_player.protocol.client import Address, Answer, PeerError, ask, parse_info
from scsp_player.protocol.engine_limits import EngineLimits
from scsp_player.protocol.errors import ProtocolError
from scsp_player.protocol.messages import Dialect, Message, format_play, format_rules, format_start, parse_message
from scsp_player.protocol.player import PlayerSettings
from scsp_player.protocol.server import PlayerServer
from scsp_player.protocol.timing import Timing

__all__ = [
    "Address",
    "Answer",
    "Dialect",
    "EngineLimits",
    "Message",
    "PeerError",
    "PlayerServer",
    "PlayerSettings",
    "ProtocolError",
    "Timing",
    "ask",
    "format_play",
    "format_rules",
    "format_start",
    "parse_info",
    "parse_message",
]

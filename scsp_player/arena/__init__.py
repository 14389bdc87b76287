"""The referee: matches between any players, local or remote; and the comparison of engines with recorded matches."""

from scsp_player.arena.players import Player, seated
from scsp_player.arena.record import Fault, MatchRecord, TurnRecord
from scsp_player.arena.referee import Clocks, Observer, Referee
from scsp_player.arena.series import Series, play_series
from scsp_player.arena.sheet import Sheet, game_of, read_game

__all__ = [
    "Clocks",
    "Fault",
    "MatchRecord",
    "Observer",
    "Player",
    "Referee",
    "Series",
    "Sheet",
    "TurnRecord",
    "game_of",
    "play_series",
    "read_game",
    "seated",
]

"""What the ground rules say about the structure of a game: counters, latches, and sub-games that are independent of each other.

Reads a ``GroundGame`` and its circuit; stands between the engines and ``search``.
"""

from scsp_player.structure.counters import Counters, find_counters
from scsp_player.structure.endings import ending_sets
from scsp_player.structure.game_structure import GameStructure, find_structure
from scsp_player.structure.sub_games import Kind, SubGame, SubGames
from scsp_player.structure.timing import Clock, find_clock, longest_match

__all__ = [
    "Clock",
    "Counters",
    "GameStructure",
    "Kind",
    "SubGame",
    "SubGames",
    "ending_sets",
    "find_clock",
    "find_counters",
    "find_structure",
    "longest_match",
]

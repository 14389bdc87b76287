"""What the ground rules say about the structure of a game: counters, latches, and sub-games that are independent of each other.

Reads a ``GroundGame`` and its circuit; stands between the engines and ``search``.
"""

from scsp_player.structure.counters import Counters
from scsp_player.structure.game_structure import GameStructure, find_structure
from scsp_player.structure.sub_games import Kind, SubGame, SubGames

__all__ = ["Counters", "GameStructure", "Kind", "SubGame", "SubGames", "find_structure"]

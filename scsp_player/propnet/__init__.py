"""The propositional network: the rules as a simplified circuit, evaluated for 256 games at once.

``Propnet`` answers questions about many states by index and plays random games; ``PropnetMachine`` is the same engine behind the
interface that all engines share.
"""

from __future__ import annotations

from scsp_player.propnet.answers import Answers, Expansion
from scsp_player.propnet.improvement import Improvement
from scsp_player.propnet.net import Propnet
from scsp_player.propnet.net_machine import PropnetMachine
from scsp_player.propnet.playouts import DrawnMoves, PlayoutResult

__all__ = ["Answers", "DrawnMoves", "Expansion", "Improvement", "PlayoutResult", "Propnet", "PropnetMachine"]

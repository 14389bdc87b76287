"""An agent whose game is always too large to be grounded at once."""

from scsp_player.agents.uct import UctAgent


class NoRoom(UctAgent):
    """Has no memory for grounding, except in the background."""

    grounding_bytes = 0

"""Latches: fluents that never change back."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import FALSE, TRUE, GroundGame


def find_latches(game: GroundGame) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """bool[fluents] each: fluents that stay true once they are, and fluents that stay false once they are.

    Those whose rules say so directly, one by one, in games with any number of players.
    """
    stays_true = game.next_literal == TRUE
    stays_false = game.next_literal == FALSE
    for fluent, literal in enumerate(game.next_literal.tolist()):
        own = 2 * int(game.fluent_atom[fluent])
        if literal == own:
            stays_true[fluent] = stays_false[fluent] = True
        first, last = int(game.head_start[literal >> 1]), int(game.head_start[(literal >> 1) + 1])
        if literal & 1 or first == last:
            continue
        bodies = [game.rule_body[game.rule_start[r] : game.rule_start[r + 1]] for r in range(first, last)]
        stays_true[fluent] |= any(len(body) == 1 and body[0] == own for body in bodies)
        stays_false[fluent] |= all((body == own).any() for body in bodies)
    return stays_true, stays_false

"""Making a circuit smaller than rewriting rules alone can: knowledge about moves and states, and sharing.

The circuit of ``build_circuit`` is right for every assignment to fluents and moves. What comes out of ``simplify`` is right for the
states that legal play reaches, and for joint legal moves; see there.
"""

from __future__ import annotations

import time
from dataclasses import replace

from scsp_player.grounding.ground_game import GroundGame
from scsp_player.propnet.circuit import Circuit, cleaned
from scsp_player.propnet.simplify.exclusion import exclusions, exclusive_groups
from scsp_player.propnet.simplify.factoring import with_factors
from scsp_player.propnet.simplify.one_move import with_one_move
from scsp_player.propnet.simplify.sharing import with_sharing

__all__ = ["simplify"]

FIRST_SHARE, MOVES_SHARE, PROOF_SHARE, STATES_SHARE, FACTORS_SHARE = 0.4, 0.5, 0.75, 0.85, 0.92
"""When to be ready with factors of what depends on the state alone, with rewriting by moves, with learning which fluents exclude
each other, with rewriting by that, with factors of everything. Few circuits need all of the time for the first."""


def simplify(circuit: Circuit, game: GroundGame, *, seconds: float) -> Circuit:
    """A circuit with fewer literals that gives the same answers wherever a match can get to.

    The result may be wrong where the game cannot be:

    * terminal, legal and goal: in states that no sequence of legal joint moves leads to from the initial state;
    * next and percept: there, in terminal states, and unless every role makes exactly one move, which is legal.

    Positive cycles stay least fixpoints: feedback nodes are treated as inputs that may have any value.

    Args:
        circuit: as ``build_circuit`` made it for ``game``.
        game: the game.
        seconds: processor time of this thread to use, at most, apart from what is linear in the size of the circuit. Less time
            gives a larger circuit.
    """
    begin = time.thread_time()
    # First what is cheap, and may shrink logic that the later steps would otherwise have to carry along.
    result = cleaned(with_factors(circuit, begin + FIRST_SHARE * seconds, of_state=True))
    rewritten = with_one_move(result, game, begin + MOVES_SHARE * seconds)
    result = cleaned(rewritten.circuit())
    if not rewritten.complete:
        # Where it got to, little is left to do, so the second attempt gets further.
        rewritten = with_one_move(result, game, begin + PROOF_SHARE * seconds)
    groups = exclusive_groups(rewritten, game, begin + PROOF_SHARE * seconds)
    excluded = exclusions(groups, game.fluents)
    result = cleaned(with_one_move(result, game, begin + STATES_SHARE * seconds, excluded=excluded).circuit())
    result = cleaned(with_factors(result, begin + FACTORS_SHARE * seconds))
    result = cleaned(with_sharing(result, begin + seconds))
    best = min(result, circuit, key=lambda c: c.literals)
    return replace(best, exclusive=tuple(groups)) if groups else best

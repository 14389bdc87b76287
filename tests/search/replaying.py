"""Lines of puzzles, checked move by move."""

from scsp_player.propnet import Propnet


def replayed(game, moves):
    """Score at the end of a line, checked to be legal all the way."""
    propnet, state = Propnet(game), game.initial_state[None]
    for move in moves:
        assert not propnet.terminal(state)[0]
        assert propnet.legal(state)[0, move[0]]
        state = propnet.successors(state, move[None])
    assert propnet.terminal(state)[0]
    return propnet.goals(state)[0, 0]

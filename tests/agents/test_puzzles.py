"""Games with one player: the agent finds a best line and plays it out."""

import time

import numpy as np

from scsp_player.agents.base import Turn
from scsp_player.agents.mac_ucb import MacUcbAgent
from scsp_player.gdl import load_program
from scsp_player.grounding import ground
from scsp_player.propnet import Propnet
from scsp_player.search.puzzle import PuzzleSearch
from tests.games.sheets import path_of


def test_a_puzzle_is_solved_move_by_move():
    program = load_program(path_of("lights-out-3x3"))
    game = ground(program)
    propnet, state = Propnet(game), game.initial_state[None]
    agent = MacUcbAgent()
    agent.start(program, game.roles[0], play_seconds=1.0, deadline=time.monotonic() + 60.0, seed=0)
    assert isinstance(agent.search, PuzzleSearch)
    move, number = None, 0
    while not propnet.terminal(state)[0]:
        move = agent.play(Turn(number, None if move is None else (move,)), time.monotonic() + 10.0)
        state = propnet.successors(state, np.array([[game.move_index[0][move]]], np.int32))
        number += 1
    agent.stop()
    assert propnet.goals(state)[0, 0] == 100


def test_rehearsal_takes_a_step_of_every_search():
    PuzzleSearch.rehearse()

"""Sub-games: of games in which they are plain to see, of the corpus, and against random play."""

import numpy as np
import pytest

from scsp_player.gdl import load_program
from scsp_player.gdl.reading import parse_program
from scsp_player.grounding import ground
from scsp_player.grounding.ground_game import unpack_state
from scsp_player.propnet import Propnet
from scsp_player.structure import Kind, find_structure
from tests.games.sheets import PREFIX_SHEETS, path_of
from tests.shared_data import SHARED, needs_shared

PAIRS = """
; Two tokens on rings of different lengths; every move moves both.
(role r) (init (left 0)) (init (right 0)) (init (step 0))
(ring left 0 1) (ring left 1 2) (ring left 2 0) (ring right 0 1) (ring right 1 2) (ring right 2 3) (ring right 3 0)
(way on) (way stay) (after 0 1) (after 1 2) (after 2 3) (after 3 4)
(<= (legal r (both ?a ?b)) (way ?a) (way ?b))
(<= (next (left ?n)) (does r (both on ?b)) (true (left ?m)) (ring left ?m ?n))
(<= (next (left ?m)) (does r (both stay ?b)) (true (left ?m)))
(<= (next (right ?n)) (does r (both ?a on)) (true (right ?m)) (ring right ?m ?n))
(<= (next (right ?m)) (does r (both ?a stay)) (true (right ?m)))
(<= (next (step ?n)) (true (step ?m)) (after ?m ?n))
(<= terminal (true (step 4)))
(<= (goal r 100) (true (left 2)) (true (right 3))) (<= (goal r 0) (not (true (left 2)))) (<= (goal r 0) (not (true (right 3))))
"""

MOST_PAIRS = "(<= (legal r (both on ?b)) (way ?b)) (legal r (both stay on))"


def sub_games_of(text):
    game = ground(parse_program(text, "test"))
    return game, find_structure(game, seconds=60).sub_games


def parts(game, found):
    return [
        ({str(game.fluent(int(f))) for f in part.fluents}, {str(game.move(int(m))) for m in part.moves}) for part in found.games
    ]


def test_each_move_belongs_to_one():
    game = ground(load_program(path_of("lamps-and-lift")))
    found = find_structure(game, seconds=60).sub_games
    assert found.kind is Kind.INTERLEAVED
    assert not len(found.idle)
    lift, lamps = parts(game, found)
    assert lamps == ({f"(lit {n})" for n in range(1, 5)}, {f"(press {n})" for n in range(1, 5)})
    assert lift == ({f"(floor {n})" for n in range(7)}, {"(ride two-up)", "(ride one-down)"})
    assert not any(part.timed for part in found.games)


def test_one_after_the_other():
    game = ground(load_program(path_of("dial-then-maze")))
    found = find_structure(game, seconds=60).sub_games
    assert found.kind is Kind.SERIAL
    dial, maze = parts(game, found)
    assert dial == ({f"(dial {n})" for n in range(5)}, {"(dial left)", "(dial right)"})
    rooms = ("entry", "hall", "cellar", "stairs", "vault", "well")
    assert maze == ({f"(in {room})" for room in rooms}, {f"(walk {room})" for room in rooms})


def test_every_move_is_one_of_both():
    game, found = sub_games_of(PAIRS)
    assert found.kind is Kind.SIMULTANEOUS
    assert [len(fluents) for fluents, _ in parts(game, found)] == [3, 4]
    assert [len(part.moves) for part in found.games] == [2, 2]


def test_moves_that_do_not_go_together_join():
    _, found = sub_games_of(PAIRS.replace("(<= (legal r (both ?a ?b)) (way ?a) (way ?b))", MOST_PAIRS))
    assert found is None


def test_what_all_moves_do_alike_is_no_sub_game():
    """Every move takes a cup away, and one of them is left over in the end: the number of cups is not played for."""
    _, found = sub_games_of("""
    (role r) (init (a 0)) (init (cups 3)) (less 3 2) (less 2 1) (less 1 0) (place 0) (place 1) (place 2)
    (<= (legal r (to ?n)) (place ?n) (true (a ?m)) (distinct ?m ?n))
    (<= moved (does r (to ?n)))
    (<= (next (a ?n)) (does r (to ?n))) (<= (next (cups ?n)) moved (true (cups ?m)) (less ?m ?n))
    (<= terminal (true (cups 0))) (<= (goal r 100) (true (a 2))) (<= (goal r 0) (not (true (a 2))))
    """)
    assert found is None


def test_a_latch_that_the_next_part_sets():
    """The first part is locked by a fluent that the second part's moves set first of all."""
    _, found = sub_games_of("""
    (role r) (init (a 0)) (init (b 0)) (up 0 1) (up 1 2) (up 2 0)
    (<= done (true (a 2))) (<= over done) (<= over (true locked))
    (<= (legal r (x ?s)) (true (a ?m)) (up ?m ?s) (not over))
    (<= (legal r (y ?s)) (true (b ?m)) (up ?m ?s) over)
    (<= (next (a ?n)) (does r (x ?n))) (<= (next (a ?n)) (true (a ?n)) over)
    (<= (next (b ?n)) (does r (y ?n))) (<= (next (b ?n)) (true (b ?n)) (not over))
    (<= (next locked) done) (<= (next locked) (true locked))
    (<= terminal (true (b 2))) (<= (goal r 100) (true (b 2))) (<= (goal r 0) (not (true (b 2))))
    """)
    assert found.kind is Kind.SERIAL
    assert [len(part.fluents) for part in found.games] == [4, 3]


def test_lines_that_cross_join_cells():
    found = find_structure(ground(load_program(path_of("tic-tac-toe"))), seconds=60)
    assert found.sub_games is None


def test_no_time_means_not_known():
    assert find_structure(ground(load_program(path_of("lamps-and-lift"))), seconds=0.0).sub_games is None


CORPUS = {
    "ticTacToeParallel_v0": (Kind.SIMULTANEOUS, [27, 27]),
    "connectFourSimultaneous_v0": (Kind.SIMULTANEOUS, [96, 96]),
    "dualConnect4_v0": (Kind.INTERLEAVED, [96, 96]),
    "asteroidsSerial_v0": (Kind.SERIAL, [109, 108]),
    "blocksWorldSerial_v1": (Kind.SERIAL, [12, 12]),
    "blocksWorldParallel_v0": (Kind.SIMULTANEOUS, [12, 12]),
    "lightsOnSimul4_v0": (Kind.SIMULTANEOUS, [20, 20, 20, 20]),
    "incredible_v0": (Kind.INTERLEAVED, [9, 42]),
}


@needs_shared
@pytest.mark.parametrize("name", CORPUS)
def test_games_made_of_several(name):
    game = ground(load_program(SHARED / "games" / f"{name}.kif"))
    found = find_structure(game, seconds=60).sub_games
    assert (found.kind, [len(part.fluents) for part in found.games]) == CORPUS[name]


@pytest.mark.parametrize("name", [n for n in PREFIX_SHEETS if n not in ("breakthrough-6x6", "hex-5x5")])
def test_random_play_agrees(name):
    game = ground(load_program(path_of(name)))
    check_play(game, find_structure(game, seconds=60).sub_games)


@pytest.mark.parametrize("text", [PAIRS], ids=["pairs"])
def test_random_play_of_pairs_agrees(text):
    check_play(*sub_games_of(text))


def check_play(game, found):
    """What becomes of a sub-game depends on its own state and the move alone."""
    if found is None:
        return
    propnet, generator = Propnet(game), np.random.default_rng(1)
    masks = [np.isin(np.arange(game.fluents), part.fluents) for part in found.games]
    seen = {}
    bounds = list(zip(game.role_start[:-1], game.role_start[1:], strict=True))
    for _ in range(40):
        state, number = game.initial_state[None], 0
        while not propnet.terminal(state)[0] and number < 60:
            legal = propnet.legal(state)[0]
            joint = np.array([[generator.choice(np.flatnonzero(legal[a:b])) + a for a, b in bounds]], np.int32)
            before = unpack_state(state[0], game.fluents)
            state, number = propnet.successors(state, joint), number + 1
            after = unpack_state(state[0], game.fluents)
            changed = [bool((before ^ after)[mask].any()) for mask in masks]
            if found.kind is not Kind.SIMULTANEOUS:
                assert sum(changed) <= 1
            for place, mask in enumerate(masks):
                if not found.games[place].timed:
                    key = (place, joint.tobytes(), before[mask].tobytes())
                    assert seen.setdefault(key, after[mask].tobytes()) == after[mask].tobytes()

"""Lines found from the last state backwards: puzzles of conditions, and proofs that a score is out of reach."""

import itertools
import random

import numpy as np
import pytest

from scsp_player.gdl import load_program
from scsp_player.gdl.reading import parse_program
from scsp_player.grounding import ground
from scsp_player.grounding.ground_game import unpack_state
from scsp_player.network.exclusion import exclusive_pairs
from scsp_player.network.latches import autonomous, latches
from scsp_player.network.rules import inline_moves, merge_moves
from scsp_player.network.unfolding import unfold
from scsp_player.propnet import Propnet
from scsp_player.search.final_states import FinalStates, Structure, clique_cover
from scsp_player.search.goal_first import GoalFirst
from scsp_player.search.line import BestLine
from tests.games.sheets import path_of
from tests.search.replaying import replayed

NEIGHBOURS = """
; A path of numbers: 1 to 9 on a 3 × 3 board, neighbours in number are neighbours on the board. Giving up is allowed.
(role r)
(x 1) (x 2) (x 3) (s 1 2) (s 2 3)
(after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6) (after 6 7) (after 7 8) (after 8 9)
(<= (number ?n) (after ?n ?m)) (number 9)
(init (cell 1 1 1)) (init (cell 3 3 9)) (init (cell 2 2 5))
(<= (init (cell ?a ?b free)) (x ?a) (x ?b) (distinct ?a ?b))
(<= (near ?a ?b ?c ?b) (x ?b) (s ?a ?c)) (<= (near ?a ?b ?c ?b) (x ?b) (s ?c ?a))
(<= (near ?a ?b ?a ?c) (x ?a) (s ?b ?c)) (<= (near ?a ?b ?a ?c) (x ?a) (s ?c ?b))
(<= (used ?n) (true (cell ?a ?b ?n)) (number ?n))
(<= (fits ?n ?a ?b) (number ?n) (x ?a) (x ?b) (not (used ?n)))
(<= (fits ?n ?a ?b) (true (cell ?c ?d ?n)) (number ?n) (near ?a ?b ?c ?d))
(<= (legal r (put ?a ?b ?n))
    (true (cell ?a ?b free)) (number ?n) (not (used ?n)) (after ?l ?n) (after ?n ?m) (fits ?l ?a ?b) (fits ?m ?a ?b))
(legal r quit)
(<= (next (cell ?a ?b ?n)) (does r (put ?a ?b ?n)))
(<= (next (cell ?a ?b ?n)) (true (cell ?a ?b ?n)) (number ?n))
(<= (next (cell ?a ?b free)) (true (cell ?a ?b free)) (does r (put ?c ?d ?n)) (distinct ?a ?c))
(<= (next (cell ?a ?b free)) (true (cell ?a ?b free)) (does r (put ?c ?d ?n)) (distinct ?b ?d))
(<= (next (cell ?a ?b free)) (true (cell ?a ?b free)) (does r quit))
(<= (next over) (does r quit))
(<= open (true (cell ?a ?b free)))
(<= terminal (not open)) (<= terminal (true over))
(<= (goal r 100) (not open)) (<= (goal r 0) open)
"""

UNATTACKED = """
; As many rooks as turns, put anywhere; they must not attack each other at the end. Only the clock says how many there are.
(role r) (init (turn 1)) (next_turn 1 2) (next_turn 2 3) (next_turn 3 4) (next_turn 4 5)
(x 1) (x 2) (x 3) (x 4)
(<= (legal r (put ?a ?b)) (x ?a) (x ?b) (not (true (rook ?a ?b))))
(<= (next (rook ?a ?b)) (does r (put ?a ?b))) (<= (next (rook ?a ?b)) (true (rook ?a ?b)))
(<= (next (turn ?n)) (true (turn ?m)) (next_turn ?m ?n))
(<= attacked (true (rook ?a ?b)) (true (rook ?a ?c)) (distinct ?b ?c))
(<= attacked (true (rook ?a ?b)) (true (rook ?c ?b)) (distinct ?a ?c))
(<= terminal (true (turn 5)))
(<= (goal r 100) (not attacked)) (<= (goal r 0) attacked)
"""


def game_of(text):
    return ground(parse_program(text, "puzzle") if "(role" in text else load_program(path_of(text)))


def searched(game):
    line = BestLine(float(game.goal_value.max()))
    search = GoalFirst(Propnet(game), game.initial_state, line)
    while not search.done and not line.certain:
        search.step(lambda: False)
    return line


@pytest.mark.parametrize("sheet", [NEIGHBOURS, UNATTACKED, "sudoku-4x4", "queens-6"], ids=["path", "rooks", "sudoku", "queens"])
def test_puzzles_of_conditions_are_solved(sheet):
    game = game_of(sheet)
    line = searched(game)
    assert line.certain
    assert line.score == replayed(game, line.moves) == 100


def test_more_rooks_than_fit_are_proved_impossible():
    text = UNATTACKED.replace("(next_turn 4 5)", "(next_turn 4 5) (next_turn 5 6)").replace("(turn 5)))", "(turn 6)))")
    game = game_of(text)
    line = BestLine(100.0)
    line.offer(0.0, np.zeros((5, 1), np.int32))
    search = GoalFirst(Propnet(game), game.initial_state, line)
    while not search.done:
        search.step(lambda: False)
    assert (line.possible, line.certain) == (0.0, True)


def test_interrupted_work_goes_on():
    game = game_of(NEIGHBOURS)
    line = BestLine(100.0)
    search = GoalFirst(Propnet(game), game.initial_state, line)
    answers = itertools.cycle([True, False, True])
    while not search.done and not line.certain:
        search.step(lambda: next(answers))
    assert line.score == 100


def test_an_order_that_matters_is_no_hindrance_to_giving_up():
    game = game_of("hanoi-3")
    line = searched(game)
    assert line.score < 100 or replayed(game, line.moves) == 100


def test_latched_fluents_and_clocks():
    game = game_of(UNATTACKED)
    merged = merge_moves(game, inline_moves(game, unfold(game)))
    found = latches(game, merged, exclusive_pairs(game, merged))
    clock = autonomous(game)
    names = [str(game.fluent(f)) for f in range(game.fluents)]
    assert [n for n, c in zip(names, clock, strict=True) if c] == [n for n in names if n.startswith("(turn")]
    assert found.fluents.tolist() == (~clock).tolist()
    assert found.one_a_move()
    assert [str(game.fluent(int(f)))[6:] for f in found.added] == [str(game.move(m))[5:] for m in range(game.moves)]


def test_last_states_are_as_many_as_there_are():
    game = game_of(UNATTACKED)
    structure = Structure(game)
    states = list(FinalStates(structure, Propnet(game), game.initial_state, 100).states(lambda: False))
    rooks = {tuple(np.flatnonzero(s & ~structure.clock).tolist()) for s in states}
    assert len(states) == len(rooks) == 24


def test_clock_states_follow_the_clock():
    game = game_of(UNATTACKED)
    turns = Structure(game).clock_states(Propnet(game), game.initial_state)
    assert turns.sum(axis=1).tolist() == [1, 1, 1, 1, 1, 0]
    assert (turns[0] == (unpack_state(game.initial_state, game.fluents))).all()


def test_cliques_cover():
    excluded = np.ones((5, 5), np.bool_)
    excluded[0, 4] = excluded[4, 0] = False
    assert clique_cover(excluded) == [[0, 1, 2, 3], [4]]


def proved(game):
    """The line found, with the work done to its end."""
    line = BestLine(float(game.goal_value.max()))
    search = GoalFirst(Propnet(game), game.initial_state, line)
    while not search.done and not line.shortest:
        search.step(lambda: False)
    return line


@pytest.mark.parametrize(
    ("sheet", "moves"), [(NEIGHBOURS, 6), (UNATTACKED, 4), ("queens-6", 6)], ids=["path", "rooks", "queens"]
)
def test_each_move_and_each_turn_is_needed(sheet, moves):
    line = proved(game_of(sheet))
    assert (line.score, len(line.moves), line.shortest) == (100, moves, True)


@pytest.mark.parametrize("seed", range(8))
def test_what_is_called_the_shortest_line_is(seed):
    source = random.Random(seed)
    switches = range(6)
    wanted = [sorted(source.sample(switches, source.randint(1, 4))) for _ in range(source.randint(1, 3))]
    text = "(role r)" + "".join(f"(<= (legal r (press {i})) (not (true (on {i})))) (switch {i})" for i in switches)
    text += "(<= (next (on ?i)) (does r (press ?i))) (<= (next (on ?i)) (true (on ?i)))"
    # All of one set, or (sometimes) one of each set.
    if source.random() < 0.5:
        text += "".join(f"(<= lit {' '.join(f'(true (on {i}))' for i in one)})" for one in wanted)
        least = min(map(len, wanted))
    else:
        text += "".join(f"(<= (lit {k}) (true (on {i})))" for k, one in enumerate(wanted) for i in one)
        text += f"(<= lit {' '.join(f'(lit {k})' for k in range(len(wanted)))})"
        sets = (chosen for size in switches for chosen in itertools.combinations(switches, size + 1))
        least = len(next(chosen for chosen in sets if all(set(one) & set(chosen) for one in wanted)))
    text = text.replace("(lit ", "(lit_of ") + "(<= terminal lit) (<= (goal r 100) lit) (<= (goal r 0) (not lit))"
    line = proved(ground(parse_program(text, "switches")))
    assert line.score == 100
    assert len(line.moves) == least or not line.shortest


def test_groups_are_proved_to_last_where_moves_replace_one_member_by_another():
    game = game_of(NEIGHBOURS)
    names = {frozenset(str(game.fluent(int(f))) for f in group) for group in Structure(game).lasting}
    assert any({"(cell 1 2 free)", "(cell 1 2 2)"} <= group for group in names)
    assert all("(cell" in fluent for group in names for fluent in group)

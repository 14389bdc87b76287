"""Keeping up with matches whose state is known, and with matches whose state is hidden."""

import itertools
import re
from types import SimpleNamespace

import numpy as np
import pytest

from scsp_player.agents import likeness, tracking
from scsp_player.agents.base import Turn
from scsp_player.agents.tracking import MatchTracker
from scsp_player.gdl.reading import parse_term
from tests.oracles.ground_machine import GroundMachine
from tests.oracles.naive_grounder import ground
from tests.protocol.games import COIN, DUEL

NOTHING = frozenset()


def tracker(rules, role, seed=1):
    return MatchTracker(GroundMachine(ground(rules)), role, np.random.default_rng(seed))


def terms(*texts):
    return tuple(parse_term(text) for text in texts)


def sides(coin):
    return {str(f) for state in coin.states for f in coin.machine.fluents(state) if str(f).startswith("(shows")}


def test_perfect_information_is_one_state():
    duel = tracker(DUEL, "left")
    duel.advance(Turn(0))
    duel.advance(Turn(1, terms("(choose 3)", "(choose 1)")))
    assert len(duel.states) == 1
    assert parse_term("(point left 1)") in duel.machine.fluents(duel.states[0])
    assert duel.legal_moves() == terms("(choose 1)", "(choose 2)", "(choose 3)")


@pytest.mark.parametrize("move", ["fly", "(choose 9)"])
def test_a_move_that_is_not_legal_is_refused_and_changes_nothing(move):
    duel = tracker(DUEL, "left")
    before = list(duel.states)
    with pytest.raises(ValueError, match=re.escape(f"{move} is not legal for left")):
        duel.advance(Turn(1, terms(move, "(choose 1)")))
    assert duel.states == before


def test_a_role_without_legal_moves_does_what_the_manager_says():
    idle = DUEL.replace("(role ?p) (number ?n))", "(role ?p) (number ?n) (or (true (round 2)) (distinct ?p right)))", 1)
    duel = tracker(idle, "left")
    duel.advance(Turn(1, terms("(choose 1)", "(choose 2)")))
    assert parse_term("(round 2)") in duel.machine.fluents(duel.states[0])


@pytest.mark.parametrize("side", ["heads", "tails"])
def test_percepts_settle_what_chance_did(side):
    coin = tracker(COIN, "guesser")
    coin.advance(Turn(1, None, *terms("noop"), NOTHING))
    assert sides(coin) == {"(shows heads)", "(shows tails)"}
    assert coin.legal_moves() == terms("peek")
    coin.advance(Turn(2, None, *terms("peek"), frozenset(terms(side))))
    assert sides(coin) == {f"(shows {side})"}
    assert coin.legal_moves() == terms(f"(name {side})")


def test_of_more_moves_than_are_remembered_none_is_preferred(monkeypatch):
    monkeypatch.setattr(likeness, "LISTED_MOVES", 3)
    alike, percepts = likeness.Likeness(), terms("(hand 2)")
    long, short = (terms(*(f"(deal {n})" for n in range(count))) for count in (4, 3))
    assert alike.most_alike(long, percepts) == long
    assert alike.most_alike(short, percepts) == [short[2]]
    # Another list takes the place of the first one.
    assert alike.most_alike(terms("(deal 2)", "(deal 9)"), percepts) == list(terms("(deal 2)"))
    assert alike.most_alike(short, percepts) == [short[2]]


def test_an_unknown_own_move_is_guessed():
    coin = tracker(COIN, "guesser")
    coin.advance(Turn(1, None, None, NOTHING))
    coin.advance(Turn(2, None, None, frozenset(terms("heads"))))
    assert sides(coin) == {"(shows heads)"}


def test_a_lost_thread_is_found_again_by_replaying_the_match():
    coin = tracker(COIN, "guesser")
    coin.advance(Turn(1, None, *terms("noop"), NOTHING))
    # As if the sample had missed the state that the match is really in.
    coin.states = [s for s in coin.states if parse_term("(shows heads)") in coin.machine.fluents(s)]
    coin.advance(Turn(2, None, *terms("peek"), frozenset(terms("tails"))))
    assert sides(coin) == {"(shows tails)"}


@pytest.mark.parametrize("side", ["heads", "tails"])
def test_a_turn_told_too_late_is_made_up_for_in_the_next(side, monkeypatch):
    monkeypatch.setattr(tracking, "LEAST_SECONDS", -1.0)
    longer = COIN.replace("(true (seen ?s))", "(true (seen ?s)) (true (round 9))")
    coin = tracker(longer, "guesser")
    coin.advance(Turn(1, None, *terms("noop"), NOTHING), 0.0)
    assert coin.lost
    coin.advance(Turn(2, None, *terms("peek"), frozenset(terms(side))))
    assert not coin.lost
    assert sides(coin) == {f"(shows {side})"}


def test_replaying_goes_no_farther_back_than_needed(monkeypatch):
    monkeypatch.setattr(tracking, "SAMPLE", 1)
    hidden = DUEL + "(<= (sees ?p (got ?n)) (role ?p) (true (round 3)) (true (point right ?n)))"
    duel = tracker(hidden, "left")
    started = []
    replay = duel._replay_from
    monkeypatch.setattr(duel, "_replay_from", lambda first, deadline: started.append(first) or replay(first, deadline))
    for turn in range(1, 3):
        duel.advance(Turn(turn, None, *terms("(choose 2)"), NOTHING))
    duel._seen.append((terms("(choose 2)")[0], frozenset(terms("nonsense"))))
    assert duel._replay(float("inf")) == []
    assert started == [1, 0]


def test_a_replay_cut_off_at_any_time_gives_no_state_of_an_earlier_turn(monkeypatch):
    hidden = DUEL + "(<= (sees ?p (got ?n)) (role ?p) (does right (choose ?n)))"
    duel = tracker(hidden, "left")
    seen = [(terms("(choose 2)")[0], frozenset(terms(f"(got {n})"))) for n in (3, 1)]
    after = parse_term("(round 3)")
    found = 0
    for ticks in range(60):
        duel._seen, duel._samples = list(seen), [duel._samples[0], [], []]
        clock = itertools.count()
        monkeypatch.setattr(tracking, "time", SimpleNamespace(monotonic=lambda clock=clock: next(clock)))
        states = duel._replay_from(0, ticks)
        assert all(after in duel.machine.fluents(state) for state in states)
        found += len(states)
    assert found


def test_every_possible_state_has_a_successor_in_a_full_sample(monkeypatch):
    monkeypatch.setattr(tracking, "SAMPLE", 3)
    duel = tracker(DUEL + "(<= (sees ?p (got ?r)) (role ?p) (true (round ?r)))", "left")
    first_round = set(terms("(point left 1)", "(point right 1)"))
    for turn in (1, 2):
        duel.advance(Turn(turn, None, *terms("(choose 2)"), frozenset(terms(f"(got {turn})"))))
        # The first round was won, lost or drawn; each of these goes on in several ways.
        assert len({frozenset(first_round & duel.machine.fluents(state)) for state in duel.states}) == 3


def test_impossible_percepts_are_survived():
    coin = tracker(COIN, "guesser")
    coin.advance(Turn(1, None, *terms("noop"), frozenset(terms("edge"))))
    assert coin.legal_moves() == terms("peek")


def test_large_choices_are_sampled(monkeypatch):
    monkeypatch.setattr(tracking, "SAMPLE", 3)
    monkeypatch.setattr(tracking, "BRANCHES", 2)
    hidden = DUEL + "(<= (sees ?p (got ?r)) (role ?p) (true (round ?r)))"
    duel = tracker(hidden, "left")
    duel.advance(Turn(1, None, *terms("(choose 2)"), frozenset(terms("(got 1)"))))
    assert 1 <= len(duel.states) <= 3
    assert len(duel.legal_moves()) == 3


def test_of_many_moves_those_that_percepts_speak_of_are_tried_first():
    coin = tracker(COIN, "guesser")
    deals = terms(*(f"(deal you (card {a} {b}) {c})" for a in range(9) for b in range(9) for c in range(9)))
    choices = [deals, terms("noop")]
    tried = list(coin._joint_moves(choices, frozenset(terms("(hand 4 7)", "(score 1)"))))
    assert len(tried) == tracking.BRANCHES
    assert all("4 7" in str(joint[0]).replace(")", "") for joint in tried[: tracking.BRANCHES // 2])
    assert len({joint[0] for joint in tried[tracking.BRANCHES // 2 :]}) > tracking.BRANCHES // 4
    # Where nothing is seen all are alike.
    assert len({joint[0] for joint in coin._joint_moves(choices, NOTHING)}) > tracking.BRANCHES // 2


def test_p19_same_seed_same_states():
    hidden = DUEL + "(<= (sees ?p (got ?r)) (role ?p) (true (round ?r)))"
    runs = []
    for _ in range(2):
        duel = tracker(hidden, "left", seed=5)
        for turn in range(1, 3):
            duel.advance(Turn(turn, None, *terms("(choose 2)"), frozenset(terms(f"(got {turn})"))))
        runs.append([sorted(map(str, duel.machine.fluents(state))) for state in duel.states])
    assert runs[0] == runs[1]


def test_p21_two_matches_in_one_process_do_not_mix():
    a, b = tracker(DUEL, "left"), tracker(COIN, "guesser")
    for pick in itertools.islice(itertools.cycle("123"), 2):
        a.advance(Turn(1, terms(f"(choose {pick})", "(choose 1)")))
        assert b.legal_moves() == terms("noop")


CELLS = """(role me) (role other) (init start) (cell 1) (cell 2) (cell 3)
    (<= (legal me (try ?c)) (cell ?c) (not (true (tried ?c)))) (<= (legal other (try ?c)) (cell ?c))
    (<= (next (tried ?c)) (does me (try ?c))) (<= (next (tried ?c)) (true (tried ?c))) (<= (next (taken ?c)) (does other (try ?c)))
    (<= (sees me (took ?c)) (does other (try ?c))) (<= (sees me ghost) (true ghost)) (<= (next ghost) (true ghost))
    (<= terminal (true (tried 1)) (true (taken 2))) (goal me 0) (goal other 0)"""


def test_who_is_lost_goes_on_from_what_comes_nearest():
    player = tracker(CELLS, "me")
    player.advance(Turn(1, None, *terms("(try 2)"), frozenset(terms("ghost", "(took 3)"))))
    assert player.lost
    assert parse_term("(taken 3)") in player.machine.fluents(player.states[0])
    assert player.legal_moves() == terms("(try 1)", "(try 3)")


def test_who_is_lost_does_not_forget_its_own_moves():
    player = tracker(CELLS, "me")
    ghost = frozenset(terms("ghost"))
    player.advance(Turn(1, None, *terms("(try 1)"), ghost))
    player.advance(Turn(2, None, *terms("(try 1)"), ghost))  # which the states held possible do not allow
    player.advance(Turn(3, None, *terms("(try 2)"), frozenset(terms("ghost", "(took 2)"))))  # by which the match should be over
    assert player.legal_moves() == terms("(try 3)")
    player.advance(Turn(4, None, *terms("(fly)"), ghost))  # no move of the game
    assert player.legal_moves() == terms("(try 3)")

"""What others may believe, and how they are taken to move for it."""

import time

import numpy as np
import pytest

from scsp_player.belief import Belief, Minds, MindSettings, information_set, knowledge, pace
from scsp_player.belief.joint_moves import draw_joint_moves
from scsp_player.gdl.reading import parse_term
from scsp_player.gdl.terms import Compound, Symbol
from scsp_player.propnet import Propnet
from tests.games.sheets import prefix_text
from tests.oracles.naive_grounder import ground

CARDS = """
; Each of two players gets a card of three that the other does not see; the second says openly whether it dares to compare.
(role random) (role first) (role second)
(init (stage deal))
(card 1) (card 2) (card 3) (above 2 1) (above 3 2) (above 3 1)
(<= (legal random (deal ?a ?b)) (true (stage deal)) (card ?a) (card ?b) (distinct ?a ?b))
(<= (legal random rest) (not (true (stage deal))))
(legal first wait)
(<= (legal second wait) (not (true (stage choose))))
(<= (legal second dare) (true (stage choose)))
(<= (legal second pass) (true (stage choose)))
(<= (next (has first ?a)) (does random (deal ?a ?b)))
(<= (next (has second ?b)) (does random (deal ?a ?b)))
(<= (next (has ?r ?c)) (true (has ?r ?c)))
(<= (next (stage choose)) (does random (deal ?a ?b)))
(<= (next (stage talk)) (true (stage choose)))
(<= (next (stage over)) (true (stage talk)))
(<= (next dared) (does second dare))
(<= (next dared) (true dared))
(<= (sees first (mine ?a)) (does random (deal ?a ?b)))
(<= (sees second (mine ?b)) (does random (deal ?a ?b)))
(<= (sees first dared) (does second dare))
(<= terminal (true (stage over)))
(<= (wins second) (true (has first ?a)) (true (has second ?b)) (above ?b ?a))
(<= (goal second 100) (true dared) (wins second))
(<= (goal second 0) (true dared) (not (wins second)))
(<= (goal second 40) (not (true dared)))
(<= (goal first 0) (wins second))
(<= (goal first 100) (not (wins second)))
"""

FIRST, SECOND = 1, 2


@pytest.fixture
def game():
    return ground(CARDS)


def told(card):
    return frozenset({Compound("mine", (Symbol(str(card)),))})


def cards(game, state):
    """The cards of both players."""
    facts = [f for f in game.fluents_of(state) if isinstance(f, Compound) and f.functor == "has"]
    has = {str(f.arguments[0]): int(str(f.arguments[1])) for f in facts}
    return has["first"], has["second"]


def modelled(game, **settings):
    propnet = Propnet(game)
    minds = Minds(game, propnet, FIRST, settings=MindSettings(**settings), seed=4, clock=time.thread_time)
    return propnet, minds, Belief(game, propnet, FIRST, seed=4, model=minds)


def test_others_hold_possible_what_they_cannot_tell_apart(game):
    _, minds, belief = modelled(game, copies=12, tries=4)
    belief.update(Symbol("wait"), told(2))
    assert sorted(cards(game, state) for state in belief.states) == [(2, 1), (2, 3)]
    held = minds.held(SECOND).states
    for state, possible in zip(belief.states, held, strict=True):
        others = {cards(game, alternative) for alternative in possible}
        assert {second for _, second in others} == {cards(game, state)[1]}
        assert {first for first, _ in others} == {1, 2, 3} - {cards(game, state)[1]}


def test_others_move_by_what_they_believe(game):
    propnet, minds, belief = modelled(game, copies=12, tries=4, samples=4, careless=0.1)
    belief.update(Symbol("wait"), told(2))
    begin, end = game.role_start[SECOND], game.role_start[SECOND + 1]
    legal = propnet.legal(belief.states)[:, begin:end]
    policy = minds.policy(SECOND, belief.views[:, SECOND], legal, belief.probabilities)
    assert policy.sum(axis=1) == pytest.approx([1.0, 1.0])
    assert not policy[~legal].any()
    dare = int(game.move_index[SECOND][Symbol("dare")]) - int(begin)
    for state, row in zip(belief.states, policy, strict=True):
        assert (row[dare] > 0.7) == (cards(game, state)[1] == 3)
        assert (row[dare] < 0.3) == (cards(game, state)[1] == 1)


def test_a_move_says_something_about_what_the_other_has(game):
    _, _, belief = modelled(game, copies=12, tries=4)
    uniform = Belief(game, Propnet(game), FIRST, seed=4)
    for each in (belief, uniform):
        each.update(Symbol("wait"), told(2))
        each.update(Symbol("wait"), frozenset({Symbol("dared")}))
    high = {cards(game, state): p for state, p in zip(belief.states, belief.probabilities, strict=True)}
    assert high[2, 3] > 0.7
    assert uniform.probabilities == pytest.approx([0.5, 0.5])


def test_where_nobody_has_a_choice_nothing_is_valued(game):
    propnet, minds, belief = modelled(game)
    legal = propnet.legal(belief.states)[:, game.role_start[SECOND] : game.role_start[SECOND + 1]]
    assert minds.policy(SECOND, belief.views[:, SECOND], legal, belief.probabilities) == pytest.approx(legal.astype(float))


def test_a_known_state_is_known_to_all(game):
    _, minds, belief = modelled(game)
    belief.update(Symbol("wait"), told(2))
    belief.certain(game.initial_state)
    assert (minds.held(SECOND).states == game.initial_state).all()


def test_without_time_moves_of_one_entry_stand_for_all(game):
    propnet, minds, belief = modelled(game)
    minds.seconds = 0.0
    belief.update(Symbol("wait"), told(2))
    legal = propnet.legal(belief.states)[:, game.role_start[SECOND] : game.role_start[SECOND + 1]]
    policy = minds.policy(SECOND, belief.views[:, SECOND], legal, belief.probabilities)
    assert policy.sum(axis=1) == pytest.approx([1.0, 1.0])


def test_a_sample_by_priority_is_right_on_average(monkeypatch):
    """Of 120 sides of a die the other takes the lower half three times as often; cut off after a chunk of 40."""
    monkeypatch.setattr(information_set, "CHUNK", 40)
    sides = " ".join(f"(side n{i})" for i in range(120)) + " ".join(f"(low n{i})" for i in range(60))
    game = ground(
        f"""(role me) (role other) (init start) {sides} (legal me wait)
        (<= (legal other (take ?n)) (true start) (side ?n)) (<= (legal other rest) (not (true start)))
        (<= (next (taken ?n)) (does other (take ?n))) (<= (next (taken ?n)) (true (taken ?n)))
        (<= (next low) (does other (take ?n)) (low ?n)) (<= (next low) (true low))
        (<= terminal (true (taken n0)) (not (true low))) (goal me 0) (goal other 0)"""
    )

    class Lopsided:
        def policy(self, role, views, legal, probabilities):
            return np.where(legal, np.where(low, 3.0, 1.0), 0.0) / 240

        def credit(self, ratio):
            """Nothing to learn."""

        def follow(self, parent, moves, seen, states, views):
            """Nothing to keep."""

        def renew(self, kept, states, views):
            """Nothing to keep."""

    names = [str(game.move(int(m))) for m in range(game.role_start[1], game.role_start[2])]
    low = np.array([name.startswith("(take n") and int(name[7:-1]) < 60 for name in names])
    shares = []
    for seed in range(20):
        belief = Belief(game, Propnet(game), 0, seed=seed, model=Lopsided())
        belief.update(Symbol("wait"), frozenset(), lambda: True)
        assert not belief.exact
        held = np.array([Symbol("low") in game.fluents_of(state) for state in belief.states])
        shares.append(float(belief.probabilities[held].sum()))
    assert np.mean(shares) == pytest.approx(0.75, abs=0.05)


def test_what_is_unlikely_is_looked_for_until_it_is_late(monkeypatch):
    """One side of a die in 200 shows a light; the chunk that is tried in any case rarely holds it."""
    monkeypatch.setattr(information_set, "CHUNK", 10)
    sides = " ".join(f"(side n{i})" for i in range(200))
    game = ground(
        f"""(role me) (role other) (init start) {sides} (legal me wait)
        (<= (legal other (take ?n)) (true start) (side ?n)) (<= (legal other rest) (not (true start)))
        (<= (next (taken ?n)) (does other (take ?n))) (<= (sees me light) (does other (take n7)))
        (<= terminal (true start) (true (taken n0))) (goal me 0) (goal other 0)"""
    )
    light = frozenset({Symbol("light")})
    # What must have been done is tried alone.
    assert Belief(game, Propnet(game), 0, seed=1).update(Symbol("wait"), light, lambda: True)
    monkeypatch.setattr(knowledge, "RULE_LIMIT", 0)
    hasty, patient = (Belief(game, Propnet(game), 0, seed=1) for _ in range(2))
    assert not hasty.update(Symbol("wait"), light, lambda: True)
    assert patient.update(Symbol("wait"), light, lambda: True, lambda: False)
    assert [str(f) for f in game.fluents_of(patient.states[0])] == ["(taken n7)"]


def test_who_is_lost_and_holds_the_match_to_be_over_still_knows_its_own_moves():
    game = ground(
        """(role me) (role other) (init start) (cell 1) (cell 2) (cell 3)
        (<= (legal me (try ?c)) (cell ?c) (not (true (tried ?c)))) (legal other yes) (legal other no)
        (<= (next (tried ?c)) (does me (try ?c))) (<= (next (tried ?c)) (true (tried ?c)))
        (<= terminal (true (tried 1))) (goal me 0) (goal other 0)"""
    )
    belief = Belief(game, Propnet(game), 0, seed=1)
    one, two = (game.move(int(m)) for m in belief.legal_moves()[:2])
    assert belief.update(one, frozenset())  # the match goes on, although by the rules it is over
    assert not belief.update(two, frozenset())
    assert [str(game.move(int(m))) for m in belief.legal_moves()] == ["(try 3)"]


CROSSED = """(role me) (role other) (init start) (cell 1) (cell 2) (cell 3) (cell 4)
    (<= (legal me (try ?c)) (cell ?c) (not (true (tried ?c))))
    (<= (legal other (try ?c)) (cell ?c) (not (true (taken ?c))))
    (<= (next (tried ?c)) (does me (try ?c))) (<= (next (tried ?c)) (true (tried ?c)))
    (<= (next (taken ?c)) (does other (try ?c))) (<= (next (taken ?c)) (true (taken ?c)))
    (<= (sees me (took ?c)) (does other (try ?c))) (<= (sees me (never ?c)) (true (never ?c)))
    (<= (next (never ?c)) (true (never ?c))) (init (never 5))
    (<= terminal (true (tried 1)) (true (tried 2)) (true (tried 3)) (true (tried 4))) (goal me 0) (goal other 0)"""


def test_who_is_lost_goes_on_from_what_comes_nearest():
    game = ground(CROSSED)
    belief = Belief(game, Propnet(game), 0, seed=1)
    own = [game.move(int(m)) for m in belief.legal_moves()]
    took = parse_term("(took 3)")
    assert not belief.update(own[0], frozenset({took}))  # (never 5) should have been seen
    likeliest = belief.states[belief.probabilities.argmax()]
    assert "(taken 3)" in {str(fluent) for fluent in game.fluents_of(likeliest)}
    assert [game.move(int(m)) for m in belief.legal_moves()] == own[1:]


def test_an_own_move_that_seemed_illegal_was_made_all_the_same():
    game = ground(CROSSED)
    belief = Belief(game, Propnet(game), 0, seed=1)
    own = [game.move(int(m)) for m in belief.legal_moves()]
    for _ in range(2):
        belief.update(own[0], frozenset({parse_term("(took 3)")}))
    belief.update(own[1], frozenset())
    assert [game.move(int(m)) for m in belief.legal_moves()] == own[2:]


def test_a_move_is_at_hand_before_a_turn_is_followed():
    game = ground(CROSSED)
    belief = Belief(game, Propnet(game), 0, seed=1)
    own = [game.move(int(m)) for m in belief.legal_moves()]
    before = belief.states.copy()
    for tried in own:
        assert game.move(belief.glance(tried)) in {move for move in own if move != tried}
    assert game.move(belief.glance(None)) in own
    assert (belief.states == before).all()
    # Where others have no move nothing follows.
    stuck = ground("(role me) (role other) (init start) (legal me wait) (<= terminal (true never)) (goal me 0) (goal other 0)")
    assert Belief(stuck, Propnet(stuck), 0).glance(None) == -1


def test_a_belief_is_as_large_as_the_clock_allows():
    game = ground(CROSSED)
    time = iter(range(0, 10_000, 3))
    belief = Belief(game, Propnet(game), 0, seed=1, limit=1000, clock=lambda: float(next(time)))
    belief.update(game.move(int(belief.legal_moves()[0])), frozenset({parse_term("(took 3)"), parse_term("(never 5)")}))
    assert belief.seconds == 3.0
    for seconds, limit in [(1.5, 500), (4.0, 500), (13.0, 1000), (13.0, 1000), (0.1, 100), (0.1, 32), (0.1, 32)]:
        belief.keep_pace(seconds)
        assert belief.limit == limit
    belief.calibrate(24.0)  # a trial takes 3 s by this clock
    assert belief.limit == 24 * pace.TRIAL // (3 * pace.TRIALS_A_TURN)
    belief.calibrate(0.0)
    assert belief.limit == information_set.LEAST_ENTRIES
    belief.keep_pace(13.0)  # what a trial held to be too much may turn out to be little
    assert belief.limit == 2 * information_set.LEAST_ENTRIES


def test_valuing_the_moves_of_others_takes_no_entries_away():
    game = ground(CROSSED)

    class Slow(Minds):
        def policy(self, *arguments):
            nonlocal now
            now += 1000.0
            return super().policy(*arguments)

    now = 0.0
    belief = Belief(game, Propnet(game), 0, seed=1, model=Slow(game, Propnet(game), 0), clock=lambda: now)
    belief.update(game.move(int(belief.legal_moves()[0])), frozenset({parse_term("(took 3)"), parse_term("(never 5)")}))
    assert now >= 1000.0
    assert belief.seconds == 0.0


def test_entries_that_stay_keep_what_others_hold_possible_there():
    game = ground(prefix_text("kriegspiel-tic-tac-toe"))
    propnet = Propnet(game)
    minds = Minds(game, propnet, 0, seed=1)
    belief = Belief(game, propnet, 0, seed=1, model=minds)
    state, rng = game.initial_state[None], np.random.default_rng(1)
    for _ in range(4):
        joint = draw_joint_moves(game, propnet.legal(state), rng)
        seen = np.flatnonzero(propnet.percepts(state, joint)[0] & (game.percept_role == 0))
        state = propnet.successors(state, joint)
        percepts = frozenset(game.terms.term(int(game.percept_term[p])) for p in seen.tolist())
        belief.update(game.move(int(joint[0, 0])), percepts)
    assert len(belief.states) > 4
    held = minds.held(1)
    kept = np.array([2, -1, 0])
    minds.renew(kept, belief.states[[2, 1, 0]], belief.views[[2, 1, 0]])
    renewed = minds.held(1)
    assert (renewed.states[[0, 2]] == held.states[[2, 0]]).all()
    assert (renewed.states[1] == belief.states[1]).all()


def test_who_foretells_badly_is_believed_less():
    game = ground(prefix_text("kriegspiel-tic-tac-toe"))
    minds = Minds(game, Propnet(game), 0, seed=1)
    first = minds.careful
    assert 0.7 < first < 0.8
    for _ in range(10):
        # As if the valued moves alone had said half of what chance says.
        minds.credit(1.0 - 0.5 * minds.careful)
    assert minds.careful < 0.1
    for _ in range(20):
        minds.credit(1.0 + minds.careful)
    assert minds.careful == pytest.approx(first)


@pytest.mark.parametrize(("taken", "ratio"), [("n3", 1.5), ("n7", 0.5)])
def test_a_model_is_told_how_well_it_foretold(taken, ratio):
    """Of ten sides of a die the other takes the lower half three times as often, and a light shows them."""
    sides = " ".join(f"(side n{i})" for i in range(10)) + " ".join(f"(low n{i})" for i in range(5))
    game = ground(
        f"""(role me) (role other) (init start) {sides} (legal me wait)
        (<= (legal other (take ?n)) (true start) (side ?n)) (<= (legal other rest) (not (true start)))
        (<= (next (taken ?n)) (does other (take ?n))) (<= (sees me light) (does other (take ?n)) (low ?n))
        (<= terminal (true (taken n0)) (true (taken n9))) (goal me 0) (goal other 0)"""
    )
    names = [str(game.move(int(m))) for m in range(game.role_start[1], game.role_start[2])]
    low = np.array([name.startswith("(take n") and int(name[7:-1]) < 5 for name in names])
    told = []

    class Lopsided:
        def policy(self, role, views, legal, probabilities):
            return np.where(legal, np.where(low, 3.0, 1.0), 0.0) / 20

        def credit(self, ratio):
            told.append(ratio)

        def follow(self, parent, moves, seen, states, views):
            """Nothing to keep."""

        def renew(self, kept, states, views):
            """Nothing to keep."""

    belief = Belief(game, Propnet(game), 0, model=Lopsided())
    belief.update(Symbol("wait"), frozenset({Symbol("light")} if int(taken[1:]) < 5 else set()))
    assert told == [pytest.approx(ratio)]

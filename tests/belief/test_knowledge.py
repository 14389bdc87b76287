"""What is certain: never wrong, and enough to know the own legal moves where the rules tell them."""

import time
from pathlib import Path

import numpy as np
import pytest

from scsp_player.agents.base import Turn
from scsp_player.agents.mac_ucb import MacUcbAgent
from scsp_player.belief import Belief, Minds, knowledge
from scsp_player.belief.exclusion import NOTHING, exclusive
from scsp_player.belief.joint_moves import draw_joint_moves
from scsp_player.belief.knowledge import Knowledge
from scsp_player.belief.legality import DOUBTED_TURNS
from scsp_player.gdl import load_program
from scsp_player.gdl.reading import parse_program, parse_term
from scsp_player.grounding import ground as ground_program
from scsp_player.propnet import Propnet
from tests.oracles.naive_grounder import ground

GAMES = Path(__file__).resolve().parents[2] / "games"

DUEL = """
; Each of three pieces of either side is strong or weak, as its owner says, unseen. Then they meet, one pair a turn; who attacks
; with the weaker one loses it, and both see what the other had.
(role me) (role other) (square 1) (square 2) (square 3) (rank weak) (rank strong) (after 1 2) (after 2 3)
(init (placing 1)) (enemy me other) (enemy other me)
(<= (legal ?r (place ?s ?k)) (role ?r) (true (placing ?s)) (rank ?k))
(<= (next (placing ?t)) (true (placing ?s)) (after ?s ?t)) (<= (next playing) (true (placing 3))) (<= (next playing) (true playing))
(<= (next (piece ?r ?s ?k)) (does ?r (place ?s ?k)))
(<= (legal me (attack ?s)) (true playing) (true (piece me ?s ?k)))
(<= (legal me rest) (true playing)) (<= (legal other rest) (true playing))
(<= (legal other (attack ?s)) (true playing) (true (piece other ?s ?k)))
(<= (fight ?r ?s) (does ?q (attack ?s)) (enemy ?q ?r)) (<= (fight ?r ?s) (does ?r (attack ?s)))
(<= (lost ?r ?s) (fight ?r ?s) (true (piece ?r ?s weak)) (enemy ?r ?q) (true (piece ?q ?s strong)))
(<= (next (piece ?r ?s ?k)) (true (piece ?r ?s ?k)) (does ?q ?m) (not (lost ?r ?s)))
(<= (sees ?r (had ?s ?k)) (fight ?r ?s) (enemy ?r ?q) (true (piece ?q ?s ?k)))
(<= terminal (true (piece me 0 weak))) (goal me 50) (goal other 50)
"""

RETREAT = """
; The other takes one of my two men in each round, unseen; but never the third.
(role me) (role other) (man 1) (man 2) (man 3) (init (stands 1)) (init (stands 2)) (init (stands 3))
(<= (legal me (move ?m)) (true (stands ?m))) (legal other (take 1)) (legal other (take 2))
(<= (next (stands ?m)) (true (stands ?m)) (does other (take ?n)) (distinct ?m ?n)) (<= (sees me nothing) (true never))
(<= terminal (true never)) (goal me 0) (goal other 0)
"""

ROADS = """
; Where one can go hangs on a chain of roads, the first of which is mine to open.
(role me) (role other) (joined 1 2) (joined 2 3) (joined 3 1)
(<= (reached 1) (true open)) (<= (reached ?b) (reached ?a) (joined ?a ?b)) (<= (reached ?b) (true (hole ?b)))
(legal me wait) (legal me open) (<= (legal me (go ?a)) (reached ?a)) (<= (legal me (stay ?a)) (joined ?a ?b) (not (reached ?a)))
(legal other yes) (legal other no) (<= (next open) (does me open)) (<= (next open) (true open))
(<= (next (hole 3)) (does other yes) (does me open)) (<= (sees me nothing) (true never))
(<= terminal (true never)) (goal me 0) (goal other 0)
"""


MARKS = """
; Both mark squares of a row, unseen; who marks a square that is taken is told so, and does not try it again.
(role me) (role other) (square 1) (square 2) (square 3) (square 4) (<= (init (cell ?s b)) (square ?s))
(init (control me)) (<= (next (control me)) (true (control other))) (<= (next (control other)) (true (control me)))
(<= (legal ?r (mark ?s)) (true (control ?r)) (true (cell ?s ?c)) (distinct ?c ?r) (not (true (tried ?r ?s))))
(<= (legal ?r wait) (role ?r) (not (true (control ?r))))
(<= (marks ?r ?s) (does ?r (mark ?s)) (true (cell ?s b))) (<= (marked ?s) (marks ?r ?s))
(<= (next (cell ?s ?r)) (marks ?r ?s)) (<= (next (cell ?s ?c)) (true (cell ?s ?c)) (not (marked ?s)))
(<= (next (tried ?r ?s)) (does ?r (mark ?s)) (not (marks ?r ?s))) (<= (next (tried ?r ?s)) (true (tried ?r ?s)))
(<= (sees ?r yours) (marks ?r ?s))
(<= terminal (true (tried me 1)) (true (tried me 2)) (true (tried me 3)) (true (tried me 4))) (goal me 50) (goal other 50)
"""


def names(game, knowledge, sign):
    first = game.role_start[knowledge.role]
    return {str(game.move(int(first + m))) for m in np.flatnonzero(knowledge.legal == sign)}


def told(game, knowledge, move, *percepts):
    row = np.zeros(len(game.percept_role), np.bool_)
    for column in range(len(row)):
        seen = str(game.terms.term(int(game.percept_term[column])))
        row[column] = game.percept_role[column] == knowledge.role and seen in percepts
    knowledge.update(game.move_index[knowledge.role][parse_term(move)], row)


def test_what_was_seen_tells_how_a_fight_ended():
    game = ground(DUEL)
    me = Knowledge(game, 0)
    for square in (1, 2, 3):
        told(game, me, f"(place {square} weak)")
    assert names(game, me, 1) == {"(attack 1)", "(attack 2)", "(attack 3)", "rest"}
    told(game, me, "(attack 1)", "(had 1 strong)")
    told(game, me, "(attack 2)", "(had 2 weak)")
    assert names(game, me, 1) == {"(attack 2)", "(attack 3)", "rest"}
    assert names(game, me, -1) >= {"(attack 1)"}
    told(game, me, "rest", "(had 3 strong)")  # the other has attacked
    assert names(game, me, 1) == {"(attack 2)", "rest"}


def test_what_all_moves_of_others_agree_in_is_known():
    game = ground(RETREAT)
    me = Knowledge(game, 0)
    told(game, me, "(move 3)")
    assert names(game, me, 1) == {"(move 3)"}
    assert names(game, me, -1) == set()


def test_what_nothing_holds_up_is_false():
    game = ground(ROADS)
    me = Knowledge(game, 0)
    told(game, me, "wait")
    assert names(game, me, 1) == {"wait", "open", "(stay 1)", "(stay 2)", "(stay 3)"}
    told(game, me, "open")
    assert names(game, me, 1) == {"wait", "open", "(go 1)", "(go 2)", "(go 3)"}


def test_what_excludes_each_other_leaves_moves_that_are_legal_either_way():
    game = ground(MARKS)
    alone, me = Knowledge(game, 0), Knowledge(game, 0)
    me.groups = exclusive(game, 5.0)
    assert me.groups.exact.any()
    for either in (alone, me):
        told(game, either, "(mark 1)", "yours")
        told(game, either, "wait")
    assert names(game, alone, 1) == set()
    assert names(game, me, 1) == {"(mark 2)", "(mark 3)", "(mark 4)"}
    assert names(game, me, -1) == {"(mark 1)", "wait"}
    told(game, me, "(mark 2)")
    told(game, me, "wait")
    assert names(game, me, 1) == {"(mark 3)", "(mark 4)"}


def test_what_others_cannot_have_done_is_known():
    game = ground(DUEL)
    me = Knowledge(game, 0)
    for square in (1, 2, 3):
        told(game, me, f"(place {square} weak)")
    told(game, me, "rest", "(had 3 strong)")
    assert {str(game.move(int(m))) for m in np.flatnonzero(me.made)} == {"rest", "(attack 3)"}
    told(game, me, "rest", "(had 1 weak)", "(had 2 weak)")  # one attack at a time, so what was seen is left out of account
    assert {str(game.move(int(m))) for m in np.flatnonzero(me.made)} == {"rest", "(attack 1)", "(attack 2)", "(attack 3)"}


def test_there_is_no_time_for_proofs_in_a_moment():
    assert exclusive(ground(MARKS), 0.0) is NOTHING
    assert exclusive(ground(RETREAT), 5.0) is NOTHING  # there is nothing to prove


def test_of_very_large_games_nothing_is_known(monkeypatch):
    monkeypatch.setattr(knowledge, "RULE_LIMIT", 3)
    game = ground(RETREAT)
    belief = Belief(game, Propnet(game), 0)
    belief.update(parse_term("(move 3)"), frozenset())
    assert not belief.knowledge.fluents.any()
    assert not belief.knowledge.legal.any()
    assert (belief.knowledge.corrected(belief.states) == belief.states).all()


def test_contradictions_are_survived_and_own_moves_kept():
    game = ground(DUEL)
    me = Knowledge(game, 0)
    for square in (1, 2, 3):
        told(game, me, f"(place {square} strong)")
    told(game, me, "rest", "(had 1 weak)", "(had 2 weak)")  # one attack at a time
    assert me.contradicted == 1
    assert names(game, me, 1) == {"(attack 1)", "(attack 2)", "(attack 3)", "rest"}
    told(game, me, "(place 1 weak)")  # not in this phase
    assert me.contradicted == 2


SHEETS = ("kriegspiel-tic-tac-toe.kif", "bluff-die.kif", "kuhn-poker.kif", "hide-and-seek.kif", DUEL, RETREAT, ROADS, MARKS)


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.strip().split()[0].strip(";") or "own")
@pytest.mark.parametrize("proofs", [0.0, 5.0], ids=["alone", "with proofs"])
def test_it_is_never_wrong(sheet, proofs):
    """In random matches what is certain is so in the real state and in all that an exact belief holds possible."""
    game = ground(sheet) if "(role" in sheet else ground_program(load_program(GAMES / sheet))
    propnet, rng = Propnet(game), np.random.default_rng(1)
    for match in range(4):
        beliefs = [Belief(game, propnet, role, limit=5000) for role in range(len(game.roles)) if role != game.random_role]
        for belief in beliefs:
            belief.prove_exclusions(proofs)
        state = game.initial_state[None]
        for _ in range(8):
            legal = propnet.legal(state)
            able = np.logical_or.reduceat(legal[0], game.role_start[:-1])
            if propnet.terminal(state)[0] or not able.all():
                break
            moves = draw_joint_moves(game, legal, rng)
            seen = propnet.percepts(state, moves)[0]
            state = propnet.successors(state, moves)
            for belief in beliefs:
                terms = {
                    game.terms.term(int(game.percept_term[c])) for c in np.flatnonzero(seen & (game.percept_role == belief.role))
                }
                belief.update(game.move(int(moves[0, belief.role])), frozenset(terms))
                assert belief.knowledge.made[moves[0]].all()
                if propnet.terminal(state)[0]:
                    continue
                assert belief.knowledge.contradicted == 0
                for states in (state, belief.states):
                    assert (belief.knowledge.corrected(states) == states).all(), match
                first, last = game.role_start[belief.role : belief.role + 2]
                mine = propnet.legal(state)[0, first:last]
                assert mine[belief.knowledge.legal > 0].all()
                assert not mine[belief.knowledge.legal < 0].any()


def test_who_is_lost_makes_moves_that_are_certainly_legal():
    game = ground(DUEL)
    belief = Belief(game, Propnet(game), 0, limit=1)
    for square in (1, 2, 3):
        belief.update(parse_term(f"(place {square} weak)"), frozenset())
    for rank in ("strong", "weak"):  # one state cannot explain both
        if not belief.lost:
            belief.update(parse_term("(attack 1)"), frozenset({parse_term(f"(had 1 {rank})")}))
    belief.update(parse_term("(attack 2)"), frozenset({parse_term("(had 2 strong)")}))
    belief.update(parse_term("(attack 3)"), frozenset({parse_term("(had 3 strong)")}))
    assert belief.lost
    gone = {str(game.move(int(m))) for m in belief.legal_moves()} & {"(attack 2)", "(attack 3)"}
    assert not gone
    assert "rest" in {str(game.move(int(m))) for m in belief.legal_moves()}


DOORS = """
; The other locks one of three doors, unseen. Who pulls at a locked one does something illegal.
(role me) (role other) (door 1) (door 2) (door 3) (init start)
(<= (legal me wait) (true start)) (<= (legal me (pull ?d)) (not (true start)) (door ?d) (not (true (locked ?d))))
(<= (legal other (lock ?d)) (true start) (door ?d)) (<= (legal other rest) (not (true start)))
(<= (next (locked ?d)) (does other (lock ?d))) (<= (next (locked ?d)) (true (locked ?d)))
(<= (sees other (pulled ?d)) (does me (pull ?d))) (<= terminal (true never)) (goal me 0) (goal other 0)
"""


def moves_of(belief):
    return {str(belief.game.move(int(m))) for m in belief.legal_moves()}


def test_a_move_that_was_not_accepted_was_not_legal():
    game = ground(DOORS)
    belief = Belief(game, Propnet(game), 0)
    belief.update(parse_term("wait"), frozenset())
    assert moves_of(belief) == {"(pull 1)", "(pull 2)", "(pull 3)"}
    belief.update(parse_term("(pull 3)"), frozenset(), refused=parse_term("(pull 2)"))
    assert moves_of(belief) == {"(pull 1)", "(pull 3)"}
    assert names(game, belief.knowledge, 1) == {"(pull 3)"}
    assert names(game, belief.knowledge, -1) == {"(pull 2)", "wait"}
    belief.update(parse_term("(pull 3)"), frozenset())
    assert belief.exact
    assert len(belief.states) == 1


def test_a_move_that_was_accepted_was_legal():
    game = ground(DOORS)
    belief = Belief(game, Propnet(game), 0)
    belief.update(parse_term("wait"), frozenset())
    belief.update(parse_term("(pull 3)"), frozenset())
    assert moves_of(belief) == {"(pull 3)"}
    assert belief.probabilities == pytest.approx([0.5, 0.5])


def test_a_small_sample_is_not_trusted_where_legal_moves_are_certain():
    game = ground(DOORS.replace("(door 3)", " ".join(f"(door d{i})" for i in range(20))))
    belief = Belief(game, Propnet(game), 0, limit=4)
    belief.update(parse_term("wait"), frozenset())
    belief.update(parse_term("(pull d7)"), frozenset())
    if not belief.lost:
        assert len(belief.states) <= 4
    assert moves_of(belief) == {"(pull d7)"}  # in each of the few states some twenty doors are open
    belief.update(parse_term("(pull d8)"), frozenset())
    assert moves_of(belief) == {"(pull d7)", "(pull d8)"}


def test_what_was_refused_against_expectation_is_not_tried_again_at_once(monkeypatch):
    monkeypatch.setattr(knowledge, "RULE_LIMIT", 0)  # nothing is known for certain
    game = ground(DOORS.replace("(door 3)", " ".join(f"(door d{i})" for i in range(20))))
    belief = Belief(game, Propnet(game), 0, limit=64)
    belief.update(parse_term("wait"), frozenset())
    # A sample that has lost the state in which the second door is locked.
    legal = Propnet(game).legal(belief.states)[:, game.move_index[0][parse_term("(pull 2)")]]
    belief.states, belief.views, belief.exact = belief.states[legal], belief.views[legal], False
    belief.probabilities = np.full(len(belief.states), 1 / len(belief.states))
    belief.update(parse_term("(pull 1)"), frozenset(), refused=parse_term("(pull 2)"))
    assert moves_of(belief) == {"(pull 1)"}
    for _ in range(DOUBTED_TURNS):
        belief.update(parse_term("(pull 1)"), frozenset())
    assert moves_of(belief) == {"(pull 1)", "(pull 2)"}


def test_a_refusal_that_cannot_be_counts_for_nothing():
    """It may have been late: only one door is locked."""
    game = ground(DOORS)
    belief = Belief(game, Propnet(game), 0)
    belief.update(parse_term("wait"), frozenset())
    for door in (2, 3):
        belief.update(parse_term("(pull 1)"), frozenset(), refused=parse_term(f"(pull {door})"))
    assert belief.knowledge.contradicted == 0
    assert "(pull 1)" in moves_of(belief)
    belief.update(parse_term("(pull 1)"), frozenset(), refused=parse_term("(fly)"))
    assert "(pull 1)" in moves_of(belief)


def test_the_player_remembers_what_it_said():
    agent = MacUcbAgent()
    agent.start(parse_program(DOORS), "me", play_seconds=0.1, deadline=time.monotonic() + 1.0, seed=1)
    soon = time.monotonic() + 60.0
    agent.search_hidden = lambda deadline, report: agent._game.move_index[0][parse_term("(pull 2)")]
    agent.play(Turn(1, None, parse_term("wait"), frozenset()), soon)
    agent.play(Turn(2, None, parse_term("(pull 1)"), frozenset()), soon)
    assert names(agent._game, agent._belief.knowledge, -1) == {"(pull 2)", "wait"}
    agent.stop()


def test_what_others_believe_is_followed_beside_some_entries_only():
    game = ground(DOORS.replace("(door 3)", " ".join(f"(door d{i})" for i in range(40))))
    minds = Minds(game, Propnet(game), 0, entries=8)
    belief = Belief(game, Propnet(game), 0, model=minds)
    belief.update(parse_term("wait"), frozenset())
    belief.update(parse_term("(pull 1)"), frozenset())
    assert len(belief.states) == 41
    held = minds.held(1).states
    assert held.shape[:2] == (41, 32)
    assert minds._watched.sum() == 8
    assert belief.probabilities.sum() == pytest.approx(1.0)

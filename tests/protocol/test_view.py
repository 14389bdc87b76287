"""From messages to turns: dialects, case, the rule that shows every move to everybody."""

import pytest

from scsp_player.agents.base import Turn
from scsp_player.gdl.errors import GdlError
from scsp_player.gdl.reading import parse_term
from scsp_player.protocol.errors import ProtocolError
from scsp_player.protocol.messages import parse_message
from scsp_player.protocol.view import MatchView
from tests.protocol.games import COIN, DUEL, start

SHOW_MOVES = "(<= (sees ?p (did ?q ?m)) (role ?p) (does ?q ?m))"


def view(rules, role):
    return MatchView(parse_message(start(rules, role)))


def terms(*texts):
    return tuple(parse_term(text) for text in texts)


def test_joint_moves():
    duel = view(DUEL, "left")
    assert duel.turn(parse_message("(PLAY m1 NIL)"), 0, None) == Turn(0)
    turn = duel.turn(parse_message("(PLAY m1 ((CHOOSE 1) (choose 2)))"), 1, "(Choose 1)")
    assert turn == Turn(1, terms("(choose 1)", "(choose 2)"))


def test_p12_role_in_any_case_and_moves_in_the_manager_s_spelling():
    duel = view(DUEL, "LEFT")
    assert duel.role == "left"
    assert duel.spell(parse_term("(choose 1)")) == "(Choose 1)"
    shouted = view(DUEL.upper(), "LEFT")
    assert shouted.role == "left"
    assert shouted.spell(parse_term("(choose 1)")) == "(CHOOSE 1)"


@pytest.mark.parametrize(
    "text",
    ["(PLAY m1 1 noop (heads bump))", "(PLAY m1 (bump heads))", "(SEES m1 (HEADS bump))", "(STOP m1 1 NOOP (heads bump heads))"],
)
def test_p15_three_dialects_say_the_same(text):
    turn = view(COIN, "guesser").turn(parse_message(text), 1, "noop")
    assert turn == Turn(1, None, terms("noop")[0], frozenset(terms("heads", "bump")))


def test_p15_the_substituted_move_counts_and_not_the_reply():
    turn = view(COIN, "guesser").turn(parse_message("(PLAY m1 1 noop NIL)"), 1, "(name heads)")
    assert turn == Turn(1, None, terms("noop")[0], frozenset())


def test_p15_no_percepts_in_a_game_without_any():
    rules = "(role random) (role r) (init a) (legal r go) (legal random go) (<= terminal (true b)) (goal r 0)"
    assert view(rules, "r").turn(parse_message("(PLAY m1 ())"), 1, "go") == Turn(1, None, terms("go")[0], frozenset())


def test_p15_percepts_that_show_all_moves_are_a_joint_move():
    duel = view(DUEL + SHOW_MOVES, "right")
    assert not any(str(rule.head).startswith("(sees") for rule in duel.program.rules)
    turn = duel.turn(parse_message("(PLAY m1 ((did right (choose 2)) (did left (choose 3))))"), 1, "(choose 2)")
    assert turn == Turn(1, terms("(choose 3)", "(choose 2)"))


def test_p15_other_rules_for_percepts_are_left_alone():
    partial = DUEL + "(<= (sees left (did ?q ?m)) (does ?q ?m))"
    turn = view(partial, "left").turn(parse_message("(PLAY m1 ((did right (choose 2)) (did left (choose 3))))"), 1, "(choose 3)")
    assert turn.joint_move is None
    assert turn.own_move == parse_term("(choose 3)")


def test_a_lone_player_s_move_needs_no_list():
    rules = "(role r) (init a) (<= (legal r (go ?x)) (true ?x)) (<= (legal r stay) (true a)) (<= terminal (true b)) (goal r 0)"
    solo = view(rules, "r")
    for text in ("(PLAY m1 ((go a)))", "(PLAY m1 (go a))"):
        assert solo.turn(parse_message(text), 1, None).joint_move == terms("(go a)")
    for text in ("(PLAY m1 (stay))", "(PLAY m1 stay)"):
        assert solo.turn(parse_message(text), 1, None).joint_move == terms("stay")


def test_too_few_moves_are_refused_with_the_place():
    with pytest.raises(ProtocolError, match=r"<message>:1:11: 1 moves for 2 roles"):
        view(DUEL, "left").turn(parse_message("(PLAY m1 ((choose 1)))"), 1, None)


def test_a_move_that_is_no_term_is_refused():
    with pytest.raises(ProtocolError, match="<message>:1:"):
        view(DUEL, "left").turn(parse_message("(PLAY m1 (((a) b) c))"), 1, None)


def test_an_unknown_role_is_refused():
    with pytest.raises(GdlError, match=r"no role middle.*left, right"):
        view(DUEL, "middle")

"""Messages in all their forms."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scsp_player.protocol.errors import ProtocolError
from scsp_player.protocol.messages import (
    Abort,
    Dialect,
    Info,
    Play,
    Preview,
    Start,
    format_play,
    format_rules,
    format_start,
    parse_message,
)


def strings(items):
    return None if items is None else [str(item) for item in items]


def test_start():
    message = parse_message("(START m.1 White ((role White) (role black)) 10 5)")
    assert isinstance(message, Start)
    assert (message.match, message.role, message.start_clock, message.play_clock) == ("m.1", "White", 10, 5)
    assert strings(message.rules) == ["(role White)", "(role black)"]


@pytest.mark.parametrize("text", ["(start m r ((role r)) 1 2)", "(Start m r ((role r)) 1 2 a (b))", "START m r ((role r)) 1 2"])
def test_p12_verbs_in_any_case_and_p16_surplus_arguments(text):
    assert isinstance(parse_message(text), Start)


@pytest.mark.parametrize("text", ["", "  \n", "(INFO)", "( info )", "INFO", "(INFO please)"])
def test_info(text):
    assert parse_message(text) == Info()


def test_p16_old_verbs():
    assert parse_message("(PING)") == Info(bare=True)
    preview = parse_message("(ANALYZE ((role r)) 5)")
    assert isinstance(preview, Preview)
    assert preview.clock == 5


@pytest.mark.parametrize("nil", ["NIL", "nil", "()", "( )", ""])
def test_first_turn_in_every_form_of_nothing(nil):
    assert parse_message(f"(PLAY m {nil})") == Play("m")
    assert parse_message(f"(STOP m {nil})") == Play("m", last=True)


def test_joint_move():
    message = parse_message("(PLAY m ((mark 1 2) noop))")
    assert strings(message.items) == ["(mark 1 2)", "noop"]
    assert message.dialect is Dialect.JOINT


def test_p15_turn_move_and_percepts():
    first = parse_message("(PLAY m 0 NIL NIL)")
    assert (first.turn, first.items, first.own_move, first.dialect) == (0, None, None, Dialect.TURN)
    later = parse_message("(STOP m 3 (mark 1 2) ((cell 1 1) bump))")
    assert later.last
    assert (later.turn, str(later.own_move), strings(later.items)) == (3, "(mark 1 2)", ["(cell 1 1)", "bump"])


def test_p15_a_lone_percept_needs_no_list():
    assert strings(parse_message("(PLAY m 1 go bump)").items) == ["bump"]


def test_p15_sees():
    assert parse_message("(SEES m NIL)") == Play("m", dialect=Dialect.SEES)
    assert strings(parse_message("(SEES m ((cell 1 1)))").items) == ["(cell 1 1)"]


def test_abort():
    assert parse_message("(ABORT m)") == Abort("m")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("garbage", "1:1: unknown message garbage"),
        ("(PLAY", "1:1: opening parenthesis"),
        ("(PLAY)", "1:2: PLAY lacks the match"),
        ("(START m r ((role r)) 10)", "lacks the play clock"),
        ("(START m r rules 10 5)", "the rules are not a list"),
        ("(START m (r) ((role r)) 10 5)", "the role is a list"),
        ("(START m r ((role r)) ten 5)", "the start clock is ten"),
        ("(START m r ((role r)) 10 -1)", "the play clock is -1"),
        ("(START m r ((role r)) nan inf)", "the start clock is nan"),
        ("((INFO))", "starts with its verb"),
        ("()", "starts with its verb"),
    ],
)
def test_complaints_name_the_place(text, complaint):
    with pytest.raises(ProtocolError, match="<message>:1:") as caught:
        parse_message(text)
    assert complaint in str(caught.value)


@given(st.text(max_size=80) | st.text(alphabet="()PLAYSTOPMNIL 019?;\n", max_size=80))
def test_any_text_is_a_message_or_a_complaint(text):
    with contextlib.suppress(ProtocolError):
        parse_message(text)


words = st.text(alphabet="abcxyz019+-", min_size=1, max_size=4).filter(lambda w: not w.isdecimal() and w != "nil")
terms = st.recursive(words, lambda inner: st.lists(inner, min_size=1, max_size=3).map(lambda xs: f"(f {' '.join(xs)})"))


@given(st.sampled_from(Dialect), st.integers(0, 99), st.none() | st.lists(terms, min_size=1, max_size=4), terms, st.booleans())
def test_what_is_written_reads_back(dialect, turn, items, own_move, last):
    message = parse_message(format_play("m", dialect, turn=turn, items=items, own_move=own_move, last=last))
    assert (message.match, strings(message.items), message.last) == ("m", items, last)
    if dialect is Dialect.TURN:
        assert (message.turn, str(message.own_move)) == (turn, own_move)


def test_start_reads_back():
    text = format_start("m", "r", "(role r) (init (step 1))", 10, 2.5)
    message = parse_message(text)
    assert format_rules(message.rules) == "(role r) (init (step 1))"
    assert message.play_clock == 2.5

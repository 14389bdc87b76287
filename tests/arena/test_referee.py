"""The referee against players of every kind, with an independent evaluator of the rules."""

import asyncio
import json

import pytest

from scsp_player.arena.match_log import log_of
from scsp_player.arena.referee import Clocks, Referee, Substitution
from scsp_player.arena.series import check_seats, play_series
from scsp_player.arena.sheet import game_of
from scsp_player.gdl.errors import GdlError
from scsp_player.protocol import Dialect, ProtocolError
from tests.arena.stubs import says, stub_player, verb
from tests.oracles.ground_machine import GroundMachine
from tests.oracles.naive_grounder import ground
from tests.protocol.games import COIN, DUEL

QUICK = Clocks(start=0.5, play=0.15, grace=0.05)


def referee(rules, **options):
    sheet = game_of(rules, "test")
    return Referee(sheet, GroundMachine(ground(rules)), options.pop("clocks", QUICK), **options)


async def duel(left, right=None, **options):
    right = right or says("(choose 2)")
    async with stub_player(left, "stub left") as (a, told_left), stub_player(right, "stub right") as (b, told_right):
        record = await referee(DUEL, **options).play("m1", {"left": a, "right": b}, seed=7)
    return record, told_left, told_right


async def test_a_whole_match():
    record, told, _ = await duel(says("(choose 3)"))
    assert record.scores == {"left": 100, "right": 0}
    assert record.goals == {"left": 100, "right": 0}
    assert record.players == {"left": "stub left", "right": "stub right"}
    assert record.faults == []
    assert [turn.moves for turn in record.turns] == [{"left": "(choose 3)", "right": "(choose 2)"}] * 3
    assert record.turns[1].state == ["(point left 1)", "(round 2)"]
    assert set(record.turns[0].seconds) == {"left", "right"}
    assert "(round over)" in record.final_state
    assert [verb(message) for message in told] == ["START", "PLAY", "PLAY", "PLAY", "STOP"]
    assert told[0].startswith("(START m1 left ((role left) (role right) ")
    assert told[0].endswith(") 0.5 0.15)")
    assert told[1:3] == ["(PLAY m1 NIL)", "(PLAY m1 ((choose 3) (choose 2)))"]
    assert told[4] == "(STOP m1 ((choose 3) (choose 2)))"
    assert json.loads(json.dumps(record.as_json()))["turns"][0]["moves"] == {"left": "(choose 3)", "right": "(choose 2)"}


async def hang(message):
    await asyncio.sleep(60)


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        ("(mark 9 9)", "illegal"),
        ("((", "unreadable"),
        ("", "unreadable"),
        ("?x", "illegal"),
        ("nil", "illegal"),
        (b"HTTP/1.0 500 broken\r\n\r\nout of order", "http"),
        (b"no http", "http"),
        (None, "http"),
        (hang, "timeout"),
    ],
)
async def test_p13_bad_answers_are_replaced_told_and_recorded(reply, kind):
    answer = (lambda m: reply(m) if verb(m) == "PLAY" else "ready") if callable(reply) else says(reply)
    record, _, told = await duel(answer)
    assert [(fault.turn, fault.role, fault.player, fault.kind) for fault in record.faults] == [
        (turn, "left", "stub left", kind) for turn in range(3)
    ]
    for turn, fault in zip(record.turns, record.faults, strict=True):
        assert fault.played == turn.moves["left"]
        assert fault.played in ("(choose 1)", "(choose 2)", "(choose 3)")
    assert told[2] == f"(PLAY m1 ({record.turns[0].moves['left']} (choose 2)))"


async def test_substitutes_are_drawn_by_seed():
    first, _, _ = await duel(says("(("))
    second, _, _ = await duel(says("(("))
    assert [turn.moves for turn in first.turns] == [turn.moves for turn in second.turns]


async def test_answers_in_any_case_and_notation_are_moves():
    record, _, _ = await duel(says(" ( CHOOSE  3 )\r\n"), says("choose(1)"))
    assert record.faults == []
    assert record.scores["left"] == 100


async def test_a_player_that_refuses_is_recorded():
    record, _, _ = await duel(says("(choose 3)", start="BUSY"))
    assert [(fault.turn, fault.kind) for fault in record.faults] == [(-1, "refused")]


async def test_nobody_there():
    async with stub_player(says("(choose 2)")) as (here, _):
        async with stub_player(says("(choose 2)")) as (gone, _):
            pass
        record = await referee(DUEL).play("m1", {"left": here, "right": gone})
    assert {fault.kind for fault in record.faults} == {"connection"}
    assert len(record.turns) == 3


@pytest.mark.parametrize(
    ("dialect", "second"),
    [
        (None, "(PLAY m1 1 noop NOTHING)"),
        (Dialect.PERCEPTS, "(PLAY m1 NOTHING)"),
        (Dialect.SEES, "(SEES m1 NOTHING)"),
    ],
)
async def test_p15_hidden_information_in_every_dialect(dialect, second):
    def reply(message):
        if verb(message) in ("START", "STOP"):
            return "ready"
        told.append(message)
        return ["noop", "peek", "(name heads)" if "heads" in message else "(name tails)"][len(told) - 1]

    told = []
    async with stub_player(reply) as (guesser, messages):
        record = await referee(COIN, dialect=dialect).play("m1", {"guesser": guesser}, seed=3)
    assert record.faults == []
    assert record.scores == {"guesser": 100}
    assert told[1] == second.replace("NOTHING", "()")
    side = record.turns[0].moves["random"].removeprefix("(toss ").removesuffix(")")
    assert record.turns[1].percepts == {"random": [], "guesser": [side]}
    assert f"({side})" in told[2]
    assert messages[-1].startswith("(STOP m1 ")


async def test_chance_plays_by_seed_and_fairly():
    async def toss(seed):
        async with stub_player(says("noop")) as (guesser, _):
            return (await referee(COIN).play("m1", {"guesser": guesser}, seed=seed)).turns[0].moves["random"]

    tosses = [await toss(seed) for seed in range(12)]
    assert set(tosses) == {"(toss heads)", "(toss tails)"}
    assert tosses[5] == await toss(5)


async def test_a_role_without_a_legal_move_ends_the_match():
    stuck = DUEL.replace("(<= (legal ?p (Choose ?n)) (role ?p) (number ?n))", "(<= (legal ?p go) (role ?p) (true (round 1)))")
    async with stub_player(says("go")) as (left, told), stub_player(says("go")) as (right, _):
        with pytest.raises(GdlError, match="left no legal move in turn 1"):
            await referee(stuck).play("m1", {"left": left, "right": right})
    assert told[-1] == "(ABORT m1)"


async def test_an_endless_match_is_broken_off():
    endless = DUEL.replace("(after 3 over)", "(after 3 1)")
    async with stub_player(says("(choose 1)")) as (left, _), stub_player(says("(choose 1)")) as (right, _):
        with pytest.raises(GdlError, match="not ended after 5 turns"):
            await referee(endless, turn_limit=5).play("m1", {"left": left, "right": right})


async def test_seats_rotate():
    async with stub_player(says("(choose 3)"), "strong") as (strong, _), stub_player(says("(choose 1)"), "weak") as (weak, _):
        series = await play_series(referee(DUEL), [strong, weak], repeat=3, seed=1)
    assert [record.players["left"] for record in series.records] == ["strong", "weak", "strong"]
    assert series.totals == {"strong": 300, "weak": 0}
    assert len({record.match for record in series.records}) == 3
    result = series.as_json()
    assert result["totals"] == {"strong": 300, "weak": 0}
    assert result["matches"][1]["scores"] == {"left": 0, "right": 100}
    assert result["matches"][1]["turns"] == 3
    assert result["matches"][1]["errors"] == []


def test_as_many_players_as_roles():
    with pytest.raises(ProtocolError, match=r"2 roles to play \(left, right\), not 1"):
        check_seats(game_of(DUEL), 1)
    check_seats(game_of(COIN), 1)


def test_sheets_in_infix_are_sent_in_prefix():
    sheet = game_of("role(Anna) init(a) legal(Anna, go) :- true(a) terminal :- ~true(a) goal(Anna, 0)".replace("Anna", "anna"))
    assert sheet.text.startswith("(role anna) (init a) (<= (legal anna go) (true a))")


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf")])
def test_clocks_are_times(seconds):
    with pytest.raises(ValueError, match="clocks"):
        Clocks(play=seconds)


@pytest.mark.parametrize(
    ("policy", "moves", "scores"),
    [(Substitution.FIRST, ["(choose 1)"] * 3, {"left": 0, "right": 100}), (Substitution.FORFEIT, [], {"left": 0, "right": 100})],
)
async def test_what_is_played_for_a_player_that_fails(policy, moves, scores):
    record, _, told = await duel(says("(("), substitution=policy)
    assert [turn.moves["left"] for turn in record.turns] == moves
    assert record.scores == scores
    assert [fault.kind for fault in record.faults] == ["unreadable"] * max(1, len(moves))
    assert verb(told[-1]) == ("STOP" if moves else "ABORT")


async def test_matches_at_the_same_time_on_seats_drawn_by_seed():
    async with stub_player(says("(choose 3)"), "strong") as (strong, told), stub_player(says("(choose 1)"), "weak") as (weak, _):
        series = [
            await play_series(referee(DUEL), [strong, weak], repeat=6, seed=seed, parallel=6, shuffle=True) for seed in (1, 1)
        ]
    seats = [[record.players["left"] for record in one.records] for one in series]
    assert seats[0] == seats[1]
    assert set(seats[0]) == {"strong", "weak"}
    assert series[0].totals == {"strong": 600, "weak": 0}
    assert [verb(message) for message in told[:6]] == ["START"] * 6


@pytest.mark.parametrize("reply", [" ( CHOOSE  3 )\r\n", "choose 3", "choose(3)", "(choose 3) as it wins", "(choose 3) ; yes"])
async def test_replies_as_peers_write_them(reply):
    record, _, _ = await duel(says(reply))
    assert record.faults == []
    assert record.scores["left"] == 100


async def test_the_log_that_viewers_read():
    record, _, _ = await duel(says("(("), substitution=Substitution.FIRST)
    log = json.loads(json.dumps(log_of(record, "(role left)", game_url="http://games.test/duel/")))
    assert log["matchId"] == "m1"
    assert log["gameMetaURL"] == "http://games.test/duel/"
    assert log["states"][0] == "( (round 1) )"
    assert len(log["states"]) == len(log["stateTimes"]) == 4
    assert log["moves"] == [["(choose 1)", "(choose 2)"]] * 3
    assert log["errors"] == [["unreadable: ((", ""]] * 3
    assert log["goalValues"] == [0, 100]
    assert (log["isCompleted"], log["isAborted"]) == (True, False)
    assert log["playerNamesFromHost"] == ["stub left", "stub right"]

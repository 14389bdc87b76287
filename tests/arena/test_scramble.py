"""Names that say nothing."""

import re

from scsp_player.arena.referee import Clocks, Referee
from scsp_player.arena.scramble import KEPT, Names
from scsp_player.arena.sheet import game_of
from tests.arena.stubs import says, stub_player, verb
from tests.oracles.ground_machine import GroundMachine
from tests.oracles.naive_grounder import ground
from tests.protocol.games import COIN, DUEL

WORD = re.compile(r"[^\s()]+")


def test_a_translation_is_one_to_one_and_keeps_what_has_a_meaning():
    text = game_of(COIN).text
    names = Names(text, seed=1)
    told = names.out(text)
    assert names.back(told) == text
    assert names.out(text) == told != Names(text, seed=2).out(text)
    for old, new in zip(WORD.findall(text), WORD.findall(told), strict=True):
        assert (old == new) == (old in KEPT or old.startswith("?") or old.isdecimal())
    assert "<heads>" in names.back("(name heads)")


async def test_players_see_only_new_names_and_the_record_has_the_true_ones():
    def reply(message):
        if verb(message) in ("START", "STOP"):
            return "ready"
        words = re.search(r"legal \?p \((\w+) \?n\)", messages[0])
        return f"({words.group(1)} 3)".upper()

    async with stub_player(reply, "left") as (left, messages), stub_player(says("(choose 2)"), "right") as (right, _):
        referee = Referee(game_of(DUEL), GroundMachine(ground(DUEL)), Clocks(0.5, 0.2, 0.1), scramble=True)
        record = await referee.play("m1", {"left": left, "right": right}, seed=3)
    assert [turn.moves["left"] for turn in record.turns] == ["(choose 3)"] * 3
    assert {(fault.player, fault.kind) for fault in record.faults} == {("right", "illegal")}  # it used a name that it cannot know
    assert "choose" not in " ".join(messages)
    assert "left" not in messages[0]
    assert record.scrambled

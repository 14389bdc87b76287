"""Memory that two processes share, and a writer that dies at any point."""

import os

from hypothesis import given
from hypothesis import strategies as st

from scsp_player.protocol.best_move import SLOT_BYTES, BestMove, BestMoveCell


def pair():
    writer = BestMoveCell()
    return writer, BestMoveCell(os.dup(writer.descriptor))


def test_the_newest_is_read():
    writer, reader = pair()
    assert reader.read() is None
    for turn in range(5):
        writer.write(BestMove(1, turn, f"(mark {turn})", {"value": 50.5}))
        assert reader.read() == BestMove(1, turn, f"(mark {turn})", {"value": 50.5})
    writer.close()
    assert reader.read().turn == 4
    reader.close()


def test_what_is_too_long_is_not_shared():
    writer, reader = pair()
    writer.write(BestMove(1, 0, "go"))
    writer.write(BestMove(1, 1, "x" * SLOT_BYTES))
    assert reader.read().move == "go"
    writer.close()
    reader.close()


@given(st.integers(0, 60), st.binary(min_size=1, max_size=30))
def test_half_a_record_leaves_the_one_before(place, garbage):
    writer, reader = pair()
    writer.write(BestMove(1, 0, "first"))
    writer.write(BestMove(1, 1, "second"))
    writer._memory[SLOT_BYTES + place : SLOT_BYTES + place + len(garbage)] = garbage  # the slot that the next record goes to
    assert reader.read().move == "second"
    writer.close()
    reader.close()

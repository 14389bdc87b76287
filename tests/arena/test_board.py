"""Positions drawn as boards."""

from scsp_player.arena.board import boards_of
from scsp_player.gdl.reading import parse_term


def boards(*fluents):
    found, others = boards_of(map(parse_term, fluents))
    return [board.lines() for board in found], [str(fluent) for fluent in others]


def test_a_board_with_letters_and_gaps():
    drawn, others = boards("(at a 1 rook)", "(at a 4 king)", "(at c 1 pawn)", "(at c 4 rook)", "(turn white)", "done")
    assert drawn == [
        [
            "4 king rook",
            "3  .    .",
            "2  .    .",
            "1 rook pawn",
            "   a    c",
        ]
    ]
    assert others == ["(turn white)", "done"]


def test_coordinates_anywhere_and_nothing_else():
    drawn, _ = boards("(lit 1 1)", "(lit 1 2)", "(lit 2 2)")
    assert drawn == [["2 lit lit", "1 lit  .", "   1   2"]]
    drawn, _ = boards("(cell x 1 1)", "(cell o 2 1)", "(cell x 2 2)")
    assert drawn[0][0] == "2 . x"


def test_what_is_no_board_is_listed():
    for fluents in (
        ("(height 1 3)", "(height 2 5)", "(height 3 1)"),  # a number for each column
        ("(cell 1 1 x)",),
        ("(owns anna 1)", "(owns anna 2)", "(owns bert 1)"),
        ("(near 1 (pair 2 3))", "(near 2 (pair 2 3))"),
    ):
        assert boards(*fluents) == ([], sorted(fluents))


def test_far_apart_numbers_do_not_stretch_the_board():
    drawn, _ = boards("(p 1 1)", "(p 1 900)", "(p 500 1)")
    assert [len(lines) for lines in drawn] == [3]

"""Where compiled playouts find what they work on: fields of a call's record, lines of a lane group.

Both sides use these numbers: the code that is generated, and the Python that prepares its memory. All fields are int64.
"""

from __future__ import annotations

from typing import Final


class Call:
    """Fields of the record that one call of ``advance`` works on."""

    BASE: Final = 0  # address of the first lane group
    GROUPS: Final = 1  # how many lane groups
    STRIDE: Final = 2  # bytes from one lane group to the next
    ENTRIES: Final = 3  # address of the table of stretches
    PHASE_TABLE: Final = 4  # address of the table of phases
    PHASES: Final = 5  # how many phases
    PHASE: Final = 6  # phase of all lanes that are inside a playout
    FLUENTS: Final = 7
    TERMINAL: Final = 8  # line
    GOAL: Final = 9  # first line
    NEXT: Final = 10  # first line
    ROLES: Final = 11  # how many roles have goals
    GOAL_START: Final = 12  # address of int32[roles + 1], first goal of each role
    GOALS: Final = 13
    STATUS: Final = 14  # first of the lines in ``Status``
    DONE: Final = 15  # first of a line a phase: lanes whose playout ended in that phase and is not scored yet
    BEGIN: Final = 16  # first of a line a phase: lanes whose start state belongs to that phase
    TIME: Final = 17  # first of TIME_BITS lines: when the lane's playout began, a bit-sliced number
    TIME_BITS: Final = 18
    RANDOM: Final = 19  # first line of the random generator
    START: Final = 20  # first of a line a fluent: start states
    TREE: Final = 21  # first line of the draw's scratch memory
    TOTALS: Final = 22  # first of the lines in ``Totals``
    NOW: Final = 23  # moves that a lane has made that has played since the call's first step
    OLDEST: Final = 24  # no playout that is going on began before
    LIMIT: Final = 25  # moves after which a playout is given up
    CHOSEN: Final = 26  # address of int32[moves], scratch
    OFFSETS: Final = 27  # address of int64[64], scratch
    WAITING: Final = 28  # address of int64[phases, 2]: lanes in DONE, and how many steps they have waited together
    DRAWN: Final = 29  # first line of a record: for the line of a move, as many lines further, where it was drawn; 0 for none
    ENDED: Final = 30  # where there is a record: line of the playouts that ended, and after it a line a goal
    FIELDS: Final = 31


class Phase:
    """Fields of one row of the table of phases."""

    TERMINAL: Final = 0  # first stretch of the stage, and in the field after it the end
    LEGAL: Final = 2
    GOAL: Final = 4
    NEXT: Final = 6
    ROLES: Final = 8  # how many roles draw
    ROLE: Final = 9  # address of int64[roles, Role.FIELDS]
    MOVE_LINES: Final = 10  # address of int32, lines
    CHANGES: Final = 11  # how many fluents may change
    CHANGED: Final = 12  # address of int32, these fluents
    PATIENCE: Final = 13  # steps that lanes in DONE may wait together, for each lane group
    RESTORES: Final = 14  # how many fluents change in other phases only
    RESTORED: Final = 15  # address of int32, these fluents
    FIELDS: Final = 16


class Role:
    """Fields of one row of the table of roles that draw."""

    FIRST: Final = 0  # part of MOVE_LINES
    LAST: Final = 1
    WIDTH: Final = 2  # bits of a rank if the draw is written out, else 0
    ROOT: Final = 3  # the following fields are those of ``DrawCode``
    ANY: Final = 4
    UP: Final = 5  # first stretch and, in the field after it, the end
    DOWN: Final = 7
    FIELDS: Final = 9


class Entry:
    """Fields of one row of the table of stretches."""

    FUNCTION: Final = 0  # address
    DATA: Final = 1  # its last argument
    BACK: Final = 2  # the stretch to go on with if the function returns 1
    PASSES: Final = 3  # how often to do that at most
    FIELDS: Final = 4


class Status:
    """Lines that say what the lanes are doing."""

    LIVE: Final = 0  # inside a playout
    FREE: Final = 1  # may begin a playout
    REMAINING: Final = 2  # a number in every word: playouts that may still be begun
    STUCK: Final = 3  # a role has no legal move
    POSITION: Final = 4  # in the first word: random lines that are used up
    CHOSEN: Final = 5  # scratch
    LINES: Final = 6


class Totals:
    """Lines with a number in every word; from GOALS on, how many playouts ended with each goal."""

    FINISHED: Final = 0
    TRUNCATED: Final = 1
    PLIES: Final = 2
    GOALS: Final = 3


# The random generator: every bit of a vector is a shift register of its own with the recurrence
# x[n + 127] = x[n + 85] ^ x[n + 38] ^ x[n + 26] ^ x[n], whose polynomial is primitive (2^127 - 1 is prime).
RANDOM_LINES: Final = 127
RANDOM_TAPS: Final = (26, 38, 85)

LEVELS: Final = 20
"""Largest height of the draw's tree: a role has at most 2^20 moves."""

"""Random playouts in all lanes of one row, from the first move to the scores, without returning to Python.

Every word of the row belongs to one start state and has a number of playouts to begin. A lane whose playout is over begins the
next one of its word, as long as there is one left to begin. So the playouts that count are the first n that are *begun* in a word,
however long they take: whether a playout counts is settled before its first move is drawn, hence short games are not favoured.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import njit

from scsp_player.propnet.compiling import helper
from scsp_player.propnet.draw_kernels import EXHAUSTED, LIVE, PLAYING, REMAINING, RESTARTED, STALLED, STUCK, WANTED, draw
from scsp_player.propnet.evaluate_kernels import run_segments
from scsp_player.propnet.rows import ROW_WORDS, literal_row, load, population, populations, spread, store, union

# Lines of ``totals``, uint64[GOALS + goals, ROW_WORDS]: numbers of playouts in every word; from GOALS on, how many had that goal.
FINISHED: Final = 0
TRUNCATED: Final = 1
PLIES: Final = 2
GOALS: Final = 3


@helper
def _tally(values: Any, goal_start: Any, goal: Any, ended: Any, totals: Any) -> None:
    """Count the goals of the lanes in ``ended``; several goals of one role at once count as none."""
    for role in range(goal_start.size - 1):
        once = spread(0)
        twice = spread(0)
        for i in range(goal_start[role], goal_start[role + 1]):
            holds = literal_row(values, goal[i])
            twice = twice | (once & holds)
            once = once | holds
        valid = ended & ~twice
        for i in range(goal_start[role], goal_start[role + 1]):
            store(totals, GOALS + i, load(totals, GOALS + i) + populations(literal_row(values, goal[i]) & valid))


@helper
def _restart(lanes: Any, released: Any) -> None:
    """RESTARTED = the released lanes that begin another playout: the first ones of each word, as many as REMAINING says."""
    store(lanes, RESTARTED, released)
    store(lanes, WANTED, populations(released))
    for word in range(ROW_WORDS):
        remaining = lanes[REMAINING, word]
        wanted = min(remaining, lanes[WANTED, word])
        lanes[REMAINING, word] = remaining - wanted
        if wanted < lanes[WANTED, word]:
            surplus = lanes[RESTARTED, word]
            for _ in range(wanted):
                surplus &= surplus - np.uint64(1)
            lanes[RESTARTED, word] ^= surplus


@helper
def _advance_depth(depth: Any, lanes: Any, moved: Any, restarted: Any, limit: Any) -> None:
    """Count a ply in the ``moved`` lanes; a counter starts at 2^bits - limit, so that it overflows at the limit."""
    bits = depth.shape[0]
    carry = moved
    first = (1 << bits) - limit
    for j in range(bits):
        digit = load(depth, j)
        start = spread(-((first >> j) & 1)) & restarted
        store(depth, j, ((digit ^ carry) & ~restarted) | start)
        carry = digit & carry
    store(lanes, EXHAUSTED, (load(lanes, EXHAUSTED) & ~restarted) | carry)


@njit(cache=True, nogil=True)
def advance(
    values: Any,
    fluents: Any,
    first_gate: Any,
    code_start: Any,
    code: Any,
    segment: Any,
    stage_segment: Any,
    terminal: Any,
    legal: Any,
    role_start: Any,
    goal_start: Any,
    goal: Any,
    following: Any,
    start: Any,
    lanes: Any,
    depth: Any,
    limit: Any,
    totals: Any,
    tree: Any,
    chosen: Any,
    offset: Any,
    patience: Any,
    steps: Any,
) -> Any:
    """Advance all lanes by up to ``steps`` moves; returns whether no lane is live any more.

    The arrays up to ``following`` are those of a ``Schedule`` and of its game, with goals sorted by role. ``start`` is
    uint64[fluents, ROW_WORDS], the start states. Goals are computed once ended lanes have waited ``patience`` lane-steps together.
    """
    waited = 0
    for _ in range(steps):
        live = load(lanes, LIVE)
        if union(live) == 0:
            return True
        run_segments(values, first_gate, code_start, code, segment, stage_segment[0], stage_segment[1])
        over = literal_row(values, terminal)
        ended = live & over
        cut = live & ~over & load(lanes, EXHAUSTED)
        playing = live & ~(ended | cut)
        some_play = union(playing) != 0
        waited += population(ended)
        scoring = waited > 0 and (waited >= patience or not some_play)
        if some_play or scoring:
            run_segments(values, first_gate, code_start, code, segment, stage_segment[1], stage_segment[2])
        if scoring:
            run_segments(values, first_gate, code_start, code, segment, stage_segment[2], stage_segment[3])
            _tally(values, goal_start, goal, ended, totals)
            store(totals, FINISHED, load(totals, FINISHED) + populations(ended))
            waited = 0
        else:
            ended = spread(0)
        moved = spread(0)
        if some_play:
            store(lanes, PLAYING, playing)
            store(lanes, STALLED, spread(0))
            store(lanes, STUCK, spread(0))
            for role in range(role_start.size - 1):
                draw(values, legal, role_start[role], role_start[role + 1], 1 + fluents, lanes, tree, chosen, offset)
            stuck = load(lanes, STUCK)
            moved = playing & ~(stuck | load(lanes, STALLED))
            cut = cut | stuck
            run_segments(values, first_gate, code_start, code, segment, stage_segment[3], stage_segment[4])
            store(totals, PLIES, load(totals, PLIES) + populations(moved))
        store(totals, TRUNCATED, load(totals, TRUNCATED) + populations(cut))
        released = ended | cut
        restarted = spread(0)
        if union(released) != 0:
            _restart(lanes, released)
            restarted = load(lanes, RESTARTED)
        store(lanes, LIVE, (live & ~released) | restarted)
        _advance_depth(depth, lanes, moved, restarted, limit)
        # New states; lanes that neither moved nor restarted keep theirs if they are live.
        held = live & ~(released | moved)
        if union(held) != 0:
            for fluent in range(fluents):
                line = 1 + fluent
                result = (literal_row(values, following[fluent]) & moved) | (load(start, fluent) & restarted)
                store(values, line, result | (load(values, line) & ~(moved | restarted)))
        elif union(restarted) != 0:
            for fluent in range(fluents):
                result = literal_row(values, following[fluent])
                store(values, 1 + fluent, result ^ ((result ^ load(start, fluent)) & restarted))
        else:
            for fluent in range(fluents):
                store(values, 1 + fluent, literal_row(values, following[fluent]))
    return False

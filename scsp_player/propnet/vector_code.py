"""A schedule as instructions on lines of memory: what the interpreter reads and what native code is generated from.

Every gate becomes one instruction: the conjunction of some lines and of the complements of others. A gate all of whose literals are
negative would be the complement of a disjunction; the disjunction is stored instead, and its users know, so that complements cost
nothing anywhere. Lines of values that nothing reads any more are used again, so that what is worked on stays in the cache.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import IntArray, OffsetArray
from scsp_player.propnet.schedule import GOAL, LEGAL, NEXT, PERCEPT, STAGES, TERMINAL, Schedule
from scsp_player.propnet.vector_code_kernels import assign_lines, assign_polarity

EXCLUSIVE: Final = -1
"""Number of positive operands of an instruction that computes the exclusive disjunction of its operands."""


@dataclass(frozen=True)
class Layout:
    """Where a lane group keeps what: numbers of lines, each one vector.

    Line 0 holds "true" in all lanes; then follow fluents and moves, then the answers: terminal, goals, the fluents of the next
    state, percepts. Legal moves are reported in the lines of the moves themselves. Everything else comes after these.
    """

    fluents: int
    moves: int
    goals: int
    percepts: int

    @property
    def fluent(self) -> int:
        """Line of the first fluent."""
        return 1

    @property
    def move(self) -> int:
        """Line of the first move."""
        return 1 + self.fluents

    @property
    def terminal(self) -> int:
        """Line that says whether the match is over."""
        return self.move + self.moves

    @property
    def goal(self) -> int:
        """Line of the first goal."""
        return self.terminal + 1

    @property
    def next(self) -> int:
        """Line of the first fluent of the next state."""
        return self.goal + self.goals

    @property
    def percept(self) -> int:
        """Line of the first percept."""
        return self.next + self.fluents

    @property
    def end(self) -> int:
        """The first line that has no fixed purpose."""
        return self.percept + self.percepts


@dataclass(frozen=True, eq=False)
class VectorCode:
    """Instructions in evaluation order.

    Instruction i sets line ``target[i]`` to the conjunction of the first ``positive[i]`` of its operands and of the complements of
    the others; if there is no positive one, to the disjunction of all; if ``positive[i]`` is ``EXCLUSIVE``, to whether an odd
    number of them holds.

    Attributes:
        target: int32[n], lines.
        operand_start: int64[n + 1].
        operand: int32[operands], lines.
        positive: int32[n].
        last_use: int64[n], the last instruction that reads the value; n if it is an answer.
        segment: int32[segments, 3]: first instruction, first feedback instruction, end. Feedback lines start as false, and the
            segment is repeated until they stop changing.
        stage_segment: int32[STAGES + 1], stage s consists of the segments ``stage_segment[s]:stage_segment[s + 1]``.
        lines: number of lines.
    """

    target: IntArray
    operand_start: OffsetArray
    operand: IntArray
    positive: IntArray
    last_use: NDArray[np.int64]
    segment: IntArray
    stage_segment: IntArray
    lines: int

    @cached_property
    def packed(self) -> tuple[IntArray, NDArray[np.int64]]:
        """The instructions as the interpreter reads them: target, number of positive and of negative operands, operands.

        Also int64[n + 1], where each instruction begins.
        """
        counts = np.diff(self.operand_start)
        start = self.operand_start + 3 * np.arange(len(self.target) + 1)
        result = np.empty(int(start[-1]), np.int32)
        result[start[:-1]] = self.target
        result[start[:-1] + 1] = self.positive
        result[start[:-1] + 2] = counts - np.maximum(self.positive, 0)
        places = np.arange(len(self.operand)) + 3 * (1 + np.repeat(np.arange(len(counts)), counts))
        result[places] = self.operand
        return result, start


@dataclass(frozen=True, eq=False)
class Answers:
    """Which answers a program has to give: literals of a schedule and the lines that they go to, stage by stage."""

    stage: NDArray[np.int64]
    line: NDArray[np.int64]
    literal: NDArray[np.int64]

    @classmethod
    def of(
        cls, plan: Schedule, layout: Layout, moves: NDArray[np.int64], fluents: NDArray[np.int64], percepts: bool = True
    ) -> Answers:
        """All answers, of legal moves only those in ``moves``, of the next state only those in ``fluents``; percepts if wanted."""
        parts = (
            (TERMINAL, layout.terminal, np.zeros(1, np.int64), np.array([plan.terminal])),
            (LEGAL, layout.move, moves, plan.legal),
            (GOAL, layout.goal, np.arange(len(plan.goal)), plan.goal),
            (NEXT, layout.next, fluents, plan.next),
            (PERCEPT, layout.percept, np.arange(len(plan.percept) if percepts else 0), plan.percept),
        )
        return cls(
            np.concatenate([np.full(len(chosen), stage) for stage, _, chosen, _ in parts]),
            np.concatenate([line + chosen for _, line, chosen, _ in parts]),
            np.concatenate([literals[chosen] for _, _, chosen, literals in parts]).astype(np.int64),
        )


def vector_code(plan: Schedule, layout: Layout, answers: Answers) -> VectorCode:
    """The instructions of a schedule; after the gates of a stage come those that write its answers."""
    gate_stage = np.repeat(np.arange(STAGES), np.diff(_stage_edges(plan)))
    # Old gates and answers in one order: by stage, gates first.
    stages = np.concatenate([gate_stage, answers.stage])
    order = np.argsort(2 * stages + (np.arange(len(stages)) >= plan.gates), kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    first = plan.first_gate
    moved = np.concatenate([np.arange(first), first + place[: plan.gates]])
    feedback = np.zeros(len(order), np.bool_)
    for _, begin, end in plan.segment:
        feedback[place[begin:end]] = True
    answer = order >= plan.gates

    # Literals; answers and feedback have "true" in front, so that they are stored as they are.
    counts = np.diff(plan.code_start)
    source_start = np.concatenate([plan.code_start[:-1], len(plan.code) + np.arange(len(answers.literal))])[order]
    source_count = np.concatenate([counts, np.ones(len(answers.literal), np.int64)])[order]
    fixed = answer | feedback
    start = np.concatenate([np.zeros(1, np.int64), np.cumsum(source_count + fixed)])
    source = np.concatenate([plan.code, answers.literal])
    code = np.zeros(start[-1], np.int32)
    owner = np.repeat(np.arange(len(order)), source_count)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(source_count) - source_count, source_count)
    literals = source[source_start[owner] + within]
    code[start[owner] + fixed[owner] + within] = 2 * moved[literals >> 1] + (literals & 1)

    flipped = np.zeros(first + len(order), np.uint8)
    positive = np.zeros(len(order), np.int32)
    assign_polarity(first, start, code, flipped, positive)
    operand = code >> 1

    segment, stage_segment = _segments(plan, place, np.bincount(answers.stage, minlength=STAGES))
    last_use = _last_uses(first, start, operand, segment)
    last_use[answer] = len(order)
    line = np.full(first + len(order), -1, np.int32)
    line[:first] = np.arange(first)
    line[first:][answer] = answers.line[order[answer] - plan.gates]
    scratch = np.zeros((3, len(order)), np.int64)
    lines = assign_lines(last_use, line[first:], layout.end, *scratch)
    return VectorCode(line[first:], start, line[operand], positive, last_use, segment, stage_segment, int(lines))


def _stage_edges(plan: Schedule) -> NDArray[np.int64]:
    """int64[STAGES + 1]: the first gate of each stage."""
    return np.array([plan.segment[s, 0] if s < len(plan.segment) else plan.gates for s in plan.stage_segment], np.int64)


def _segments(plan: Schedule, place: NDArray[np.int64], answers: NDArray[np.int64]) -> tuple[IntArray, IntArray]:
    """Segments with new numbers of gates, and one more a stage for its answers."""
    segments: list[tuple[int, int, int]] = []
    edges = [0]
    end = 0
    for stage in range(STAGES):
        for begin, feedback, last in plan.segment[plan.stage_segment[stage] : plan.stage_segment[stage + 1]]:
            first, end = int(place[begin]), int(place[last - 1]) + 1
            segments.append((first, end - int(last - feedback), end))
        if answers[stage]:
            segments.append((end, end + int(answers[stage]), end + int(answers[stage])))
            end += int(answers[stage])
        edges.append(len(segments))
    return np.array(segments, np.int32).reshape(-1, 3), np.array(edges, np.int32)


def _last_uses(first: int, start: OffsetArray, operand: IntArray, segment: IntArray) -> NDArray[np.int64]:
    """int64[n]: the last instruction that reads each value. All that a loop reads or computes is read until its end."""
    count = len(start) - 1
    reader = np.arange(count)
    own = np.arange(count)
    for begin, feedback, end in segment:
        if feedback < end:
            reader[begin:end] = end - 1
            own[begin:end] = end - 1
    readers = np.repeat(reader, np.diff(start))
    gates = operand >= first
    np.maximum.at(own, operand[gates] - first, readers[gates])
    return own

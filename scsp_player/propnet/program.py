"""A game ready to be played: executable code for each phase, and the tables that the compiled driver reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import GroundGame, IntArray
from scsp_player.propnet.circuit import Circuit
from scsp_player.propnet.draw_circuit import GROUPS_WRITTEN_OUT, WRITTEN_OUT, DrawCode, draw_instructions
from scsp_player.propnet.exclusive_moves import exclusive_moves
from scsp_player.propnet.phases import Phases
from scsp_player.propnet.playout_layout import Entry, Phase, Role
from scsp_player.propnet.schedule import GOAL, LEGAL, NEXT, PERCEPT, STAGES, TERMINAL, Schedule, schedule
from scsp_player.propnet.stretches import Stretches
from scsp_player.propnet.vector_code import Answers, Layout, VectorCode, vector_code

GOAL_OPERANDS = 8
"""What checking and counting one goal costs, measured in operands."""

MOVE_OPERANDS = 20
"""What drawing costs for each potential move, measured in operands."""

LEAST_GROUPED = 100
"""Roles with fewer moves draw among them one by one."""


@dataclass(frozen=True, eq=False)
class PhaseCode:
    """The code of one phase.

    Attributes:
        plan: the circuit in evaluation order.
        code: its instructions.
        bounds: int64[roles that draw, 2], parts of ``moves``.
        draws: their draws as instructions, None for those that draw in loops.
        moves: int32, lines of moves that may be legal, for the roles that draw.
        changed: int32, fluents that may change.
    """

    plan: Schedule
    code: VectorCode
    bounds: NDArray[np.int64]
    draws: tuple[DrawCode | None, ...]
    moves: IntArray
    changed: IntArray

    @classmethod
    def of_phase(
        cls,
        game: GroundGame,
        circuit: Circuit,
        layout: Layout,
        fixed: NDArray[np.int64],
        like: PhaseCode | None = None,
        exclusive: Sequence[IntArray] = (),
    ) -> PhaseCode:
        """Code for playouts from the circuit of one phase.

        A role whose move is certain does not draw, and the fluents ``fixed`` are left alone. Code that is made ``like`` other code
        draws among the same moves, so that the same random numbers give the same playouts, unless draws make use of fluents that
        are ``exclusive`` (see ``exclusive_moves``).
        """
        plan = schedule(circuit)
        bounds: list[tuple[int, int]] = []
        moves: list[NDArray[np.int64]] = []
        for first, last in zip(game.role_start[:-1], game.role_start[1:], strict=True):
            candidates = first + np.flatnonzero(plan.legal[first:last] != 1)
            if len(candidates) == 1 and plan.legal[candidates[0]] == 0:
                continue
            begin = sum(len(other) for other in moves)
            bounds.append((begin, begin + len(candidates)))
            moves.append(candidates)
        drawn = np.concatenate([np.zeros(0, np.int64), *moves])
        if like is not None:
            drawn, bounds = like.moves - layout.move, like.bounds.tolist()
        changes = plan.next != 2 * (1 + np.arange(game.fluents))
        changes[fixed] = False
        code = vector_code(plan, layout, Answers.of(plan, layout, drawn, np.flatnonzero(changes), percepts=False))
        leaves = [
            exclusive_moves(circuit, drawn[a:b].tolist(), exclusive if b - a >= LEAST_GROUPED else ()) for a, b in bounds
        ]
        return cls._with(plan, code, np.array(bounds, np.int64).reshape(-1, 2), layout.move, drawn, leaves, np.flatnonzero(changes))

    @classmethod
    def of_game(cls, game: GroundGame, circuit: Circuit, layout: Layout) -> PhaseCode:
        """Code for any state, any moves and any question."""
        plan = schedule(circuit)
        moves, fluents = np.arange(game.moves), np.arange(game.fluents)
        code = vector_code(plan, layout, Answers.of(plan, layout, moves, fluents))
        bounds = np.stack([game.role_start[:-1], game.role_start[1:]], axis=1)
        leaves = [[[move] for move in range(a, b)] for a, b in bounds.tolist()]
        return cls._with(plan, code, bounds, layout.move, moves, leaves, fluents)

    @classmethod
    def _with(
        cls,
        plan: Schedule,
        code: VectorCode,
        bounds: NDArray[Any],
        first_line: int,
        moves: NDArray[np.int64],
        leaves: list[list[list[int]]],
        changed: NDArray[np.int64],
    ) -> PhaseCode:
        draws = []
        for first, last, groups in zip(*bounds.T.tolist(), leaves, strict=True):
            most = WRITTEN_OUT if len(groups) == last - first else GROUPS_WRITTEN_OUT
            lines = [[first_line + move for move in group] for group in groups]
            draws.append(draw_instructions(lines, code.lines) if 1 < len(groups) <= most else None)
        lines_of_moves = (first_line + moves).astype(np.int32)
        return cls(plan, code, bounds.astype(np.int64), tuple(draws), lines_of_moves, changed.astype(np.int32))

    def step_cost(self) -> int:
        """What a move in all lanes costs, in operands."""
        operands = _stage_operands(self.code)
        return int(operands[TERMINAL] + operands[LEGAL] + operands[NEXT]) + len(self.changed) + MOVE_OPERANDS * len(self.moves) + 20

    def goal_cost(self) -> int:
        """What scoring costs, in operands."""
        return int(_stage_operands(self.code)[GOAL]) + GOAL_OPERANDS * len(self.plan.goal)


def _stage_operands(code: VectorCode) -> NDArray[np.int64]:
    """int64[STAGES]: operands of each stage."""
    edges = [code.segment[s, 0] if s < len(code.segment) else len(code.target) for s in code.stage_segment]
    counts: NDArray[np.int64] = np.diff(code.operand_start[edges])
    return counts


@dataclass(frozen=True, eq=False)
class Program:
    """Everything that playouts of a game need and do not change.

    Attributes:
        phases: the phases.
        codes: their code.
        stretches: the same, executable, each phase followed by its draws.
        entries: int64[stretches, Entry.FIELDS], of all phases.
        table: int64[phases, Phase.FIELDS].
        patience: lane-steps that ended lanes may wait for being scored, for each phase.
        words: words of a line.
        lines: lines that the values of a lane group take.
    """

    phases: Phases
    codes: tuple[PhaseCode, ...]
    stretches: tuple[Stretches, ...]
    entries: NDArray[np.int64]
    table: NDArray[np.int64]
    patience: tuple[int, ...]
    words: int
    lines: int
    _kept: tuple[Any, ...]

    @classmethod
    def of(
        cls, phases: Phases, codes: tuple[PhaseCode, ...], words: int, native: bool, patience: tuple[int, ...] | None = None
    ) -> Program:
        """A program of one code a phase.

        Args:
            phases: the phases.
            codes: their code.
            words: words of a line.
            native: whether to write machine code where possible.
            patience: lane-steps that ended lanes may wait for being scored, for each phase; by default such that waiting and
                scoring cost the same.
        """
        if patience is None:
            patience = patience_of(codes, 64 * words)
        table = np.zeros((len(codes), Phase.FIELDS), np.int64)
        builder = _Builder(words, native, [], [], [])
        changing = np.unique(np.concatenate([code.changed for code in codes]))
        for row, code, patient in zip(table, codes, patience, strict=True):
            stage = builder.add(code.code)
            for field, number in ((Phase.TERMINAL, TERMINAL), (Phase.LEGAL, LEGAL), (Phase.GOAL, GOAL), (Phase.NEXT, NEXT)):
                row[field : field + 2] = stage[number : number + 2]
            roles = np.zeros((len(code.bounds), Role.FIELDS), np.int64)
            roles[:, Role.FIRST : Role.LAST + 1] = code.bounds
            for role, draw in zip(roles, code.draws, strict=True):
                if draw is not None:
                    role[Role.WIDTH], role[Role.ROOT], role[Role.ANY] = draw.width, draw.root, draw.any
                    stage = builder.add(draw.code)
                    role[Role.UP : Role.UP + 2], role[Role.DOWN : Role.DOWN + 2] = stage[:2], stage[1:3]
            moves, changed = (np.ascontiguousarray(a) for a in (code.moves, code.changed))
            restored = np.setdiff1d(changing, changed).astype(np.int32)
            builder.kept.extend([roles, moves, changed, restored])
            row[Phase.ROLES], row[Phase.ROLE], row[Phase.MOVE_LINES] = len(roles), roles.ctypes.data, moves.ctypes.data
            row[Phase.CHANGES], row[Phase.CHANGED], row[Phase.PATIENCE] = len(changed), changed.ctypes.data, patient
            row[Phase.RESTORES], row[Phase.RESTORED] = len(restored), restored.ctypes.data
        lines = max(part.lines for code in codes for part in (code.code, *(draw.code for draw in code.draws if draw)))
        entries = np.concatenate(builder.entries)
        return cls(phases, codes, tuple(builder.stretches), entries, table, patience, words, lines, tuple(builder.kept))

    def stage_range(self, first: int, last: int) -> tuple[int, int]:
        """The stretches of the stages ``first`` … ``last`` of a program with one phase."""
        return int(self.stretches[0].stage[first]), int(self.stretches[0].stage[last + 1])

    @property
    def code_bytes(self) -> int:
        """Size of the machine code."""
        return sum(executable.code_bytes for executable in self.stretches)


@dataclass(frozen=True, eq=False)
class _Builder:
    """Collects stretches of several codes in one table."""

    words: int
    native: bool
    stretches: list[Stretches]
    entries: list[NDArray[np.int64]]
    kept: list[Any]

    def add(self, code: VectorCode) -> NDArray[np.int64]:
        """Make a code executable; returns int64[STAGES + 1], where its stages begin in the table of all."""
        offset = sum(len(other) for other in self.entries)
        executable = Stretches.of(code, self.words, self.native)
        entries = executable.entries.copy()
        entries[:, Entry.BACK] += offset
        self.stretches.append(executable)
        self.entries.append(entries)
        return executable.stage + offset


def patience_of(codes: tuple[PhaseCode, ...], lanes: int) -> tuple[int, ...]:
    """Lane-steps that ended lanes of one lane group of ``lanes`` lanes may wait, for each phase."""
    step = sum(code.step_cost() for code in codes) / len(codes)
    return tuple(int(lanes * code.goal_cost() / step) for code in codes)


assert STAGES == PERCEPT + 1

"""Vector code made executable: stretches of machine code, or of what the interpreter reads."""

from __future__ import annotations

import ctypes
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import IntArray
from scsp_player.propnet import draw_code, emit, interpreter_code, playout_code, playout_layout
from scsp_player.propnet.emit import WORD_BYTES
from scsp_player.propnet.native import ExecutableMemory, Functions, object_code, processor
from scsp_player.propnet.playout_layout import Entry
from scsp_player.propnet.schedule import STAGES
from scsp_player.propnet.vector_code import VectorCode
from scsp_player.propnet.x86_encoding_kernels import WIDE
from scsp_player.propnet.x86_kernels import NEVER, code_bytes, generate, value_registers

STRETCH_OPERANDS: Final = 1500
"""Operands of one stretch: its machine code stays in the processor's first cache while it serves one lane group after the other."""

MACHINE_CODE: Final = (256, 512)
"""Bits of the vectors that machine code can be written for."""

ALIGNMENT: Final = 64
"""Bytes; where functions begin."""


@dataclass(frozen=True, eq=False)
class Kernels:
    """The code that serves all games.

    Attributes:
        interpret: address of the interpreter.
        run: ``run(first, groups, stride, entries, begin, end)``.
        advance: ``advance(call, steps)``.
    """

    interpret: int
    run: Any
    advance: Any
    _functions: Functions


@cache
def kernels(words: int) -> Kernels:
    """The code that serves all games, for lines of so many words, compiled unless it is on disk."""
    modules = (emit, playout_layout, interpreter_code, draw_code, playout_code)
    source = b"\0".join([b"%d" % words, *(Path(str(module.__file__)).read_bytes() for module in modules)])
    functions = Functions.of(object_code(source, lambda: playout_code.module_text(words)), ["interpret", "run", "advance"])
    word, pointer = ctypes.c_int64, ctypes.c_void_p
    run = ctypes.CFUNCTYPE(word, pointer, word, word, pointer, word, word)(functions.address["run"])
    advance = ctypes.CFUNCTYPE(word, pointer, word)(functions.address["advance"])
    return Kernels(functions.address["interpret"], run, advance, functions)


@dataclass(frozen=True)
class Cut:
    """One stretch of instructions.

    Attributes:
        begin, end: instructions.
        feedback: instructions from here on say whether they change their line.
        back: number of the stretch to go on with in that case.
        clears: the stretch does not execute the instructions but sets their lines to false.
    """

    begin: int
    end: int
    feedback: int
    back: int = 0
    clears: bool = False


@dataclass(frozen=True, eq=False)
class Stretches:
    """Executable vector code.

    Attributes:
        entries: int64[stretches, Entry.FIELDS], the table that ``run`` works through.
        stage: int64[STAGES + 1], stage s consists of the stretches ``stage[s]:stage[s + 1]``.
        code_bytes: size of the machine code, 0 if everything is interpreted.
    """

    entries: NDArray[np.int64]
    stage: NDArray[np.int64]
    code_bytes: int
    _kept: tuple[Any, ...]

    @classmethod
    def of(cls, code: VectorCode, words: int, native: bool = True) -> Stretches:
        """Stretches of machine code if ``native`` and this processor has vectors of ``words`` words, else interpreted ones."""
        cuts, stage = cuts_of(code)
        entries = np.zeros((len(cuts), Entry.FIELDS), np.int64)
        entries[:, Entry.BACK] = [cut.back for cut in cuts]
        entries[:, Entry.PASSES] = [cut.end - cut.feedback for cut in cuts]
        executed = [number for number, cut in enumerate(cuts) if not cut.clears]
        kept: list[Any] = []
        size, interpreted = 0, list(range(len(cuts)))
        if native and 64 * words in MACHINE_CODE and 64 * words <= processor().vectors:
            text, place = machine_code(code, [cuts[number] for number in executed], words)
            with suppress(OSError):
                memory = ExecutableMemory(text)
                entries[executed, Entry.FUNCTION] = memory.address + place
                kept.append(memory)
                size, interpreted = len(text), [number for number, cut in enumerate(cuts) if cut.clears]
        for number in interpreted:
            packed, bounds = _packed(code, cuts[number])
            data = np.ascontiguousarray(packed.ctypes.data + 4 * bounds)
            entries[number, Entry.FUNCTION], entries[number, Entry.DATA] = kernels(words).interpret, data.ctypes.data
            kept += [packed, data]
        return cls(entries, stage, size, tuple(kept))


def _packed(code: VectorCode, cut: Cut) -> tuple[IntArray, NDArray[np.int64]]:
    """What the interpreter reads, and where in it the stretch begins, its feedback begins and it ends."""
    if cut.clears:
        # "True and not true" for each line.
        lines = code.target[cut.begin : cut.end]
        reset = np.zeros((len(lines), 5), np.int32)
        reset[:, 0], reset[:, 1], reset[:, 2] = lines, 1, 1
        return reset, np.array([0, reset.size, reset.size])
    text, place = code.packed
    return text, place[[cut.begin, cut.feedback, cut.end]]


def cuts_of(code: VectorCode) -> tuple[list[Cut], NDArray[np.int64]]:
    """Where the code is cut, and the first stretch of each stage."""
    cuts: list[Cut] = []
    stage = [0]
    for number in range(STAGES):
        for begin, feedback, end in code.segment[code.stage_segment[number] : code.stage_segment[number + 1]].tolist():
            loop = feedback < end
            if loop:
                cuts.append(Cut(feedback, end, end, clears=True))
            first = len(cuts)
            while begin < feedback:
                reach = code.operand_start[begin] + STRETCH_OPERANDS
                cut = min(max(int(np.searchsorted(code.operand_start, reach)), begin + 1), feedback)
                cuts.append(Cut(begin, cut, cut))
                begin = cut
            if loop:
                cuts.append(Cut(feedback, end, feedback, back=first))
        stage.append(len(cuts))
    return cuts, np.array(stage)


def machine_code(code: VectorCode, cuts: list[Cut], words: int) -> tuple[bytes, NDArray[np.int64]]:
    """Functions for the cuts, for lines of 4 or 8 words, and int64[cuts], where in the bytes each of them begins."""
    lines, instructions, operands = code.lines, len(code.target), len(code.operand)
    arrays = code.target, code.operand_start, code.operand, code.positive, code.last_use
    line_bytes = WORD_BYTES * words
    scratch = (
        np.full(lines, NEVER),
        np.zeros(operands, np.int64),
        np.zeros(instructions, np.int64),
        np.zeros((value_registers(line_bytes), 4), np.int64),
        np.full(lines, -1),
        np.array([0, line_bytes]),
        True if line_bytes == WIDE else None,
    )
    out = np.zeros(code_bytes(instructions, operands) + (ALIGNMENT + code_bytes(0, 0)) * len(cuts), np.uint8)
    place, size = np.zeros(len(cuts), np.int64), 0
    for number, cut in enumerate(cuts):
        place[number] = size
        size += generate(*arrays, cut.begin, cut.end, cut.feedback, *scratch, out[size:])
        size += -size % ALIGNMENT
    return out[:size].tobytes(), place

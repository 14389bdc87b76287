"""The instructions of ``vector_code`` as machine code for x86-64 processors with AVX2 or AVX-512F.

A compiler for general programs spends most of its time on what does not occur here: the code is one straight line, every value is
one vector, and what is read next is known for the whole stretch. So registers are assigned in one pass: an operand that is
in no register is read straight from memory by the instruction that needs it, which costs nothing extra; when a register is needed,
the value that is read again last makes room (Belady's rule) and is written to its line only if it is still needed and was not.

With AVX-512F vectors have twice as many bits and there are twice as many registers; and one instruction combines three operands,
complemented or not, so that n of them take half as many.

The generated function follows the System V calling convention: ``rdi`` the address of the first lane group, ``rsi`` the number of
groups, ``rdx`` the bytes from one group to the next. It returns 1 if a feedback line changed in some group, otherwise 0.
"""

from __future__ import annotations

from typing import Any, Final

from scsp_player.kernels import helper, kernel
from scsp_player.propnet.x86_encoding_kernels import (
    AND,
    AND_NOT,
    LENGTH,
    LOAD,
    MOST_BYTES,
    OR,
    STORE,
    TABLE_OR,
    TABLE_XOR,
    WIDE,
    XOR,
    next_group,
    return_whether_set,
    ternary,
    with_memory,
    with_register,
)

NEVER: Final = 1 << 60

# Columns of the register file, int64[registers, 4].
LINE: Final = 0  # the line whose value the register holds, -1 if none
NEXT_READ: Final = 1  # the next instruction that reads it
UNSAVED: Final = 2  # 0 if the line in memory holds the value too, 1 if it must in the end, 2 if only this stretch reads it
LOCKED: Final = 3  # 1 while the current instruction uses it


def value_registers(line_bytes: int) -> int:
    """Registers for values: all but the last two, which accumulate changes and serve as scratch."""
    return 30 if line_bytes == WIDE else 14


@helper
def _release(register: Any, register_of: Any, number: Any) -> None:
    if register[number, LINE] >= 0:
        register_of[register[number, LINE]] = -1
    register[number, LINE] = -1
    register[number, LOCKED] = 0
    register[number, UNSAVED] = 0


@helper
def _free_register(out: Any, code: Any, register: Any, register_of: Any) -> Any:
    """A register for the current instruction, locked; the value that is read last makes room."""
    best = -1
    latest = -1
    for number in range(len(register)):
        if register[number, LOCKED]:
            continue
        if register[number, LINE] < 0:
            best = number
            break
        # Writing a value costs as much as reading it a few times.
        reading = 2 * register[number, NEXT_READ] - min(register[number, UNSAVED], 1)
        if reading > latest:
            latest = reading
            best = number
    if register[best, LINE] >= 0 and register[best, UNSAVED]:
        with_memory(out, code, STORE, best, 0, register[best, LINE])
    _release(register, register_of, best)
    register[best, LOCKED] = 1
    return best


@helper
def _fetch(out: Any, code: Any, register: Any, register_of: Any, line: Any, next_read: Any) -> Any:
    """The register with the value of a line, loaded if it is in none; locked."""
    number = register_of[line]
    if number < 0:
        number = _free_register(out, code, register, register_of)
        with_memory(out, code, LOAD, number, 0, line)
        register[number, LINE] = line
        register[number, UNSAVED] = 0
        register_of[line] = number
    register[number, LOCKED] = 1
    register[number, NEXT_READ] = next_read
    return number


@helper
def _chain(
    out: Any, code: Any, register: Any, register_of: Any, operand: Any, next_read: Any, opcode: Any, begin: Any, end: Any
) -> Any:
    """All operands from ``begin`` to ``end`` combined; returns the register, which holds no line unless there is one operand."""
    first = _fetch(out, code, register, register_of, operand[begin], next_read[begin])
    if end == begin + 1:
        return first
    result = -1
    for i in range(begin + 1, end):
        source = first if result < 0 else result
        if result < 0:
            result = _free_register(out, code, register, register_of)
        second = register_of[operand[i]]
        if second >= 0:
            with_register(out, code, opcode, result, source, second)
            register[second, NEXT_READ] = next_read[i]
        else:
            with_memory(out, code, opcode, result, source, operand[i])
        register[first, LOCKED] = 0
    return result


@helper
def _sign(position: Any, first: Any, split: Any) -> Any:
    """1 if an operand is complemented; where there is no positive one, the instruction is no conjunction."""
    return 1 if first < split <= position else 0


@helper
def _table(exclusive: Any, conjunction: Any, sign_of_target: Any, sign_of_first: Any, sign_of_second: Any) -> Any:
    """What ``ternary`` is to compute."""
    if conjunction:
        return 1 << (4 * (1 - sign_of_target) + 2 * (1 - sign_of_first) + 1 - sign_of_second)
    return TABLE_XOR if exclusive else TABLE_OR


@helper
def _start(out: Any, code: Any, register: Any, register_of: Any, operand: Any, next_read: Any, begin: Any, end: Any) -> Any:
    """A register with the value of some operand that may be overwritten, and which operand it is.

    It is one whose register nobody reads afterwards; else a copy of one in a register; else one that is loaded.
    """
    chosen = begin
    for k in range(begin, end):
        number = register_of[operand[k]]
        if number < 0:
            continue
        chosen = k
        if next_read[k] == NEVER and register[number, UNSAVED] != 1:
            single = True
            for other in range(begin, end):
                single &= other == k or operand[other] != operand[k]
            if single:
                _release(register, register_of, number)
                register[number, LOCKED] = 1
                return number, k
    number = register_of[operand[chosen]]
    if number >= 0:
        register[number, LOCKED] = 1
    result = _free_register(out, code, register, register_of)
    if number >= 0:
        with_register(out, code, LOAD, result, 0, number)
        register[number, NEXT_READ] = next_read[chosen]
    else:
        with_memory(out, code, LOAD, result, 0, operand[chosen])
    return result, chosen


@helper
def _combination(
    out: Any,
    code: Any,
    register: Any,
    register_of: Any,
    operand: Any,
    next_read: Any,
    begin: Any,
    split: Any,
    end: Any,
    exclusive: Any,
) -> Any:
    """All operands combined by instructions of three operands; returns the register, which holds no line.

    Every instruction takes two operands more, one at most from memory. So those in registers are taken together with those in
    memory as long as there are both; of two in memory one is loaded first.
    """
    scratch = len(register) + 1
    conjunction = begin < split
    result, start = _start(out, code, register, register_of, operand, next_read, begin, end)
    sign = _sign(start, begin, split)
    stored, held, waiting, waiting_sign = begin, begin, -1, 0
    for step in range(begin + 1, end):
        while stored < end and (stored == start or register_of[operand[stored]] >= 0):
            stored += 1
        while held < end and (held == start or register_of[operand[held]] < 0):
            held += 1
        # The first of a pair is in a register; what makes it complete is in memory, if anything is.
        if (waiting < 0 and held < end) or stored == end:
            k, number = held, register_of[operand[held]]
            register[number, NEXT_READ] = next_read[k]
            held += 1
        else:
            k, number = stored, -1
            stored += 1
        sign_of_second = _sign(k, begin, split)
        if waiting >= 0:
            table = _table(exclusive, conjunction, sign, waiting_sign, sign_of_second)
            ternary(out, code, table, result, waiting, number, operand[k])
            waiting, sign = -1, 0
        elif step < end - 1:
            waiting, waiting_sign = number, sign_of_second
            if number < 0:
                with_memory(out, code, LOAD, scratch, 0, operand[k])
                waiting = scratch
        elif conjunction:
            ternary(out, code, _table(exclusive, True, sign, sign, sign_of_second), result, result, number, operand[k])
        elif number >= 0:
            with_register(out, code, XOR if exclusive else OR, result, result, number)
        else:
            with_memory(out, code, XOR if exclusive else OR, result, result, operand[k])
    return result


@kernel
def generate(
    target: Any,
    operand_start: Any,
    operand: Any,
    positive: Any,
    last_use: Any,
    begin: Any,
    end: Any,
    feedback: Any,
    seen: Any,
    next_read: Any,
    value_read: Any,
    register: Any,
    register_of: Any,
    code: Any,
    wide: Any,
    out: Any,
) -> Any:
    """Write the function that executes the instructions ``begin`` … ``end - 1``; returns its length in bytes.

    The first five arguments are arrays of a ``VectorCode``; instructions from ``feedback`` on report whether their line changes.

    Args:
        target: lines that are written.
        operand_start: where each instruction's operands begin.
        operand: lines that are read.
        positive: how many of them are not complemented.
        last_use: who reads each value last.
        begin: the first instruction.
        end: the one after the last.
        feedback: the first one that reports.
        seen: int64[lines], all ``NEVER``; the same afterwards.
        next_read: int64[operands], scratch.
        value_read: int64[instructions], scratch.
        register: int64[``value_registers``, 4], scratch.
        register_of: int64[lines], all -1; the same afterwards.
        code: int64[2], the length, which is set, and the bytes of a line: 32 or 64.
        wide: True if lines have 64 bytes, else None: then what only they need is not even compiled.
        out: uint8[n], where to write; ``code_bytes`` says how much may be needed.
    """
    # Who reads a value next, from the last instruction to the first.
    for i in range(end - 1, begin - 1, -1):
        value_read[i] = seen[target[i]]
        seen[target[i]] = NEVER
        for k in range(operand_start[i], operand_start[i + 1]):
            next_read[k] = seen[operand[k]]
        for k in range(operand_start[i], operand_start[i + 1]):
            seen[operand[k]] = i
    for i in range(begin, end):
        for k in range(operand_start[i], operand_start[i + 1]):
            seen[operand[k]] = NEVER
    for number in range(len(register)):
        register[number, LINE] = -1
        register[number, LOCKED] = 0
        register[number, UNSAVED] = 0
    changed, scratch = len(register), len(register) + 1
    code[LENGTH] = 0
    with_register(out, code, XOR, changed, changed, changed)
    loop = code[LENGTH]
    for i in range(begin, end):
        first, last = operand_start[i], operand_start[i + 1]
        split = first + max(positive[i], 0)
        if split - first > 1 and operand[first] == 0:
            # "True and …"
            if register_of[0] >= 0:
                register[register_of[0], NEXT_READ] = next_read[first]
            first += 1
        if wide is not None and last - first > 2:
            result = _combination(out, code, register, register_of, operand, next_read, first, split, last, positive[i] < 0)
        elif first == split or split == last:
            opcode = XOR if positive[i] < 0 else OR if first == split else AND
            result = _chain(out, code, register, register_of, operand, next_read, opcode, first, last)
        else:
            excluded = _chain(out, code, register, register_of, operand, next_read, OR, split, last)
            if split == first + 1 and register_of[operand[first]] < 0:
                result = _free_register(out, code, register, register_of)
                with_memory(out, code, AND_NOT, result, excluded, operand[first])
            else:
                included = _chain(out, code, register, register_of, operand, next_read, AND, first, split)
                result = included
                if register[included, LINE] >= 0:
                    result = _free_register(out, code, register, register_of)
                with_register(out, code, AND_NOT, result, excluded, included)
        line = target[i]
        if i >= feedback:
            with_memory(out, code, XOR, scratch, result, line)
            with_register(out, code, OR, changed, changed, scratch)
        # Values that only leave the stretch are written at once.
        direct = i >= feedback or value_read[i] == NEVER or register[result, LINE] >= 0
        if direct:
            if register_of[line] >= 0:
                register[register_of[line], LINE] = -1
                register_of[line] = -1
            with_memory(out, code, STORE, result, 0, line)
        else:
            if register_of[line] >= 0:
                register[register_of[line], LINE] = -1
            register[result, LINE] = line
            register[result, NEXT_READ] = value_read[i]
            register[result, UNSAVED] = 1 if last_use[i] >= end else 2
            register_of[line] = result
        # What is read no more leaves its register, written if another stretch reads it.
        for number in range(len(register)):
            register[number, LOCKED] = 0
            held = register[number, LINE]
            if held >= 0 and register[number, NEXT_READ] == NEVER:
                if register[number, UNSAVED] == 1:
                    with_memory(out, code, STORE, number, 0, held)
                _release(register, register_of, number)
    for number in range(len(register)):
        _release(register, register_of, number)
    next_group(out, code, loop)
    return_whether_set(out, code)
    return code[LENGTH]


def code_bytes(instructions: int, operands: int) -> int:
    """How many bytes a function may need: every operand may be loaded and combined, and as many values written."""
    return 64 + MOST_BYTES * (3 * operands + 4 * instructions)

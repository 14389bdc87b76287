"""The instructions of ``vector_code`` as machine code for x86-64 processors with AVX2.

A compiler for general programs spends most of its time on what does not occur here: the code is one straight line, every value is
one 256-bit vector, and what is read next is known for the whole stretch. So registers are assigned in one pass: an operand that is
in no register is read straight from memory by the instruction that needs it, which costs nothing extra; when a register is needed,
the value that is read again last makes room (Belady's rule) and is written to its line only if it is still needed and was not.

The generated function follows the System V calling convention: ``rdi`` the address of the first lane group, ``rsi`` the number of
groups, ``rdx`` the bytes from one group to the next. It returns 1 if a feedback line changed in some group, otherwise 0.
"""

from __future__ import annotations

from typing import Any, Final

from scsp_player.kernels import helper, kernel

VECTOR: Final = 32  # bytes of a line
REGISTERS: Final = 14  # for values; the last two accumulate changes and serve as scratch
CHANGED: Final = 14
SCRATCH: Final = 15
NEVER: Final = 1 << 60

# Opcodes of the map 0F with the prefix 66.
AND: Final = 0xDB
AND_NOT: Final = 0xDF  # complement of the first source and second source
OR: Final = 0xEB
XOR: Final = 0xEF
LOAD: Final = 0x6F
STORE: Final = 0x7F

# Columns of the register file, int64[REGISTERS, 4].
LINE: Final = 0  # the line whose value the register holds, -1 if none
NEXT_READ: Final = 1  # the next instruction that reads it
UNSAVED: Final = 2  # 0 if the line in memory holds the value too, 1 if it must in the end, 2 if only this stretch reads it
LOCKED: Final = 3  # 1 while the current instruction uses it


@helper
def _byte(out: Any, size: Any, value: Any) -> None:
    out[size[0]] = value
    size[0] += 1


@helper
def _word(out: Any, size: Any, value: Any) -> None:
    for shift in range(0, 32, 8):
        _byte(out, size, (value >> shift) & 255)


@helper
def _with_memory(out: Any, size: Any, opcode: Any, target: Any, source: Any, line: Any) -> None:
    """``target = source <opcode> line``, or a load or a store (``source`` 0)."""
    _byte(out, size, 0xC5)
    _byte(out, size, ((target < 8) << 7) | ((~source & 15) << 3) | 5)
    _byte(out, size, opcode)
    offset = line * VECTOR
    if offset < 128:
        _byte(out, size, 0x47 | ((target & 7) << 3))
        _byte(out, size, offset)
    else:
        _byte(out, size, 0x87 | ((target & 7) << 3))
        _word(out, size, offset)


@helper
def _with_register(out: Any, size: Any, opcode: Any, target: Any, first: Any, second: Any) -> None:
    """``target = first <opcode> second``."""
    if second < 8:
        _byte(out, size, 0xC5)
        _byte(out, size, ((target < 8) << 7) | ((~first & 15) << 3) | 5)
    else:
        _byte(out, size, 0xC4)
        _byte(out, size, ((target < 8) << 7) | 0x41)
        _byte(out, size, ((~first & 15) << 3) | 5)
    _byte(out, size, opcode)
    _byte(out, size, 0xC0 | ((target & 7) << 3) | (second & 7))


@helper
def _release(register: Any, register_of: Any, number: Any) -> None:
    if register[number, LINE] >= 0:
        register_of[register[number, LINE]] = -1
    register[number, LINE] = -1
    register[number, LOCKED] = 0
    register[number, UNSAVED] = 0


@helper
def _free_register(out: Any, size: Any, register: Any, register_of: Any) -> Any:
    """A register for the current instruction, locked; the value that is read last makes room."""
    best = -1
    latest = -1
    for number in range(REGISTERS):
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
        _with_memory(out, size, STORE, best, 0, register[best, LINE])
    _release(register, register_of, best)
    register[best, LOCKED] = 1
    return best


@helper
def _fetch(out: Any, size: Any, register: Any, register_of: Any, line: Any, next_read: Any) -> Any:
    """The register with the value of a line, loaded if it is in none; locked."""
    number = register_of[line]
    if number < 0:
        number = _free_register(out, size, register, register_of)
        _with_memory(out, size, LOAD, number, 0, line)
        register[number, LINE] = line
        register[number, UNSAVED] = 0
        register_of[line] = number
    register[number, LOCKED] = 1
    register[number, NEXT_READ] = next_read
    return number


@helper
def _chain(
    out: Any, size: Any, register: Any, register_of: Any, operand: Any, next_read: Any, opcode: Any, begin: Any, end: Any
) -> Any:
    """All operands from ``begin`` to ``end`` combined; returns the register, which holds no line unless there is one operand."""
    first = _fetch(out, size, register, register_of, operand[begin], next_read[begin])
    if end == begin + 1:
        return first
    result = -1
    for i in range(begin + 1, end):
        source = first if result < 0 else result
        if result < 0:
            result = _free_register(out, size, register, register_of)
        second = register_of[operand[i]]
        if second >= 0:
            _with_register(out, size, opcode, result, source, second)
            register[second, NEXT_READ] = next_read[i]
        else:
            _with_memory(out, size, opcode, result, source, operand[i])
        register[first, LOCKED] = 0
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
    size: Any,
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
        register: int64[REGISTERS, 4], scratch.
        register_of: int64[lines], all -1; the same afterwards.
        size: int64[1], scratch.
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
    for number in range(REGISTERS):
        register[number, LINE] = -1
        register[number, LOCKED] = 0
        register[number, UNSAVED] = 0
    size[0] = 0
    _with_register(out, size, XOR, CHANGED, CHANGED, CHANGED)
    loop = size[0]
    for i in range(begin, end):
        first, last = operand_start[i], operand_start[i + 1]
        split = first + max(positive[i], 0)
        if split - first > 1 and operand[first] == 0:
            # "True and …"
            if register_of[0] >= 0:
                register[register_of[0], NEXT_READ] = next_read[first]
            first += 1
        if first == split or split == last:
            opcode = XOR if positive[i] < 0 else OR if first == split else AND
            result = _chain(out, size, register, register_of, operand, next_read, opcode, first, last)
        else:
            excluded = _chain(out, size, register, register_of, operand, next_read, OR, split, last)
            if split == first + 1 and register_of[operand[first]] < 0:
                result = _free_register(out, size, register, register_of)
                _with_memory(out, size, AND_NOT, result, excluded, operand[first])
            else:
                included = _chain(out, size, register, register_of, operand, next_read, AND, first, split)
                result = included
                if register[included, LINE] >= 0:
                    result = _free_register(out, size, register, register_of)
                _with_register(out, size, AND_NOT, result, excluded, included)
        line = target[i]
        if i >= feedback:
            _with_memory(out, size, XOR, SCRATCH, result, line)
            _with_register(out, size, OR, CHANGED, CHANGED, SCRATCH)
        # Values that only leave the stretch are written at once.
        direct = i >= feedback or value_read[i] == NEVER or register[result, LINE] >= 0
        if direct:
            if register_of[line] >= 0:
                register[register_of[line], LINE] = -1
                register_of[line] = -1
            _with_memory(out, size, STORE, result, 0, line)
        else:
            if register_of[line] >= 0:
                register[register_of[line], LINE] = -1
            register[result, LINE] = line
            register[result, NEXT_READ] = value_read[i]
            register[result, UNSAVED] = 1 if last_use[i] >= end else 2
            register_of[line] = result
        # What is read no more leaves its register, written if another stretch reads it.
        for number in range(REGISTERS):
            register[number, LOCKED] = 0
            held = register[number, LINE]
            if held >= 0 and register[number, NEXT_READ] == NEVER:
                if register[number, UNSAVED] == 1:
                    _with_memory(out, size, STORE, number, 0, held)
                _release(register, register_of, number)
    for number in range(REGISTERS):
        _release(register, register_of, number)
    # add rdi, rdx; dec rsi; jnz loop
    for value in (0x48, 0x01, 0xD7, 0x48, 0xFF, 0xCE, 0x0F, 0x85):
        _byte(out, size, value)
    _word(out, size, loop - (size[0] + 4))
    # xor eax, eax; vptest changed, changed; setne al; vzeroupper; ret
    for value in (0x31, 0xC0, 0xC4, 0x42, 0x7D, 0x17, 0xF6, 0x0F, 0x95, 0xC0, 0xC5, 0xF8, 0x77, 0xC3):
        _byte(out, size, value)
    return size[0]


def code_bytes(instructions: int, operands: int) -> int:
    """How many bytes a function may need: every operand may be loaded and combined, and as many values written."""
    return 64 + 9 * (3 * operands + 4 * instructions)

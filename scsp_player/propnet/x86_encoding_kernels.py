"""How instructions on vectors are written: with the VEX prefix of AVX2 (256 bits) or the EVEX prefix of AVX-512F (512 bits).

Source: Intel's *Software Developer's Manual*, volume 2, sections 2.3 (VEX), 2.7 (EVEX) and 2.7.5 (displacements of one byte count
whole vectors). All functions append to ``out``; ``code`` is int64[2]: how many bytes are written, and how many a line has, which
says which prefix is meant. Lines lie at ``rdi``.
"""

from __future__ import annotations

from typing import Any, Final

from scsp_player.kernels import helper

LENGTH: Final = 0
LINE_BYTES: Final = 1
WIDE: Final = 64
"""Bytes of a line that takes an EVEX prefix."""

# Opcodes of the map 0F with the prefix 66.
AND: Final = 0xDB
AND_NOT: Final = 0xDF  # complement of the first source and second source
OR: Final = 0xEB
XOR: Final = 0xEF
LOAD: Final = 0x6F
STORE: Final = 0x7F

TERNARY: Final = 0x25  # in the map 0F3A: any function of three sources, the first of which is the target
TABLE_OR: Final = 0xFE
TABLE_XOR: Final = 0x96

MOST_BYTES: Final = 11
"""Length of the longest instruction: a prefix of four bytes, the opcode, operands in one byte, a displacement, a table."""


@helper
def put_byte(out: Any, code: Any, value: Any) -> None:
    """Append a byte."""
    out[code[LENGTH]] = value
    code[LENGTH] += 1


@helper
def put_half(out: Any, code: Any, value: Any) -> None:
    """Append four bytes."""
    for shift in range(0, 32, 8):
        put_byte(out, code, (value >> shift) & 255)


@helper
def _prefix(out: Any, code: Any, table_of_opcodes: Any, target: Any, first: Any, second: Any) -> None:
    """The prefix of an instruction with two sources; ``second`` is -1 if it is in memory. The tables are 0F and 0F3A, 1 and 3."""
    upper = max(second, 0)
    if code[LINE_BYTES] == WIDE:
        put_byte(out, code, 0x62)
        extended = ((target & 8) << 4) | ((upper & 16) << 2) | ((upper & 8) << 2) | (target & 16)
        put_byte(out, code, (extended ^ 0xF0) | table_of_opcodes)
        put_byte(out, code, 0x85 | ((~first & 15) << 3))
        put_byte(out, code, 0x40 | ((~first & 16) >> 1))
    elif upper < 8:
        put_byte(out, code, 0xC5)
        put_byte(out, code, ((target < 8) << 7) | ((~first & 15) << 3) | 5)
    else:
        put_byte(out, code, 0xC4)
        put_byte(out, code, ((target < 8) << 7) | 0x41)
        put_byte(out, code, ((~first & 15) << 3) | 5)


@helper
def _operands(out: Any, code: Any, target: Any, second: Any, line: Any) -> None:
    """The byte that names the target and the second source, and the place of a line."""
    upper = (target & 7) << 3
    if second >= 0:
        put_byte(out, code, 0xC0 | upper | (second & 7))
        return
    offset = line * code[LINE_BYTES]
    short = line if code[LINE_BYTES] == WIDE else offset
    if short < 128:
        put_byte(out, code, 0x47 | upper)
        put_byte(out, code, short)
    else:
        put_byte(out, code, 0x87 | upper)
        put_half(out, code, offset)


@helper
def with_memory(out: Any, code: Any, opcode: Any, target: Any, first: Any, line: Any) -> None:
    """``target = first <opcode> line``, or a load or a store (``first`` 0)."""
    _prefix(out, code, 1, target, first, -1)
    put_byte(out, code, opcode)
    _operands(out, code, target, -1, line)


@helper
def with_register(out: Any, code: Any, opcode: Any, target: Any, first: Any, second: Any) -> None:
    """``target = first <opcode> second``, or a copy of ``second`` (``first`` 0)."""
    _prefix(out, code, 1, target, first, second)
    put_byte(out, code, opcode)
    _operands(out, code, target, second, 0)


@helper
def ternary(out: Any, code: Any, table: Any, target: Any, first: Any, second: Any, line: Any) -> None:
    """``target = table[4 * target + 2 * first + second]``, bit for bit; 512 bits only. A negative ``second`` means ``line``."""
    _prefix(out, code, 3, target, first, second)
    put_byte(out, code, TERNARY)
    _operands(out, code, target, second, line)
    put_byte(out, code, table)


@helper
def next_group(out: Any, code: Any, loop: Any) -> None:
    """Add ``rdx`` to ``rdi`` and go back to ``loop`` unless ``rsi``, reduced by one, is zero."""
    for value in (0x48, 0x01, 0xD7, 0x48, 0xFF, 0xCE, 0x0F, 0x85):
        put_byte(out, code, value)
    put_half(out, code, loop - (code[LENGTH] + 4))


@helper
def return_whether_set(out: Any, code: Any) -> None:
    """Return whether the register ``changed_register`` has a bit set."""
    if code[LINE_BYTES] == WIDE:
        # xor eax, eax; vptestmq k1, zmm30, zmm30; kortestw k1, k1; setne al; vzeroupper; ret
        for value in (0x31, 0xC0, 0x62, 0x92, 0x8D, 0x40, 0x27, 0xCE, 0xC5, 0xF8, 0x98, 0xC9):
            put_byte(out, code, value)
    else:
        # xor eax, eax; vptest ymm14, ymm14; setne al; vzeroupper; ret
        for value in (0x31, 0xC0, 0xC4, 0x42, 0x7D, 0x17, 0xF6):
            put_byte(out, code, value)
    for value in (0x0F, 0x95, 0xC0, 0xC5, 0xF8, 0x77, 0xC3):
        put_byte(out, code, value)

"""A processor with AVX2 and AVX-512F made of arrays: machine code decoded by capstone, each instruction done by numpy.

It knows the instructions that ``x86_encoding_kernels`` writes and refuses all others.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import capstone
import numpy as np
from capstone import x86

FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * 4)


@dataclass
class Registers:
    """What a function works on: 32 vectors, one mask, three words, the zero flag, and memory that begins at address ``base``."""

    vectors: np.ndarray
    memory: np.ndarray
    base: int
    rdi: int
    rsi: int
    rdx: int
    eax: int = -1
    mask: int = -1
    zero: bool = False

    def line(self, displacement: int, words: int) -> np.ndarray:
        place, rest = divmod(self.rdi + displacement - self.base, 8)
        assert rest == 0
        assert place % words == 0, "loads and stores must be aligned"
        assert 0 <= place <= len(self.memory) - words
        return self.memory[place : place + words]


def _binary(result):
    def execute(target, first, second):
        target[:] = result(first, second)

    return execute


def _ternary(target, first, second, table):
    total = np.zeros_like(target)
    for row in range(8):
        if table >> row & 1:
            a, b, c = (x if row >> shift & 1 else ~x for x, shift in ((target, 2), (first, 1), (second, 0)))
            total |= a & b & c
    target[:] = total


def _copy(target, source):
    target[:] = source


VECTOR_OPERATIONS = {
    "vpand": _binary(lambda a, b: a & b),
    "vpandn": _binary(lambda a, b: ~a & b),
    "vpor": _binary(lambda a, b: a | b),
    "vpxor": _binary(lambda a, b: a ^ b),
    "vmovdqa": _copy,
}
VECTOR_OPERATIONS |= {name + "q": operation for name, operation in VECTOR_OPERATIONS.items() if name != "vmovdqa"}
VECTOR_OPERATIONS |= {"vmovdqa64": _copy, "vpternlogq": _ternary}


def decode(code: bytes, begin: int) -> list[tuple[int, object]]:
    """(address, function of ``Registers`` that returns where to go on, None for the next) of one function."""
    decoder = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
    decoder.detail = True
    steps = []
    for instruction in decoder.disasm(code[begin:], begin):
        steps.append((instruction.address, _meaning(instruction)))
        if instruction.mnemonic == "ret":
            return steps
    raise AssertionError(f"no instruction after {steps[-1:]}")


def mnemonics(code: bytes, begin: int) -> list[str]:
    """The names of the instructions of one function."""
    names = []
    for _, _, name, _ in capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64).disasm_lite(code[begin:], begin):
        names.append(name)
        if name == "ret":
            break
    return names


def _meaning(instruction):
    name, text = instruction.mnemonic, f"{instruction.mnemonic} {instruction.op_str}"
    if name in VECTOR_OPERATIONS:
        operands = [_operand(instruction, operand) for operand in instruction.operands]
        operation = VECTOR_OPERATIONS[name]

        def vector(r):
            operation(*(operand(r) for operand in operands))

        return vector
    if name == "vptest":
        first, second = (_operand(instruction, operand) for operand in instruction.operands)
        return lambda r: setattr(r, "zero", not (first(r) & second(r)).any())
    if name == "vptestmq":
        assert instruction.op_str.startswith("k1, ")
        first, second = (_operand(instruction, operand) for operand in instruction.operands[1:])
        return lambda r: setattr(r, "mask", sum(1 << i for i, word in enumerate(first(r) & second(r)) if word))
    if name == "jne":
        target = instruction.operands[0].imm
        return lambda r: None if r.zero else target

    def add(r):
        r.rdi += r.rdx

    def decrease(r):
        r.rsi -= 1
        r.zero = r.rsi == 0

    simple = {
        "add rdi, rdx": add,
        "dec rsi": decrease,
        "xor eax, eax": lambda r: setattr(r, "eax", 0),
        "kortestw k1, k1": lambda r: setattr(r, "zero", r.mask == 0),
        "setne al": lambda r: setattr(r, "eax", int(not r.zero)),
        "vzeroupper ": lambda r: None,
        "ret ": lambda r: None,
    }
    return simple[text]


def _operand(instruction, operand):
    """A function of ``Registers``: the vector that an operand names, or its number."""
    if operand.type == x86.X86_OP_IMM:
        return lambda r: operand.imm & 255
    if operand.type == x86.X86_OP_MEM:
        assert instruction.reg_name(operand.mem.base) == "rdi"
        assert operand.mem.index == 0
        displacement = operand.mem.disp
        words = operand.size // 8
        return lambda r: r.line(displacement, words)
    name = instruction.reg_name(operand.reg)
    words = {"y": 4, "z": 8}[name[0]]
    number = int(name[3:])
    return lambda r: r.vectors[number, :words]


def run(steps, registers: Registers) -> int:
    """Execute a decoded function; returns what it returns."""
    numbers = {address: number for number, (address, _) in enumerate(steps)}
    number = 0
    while number < len(steps):
        target = steps[number][1](registers)
        number = number + 1 if target is None else numbers[target]
    return registers.eax


class EmulatedMemory:
    """Stands in for ``ExecutableMemory``: its functions are called at addresses of their own and are emulated."""

    def __init__(self, code: bytes) -> None:
        self.code = code
        self.address = self
        self.kept = []

    def __add__(self, places):
        """The addresses of the functions that begin at some places of the code."""
        return np.array([self._function(int(place)) for place in places])

    def _function(self, place: int) -> int:
        steps = decode(self.code, place)

        def call(first, groups, stride, _):
            memory = np.frombuffer((ctypes.c_char * (groups * stride)).from_address(first), np.uint64)
            memory.flags.writeable = True
            vectors = np.random.default_rng(place).integers(0, 2**64, (32, 8), np.uint64)
            return run(steps, Registers(vectors, memory, first, first, groups, stride))

        function = FUNCTION(call)
        self.kept.append(function)
        return ctypes.cast(function, ctypes.c_void_p).value

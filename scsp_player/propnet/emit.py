"""A small language for writing native code from Python: words, vectors of words, loops, conditions.

A *vector* holds 64-bit words, as many as the module says: one register of the processor, or several smaller ones. One bit of it
belongs to one *lane*, that is to one game. Code is written by running Python functions that combine ``Value`` objects with the
usual operators; what Python executes once, the processor executes whenever the code runs. Comparisons are methods (``less``,
``equal``), because their outcome is known only then.

Nothing here knows games. Addresses are checked nowhere: what a kernel reads and writes is the business of its author.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from llvmlite import ir

BIT = ir.IntType(1)
BYTE = ir.IntType(8)
HALF = ir.IntType(32)
WORD = ir.IntType(64)
POINTER = ir.PointerType()

WORD_BYTES: Final = 8


class Module:
    """Functions that work on vectors of ``words`` words."""

    def __init__(self, name: str, words: int) -> None:
        """Begin a module."""
        self.words = words
        self.functions = ir.Module(name)

    @property
    def text(self) -> str:
        """The module in LLVM's textual language."""
        return str(self.functions)


@dataclass(frozen=True, eq=False)
class Value:
    """A word, a vector, a truth value or an address at run time."""

    code: Code
    raw: Any

    def _combine(self, operation: str, other: Value | int) -> Value:
        second = self.code.like(self, other)
        return Value(self.code, getattr(self.code.builder, operation)(self.raw, second.raw))

    def __and__(self, other: Value | int) -> Value:
        return self._combine("and_", other)

    def __or__(self, other: Value | int) -> Value:
        return self._combine("or_", other)

    def __xor__(self, other: Value | int) -> Value:
        return self._combine("xor", other)

    def __add__(self, other: Value | int) -> Value:
        return self._combine("add", other)

    def __sub__(self, other: Value | int) -> Value:
        return self._combine("sub", other)

    def __mul__(self, other: Value | int) -> Value:
        return self._combine("mul", other)

    def __lshift__(self, other: Value | int) -> Value:
        return self._combine("shl", other)

    def __rshift__(self, other: Value | int) -> Value:
        return self._combine("lshr", other)

    def __invert__(self) -> Value:
        return Value(self.code, self.code.builder.not_(self.raw))

    def compare(self, relation: str, other: Value | int) -> Value:
        """A truth value; signed comparison of words."""
        second = self.code.like(self, other)
        return Value(self.code, self.code.builder.icmp_signed(relation, self.raw, second.raw))

    def less(self, other: Value | int) -> Value:
        """Whether this word is below the other one (signed)."""
        return self.compare("<", other)

    def equal(self, other: Value | int) -> Value:
        """Whether both words are the same."""
        return self.compare("==", other)


@dataclass(frozen=True, eq=False)
class Variable:
    """A place for a value that changes."""

    code: Code
    slot: Any
    kind: Any

    def get(self) -> Value:
        """The value now."""
        return Value(self.code, self.code.builder.load(self.slot, typ=self.kind))

    def set(self, value: Value | int) -> None:
        """Change the value."""
        raw = value.raw if isinstance(value, Value) else self.code.constant(self.kind, value)
        self.code.builder.store(raw, self.slot)


class Code:
    """One function under construction.

    Attributes:
        words: words of a vector.
        builder: where instructions are appended.
        arguments: the function's arguments.
    """

    def __init__(self, module: Module, name: str, kinds: list[Any]) -> None:
        """Begin a function with arguments of the given kinds, which returns a word."""
        self.words = module.words
        self._vector = ir.VectorType(WORD, self.words)
        self.function = ir.Function(module.functions, ir.FunctionType(WORD, kinds), name)
        self.function.attributes.add("nounwind")
        self.builder = ir.IRBuilder(self.function.append_basic_block("entry"))
        self.arguments = [Value(self, argument) for argument in self.function.args]

    # Constants and conversions

    def constant(self, kind: Any, value: int) -> Any:
        """A constant of a kind; a vector has the same word in every place."""
        return ir.Constant(kind, [value] * self.words if kind == self._vector else value)

    def word(self, value: int) -> Value:
        """A constant word."""
        return Value(self, ir.Constant(WORD, value))

    def lanes(self, value: int) -> Value:
        """A vector with the same constant in every word: 0 for no lane, -1 for all lanes."""
        return Value(self, ir.Constant(self._vector, [value] * self.words))

    def like(self, model: Value, value: Value | int) -> Value:
        """``value`` as a value of the kind of ``model``."""
        if isinstance(value, Value):
            return value
        if model.raw.type == self._vector:
            return self.lanes(value)
        return Value(self, ir.Constant(model.raw.type, value))

    def spread(self, word: Value) -> Value:
        """A vector with ``word`` in every place."""
        undefined = ir.Constant(self._vector, ir.Undefined)
        first = self.builder.insert_element(undefined, word.raw, ir.Constant(HALF, 0))
        pattern = ir.Constant(ir.VectorType(HALF, self.words), [0] * self.words)
        return Value(self, self.builder.shuffle_vector(first, undefined, pattern))

    def pointer(self, word: Value) -> Value:
        """The address that a word holds."""
        return Value(self, self.builder.inttoptr(word.raw, POINTER))

    def choose(self, condition: Value, yes: Value, no: Value) -> Value:
        """``yes`` or ``no``."""
        return Value(self, self.builder.select(condition.raw, yes.raw, no.raw))

    # Memory

    def address(self, base: Value, offset: Value | int) -> Value:
        """``base`` plus a number of bytes."""
        return Value(self, self.builder.gep(base.raw, [self.like(self.word(0), offset).raw], source_etype=BYTE))

    def load(self, base: Value, line: Value | int) -> Value:
        """The vector in line ``line`` from ``base`` on."""
        place = self.line(base, line)
        return Value(self, self.builder.load(place.raw, typ=self._vector, align=8))

    def store(self, base: Value, line: Value | int, value: Value) -> None:
        """Write a vector to line ``line`` from ``base`` on."""
        self.builder.store(value.raw, self.line(base, line).raw, align=8)

    def line(self, base: Value, number: Value | int) -> Value:
        """Address of line ``number`` from ``base`` on."""
        return self.address(base, number * (WORD_BYTES * self.words))

    def load_word(self, base: Value, index: Value | int) -> Value:
        """Entry ``index`` of an array of int64 or uint64."""
        return Value(self, self.builder.load(self.address(base, index * 8).raw, typ=WORD, align=8))

    def store_word(self, base: Value, index: Value | int, value: Value) -> None:
        """Change entry ``index`` of an array of int64 or uint64."""
        self.builder.store(value.raw, self.address(base, index * 8).raw, align=8)

    def load_half(self, base: Value, index: Value | int) -> Value:
        """Entry ``index`` of an array of int32, as a word."""
        half = self.builder.load(self.address(base, index * 4).raw, typ=HALF, align=4)
        return Value(self, self.builder.sext(half, WORD))

    def store_half(self, base: Value, index: Value | int, value: Value) -> None:
        """Change entry ``index`` of an array of int32."""
        self.builder.store(self.builder.trunc(value.raw, HALF), self.address(base, index * 4).raw, align=4)

    # Questions about whole vectors

    def _intrinsic(self, name: str, result: Any, value: Value) -> Value:
        module = self.function.module
        function = module.globals.get(name) or ir.Function(module, ir.FunctionType(result, [value.raw.type]), name)
        return Value(self, self.builder.call(function, [value.raw]))

    def any(self, vector: Value) -> Value:
        """Whether a lane is set."""
        union = self._intrinsic(f"llvm.vector.reduce.or.v{self.words}i64", WORD, vector)
        return union.compare("!=", 0)

    def populations(self, vector: Value) -> Value:
        """A vector with the number of set lanes of each word."""
        return self._intrinsic(f"llvm.ctpop.v{self.words}i64", self._vector, vector)

    def total(self, vector: Value) -> Value:
        """The sum of the words."""
        return self._intrinsic(f"llvm.vector.reduce.add.v{self.words}i64", WORD, vector)

    # Control

    def variable(self, value: Value) -> Variable:
        """A variable with its first value."""
        with self.builder.goto_entry_block():
            slot = self.builder.alloca(value.raw.type)
        result = Variable(self, slot, value.raw.type)
        result.set(value)
        return result

    @contextmanager
    def when(self, condition: Value) -> Iterator[None]:
        """Run what the ``with`` block writes only if a condition holds."""
        with self.builder.if_then(condition.raw):
            yield

    @contextmanager
    def either(self, condition: Value) -> Iterator[tuple[Any, Any]]:
        """Two blocks to be opened with ``with``: for a condition that holds, and for one that does not."""
        with self.builder.if_else(condition.raw) as branches:
            yield branches

    @contextmanager
    def repeat(self) -> Iterator[Loop]:
        """Run what the ``with`` block writes again and again, until it leaves the loop."""
        body, end = self.builder.append_basic_block("again"), self.builder.append_basic_block("end")
        self.builder.branch(body)
        self.builder.position_at_end(body)
        yield Loop(self, end)
        self.builder.branch(body)
        self.builder.position_at_end(end)

    @contextmanager
    def count(self, end: Value | int, begin: Value | int = 0, step: int = 1) -> Iterator[Value]:
        """A loop over ``begin``, ``begin + step`` … below ``end``."""
        number = self.variable(self.like(self.word(0), begin))
        with self.repeat() as loop:
            loop.leave_unless(number.get().less(end))
            yield number.get()
            number.set(number.get() + step)

    def call(self, function: Code, arguments: list[Value]) -> Value:
        """Call a function of the module."""
        return Value(self, self.builder.call(function.function, [argument.raw for argument in arguments]))

    def call_at(self, address: Value, arguments: list[Value]) -> Value:
        """Call the function at the address that a word holds; it returns a word."""
        raw = [argument.raw for argument in arguments]
        kind = ir.PointerType(ir.FunctionType(WORD, [argument.type for argument in raw]))
        return Value(self, self.builder.call(self.builder.inttoptr(address.raw, kind), raw))

    def result(self, value: Value | int) -> None:
        """Return a word from the function."""
        self.builder.ret(self.like(self.word(0), value).raw)


@dataclass(frozen=True, eq=False)
class Loop:
    """A loop that is being written."""

    code: Code
    end: Any

    def leave_if(self, condition: Value) -> None:
        """Leave the loop if a condition holds."""
        going = self.code.builder.append_basic_block("going")
        self.code.builder.cbranch(condition.raw, self.end, going)
        self.code.builder.position_at_end(going)

    def leave_unless(self, condition: Value) -> None:
        """Leave the loop unless a condition holds."""
        going = self.code.builder.append_basic_block("going")
        self.code.builder.cbranch(condition.raw, going, self.end)
        self.code.builder.position_at_end(going)

"""A value type for compiled code: one *row* of ``ROW_WORDS`` 64-bit words, held in vector registers.

One bit of a row belongs to one *lane*, that is to one game. Kernels load rows from the lines of a ``uint64[n, ROW_WORDS]`` matrix,
combine them with ``& | ^ ~ + << >>`` and store them back; the compiler cuts a row into as many vector instructions as the processor
needs (four with AVX2, two with AVX-512), so that no loop over words has to be recognised and checked for overlapping memory.

Everything here can be called from ``@njit`` functions only.
"""

# mypy: disable-error-code="no-untyped-call"
from __future__ import annotations

import operator
from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.extending import intrinsic, lower_builtin, models, register_model
from numba.core.typing.templates import ConcreteTemplate, infer_global, signature

ROW_WORDS: Final = 16
"""Words of a row."""
ROW_LANES: Final = 64 * ROW_WORDS
"""Lanes of a row."""

_compiled: Final[Any] = intrinsic
_WORD = ir.IntType(64)
_VECTOR = ir.VectorType(_WORD, ROW_WORDS)
_WORD_ALIGNMENT = 8  # numpy promises no more


class Row(types.Type):
    """The type of a row in compiled code."""

    def __init__(self) -> None:
        super().__init__(name=f"Row{ROW_WORDS}")


row: Final = Row()


@register_model(Row)
class RowModel(models.PrimitiveModel):  # type: ignore[misc]
    """A row is a vector value of the code generator."""

    def __init__(self, manager: Any, row_type: Any) -> None:
        super().__init__(manager, row_type, _VECTOR)


def _operator(function: Any, second: Any, emit: Any) -> None:
    """Let compiled code apply a Python operator to rows."""
    template = type("RowOperator", (ConcreteTemplate,), {"cases": [signature(row, row, second)]})
    infer_global(function)(template)

    @lower_builtin(function, row, second)
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return emit(builder, args[0], args[1] if second is row else _spread(builder, args[1]))


def _spread(builder: Any, word: Any) -> Any:
    """A row with the same value in every word."""
    first = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), word, ir.Constant(ir.IntType(32), 0))
    pattern = ir.Constant(ir.VectorType(ir.IntType(32), ROW_WORDS), None)
    return builder.shuffle_vector(first, ir.Constant(_VECTOR, ir.Undefined), pattern)


_operator(operator.and_, row, lambda builder, a, b: builder.and_(a, b))
_operator(operator.or_, row, lambda builder, a, b: builder.or_(a, b))
_operator(operator.xor, row, lambda builder, a, b: builder.xor(a, b))
_operator(operator.add, row, lambda builder, a, b: builder.add(a, b))
_operator(operator.lshift, types.int64, lambda builder, a, b: builder.shl(a, b))
_operator(operator.rshift, types.int64, lambda builder, a, b: builder.lshr(a, b))


@infer_global(operator.invert)
class RowInvert(ConcreteTemplate):  # type: ignore[misc]
    """``~row``."""

    cases = [signature(row, row)]  # noqa: RUF012


@lower_builtin(operator.invert, row)
def _lower_invert(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.not_(args[0])


def _line(context: Any, builder: Any, matrix_type: Any, matrix: Any, index: Any) -> Any:
    """Pointer to a line of a matrix."""
    array = context.make_array(matrix_type)(context, builder, matrix)
    offset = builder.mul(index, ir.Constant(index.type, ROW_WORDS))
    return builder.bitcast(builder.gep(array.data, [offset]), ir.PointerType(_VECTOR))


@_compiled
def load(typing_context: Any, matrix: Any, index: Any) -> Any:
    """``load(matrix, i)``: the row in line i of a C-ordered ``uint64[n, ROW_WORDS]`` matrix (no bounds check)."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        position = context.cast(builder, args[1], sig.args[1], types.intp)
        return builder.load(_line(context, builder, sig.args[0], args[0], position), align=_WORD_ALIGNMENT)

    return row(matrix, index), generate


@_compiled
def literal_row(typing_context: Any, matrix: Any, literal: Any) -> Any:
    """``literal_row(matrix, literal)``: the row in line ``literal // 2``, complemented if the literal is odd."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        wide = context.cast(builder, args[1], sig.args[1], types.int64)
        one = ir.Constant(_WORD, 1)
        line = _line(context, builder, sig.args[0], args[0], builder.ashr(wide, one))
        sign = _spread(builder, builder.neg(builder.and_(wide, one)))
        return builder.xor(builder.load(line, align=_WORD_ALIGNMENT), sign)

    return row(matrix, literal), generate


@_compiled
def entry(typing_context: Any, array: Any, index: Any) -> Any:
    """``entry(array, i)``: ``array[i]`` of a one-dimensional array without the provision for negative indices."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        position = context.cast(builder, args[1], sig.args[1], types.intp)
        return builder.load(builder.gep(context.make_array(sig.args[0])(context, builder, args[0]).data, [position]))

    return array.dtype(array, index), generate


@_compiled
def store(typing_context: Any, matrix: Any, index: Any, value: Any) -> Any:
    """``store(matrix, i, row)``: write a row to line i of a matrix (no bounds check)."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        position = context.cast(builder, args[1], sig.args[1], types.intp)
        builder.store(args[2], _line(context, builder, sig.args[0], args[0], position), align=_WORD_ALIGNMENT)
        return context.get_dummy_value()

    return types.void(matrix, index, row), generate


@_compiled
def spread(typing_context: Any, word: Any) -> Any:
    """``spread(word)``: a row with ``word`` in every place."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _spread(builder, context.cast(builder, args[0], sig.args[0], types.uint64))

    return row(word), generate


def _vector_call(builder: Any, operation: str, result: Any, value: Any) -> Any:
    """Call the code generator's own function for an operation on a row."""
    name = f"llvm.{operation}.v{ROW_WORDS}i64"
    return builder.call(cgutils.get_or_insert_function(builder.module, ir.FunctionType(result, [_VECTOR]), name), [value])


@_compiled
def union(typing_context: Any, value: Any) -> Any:
    """``union(row)``: the disjunction of its words; zero exactly if no lane is set."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _vector_call(builder, "vector.reduce.or", _WORD, args[0])

    return types.uint64(row), generate


@_compiled
def populations(typing_context: Any, value: Any) -> Any:
    """``populations(row)``: a row with the number of set lanes of each word."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _vector_call(builder, "ctpop", _VECTOR, args[0])

    return row(row), generate


@_compiled
def population(typing_context: Any, value: Any) -> Any:
    """``population(row)``: how many lanes are set."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _vector_call(builder, "vector.reduce.add", _WORD, _vector_call(builder, "ctpop", _VECTOR, args[0]))

    return types.int64(row), generate

"""Functional expressions such as ``eq(add(x,1),y)``: read without recursion, evaluated for many assignments at once."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Column = NDArray[np.int64]

_TOKEN = re.compile(r"\s*(?:([A-Za-z_%][A-Za-z0-9_\[\]%.]*)|([+-]?[0-9]{1,1000})|([(),]))")
_NODES = 10_000
_GREATEST = 2**62


def _truth(values: Column) -> Column:
    return np.asarray(values != 0, dtype=np.int64)


def _divided(a: Column, b: Column) -> Column:
    """Quotient towards zero; where it is not defined, 0 (see ``Expression.evaluate``)."""
    safe = np.where(b == 0, 1, b)
    return np.asarray(np.sign(a) * np.sign(safe) * (np.abs(a) // np.abs(safe)), dtype=np.int64)


def _chain(compare: Callable[[Column, Column], NDArray[np.bool_]]) -> Callable[[list[Column]], Column]:
    def fold(arguments: list[Column]) -> Column:
        holds = np.ones(1, dtype=np.bool_)
        for a, b in itertools.pairwise(arguments):
            holds = holds & compare(a, b)
        return holds.astype(np.int64)

    return fold


def _reduced(step: Callable[[Column, Column], Column]) -> Callable[[list[Column]], Column]:
    def fold(arguments: list[Column]) -> Column:
        result = arguments[0]
        for argument in arguments[1:]:
            result = step(result, argument)
        return result

    return fold


def _among(arguments: list[Column]) -> Column:
    found = np.zeros(1, dtype=np.bool_)
    for member in arguments[1:]:
        found = found | (arguments[0] == member)
    return found.astype(np.int64)


_MANY = 1 << 20
_OPERATORS: dict[str, tuple[int, int, Callable[[list[Column]], Column]]] = {
    # name: least and greatest number of arguments, meaning
    "neg": (1, 1, lambda a: -a[0]),
    "abs": (1, 1, lambda a: np.abs(a[0])),
    "sqr": (1, 1, lambda a: a[0] * a[0]),
    "not": (1, 1, lambda a: 1 - _truth(a[0])),
    "add": (2, _MANY, _reduced(np.add)),
    "mul": (2, _MANY, _reduced(np.multiply)),
    "min": (2, _MANY, _reduced(np.minimum)),
    "max": (2, _MANY, _reduced(np.maximum)),
    "and": (1, _MANY, _reduced(lambda a, b: _truth(a) * _truth(b))),
    "or": (1, _MANY, _reduced(lambda a, b: np.maximum(_truth(a), _truth(b)))),
    "xor": (2, _MANY, _reduced(lambda a, b: _truth(a) ^ _truth(b))),
    "iff": (2, _MANY, lambda a: _chain(np.equal)([_truth(v) for v in a])),
    "imp": (2, 2, lambda a: np.maximum(1 - _truth(a[0]), _truth(a[1]))),
    "sub": (2, 2, lambda a: a[0] - a[1]),
    "div": (2, 2, lambda a: _divided(a[0], a[1])),
    "mod": (2, 2, lambda a: a[0] - a[1] * _divided(a[0], a[1])),
    "dist": (2, 2, lambda a: np.abs(a[0] - a[1])),
    "lt": (2, 2, _chain(np.less)),
    "le": (2, 2, _chain(np.less_equal)),
    "ge": (2, 2, _chain(np.greater_equal)),
    "gt": (2, 2, _chain(np.greater)),
    "ne": (2, 2, _chain(np.not_equal)),
    "eq": (2, _MANY, _chain(np.equal)),
    "if": (3, 3, lambda a: np.where(a[0] != 0, a[1], a[2])),
    "in": (2, _MANY, _among),
    "notin": (2, _MANY, lambda a: 1 - _among(a)),
}


@dataclass(frozen=True)
class Expression:
    """An expression in postfix order.

    Attributes:
        steps: a constant; the name of an operand; or an operator with its number of arguments.
        names: the operands, each once, in the order in which they come up.
    """

    steps: tuple[int | str | tuple[str, int], ...]
    names: tuple[str, ...]

    def evaluate(self, columns: Mapping[str, Column]) -> NDArray[np.bool_]:
        """Whether it holds, for each row of the columns of its operands; where a division by zero occurs, it does not.

        Raises:
            ValueError: if numbers would exceed 62 bits.
        """
        stack: list[Column] = []
        defined = np.ones(1, dtype=np.bool_)
        for step in self.steps:
            if isinstance(step, int):
                stack.append(np.full(1, step, dtype=np.int64))
            elif isinstance(step, str):
                stack.append(columns[step])
            else:
                name, count = step
                arguments = stack[-count:]
                del stack[-count:]
                _check_size(name, arguments)
                if name in ("div", "mod"):
                    defined = defined & (arguments[1] != 0)
                stack.append(_OPERATORS[name][2](arguments))
        return np.asarray((stack[0] != 0) & defined)


def parse_expression(text: str) -> Expression:
    """Reads an expression.

    >>> parse_expression("ne(x, add(y,2))").steps
    ('x', 'y', 2, ('add', 2), ('ne', 2))

    Raises:
        ValueError: with what is wrong.
    """
    steps: list[int | str | tuple[str, int]] = []
    names: dict[str, None] = {}
    opened: list[tuple[str, int]] = []  # operators whose arguments are being read, and how many there are so far
    position, operand_next = 0, True
    text = text.strip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise ValueError(f"{text[position : position + 20]!r} makes no sense")
        if len(steps) > _NODES:
            raise ValueError("the expression is too long")
        position = match.end()
        name, number, mark = match.groups()
        if mark is None and not operand_next:
            raise ValueError(f"',' or ')' must stand before {(name or number)[:20]!r}")
        if number is not None:
            if len(number) > 11:
                raise ValueError(f"the number {number[:40]} is too large")
            steps.append(int(number))
            operand_next = False
        elif name is not None:
            if text[position : position + 1] == "(":
                position += 1
                if name not in _OPERATORS and name != "set":
                    raise ValueError(f"the operator {name[:40]!r} is not supported")
                if name == "set" and not (opened and opened[-1][0] in ("in", "notin") and opened[-1][1] == 1):
                    raise ValueError("a set makes sense only as the second argument of in or notin")
                opened.append((name, 0))
            else:
                steps.append(name)
                names[name] = None
                operand_next = False
        elif not opened or (operand_next and not (mark == ")" and opened[-1] == ("set", 0))) or mark == "(":
            raise ValueError(f"{mark!r} makes no sense here")
        else:
            # An empty set has no argument to count.
            opened[-1] = (opened[-1][0], opened[-1][1] + (0 if operand_next else 1))
            operand_next = mark == ","
            if mark == ")":
                _close(opened, steps)
    if opened or operand_next:
        raise ValueError("the expression is not complete")
    return Expression(tuple(steps), tuple(names))


def _close(opened: list[tuple[str, int]], steps: list[int | str | tuple[str, int]]) -> None:
    """The end of an operator."""
    name, count = opened.pop()
    if name == "set":
        # Its members become further arguments of the operator around it, which counts one more at its own end.
        opened[-1] = (opened[-1][0], opened[-1][1] + count - 1)
        return
    least, greatest, _ = _OPERATORS[name]
    if not least <= count <= greatest and not (name in ("in", "notin") and count == 1):
        raise ValueError(f"{name} cannot have {count} argument{'s' if count != 1 else ''}")
    steps.append((name, count))


def _check_size(name: str, arguments: list[Column]) -> None:
    sizes = [max(1, int(np.abs(a).max(initial=0))) for a in arguments]
    bound = 1
    if name in ("mul", "sqr"):
        for size in sizes * (2 if name == "sqr" else 1):
            bound *= size
    else:
        bound = sum(sizes)
    if bound >= _GREATEST:
        raise ValueError("its numbers become too large")

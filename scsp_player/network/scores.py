"""Many possible scores, each under its own condition: one score if exactly one condition holds, else none."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scsp_player.network.cases import Outputs
from scsp_player.network.functions import Function
from scsp_player.network.tables import TableBuilder

PART = 6
"""Conditions looked at together in the leaves of the tree."""


def define_by_tree(
    builder: TableBuilder, output: int, over: Function, conditions: Sequence[tuple[int, Function]], zero: int
) -> None:
    """Define ``output``: the value of the only condition that holds while ``over`` holds, else ``zero``.

    Auxiliary variables say of a part of the conditions which one holds alone: value 0 for none, 1 … k, and k + 1 for several.
    Two parts are joined by one table, and so on up to the whole.

    Args:
        builder: the network.
        output: the variable to define.
        over: a function of one variable.
        conditions: pairs of a value of ``output`` and a function of one variable.
        zero: the value for none or several.
    """
    name = builder.variables[output].name
    parts: list[tuple[int, list[int]]] = []
    for begin in range(0, len(conditions), PART):
        chunk = conditions[begin : begin + PART]
        variable = builder.variable(f"{name}_part", len(chunk) + 2, "auxiliary")
        outputs = Outputs(
            tuple((k + 1, [[condition]]) for k, (_, condition) in enumerate(chunk)), default=0, several=len(chunk) + 1
        )
        axes = tuple({axis.variable: axis for _, f in sorted(chunk, key=lambda c: c[1].variables) for axis in f.axes}.values())
        builder.define(variable, axes, outputs.table(axes), "auxiliary")
        parts.append((variable, [value for value, _ in chunk]))
    while len(parts) > 1:
        joined: list[tuple[int, list[int]]] = []
        for begin in range(0, len(parts) - 1, 2):
            joined.append(_join(builder, name, parts[begin], parts[begin + 1]))
        parts = joined + parts[len(joined) * 2 :]
    variable, values = parts[0]
    mapping = np.array([zero, *values, zero])
    axis = builder.identity(variable)
    first, second = sorted([axis, *over.axes], key=lambda a: a.variable)
    table = np.where(over.table[:, None], mapping[None, :], zero)
    builder.define(output, (first, second), table if second is axis else table.T, "score")


def _join(builder: TableBuilder, name: str, left: tuple[int, list[int]], right: tuple[int, list[int]]) -> tuple[int, list[int]]:
    values = left[1] + right[1]
    several = len(values) + 1
    variable = builder.variable(f"{name}_part", len(values) + 2, "auxiliary")
    i = np.arange(len(left[1]) + 2)[:, None]
    j = np.arange(len(right[1]) + 2)[None, :]
    table = np.where(j == 0, i, np.where(i == 0, j + len(left[1]), several))
    table[-1, :] = several
    table[:, -1] = several
    builder.define(variable, (builder.identity(left[0]), builder.identity(right[0])), table.astype(np.int32), "auxiliary")
    return variable, values

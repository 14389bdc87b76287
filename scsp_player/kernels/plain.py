"""Kernels as plain Python, for a process that has to answer before anything is compiled.

Slower by two orders of magnitude, but there at once: enough for legal moves in one state after the other. Arrays become views whose
elements are integers of Python, since numbers of NumPy would neither widen as in compiled code nor be quick; so only kernels work
that index one-dimensional arrays and records and ask for their ``len``, as those of joins do.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, overload

import numpy as np

Function = TypeVar("Function", bound=Callable[..., Any])


class Record:
    """One record of an array: fields are attributes."""

    __slots__ = ("_columns", "_place")

    def __init__(self, columns: dict[str, Any], place: int) -> None:
        object.__setattr__(self, "_columns", columns)
        object.__setattr__(self, "_place", place)

    def __getattr__(self, name: str) -> Any:
        return self._columns[name][self._place]

    def __setattr__(self, name: str, value: Any) -> None:
        self._columns[name][self._place] = value


class Records:
    """An array of records.

    >>> array = np.zeros(2, np.dtype([("first", np.int64), ("item", np.int64)]))
    >>> Records(array)[1].item = 5
    >>> array[1]
    np.void((0, 5), dtype=[('first', '<i8'), ('item', '<i8')])
    """

    def __init__(self, array: Any) -> None:
        self._columns = {name: memoryview(array[name]) for name in array.dtype.names}
        self._length = len(array)

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, place: int) -> Record:
        return Record(self._columns, place)


def _view(argument: Any) -> Any:
    if not isinstance(argument, np.ndarray):
        return argument
    array: Any = argument
    return Records(array) if array.dtype.names else memoryview(array)


@overload
def kernel(function: Function) -> Function: ...
@overload
def kernel(*, allocates: bool) -> Callable[[Function], Function]: ...
def kernel(function: Any = None, *, allocates: bool = False) -> Any:
    """As ``declaration.kernel``."""
    if function is None:
        return kernel

    @functools.wraps(function)
    def interpreted(*arguments: Any) -> Any:
        return function(*map(_view, arguments))

    return interpreted


@overload
def helper(function: Function) -> Function: ...
@overload
def helper(*, allocates: bool) -> Callable[[Function], Function]: ...
def helper(function: Any = None, *, allocates: bool = False) -> Any:
    """As ``declaration.helper``."""
    return helper if function is None else function


def inlined(function: Function) -> Function:
    """As ``declaration.inlined``."""
    return function


def is_kept(kernel: Any) -> bool:
    """As ``declaration.is_kept``: nothing is."""
    return False

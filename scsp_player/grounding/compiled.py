"""How kernels are compiled.

No wrapper that nothing calls, since wrappers take longer to compile than the kernels. No reference counts of arrays (``_nrt``):
kernels allocate nothing and keep no array, while counting, which is atomic, would cost more than the work of a step of the join
machine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])
_njit: Any = numba.njit
_OPTIONS: Any = {"cache": True, "nogil": True, "no_cfunc_wrapper": True, "_nrt": False}


def entry_kernel(function: Function) -> Function:
    """Compile on first use, for calls from Python and from other kernels; the kernel must not allocate."""
    compiled: Function = _njit(**_OPTIONS)(function)
    return compiled


def inner_kernel(function: Function) -> Function:
    """Compile on first use, for calls from other kernels only; the kernel must not allocate."""
    compiled: Function = _njit(**_OPTIONS, no_cpython_wrapper=True)(function)
    return compiled


def inlined_kernel(function: Function) -> Function:
    """Compile into every kernel that calls it: for small ones that every step needs."""
    compiled: Function = _njit(**_OPTIONS, no_cpython_wrapper=True, forceinline=True)(function)
    return compiled

"""How kernels are compiled: no wrapper that nothing calls, since wrappers take longer to compile than the kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])
_njit: Any = numba.njit


def entry_kernel(function: Function) -> Function:
    """Compile on first use, for calls from Python and from other kernels."""
    compiled: Function = _njit(cache=True, nogil=True, no_cfunc_wrapper=True)(function)
    return compiled


def inner_kernel(function: Function) -> Function:
    """Compile on first use, for calls from other kernels only."""
    compiled: Function = _njit(cache=True, nogil=True, no_cfunc_wrapper=True, no_cpython_wrapper=True)(function)
    return compiled

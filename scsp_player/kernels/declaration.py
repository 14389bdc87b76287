"""The decorators of compiled functions."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final, TypeVar, overload

import numba

from scsp_player.kernels import ORDINARY, VARIABLE
from scsp_player.kernels.stamps import stamp

Function = TypeVar("Function", bound=Callable[..., Any])

_njit: Final[Any] = numba.njit

KNOWN: Final = ("0.68.",)
"""Versions of Numba whose inner parts the short way of compiling is known to fit; others compile in their own way, more slowly."""

SHORT: Final = numba.__version__.startswith(KNOWN) and os.environ.get(VARIABLE) != ORDINARY
"""Whether kernels are compiled in the short way."""

_COMMON: Final[dict[str, Any]] = {
    "nogil": True,
    # Division by zero is not checked: kernels do not divide by what may be zero.
    "error_model": "numpy",
}

if SHORT:
    from scsp_player.kernels.compiler import KernelCompiler

    # Nothing calls kernels through C function pointers.
    _COMMON.update(no_cfunc_wrapper=True, pipeline_class=KernelCompiler)


@overload
def kernel(function: Function) -> Function: ...
@overload
def kernel(*, allocates: bool) -> Callable[[Function], Function]: ...
def kernel(function: Any = None, *, allocates: bool = False) -> Any:
    """Declares a kernel that Python calls; it is compiled on first use and kept on disk.

    Args:
        function: what is compiled.
        allocates: whether it makes arrays, or calls what does. Only then are references to arrays counted, at every call and
            atomically, which costs a lot in compilation and in use.
    """

    def declare(function: Any) -> Any:
        result = _declared(function, {"_nrt": allocates}, cache=True)
        stamp(result)
        return result

    return declare if function is None else declare(function)


@overload
def helper(function: Function) -> Function: ...
@overload
def helper(*, allocates: bool) -> Callable[[Function], Function]: ...
def helper(function: Any = None, *, allocates: bool = False) -> Any:
    """Declares a function that only kernels call; a part of the kernels that call it, on disk as well."""
    return _declared(function, {"_nrt": allocates, "no_cpython_wrapper": True})


def inlined(function: Function) -> Function:
    """Declares a helper that becomes a part of each of its callers: for small ones that every step needs."""
    result: Function = _declared(function, {"_nrt": False, "no_cpython_wrapper": True, "forceinline": True})
    return result


def _declared(function: Any, short: dict[str, Any], **options: Any) -> Any:
    """A function with the options of the short way, where that is taken, and those of every way."""
    decorator = _njit(**_COMMON, **options, **(short if SHORT else {}))
    return decorator if function is None else decorator(function)


def is_kept(kernel: Any) -> bool:
    """Whether some compiled form of a kernel, as it stands in the source, is on disk."""
    file = getattr(getattr(kernel, "_cache", None), "_cache_file", None)
    return file is not None and bool(file._load_index())

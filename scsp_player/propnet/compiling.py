"""How the kernels of this package are compiled."""

from __future__ import annotations

from typing import Any, Final

from numba import njit

helper: Final[Any] = njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)  # type: ignore[call-overload]
"""Decorator of functions that only compiled code calls: no wrapper for calls from Python, which would take long to compile."""

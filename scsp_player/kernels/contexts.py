"""Numba's contexts, with a memory of what they have found out.

Numba asks for the meaning of ``a + b`` anew wherever it stands, and tries a dozen implementations, those for sets, text and time
spans among them, until one fits. Before each function it looks for extensions that may have been registered meanwhile. Both take
a good part of the time; neither changes from one kernel to the next.
"""
# Numba has no types.
# mypy: disable-error-code="misc, no-untyped-call"

from __future__ import annotations

import threading
from typing import Any, Final

from numba.core import types
from numba.core.targetconfig import ConfigStack

_lock: Final = threading.RLock()
_remembering: Final[dict[int, Any]] = {}

_OURS: Final = (types.Dispatcher, types.BoundFunction)
"""Kinds of functions that are not remembered: other kernels, which Numba remembers itself, and methods."""


def typing_context(context: Any) -> Any:
    """A typing context that shares everything with ``context`` and remembers the types of operators and functions of Numba."""
    return _shared(context, _RememberedTyping)


def target_context(context: Any) -> Any:
    """A target context that shares everything with ``context``, looks for extensions once, and remembers the sizes of types."""
    return _shared(context, _RememberedTarget)


def _shared(context: Any, mixin: type) -> Any:
    with _lock:
        result = _remembering.get(id(context))
        if result is None:
            context.refresh()
            kind: Any = type(mixin.__name__, (mixin, type(context)), {"memory": {}})
            result = kind.__new__(kind)
            result.__dict__ = context.__dict__
            _remembering[id(context)] = result
        return result


class _RememberedTyping:
    memory: dict[Any, Any]

    def refresh(self) -> None:
        """Nothing: it has been done when this was made."""

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        """The signature of a function for types of arguments, None if there is none."""
        if kws or isinstance(func, _OURS):
            return super().resolve_function_type(func, args, kws)
        flags = ConfigStack.top_or_none()
        key = func, tuple(args), flags is not None and flags.nrt
        try:
            result = self.memory.get(key)
        except TypeError:  # literal slices cannot be looked up
            return super().resolve_function_type(func, args, kws)
        if result is None:
            result = super().resolve_function_type(func, args, kws)
            if result is not None:
                self.memory[key] = result
        return result


class _RememberedTarget:
    memory: dict[Any, int]

    def refresh(self) -> None:
        """Nothing: it has been done when this was made."""

    def get_abi_sizeof(self, ty: Any) -> int:
        """Bytes that a type of LLVM takes."""
        size = self.memory.get(ty)
        if size is None:
            size = self.memory[ty] = super().get_abi_sizeof(ty)
        return size

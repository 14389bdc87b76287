"""Where the code of a kernel is collected until it is optimised and made into machine code.

To Numba each function is a library of its own, with machine code of its own, and contains all that it calls; so that code of a
function below k others is optimised and generated k + 1 times. Here a helper is nothing but its own code in LLVM's language. A
kernel collects the helpers that it reaches, and all of them are optimised together, once.
"""
# Numba has no types.
# mypy: disable-error-code="misc, no-untyped-call"

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
from numba.core.codegen import JITCodeLibrary


class HelperLibrary(JITCodeLibrary):
    """The code of one helper, without what it calls and without machine code.

    Attributes:
        environments: names and values of what its code refers to in Python.
    """

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self.environments: list[tuple[str, Any]] = []

    @property
    def code(self) -> Any:
        """The module in LLVM's language."""
        return self._final_module

    @property
    def called(self) -> list[Any]:
        """Libraries of what it calls."""
        return list(self._linking_libraries)

    def finalize(self) -> None:
        """Say that the code is complete."""
        self._raise_if_finalized()
        self._finalized = True
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == llvm.Linkage.external:
                function.linkage = llvm.Linkage.linkonce_odr

    def _optimize_functions(self, ll_module: Any) -> None:
        """Leaves that to the kernels."""
        ll_module.data_layout = self._codegen._data_layout


class KernelLibrary(JITCodeLibrary):
    """The code of a kernel and of all helpers that it reaches."""

    def finalize(self) -> None:
        """Collect the code, optimise it and make machine code."""
        waiting, reached, environments = list(self._linking_libraries), set(), []
        while waiting:
            library = waiting.pop()
            if library in reached:
                continue
            reached.add(library)
            self._reload_init.update(library._reload_init)
            if isinstance(library, HelperLibrary):
                waiting += library.called
                environments += library.environments
                self._final_module.link_in(library.code, preserve=True)
            else:
                self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._linking_libraries = []
        super().finalize()
        codegen: Any = self._codegen
        for name, environment in environments:
            codegen.set_env(name, environment)

    def _optimize_functions(self, ll_module: Any) -> None:
        """Leaves that to the end."""
        ll_module.data_layout = self._codegen._data_layout

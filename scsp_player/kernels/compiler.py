"""The steps from a function's bytecode to its machine code."""
# Numba has no types.
# mypy: disable-error-code="misc, no-untyped-call"

from __future__ import annotations

from typing import Any

from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core import typed_passes, untyped_passes
from numba.core.compiler import CompilerBase
from numba.core.compiler_machinery import PassManager, register_pass

from scsp_player.kernels import contexts
from scsp_player.kernels.library import HelperLibrary, KernelLibrary


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelLowering(typed_passes.NativeLowering):
    """From typed code to the language of LLVM, and, for what is called from Python, to machine code."""

    _name = "kernel_lowering"

    def run_pass(self, state: Any) -> bool:
        """See ``LoweringPass``."""
        assert state.library is None
        context, name = state.targetctx, state.func_id.func_qualname
        if state.flags.no_cpython_wrapper:
            state.library = HelperLibrary(context.codegen(), name)
            # The context is this function's own.
            context.get_executable = lambda library, function, environment: _helper(context, library, function, environment)
        else:
            state.library = KernelLibrary(context.codegen(), name)
            state.library.enable_object_caching()
        return bool(super().run_pass(state))


def _helper(context: Any, library: HelperLibrary, function: Any, environment: Any) -> Any:
    """What stands for a helper that has no machine code: a function that cannot be called."""
    library.finalize()
    library.environments.append((context.get_env_name(function), environment))
    name = function.qualname.rsplit(".", 1)[-1]
    return _dynfunc.make_function(function.lookup_module(), name, "part of kernels", 0, environment, (library,))


class KernelCompiler(CompilerBase):
    """Numba's compiler without what kernels do not need.

    Kernels are plain loops over arrays: they have no closures, comprehensions, ``with``, arithmetic on whole arrays, objects or
    generators, and need no report of the types that were found.
    """

    def __init__(self, typing: Any, target: Any, library: Any, args: Any, return_type: Any, flags: Any, local: Any) -> None:
        super().__init__(contexts.typing_context(typing), contexts.target_context(target), library, args, return_type, flags, local)

    def define_pipelines(self) -> list[PassManager]:
        """See ``CompilerBase``."""
        passes = PassManager("kernel")
        for step in (
            untyped_passes.TranslateByteCode,
            untyped_passes.FixupArgs,
            untyped_passes.IRProcessing,
            untyped_passes.RewriteSemanticConstants,
            untyped_passes.DeadBranchPrune,
            untyped_passes.GenericRewrites,
            untyped_passes.ReconstructSSA,
            typed_passes.NopythonTypeInference,
            typed_passes.PreLowerStripPhis,
            typed_passes.IRLegalization,
            KernelLowering,
            typed_passes.NoPythonBackend,
        ):
            passes.add_pass(step, step.__name__)
        passes.finalize()
        return [passes]

"""How compiled kernels are declared, and compiled in little time.

Whoever starts the player for the first time waits for its kernels. Numba's own way of compiling looks at every function alone, as
if it were to be called from Python; here functions that only kernels call stay what they are, parts of a kernel (``library``),
passes that these kernels do not need are left out (``compiler``), and what operators mean is looked up once (``contexts``).

* ``kernel``: what Python calls; compiled on first use and kept on disk.
* ``helper``: what only kernels call.
* ``inlined``: a small helper that becomes a part of each of its callers.
* ``is_kept``: whether a kernel has been compiled before.

The environment variable ``SCSP_PLAYER_KERNELS`` chooses another way: with ``plain`` nothing is compiled at all (``plain``); with
``ordinary`` Numba compiles as it always does, as it does anyway where its version is none that is known here.
"""

import os
from typing import TYPE_CHECKING, Final

VARIABLE: Final = "SCSP_PLAYER_KERNELS"
ORDINARY: Final = "ordinary"
PLAIN: Final = os.environ.get(VARIABLE) == "plain"
"""Whether kernels run as plain Python in this process."""

if TYPE_CHECKING or not PLAIN:
    from scsp_player.kernels.declaration import helper, inlined, is_kept, kernel
else:
    from scsp_player.kernels.plain import helper, inlined, is_kept, kernel

__all__ = ["ORDINARY", "PLAIN", "VARIABLE", "helper", "inlined", "is_kept", "kernel"]

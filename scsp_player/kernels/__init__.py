"""How compiled kernels are declared, and compiled in little time.

Whoever starts the player for the first time waits for its kernels. Numba's own way of compiling looks at every function alone, as
if it were to be called from Python; here functions that only kernels call stay what they are, parts of a kernel (``library``),
passes that these kernels do not need are left out (``compiler``), and what operators mean is looked up once (``contexts``).

* ``kernel``: what Python calls; compiled on first use and kept on disk.
* ``helper``: what only kernels call.
* ``inlined``: a small helper that becomes a part of each of its callers.
"""

from scsp_player.kernels.declaration import helper, inlined, kernel

__all__ = ["helper", "inlined", "kernel"]

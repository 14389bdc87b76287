"""What the machine code of a kernel on disk was made of.

Numba looks at the file that a kernel stands in, and misses changes of the helpers that it is made of. So the text of all modules of
kernels that it reaches counts as well.
"""

from __future__ import annotations

import functools
import hashlib
import re
from pathlib import Path
from typing import Any, Final

_PACKAGE: Final = Path(__file__).resolve().parents[1]
_MODULE: Final = re.compile(rf"\b{_PACKAGE.name}(?:\.\w+)*\.\w+_kernels\b")


@functools.cache
def digest(path: str) -> str:
    """A hash of a file of kernels, of those that it names, of those that these name, and of how they are compiled."""
    own = Path(path)
    waiting, texts = [own, *Path(__file__).parent.glob("*.py")], dict[Path, bytes]()
    while waiting:
        file = waiting.pop()
        if file in texts:
            continue
        try:
            texts[file] = file.read_bytes()
        except OSError:  # functions that were made in no file
            texts[file] = b""
        named = _MODULE.findall(texts[file].decode("utf-8", "replace"))
        waiting += [_PACKAGE.parent.joinpath(*name.split(".")).with_suffix(".py") for name in set(named)]
    result = hashlib.sha256()
    for file in sorted(texts):
        result.update(texts[file])
    return result.hexdigest()


def stamp(kernel: Any) -> None:
    """Let what is kept of a kernel be used for the present text only."""
    file: Any = getattr(getattr(kernel, "_cache", None), "_cache_file", None)
    if hasattr(file, "_source_stamp"):
        file._source_stamp = (file._source_stamp, digest(kernel.py_func.__code__.co_filename))

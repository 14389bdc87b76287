"""Small pieces of XML text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def attribute(name: str, value: str) -> str:
    """One attribute with the blank before it, or nothing if the value is empty.

    >>> attribute("note", 'a "b" < c')
    ' note="a &quot;b&quot; &lt; c"'
    """
    return f' {name}="{value.translate(_ESCAPES)}"' if value else ""


def values_text(values: NDArray[np.int32]) -> str:
    """Ascending values, runs of three or more as intervals, as the official tools print them.

    >>> values_text(np.array([0, 1, 3, 4, 5, 9], np.int32))
    '0 1 3..5 9'
    """
    first, last = int(values[0]), int(values[-1])
    if last - first + 1 == values.size > 2:
        return f"{first}..{last}"
    breaks = np.flatnonzero(np.diff(values.astype(np.int64)) != 1) + 1
    firsts = values[np.concatenate([[0], breaks])].tolist()
    lasts = values[np.concatenate([breaks - 1, [values.size - 1]])].tolist()
    return " ".join(
        str(a) if a == b else f"{a} {b}" if b == a + 1 else f"{a}..{b}" for a, b in zip(firsts, lasts, strict=True)
    )

"""Small documents as text."""

from __future__ import annotations

import io

from xcsp import Instance, Limits, read_instance


def document(variables: str, constraints: str = "", attributes: str = 'type="CSP"', rest: str = "") -> str:
    return f"""<instance format="XCSP3" {attributes}>
<variables>
{variables}
</variables>
<constraints>
{constraints}
</constraints>
{rest}</instance>
"""


def read(text: str | bytes, limits: Limits | None = None) -> Instance:
    stream = io.BytesIO(text) if isinstance(text, bytes) else io.StringIO(text)
    return read_instance(stream, limits=limits)

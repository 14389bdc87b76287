"""The documents shown in docs/xcsp3.md are what the package writes, and mean the same."""

from __future__ import annotations

import io
import re
from pathlib import Path

from tests.xcsp.documents import read
from tests.xcsp.instances import described
from xcsp import write_instance

TEXT = (Path(__file__).parents[2] / "docs" / "xcsp3.md").read_text(encoding="utf-8")


def test_examples() -> None:
    faithful, twin = re.findall(r"```xml\n(.*?)```", TEXT, flags=re.DOTALL)
    instance = read(faithful)
    assert described(read(twin)) == described(instance)
    for document, stochastic in ((faithful, True), (twin, False)):
        stream = io.StringIO()
        write_instance(instance, stream, stochastic=stochastic)
        assert stream.getvalue() == document

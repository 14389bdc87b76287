"""Oddities of the text that the reader has met."""

from __future__ import annotations

from collections.abc import Iterator

from scsp_player.gdl.checks.message import Finding
from scsp_player.gdl.checks.sheet import Sheet


class TextOddities:
    """What the reader has put right or passed over: spelling, empty bodies, needless parentheses, unusual characters …"""

    def find(self, sheet: Sheet) -> Iterator[Finding]:
        """One finding for each remark of the reader."""
        for remark in sheet.program.remarks:
            yield Finding(remark.check, remark.position, remark.text)

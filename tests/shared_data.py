"""Where the shared reference material stands, and the mark that skips a test without it."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"
"""Folder ``shared`` beside the project's root: rule sheets and recorded answers of independent engines."""

needs_shared = pytest.mark.skipif(
    not (SHARED / "games").is_dir(), reason="the folder shared/ (rule sheets and recorded answers) is not beside the project"
)

"""What ``docs/translation.md`` shows is what the translation writes."""

import re
from pathlib import Path

import pytest

from scsp_player.network import template
from tests.network.games import own
from xcsp import write_instance

PAGE = Path(__file__).resolve().parents[2] / "docs" / "translation.md"


def pieces(text):
    """Elements that carry data, without white space."""
    found = re.findall(r"<var .*?</var>|<(?:list|supports|conflicts|args)>.*?</(?:list|supports|conflicts|args)>", text, re.S)
    return {re.sub(r"\s+", "", piece) for piece in found}


@pytest.mark.parametrize(("name", "section"), [("matching-pennies", "Matching pennies"), ("tic-tac-toe", "Tic-tac-toe")])
def test_the_xml_on_the_page(name, section, tmp_path):
    text = PAGE.read_text(encoding="utf-8").split(f"## {section}\n")[1].split("\n## ")[0]
    shown = "".join(block for block in re.findall(r"```xml\n(.*?)```", text, re.S) if "injected" not in block)
    write_instance(template(own(name)).instance, tmp_path / "turn.xml")
    assert pieces(shown)
    assert pieces(shown) <= pieces((tmp_path / "turn.xml").read_text(encoding="utf-8"))

"""How much memory a process holds, whoever has started it."""

import subprocess
import sys

from scsp_player.protocol.memory import resident_bytes

SIZE = 600 << 20


def test_what_the_starter_holds_does_not_count():
    before = resident_bytes()
    held = b"x" * SIZE
    assert resident_bytes() > before + SIZE // 2
    tell = "from scsp_player.protocol.memory import resident_bytes; print(resident_bytes())"
    said = subprocess.run([sys.executable, "-c", tell], capture_output=True, text=True, check=True, timeout=60).stdout
    assert 1 << 20 < int(said) < SIZE // 2
    assert len(held) == SIZE

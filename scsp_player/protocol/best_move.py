"""The best move so far, in memory that an engine and the server share.

The server can read it whatever has become of the engine: it may be late, stopped, killed or out of memory. Two slots are written
in turn, each with a sequence number and a checksum, so that a writer that dies half-way through one leaves the other whole.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
import tempfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field

SLOT_BYTES = 16 * 1024
"""Room for one record; longer moves are not shared, and arrive only when they have been chosen."""

_HEAD = struct.Struct("<QII")  # sequence number, length of the payload, checksum of both


@dataclass(frozen=True, slots=True)
class BestMove:
    """What an engine would play if its time ended now.

    Attributes:
        match: which match of the engine process this belongs to; processes play several, one after another.
        turn: number of the question.
        move: in the manager's spelling.
        view: what the search makes of it, see ``Agent.view``.
    """

    match: int
    turn: int
    move: str
    view: Mapping[str, float] = field(default_factory=dict)


class BestMoveCell:
    """The shared memory; one process writes, another reads.

    Args:
        descriptor: of the file behind it, as the other process knows it; None to make a new one.
    """

    def __init__(self, descriptor: int | None = None) -> None:
        self.descriptor = _new_file() if descriptor is None else descriptor
        self._memory = mmap.mmap(self.descriptor, 2 * SLOT_BYTES)
        self._sequence = 0

    def write(self, best: BestMove) -> None:
        """Put a record into the slot that is not the newest."""
        payload = json.dumps([best.match, best.turn, best.move, dict(best.view)]).encode()
        if len(payload) > SLOT_BYTES - _HEAD.size:
            return
        self._sequence += 1
        start = self._sequence % 2 * SLOT_BYTES
        self._memory[start + _HEAD.size : start + _HEAD.size + len(payload)] = payload
        _HEAD.pack_into(self._memory, start, self._sequence, len(payload), _checksum(self._sequence, payload))

    def read(self) -> BestMove | None:
        """The newest whole record; None if there is none."""
        found: tuple[int, bytes] | None = None
        for start in (0, SLOT_BYTES):
            sequence, length, checksum = _HEAD.unpack_from(self._memory, start)
            if sequence == 0 or length > SLOT_BYTES - _HEAD.size or (found is not None and sequence < found[0]):
                continue
            payload = self._memory[start + _HEAD.size : start + _HEAD.size + length]
            if _checksum(sequence, payload) == checksum:
                found = sequence, payload
        return BestMove(*json.loads(found[1])) if found is not None else None

    def close(self) -> None:
        """Let go of the memory on this side."""
        self._memory.close()
        os.close(self.descriptor)


def _checksum(sequence: int, payload: bytes) -> int:
    return zlib.crc32(payload, zlib.crc32(sequence.to_bytes(8, "little")))


def _new_file() -> int:
    """A file without a name."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("best-move")
    else:
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    os.ftruncate(descriptor, 2 * SLOT_BYTES)
    return descriptor

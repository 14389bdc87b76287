"""Large tables pass through in slices: memory stays near the size of the table itself, both ways."""

from __future__ import annotations

import io
import tracemalloc

import numpy as np

from tests.xcsp.documents import document
from tests.xcsp.instances import ints
from xcsp import Instance, Table, Variable, read_instance, write_instance

ROWS = 600_000


class Sieve(io.RawIOBase):
    """Counts what is written and keeps nothing."""

    def __init__(self) -> None:
        self.size = 0
        self.largest = 0

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        length = len(data)  # type: ignore[arg-type]
        self.size += length
        self.largest = max(self.largest, length)
        return length


class Spring(io.RawIOBase):
    """A document that is made while it is read."""

    def __init__(self, head: bytes, rows: list[bytes], tail: bytes) -> None:
        self._parts = iter([head, *rows, tail])
        self.size = 0

    def read(self, size: int | None = -1) -> bytes:
        part = next(self._parts, b"")
        self.size += len(part)
        return part


def big_table() -> np.ndarray[tuple[int, int], np.dtype[np.int32]]:
    index = np.arange(ROWS)
    return np.stack([index // 10_000, index // 100 % 100, index % 100, index % 7], axis=1).astype(np.int32)


def test_writing() -> None:
    domain = np.arange(100, dtype=np.int32)
    variables = tuple(Variable(f"x{i}", domain) for i in range(4))
    instance = Instance("", variables, (Table(ints(0, 1, 2, 3), big_table()),))
    sieve = Sieve()
    tracemalloc.start()
    write_instance(instance, sieve)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sieve.size > 6_000_000
    assert sieve.largest < 1_000_000
    assert peak < 12_000_000


def test_reading() -> None:
    extension = "<extension> <list> x[] </list> <supports> | </supports> </extension>"
    head, tail = document('<array id="x" size="[4]"> 0..99 </array>', extension).split("|")
    rows = big_table()
    block = b"".join(b"(%d,%d,%d,%d)" % tuple(row) for row in rows[:50_000].tolist())
    spring = Spring(head.encode(), [block] * 12, tail.encode())
    tracemalloc.start()
    instance = read_instance(spring)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert spring.size > 6_000_000
    assert instance.constraints[0].tuples.shape == (50_000, 4)  # twelve times the same tuples
    table_bytes = 12 * 50_000 * 4 * 4
    assert peak < 35_000_000 + 3 * table_bytes

"""Every match in a database, so that nothing is lost when the server or the machine is.

A thread of its own writes; whoever records something can wait until it is on disk, but only as long as the clock of the match
allows. A disk that hangs or is full costs nothing but the record: what could not be written is kept, within a bound, and written
as soon as that is possible again.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import logging
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from scsp_player.protocol.errors import ProtocolError
from scsp_player.protocol.events import tell
from scsp_player.protocol.match import Past

LOG = logging.getLogger("scsp_player.protocol")

FILE = "matches.sqlite"
"""Name of the database in its folder."""

UNWRITTEN_BYTES = 64 * 1024 * 1024
"""What is kept at most while it cannot be written; beyond, the oldest is given up."""

RETRY_SECONDS = 1.0
"""Pause before writing is tried again after it has failed."""

BUSY_SECONDS = 2.0
"""How long the database may be locked by somebody else before a write counts as failed."""

LEAVING_SECONDS = 1.0
"""How long a server that is just being killed may still hold the folder."""

CLOSE_SECONDS = 3.0
"""How long the end of the server may wait for the disk."""

SCHEMA = """
CREATE TABLE IF NOT EXISTS matches (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, role TEXT NOT NULL, start TEXT NOT NULL, start_clock REAL NOT NULL,
    play_clock REAL NOT NULL, agent TEXT NOT NULL, seed INTEGER NOT NULL, begun REAL NOT NULL, ended REAL, outcome TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS messages (
    id INTEGER PRIMARY KEY, match INTEGER NOT NULL REFERENCES matches(id), verb TEXT NOT NULL, number INTEGER, turn INTEGER,
    text TEXT NOT NULL, received REAL NOT NULL, reply TEXT, source TEXT, seconds REAL, view TEXT);
CREATE INDEX IF NOT EXISTS messages_of_match ON messages(match);
"""

Row = tuple[str, tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A match that was being played when the server ended.

    Attributes:
        key: of the match in the database.
        start: the message that started it.
        agent: who played.
        seed: of the agent.
        silent: seconds since its last message, by the calendar; negative if the calendar was set back.
        past: its questions and their answers.
    """

    key: int
    start: str
    agent: str
    seed: int
    silent: float
    past: tuple[Past, ...]


class Archive:
    """The database of a server.

    Args:
        folder: where it stands; made if missing.
        keep: whether matches stay in it once they are over.

    Raises:
        ProtocolError: if the folder cannot be used, or another server uses it.
    """

    def __init__(self, folder: Path, *, keep: bool = True) -> None:
        self.path = folder / FILE
        self._keep = keep
        self._lock_file = _locked(folder)
        try:
            self._database = connect(self.path)
            self._database.executescript(SCHEMA)
            newest = self._database.execute("SELECT (SELECT max(id) FROM matches), (SELECT max(id) FROM messages)").fetchone()
        except sqlite3.Error as error:
            self._lock_file.close()
            raise ProtocolError(f"cannot use {self.path}: {error}", None, "move it away, or choose another --data-dir") from None
        self._keys = {"matches": newest[0] or 0, "messages": newest[1] or 0}
        self._rows: deque[tuple[int, Row]] = deque()
        self._bytes = 0
        self._put = self._written = 0
        self._waiters: list[tuple[int, asyncio.AbstractEventLoop, asyncio.Future[None]]] = []
        self._changed = threading.Condition()
        self._closing = False
        self.failures = 0
        self.lost = 0
        self._thread = threading.Thread(target=self._write_all, name="archive", daemon=True)
        self._thread.start()

    @property
    def pending(self) -> int:
        """Rows that are not on disk yet."""
        return self._put - self._written

    def unfinished(self) -> list[Unfinished]:
        """The matches that were being played when the last server ended, oldest first."""
        found = []
        database = connect(self.path)
        try:
            for key, start, agent, seed, begun in database.execute(
                "SELECT id, start, agent, seed, begun FROM matches WHERE outcome = 'running' ORDER BY id"
            ).fetchall():
                rows = database.execute(
                    "SELECT text, number, reply, received FROM messages WHERE match = ? AND turn >= 0 AND verb = 'PLAY'"
                    " AND coalesce(source, '') NOT IN ('rejected', 'again') ORDER BY id",
                    (key,),
                ).fetchall()
                last = rows[-1][3] if rows else begun
                past = tuple(Past(text, number, reply) for text, number, reply, _ in rows)
                found.append(Unfinished(key, start, agent, seed, time.time() - last, past))
        finally:
            database.close()
        return found

    def begin(self, name: str, role: str, start: str, clocks: tuple[float, float], agent: str, seed: int) -> int:
        """A match begins; its key."""
        self._keys["matches"] += 1
        key = self._keys["matches"]
        values = (key, name, role, start, *clocks, agent, seed, time.time(), "running")
        self._record(
            "INSERT INTO matches (id, name, role, start, start_clock, play_clock, agent, seed, begun, outcome)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            values,
        )
        return key

    def message(self, match: int, verb: str, number: int | None, turn: int, text: str) -> int:
        """A message has come; its key."""
        self._keys["messages"] += 1
        key = self._keys["messages"]
        self._record(
            "INSERT INTO messages (id, match, verb, number, turn, text, received) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (key, match, verb, number, turn, text, time.time()),
        )
        return key

    def reply(self, message: int, text: str, source: str, seconds: float, view: Mapping[str, float]) -> None:
        """A message is about to be answered."""
        self._record(
            "UPDATE messages SET reply = ?, source = ?, seconds = ?, view = ? WHERE id = ?",
            (text, source, round(seconds, 4), json.dumps(dict(view)), message),
        )

    def end(self, match: int, outcome: str) -> None:
        """A match is over: ``done``, ``aborted``, ``expired`` or ``refused``."""
        if self._keep:
            self._record("UPDATE matches SET ended = ?, outcome = ? WHERE id = ?", (time.time(), outcome, match))
        else:
            self._record("DELETE FROM messages WHERE match = ?", (match,))
            self._record("DELETE FROM matches WHERE id = ?", (match,))

    async def settle(self, seconds: float) -> bool:
        """Wait until everything so far is on disk, but only so long; whether it is."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()
        with self._changed:
            if self._written >= self._put:
                return True
            self._waiters.append((self._put, loop, done))
        try:
            await asyncio.wait_for(done, seconds)
        except TimeoutError:
            tell(LOG, logging.WARNING, "archive late", f"the disk takes longer than {seconds:.2f} s", pending=self.pending)
            return False
        return True

    def close(self) -> None:
        """Write what is left, unless the disk hangs."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join(CLOSE_SECONDS)
        if self._thread.is_alive():
            LOG.error("%d rows of the record are lost, the disk does not take them", self.pending)
        else:
            self._database.close()
        self._lock_file.close()

    def _record(self, statement: str, values: tuple[Any, ...]) -> None:
        with self._changed:
            self._put += 1
            self._rows.append((self._put, (statement, values)))
            self._bytes += _size(values)
            while self._bytes > UNWRITTEN_BYTES and len(self._rows) > 1:
                self._bytes -= _size(self._rows.popleft()[1][1])
                self.lost += 1
            self._changed.notify()

    def _write_all(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._rows or self._closing)
                rows = list(self._rows)
                if not rows:
                    return
            try:
                self._write([row for _, row in rows])
            except sqlite3.Error as error:
                self.failures += 1
                tell(LOG, logging.ERROR, "archive failed", f"cannot write to {self.path}: {error}", pending=self.pending)
                with self._changed:
                    if self._changed.wait_for(lambda: self._closing, RETRY_SECONDS) and self.failures:
                        return
                continue
            self._drop(rows[-1][0])

    def _write(self, rows: list[Row]) -> None:
        try:
            with self._database:
                for statement, values in rows:
                    self._database.execute(statement, values)
        except (sqlite3.IntegrityError, sqlite3.ProgrammingError, ValueError, OverflowError) as error:
            if len(rows) == 1:  # a row that can never be written must not hold up the others
                self.lost += 1
                LOG.error("a row of the record is lost: %s", error)
                return
            for row in rows:
                self._write([row])

    def _drop(self, written: int) -> None:
        with self._changed:
            while self._rows and self._rows[0][0] <= written:
                self._bytes -= _size(self._rows.popleft()[1][1])
            self._written = written
            ready = [waiter for waiter in self._waiters if waiter[0] <= written]
            self._waiters = [waiter for waiter in self._waiters if waiter[0] > written and not waiter[2].done()]
        for _, loop, done in ready:
            if not loop.is_closed():
                loop.call_soon_threadsafe(lambda future=done: future.done() or future.set_result(None))  # type: ignore[misc]


def connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """A connection to a database of matches.

    Raises:
        sqlite3.Error: if it cannot be opened.
    """
    address = f"{path.absolute().as_uri()}?mode={'ro' if read_only else 'rwc'}"
    database = sqlite3.connect(address, uri=True, timeout=BUSY_SECONDS, check_same_thread=False)
    try:
        if not read_only:
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = FULL")  # an end of the power costs nothing either
    except sqlite3.Error:
        database.close()
        raise
    return database


def _locked(folder: Path) -> TextIO:
    """The file whose lock says that a server uses the folder.

    Raises:
        ProtocolError: if another one does, or the folder cannot be written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock_file = (folder / "serve.lock").open("w")
    except OSError as error:
        raise ProtocolError(f"cannot write to {folder}: {error.strerror}", None, "choose another --data-dir") from None
    end = time.monotonic() + LEAVING_SECONDS
    while True:
        try:
            fcntl.flock(lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            if time.monotonic() < end:
                time.sleep(LEAVING_SECONDS / 50)
                continue
            lock_file.close()
            raise ProtocolError(f"another server uses {folder}", None, "choose another --data-dir") from None
        return lock_file


def _size(values: tuple[Any, ...]) -> int:
    return 200 + sum(len(value) for value in values if isinstance(value, str))

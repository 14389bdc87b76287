"""Tasks in child processes that the operating system ends when they have had their share of processor time or memory.

A clock that the task looks at itself cannot stop one long call of compiled code; the limits of a process can.
"""

from __future__ import annotations

import contextlib
import math
import os
import resource
import signal
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

Result = TypeVar("Result")

MAX_TASKS = 60
"""Tasks after which a process makes room for a fresh one, so that what they leave behind does not pile up."""

WALL_FACTOR, WALL_SECONDS = 20.0, 120.0
"""A task that takes so many times its limit on the wall clock, and so many seconds more, waits for something that never comes."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What each task may use.

    Attributes:
        cpu_seconds: processor time; checked by the system once a second.
        memory_bytes: data of the process, what it had loaded before the task included; None for no bound.
    """

    cpu_seconds: float
    memory_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Stopped:
    """What comes instead of the result of a task that did not end well.

    Attributes:
        reason: ``time``, ``memory``, ``crash`` or, inside this module, ``prepare``.
        text: the reason in words.
    """

    reason: str
    text: str


@dataclass
class _Worker(Generic[Result]):
    process: Any
    connection: Connection
    task: int | None = None
    done: int = 0
    begun: float = 0.0


def run_limited(
    function: Callable[..., Result],
    tasks: Sequence[tuple[Any, ...]],
    limits: Limits,
    *,
    processes: int = 0,
    prepare: Callable[[], None] | None = None,
) -> Iterator[tuple[int, Result | Stopped]]:
    """Call ``function(*task)`` for each task in one of several processes; results come as they are ready, with the task's index.

    Args:
        function: a function of a module (children import it), whose results can be pickled.
        tasks: the arguments of each call.
        limits: of each call.
        processes: how many work at a time; 0 for one a processor.
        prepare: called once in each process before its first task, outside all limits.

    Raises:
        RuntimeError: if ``prepare`` fails.
    """
    context = get_context("spawn")
    pending = iter(range(len(tasks)))
    workers: list[_Worker[Result]] = []

    def hire() -> _Worker[Result]:
        ours, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs, function, prepare), daemon=True)
        process.start()
        theirs.close()
        return _Worker(process, ours)

    def give(worker: _Worker[Result]) -> bool:
        """The next task to a worker; False if there is none left."""
        worker.task = next(pending, None)
        if worker.task is not None:
            worker.begun = time.monotonic()
            worker.connection.send((tasks[worker.task], limits))
        return worker.task is not None

    try:
        for _ in range(min(processes or os.cpu_count() or 1, len(tasks))):
            workers.append(hire())
            give(workers[-1])
        while workers:
            ready = wait([worker.connection for worker in workers], timeout=1.0)
            for worker in list(workers):
                result: Result | Stopped
                if worker.connection in ready:
                    try:
                        result = worker.connection.recv()
                    except (EOFError, ConnectionError):
                        worker.process.join()
                        result = _end(worker.process.exitcode, limits)
                elif time.monotonic() - worker.begun > WALL_FACTOR * limits.cpu_seconds + WALL_SECONDS:
                    result = Stopped("time", "it waits for something that never comes")
                    worker.process.kill()
                    worker.process.join()
                else:
                    continue
                if isinstance(result, Stopped) and result.reason == "prepare":
                    raise RuntimeError(result.text)
                assert worker.task is not None
                yield worker.task, result
                worker.done += 1
                if not worker.process.is_alive() or worker.done >= MAX_TASKS:
                    _dismiss(worker)
                    workers[workers.index(worker)] = worker = hire()
                if not give(worker):
                    _dismiss(worker)
                    workers.remove(worker)
    finally:
        for worker in workers:
            _dismiss(worker)


def collect_limited(
    title: str,
    function: Callable[..., Result],
    tasks: Sequence[tuple[Any, ...]],
    limits: Limits,
    *,
    processes: int = 0,
    prepare: Callable[[], None] | None = None,
) -> list[Result | Stopped]:
    """As ``run_limited``, with a progress bar on a terminal; all results in the order of the tasks."""
    found: dict[int, Result | Stopped] = {}
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bar = progress.add_task(title, total=len(tasks))
        for index, result in run_limited(function, tasks, limits, processes=processes, prepare=prepare):
            found[index] = result
            progress.advance(bar)
    return [found[index] for index in range(len(tasks))]


def _dismiss(worker: _Worker[Any]) -> None:
    worker.connection.close()
    worker.process.kill()
    worker.process.join()
    worker.process.close()


def _end(status: int | None, limits: Limits) -> Stopped:
    if status == -signal.SIGXCPU:
        return Stopped("time", f"more than {limits.cpu_seconds:g} s of processor time")
    if status == -signal.SIGKILL:
        return Stopped("memory", "killed, most likely for want of memory")
    return Stopped("crash", f"the process ended with status {status}")


def _work(connection: Connection, function: Callable[..., Any], prepare: Callable[[], None] | None) -> None:
    """A child's life: prepare, then task after task until the parent closes the connection."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent to handle
    try:
        if prepare is not None:
            prepare()
    except Exception:
        connection.send(Stopped("prepare", traceback.format_exc(limit=-4)))
        return
    with contextlib.suppress(EOFError, ConnectionError):
        while True:
            task, limits = connection.recv()
            _limit(limits)
            try:
                result = function(*task)
            except MemoryError:
                result = Stopped("memory", f"more than {(limits.memory_bytes or 0) >> 20} MiB of memory")
            except Exception:
                result = Stopped("crash", traceback.format_exc(limit=-4))
            _limit(None)
            connection.send(result)


def _limit(limits: Limits | None) -> None:
    """Bound what this process may use from now on; None lifts the bounds."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    seconds = None if limits is None else usage.ru_utime + usage.ru_stime + limits.cpu_seconds
    for kind, bound in (
        (resource.RLIMIT_CPU, None if seconds is None else math.ceil(seconds)),
        (resource.RLIMIT_DATA, None if limits is None else limits.memory_bytes),
    ):
        hard = resource.getrlimit(kind)[1]
        wanted = resource.RLIM_INFINITY if bound is None else bound
        with contextlib.suppress(ValueError, OSError):  # a tighter bound of the system stays
            resource.setrlimit(kind, (wanted if hard == resource.RLIM_INFINITY or wanted < hard else hard, hard))

"""Tasks that end, that do not, and that take too much."""

from __future__ import annotations

import os

import pytest

from scsp_player.commands.limited_tasks import Limits, Stopped, collect_limited


def task(kind):
    if kind == "loop":
        while True:
            pass
    if kind == "memory":
        return len(bytearray(1 << 34))
    if kind == "die":
        os._exit(7)
    if kind == "fail":
        raise ValueError("as planned")
    return kind


def test_every_task_ends_and_says_how():
    kinds = ["a", "loop", "b", "memory", "die", "fail", "c"]
    results = collect_limited("testing", task, [(kind,) for kind in kinds], Limits(1.0, 1 << 30), processes=2)
    stopped = {kind: r for kind, r in zip(kinds, results, strict=True) if isinstance(r, Stopped)}
    assert [r for r in results if isinstance(r, str)] == ["a", "b", "c"]
    assert {kind: r.reason for kind, r in stopped.items()} == {
        "loop": "time",
        "memory": "memory",
        "die": "crash",
        "fail": "crash",
    }
    assert "as planned" in stopped["fail"].text
    assert "status 7" in stopped["die"].text


def test_nothing_to_do():
    assert collect_limited("testing", task, [], Limits(1.0)) == []


def broken():
    raise ValueError("as planned")


def test_processes_that_cannot_prepare_are_an_error():
    with pytest.raises(RuntimeError, match="as planned"):
        collect_limited("testing", task, [("a",)], Limits(1.0), prepare=broken)

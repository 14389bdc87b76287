"""The join machine: a kernel that interprets compiled rule bodies over the relation store.

A *plan* is a list of steps. *Generators* (``ROW``, ``SCAN``, ``PROBE``) bind registers from the rows of a relation, tests and
constructions stand between them, the last step emits a row. The kernel runs through the plan as a nested loop with backtracking;
a generator that finds nothing at all jumps back to the step that bound its key (``miss``), and after an emission the search goes on
at the last step that binds something the emitted row needs (``back`` of the emitting step), so that conditions on other variables
are only checked for existence.

A *source* is a register (>= 0) or the complement of a term identifier. Layouts of steps in ``code``::

    ROW     rel, binds, checks                     the row that fired the trigger
    SCAN    back, rel, binds, checks               all processed rows
    PROBE   back, miss, index, n, sources, binds, checks
    EXISTS  miss, index, n, sources                some row has this key
    ABSENT  miss, index, n, sources                no row has this key
    DIFFER  miss, source, source
    BUILD   functor relation, n, sources, register
    EMIT    back, rel, n, sources                  add a row
    RECORD  back, rel, n, items                    add a row of ground literals; an item is
            (0, step, rel)                         the atom matched by a generator (rel is a view or a relation), or
            (1, index, n, sources)                 the negation of the atom with this key, TRUE (0) if there is none, or
            (2, rel, n, sources)                   the atom of the relation with these columns

binds = n, (column, register)*; checks = n, (column, source)*. A plan is: number of steps, then the position of each step.
A *block* is a component of relations: n, plans to run once*, m, entries*; an entry is: relation, n, trigger plans*.
"""

# mypy: disable-error-code="no-any-return, assignment, arg-type"
from __future__ import annotations

from typing import Final

from scsp_player.grounding.compiled import entry_kernel, inner_kernel
from scsp_player.grounding.store_kernels import (
    ATOM_BASE,
    BASE,
    COUNT,
    LINKS,
    OWNER,
    PROCESSED,
    SOURCE,
    TOO_DEEP,
    WIDTH,
    Ints,
    Longs,
    absorb,
    find_row,
    insert,
    intern,
    key_slot,
)

ROW: Final = 0
SCAN: Final = 1
PROBE: Final = 2
EXISTS: Final = 3
ABSENT: Final = 4
DIFFER: Final = 5
BUILD: Final = 6
EMIT: Final = 7
RECORD: Final = 8

DONE: Final = 0
FULL: Final = 1
PAUSED: Final = 2
DEEP: Final = 3

# Entries of ``meta`` that hold the state of an interrupted run.
STEPS_LEFT: Final = 4
POSITION: Final = 5
PHASE: Final = 6
ITEM: Final = 7
TRIGGER: Final = 8
DEPTH: Final = 9
ENTER: Final = 10


@inner_kernel
def load_key(code: Ints, at: int, count: int, registers: Ints, key: Ints) -> None:
    """Copy the values of ``count`` sources at ``code[at:]`` into ``key``."""
    for k in range(count):
        source = code[at + k]
        key[k] = registers[source] if source >= 0 else ~source


@inner_kernel
def atom_of_row(heap: Ints, rel: Longs, r: int, row: int) -> int:
    """Number of the atom behind a row of a relation or of a view."""
    source = rel[r, SOURCE]
    if source < 0:
        return rel[r, ATOM_BASE] + row
    width = rel[r, WIDTH]
    return rel[source, ATOM_BASE] + heap[rel[r, BASE] + row * width + width - 1]


@inner_kernel
def record_row(
    heap: Ints, rel: Longs, idx: Longs, code: Ints, at: int, registers: Ints, cursor: Ints, key: Ints, out: Ints
) -> None:
    """Fill ``out`` with the ground head and literals of a ``RECORD`` step whose items start at ``code[at + 1]``."""
    count = code[at]
    at += 1
    for item in range(count):
        kind = code[at]
        if kind == 0:
            out[item] = 2 * atom_of_row(heap, rel, code[at + 2], cursor[code[at + 1]])
            at += 3
            continue
        n = code[at + 2]
        load_key(code, at + 3, n, registers, key)
        if kind == 1:
            i = code[at + 1]
            row = heap[key_slot(heap, rel, idx, code, i, key)]
            out[item] = 0 if row < 0 else 2 * atom_of_row(heap, rel, idx[i, OWNER], row) + 1
        else:
            r = code[at + 1]
            out[item] = 2 * (rel[r, ATOM_BASE] + find_row(heap, rel, r, key))
        at += 3 + n


@inner_kernel
def execute(
    heap: Ints, meta: Longs, rel: Longs, idx: Longs, code: Ints, plan: int, row: int,
    registers: Ints, cursor: Ints, key: Ints, out: Ints,
) -> int:  # fmt: skip
    """Run one plan to its end, or until the heap is full or the steps are used up; ``row`` is the row of the trigger.

    An interrupted run is resumed by calling again: depth and direction are in ``meta``, ``ENTER`` = -1 starts afresh.
    """
    if meta[ENTER] < 0:
        meta[DEPTH] = 0
        meta[ENTER] = 1
    depth = meta[DEPTH]
    enter = meta[ENTER] == 1
    steps = meta[STEPS_LEFT]
    status = DONE
    while depth >= 0:
        steps -= 1
        if steps < 0:
            status = PAUSED
            break
        pc = code[plan + 1 + depth]
        op = code[pc]
        if op <= PROBE:
            if op == PROBE:
                i = code[pc + 3]
                n = code[pc + 4]
                if enter:
                    load_key(code, pc + 5, n, registers, key)
                    current = heap[key_slot(heap, rel, idx, code, i, key)]
                    if current < 0:
                        depth = code[pc + 2]
                        enter = False
                        continue
                else:
                    current = heap[idx[i, LINKS] + cursor[depth]]
                    if current < 0:
                        depth = code[pc + 1]
                        continue
                r = idx[i, OWNER]
                at = pc + 5 + n
            elif op == SCAN:
                r = code[pc + 2]
                current = 0 if enter else cursor[depth] + 1
                if current >= rel[r, PROCESSED]:
                    depth = code[pc + 1]
                    enter = False
                    continue
                at = pc + 3
            else:
                if not enter:
                    break
                current = row
                r = code[pc + 1]
                at = pc + 2
            cursor[depth] = current
            start = rel[r, BASE] + current * rel[r, WIDTH]
            for k in range(code[at]):
                registers[code[at + 2 + 2 * k]] = heap[start + code[at + 1 + 2 * k]]
            at += 1 + 2 * code[at]
            enter = True
            for k in range(code[at]):
                source = code[at + 2 + 2 * k]
                if heap[start + code[at + 1 + 2 * k]] != (registers[source] if source >= 0 else ~source):
                    enter = False
                    break
            if enter:
                depth += 1
        elif op <= ABSENT:
            i = code[pc + 2]
            load_key(code, pc + 4, code[pc + 3], registers, key)
            if (heap[key_slot(heap, rel, idx, code, i, key)] >= 0) == (op == EXISTS):
                depth += 1
            else:
                depth = code[pc + 1]
                enter = False
        elif op == DIFFER:
            load_key(code, pc + 2, 2, registers, key)
            if key[0] != key[1]:
                depth += 1
            else:
                depth = code[pc + 1]
                enter = False
        elif op == BUILD:
            n = code[pc + 2]
            load_key(code, pc + 3, n, registers, key)
            term = intern(heap, meta, rel, code[pc + 1], key)
            if term < 0:
                status = DEEP if term == TOO_DEEP else FULL
                break
            registers[code[pc + 3 + n]] = term
            depth += 1
        else:
            if op == EMIT:
                load_key(code, pc + 4, code[pc + 3], registers, out)
            else:
                record_row(heap, rel, idx, code, pc + 3, registers, cursor, key, out)
            if insert(heap, meta, rel, code[pc + 2], out) < 0:
                status = FULL
                break
            depth = code[pc + 1]
            enter = False
    meta[STEPS_LEFT] = steps
    meta[DEPTH] = depth
    meta[ENTER] = -1 if status == DONE else (1 if enter else 0)
    return status


@entry_kernel
def run(
    heap: Ints, meta: Longs, rel: Longs, idx: Longs, code: Ints, task: Ints, registers: Ints, cursor: Ints, key: Ints, out: Ints
) -> int:
    """Evaluate the blocks at ``code[task]`` one after the other, each to its least fixpoint; resumable like ``execute``.

    Rows of a block's relations are processed one at a time: the row enters all indexes and views, then fires the triggers of its
    relation, which join it with the rows processed before. So every combination of rows is met exactly once, without rounds.
    """
    while meta[POSITION] < task.size:
        block = task[meta[POSITION]]
        once = code[block]
        if meta[PHASE] == 0:
            while meta[ITEM] < once:
                status = execute(heap, meta, rel, idx, code, code[block + 1 + meta[ITEM]], -1, registers, cursor, key, out)
                if status != DONE:
                    return status
                meta[ITEM] += 1
            meta[PHASE] = 1
            meta[ITEM] = 0
            meta[TRIGGER] = -1
        entries = block + 1 + once
        count = code[entries]
        idle = 0
        while idle < count:
            entry = code[entries + 1 + meta[ITEM]]
            r = code[entry]
            if meta[TRIGGER] < 0:
                if rel[r, PROCESSED] >= rel[r, COUNT]:
                    meta[ITEM] += 1
                    if meta[ITEM] == count:
                        meta[ITEM] = 0
                    idle += 1
                    continue
                if not absorb(heap, meta, rel, idx, code, r, rel[r, PROCESSED] + 1, key, out):
                    return FULL
                rel[r, PROCESSED] += 1
                meta[TRIGGER] = 0
            idle = 0
            row = rel[r, PROCESSED] - 1
            while meta[TRIGGER] < code[entry + 1]:
                plan = code[entry + 2 + meta[TRIGGER]]
                status = execute(heap, meta, rel, idx, code, plan, row, registers, cursor, key, out)
                if status != DONE:
                    return status
                meta[TRIGGER] += 1
            meta[TRIGGER] = -1
        meta[POSITION] += 1
        meta[PHASE] = 0
        meta[ITEM] = 0
    meta[POSITION] = 0
    return DONE

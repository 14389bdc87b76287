"""The join machine: a kernel that interprets compiled rule bodies over the relation store.

A *plan* is a run of records in ``steps``. *Generators* (``ROW``, ``SCAN``, ``PROBE``) bind registers from the rows of a relation,
tests and constructions stand between them, the last step emits a row. The kernel goes through the plan as a nested loop with
backtracking; a generator that finds nothing at all jumps back to the step that bound its key (``miss``), and after an emission the
search goes on at the last step that binds something the emitted row needs (``back`` of the emitting step), so that conditions on
other variables are only checked for existence.

A *source* is a register (>= 0) or the complement of a term identifier. What the operations do:

    ROW     the row of relation ``what`` that fired the trigger
    SCAN    all processed rows of relation ``what``
    PROBE   the rows that index ``what`` has for the key ``sources``
    EXISTS  index ``what`` has the key
    ABSENT  index ``what`` does not have the key
    DIFFER  the two sources are not the same term
    BUILD   the term of functor relation ``what`` with arguments ``sources`` goes to register ``target``
    EMIT    add the row ``sources`` to relation ``what``
    RECORD  add a row of ``length`` ground literals to relation ``what``; the items that describe them stand at ``sources``:
            (0, step, rel)           the atom matched by a generator over the relation or view
            (1, index, n, sources)   the negation of the atom with this key; TRUE (0) if there is none
            (2, rel, n, sources)     the atom of the relation with these columns

After matching, ROW, SCAN and PROBE copy columns to registers and compare others: ``binds`` = n, (column, register)*, then
n, (column, source)*. All lists stand in ``code``. A *block* is a component of relations: n, plans to run once*, m, entries*;
an entry is: relation, n, trigger plans*.
"""
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import Final

import numpy as np

from scsp_player.grounding.store_kernels import TOO_DEEP, Ints, Record, Records, absorb, insert, intern, slot_of
from scsp_player.kernels import helper, inlined, kernel

STEP: Final = np.dtype(
    [(name, np.int32) for name in ("op", "back", "miss", "what", "length", "sources", "binds", "target")]
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


@inlined
def load(code: Ints, at: int, count: int, registers: Ints, key: Ints) -> None:
    """Copy the values of ``count`` sources at ``code[at:]`` into ``key``."""
    for k in range(count):
        source = code[at + k]
        key[k] = registers[source] if source >= 0 else ~source


@inlined
def take(heap: Ints, code: Ints, line: Record, row: int, at: int, registers: Ints) -> bool:
    """Bind registers to columns of a row and compare others, as the lists at ``code[at:]`` say; False if one differs."""
    start = line.base + row * line.width
    end = at + 1 + 2 * code[at]
    for k in range(at + 1, end, 2):
        registers[code[k + 1]] = heap[start + code[k]]
    for k in range(end + 1, end + 1 + 2 * code[end], 2):
        source = code[k + 1]
        if heap[start + code[k]] != (registers[source] if source >= 0 else ~source):
            return False
    return True


@helper
def record(
    heap: Ints, rel: Records, idx: Records, code: Ints, s: Record, registers: Ints, cursor: Ints, key: Ints, out: Ints
) -> None:
    """Fill ``out`` with the ground head and literals of a ``RECORD`` step."""
    at = s.sources
    for item in range(s.length):
        kind = code[at]
        what = code[at + 1]
        if kind == 0:
            row = cursor[what]
            line = rel[code[at + 2]]
            at += 3
        else:
            n = code[at + 2]
            load(code, at + 3, n, registers, key)
            at += 3 + n
            index = idx[what if kind == 1 else rel[what].unique]
            line = rel[index.owner]
            row = heap[slot_of(heap, line, index, code, key)]
            if row < 0:
                out[item] = 0
                continue
        if line.source >= 0:
            row = heap[line.base + (row + 1) * line.width - 1]
            line = rel[line.source]
        out[item] = 2 * (line.atom_base + row) + (kind == 1)


@helper
def execute(
    heap: Ints, m: Record, rel: Records, idx: Records, steps: Records, code: Ints, plan: int, trigger_row: int,
    registers: Ints, cursor: Ints, key: Ints, out: Ints, scratch: Ints,
) -> int:  # fmt: skip
    """Run one plan to its end, or until the heap is full or the ticks are used up.

    An interrupted run is resumed by calling again: depth and direction are in ``m``, ``m.enter`` = -1 starts afresh.
    """
    if m.enter < 0:
        m.depth = 0
        m.enter = 1
    depth = m.depth
    enter = m.enter == 1
    status = DONE
    while depth >= 0:
        m.ticks -= 1
        if m.ticks < 0:
            status = PAUSED
            break
        s = steps[plan + depth]
        op = s.op
        if op > PROBE:
            load(code, s.sources, s.length if op != RECORD else 0, registers, key)
        if op == PROBE:
            index = idx[s.what]
            line = rel[index.owner]
            if enter:
                load(code, s.sources, s.length, registers, key)
                row = heap[slot_of(heap, line, index, code, key)]
            else:
                row = heap[index.links + cursor[depth]] if index.linked == 1 else -1
            if row < 0:
                depth = s.miss if enter else s.back
                enter = False
            else:
                cursor[depth] = row
                enter = take(heap, code, line, row, s.binds, registers)
                depth += enter
        elif op <= SCAN:
            line = rel[s.what]
            row = trigger_row
            if op == SCAN:
                row = 0 if enter else cursor[depth] + 1
                enter = row < line.processed
            if not enter:
                depth = s.back
            else:
                cursor[depth] = row
                enter = take(heap, code, line, row, s.binds, registers)
                depth += enter
        elif op <= DIFFER:
            if op == DIFFER:
                enter = key[0] != key[1]
            else:
                index = idx[s.what]
                enter = (heap[slot_of(heap, rel[index.owner], index, code, key)] >= 0) == (op == EXISTS)
            depth = depth + 1 if enter else s.miss
        elif op == BUILD:
            term = intern(heap, m, rel, idx, code, s.what, key, scratch)
            if term < 0:
                status = DEEP if term == TOO_DEEP else FULL
                break
            registers[s.target] = term
            depth += 1
        else:
            if op == RECORD:
                record(heap, rel, idx, code, s, registers, cursor, key, out)
            if insert(heap, m, rel, idx, code, s.what, out if op == RECORD else key, scratch) < 0:
                status = FULL
                break
            depth = s.back
            enter = False
    m.depth = depth
    m.enter = -1 if status == DONE else (1 if enter else 0)
    return status


@kernel
def run(
    heap: Ints, meta: Records, rel: Records, idx: Records, steps: Records, code: Ints, task: Ints,
    registers: Ints, cursor: Ints, key: Ints, out: Ints, scratch: Ints,
) -> int:  # fmt: skip
    """Evaluate the blocks at ``code[task]`` one after the other, each to its least fixpoint; resumable like ``execute``.

    Rows of a block's relations are processed one at a time: the row enters all indexes and views, then fires the triggers of its
    relation, which join it with the rows processed before. So every combination of rows is met exactly once, without rounds.
    """
    m = meta[0]
    while m.position < len(task):
        block = task[m.position]
        entries = block + 1 + code[block]
        idle = 0
        while idle <= code[entries]:
            row = -1
            plan = -1
            if m.phase == 0:  # the plans to run once
                if m.item < code[block]:
                    plan = code[block + 1 + m.item]
                else:
                    m.phase = 1
                    m.item = 0
                    m.trigger = -1
            elif idle == code[entries]:
                idle += 1
            else:
                entry = code[entries + 1 + m.item]
                line = rel[code[entry]]
                if m.trigger < 0:
                    pending = line.processed < line.count
                    limit = line.processed + (1 if pending else 0)
                    if not absorb(heap, m, rel, idx, code, code[entry], limit, key, out, scratch):
                        return FULL
                    if pending:
                        line.processed = limit
                        m.trigger = 0
                        idle = 0
                    else:
                        m.item = (m.item + 1) % code[entries]
                        idle += 1
                elif m.trigger < code[entry + 1]:
                    plan = code[entry + 2 + m.trigger]
                    row = line.processed - 1
                else:
                    m.trigger = -1
            if plan >= 0:
                status = execute(
                    heap, m, rel, idx, steps, code, plan, row, registers, cursor, key, out, scratch
                )  # fmt: skip
                if status != DONE:
                    return status
                if row < 0:
                    m.item += 1
                else:
                    m.trigger += 1
        m.position += 1
        m.phase = 0
        m.item = 0
    m.position = 0
    return DONE

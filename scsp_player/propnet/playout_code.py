"""Random playouts in all lanes, from the first move to the scores, without returning to Python.

Every word belongs to one start state and has a number of playouts to begin. A lane whose playout is over begins the next one of its
word, as long as there is one left to begin. So the playouts that count are the first n that are *begun* in a word, however long
they take: whether a playout counts is settled before its first move is drawn, hence short games are not favoured.

A game may have *phases*, through which every playout runs in turn, such as whose turn it is: each has code of its own. All lanes
that are inside a playout are in the same phase; a lane begins a playout when the phase of its start state comes round, and an ended
playout is scored in the phase in which it ended. A new playout begins together with the next state of the others, so that
no part of a step is computed twice.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from scsp_player.propnet.draw_code import write_draw, write_ranks, write_ready, write_refill
from scsp_player.propnet.emit import POINTER, WORD, Code, Module, Value
from scsp_player.propnet.interpreter_code import write_interpreter, write_run
from scsp_player.propnet.playout_layout import Call, Phase, Role, Status, Totals


class Step:
    """What the parts of a step share: the call's record, the row of the phase, and short names for lines."""

    def __init__(self, code: Code, call: Value, run: Code) -> None:
        """Read the record."""
        self.code, self.call, self._run = code, call, run
        self.groups, self.stride = code.load_word(call, Call.GROUPS), code.load_word(call, Call.STRIDE)
        self.first = code.pointer(code.load_word(call, Call.BASE))
        self.entries = code.pointer(code.load_word(call, Call.ENTRIES))
        self.number = code.load_word(call, Call.PHASE)
        table = code.pointer(code.load_word(call, Call.PHASE_TABLE))
        self.phase = code.address(table, self.number * (8 * Phase.FIELDS))
        more = self.number + 1
        self.following = code.choose(more.less(code.load_word(call, Call.PHASES)), more, code.word(0))
        self.waiting = code.address(code.pointer(code.load_word(call, Call.WAITING)), self.number * 16)

    def field(self, number: int) -> Value:
        """A field of the call's record."""
        return self.code.load_word(self.call, number)

    def lines(self, group: Value, field: int, further: Value | int = 0) -> Value:
        """Address of the lines that a field of the record names, in a group."""
        return self.code.line(group, (self.field(field) + further))

    def each_group(self) -> Any:
        """A loop over the numbers of groups."""
        return self.code.count(self.groups)

    def group(self, number: Value) -> Value:
        """Address of a group."""
        return self.code.address(self.first, number * self.stride)

    def run(self, stage: int) -> None:
        """Compute a stage of the phase, given as a field of ``Phase``."""
        self.run_stretches(self.phase, stage)

    def run_stretches(self, row: Value, field: int) -> None:
        """Compute the stretches that two fields of a row name."""
        begin, end = self.code.load_word(row, field), self.code.load_word(row, field + 1)
        self.code.call(self._run, [self.first, self.groups, self.stride, self.entries, begin, end])

    def add_populations(self, totals: Value, line: Value | int, lanes: Value) -> None:
        """Count lanes, word by word."""
        self.code.store(totals, line, self.code.load(totals, line) + self.code.populations(lanes))


def _write_tally(module: Module) -> Code:
    """``tally(group, call, done)``: count the goals of the lanes in line ``done``; several goals of a role count as none."""
    code = Code(module, "tally", [POINTER, POINTER, POINTER])
    group, call, done = code.arguments
    starts = code.pointer(code.load_word(call, Call.GOAL_START))
    goals = code.line(group, code.load_word(call, Call.GOAL))
    totals = code.line(group, code.load_word(call, Call.TOTALS))
    ended = code.load(done, 0)
    recorded = code.load_word(call, Call.DRAWN).compare("!=", 0)
    record = code.line(group, code.load_word(call, Call.ENDED))
    with code.when(recorded):
        code.store(record, 0, code.load(record, 0) | ended)
    with code.count(code.load_word(call, Call.ROLES)) as role:
        first, last = code.load_half(starts, role), code.load_half(starts, role + 1)
        once, twice = code.variable(code.lanes(0)), code.variable(code.lanes(0))
        with code.count(last, first) as i:
            holds = code.load(goals, i)
            twice.set(twice.get() | (once.get() & holds))
            once.set(once.get() | holds)
        valid = ended & ~twice.get()
        with code.count(last, first) as i:
            line = i + Totals.GOALS
            code.store(totals, line, code.load(totals, line) + code.populations(code.load(goals, i) & valid))
            with code.when(recorded):
                code.store(record, i + 1, code.load(record, i + 1) | (code.load(goals, i) & valid))
    code.store(totals, Totals.FINISHED, code.load(totals, Totals.FINISHED) + code.populations(ended))
    code.result(0)
    return code


def _write_begin(module: Module) -> Code:
    """``begin(group, call, candidates)``: free lanes begin playouts, in each word as many as may still be begun; the others retire.

    ``candidates`` is a line of lanes. Returns whether a playout begins; CHOSEN says where. Their state is set by ``update``.
    """
    code = Code(module, "begin", [POINTER, POINTER, POINTER])
    group, call, candidates = code.arguments
    status = code.line(group, code.load_word(call, Call.STATUS))
    free = code.load(status, Status.FREE)
    wanting = free & code.load(candidates, 0)
    code.store(status, Status.FREE, free & ~wanting)
    code.store(status, Status.CHOSEN, wanting)
    chosen_words = code.line(status, Status.CHOSEN)
    remaining_words = code.line(status, Status.REMAINING)
    with code.count(code.words) as word:
        lanes, remaining = code.variable(code.load_word(chosen_words, word)), code.variable(code.load_word(remaining_words, word))
        taken = code.variable(code.word(0))
        with code.repeat() as loop:
            loop.leave_if(lanes.get().equal(0))
            loop.leave_if(remaining.get().equal(0))
            rest = lanes.get() & (lanes.get() - 1)
            taken.set(taken.get() | (lanes.get() ^ rest))
            lanes.set(rest)
            remaining.set(remaining.get() - 1)
        code.store_word(chosen_words, word, taken.get())
        code.store_word(remaining_words, word, remaining.get())
    chosen = code.load(status, Status.CHOSEN)
    result = code.variable(code.word(0))
    with code.when(code.any(chosen)):
        result.set(1)
        code.store(status, Status.LIVE, code.load(status, Status.LIVE) | chosen)
        time = code.line(group, code.load_word(call, Call.TIME))
        now = code.load_word(call, Call.NOW)
        with code.count(code.load_word(call, Call.TIME_BITS)) as j:
            bit = code.spread(code.word(0) - ((now >> j) & 1))
            value = code.load(time, j)
            code.store(time, j, value ^ ((value ^ bit) & chosen))
    code.result(result.get())
    return code


def _write_older(module: Module) -> Code:
    """``older(group, call, age, result)``: write to line ``result`` the live lanes that have made ``age`` moves or more."""
    code = Code(module, "older", [POINTER, POINTER, ir.IntType(64), POINTER])
    group, call, age, result = code.arguments
    live = code.load(code.line(group, code.load_word(call, Call.STATUS)), Status.LIVE)
    time = code.line(group, code.load_word(call, Call.TIME))
    latest = code.load_word(call, Call.NOW) - age
    borrow, digit = code.variable(code.lanes(0)), code.variable(code.lanes(0))
    with code.count(code.load_word(call, Call.TIME_BITS)) as j:
        begun, bit = code.load(time, j), code.spread(code.word(0) - ((latest >> j) & 1))
        digit.set(begun ^ bit ^ borrow.get())
        borrow.set((begun & ~bit) | (~(begun ^ bit) & borrow.get()))
    # The last digit is the sign of latest - begun, a number too small to overflow.
    code.store(result, 0, live & ~digit.get())
    code.result(0)
    return code


def _write_cut(module: Module, older: Code) -> Code:
    """``cut(call)``: give up the playouts that have made as many moves as they may, and find out when to look again."""
    code = Code(module, "cut", [POINTER])
    [call] = code.arguments
    first, stride = code.pointer(code.load_word(call, Call.BASE)), code.load_word(call, Call.STRIDE)
    limit, now = code.load_word(call, Call.LIMIT), code.load_word(call, Call.NOW)
    half = (limit + 1) >> 1
    old = code.variable(code.word(0))
    with code.count(code.load_word(call, Call.GROUPS)) as number:
        group = code.address(first, number * stride)
        status = code.line(group, code.load_word(call, Call.STATUS))
        totals = code.line(group, code.load_word(call, Call.TOTALS))
        scratch = code.line(status, Status.CHOSEN)
        code.call(older, [group, call, limit, scratch])
        over = code.load(scratch, 0)
        code.store(status, Status.LIVE, code.load(status, Status.LIVE) & ~over)
        code.store(status, Status.FREE, code.load(status, Status.FREE) | over)
        code.store(totals, Totals.TRUNCATED, code.load(totals, Totals.TRUNCATED) + code.populations(over))
        code.call(older, [group, call, half, scratch])
        old.set(code.choose(code.any(code.load(scratch, 0)), code.word(1), old.get()))
    code.store_word(call, Call.OLDEST, now + 1 - code.choose(old.get().equal(0), half, limit))
    code.result(0)
    return code


def write_advance(module: Module, run: Code) -> Code:
    """``advance(call, steps)``: up to ``steps`` moves in all lanes; returns 1 if nothing is left to play, otherwise 0."""
    ranks = write_ranks(module, write_refill(module))
    draw, ready = write_draw(module, ranks), write_ready(module, ranks)
    tally, update, cut = _write_tally(module), _write_update(module, _write_begin(module)), _write_cut(module, _write_older(module))
    code = Code(module, "advance", [POINTER, ir.IntType(64)])
    call, steps = code.arguments
    finished = code.variable(code.word(0))
    with code.count(steps) as _, code.when(finished.get().equal(0)):
        step = Step(code, call, run)
        with code.when(_any_lane(step, [Status.LIVE]) | (_waiting_lanes(step).compare(">", 0))):
            step.run(Phase.TERMINAL)
            _end(step)
            with code.when((step.field(Call.NOW) - step.field(Call.OLDEST)).compare(">=", step.field(Call.LIMIT))):
                code.call(cut, [call])
            playing = _any_lane(step, [Status.LIVE])
            scoring = _scoring(step, playing)
            with code.when(playing | scoring):
                step.run(Phase.LEGAL)
                with code.when(scoring):
                    _score(step, tally)
            with code.when(playing):
                _draw(step, draw, ready)
                step.run(Phase.NEXT)
                code.store_word(call, Call.NOW, step.field(Call.NOW) + 1)
        waiting, following = _waiting_lanes(step), step.following
        with step.each_group() as number:
            code.call(update, [step.group(number), call, step.phase, following, waiting])
        code.store_word(call, Call.PHASE, following)
        with code.when(waiting.equal(0)):
            busy = _any_lane(step, [Status.LIVE, Status.FREE])
            finished.set(code.choose(busy, code.word(0), code.word(1)))
    code.result(finished.get())
    return code


def _any_lane(step: Step, lines: list[int]) -> Value:
    """Whether a lane is set in a line of ``Status`` in some group."""
    code = step.code
    union = code.variable(code.lanes(0))
    with step.each_group() as number:
        status = step.lines(step.group(number), Call.STATUS)
        for line in lines:
            union.set(union.get() | code.load(status, line))
    return code.any(union.get())


def _waiting_lanes(step: Step) -> Value:
    """How many lanes wait for being scored, in all phases."""
    code = step.code
    table = code.pointer(step.field(Call.WAITING))
    total = code.variable(code.word(0))
    with code.count(step.field(Call.PHASES)) as phase:
        total.set(total.get() + code.load_word(table, phase * 2))
    return total.get()


def _end(step: Step) -> None:
    """Lanes that are over stop playing and wait for being scored."""
    code = step.code
    count = code.variable(code.lanes(0))
    with step.each_group() as number:
        group = step.group(number)
        status = step.lines(group, Call.STATUS)
        live = code.load(status, Status.LIVE)
        over = live & code.load(step.lines(group, Call.TERMINAL), 0)
        with code.when(code.any(over)):
            done = step.lines(group, Call.DONE, step.number)
            code.store(done, 0, code.load(done, 0) | over)
            code.store(status, Status.LIVE, live & ~over)
            count.set(count.get() + code.populations(over))
    lanes = code.load_word(step.waiting, 0) + code.total(count.get())
    code.store_word(step.waiting, 0, lanes)
    code.store_word(step.waiting, 1, code.load_word(step.waiting, 1) + lanes * step.field(Call.PHASES))


def _scoring(step: Step, playing: Value) -> Value:
    """Whether the lanes that wait have waited long enough, or there is nothing else to do."""
    code = step.code
    lanes, waited = code.load_word(step.waiting, 0), code.load_word(step.waiting, 1)
    due = waited.compare(">=", code.load_word(step.phase, Phase.PATIENCE) * step.groups)
    return lanes.compare(">", 0) & (due | ~playing)


def _score(step: Step, tally: Code) -> None:
    """Score the lanes that wait; what legal moves need is computed already."""
    code = step.code
    step.run(Phase.GOAL)
    with step.each_group() as number:
        group = step.group(number)
        done, status = step.lines(group, Call.DONE, step.number), step.lines(group, Call.STATUS)
        with code.when(code.any(code.load(done, 0))):
            code.call(tally, [group, step.call, done])
            code.store(status, Status.FREE, code.load(status, Status.FREE) | code.load(done, 0))
            code.store(done, 0, code.lanes(0))
    code.store_word(step.waiting, 0, code.word(0))
    code.store_word(step.waiting, 1, code.word(0))


def _draw(step: Step, draw: Code, ready: Code) -> None:
    """Draw moves; lanes in which a role has none give up."""
    code = step.code
    with step.each_group() as number:
        code.store(step.lines(step.group(number), Call.STATUS), Status.STUCK, code.lanes(0))
    with code.count(code.load_word(step.phase, Phase.ROLES)) as index:
        role = code.address(code.pointer(code.load_word(step.phase, Phase.ROLE)), index * (8 * Role.FIELDS))
        with code.either(code.load_word(role, Role.WIDTH).equal(0)) as (loops, written_out):
            with loops, step.each_group() as number:
                code.call(draw, [step.group(number), step.call, step.phase, role])
            with written_out:
                step.run_stretches(role, Role.UP)
                with step.each_group() as number:
                    code.call(ready, [step.group(number), step.call, role])
                step.run_stretches(role, Role.DOWN)
    with step.each_group() as number:
        group = step.group(number)
        status, totals = step.lines(group, Call.STATUS), step.lines(group, Call.TOTALS)
        live, stuck = code.load(status, Status.LIVE), code.load(status, Status.STUCK)
        step.add_populations(totals, Totals.PLIES, live & ~stuck)
        with code.when(code.any(stuck)):
            step.add_populations(totals, Totals.TRUNCATED, stuck)
            code.store(status, Status.LIVE, live & ~stuck)
            code.store(status, Status.FREE, code.load(status, Status.FREE) | stuck)
    with code.when(step.field(Call.DRAWN).compare("!=", 0)):
        _record(step)


def _record(step: Step) -> None:
    """Note in which lanes each move has been drawn."""
    code = step.code
    lines = code.pointer(code.load_word(step.phase, Phase.MOVE_LINES))
    with code.count(code.load_word(step.phase, Phase.ROLES)) as index:
        role = code.address(code.pointer(code.load_word(step.phase, Phase.ROLE)), index * (8 * Role.FIELDS))
        first, last = code.load_word(role, Role.FIRST), code.load_word(role, Role.LAST)
        with step.each_group() as number:
            group = step.group(number)
            live, drawn = code.load(step.lines(group, Call.STATUS), Status.LIVE), step.lines(group, Call.DRAWN)
            with code.count(last, first) as i:
                line = code.load_half(lines, i)
                code.store(drawn, line, code.load(drawn, line) | (code.load(group, line) & live))


def _write_update(module: Module, begin: Code) -> Code:
    """``update(group, call, phase, following, waiting)``: the next state becomes the state, and free lanes begin playouts.

    Lanes begin if ``following`` is the phase of their start state. Lanes that wait for being scored, ``waiting`` in all groups
    together, keep their state.
    """
    code = Code(module, "update", [POINTER, POINTER, POINTER, WORD, WORD])
    group, call, phase, following, waiting = code.arguments
    held = code.variable(code.lanes(0))
    with code.when(waiting.compare("!=", 0)):
        done = code.line(group, code.load_word(call, Call.DONE))
        with code.count(code.load_word(call, Call.PHASES)) as number:
            held.set(held.get() | code.load(done, number))
    status = code.line(group, code.load_word(call, Call.STATUS))
    candidates = code.line(group, (code.load_word(call, Call.BEGIN) + following))
    begun = code.variable(code.word(0))
    with code.when(code.any(code.load(status, Status.FREE) & code.load(candidates, 0))):
        begun.set(code.call(begin, [group, call, candidates]))
    state = code.line(group, 1)
    start, result = (code.line(group, code.load_word(call, field)) for field in (Call.START, Call.NEXT))
    changed, changes = code.pointer(code.load_word(phase, Phase.CHANGED)), code.load_word(phase, Phase.CHANGES)
    restored, restores = code.pointer(code.load_word(phase, Phase.RESTORED)), code.load_word(phase, Phase.RESTORES)
    chosen, mask = code.load(status, Status.CHOSEN), ~held.get()

    def each(advanced: Any) -> None:
        with code.count(changes) as i:
            fluent = code.load_half(changed, i)
            code.store(state, fluent, advanced(fluent, code.load(result, fluent)))

    def begin_or_advance(fluent: Value, value: Value) -> Value:
        return value ^ ((value ^ code.load(start, fluent)) & chosen)

    def hold(fluent: Value, value: Value) -> Value:
        old = code.load(state, fluent)
        return old ^ ((old ^ value) & mask)

    with code.either(begun.get().equal(0)) as (none_begins, some_begin):
        with none_begins, code.either(code.any(held.get())) as (some_wait, none_waits):
            with some_wait:
                each(hold)
            with none_waits:
                each(lambda fluent, value: value)
        with some_begin:
            with code.either(code.any(held.get())) as (some_wait, none_waits):
                with some_wait:
                    each(lambda fluent, value: hold(fluent, begin_or_advance(fluent, value)))
                with none_waits:
                    each(begin_or_advance)
            with code.count(restores) as i:
                fluent = code.load_half(restored, i)
                code.store(state, fluent, begin_or_advance(fluent, code.load(state, fluent)))
    code.result(0)
    return code


def module_text(words: int) -> str:
    """The module with ``interpret``, ``run`` and ``advance`` for vectors of so many words."""
    module = Module("playouts", words)
    write_interpreter(module)
    run = write_run(module)
    write_advance(module, run)
    return module.text

"""The interpreter of ``VectorCode``: executes packed instructions for one lane group after the other."""

from __future__ import annotations

from scsp_player.propnet.emit import POINTER, WORD, Code, Module, Value
from scsp_player.propnet.playout_layout import Entry


def write_interpreter(module: Module) -> Code:
    """``interpret(first, groups, stride, data)``, called like generated code.

    ``data`` is the address of int64[3]: the addresses where the packed instructions begin, where those of feedback lines begin, and
    where they end. It returns 1 if a feedback line changed in some group.
    """
    code = Code(module, "interpret", [POINTER, WORD, WORD, POINTER])
    first, groups, stride, data = code.arguments
    changed = code.variable(code.lanes(0))
    with code.count(groups) as number:
        group = code.address(first, number * stride)
        place = code.variable(code.load_word(data, 0))
        feedback, end = code.load_word(data, 1), code.load_word(data, 2)
        with code.repeat() as instructions:
            instructions.leave_unless(place.get().less(end))
            instruction = code.pointer(place.get())
            target, positive, negative = (code.load_half(instruction, i) for i in range(3))
            operands = code.address(instruction, 12)
            result = code.variable(code.lanes(-1))
            with code.when(positive.less(0)):
                result.set(0)
                with code.count(negative) as i:
                    result.set(result.get() ^ code.load(group, code.load_half(operands, i)))
            with code.count(positive) as i:
                result.set(result.get() & code.load(group, code.load_half(operands, i)))
            with code.when((positive | (negative - 1)).compare(">=", 0)):
                excluded = code.variable(code.lanes(0))
                with code.count(positive + negative, positive) as i:
                    excluded.set(excluded.get() | code.load(group, code.load_half(operands, i)))
                disjunction = code.choose(positive.equal(0), code.lanes(-1), code.lanes(0))
                result.set(result.get() & (excluded.get() ^ ~disjunction))
            with code.when(place.get().compare(">=", feedback)):
                changed.set(changed.get() | (result.get() ^ code.load(group, target)))
            code.store(group, target, result.get())
            number_of_positive = code.choose(positive.less(0), code.word(0), positive)
            place.set(place.get() + (number_of_positive + negative + 3) * 4)
    code.result(_as_word(code, code.any(changed.get())))
    return code


def write_run(module: Module) -> Code:
    """``run(first, groups, stride, entries, begin, end)``: execute stretches of code, loops until nothing changes.

    A least fixpoint is there after as many passes as there are feedback lines. Lanes in states that no match gets to may have none,
    where simplified logic is not monotone; so nothing goes on for longer than that.
    """
    code = Code(module, "run", [POINTER, WORD, WORD, POINTER, WORD, WORD])
    first, groups, stride, entries, begin, end = code.arguments
    number, passes = code.variable(begin), code.variable(code.word(0))
    with code.repeat() as loop:
        loop.leave_unless(number.get().less(end))
        entry = code.address(entries, number.get() * (8 * Entry.FIELDS))
        data = code.pointer(code.load_word(entry, Entry.DATA))
        changed = code.call_at(code.load_word(entry, Entry.FUNCTION), [first, groups, stride, data])
        settled = changed.equal(0) | passes.get().compare(">=", code.load_word(entry, Entry.PASSES))
        number.set(code.choose(settled, number.get() + 1, code.load_word(entry, Entry.BACK)))
        passes.set(code.choose(settled, code.word(0), passes.get() + 1))
    code.result(0)
    return code


def _as_word(code: Code, truth: Value) -> Value:
    return code.choose(truth, code.word(1), code.word(0))

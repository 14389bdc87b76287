"""Join plans: the order in which the parts of a body are matched, written as code for the join machine."""

from __future__ import annotations

from collections.abc import Sequence

from scsp_player.grounding import join_kernels as join
from scsp_player.grounding.clauses import Clause, Kind, Part
from scsp_player.grounding.join_order import Access, Matches, join_order
from scsp_player.grounding.store import FUNCTOR, Store, Tokens


class PlanWriter:
    """Writes one plan; a throw-away object.

    Registers 0 … variables - 1 hold the clause's variables, later ones hold terms that are built.
    """

    def __init__(self, store: Store, matches: Matches, variables: int) -> None:
        self.store = store
        self.matches = matches
        self.registers = variables
        self.steps: list[tuple[int, ...]] = []
        self.binder: dict[int, int] = {}  # register → generator step that determines it
        self.generator = -1  # the last generator

    def access(self, part: Part) -> Access:
        """The relation itself, or the view on it that the part's functors ask for."""
        relation, holes = self.store.access(part.relation, part.tokens)
        return Access(part, relation, holes, part.variables)

    def step(self, op: int, *, back: int = -1, miss: int = -1, what: int = 0, sources: Sequence[int] = (), binds: int = 0,
             target: int = 0) -> int:  # fmt: skip
        """Append a step (see ``join_kernels``); returns its number."""
        at = self.store.emit_code(sources)
        self.steps.append((op, back, miss, what, len(sources), at, binds, target))
        return len(self.steps) - 1

    def depth(self, sources: Sequence[int]) -> int:
        """The last generator that determines one of the sources."""
        return max((self.binder[s] for s in sources if s >= 0), default=-1)

    def build(self, tokens: Tokens) -> list[int]:
        """Sources for the terms of a pattern, after steps that construct its compound terms."""
        stack: list[int] = []
        for token in reversed(tokens):
            if token < FUNCTOR:
                stack.append(token)
                continue
            functor = token - FUNCTOR
            arity = self.store.arity(functor)
            sources = stack[: -arity - 1 : -1]
            del stack[-arity:]
            self.step(join.BUILD, what=functor, sources=sources, target=self.registers)
            self.binder[self.registers] = self.depth(sources)
            stack.append(self.registers)
            self.registers += 1
        return stack[::-1]

    def generate(self, access: Access, row_of_trigger: bool = False) -> int:
        """A step that goes through the matching rows and binds the new variables; returns its number."""
        number = len(self.steps)
        key: list[tuple[int, int]] = []
        binds: list[int] = []
        checks: list[int] = []
        for column, token in enumerate(access.holes):
            if token < 0 or self.binder.get(token, number) < number:
                key.append((column, token))
            elif token in self.binder:
                checks += [column, token]
            else:
                binds += [column, token]
                self.binder[token] = number
        if row_of_trigger:
            checks += [entry for pair in key for entry in pair]
        lists = self.store.emit_code([len(binds) // 2, *binds, len(checks) // 2, *checks])
        if row_of_trigger:
            self.step(join.ROW, what=access.relation, binds=lists)
        elif not key:
            self.step(join.SCAN, back=self.generator, what=access.relation, binds=lists)
        else:
            index = self.store.index(access.relation, tuple(column for column, _ in key))
            sources = [token for _, token in key]
            self.step(join.PROBE, back=self.generator, miss=self.depth(sources), what=index, sources=sources, binds=lists)
        self.generator = number
        return number

    def probe(self, access: Access, op: int) -> None:
        """A test whether some row (``EXISTS``) or no row (``ABSENT``) agrees with the variables bound so far."""
        columns = tuple(c for c, token in enumerate(access.holes) if token < 0 or token in self.binder)
        sources = [access.holes[c] for c in columns]
        self.step(op, miss=self.depth(sources), what=self.store.index(access.relation, columns), sources=sources)

    def differ(self, part: Part) -> None:
        """A test that two terms are not the same."""
        sources = self.build(part.tokens)
        self.step(join.DIFFER, miss=self.depth(sources), sources=sources)

    def join(self, parts: Sequence[Part], needed: frozenset[int], trigger: Part | None, record: bool) -> dict[Part, int]:
        """Steps for all parts, cheapest first.

        Args:
            parts: positive parts and tests; negative parts are tested for absence.
            needed: variables whose every value matters.
            trigger: the part that the row of the trigger matches.
            record: every match of a recorded positive part matters; its step is in the result.
        """
        matched: dict[Part, int] = {}
        open_accesses = [self.access(p) for p in parts if p.kind is Kind.POSITIVE and p is not trigger]
        tests = [p for p in parts if p.kind is not Kind.POSITIVE]
        if trigger is not None:
            matched[trigger] = self.generate(self.access(trigger), row_of_trigger=True)
        self._test(tests)
        counted = needed.union(*(a.variables for a in open_accesses if a.part.recorded)) if record else needed
        order = join_order(open_accesses, self.binder, counted, self.matches)
        for number, access in enumerate(order):
            new = access.variables - self.binder.keys()
            later = needed.union(*(a.variables for a in order[number + 1 :]), *(p.variables for p in tests))
            if record and access.part.recorded:
                matched[access.part] = self.generate(access)
            elif new.isdisjoint(later) and self._repeats_nothing(access, new):
                self.probe(access, join.EXISTS)
            else:
                self.generate(access)
            self._test(tests)
        return matched

    def _test(self, tests: list[Part]) -> None:
        """Steps for the tests whose variables are bound; they are taken out of the list."""
        ready = [p for p in tests if all(v in self.binder for v in p.variables)]
        for part in ready:
            tests.remove(part)
            if part.kind is Kind.DIFFER:
                self.differ(part)
            else:
                self.probe(self.access(part), join.ABSENT)

    def _repeats_nothing(self, access: Access, new: frozenset[int]) -> bool:
        fresh = [token for token in access.holes if token in new]
        return len(fresh) == len(new)

    def finish(self) -> int:
        """The plan's place in the code."""
        self.store.need_registers(max(self.registers, len(self.steps)) + 1)
        return self.store.emit_plan(self.steps)


def deriving_plan(store: Store, clause: Clause, parts: Sequence[Part], matches: Matches, trigger: Part | None = None) -> int:
    """A plan that adds the clause's head to its relation for every match of ``parts``."""
    writer = PlanWriter(store, matches, clause.variables)
    needed = frozenset(token for token in clause.tokens if 0 <= token < FUNCTOR)
    writer.join(parts, needed, trigger, record=False)
    sources = writer.build(clause.tokens)
    back = max((writer.binder[v] for v in needed), default=-1)
    writer.step(join.EMIT, back=back, what=clause.relation, sources=sources)
    return writer.finish()


def recording_plan(
    store: Store, clause: Clause, parts: Sequence[Part], deferred: Sequence[Part], matches: Matches, out: int
) -> int:
    """A plan that adds a row of literals to ``out`` for every instance of the clause.

    The literals are the head's atom, the recorded positive parts in their order, then the ``deferred`` negative parts, which are
    not tested.
    """
    writer = PlanWriter(store, matches, clause.variables)
    needed = frozenset(token for token in clause.tokens if 0 <= token < FUNCTOR).union(*(p.variables for p in deferred))
    matched = writer.join(parts, needed, None, record=True)
    recorded = [p for p in parts if p.kind is Kind.POSITIVE and p.recorded]
    back = max([-1, *(writer.binder[v] for v in needed), *(matched[p] for p in recorded)])
    sources = writer.build(clause.tokens)
    items = [2, clause.relation, len(sources), *sources]
    for part in recorded:
        items += [0, matched[part], writer.access(part).relation]
    for part in deferred:
        access = writer.access(part)
        index = store.index(access.relation, tuple(range(len(access.holes))))
        items += [1, index, len(access.holes), *access.holes]
    at = store.emit_code(items)
    writer.steps.append((join.RECORD, back, -1, out, 1 + len(recorded) + len(deferred), at, 0, 0))
    return writer.finish()

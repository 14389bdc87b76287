"""How ``scsp-player solve`` prints: the lines of the XCSP3 competitions, or one JSON object."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xcsp import Instance

STATUS_LINES = {"SAT": "s SATISFIABLE", "UNSAT": "s UNSATISFIABLE", "UNKNOWN": "s UNKNOWN"}


class Answer:
    """Collects what a search found.

    Attributes:
        found: number of solutions so far.
        status: "SAT", "UNSAT" or "UNKNOWN" (the search was cut off before it found anything).
    """

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.found = 0
        self.status = "UNKNOWN"
        self.variables: list[int] = []
        self.threshold: Fraction | None = None
        self._symbols: list[dict[int, str] | None] = []

    def open(self, variables: list[int], threshold: Fraction | None = None) -> None:
        """Says which variables the solutions have values for."""
        self.variables = variables
        self.threshold = threshold
        chosen = [self.instance.variables[x] for x in variables]
        self._symbols = [dict(zip(v.domain.tolist(), v.symbols, strict=True)) if v.symbols else None for v in chosen]

    def add(
        self, values: NDArray[np.int32], satisfaction: Sequence[Fraction] | None, trees: Sequence[dict[str, Any]] = ()
    ) -> None:
        """Takes solutions (rows), for policies with the satisfaction of each, and perhaps its tree."""
        if len(values):
            self.status = "SAT"
            self.found += len(values)

    def add_count(self, number: int) -> None:
        """Takes a number of solutions that are not to be printed."""
        if number:
            self.status = "SAT"
            self.found += number

    def finish(
        self, complete: bool, setup: float, seconds: float, effort: dict[str, int | None], cpu: float | None = None
    ) -> None:
        """Takes the end of the search: whether it was complete, seconds to build and to search, what it cost, CPU seconds."""
        if complete and not self.found:
            self.status = "UNSAT"

    def close(self) -> None:
        """Prints what is still to be printed."""

    def names(self) -> list[str]:
        """Names of the variables."""
        return [self.instance.variables[x].name for x in self.variables]

    def shown(self, values: NDArray[np.int32]) -> list[list[Any]]:
        """Rows of values with symbols for symbolic variables."""
        rows: list[list[Any]] = values.tolist()
        if not any(self._symbols):
            return rows
        return [[s[value] if s else value for value, s in zip(row, self._symbols, strict=True)] for row in rows]


class LineAnswer(Answer):
    """Prints the lines of the XCSP3 competitions: ``s`` status, ``v`` instantiations, ``d`` figures."""

    def add(
        self, values: NDArray[np.int32], satisfaction: Sequence[Fraction] | None, trees: Sequence[dict[str, Any]] = ()
    ) -> None:
        """Prints solutions as they come."""
        if not self.found and len(values):
            print(STATUS_LINES["SAT"])
        super().add(values, satisfaction)
        names = " ".join(self.names())
        for i, row in enumerate(self.shown(values)):
            # Blanks within the brackets: the official checker splits at them.
            print(f"v <instantiation> <list> {names} </list> <values> {' '.join(map(str, row))} </values> </instantiation>")
            if satisfaction is not None:
                print(f"d SATISFACTION {satisfaction[i]}")
            if trees:
                print(f"d POLICY {json.dumps(trees[i])}")
        sys.stdout.flush()

    def add_count(self, number: int) -> None:
        """Prints the status."""
        if number:
            print(STATUS_LINES["SAT"])
        super().add_count(number)

    def finish(
        self, complete: bool, setup: float, seconds: float, effort: dict[str, int | None], cpu: float | None = None
    ) -> None:
        """Prints the figures."""
        super().finish(complete, setup, seconds, effort, cpu)
        if self.status != "SAT":
            print(STATUS_LINES[self.status])
        if self.threshold is not None:
            print(f"d THRESHOLD {self.threshold}")
        print(f"d FOUND SOLUTIONS {self.found}")
        for name, number in effort.items():
            if number is not None:
                print(f"d {name.upper()} {number}")
        print(f"d SETUP SECONDS {setup:.6f}")
        print(f"d SEARCH SECONDS {seconds:.6f}")
        print("d COMPLETE EXPLORATION" if complete else "d INCOMPLETE EXPLORATION")


class JsonAnswer(Answer):
    """Prints one JSON object at the end."""

    def __init__(self, instance: Instance, facts: dict[str, Any]) -> None:
        super().__init__(instance)
        self._facts = facts
        self._rows: list[list[Any]] = []
        self._satisfaction: list[str] = []
        self._trees: list[dict[str, Any]] = []
        self._counted = False

    def add(
        self, values: NDArray[np.int32], satisfaction: Sequence[Fraction] | None, trees: Sequence[dict[str, Any]] = ()
    ) -> None:
        """Keeps solutions."""
        super().add(values, satisfaction)
        self._rows += self.shown(values)
        self._satisfaction += map(str, satisfaction or ())
        self._trees += trees

    def add_count(self, number: int) -> None:
        """Keeps the number."""
        super().add_count(number)
        self._counted = True

    def finish(
        self, complete: bool, setup: float, seconds: float, effort: dict[str, int | None], cpu: float | None = None
    ) -> None:
        """Keeps the figures."""
        super().finish(complete, setup, seconds, effort, cpu)
        self._facts = {
            "status": self.status,
            "solutions": self.found,
            "seconds": round(seconds, 6),
            **({} if cpu is None else {"cpu_seconds": round(cpu, 6)}),
            **effort,
            "complete": complete,
            "setup_seconds": round(setup, 6),
            **self._facts,
        }
        if not self._counted:
            self._facts |= {"variables": self.names(), "values": self._rows}
        if self.threshold is not None:
            self._facts["threshold"] = str(self.threshold)
            if not self._counted:
                self._facts["satisfaction"] = self._satisfaction
            if self._trees:
                self._facts["policies"] = self._trees

    def close(self) -> None:
        """Prints the object."""
        print(json.dumps(self._facts))

"""A plain solver for table constraints that shares nothing with the package's: filtering by masks over tuples, and backtracking."""

from __future__ import annotations

import math
from collections import deque

import numpy as np

from xcsp.model import STAR


class TableSearch:
    """Enumerates the solutions of an instance under assumptions; for small instances."""

    def __init__(self, instance):
        self.instance = instance
        self.sizes = [len(v.domain) for v in instance.variables]
        self.tables = []
        self.tables_of = [[] for _ in instance.variables]
        for table in instance.constraints:
            columns, keep = [], np.ones(len(table.tuples), dtype=np.bool_)
            for column, variable in zip(table.tuples.T, table.scope, strict=True):
                domain = instance.variables[variable].domain
                place = np.minimum(np.searchsorted(domain, column), len(domain) - 1)
                known = domain[place] == column
                keep &= known | (column == STAR)
                columns.append(np.where(column == STAR, -1, place))
            for variable in table.scope:
                self.tables_of[variable].append(len(self.tables))
            self.tables.append(([int(v) for v in table.scope], np.stack(columns, axis=1)[keep], table.positive))

    def solutions(self, variables=(), values=(), limit=None):
        """All solutions as tuples of values, in no particular order."""
        domains = [np.ones(size, dtype=np.bool_) for size in self.sizes]
        for variable, value in zip(variables, values, strict=True):
            domains[variable] &= self.instance.variables[variable].domain == value
        found = []
        stack = [(domains, range(len(self.tables)))]
        while stack and (limit is None or len(found) < limit):
            domains, queue = stack.pop()
            if not self._filter(domains, queue):
                continue
            open_sizes = [(int(d.sum()), v) for v, d in enumerate(domains)]
            open_sizes = [pair for pair in open_sizes if pair[0] > 1]
            if not open_sizes:
                found.append(
                    tuple(int(v.domain[np.argmax(d)]) for v, d in zip(self.instance.variables, domains, strict=True))
                )
                continue
            variable = min(open_sizes)[1]
            for value in np.flatnonzero(domains[variable]):
                child = [d.copy() for d in domains]
                child[variable][:] = False
                child[variable][value] = True
                stack.append((child, self.tables_of[variable]))
        return found

    def _filter(self, domains, queue):
        if not all(d.any() for d in domains):
            return False
        waiting, inside = deque(queue), set(queue)
        while waiting:
            number = waiting.popleft()
            inside.discard(number)
            scope, tuples, positive = self.tables[number]
            valid = np.ones(len(tuples), dtype=np.bool_)
            for k, variable in enumerate(scope):
                valid &= (tuples[:, k] < 0) | domains[variable][tuples[:, k]]
            sizes = [int(domains[variable].sum()) for variable in scope]
            for k, variable in enumerate(scope):
                column = tuples[valid, k]
                if positive:
                    kept = domains[variable].copy() if (column < 0).any() else np.zeros_like(domains[variable])
                    kept[column[column >= 0]] = True
                else:
                    others = math.prod(sizes[:k] + sizes[k + 1 :])
                    kept = np.bincount(column, minlength=len(domains[variable])) < others
                kept &= domains[variable]
                if not kept.any():
                    return False
                if kept.sum() < domains[variable].sum():
                    domains[variable] = kept
                    for neighbour in self.tables_of[variable]:
                        if neighbour not in inside:
                            inside.add(neighbour)
                            waiting.append(neighbour)
        return True

"""Strongly connected components of small graphs with arbitrary nodes (Tarjan 1972, without recursion)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def strong_components(graph: Mapping[Node, Iterable[Node]]) -> dict[Node, int]:
    """Number of the component of each node; successors that are no nodes themselves are ignored.

    >>> strong_components({"a": ["b"], "b": ["a", "c"], "c": []})
    {'c': 0, 'b': 1, 'a': 1}
    """
    index: dict[Node, int] = {}
    low: dict[Node, int] = {}
    component: dict[Node, int] = {}
    opened: list[Node] = []
    components = 0
    for root in graph:
        if root in index:
            continue
        index[root] = low[root] = len(index)
        opened.append(root)
        path = [(root, iter(graph[root]))]
        while path:
            node, successors = path[-1]
            for successor in successors:
                if successor not in graph:
                    continue
                if successor not in index:
                    index[successor] = low[successor] = len(index)
                    opened.append(successor)
                    path.append((successor, iter(graph[successor])))
                    break
                if successor not in component:
                    low[node] = min(low[node], index[successor])
            else:
                path.pop()
                if path:
                    parent = path[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == index[node]:
                    while True:
                        member = opened.pop()
                        component[member] = components
                        if member == node:
                            break
                    components += 1
    return component

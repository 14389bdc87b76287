"""The question whether all things of a kind are linked, asked pair by pair, answered without the pairs.

"Some two pieces are not connected" takes a cyclic component for each square that a piece may stand on, and each of these goes
through all squares. Where being linked is symmetric and transitive, which the shape of the rules tells, one elimination on the
graph of squares answers the question: once a thing is eliminated, its group goes on exactly if it has a neighbour left (an
original or a new one), so there are two groups if and only if a group ends while there are still things to come.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.ground_game import GroundGame
from scsp_player.network.acyclic import Body, RuleCollector
from scsp_player.network.csr import ranges
from scsp_player.network.elimination import START, LinearSystem, eliminate, elimination_order

Links = dict[Body, dict[Body, set[Body]]]
"""For each thing (told by the condition that it is there) its neighbours, and what it takes to be linked with them."""


@dataclass(frozen=True, eq=False)
class AllPairs:
    """Rules of one atom that say: two things are there, and one is not reached from the other.

    Attributes:
        head: the atom.
        system: the things and the links between them; nothing enters from outside.
        rules: int64[n], the rules, in the game's numbering.
    """

    head: int
    system: LinearSystem
    rules: NDArray[np.int64]

    def answer(self, collector: RuleCollector, others: Iterable[Body]) -> None:
        """Add rules that say the same, and the atom's other rules."""
        system = self.system
        order = elimination_order(system, len(system.atoms) ** 3)
        assert order is not None, "eliminating one of n things makes no more than n² connections"
        there = [collector.defined([condition], self.head) for condition in system.condition]
        later: list[Body] = []
        bodies: list[Body] = []
        for thing, entering in reversed(list(zip(order, eliminate(system, order, collector), strict=True))):
            if later:
                ends = there[thing] | collector.defined(later, self.head)
                goes_on = [body | there[neighbour] for neighbour, body in entering.items()]
                if goes_on:
                    ends |= {2 * collector.atom_for(goes_on, self.head) + 1}
                bodies.append(ends)
                later = [collector.defined(later, self.head), there[thing]]
            else:
                later = [there[thing]]
        collector.derive(self.head, [*bodies, *others])


def all_pairs(game: GroundGame, systems: Sequence[LinearSystem]) -> list[AllPairs]:
    """All rules of atoms that ask whether all things of a kind are linked, pair by pair."""
    families: dict[tuple[tuple[int, ...], ...], tuple[Links, dict[Body, LinearSystem]]] = {}
    for system in systems:
        links = _symmetric_links(system)
        source = None if links is None else _source(system, links)
        if links is not None and source is not None:
            key = tuple(sorted(tuple(sorted(thing)) for thing in links))
            known, members = families.setdefault(key, (links, {}))
            if known == links:
                members[source] = system
    found: list[AllPairs] = []
    for links, members in families.values():
        if len(members) == len(links) > 2:
            found += _questions(game, links, members)
    # What is replaced is no longer asked by another question about the same head.
    return list({question.head: question for question in found}.values())


def _symmetric_links(system: LinearSystem) -> Links | None:
    """The links between the members, told by their conditions, if these differ and all links go both ways."""
    things = system.condition
    if len(set(things)) < len(things) or any(len(thing) != 1 for thing in things):
        return None
    links: Links = {
        thing: {things[origin]: bodies for origin, bodies in entering.items() if origin != START}
        for thing, entering in zip(things, system.into, strict=True)
    }
    symmetric = all(links[other].get(thing) == bodies for thing, near in links.items() for other, bodies in near.items())
    return links if symmetric else None


def _source(system: LinearSystem, links: Links) -> Body | None:
    """The thing from which the members are reached: exactly its neighbours are entered from outside, if it is there."""
    start = {
        thing: entering[START] for thing, entering in zip(system.condition, system.into, strict=True) if START in entering
    }
    common = frozenset.intersection(*(body for bodies in start.values() for body in bodies)) if start else frozenset()
    for source in links:
        if source <= common and start == {thing: {source | body for body in bodies} for thing, bodies in links[source].items()}:
            return source
    return None


def _questions(game: GroundGame, links: Links, members: dict[Body, LinearSystem]) -> list[AllPairs]:
    pair_of = {
        atom: (source, thing)
        for source, system in members.items()
        for atom, thing in zip(system.atoms, system.condition, strict=True)
        if source != thing
    }
    literal = game.rule_body
    atoms = np.zeros(game.atoms, dtype=np.bool_)
    atoms[list(pair_of)] = True
    row = np.repeat(np.arange(game.rules), np.diff(game.rule_start))
    candidates = np.unique(row[atoms[literal >> 1] & ((literal & 1) == 1)])
    candidates = candidates[np.diff(game.rule_start)[candidates] == 3]
    bodies = literal[ranges(game.rule_start[candidates], game.rule_start[candidates + 1])].reshape(-1, 3)
    pairs: dict[int, set[frozenset[Body]]] = defaultdict(set)
    rules: dict[int, list[int]] = defaultdict(list)
    for rule, head, body in zip(candidates.tolist(), game.rule_head[candidates].tolist(), bodies.tolist(), strict=True):
        negative = next(x for x in body if x & 1 and x >> 1 in pair_of)
        source, thing = pair_of[negative >> 1]
        if source | thing == set(body) - {negative}:
            pairs[head].add(frozenset({source, thing}))
            rules[head].append(rule)
    things = list(links)
    number = {thing: k for k, thing in enumerate(things)}
    system = LinearSystem(
        [next(iter(thing)) >> 1 for thing in things],
        things,
        [{number[other]: bodies for other, bodies in links[thing].items()} for thing in things],
    )
    complete = len(things) * (len(things) - 1) // 2
    return [
        AllPairs(head, system, np.array(rules[head], dtype=np.int64)) for head, asked in pairs.items() if len(asked) == complete
    ]

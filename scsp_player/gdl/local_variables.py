"""``~succ(_, X)``: nothing at all stands in the relation ``succ`` to X.

In Prolog and in answer set programming, a variable that starts with an underscore and occurs once, inside a negation, asks for *no*
value whatever. GDL has no such negation, but a relation without that argument says the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from scsp_player.gdl.sexpr import Expression, Group, Word, unused_names, words

_CONNECTIVES = frozenset({"<=", "not", "or", "and"})


def without_local_variables(clauses: Sequence[Expression]) -> list[Expression]:
    """The clauses, with each atom that has such variables under a negation replaced by a relation without them.

    >>> from scsp_player.gdl.sexpr import read_expressions
    >>> [str(e) for e in without_local_variables(read_expressions("(<= (first ?x) (n ?x) (not (succ ?_ ?x)))"))]
    ['(<= (first ?x) (n ?x) (not (some_1 ?x)))', '(<= (some_1 ?x) (succ ?_ ?x))']
    """
    names = unused_names(clauses, "some")
    result: list[Expression] = []
    for clause in clauses:
        result.append(clause)
        counts = Counter(word.text for word in words(clause) if word.text.startswith("?_"))
        local = {name for name, count in counts.items() if count == 1}
        if local:
            result.extend(_definitions(clause, local, names))
    return result


def _definitions(clause: Expression, local: set[str], names: Iterator[str]) -> Iterator[Expression]:
    """Replaces the atoms in a clause and yields the rules of the relations that replace them."""
    for negation in _negations(clause):
        atom = negation.items[1]
        used = [word for word in words(atom) if word.text.startswith("?")]
        if local.isdisjoint(word.text for word in used):
            continue
        name = Word(next(names), atom.origin, atom.offset)
        kept = list({word.text: word for word in used if word.text not in local}.values())
        replacement = Group([name, *kept], atom.origin, atom.offset) if kept else name
        negation.items[1] = replacement
        yield Group([Word("<=", atom.origin, atom.offset), replacement, atom], atom.origin, atom.offset)


def _negations(clause: Expression) -> Iterator[Group]:
    """The groups ``(not atom)`` of a clause."""
    stack = [clause]
    while stack:
        item = stack.pop()
        if not isinstance(item, Group) or str(item.items[0]) not in _CONNECTIVES:
            continue
        if str(item.items[0]) == "not" and isinstance(item.items[1], Group) and str(item.items[1].items[0]) not in _CONNECTIVES:
            yield item
        stack.extend(reversed(item.items))

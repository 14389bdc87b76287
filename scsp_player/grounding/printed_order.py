"""Sorting many ground terms by their printed form without printing them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scsp_player.grounding.term_table import TermTable

IntArray = NDArray[np.int32]


def printed_order(table: TermTable, terms: IntArray) -> NDArray[np.intp]:
    """The permutation that sorts ``terms`` (identifiers in ``table``) by their printed form.

    Only the distinct arguments are printed; terms with the same functor are compared by the ranks of their arguments. An argument
    is followed by a blank, the last one by a parenthesis, which is why it is ranked with what follows it.

    >>> from scsp_player.gdl.terms import Compound, Symbol
    >>> table, ids = TermTable.of([Compound("m", (Symbol(x), Symbol("1"))) for x in ("2", "1", "10")] + [Symbol("z")])
    >>> printed_order(table, np.array(ids, dtype=np.int32)).tolist()
    [1, 2, 0, 3]
    """
    functor = table.functor[terms]
    start = table.argument_start[terms]
    arity = table.argument_start[terms + 1] - start
    group_keys, group = np.unique(functor.astype(np.int64) * (1 << 20) + arity, return_inverse=True)
    names = [table.names[int(key) >> 20] for key in group_keys]
    compound_names = [name for name, key in zip(names, group_keys, strict=True) if key & ((1 << 20) - 1)]
    if len(set(compound_names)) < len(compound_names):  # one functor with several arities: groups would interleave
        return np.array(sorted(range(len(terms)), key=lambda i: str(table.term(int(terms[i])))), dtype=np.intp)
    prefixes = [f"({name} " if key & ((1 << 20) - 1) else name for name, key in zip(names, group_keys, strict=True)]
    by_prefix = sorted(range(len(prefixes)), key=prefixes.__getitem__)
    pieces: list[NDArray[np.intp]] = []
    for g in by_prefix:
        members = np.flatnonzero(group == g)
        width = int(arity[members[0]])
        columns = table.arguments[start[members][:, None] + np.arange(width)]
        keys = [_ranks(table, columns[:, c], " " if c < width - 1 else ")") for c in range(width)]
        pieces.append(members[np.lexsort(keys[::-1])] if keys else members)
    return np.concatenate(pieces) if pieces else np.zeros(0, dtype=np.intp)


def _ranks(table: TermTable, column: IntArray, follower: str) -> NDArray[np.intp]:
    distinct, inverse = np.unique(column, return_inverse=True)
    texts = [str(table.term(int(t))) + follower for t in distinct]
    rank = np.empty(len(texts), dtype=np.intp)
    rank[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
    return rank[inverse]

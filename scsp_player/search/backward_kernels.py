"""Kernels of backward induction with intervals of scores; see ``backward``."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from scsp_player.kernels import helper, kernel

SLACK: Final = 1e-6
"""Scores that differ by less are equal: expectations are rounded."""

MOST_WORK: Final = 1 << 20
"""Comparisons of scores that the search for dominated moves of one state may take."""

MOST_CELLS: Final = 4096
"""Entries of the largest matrix game that is solved."""


@kernel(allocates=True)
def children_first(first: Any, child: Any, expanded: int, order: Any) -> None:
    """``order`` int32[expanded] becomes the expanded states, each after the states that follow from it, except around cycles."""
    seen = np.zeros(order.size, np.bool_)
    path = np.empty(order.size, np.int32)
    following = first[: order.size].copy()
    used = 0
    for start in range(order.size):
        if seen[start]:
            continue
        seen[start] = True
        path[0] = start
        depth = 1
        while depth > 0:
            node = path[depth - 1]
            edge = following[node]
            if edge == first[node + 1]:
                order[used] = node
                used += 1
                depth -= 1
                continue
            following[node] = edge + 1
            below = child[edge]
            if below < expanded and not seen[below]:
                seen[below] = True
                path[depth] = below
                depth += 1


@helper(allocates=True)
def _expectation(values: Any, child: Any, begin: Any, step: Any, outcomes: Any, role: Any) -> Any:
    """Mean of ``values`` float64[n, roles] for a role over the children at ``begin``, ``begin + step``, …"""
    if outcomes == 1:
        return values[child[begin], role]
    total = 0.0
    for outcome in range(outcomes):
        total += values[child[begin + outcome * step], role]
    return total / outcomes


@helper(allocates=True)
def _one_chooser(first: Any, width: Any, chooser: Any, chance: Any, node: Any, child: Any, low: Any, high: Any, new: Any) -> None:
    """Interval of a state in which at most one role chooses: it takes a choice that may be its best one."""
    roles = low.shape[1]
    outcomes = np.int64(width[node, chance]) if chance >= 0 else np.int64(1)
    choices = np.int64(width[node, chooser]) if chooser >= 0 else np.int64(1)
    # Only two roles have several moves, so the others do not show in the numbers of joint moves.
    step = np.int64(1) if chooser < chance else choices
    stride = outcomes if chooser < chance else np.int64(1)
    sure = -1e300
    if chooser >= 0:
        for choice in range(choices):
            value = _expectation(low, child, first + choice * stride, step, outcomes, chooser)
            if value > sure:
                sure = value
    for role in range(roles):
        new[0, role] = 1e300
        new[1, role] = -1e300
    for choice in range(choices):
        begin = first + choice * stride
        if chooser >= 0 and _expectation(high, child, begin, step, outcomes, chooser) < sure - SLACK:
            continue
        for role in range(roles):
            value = _expectation(low, child, begin, step, outcomes, role)
            if value < new[0, role]:
                new[0, role] = value
            value = _expectation(high, child, begin, step, outcomes, role)
            if value > new[1, role]:
                new[1, role] = value
    if chooser >= 0:
        new[0, chooser] = sure


@helper(allocates=True)
def _matrix_value(a: Any) -> Any:
    """Value of the matrix game float64[m, n] for the row player, who wants much, by the simplex method with Bland's rule.

    With all entries positive, 1/value is the largest sum of y ≥ 0 with A·y ≤ 1. -1e300 if rounding keeps it from ending.
    """
    m, n = a.shape
    shift = 1.0 - a.min()
    table = np.zeros((m + 1, n + m + 1))
    basis = np.zeros(m, np.int64)
    for i in range(m):
        for j in range(n):
            table[i, j] = a[i, j] + shift
        table[i, n + i] = 1.0
        table[i, n + m] = 1.0
        basis[i] = n + i
    for j in range(n):
        table[m, j] = -1.0
    for _ in range(50 * (m + n)):
        column = np.int64(-1)
        for j in range(n + m):
            if table[m, j] < -1e-10:
                column = np.int64(j)
                break
        if column < 0:
            return 1.0 / table[m, n + m] - shift
        row = np.int64(-1)
        ratio = 1e300
        for i in range(m):
            if table[i, column] > 1e-10:
                here = table[i, n + m] / table[i, column]
                if here < ratio - 1e-12 or (here < ratio + 1e-12 and basis[i] < basis[row]):
                    ratio = here
                    row = np.int64(i)
        if row < 0:
            break
        pivot = table[row, column]
        for j in range(n + m + 1):
            table[row, j] /= pivot
        for i in range(m + 1):
            factor = table[i, column]
            if i != row and factor != 0.0:
                for j in range(n + m + 1):
                    table[i, j] -= factor * table[row, j]
        basis[row] = column
    return -1e300


@helper(allocates=True)
def _several_choosers(
    first: Any, width: Any, chance: Any, node: Any, child: Any, low: Any, high: Any, new: Any
) -> None:
    """Interval of a state with simultaneous moves.

    Moves that are strictly dominated whatever the intervals' true values are leave the game one after the other. In what is left,
    a role gets at least what a mixture of its moves guarantees, and at most the best entry.
    """
    roles = low.shape[1]
    outcomes = np.int64(width[node, chance]) if chance >= 0 else np.int64(1)
    joint = np.int64(1)
    most = np.int64(1)
    for role in range(roles):
        most = max(most, np.int64(width[node, role]))
        if role != chance:
            joint *= width[node, role]
    least = np.zeros((joint, roles))
    best = np.zeros((joint, roles))
    for edge in range(joint * outcomes):
        rest: Any = np.int64(edge)
        code: Any = np.int64(0)
        weight: Any = np.int64(1)
        for back in range(roles):
            role = roles - 1 - back
            count = np.int64(width[node, role])
            if role != chance:
                code += rest % count * weight
                weight *= count
            rest //= count
        for role in range(roles):
            least[code, role] += low[child[first + edge], role] / outcomes
            best[code, role] += high[child[first + edge], role] / outcomes
    alive = np.ones((roles, most), np.bool_)
    here = np.ones(joint, np.bool_)
    changed: Any = joint * most <= MOST_WORK
    while changed:
        changed = False
        weight = joint
        for role in range(roles):
            if role == chance:
                continue
            count = np.int64(width[node, role])
            weight //= count
            for move in range(count):
                for better in range(count):
                    if move == better or not alive[role, move] or not alive[role, better]:
                        continue
                    beaten = True
                    for code in range(joint):
                        if here[code] and code // weight % count == move:
                            other = code + (better - move) * weight
                            if not best[code, role] < least[other, role] - SLACK:
                                beaten = False
                                break
                    if beaten:
                        alive[role, move] = False
                        changed = True
                        for code in range(joint):
                            if code // weight % count == move:
                                here[code] = False
    weight = joint
    for role in range(roles):
        new[0, role] = 1e300
        new[1, role] = -1e300
        for code in range(joint):
            if here[code]:
                new[0, role] = min(new[0, role], least[code, role])
                new[1, role] = max(new[1, role], best[code, role])
        if role == chance:
            continue
        count = np.int64(width[node, role])
        weight //= count
        if count > 1 and joint <= MOST_CELLS:
            guaranteed = _guarantee(least, here, role, count, weight)
            # Rounding must not make an interval empty.
            new[0, role] = min(new[1, role], max(new[0, role], guaranteed - 1e-9))


@helper(allocates=True)
def _guarantee(least: Any, here: Any, role: Any, count: Any, weight: Any) -> Any:
    """What a role can make sure of in expectation by mixing its moves, whatever the others do, of joint moves that are left."""
    rows = np.full(count, -1, np.int64)
    columns = np.full(least.shape[0], -1, np.int64)
    m = np.int64(0)
    n = np.int64(0)
    for code in range(least.shape[0]):
        if here[code]:
            own = code // weight % count
            others = code - own * weight
            if rows[own] < 0:
                rows[own] = m
                m += 1
            if columns[others] < 0:
                columns[others] = n
                n += 1
    matrix = np.zeros((m, n))
    for code in range(least.shape[0]):
        if here[code]:
            own = code // weight % count
            matrix[rows[own], columns[code - own * weight]] = least[code, role]
    pure = -1e300
    for i in range(m):
        pure = max(pure, matrix[i].min())
    return max(pure, _matrix_value(matrix)) if m > 1 and n > 1 else pure


@helper(allocates=True)
def _choosers(width: Any, chance: Any, node: Any, low: Any, high: Any) -> Any:
    """How many roles choose in a state, -1 if its interval is a point, and the last of them."""
    chooser = np.int64(-1)
    choosers = 0
    wide = False
    for role in range(low.shape[1]):
        wide = wide or high[node, role] > low[node, role]
        if role != chance and width[node, role] > 1:
            chooser = np.int64(role)
            choosers += 1
    return (choosers if wide else -1), chooser


@helper(allocates=True)
def _narrow(node: Any, chance: Any, fixed_sum: Any, new: Any, low: Any, high: Any) -> Any:
    """Take in a new interval float64[2, roles] of a state; whether that tells anything."""
    roles = low.shape[1]
    if not np.isnan(fixed_sum):
        a = 1 if chance == 0 else 0
        b = roles - 1 if chance != roles - 1 else roles - 2
        for turn in range(2):
            mine, other = (a, b) if turn == 0 else (b, a)
            if fixed_sum - new[1, other] > new[0, mine]:
                new[0, mine] = fixed_sum - new[1, other]
            if fixed_sum - new[0, other] < new[1, mine]:
                new[1, mine] = fixed_sum - new[0, other]
    changed = False
    for role in range(roles):
        if new[0, role] > low[node, role]:
            low[node, role] = new[0, role]
            changed = True
        if new[1, role] < high[node, role]:
            high[node, role] = new[1, role]
            changed = True
        # A hair's breadth is rounding.
        if high[node, role] - low[node, role] < SLACK:
            low[node, role] = high[node, role]
    return changed


@kernel(allocates=True)
def sweep_turns(
    first: Any, child: Any, width: Any, order: Any, chance: int, fixed_sum: float, low: Any, high: Any
) -> int:
    """Narrow the intervals of all states once, in the given order; returns how many became narrower.

    States in which several roles choose stay as they are.

    Args:
        first: int64[n + 1], joint moves of each state.
        child: int32[edges], states that follow.
        width: int32[n, roles], numbers of legal moves.
        order: int32[k], states whose joint moves are known.
        chance: the role that is chance, or -1.
        fixed_sum: the sum of the scores of two players in every terminal state, nan if it varies or there are not two.
        low: float64[n, roles], lower ends of the intervals.
        high: float64[n, roles], upper ends.
    """
    new = np.zeros((2, low.shape[1]))
    narrower = 0
    for k in range(order.size):
        node = np.int64(order[k])
        choosers, chooser = _choosers(width, np.int64(chance), node, low, high)
        if choosers in (0, 1) and first[node] < first[node + 1]:
            _one_chooser(first[node], width, chooser, np.int64(chance), node, child, low, high, new)
            narrower += _narrow(node, np.int64(chance), fixed_sum, new, low, high)
    return narrower


@kernel(allocates=True)
def sweep_all(first: Any, child: Any, width: Any, order: Any, chance: int, fixed_sum: float, low: Any, high: Any) -> int:
    """As ``sweep_turns``, for games in which several roles choose at the same time. It is longer, and takes long to compile."""
    new = np.zeros((2, low.shape[1]))
    narrower = 0
    for k in range(order.size):
        node = np.int64(order[k])
        choosers, chooser = _choosers(width, np.int64(chance), node, low, high)
        if choosers < 0 or first[node] == first[node + 1]:
            continue
        if choosers <= 1:
            _one_chooser(first[node], width, chooser, np.int64(chance), node, child, low, high, new)
        else:
            _several_choosers(first[node], width, np.int64(chance), node, child, low, high, new)
        narrower += _narrow(node, np.int64(chance), fixed_sum, new, low, high)
    return narrower

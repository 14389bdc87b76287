"""The value of a two-player zero-sum matrix game, by the simplex method on a dense tableau."""

from __future__ import annotations

import numpy as np

TOLERANCE = 1e-11


def value(payoffs):
    """What the row player, who maximises, can make sure of by mixing; ``payoffs`` is float[rows, columns].

    The column player's program: weights y >= 0 with shifted @ y <= 1 of largest sum; the value is one over that sum. Entering and
    leaving variables are chosen by smallest index (Bland's rule), so that the method ends on degenerate tableaux too.
    """
    payoffs = np.asarray(payoffs, dtype=np.float64)
    shift = 1.0 - payoffs.min()
    rows, columns = payoffs.shape
    tableau = np.zeros((rows + 1, columns + rows + 1))
    tableau[:rows, :columns] = payoffs + shift
    tableau[:rows, columns : columns + rows] = np.eye(rows)
    tableau[:rows, -1] = 1.0
    tableau[rows, :columns] = -1.0
    basis = list(range(columns, columns + rows))
    while True:
        improving = np.flatnonzero(tableau[rows, :-1] < -TOLERANCE)
        if not len(improving):
            return 1.0 / tableau[rows, -1] - shift
        enter = improving[0]
        candidates = np.flatnonzero(tableau[:rows, enter] > TOLERANCE)
        ratios = tableau[candidates, -1] / tableau[candidates, enter]
        ties = candidates[ratios <= ratios.min() + TOLERANCE]
        leave = min(ties, key=lambda r: basis[r])
        tableau[leave] /= tableau[leave, enter]
        for r in range(rows + 1):
            if r != leave:
                tableau[r] -= tableau[r, enter] * tableau[leave]
        basis[leave] = enter

"""What literals imply, and what classes of moves require, against the plain definitions."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scsp_player.network import consequences as module
from scsp_player.network.consequences import consequences
from scsp_player.network.errors import Deadline
from scsp_player.network.rules import inline_moves, merge_moves
from scsp_player.network.step_condition_kernels import count_required
from scsp_player.network.step_conditions import StepConditions
from scsp_player.network.unfolding import unfold
from tests.network.games import POSITIVE_CYCLE, ground_text, own
from tests.network.test_random_games import rule_sheets


def implied(merged, literal, known):
    """The set of a literal by recursion (the rules of small games are not deep)."""
    if literal <= 1:
        return frozenset()
    if literal not in known:
        atom = literal >> 1
        rules = range(merged.head_start[atom], merged.head_start[atom + 1])
        bodies = [merged.body[merged.body_start[r] : merged.body_start[r + 1]].tolist() for r in rules]
        if not bodies or len(bodies) > module.MAX_ALTERNATIVES or (merged.moves[rules.start : rules.stop] >= 0).any():
            alternatives = []
        elif literal & 1:
            denied = [body[0] ^ 1 for body in bodies if len(body) == 1]
            alternatives = [denied] if denied else []
        else:
            alternatives = bodies
        unions = [frozenset().union(*(implied(merged, x, known) for x in body)) for body in alternatives]
        common = sorted(frozenset.intersection(*unions))[: module.MAX_CONDITIONS] if unions else []
        known[literal] = frozenset([literal, *common])
    return known[literal]


def prepared(game):
    return merge_moves(game, inline_moves(game, unfold(game)))


def compare(game):
    merged = prepared(game)
    literals = np.concatenate([game.legal_literal, game.goal_literal ^ 1, np.array([0, 1], dtype=np.int32)])
    start, flat = consequences(merged, literals, Deadline())
    known = {}
    for i, literal in enumerate(literals.tolist()):
        assert flat[start[i] : start[i + 1]].tolist() == sorted(implied(merged, literal, known))


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(rule_sheets())
def test_random_rules(text):
    compare(ground_text(text))


@pytest.mark.parametrize(("most", "portion"), [(200, 4_000_000), (3, 5)])
def test_games_within_any_bounds(most, portion, monkeypatch):
    monkeypatch.setattr(module, "MAX_CONDITIONS", most)
    monkeypatch.setattr(module, "PORTION", portion)
    compare(own("capture-go-4x4"))
    compare(ground_text(POSITIVE_CYCLE))


@pytest.mark.parametrize("classes", [1, 3, 40, 1000])
def test_what_classes_of_moves_have_in_common(classes):
    game = own("breakthrough-6x6")
    conditions = StepConditions(game, prepared(game), Deadline())
    rows = np.split(conditions.required, conditions.start[1:-1])
    random = np.random.default_rng(classes)
    first, last = game.role_start[1:3].tolist()
    drawn = random.integers(-1, classes, size=last - first)
    labels = np.where(drawn < 0, -1, np.unique(drawn, return_inverse=True)[1] - (drawn.min() < 0)).astype(np.int32)
    owner, literals = conditions.common(first, labels)
    expected = []
    for label in range(labels.max() + 1):
        sets = [set(rows[first + m].tolist()) for m in np.flatnonzero(labels == label)]
        expected += [(label, literal) for literal in sorted(set.intersection(*sets))]
    assert list(zip(owner.tolist(), literals.tolist(), strict=True)) == expected


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_counts_of_what_moves_require(data):
    wide, moves = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 9))
    rows = [sorted(data.draw(st.sets(st.integers(0, wide - 1)))) for _ in range(moves)]
    classes = data.draw(st.lists(st.lists(st.integers(0, moves - 1), max_size=6), min_size=1, max_size=4))
    asked = [sorted(data.draw(st.sets(st.integers(0, wide - 1)))) for _ in classes]
    times = np.zeros(sum(map(len, asked)), dtype=np.int64)
    place = np.full(wide, -1, dtype=np.int64)
    (class_start, chosen), (start, required), (pair_start, literals) = (stack(lists) for lists in (classes, rows, asked))
    count_required(chosen, class_start, start, required.astype(np.int32), pair_start, literals, place, times)
    assert times.tolist() == [
        sum(literal in rows[move] for move in members) for members, own in zip(classes, asked, strict=True) for literal in own
    ]
    assert (place == -1).all()


def stack(lists):
    start = np.cumsum([0, *map(len, lists)])
    return start.astype(np.int64), np.array([x for row in lists for x in row], dtype=np.int64)

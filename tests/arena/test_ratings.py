"""Ratings of simulated matches, whose strengths are known."""

import csv
import json
import math

import numpy as np
import pytest
from typer.testing import CliRunner

from scsp_player.arena.rating_input import read_encounters
from scsp_player.arena.ratings import ELO, Encounter, rate
from scsp_player.cli import build

pytest.importorskip("scipy", reason="ratings need SciPy (pip install 'scsp-player[ratings]')")

STRENGTH = {"weak": -1.0, "middle": 0.2, "strong": 0.8}
ADVANTAGE = {"fair": 0.0, "unfair": 3.0}
NU = 0.5


def simulated(count, *, seed=0, seats=(0.5, 0.5, 0.5)):
    """Encounters in two games; ``seats`` is how often each player has the better role."""
    rng = np.random.default_rng(seed)
    names = list(STRENGTH)
    found = []
    for _ in range(count):
        a, b = rng.choice(3, 2, replace=False)
        game = "fair" if rng.random() < 0.5 else "unfair"
        if rng.random() > seats[a] * (1 - seats[b]) / (seats[a] * (1 - seats[b]) + seats[b] * (1 - seats[a])):
            a, b = b, a
        difference = STRENGTH[names[a]] + ADVANTAGE[game] - STRENGTH[names[b]]
        weights = np.array([math.exp(difference / 2), math.exp(-difference / 2), NU])
        score = (1.0, 0.0, 0.5)[rng.choice(3, p=weights / weights.sum())]
        found.append(Encounter(game, names[a], names[b], "white", "black", score))
    return found


def test_known_strengths_are_found():
    ratings = rate(simulated(2500), samples=8)
    assert [row.player for row in ratings.players] == ["strong", "middle", "weak"]
    for row in ratings.players:
        assert row.elo == pytest.approx(STRENGTH[row.player] * ELO, abs=35)
        assert row.low < row.elo < row.high
    assert ratings.roles["unfair", "white"] - ratings.roles["unfair", "black"] == pytest.approx(3.0 * ELO, abs=75)
    assert ratings.roles["fair", "white"] == pytest.approx(0, abs=35)
    assert ratings.draws == pytest.approx(NU / (2 + NU), abs=0.03)


def test_the_better_role_is_no_strength():
    unequal = simulated(2500, seats=(0.9, 0.5, 0.1))  # the weak one nearly always has the better role
    won = {name: [] for name in STRENGTH}
    for e in unequal:
        won[e.first].append(e.score)
        won[e.second].append(1 - e.score)
    assert max(won, key=lambda name: np.mean(won[name])) != "strong"
    assert [row.player for row in rate(unequal, samples=1).players] == ["strong", "middle", "weak"]


def test_intervals_hold_the_truth_and_shrink():
    held, widths = 0, {}
    for count in (100, 400):
        widths[count] = []
        for seed in range(4):
            for row in rate(simulated(count, seed=seed), samples=40, seed=seed).players:
                held += row.low <= STRENGTH[row.player] * ELO <= row.high
                widths[count].append(row.high - row.low)
    assert held >= 19  # of 24
    assert np.mean(widths[400]) < 0.7 * np.mean(widths[100])


def test_whoever_won_everything_has_a_rating():
    ratings = rate([Encounter("g", "a", "b", "1", "2", 1.0)] * 5, samples=3)
    assert 0 < ratings.players[0].elo < 1000


def test_the_gradient_is_right():
    from scsp_player.arena.ratings import _Design

    design = _Design(simulated(50))
    x = np.random.default_rng(1).normal(size=design.size)
    weights = np.ones(50)
    _, gradient = design._loss(x, weights)
    for i in range(design.size):
        step = np.zeros(design.size)
        step[i] = 1e-6
        slope = (design._loss(x + step, weights)[0] - design._loss(x - step, weights)[0]) / 2e-6
        assert gradient[i] == pytest.approx(slope, abs=1e-4)


def test_journals_and_logs(tmp_path):
    journal = tmp_path / "journal.csv"
    with journal.open("w", newline="") as lines:
        writer = csv.writer(lines)
        writer.writerow(["game", "first", "second", "number", "seats", "first_score", "second_score", "error"])
        writer.writerow(["g", "a", "b", 0, "12", 100, 0, ""])
        writer.writerow(["g", "a", "b", 1, "21", 50, 50, ""])
        writer.writerow(["g", "a", "b", 2, "12", 0, 0, "RuntimeError"])
        writer.writerow(["solo", "a", "b", 0, "1", 10, 20, ""])
    assert read_encounters(journal) == [
        Encounter("g", "a", "b", "1", "2", 1.0),
        Encounter("g", "a", "b", "2", "1", 0.5),
        Encounter("solo", "a", "b", "1", "1", 0.0),
    ]
    log = tmp_path / "log.json"
    players, scores = {"x": "a", "y": "b", "z": "a"}, {"x": 100, "y": 0, "z": 0}
    log.write_text(json.dumps({"matches": [{"game": "three", "players": players, "scores": scores}]}))
    assert read_encounters(log) == [Encounter("three", "a", "b", "x", "y", 1.0), Encounter("three", "b", "a", "y", "z", 0.5)]
    run = CliRunner().invoke(build(), ["ratings", str(journal), str(log), "--samples", "5", "--json"])
    assert run.exit_code == 0, run.output
    assert {row["player"] for row in json.loads(run.stdout)["players"]} == {"a", "b"}
    assert "95 % interval" in CliRunner().invoke(build(), ["ratings", str(journal), "--samples", "5"]).stdout
    (tmp_path / "other").write_text("a,b\n1,2\n")
    assert CliRunner().invoke(build(), ["ratings", str(tmp_path / "other")]).exit_code == 2

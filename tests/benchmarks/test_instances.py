"""The benchmark set: the same documents for the same seed, solvable as announced."""

from pathlib import Path

from benchmarks.instances import first_solution, make
from scsp_player.solver import Solver
from xcsp import read_instance

SHEET = Path(__file__).resolve().parents[2] / "games" / "hanoi-3.kif"


def test_a_sheet_makes_the_same_instances_again(tmp_path):
    written = []
    for folder in (tmp_path / "one", tmp_path / "two"):
        folder.mkdir()
        make(SHEET, folder, 7, 0.0)
        written.append({p.name: p.read_bytes() for p in folder.iterdir()})
    assert written[0] == written[1]
    assert {"hanoi-3.template.xml", "hanoi-3.plays-2.xml", "hanoi-3.goal-6.xml", "hanoi-3.goal-8.xml"} <= set(written[0])
    assert sum("state" in name for name in written[0])


def test_features_and_counts(tmp_path):
    rows = {row.kind: row for row in make(SHEET, tmp_path, 7, 5.0)}
    assert rows["goal-6"].solutions == 0
    assert rows["plays-2"].solutions == 6
    instance = read_instance(tmp_path / rows["plays-2"].instance)
    assert len(instance.variables) == rows["plays-2"].variables
    assert Solver(instance).count().number == 6
    assert first_solution(read_instance(tmp_path / rows["goal-6"].instance)) == (False, True)
    assert first_solution(read_instance(tmp_path / rows["goal-8"].instance)) == (True, True)

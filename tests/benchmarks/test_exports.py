"""The journal of the comparison with the official tools: a run that was cut off goes on where it ended."""

from __future__ import annotations

from pathlib import Path

from benchmarks.exports import Verdict, known_verdicts, note, report


def test_a_journal_gives_back_what_was_noted(tmp_path: Path) -> None:
    journal = tmp_path / "exports.jsonl"
    good = Verdict("a.kif", [["a", "template", 3, 2, 9, None, None, None, ""], ["a", "init", 3, 3, 9, 2, 2, 2, "OK"]], 0, 2)
    large = Verdict("b.kif", left_out="too large")
    assert known_verdicts(journal) == known_verdicts(None) == []
    note(good, journal)
    note(large, journal)
    assert known_verdicts(journal) == [good, large]


def test_a_line_that_was_cut_off_is_written_anew(tmp_path: Path) -> None:
    journal = tmp_path / "exports.jsonl"
    note(Verdict("a.kif"), journal)
    whole = journal.read_text()
    journal.write_text(whole + whole[:20])
    assert known_verdicts(journal) == [Verdict("a.kif")]
    note(Verdict("b.kif"), journal)
    assert [verdict.sheet for verdict in known_verdicts(journal)] == ["a.kif", "b.kif"]


def test_faults_and_refused_documents_are_told(capsys) -> None:
    assert report([Verdict("a.kif", documents=3), Verdict("b.kif", left_out="too large")])
    assert "3 documents of 1 sheets, 0 refused" in capsys.readouterr().out
    assert not report([Verdict("a.kif", faults=1)])
    assert not report([Verdict("a.kif", refused={"a.init.xml": "why"})])

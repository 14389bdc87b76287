"""What the writer puts down, and what it refuses."""

from __future__ import annotations

import io
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from tests.xcsp.instances import ints, table
from xcsp import STAR, Instance, Table, Variable, XcspError, read_instance, write_instance

X, Y = Variable("x", ints(0, 1, 2)), Variable("y", ints(0, 1, 2))
COIN = Variable("coin", ints(0, 1), probabilities=(Fraction(1, 3), Fraction(2, 3)))
RED = Variable("red", ints(0, 1), symbols=("no", "yes"))


def written(*variables: Variable, tables: tuple[Table, ...] = (), stochastic: bool | None = None, **more: object) -> str:
    stream = io.StringIO()
    write_instance(Instance("", variables, tables, **more), stream, stochastic=stochastic)  # type: ignore[arg-type]
    return " ".join(stream.getvalue().split())


def test_a_whole_document() -> None:
    stream = io.StringIO()
    instance = Instance("", (X, COIN), (table([0, 1], [(1, 1), (0, 0)]),), Fraction(2, 3), decisions=(0,), note="a <game>")
    write_instance(instance, stream)
    assert stream.getvalue() == """<?xml version="1.0" encoding="UTF-8"?>
<instance format="XCSP3" type="SCSP" note="threshold=2/3; a &lt;game&gt;">
  <variables>
    <var id="x"> 0..2 </var>
    <var id="coin" type="stochastic" class="chance"> 0:1/3 1:2/3 </var>
  </variables>
  <constraints>
    <extension>
      <list> x coin </list>
      <supports> (0,0)(1,1) </supports>
    </extension>
  </constraints>
  <annotations>
    <decision> x </decision>
  </annotations>
</instance>
"""


def test_the_twin() -> None:
    text = written(X, replace(COIN, note="toss", classes=("fair",)), stochastic=False)
    assert '<var id="coin" class="chance fair" note="0:1/3 1:2/3; toss"> 0 1 </var>' in text
    assert 'type="CSP"' in text
    assert "stochastic" not in text


def test_free_variables_are_named_in_a_table_each_kind_in_one_group() -> None:
    text = written(X, Y, COIN, stochastic=False)
    assert '<group class="freeVariable"> <extension> <list> %0 </list> <supports> 0..2 </supports> </extension>' in text
    assert "<args> x </args> <args> y </args>" in text


def test_tables_over_chance_alone_take_the_constant_along() -> None:
    dice = tuple(replace(COIN, name=name) for name in ("one", "one_1", "c"))
    text = written(*dice, tables=(table([0, 2], [(0, 1), (1, STAR)]),))
    assert '<var id="one_0" class="constantOne"> 1 </var>' in text
    assert "<list> one_0 one c </list> <supports> (1,0,1)(1,1,*) </supports>" in text
    assert "<list> one_0 one_1 </list> <supports> (1,0)(1,1) </supports>" in text
    assert "constantOne" not in written(*dice, stochastic=False)


def test_no_group_over_chance_variables_in_the_faithful_document() -> None:
    pair = (table([0, 2], [(0, 1)]), table([1, 2], [(0, 1)]))
    assert "<group>" not in written(X, Y, COIN, tables=pair)
    assert "<group>" in written(X, Y, COIN, tables=pair, stochastic=False)


def test_tables_in_normal_form() -> None:
    pairs = table([0, 1], [(2, 1), (0, 0), (2, 1), (5, 0), (STAR, 0)])
    text = written(X, Y, tables=(pairs, table([0], [(2,), (0,), (1,)], positive=False)))
    assert "<supports> (*,0)(0,0)(2,1) </supports>" in text
    assert "<list> x </list> <conflicts> 0..2 </conflicts>" in text


def test_tables_that_say_nothing_or_forbid_everything() -> None:
    assert "<conflicts>" not in written(X, Y, tables=(table([0, 1], [], positive=False),))
    text = written(X, Y, tables=(table([0, 1], [(7, 7)]),))
    assert "<list> x </list> <conflicts> 0..2 </conflicts>" in text
    assert "<supports> 0..2 </supports>" in text  # for y, which no other table names
    text = written(replace(X, domain=ints(4)), replace(Y, domain=ints(5)), tables=(table([1, 0], [(5, 4)], positive=False),))
    assert "<list> y </list> <conflicts> 5 </conflicts>" in text


def test_equal_tables_make_a_group_at_the_place_of_the_first() -> None:
    rows = [(0, 1), (1, 2)]
    tables = (table([0, 1], rows), table([2], [(1,)]), table([1, 0], rows), table([1, 0], rows, positive=False))
    text = written(X, Y, RED, tables=tables)
    assert text.index("<args> x y </args> <args> y x </args>") < text.index("<list> red </list> <supports> yes </supports>")
    assert text.count("(0,1)(1,2)") == 2


def test_arrays() -> None:
    cells = [Variable(f"m[{i}][{j}]", ints(0, 1), classes=("fluent",)) for i in range(2) for j in range(2)]
    assert '<array id="m" size="[2][2]" class="fluent"> 0 1 </array>' in written(*cells)
    cells[2] = replace(cells[2], domain=ints(3, 4, 5, 9))
    domains = '<domain for="m[1][0]"> 3..5 9 </domain> <domain for="others"> 0 1 </domain>'
    assert f'<array id="m" size="[2][2]" class="fluent"> {domains} </array>' in written(*cells)
    cells[2] = replace(cells[2], note="other")
    assert '<var id="m[1][0]" class="fluent" note="other"> 3..5 9 </var>' in written(*cells)


def test_attribute_values_keep_every_character() -> None:
    note = 'say "<&>"\n\tpast\r end'
    stream = io.StringIO()
    write_instance(Instance("", (replace(X, note=note),), ()), stream)
    assert read_instance(io.StringIO(stream.getvalue())).variables[0].note == note


@pytest.mark.parametrize(
    ("variables", "tables", "more", "message"),
    [
        ([], [], {}, "no variables"),
        ([X, X], [], {}, "2 variables are called x"),
        ([replace(X, name="not")], [], {}, "keyword"),
        ([replace(X, name="a-b")], [], {}, "identifier"),
        ([replace(X, domain=ints())], [], {}, "empty"),
        ([replace(X, domain=ints(1, 0))], [], {}, "ascending"),
        ([replace(X, domain=ints(0, 0))], [], {}, "ascending"),
        ([replace(X, domain=ints(2**31 - 1))], [], {}, "leaves"),
        ([replace(X, domain=ints(int(STAR)))], [], {}, "leaves"),
        ([replace(X, domain=ints(-20, 2**31 - 11))], [], {}, "reaches over"),
        ([replace(X, domain=np.array([0, 1]))], [], {}, "32-bit"),
        ([replace(X, note="\0")], [], {}, "U\\+0000"),
        ([replace(X, note="\ud800")], [], {}, "U\\+D800"),
        ([replace(X, classes=("a b",))], [], {}, "class"),
        ([replace(X, classes=("",))], [], {}, "class"),
        ([replace(X, classes=("constantOne",))], [], {}, "reserved"),
        ([replace(X, classes=("chance",), note="0:1")], [], {}, "no chance variable"),
        ([replace(COIN, probabilities=(Fraction(1, 3),))], [], {}, "1 probabilities"),
        ([replace(COIN, probabilities=(Fraction(1, 3), Fraction(1, 3)))], [], {}, "sum to 2/3"),
        ([replace(COIN, probabilities=(Fraction(-1), Fraction(2)))], [], {}, "not a probability"),
        ([replace(COIN, symbols=("a", "b"))], [], {}, "symbolic and stochastic"),
        ([replace(RED, symbols=("a",))], [], {}, "symbols"),
        ([replace(RED, symbols=("a", "a"))], [], {}, "symbols"),
        ([replace(RED, symbols=("a", "1"))], [], {}, "cannot be a symbol"),
        ([X], [table([1], [(0,)])], {}, "does not exist"),
        ([X], [table([-1], [(0,)])], {}, "does not exist"),
        ([X], [table([0, 0], [(0, 0)])], {}, "twice"),
        ([X], [Table(ints(), np.empty((0, 0), np.int32))], {}, "0 variables"),
        ([X], [Table(ints(0), np.empty((0, 2), np.int32))], {}, r"shape \(0, 2\)"),
        ([X], [Table(ints(0), np.zeros((1, 1)))], {}, "float64"),
        ([X], [table([0], [(0,)], note="\x01")], {}, "U\\+0001"),
        ([X, Y], [table([0, 1], [(0, STAR)], positive=False)], {}, "conflicts with \\*"),
        ([X, RED], [table([0, 1], [(0, 0)])], {}, "mixes symbols"),
        ([X], [], {"decisions": (1,)}, "decision"),
        ([X, RED], [], {"decisions": (0, 1)}, "the decision red is no integer"),
        ([COIN], [], {"decisions": (0,)}, "the decision coin is no integer"),
        ([X], [], {"threshold": Fraction(3, 2)}, "threshold"),
        ([X], [], {"note": "\x00"}, "U\\+0000"),
    ],
)
def test_refusals(variables: list[Variable], tables: list[Table], more: dict[str, object], message: str, tmp_path: Path) -> None:
    path = tmp_path / "old.xml"
    path.write_text("as it was")
    with pytest.raises(XcspError, match=message) as caught:
        write_instance(Instance("", tuple(variables), tuple(tables), **more), path)  # type: ignore[arg-type]
    assert caught.value.remedy
    assert path.read_text() == "as it was"
    assert list(tmp_path.iterdir()) == [path]


def test_symbolic_chance_variables_travel_in_the_twin() -> None:
    text = written(replace(COIN, symbols=("heads", "tails")), stochastic=False)
    assert '<var id="coin" type="symbolic" class="chance" note="heads:1/3 tails:2/3"> heads tails </var>' in text


def test_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        write_instance(Instance("", (X,), ()), tmp_path / "no" / "x.xml")

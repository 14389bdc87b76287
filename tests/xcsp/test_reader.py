"""Every form of document that the reader takes; the numbers of solutions are those that public solvers gave."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from tests.xcsp.documents import document, read
from tests.xcsp.instances import count_solutions, described
from xcsp import STAR, Instance

XY = '<var id="x"> 0..2 </var> <var id="y"> 0..2 </var>'
ROWS = "(0,0)(0,1)(1,1)(1,2)(2,0)(2,1)(2,2)"
TABLE = f"<extension> <list> x y </list> <supports> {ROWS} </supports> </extension>"
NOSYM_VARIABLES = """<var id="k"> 0..9 </var>
  <array id="q" size="[2][3]"> <domain for="q[0][]"> 0 1 </domain> <domain for="others"> 5..7 9 </domain> </array>"""
NOSYM_CONSTRAINTS = """<extension> <list> k </list> <supports> 1..3 7 </supports> </extension>
  <group>
    <extension> <list> %0 %1 </list> <conflicts> (0,5)(1,5) </conflicts> </extension>
    <args> q[0][0] q[1][0] </args> <args> q[0][1] q[1][1] </args> <args> q[0][2] q[1][2] </args>
  </group>"""
SYMBOLS = '<var id="x" type="symbolic"> b x o </var> <var id="y" as="x"/>'


def scopes(instance: Instance) -> list[list[str]]:
    return [[instance.variables[i].name for i in t.scope.tolist()] for t in instance.constraints]


@pytest.mark.parametrize(
    ("variables", "constraints", "solutions"),
    [
        (XY, TABLE, 7),
        (XY + '<var id="z"> 0 1 </var>', TABLE, 14),
        (XY + '<array id="z" size="[2]" startIndex="0"> 0 1 </array>', TABLE.replace("x y", "z[0] z[1]"), 27),
        (NOSYM_VARIABLES, NOSYM_CONSTRAINTS, 864),
        (NOSYM_VARIABLES + SYMBOLS, NOSYM_CONSTRAINTS + TABLE.replace(ROWS, "(b,x)(b,o)(x,*)"), 4320),
        (XY + '<var id="z" as="x"/>', TABLE.replace("x y", "x y z").replace(ROWS, "(0,*,1)(1,0,*)(0,0,1)"), 6),
        (XY, "<instantiation> <list> x y </list> <values> 1 2 </values> </instantiation>", 1),
        (XY, "<instantiation> <list> x y </list> <values> 1x2 </values> </instantiation>", 1),
        (XY, "<instantiation> <list> x y </list> <values> * 9 </values> </instantiation>", 0),
        (SYMBOLS, "<instantiation> <list> x y </list> <values> o * </values> </instantiation>", 3),
        (SYMBOLS, "<extension> <list> x </list> <conflicts> b </conflicts> </extension>", 6),
        (XY, "<extension> <list> x y </list> <supports/> </extension>", 0),
        (XY, "<extension> <list> x y </list> <conflicts> </conflicts> </extension>", 9),
        (XY, "<extension> <list> x </list> <supports> -5..0 2 99 </supports> </extension>", 6),
        (XY, "<extension> <list> x y </list> <conflicts> (0,0)\n(0,0)(2,1) (7,0) </conflicts> </extension>", 7),
        ('<var id="x" type="symbolic"> b x </var> <var id="y"> 1 2 </var>', TABLE.replace(ROWS, "(b,2)(x,*)(b,7)"), 3),
    ],
)
def test_solutions(variables: str, constraints: str, solutions: int) -> None:
    assert count_solutions(read(document(variables, constraints))) == solutions


@pytest.mark.parametrize("kind", ["supports", "conflicts"])
@pytest.mark.parametrize(
    ("scope", "tuples"),
    [
        ("x y x", "(0,1,0)(0,1,1)(1,2,1)(2,2,2)(2,0,0)"),
        ("x x x", "(0,0,0)(0,1,0)(2,2,2)"),
        ("%1 %0 %1", "(0,1,0)(0,1,1)(1,2,1)(2,2,2)(2,0,0)"),
        ("%0 %...", "(1,1,1)(1,2,1)(0,1,1)"),
        ("s x s", "(a,0,a)(b,1,a)(b,2,b)"),
    ],
)
def test_scopes_that_name_a_variable_twice(scope: str, tuples: str, kind: str) -> None:
    """Each column says something of its variable, as if equal copies of it stood in the list."""
    variables = XY + '<var id="z"> 0..2 </var> <var id="s" type="symbolic"> b a </var> <var id="t" as="s"/>'
    arguments = {"%1 %0 %1": ["x y", "y y"], "%0 %...": ["x y x", "y y y"]}.get(scope, [])
    once = f"<extension> <list> {scope} </list> <{kind}> {tuples} </{kind}> </extension>"
    text = f"<group> {once} {''.join(f'<args> {a} </args>' for a in arguments)} </group>" if arguments else once
    lists = [list(map((a.split()).__getitem__, [1, 0, 1])) if "%1" in scope else a.split() for a in arguments] or [scope.split()]
    rows = [row.split(",") for row in tuples.strip("()").split(")(")]
    wanted = 0
    for x, y, z, s, t in product("012", "012", "012", "ab", "ab"):
        value = {"x": x, "y": y, "z": z, "s": s, "t": t}
        wanted += all(([value[name] for name in names] in rows) == (kind == "supports") for names in lists)
    assert count_solutions(read(document(variables, text))) == wanted


def test_stars_where_a_scope_names_a_variable_twice() -> None:
    text = "<extension> <list> x y x </list> <supports> (0,1,*) (*,2,1) (2,*,2) (1,*,0) </supports> </extension>"
    instance = read(document(XY, text))
    assert scopes(instance) == [["x", "y"]]
    assert instance.constraints[0].tuples.tolist() == [[0, 1], [1, 2], [2, STAR]]


def test_stars_and_normal_form() -> None:
    instance = read(document(XY, "<extension> <list> x y </list> <supports> (2,1)(0,*)\n(2,1)( 1 , 3 )</supports> </extension>"))
    assert instance.constraints[0].tuples.tolist() == [[0, STAR], [2, 1]]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a[]", ["a[0]", "a[1]", "a[2]"]),
        ("a[1..2] x", ["a[1]", "a[2]", "x"]),
        ("m[1][]", ["m[1][0]", "m[1][1]"]),
        ("m[][0]", ["m[0][0]", "m[1][0]"]),
        ("m[0..1][1] a[0]", ["m[0][1]", "m[1][1]", "a[0]"]),
        ("p[]", ["p[1]"]),
    ],
)
def test_selections(text: str, names: list[str]) -> None:
    variables = """<array id="a" size="[3]"> 0 1 </array> <array id="m" size="[2][2]"> 0 1 </array> <var id="x"> 0 1 </var>
        <array id="p" size="[3]"> <domain for="p[1]"> 0 1 </domain> </array>"""
    row = "(" + ",".join("0" * len(names)) + ")" if len(names) > 1 else "0"
    instance = read(document(variables, f"<extension> <list> {text} </list> <supports> {row} </supports> </extension>"))
    assert scopes(instance) == [names]


def test_attributes_that_every_xml_document_may_have_say_nothing() -> None:
    text = '<sum xml:id="s"> <list xml:lang="en"> x y </list> <condition xml:space="preserve"> (eq,1) </condition> </sum>'
    instance = read(document('<var id="x" xml:space="preserve"> 0 1 </var> <var id="y"> 0 1 </var>', text))
    assert count_solutions(instance) == 2


def test_undefined_cells_do_not_exist() -> None:
    instance = read(document('<array id="p" size="[3]"> <domain for="p[0] p[2]"> 0 1 </domain> </array>'))
    assert [v.name for v in instance.variables] == ["p[0]", "p[2]"]


@pytest.mark.parametrize(
    ("template", "arguments", "expected"),
    [
        ("%0 %1", "x y", ["x", "y"]),
        ("%1 %0", "x y", ["y", "x"]),
        ("%0 y", "x", ["x", "y"]),
        ("x %...", "a[]", ["x", "a[0]", "a[1]"]),
        ("%1 %...", "x y a[]", ["y", "a[0]", "a[1]"]),
        ("%...", "a[] x", ["a[0]", "a[1]", "x"]),
    ],
)
def test_groups(template: str, arguments: str, expected: list[str]) -> None:
    variables = XY + '<array id="a" size="[2]"> 0..2 </array>'
    row = "(" + ",".join("0" * len(expected)) + ")"
    extension = f"<extension> <list> {template} </list> <supports> {row} </supports> </extension>"
    assert scopes(read(document(variables, f"<group> {extension} <args> {arguments} </args> </group>"))) == [expected]


def test_tables_of_a_group_are_shared_and_cut_down_by_domain() -> None:
    variables = '<array id="a" size="[3]"> 0..2 </array> <var id="z"> 0 1 </var>'
    group = """<group> <extension> <list> %0 </list> <supports> 1 2 </supports> </extension>
        <args> a[0] </args> <args> a[1] </args> <args> z </args> </group>"""
    one, two, three = read(document(variables, group)).constraints
    assert one.tuples is two.tuples
    assert three.tuples.tolist() == [[1]]


def test_classes_notes_and_blocks() -> None:
    instance = read(
        document(
            '<array id="a" size="[2]" class="board big" note="a &lt; b"> 0 1 </array> <var id="x"> 0 1 </var>',
            """<block class="legal" note="ignored"> <block class="frame legal">
              <extension id="c1" class="own" note="why"> <list> x </list> <supports> 1 </supports> </extension>
              <group class="rows" note="each">
                <extension> <list> %0 </list> <supports> 0 </supports> </extension> <args> a[0] </args>
              </group>
            </block> </block>""",
        )
    )
    assert [(v.classes, v.note) for v in instance.variables] == [(("board", "big"), "a < b")] * 2 + [((), "")]
    one, two = instance.constraints
    assert (one.classes, one.note) == (("legal", "frame", "own"), "why")
    assert (two.classes, two.note) == (("legal", "frame", "rows"), "each")


def test_stochastic_document() -> None:
    instance = read(
        document(
            '<var id="one"> 1 </var> <var id="y" type="stochastic"> 0:1/3 1:0.5 2:1/6 </var>'
            '<array id="z" size="[2]" type="stochastic" class="chance big"> 0:1/2 1:1/2 </array>',
            "<extension> <list> one y z[0] </list> <supports> (1,0,0)(1,1,1)(1,2,1) </supports> </extension>",
            'type="SCSP" note="threshold=2/3; a game"',
        )
    )
    assert instance.threshold == Fraction(2, 3)
    assert instance.note == "a game"
    assert [v.stochastic for v in instance.variables] == [False, True, True, True]
    assert instance.variables[1].probabilities == (Fraction(1, 3), Fraction(1, 2), Fraction(1, 6))
    assert instance.variables[2].classes == ("big",)
    assert instance.variables[2].probabilities == (Fraction(1, 2),) * 2


def test_the_twin_is_read_as_the_stochastic_problem() -> None:
    table = "<extension> <list> x y </list> <supports> (0,0)(1,1) </supports> </extension>"
    x = '<var id="x"> 0 1 </var>'
    twin = document(
        f'{x} <var id="y" class="chance" note="0:1/3 1:2/3; die"> 0 1 </var>', table, 'type="CSP" note="threshold=1/2"'
    )
    faithful = document(
        f'{x} <var id="y" type="stochastic" note="die"> 0:1/3 1:2/3 </var>', table, 'type="SCSP" note="threshold=1/2"'
    )
    assert described(read(twin)) == described(read(faithful))


def test_a_class_called_chance_without_distribution_is_only_a_class() -> None:
    variable = read(document('<var id="y" class="chance" note="of the die"> 0 1 </var>')).variables[0]
    assert (variable.stochastic, variable.classes, variable.note) == (False, ("chance",), "of the die")


def test_aliases() -> None:
    variables = """<array id="a" size="[2]"> 0 5 </array> <var id="x" as="a"/>
        <array id="b" size="[2]"> <domain for="others" as="x"/> </array>"""
    instance = read(document(variables))
    assert {tuple(v.domain.tolist()) for v in instance.variables} == {(0, 5)}


def test_decisions_and_other_annotations() -> None:
    rest = """<annotations> <output> y </output> <decision> y a[] </decision>
      <valHeuristic> <static order="1 0"> x </static> </valHeuristic> </annotations>"""
    instance = read(document(XY + '<array id="a" size="[2]"> 0 1 </array>', TABLE, rest=rest))
    assert [instance.variables[i].name for i in instance.decisions] == ["y", "a[0]", "a[1]"]


def test_comments_and_instructions_do_not_matter() -> None:
    text = document(XY, TABLE.replace("(1,1)", "<!-- (5,5 \n --> (1,<?go (?>1)"))
    assert count_solutions(read(text)) == 7


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1", "utf-8-sig"])
def test_encodings(encoding: str) -> None:
    declared = encoding.removesuffix("-sig")
    text = f'<?xml version="1.0" encoding="{declared}"?>\n' + document('<var id="x" note="é"> 0 1 </var>')
    assert read(text.encode(encoding)).variables[0].note == "é"


def test_text_files_ignore_the_declared_encoding() -> None:
    text = '<?xml version="1.0" encoding="iso-8859-1"?>\n' + document('<var id="x" note="λ"> 0 1 </var>')
    assert read(text).variables[0].note == "λ"

"""Constraints that become tables: their solutions are those of their definition, found by trying every assignment."""

from __future__ import annotations

import io
import itertools
import operator
import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.xcsp.documents import document, read
from tests.xcsp.instances import count_solutions, described
from xcsp import Limits, XcspError, predicates, write_instance
from xcsp.expressions import parse_expression

VARIABLES = '<array id="x" size="[4]"> 0..3 </array>\n<var id="y"> -2..2 </var>'
ASSIGNMENTS = [(*values, y) for values in itertools.product(range(4), repeat=4) for y in range(-2, 3)]


def listed(tag: str, rest: str = "", items: str = "x[]", attributes: str = "") -> str:
    return f"<{tag}> <list{attributes}> {items} </list> {rest} </{tag}>"


def when(operator: str, operand: str) -> str:
    return f"<condition> ({operator},{operand}) </condition>"


CASES: list[tuple[str, Callable[..., bool]]] = [
    ("<intension> eq(x[0],add(y,2)) </intension>", lambda a, b, c, d, y: a == y + 2),
    ("<intension> <function> or(lt(x[0],x[1]),gt(y,1)) </function> </intension>", lambda a, b, c, d, y: a < b or y > 1),
    ("<intension> in(y,set(-1,x[0])) </intension>", lambda a, b, c, d, y: y in (-1, a)),
    ("<intension> notin(y,set()) </intension>", lambda a, b, c, d, y: True),
    ("<intension> eq(div(y,2),-1) </intension>", lambda a, b, c, d, y: y == -2),
    ("<intension> eq(mod(y,2),-1) </intension>", lambda a, b, c, d, y: y == -1),
    ("<intension> ge(div(6,x[0]),3) </intension>", lambda a, b, c, d, y: a in (1, 2)),
    ("<intension> if(gt(y,0),eq(x[0],1),ne(x[0],1)) </intension>", lambda a, b, c, d, y: (a == 1) == (y > 0)),
    ("<intension> ne(x[0],x[0]) </intension>", lambda a, b, c, d, y: False),
    ("<allDifferent> x[0..2] y </allDifferent>", lambda a, b, c, d, y: len({a, b, c, y}) == 4),
    ("<allDifferent> x[0] 2 x[1] </allDifferent>", lambda a, b, c, d, y: len({a, b, 2}) == 3),
    (
        "<allDifferent> <matrix> (x[0],x[1])(x[2],x[3]) </matrix> </allDifferent>",
        lambda a, b, c, d, y: a != b and c != d and a != c and b != d,
    ),
    ("<allEqual> x[] </allEqual>", lambda a, b, c, d, y: a == b == c == d),
    (listed("ordered", "<operator> lt </operator>", "x[0] x[1] x[2]"), lambda a, b, c, d, y: a < b < c),
    (listed("sum", when("eq", "5")), lambda a, b, c, d, y: a + b + c + d == 5),
    (listed("sum", "<coeffs> 1 -2 1x2 </coeffs>" + when("le", "y")), lambda a, b, c, d, y: a - 2 * b + c + d <= y),
    (listed("sum", when("ne", "3"), "x[0] y"), lambda a, b, c, d, y: a + y != 3),
    (listed("sum", when("in", "2..4"), "x[0] x[0] y"), lambda a, b, c, d, y: 2 <= 2 * a + y <= 4),
    (listed("sum", when("in", "{4,2,2,8}")), lambda a, b, c, d, y: a + b + c + d in (2, 4, 8)),
    (
        listed("sum", "<coeffs> 2 1 </coeffs>" + when("notin", "{5, 1,3,5}"), "x[0] y"),
        lambda a, b, c, d, y: 2 * a + y not in (1, 3, 5),
    ),
    (listed("count", "<values> 1 3 </values>" + when("in", "{3,0,0}")), lambda *v: sum(x in (1, 3) for x in v[:4]) in (0, 3)),
    (listed("count", "<values> 1 </values>" + when("notin", "{0,1,1,3}")), lambda *v: v[:4].count(1) not in (0, 1, 3)),
    (listed("sum", when("in", "{-2000000000,2000000000}")), lambda *v: False),
    (listed("sum", when("in", "-1000000000..7")), lambda a, b, c, d, y: a + b + c + d <= 7),
    (listed("count", "<values> 2 </values>" + when("notin", "2..2000000000")), lambda *v: v[:4].count(2) < 2),
    (listed("cardinality", "<values> 2 </values> <occurs> 1..2000000000 </occurs>"), lambda *v: 2 in v[:4]),
    (listed("nValues", when("in", "{4,1,4}")), lambda *v: len({*v[:4]}) in (1, 4)),
    (listed("sum", when("gt", "9")), lambda a, b, c, d, y: a + b + c + d > 9),
    (
        listed("count", "<values> 1 3 </values>" + when("eq", "y")),
        lambda a, b, c, d, y: sum(v in (1, 3) for v in (a, b, c, d)) == y,
    ),
    (listed("nValues", when("gt", "1")), lambda a, b, c, d, y: len({a, b, c, d}) > 1),
    (listed("nValues", when("eq", "4")), lambda a, b, c, d, y: len({a, b, c, d}) == 4),
    (
        listed("allDifferent", "<except> 0 2 </except>"),
        lambda a, b, c, d, y: max((a, b, c, d).count(1), (a, b, c, d).count(3)) < 2,
    ),
    (listed("count", "<values> 0 1 </values>" + when("le", "y")), lambda a, b, c, d, y: sum(v < 2 for v in (a, b, c, d)) <= y),
    (listed("count", "<values> 1 </values>" + when("ne", "x[3]")), lambda a, b, c, d, y: (a, b, c, d).count(1) != d),
    (listed("count", "<values> 1 </values>" + when("notin", "1..2")), lambda a, b, c, d, y: (a, b, c, d).count(1) not in (1, 2)),
    (
        "<lex> <matrix> (x[0],x[1])(x[2],x[3]) </matrix> <operator> le </operator> </lex>",
        lambda a, b, c, d, y: (a, b) <= (c, d) and (a, c) <= (b, d),
    ),
    (
        "<lex> <list> x[0] x[1] </list> <list> x[2] y </list> <operator> lt </operator> </lex>",
        lambda a, b, c, d, y: (a, b) < (c, y),
    ),
    (listed("nValues", when("lt", "3")), lambda a, b, c, d, y: len({a, b, c, d}) < 3),
    (listed("maximum", when("eq", "y")), lambda a, b, c, d, y: max(a, b, c, d) == y),
    (listed("minimum", when("notin", "{0,2}"), "x[0] x[1]"), lambda a, b, c, d, y: min(a, b) not in (0, 2)),
    (
        listed("element", "<index> x[3] </index> <value> y </value>", "x[0..2]"),
        lambda a, b, c, d, y: d < 3 and (a, b, c)[d] == y,
    ),
    (
        listed("element", "<index> y </index> <value> 2 </value>", "x[0] 2 x[2]", ' startIndex="-1"'),
        lambda a, b, c, d, y: -1 <= y <= 1 and (a, 2, c)[y + 1] == 2,
    ),
    (
        "<lex> <list> x[0] x[1] </list> <list> y x[2] </list> <list> 2 x[3] </list> <operator> le </operator> </lex>",
        lambda a, b, c, d, y: (a, b) <= (y, c) <= (2, d),
    ),
    (
        "<lex> <list> x[0] x[1] </list> <list> x[2] x[3] </list> <operator> gt </operator> </lex>",
        lambda a, b, c, d, y: (a, b) > (c, d),
    ),
    (
        listed("element", "<index> y </index> <value> x[1] </value>", "x[0] y x[1] x[0]"),
        lambda a, b, c, d, y: y >= 0 and (a, y, b, a)[y] == b,
    ),
    (
        listed("element", "<index> x[0] </index> <value> x[0] </value>", "x[1] x[0] 2 x[0]"),
        lambda a, b, c, d, y: (b, a, 2, a)[a] == a,
    ),
    ("<channel> x[] </channel>", lambda a, b, c, d, y: all((a, b, c, d)[v] == i for i, v in enumerate((a, b, c, d)))),
    (
        "<channel> <list> x[] </list> <list> x[3] x[1] x[2] x[0] </list> </channel>",
        lambda a, b, c, d, y: all(((a, b, c, d)[i] == j) == ((d, b, c, a)[j] == i) for i in range(4) for j in range(4)),
    ),
    (
        listed("cardinality", "<values> 0 1 3 </values> <occurs> 1 y 0..1 </occurs>"),
        lambda a, b, c, d, y: (a, b, c, d).count(0) == 1 and (a, b, c, d).count(1) == y and (a, b, c, d).count(3) <= 1,
    ),
    (
        listed("cardinality", "<values closed='true'> 0 2 3 </values> <occurs> 1..2 y 0..4 </occurs>"),
        lambda *v: {*v[:4]} <= {0, 2, 3} and 1 <= v[:4].count(0) <= 2 and v[:4].count(2) == v[4],
    ),
    (
        listed("cardinality", "<values closed='false'> 0 </values> <occurs> 2 </occurs>"),
        lambda *v: v[:4].count(0) == 2,
    ),
    (
        # 0* 1 (2 | 3)*, by an automaton in which two ways lead through the same word.
        listed(
            "regular",
            "<transitions> (a,0,a)(a,1,b)(a,1,c)(b,2,b)(b,3,b)(c,2,b) </transitions> <start> a </start> <final> b c </final>",
        ),
        lambda *v: re.fullmatch("0*1[23]*", "".join(map(str, v[:4]))) is not None,
    ),
    (
        listed("regular", "<transitions> (a,0,b)(b,1,a) </transitions> <start> a </start> <final> a </final>", "x[0] y x[0] 1"),
        lambda a, b, c, d, y: a == 0 and y == 1,
    ),
    (
        listed(
            "mdd",
            "<transitions> (r,0,p)(r,1,q)(r,2,q)(p,2,s)(q,2,s)(q,0,u)(s,1,t)(u,3,t)(u,7,t) </transitions>",
            "x[0] x[1] x[2]",
        ),
        lambda *v: v[:3] in {(0, 2, 1), (1, 2, 1), (2, 2, 1), (1, 0, 3), (2, 0, 3)},
    ),
    (
        "<group> <intension> eq(%0,add(%1,1)) </intension> <args> x[0] x[1] </args> <args> x[1] 2 </args> </group>",
        lambda a, b, c, d, y: a == b + 1 and b == 3,
    ),
    ("<group> <allDifferent> %... </allDifferent> <args> x[] </args> </group>", lambda a, b, c, d, y: len({a, b, c, d}) == 4),
    # Constants alone.
    ("<intension> eq(mul(2,3),6) </intension>", lambda *v: True),
    ("<intension> lt(2,1) </intension>", lambda *v: False),
    ("<intension> eq(div(1,0),0) </intension>", lambda *v: False),
    ("<allDifferent> 1 x[0] 1 </allDifferent>", lambda *v: False),
    ("<allDifferent> <list> 1 x[0] 1 </list> <except> 1 </except> </allDifferent>", lambda *v: True),
    # Variables and constants together, some of them twice.
    ("<allDifferent> x[0..2] 2 y 0 </allDifferent>", lambda a, b, c, d, y: len({a, b, c, y, 0, 2}) == 6),
    ("<allDifferent> x[] 2 1 2 </allDifferent>", lambda *v: False),
    ("<allDifferent> x[] y x[1] </allDifferent>", lambda *v: False),
    (
        listed("allDifferent", "<except> 0 2 </except>", "x[] x[1] x[1] 3 2 2"),
        lambda a, b, c, d, y: b in (0, 2) and 3 not in (a, b, c, d) and (a, b, c, d).count(1) < 2,
    ),
    ("<allEqual> 2 2 x[0] </allEqual>", lambda a, *v: a == 2),
    ("<allEqual> 2 3 x[0] </allEqual>", lambda *v: False),
    (listed("ordered", "<operator> le </operator>", "1 1 x[0] 2"), lambda a, *v: 1 <= a <= 2),
    (listed("ordered", "<operator> lt </operator>", "1 1"), lambda *v: False),
    (listed("sum", "<coeffs> 2 -1 </coeffs>" + when("eq", "3"), "2 1"), lambda *v: True),
    (listed("sum", when("notin", "{1,3}"), "2 1"), lambda *v: False),
    (listed("count", "<values> 1 </values>" + when("ge", "2"), "1 2 1"), lambda *v: True),
    (listed("nValues", when("eq", "1"), "1 2 1"), lambda *v: False),
    (listed("maximum", when("in", "1..2"), "1 2 1"), lambda *v: True),
    ("<lex> <list> 1 2 </list> <list> 1 1 </list> <operator> le </operator> </lex>", lambda *v: False),
    (listed("mdd", "<transitions> (r,0,t) </transitions>", "0"), lambda *v: True),
    (listed("mdd", "<transitions> (r,0,t) </transitions>", "1"), lambda *v: False),
    (
        "<group> <intension> le(%0,%1) </intension> <args> 1 2 </args> <args> x[0] 1 </args> </group>",
        lambda a, *v: a <= 1,
    ),
    ("<block class='b'> <allEqual> x[0] x[1] </allEqual> </block>", lambda a, b, c, d, y: a == b),
]


@pytest.mark.parametrize(("constraint", "holds"), CASES)
def test_solutions_are_those_of_the_definition(constraint: str, holds: Callable[..., bool]) -> None:
    instance = read(document(VARIABLES, constraint))
    assert count_solutions(instance) == sum(holds(*values) for values in ASSIGNMENTS)


@pytest.mark.parametrize(("constraint", "holds"), [case for case in CASES if re.search("sum|count|cardinality|lex|Diff", case[0])])
def test_relations_say_the_same_and_are_written_and_read_again(
    constraint: str, holds: Callable[..., bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(predicates, "LARGEST_TABLE", 0)
    instance = read(document(VARIABLES, constraint))
    assert count_solutions(instance) == sum(holds(*values) for values in ASSIGNMENTS)
    stream = io.StringIO()
    write_instance(instance, stream)
    assert described(read(stream.getvalue())) == described(instance)


def test_policies_are_found_through_tables_only() -> None:
    chance = VARIABLES + '<var id="s" type="stochastic"> 0:1/2 1:1/2 </var>'
    instance = read(document(chance, "<allDifferent> x[] </allDifferent>"))
    assert len(instance.constraints) == 6
    assert not instance.relations


def test_lists_of_many_variables_are_one_relation_whatever_is_named_twice() -> None:
    many = '<array id="x" size="[2000]"> 0..2000 </array>'
    instance = read(document(many, "<allDifferent> <list> x[] x[7] 5 </list> <except> 1 </except> </allDifferent>"))
    assert len(instance.relations) == 1
    assert len(instance.constraints) == 2001


def test_clauses() -> None:
    two = '<array id="p" size="[3]"> 0 1 </array>'
    group = "<group> <clause> %... </clause> <args> p[0] not(p[1]) p[2] </args> <args> not(p[0]) p[0] </args> </group>"
    instance = read(document(two, group))
    assert count_solutions(instance) == 7


def test_equal_constraints_share_their_tables() -> None:
    group = "<group> <intension> ne(%0,%1) </intension> <args> x[0] x[1] </args> <args> x[2] x[3] </args> </group>"
    first, second = read(document(VARIABLES, group)).constraints
    assert first.tuples is second.tuples
    assert not first.positive


operands = st.sampled_from(["x", "y", "z"]) | st.integers(-3, 3).map(str)
COMPARISONS = {name: getattr(operator, name) for name in ("lt", "le", "ge", "gt", "ne", "eq")}
NAMES = {"add": "+", "sub": "-", "mul": "*", "lt": "<", "le": "<=", "ne": "!=", "ge": ">="}
expressions = st.recursive(
    operands.map(lambda text: (text, text)),
    lambda inner: st.tuples(st.sampled_from(sorted(NAMES)), inner, inner).map(
        lambda t: (f"{t[0]}({t[1][0]},{t[2][0]})", f"({t[1][1]} {NAMES[t[0]]} {t[2][1]})")
    ),
    max_leaves=8,
)


@given(expressions)
@settings(max_examples=100, deadline=None)
def test_expressions_mean_the_same_in_python(pair: tuple[str, str]) -> None:
    written, expected = pair
    if not {"x", "y", "z"} & set(written):
        return
    domains = "<var id='x'> 0 2 </var> <var id='y'> -1 1 </var> <var id='z'> -2 0 5 </var>"
    instance = read(document(domains, f"<intension> {written} </intension>"))
    points = itertools.product((0, 2), (-1, 1), (-2, 0, 5))
    assert count_solutions(instance) == sum(bool(eval(expected, {}, dict(zip("xyz", p, strict=True)))) for p in points)


MEASURES: dict[str, Callable[[list[int]], int]] = {
    "sum": sum,
    "count": lambda row: sum(value in (0, 2) for value in row),
    "nValues": lambda row: len(set(row)),
    "minimum": min,
    "maximum": max,
}


@given(
    st.sampled_from(sorted(MEASURES)),
    st.lists(st.sampled_from(["x", "y", "z"]) | st.integers(-2, 3).map(str), min_size=1, max_size=5),
    st.sampled_from(["lt", "le", "ge", "gt", "ne", "eq", "in", "notin"]),
    st.sampled_from(["x", "y", "z"]) | st.integers(-3, 6).map(str),
    st.lists(st.integers(-4, 8), min_size=1, max_size=5),
    st.sampled_from([1, predicates.LARGEST_TABLE]),
)
@settings(max_examples=150, deadline=None)
def test_measures_and_conditions_of_any_kind(
    tag: str, items: list[str], relation: str, operand: str, members: list[int], largest: int
) -> None:
    """Variables and constants in any mixture and repeated, compared with either or with sets; as tables and as relations."""
    compared = relation not in ("in", "notin")
    condition = when(relation, operand if compared else f"{{{','.join(map(str, members))}}}")
    values = "<values> 0 2 </values>" if tag == "count" else ""
    domains = "<var id='x'> 0 2 </var> <var id='y'> -1..1 </var> <var id='z'> -2 0 5 </var>"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(predicates, "LARGEST_TABLE", largest)
        instance = read(document(domains, listed(tag, values + condition, " ".join(items))))
    expected = 0
    for point in itertools.product((0, 2), (-1, 0, 1), (-2, 0, 5)):
        value = dict(zip("xyz", point, strict=True))
        number = MEASURES[tag]([value[item] if item in value else int(item) for item in items])
        if compared:
            expected += COMPARISONS[relation](number, value[operand] if operand in value else int(operand))
        else:
            expected += (number in members) == (relation == "in")
    assert count_solutions(instance) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("eq(x,1", "not complete"),
        ("eq(x)", "1 argument"),
        ("eq(,1)", "no sense"),
        ("eq(x,1))", "no sense"),
        ("sin(x)", "'sin' is not supported"),
        ("add(x,set(1))", "second argument of in"),
        ("eq(x 1)", "must stand before"),
        ("x ; y", "no sense"),
        ("in(x,set(1,))", "no sense"),
    ],
)
def test_wrong_expressions(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_expression(text)


def test_nesting_needs_no_recursion() -> None:
    deep = "neg(" * 4000 + "x" + ")" * 4000
    assert len(parse_expression(deep).steps) == 4001
    with pytest.raises(ValueError, match="too long"):
        parse_expression("neg(" * 20000 + "x" + ")" * 20000)


@pytest.mark.parametrize(
    ("constraint", "message"),
    [
        ("\n<sum> <list> x[] </list> </sum>", "<sum>: it needs one <condition>"),
        ("\n<sum> <list> x[] </list> <coeffs> 1 2 </coeffs> <condition> (eq,1) </condition> </sum>", "2 coefficients for 4"),
        ("\n" + listed("sum", "<coeffs> y y y y </coeffs>" + when("eq", "1")), "variables for coefficients"),
        ("\n" + listed("allDifferent", "<list> y </list>"), "<allDifferent> with several lists"),
        ("\n" + listed("allDifferent", "<except> y </except>"), "variables among the values"),
        ("\n<intension> eq(x[],1) </intension>", "several variables"),
        ("\n<intension> eq(w,1) </intension>", "unknown variable w"),
        ("\n<intension> eq(mul(x[0],2147483647,2147483647,2147483647),1) </intension>", "too large"),
        ("\n<allDifferent> %0 </allDifferent>", "only in a group"),
        ("<group> <allDifferent> %0 %1 </allDifferent>\n<args> x[] </args> </group>", "4 arguments"),
        ("\n" + listed("sum", when("eq", "add(x[0],1)")), "<sum> with the expression add(x[0],1)"),
        ("\n" + listed("sum", when("eq", "1"), "mul(x[0],y) y"), "<sum> with the expression mul(x[0],y)"),
        ("\n<allDifferent> x[0] abs(y) </allDifferent>", "<allDifferent> with the expression abs(y)"),
        ("\n" + listed("element", "<index> add(y,1) </index> <value> 2 </value>"), "<element> with the expression add(y,1)"),
        ("\n" + listed("extension", "<supports> (1,1) </supports>", "neg(y) y"), "the expression neg(y) among variables"),
        (
            "<group> <intension> eq(%0,%1) </intension>\n<args> y add(y,1) </args> </group>",
            "arguments for <intension> with the expression add(y,1)",
        ),
        ("\n" + listed("sum", when("le", "99999999999")), "99999999999 does not fit in 32 bits"),
        ("\n" + listed("sum", when("in", "{}")), "a set without values"),
        ("\n" + listed("count", "<values> 1 </values>" + when("notin", "{ }")), "a set without values"),
        *(
            (f"\n<{tag}> {parts} </{tag}>", "an empty list")
            for tag, parts in [
                ("allDifferent", ""),
                ("allEqual", "<list/>"),
                ("ordered", "<list/> <operator> lt </operator>"),
                ("lex", "<list/> <list/> <operator> lt </operator>"),
                ("channel", "<list/>"),
                ("clause", "<list> </list>"),
                ("regular", "<list/> <transitions> (a,0,b) </transitions> <start> a </start> <final> b </final>"),
                ("mdd", "<list/> <transitions> (a,0,b) </transitions>"),
                ("cardinality", "<list/> <values> 1 </values> <occurs> y </occurs>"),
                ("element", "<list/> <index> y </index> <value> 1 </value>"),
                *(
                    (tag, f"<list/> {'<values> 1 </values>' * (tag == 'count')} {when(*condition)}")
                    for tag in ("sum", "count", "nValues", "minimum", "maximum")
                    for condition in (("eq", "y"), ("gt", "1"), ("in", "1..2"))
                ),
            ]
        ),
        ("<group> <sum> <list> %... </list> <condition> (eq,1) </condition> </sum>\n<args/> </group>", "an empty list"),
        ("<group> <allDifferent> %... </allDifferent>\n<args> x[0] 99999999999 </args> </group>", "99999999999 does not fit"),
        ("<group> <allDifferent> %... </allDifferent>\n<args> x[0] 0..2000000000 </args> </group>", "more than 4194304 values"),
        ("\n" + listed("element", "<index> </index> <value> 1 </value>"), "one variable or number in <index>"),
        ("\n" + listed("element", "<index> x[] </index> <value> 1 </value>"), "one variable or number in <index>"),
        ("\n" + listed("element", "<index> y </index> <value/>"), "one variable or number in <value>"),
        ("\n" + listed("element", "<list> y </list> <index> y </index> <value> 1 </value>"), "one <list>"),
        ("\n" + listed("element", "<index> y </index> <value> 1 </value>", attributes=' startIndex="a"'), "startIndex 'a'"),
        ("\n" + listed("channel", attributes=' startIndex=""'), "startIndex ''"),
        ('\n<element startIndex="1"> <list> x[] </list> <index> y </index> <value> 1 </value> </element>', "startIndex"),
        ("\n" + listed("cardinality", "<values closed='yes'> 1 </values> <occurs> 1 </occurs>"), "closed is 'yes'"),
        ("\n<intension> eq(y,99999999999999) </intension>", "the number 99999999999999 is too large"),
        ("\n<circuit> x[] </circuit>", "<circuit> is not supported"),
        ("\n<nValues> <list> x[] </list> <except> 0 </except> <condition> (eq,1) </condition> </nValues>", "<except>"),
    ],
)
def test_what_is_refused_is_named_with_its_line(constraint: str, message: str) -> None:
    text = document(VARIABLES, constraint)
    with pytest.raises(XcspError) as caught:
        read(text)
    assert message in caught.value.message
    assert caught.value.line in (7, 8)


def test_symbolic_variables_are_refused() -> None:
    with pytest.raises(XcspError, match="symbolic variables"):
        read(document('<var id="s" type="symbolic"> a b </var>', "<intension> eq(s,a) </intension>"))


def test_work_is_bounded() -> None:
    wide = '<array id="w" size="[6]"> 0..99 </array>'
    for constraint in (
        "<intension> eq(w[0],add(w[1],w[2],w[3])) </intension>",
        listed("maximum", when("le", "30"), "w[]"),
        listed("count", "<values> 1 </values>" + when("eq", "2"), "w[] w[0]"),
        # What takes long for each assignment, or much memory.
        f"<intension> eq({'add(w[0],' * 3000}w[1]{')' * 3000},w[2]) </intension>",
        listed("minimum", when("eq", "w[2]"), "w[0..1] " + "7 " * 20_000),
    ):
        with pytest.raises(XcspError, match="too large for a table"):
            read(document(wide, constraint))
    many = "".join(f"<intension> ne(add(w[0],{i}),w[1]) </intension>" for i in range(30))
    with pytest.raises(XcspError, match="too large for a table"):
        read(document(wide, many), Limits(combinations_together=200_000))


def test_the_number_of_assignments_is_not_computed_when_it_is_astronomic() -> None:
    wide = '<array id="w" size="[20000]"> 0 1 </array>'
    with pytest.raises(XcspError, match="more work than 4194304 assignments"):
        read(document(wide, listed("nValues", when("eq", "2"), "w[]")))


def test_automata_with_too_many_words_are_refused() -> None:
    wide = '<array id="x" size="[40]"> 0 1 </array>'
    loop = "<transitions> (a,0,a)(a,1,a) </transitions> <start> a </start> <final> a </final>"
    with pytest.raises(XcspError, match="beginnings"):
        read(document(wide, listed("regular", loop)))


@pytest.mark.parametrize(
    ("constraint", "message"),
    [
        (listed("regular", "<transitions> (a,0,a)(a </transitions> <start> a </start> <final> a </final>"), "no transition"),
        (listed("regular", "<transitions> (a,0,a) </transitions> <start> b </start> <final> a </final>"), "the state b"),
        (listed("mdd", "<transitions> (r,0,p)(s,0,p) </transitions>"), "2 roots"),
    ],
)
def test_automata_that_make_no_sense_are_refused(constraint: str, message: str) -> None:
    with pytest.raises(XcspError, match=message):
        read(document(VARIABLES, constraint))

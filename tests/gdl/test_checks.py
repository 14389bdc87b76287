"""The checks that need no grounding. Tests named after a row (R13 …) reproduce that row of the collected cases."""

from __future__ import annotations

import pytest

from scsp_player.gdl import GdlError, check_program, parse_program, require_playable
from scsp_player.gdl.checks import LEVELS
from tests.gdl.sheets import FRAME, messages, texts

STATE_GOAL = FRAME.replace("(goal r 100)", "(<= (goal r 100) (true (s 1)))")


def kinds(added: str, frame: str = FRAME) -> list[tuple[str, str]]:
    return [(level, kind) for level, kind, *_ in messages(frame + added)]


def test_the_frame_is_faultless():
    assert messages(FRAME) == []


def test_r02_predicate_level_cycle_of_goal_is_a_warning():
    assert kinds("(<= (goal r 0) (not (goal r 100)))", STATE_GOAL) == [("warning", "negative-cycle")]
    (text,) = texts(STATE_GOAL + "(<= (goal r 0) (not (goal r 100)))", "negative-cycle")
    assert "goal → not goal" in text
    assert "line 2" in text


def test_r03_unstratified_rules_are_an_error_that_names_the_cycle():
    sheet = FRAME + "(<= a (not b))\n(<= b (not a))\n(<= (legal r m) a)"
    assert messages(sheet) == [("error", "unstratified", 2, 12)]
    (text,) = texts(sheet, "unstratified")
    assert "a → not b → not a" in text
    assert "lines 2, 3" in text


@pytest.mark.parametrize(
    "rules",
    [
        "(<= a (not b)) (<= b (not a)) b",
        "(<= a (not b) (true (s 0))) (<= b (not a))",
        "(<= (a 1) (not (b 1))) (<= (b 1) (not (a 2))) (<= a (a 1)) (<= b (b 1))",
        "(<= a (not b)) (<= b c) (<= c a (true (s 1)))",
    ],
)
def test_cycles_that_instances_may_break_are_warnings(rules):
    found = kinds(rules + "(<= (legal r m) a b)")
    assert ("warning", "negative-cycle") in found
    assert not [kind for level, kind in found if level == "error"]


@pytest.mark.parametrize(
    "rules",
    [
        "(<= a (not a))",
        "(<= a b) (<= b (not c)) (<= c a)",
        "(<= a (not b)) (<= b c) (<= c a) (<= c (true (s 0)))",
    ],
)
def test_cycles_without_conditions_are_errors(rules):
    assert ("error", "unstratified") in kinds(rules + "(<= (legal r m) a)")


def test_a_positive_cycle_is_fine():
    rules = "(<= (u ?x ?y) (q ?x ?y)) (<= (u ?x ?y) (w ?x ?y)) (<= (w ?x ?y) (u ?y ?x)) (<= (legal r m) (w ?x ?y))"
    assert kinds("(q 1 2)" + rules) == []


def test_r07_own_relations_called_base_and_input():
    sheet = FRAME + "(base 1 2)\n(<= (input ?x) (base ?x ?y))\n(<= (legal r ?x) (input ?x))"
    assert messages(sheet) == [("warning", "own-keyword", 2, 1), ("warning", "own-keyword", 3, 1)]


def test_hints_need_not_be_safe():
    assert kinds("(base (s ?x)) (<= (input ?p noop) (distinct ?p r))") == [("warning", "unsafe-hint")] * 2
    assert ("error", "fact-with-variable") in kinds("(base (s ?x)) (<= (legal r m) (base (s 1)))")


def test_r13_unsafe_rule_names_the_variable():
    sheet = FRAME + "(<= (dc ?x ?y)\n  (distinct ?x ?y))\n(<= (legal r ?x) (dc ?x ?x))"
    assert messages(sheet) == [("error", "unsafe-rule", 2, 1), ("error", "unsafe-rule", 2, 1)]
    assert [text.split(" of ")[0][-2:] for text in texts(sheet, "unsafe-rule")] == ["?x", "?y"]


@pytest.mark.parametrize(
    ("rule", "unsafe"),
    [
        ("(<= (legal r ?m) (true (s ?n)))", "?m"),
        ("(<= terminal (not (true (s ?n))))", "?n"),
        ("(<= terminal (distinct ?n 1))", "?n"),
        ("(<= terminal (true (s ?m)) (not (distinct ?m ?n)))", "?n"),
        ("(<= (legal r (f (g ?m))) (true (s 0)) (not (true (s ?m))))", "?m"),
    ],
)
def test_unsafe_variables(rule, unsafe):
    (text,) = texts(FRAME + rule, "unsafe-rule")
    assert f"variable {unsafe} of" in text


def test_unsafe_rules_with_alternatives_are_reported_once():
    assert kinds("(<= (legal r ?m) (or (true (s 0)) (true (s 1))))") == [("error", "unsafe-rule")]


def test_facts_with_variables():
    assert messages(FRAME + "(legal ?p stop)") == [("error", "fact-with-variable", 2, 1)]


def test_r14_two_arities_are_a_warning():
    assert kinds("(init (f 1)) (init (f 1 2))") == [("warning", "arity")]
    assert kinds("(cell 1 2) (cell 1 2 3) (<= (legal r m) (cell ?x ?y) (cell ?x ?y ?z))") == [("warning", "arity")]
    assert kinds("(init go) (init (go 1))") == []


def test_r16_next_in_the_body_of_a_percept_is_a_warning():
    assert kinds("(<= (sees r ?f) (next ?f))") == [("warning", "keyword-in-body")]


@pytest.mark.parametrize("head", ["terminal", "(legal r m)", "(goal r 50)"])
def test_game_relations_must_not_read_the_next_state(head):
    assert ("error", "reads-next") in kinds(f"(<= {head} (later)) (<= later (next (s 1)))")


def test_r20_two_spellings_are_reported_with_both():
    sheet = FRAME + "(init (Win no))\n(<= (goal r 50) (true (win no)))"
    assert messages(sheet) == [("warning", "capitalisation", 3, 24)]
    (text,) = texts(sheet, "capitalisation")
    assert "Win" in text
    assert "win" in text


def test_r20_spellings_are_reported_in_a_case_sensitive_sheet_too():
    assert ("warning", "capitalisation", 2, 7) in messages(FRAME + "(init Go)", case_sensitive=True)


def test_r23_undefined_relation_is_a_warning():
    assert messages(FRAME + "(<= (legal r win) (not squee))") == [("warning", "unproduced", 2, 24)]


def test_r25_recursion_restriction():
    sheet = FRAME + "(nat z)\n(<= (nat (s ?x)) (nat ?x))\n(<= (legal r ?x) (nat ?x))"
    assert messages(sheet) == [("error", "unbounded-recursion", 3, 1)]
    assert "recursion restriction violated at nat" in texts(sheet, "unbounded-recursion")[0]


@pytest.mark.parametrize(
    "rules",
    [
        "(<= (p (s ?x)) (q ?x)) (<= (q ?x) (p ?x)) (q 1)",
        "(<= (p (s ?x) ?y) (p ?x ?z) (d ?y)) (p 1 2) (d 1)",
        "(<= (p (f ?x ?y)) (p ?x) (p ?y)) (p 1)",
    ],
)
def test_growing_recursion(rules):
    assert ("error", "unbounded-recursion") in kinds(rules)


@pytest.mark.parametrize(
    "rules",
    [
        "(<= (p ?y) (p ?x) (e ?x ?y)) (e 1 2) (p 1)",
        "(<= (p ?x) (p (s ?x))) (p (s (s z)))",
        "(<= (p (s ?x)) (p ?x) (d ?x)) (d 1) (p 1)",
        "(<= (p (s ?x)) (q ?x)) (q 1)",
        "(<= (p (f ?x)) (p (g ?x))) (p (g 1))",
        "(<= (p ?x ?y) (p ?y ?x)) (p 1 2)",
    ],
)
def test_recursion_that_stays_finite(rules):
    assert ("error", "unbounded-recursion") not in kinds(rules)


@pytest.mark.parametrize(
    ("rule", "kind"),
    [
        ("(goal 100)", "keyword-arity"),
        ("(legal go)", "keyword-arity"),
        ("(<= (legal r m) (does go))", "keyword-arity"),
        ("(terminal 1)", "keyword-arity"),
        ("(<= terminal (distinct 1 2 3))", "keyword-arity"),
        ("(true (s 5))", "keyword-head"),
        ("(<= (does r go) (true (s 0)))", "keyword-head"),
        ("(<= (distinct ?x ?y) (legal ?x ?y))", "keyword-head"),
        ("(<= terminal (does r go))", "depends-on-moves"),
        ("(<= (legal r m) moved) (<= moved (does r go))", "depends-on-moves"),
        ("(<= (goal r 0) (does r ?m))", "depends-on-moves"),
        ("(<= (init (s 2)) (true (s 0)))", "depends-on-state"),
    ],
)
def test_misplaced_keywords(rule, kind):
    assert ("error", kind) in kinds(rule)


def test_a_negated_keyword_of_wrong_arity_is_a_warning():
    assert kinds("(<= (legal r m) (not (true s 0)))") == [("warning", "condition-without-effect")]


def test_dependencies_name_the_way():
    (text,) = texts(FRAME + "(<= (legal r m) moved) (<= moved (does r go))", "depends-on-moves")
    assert "legal → moved → does" in text


@pytest.mark.parametrize("missing", ["role", "legal", "terminal", "goal"])
def test_missing_relations(missing):
    kept = {
        "role": "(role r)",
        "init": "(init (s 0))",
        "legal": "(legal r go)",
        "next": "(<= (next (s 1)) (does r go))",
        "terminal": "(<= terminal (true (s 1)))",
        "goal": "(goal r 100)",
    }
    del kept[missing]
    program = parse_program(" ".join(kept.values()))
    errors = [message for message in check_program(program) if message.level == "error"]
    assert [message.check for message in errors] == ["missing-relation"]
    assert f"no rule for {missing}" in errors[0].text


def test_roles_that_no_fact_supports():
    frame = FRAME.replace("(role r)", "(<= (role ?x) (player ?x))")
    assert ("error", "missing-relation") in kinds("", frame)


def test_r38_a_sheet_without_goals_is_refused():
    program = parse_program(FRAME.replace("(goal r 100)", ""), "g.kif")
    with pytest.raises(GdlError, match="no rule for goal"):
        require_playable(program)
    require_playable(parse_program(FRAME))


def test_missing_start():
    assert kinds("", "(role r) (legal r go) terminal (goal r 0)") == [("warning", "missing-start")] * 2


def test_r35_r36_random_needs_no_goal():
    assert kinds("(role random) (legal random roll)") == []
    assert kinds("(role s) (legal s go)") == [("warning", "missing-role-goal")]
    assert kinds("(role s) (legal s go) (<= (goal ?p 50) (role ?p))") == []


def test_hidden_information_sheets_are_accepted():
    deal = "(<= (legal random (deal ?c)) (card ?c)) (card a) (<= (sees r (got ?c)) (does random (deal ?c)))"
    assert kinds("(role random)" + deal) == []


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("0", []),
        ("100", []),
        ("007", []),
        ("101", [("warning", "goal-value")]),
        ("1" * 9, [("warning", "goal-value")]),
        ("1" * 9999, [("error", "goal-no-number")]),
        ("-1", [("warning", "goal-value")]),
        ("win", [("error", "goal-no-number")]),
        ("(f 1)", [("error", "goal-no-number")]),
    ],
)
def test_goal_values(value, found):
    assert kinds("", FRAME.replace("100", value)) == found


def test_relations_without_use_and_fluents_without_source():
    assert kinds("(step 1 2)") == [("warning", "unused")]
    assert kinds("(<= (legal r m) (true (t 0)))") == [("warning", "unproduced")]
    assert kinds("(<= (next (s 2)) (does r stop))") == [("warning", "unproduced")]
    assert kinds("(<= (next ?x) (true ?x)) (<= (legal r m) (true (t 0)))") == []


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ("(<= (legal r m) (neighbour 1)) (neighbor 1)", "is neighbor meant?"),
        ("(<= (legal r m) (true (marked a))) (init (market a))", "is market meant?"),
        ("(<= (legal r m) (p1 1)) (p2 1)", "check its spelling"),
        ("(<= (legal r m) (neighbour 1)) (neighbor 1 2)", "check its spelling"),
    ],
)
def test_a_name_that_nothing_produces_may_be_a_slip_of_another(rules, words):
    assert words in texts(FRAME + rules, "unproduced")[0]


def test_r15_a_keyword_inside_a_percept_is_an_ordinary_name():
    assert kinds("(<= (sees r (does r ?m)) (does r ?m))") == [("warning", "keyword-in-term")]
    assert kinds("(init (s terminal))") == [("warning", "keyword-in-term")]


def test_one_name_as_relation_and_as_function():
    assert kinds("(<= (legal r m) (row 1)) (row 1) (init (row 1))") == [("warning", "name-twice")]
    assert kinds("(<= (legal r m) (row 1)) (row 1) (init row)") == []


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("(distinct ?x ?x)", "never holds"),
        ("(distinct a b)", "always holds"),
        ("(distinct (f ?x) (g ?x))", "always holds"),
        ("(distinct (f ?x a) (f ?x b))", "always holds"),
        ("(not (true (s ?x)))", "the rule never applies"),
    ],
)
def test_conditions_without_effect(condition, words):
    found = texts(FRAME + f"(<= (legal r m) (true (s ?x)) {condition})", "condition-without-effect")
    assert [words in text for text in found] == [True]


def test_conditions_with_an_effect():
    assert kinds("(<= (legal r m) (true (s ?x)) (distinct ?x 0) (distinct (f ?x) (f 0)))") == []


def test_conditions_and_rules_that_stand_twice():
    twice = FRAME + "(<= (legal r m) (true (s 0))\n (true (s 0)))\n(<= (legal r n) (true (s 1)) (true (s 1)))"
    assert messages(twice) == [("warning", "repeated-condition", 3, 2)]
    assert "and 1 more such condition" in texts(twice, "repeated-condition")[0]
    rules = "(<= (legal r ?x) (true (s ?x)))\n(<= (legal r ?y) (true (s ?y)))\n(<= (legal r ?x) (true (s ?y)) (true (s ?x)))"
    assert messages(FRAME + rules) == [("warning", "repeated-rule", 3, 1)]


def test_hints_do_not_look_at_the_state():
    assert kinds("(<= (base (s ?x)) (true (s ?x)))") == [("warning", "hint-depends-on-state")]
    assert kinds("(d 1) (<= (base (s ?x)) (d ?x))") == []


def test_connectives_inside_atoms():
    assert ("warning", "connective-in-term") in kinds("(<= terminal (true (not (s 0))))")


def test_messages_come_in_the_order_of_the_sheet_and_print_well():
    found = check_program(parse_program(FRAME + "(b 1)\n(<= (legal r ?m) a)", "g.kif"))
    assert [message.position.line for message in found] == [2, 3, 3]
    assert str(found[1]) == (
        "g.kif:3:1: error: unsafe rule, no positive literal binds variable ?m of (legal r ?m); add one that does [unsafe-rule]"
    )


def test_every_kind_has_a_level():
    assert set(LEVELS.values()) == {"error", "warning"}

"""Every row of the collected cases of rule sheets that break players, one test a row, on the reasoner and on ground rules.

The sheets are our own. Rows about text (R30 to R34), about players (R35, R37 to R39) or with a test of their own elsewhere are here
only as far as they concern what the rules mean.
"""

from __future__ import annotations

import pytest

from scsp_player.gdl import GdlError, check_program, parse_program, parse_term
from scsp_player.grounding import BudgetExceeded, Reasoner, ground
from tests.oracles.ground_machine import GroundMachine

LEGAL = "(role r) (init (step 0)) (legal r go) "
FRAME = LEGAL + "(<= (next (step 1)) (does r go)) (<= terminal (true (step 1))) (goal r 100)\n"
OPEN = "(role r) (init (step 0)) (<= (next (step 1)) (does r go)) (<= terminal (true (step 1))) (goal r 100)\n"
TALL = "(tower " * 300 + "top" + ")" * 300
CHAIN = "".join(f"(<= (c{i}) (c{i - 1}))" for i in range(1, 4_000))

ENGINES = {"reasoner": Reasoner, "ground": lambda program: GroundMachine(ground(program))}

MOVES = {
    "R01": (
        FRAME.replace("(step 1))) (goal", "(step 2))) (goal")
        + "(round a b) (round b c) (round c a) (init (lamp a)) (<= (lit ?x) (true (lamp ?x))) (<= (lit ?x) (round ?x ?y) (lit ?y))"
        "(<= (legal r (look ?x)) (lit ?x))",
        ["(look a)", "(look b)", "(look c)", "go"],
        ["go"],
    ),
    "R02": (FRAME.replace("(goal r 100)", "(<= (goal r 100) (true (step 1))) (<= (goal r 5) (not (goal r 100)))"), ["go"], ["go"]),
    "R04": (FRAME + "(input r go) (<= (legal r rest) (true (step 0)))", ["go", "rest"], ["go"]),
    "R05": (
        FRAME + "(d 1) (d 2) (<= (apart ?x ?y) (d ?x) (d ?y) (distinct ?x ?y)) (<= (input r (hop ?x ?y)) (apart ?x ?y))"
        "(<= (legal r (hop ?x ?y)) (apart ?x ?y) (true (step 0)))",
        ["(hop 1 2)", "(hop 2 1)", "go"],
        ["go"],
    ),
    "R06": (FRAME + "(<= (next (at ?x)) (does r (to ?x))) (<= (legal r (to ?x)) (true (step ?x)))",
            ["(to 0)", "go"], ["(to 1)", "go"]),
    "R07": (FRAME + "(base 7 8) (input 7) (<= (legal r (m ?y)) (base ?x ?y) (input ?x))", ["(m 8)", "go"], ["(m 8)", "go"]),
    "R08": (FRAME + "(<= (over) (true (step 0))) (<= (legal r call) over) (<= (legal r hail) (over))",
            ["call", "go", "hail"], ["go"]),
    "R09": (FRAME + "(<= (legal r late) (end)) (<= (legal r early) (not (end))) (<= end (true (step 1)))",
            ["early", "go"], ["go", "late"]),
    "R10": (FRAME + "(<= (legal r rest))", ["go", "rest"], ["go", "rest"]),
    "R11": (FRAME + "(d 1) (d 2) (<= (legal r (m ?x)) (d ?x) (true (step ?y)) (not (distinct ?x ?y)))", ["go"], ["(m 1)", "go"]),
    "R12": (FRAME + "(d 1) (d 2) (<= (legal r (m ?x ?y)) (distinct ?x ?y) (d ?x) (d ?y))", ["(m 1 2)", "(m 2 1)", "go"], None),
    "R14": (FRAME + "(init (f 1)) (init (f 1 2)) (<= (legal r (one ?x)) (true (f ?x))) (<= (legal r (two ?x ?y)) (true (f ?x ?y)))",
            ["(one 1)", "(two 1 2)", "go"], ["go"]),
    "R15": (FRAME + "(<= (sees r (does r ?m)) (does r ?m)) (init (legal go)) (<= (legal r (next ?x)) (true (legal ?x)))",
            ["(next go)", "go"], ["go"]),
    "R16": (FRAME + "(<= (sees r ?f) (next ?f))", ["go"], ["go"]),
    "R20": (FRAME + "(init (Door open)) (<= (legal r walk) (true (door OPEN)))", ["go", "walk"], ["go"]),
    "R21": (FRAME + "(t 1 2 3) (t 4 4 5) (<= (legal r (m ?x ?x ?y)) (t ?x ?x ?y))", ["(m 4 4 5)", "go"], ["(m 4 4 5)", "go"]),
    "R22": (OPEN + "(<= (legal ?p ?p) (role ?p))", ["r"], ["r"]),
    "R23": (FRAME + "(<= (legal r free) (not undefined)) (<= (legal r never) undefined)", ["free", "go"], ["free", "go"]),
    "R24": (FRAME + "(q 1 2) (<= (u ?x ?y) (q ?x ?y)) (<= (u ?x ?y) (w ?x ?y)) (<= (w ?x ?y) (u ?y ?x))"
            "(<= (legal r (m ?x ?y)) (w ?x ?y))",
            ["(m 1 2)", "(m 2 1)", "go"], None),
    "R26": (FRAME + "(d 1) (d 2) (<= (init (lit ?x)) (d ?x)) (<= (legal r (see ?x)) (true (lit ?x)))",
            ["(see 1)", "(see 2)", "go"], ["go"]),
    "R27": (FRAME + "(init (n 0)) (<= (legal r zero) (true (n 0))) (<= (legal r double) (true (n 00)))", ["go", "zero"], ["go"]),
    "R28": (FRAME + f"(init (at {TALL})) (<= (legal r down) (true (at (tower ?x))))", ["down", "go"], ["go"]),
    "R29": (FRAME + "(a 1) (b 2) (<= (legal r (m ?x)) (or (a ?x) (b ?x) (or))) (<= (legal r n) (not (or (a 2) (b 1))))"
            "(<= (legal r o) (or))",
            ["(m 1)", "(m 2)", "go", "n"], None),
    "R34": (FRAME + "(init (++ 3am)) (<= (legal r next-player) (true (++ 3am)))", ["go", "next-player"], ["go"]),
    "R40": (FRAME + f"(<= (c0) (true (step 0))) {CHAIN} (<= (legal r far) (c3999))", ["far", "go"], ["go"]),
}  # fmt: skip
"""Row to sheet, and the moves of ``r`` at first and after ``go`` (None: the same)."""


def names(moves):
    return [str(move) for move in moves]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("row", MOVES)
def test_moves(row, engine):
    text, first, second = MOVES[row]
    program = parse_program(text)
    assert [m for m in check_program(program) if m.level == "error"] == []
    machine = ENGINES[engine](program)
    state = machine.initial_state()
    assert names(machine.legal_moves(state)[0]) == first
    if "go" in first:
        after = machine.successor(state, (parse_term("go"),))
        assert names(machine.legal_moves(after)[0]) == (first if second is None else second)


REFUSED = {
    "R03": ("(<= a (not b)) (<= b (not a)) (<= (legal r m) a)", "negation"),
    "R13": ("(<= (apart ?x ?y) (distinct ?x ?y))", "unsafe"),
    "R25": ("(n z) (<= (n (s ?x)) (n ?x)) (<= (legal r ?x) (n ?x))", "without end"),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("row", REFUSED)
def test_refused(row, engine):
    text, words = REFUSED[row]
    program = parse_program(FRAME + text)
    assert [m for m in check_program(program) if m.level == "error"]
    with pytest.raises(GdlError, match=words) as error:
        ENGINES[engine](program)
    assert error.value.position is not None


@pytest.mark.parametrize("engine", ENGINES)
def test_r16_a_percept_of_the_next_state(engine):
    machine = ENGINES[engine](parse_program(MOVES["R16"][0]))
    assert names(machine.percepts(machine.initial_state(), (parse_term("go"),))[0]) == ["(step 1)"]


@pytest.mark.parametrize("engine", ENGINES)
def test_r15_a_keyword_in_a_percept(engine):
    machine = ENGINES[engine](parse_program(MOVES["R15"][0]))
    assert names(machine.percepts(machine.initial_state(), (parse_term("go"),))[0]) == ["(does r go)"]


GOALS = {
    "R02": ("(<= (goal r 100) (true (step 1))) (<= (goal r 5) (not (goal r 100)))", (5,), (100,)),
    "R09": ("(<= (goal r 0) (not (terminal))) (<= (goal r 9) terminal)", (0,), (9,)),
    "R17": ("(goal r 100) (goal r 0)", (None,), (None,)),
    "R27": ("(goal r 007)", (7,), (7,)),
    "R38": ("", (None,), (None,)),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("row", GOALS)
def test_goals(row, engine):
    text, first, last = GOALS[row]
    machine = ENGINES[engine](parse_program(FRAME.replace("(goal r 100)", text)))
    state = machine.initial_state()
    assert machine.goals(state) == first
    after = machine.successor(state, (parse_term("go"),))
    assert machine.is_terminal(after)
    assert machine.goals(after) == last


@pytest.mark.parametrize("engine", ENGINES)
def test_r18_a_role_without_moves(engine):
    machine = ENGINES[engine](parse_program(OPEN + "(<= (legal r go) (true (step 0)))"))
    after = machine.successor(machine.initial_state(), (parse_term("go"),))
    assert machine.legal_moves(after) == ((),)


@pytest.mark.parametrize("engine", ENGINES)
def test_r19_a_match_without_end(engine):
    machine = ENGINES[engine](parse_program(FRAME.replace("(true (step 1)))", "(true never))")))
    state = machine.initial_state()
    for _ in range(5):
        assert not machine.is_terminal(state)
        state = machine.successor(state, (parse_term("go"),))


@pytest.mark.parametrize("engine", ENGINES)
def test_r35_r36_chance_is_a_role_like_others_and_needs_no_goal(engine):
    sheet = "(role random) (legal random heads) (legal random tails)" + FRAME + "(<= (sees r ?c) (does random ?c))"
    machine = ENGINES[engine](parse_program(sheet))
    state = machine.initial_state()
    assert machine.roles == ("random", "r")
    assert names(machine.legal_moves(state)[0]) == ["heads", "tails"]
    assert machine.goals(state) == (None, 100)
    assert names(machine.percepts(state, (parse_term("tails"), parse_term("go")))[1]) == ["tails"]


def test_r39_a_large_sheet_is_given_up_in_time_and_asked_step_by_step():
    # Five wheels of a hundred places, one turned a move: six moves a state, but 10^10 fluents, which no machine grounds in time.
    wheels = ["?a", "?b", "?c", "?d", "?e"]
    turns = "".join(
        f"(legal r (turn {i})) (<= (next (at {' '.join([*wheels[:i], '?next', *wheels[i + 1 :]])}))"
        f" (does r (turn {i})) (true (at {' '.join(wheels)})) (follows {wheels[i]} ?next))"
        for i in range(5)
    )
    follows = "".join(f"(follows {i} {(i + 1) % 100})" for i in range(100))
    program = parse_program(FRAME + turns + follows + "(init (at 99 99 1 2 3))")
    with pytest.raises(BudgetExceeded):
        ground(program, seconds=0.5)
    machine = Reasoner(program)
    state = machine.initial_state()
    assert names(machine.legal_moves(state)[0]) == ["(turn 0)", "(turn 1)", "(turn 2)", "(turn 3)", "(turn 4)", "go"]
    assert names(machine.fluents(machine.successor(state, (parse_term("(turn 1)"),)))) == ["(at 99 0 1 2 3)"]
    assert machine.is_terminal(machine.successor(state, (parse_term("go"),)))


@pytest.mark.parametrize("depth", [300, 5_050])
def test_r28_a_deep_term_that_shrinks_is_no_recursion_without_end(depth):
    sheet = FRAME + f"(init (pile {'(on ' * depth}floor{')' * depth})) (<= (next (pile ?x)) (true (pile (on ?x))))"
    machine = Reasoner(parse_program(sheet))
    after = machine.successor(machine.initial_state(), (parse_term("go"),))
    assert len(names(machine.fluents(after))) == 2

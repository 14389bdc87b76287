"""Beliefs: exact information sets of small games, sampling above the limit, percepts that nothing explains."""

import numpy as np
import pytest

from scsp_player.belief import Belief
from scsp_player.gdl.terms import Compound, Symbol
from scsp_player.propnet import Propnet
from tests.oracles.naive_grounder import ground

CARDS = """
; A card of four is dealt face down; looking shows whether it is red.
(role random) (role player)
(init (stage deal))
(card c1) (card c2) (card c3) (card c4) (red c1)
(<= (legal random (deal ?c)) (true (stage deal)) (card ?c))
(<= (legal random noop) (not (true (stage deal))))
(<= (legal player noop) (true (stage deal)))
(<= (legal player look) (true (stage choose)))
(<= (legal player stop) (true (stage choose)))
(<= (next (stage choose)) (true (stage deal)))
(<= (next (stage choose)) (does player look))
(<= (next (stage done)) (does player stop))
(<= (next (held ?c)) (does random (deal ?c)))
(<= (next (held ?c)) (true (held ?c)))
(<= (sees player red) (does player look) (true (held ?c)) (red ?c))
(<= terminal (true (stage done)))
(<= (goal player 100) (true (held c1)))
(<= (goal player 0) (true (held ?c)) (distinct ?c c1))
"""


@pytest.fixture
def game():
    return ground(CARDS)


def held(game, belief):
    return sorted(
        str(f) for state in belief.states for f in game.fluents_of(state) if isinstance(f, Compound) and f.functor == "held"
    )


def test_percepts_narrow_the_set(game):
    belief = Belief(game, Propnet(game), 1)
    assert belief.update(Symbol("noop"), frozenset())
    assert held(game, belief) == ["(held c1)", "(held c2)", "(held c3)", "(held c4)"]
    assert belief.probabilities == pytest.approx([0.25] * 4)
    assert belief.update(Symbol("look"), frozenset())
    assert held(game, belief) == ["(held c2)", "(held c3)", "(held c4)"]
    assert belief.exact


def test_the_red_card_is_known(game):
    belief = Belief(game, Propnet(game), 1)
    belief.update(Symbol("noop"), frozenset())
    assert belief.update(Symbol("look"), frozenset({Symbol("red")}))
    assert held(game, belief) == ["(held c1)"]
    assert belief.probabilities == pytest.approx([1.0])


def test_impossible_percepts_are_survived(game):
    belief = Belief(game, Propnet(game), 1)
    assert not belief.update(Symbol("noop"), frozenset({Symbol("red")}))
    assert len(belief.states) == 4


def test_an_own_move_that_is_not_known_may_be_any(game):
    belief, told = (Belief(game, Propnet(game), 1) for _ in range(2))
    for one, move in ((belief, None), (told, Symbol("noop"))):
        assert one.update(move, frozenset())
        assert one.update(Symbol("look"), frozenset({Symbol("red")}))
    assert held(game, belief) == ["(held c1)"]
    assert [game.move(int(m)) for m in belief.legal_moves()] == [Symbol("look"), Symbol("stop")]
    assert belief.view != told.view


def test_above_the_limit_states_are_drawn(game):
    belief = Belief(game, Propnet(game), 1, limit=3)
    belief.update(Symbol("noop"), frozenset())
    assert not belief.exact
    assert 1 <= len(belief.states) <= 3
    assert belief.probabilities.sum() == pytest.approx(1.0)


def test_a_foreign_move_is_refused(game):
    with pytest.raises(ValueError, match="not a move of player"):
        Belief(game, Propnet(game), 1).update(Symbol("fly"), frozenset())


def test_a_known_state(game):
    belief = Belief(game, Propnet(game), 1)
    belief.update(Symbol("noop"), frozenset())
    belief.certain(game.initial_state)
    assert np.array_equal(belief.states, game.initial_state[None])


def test_a_long_update_may_be_cut_short_and_is_a_sample_then():
    """Of 4,096 ways in which three dice of sixteen sides may lie, half fit what was seen."""
    numbers = " ".join(f"(number n{i})" for i in range(16)) + " ".join(f"(low n{i})" for i in range(8))
    roll = "(<= (legal random (roll ?a ?b ?c)) (true start) (number ?a) (number ?b) (number ?c))"
    rules = f"""
    (role random) (role player) (init start) {numbers} {roll}
    (<= (legal random rest) (true rolled))
    (legal player noop) (<= (next rolled) (true start)) (<= (next rolled) (true rolled))
    (<= (next (die 1 ?a)) (does random (roll ?a ?b ?c))) (<= (next (die 2 ?b)) (does random (roll ?a ?b ?c)))
    (<= (next (die 3 ?c)) (does random (roll ?a ?b ?c)))
    (<= (sees player low) (does random (roll ?a ?b ?c)) (low ?b))
    (<= terminal (true (die 1 n0)) (true (die 2 n0)) (true (die 3 n0))) (goal player 0)
    """
    game = ground(rules)
    propnet = Propnet(game)
    whole, cut = (Belief(game, propnet, 1, seed=5) for _ in range(2))
    low = frozenset({Symbol("low")})
    looks = []

    def expired() -> bool:
        looks.append(len(looks))
        return True

    assert whole.update(Symbol("noop"), low)
    assert cut.update(Symbol("noop"), low, expired)
    assert looks == [0]
    assert not cut.exact
    assert 800 < len(cut.states) < 1248  # half of one chunk, but for chance
    assert len(whole.states) == 2000  # 2,047 fit and go on, drawn down to the limit
    seen = {f"(die 2 n{i})" for i in range(8)}
    assert all(seen & set(map(str, game.fluents_of(state))) for state in cut.states[:50])
    assert cut.update(Symbol("noop"), frozenset(), expired)

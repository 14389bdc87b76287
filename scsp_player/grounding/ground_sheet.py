"""A ground game written back as a rule sheet."""

from __future__ import annotations

from collections.abc import Iterator

from scsp_player.grounding.ground_game import FALSE, TRUE, GroundGame


def format_ground(game: GroundGame) -> str:
    """An equivalent sheet without variables, in prefix notation.

    Holds ``role`` and ``init`` facts, ``base`` and ``input`` facts for every fluent and move, and the ground rules. Relations other
    than the keywords keep their names; auxiliary relations of the grounder have names that the original sheet does not use. What
    every sheet must define and this game never makes true is defined by a condition that never holds.
    """
    return "\n".join(_lines(game)) + "\n"


def _lines(game: GroundGame) -> Iterator[str]:
    yield from (f"(role {role})" for role in game.roles)
    fluents = [str(game.fluent(i)) for i in range(game.fluents)]
    moves = [str(game.move(i)) for i in range(game.moves)]
    owner = [role for r, role in enumerate(game.roles) for _ in range(game.role_start[r], game.role_start[r + 1])]
    yield from (f"(init {fluent})" for fluent, held in zip(fluents, game.initial.tolist(), strict=True) if held)
    yield from (f"(base {fluent})" for fluent in fluents)
    yield from (f"(input {role} {move})" for role, move in zip(owner, moves, strict=True))

    texts = [""] + [str(game.terms.term(int(t))) for t in game.atom_term[1:]]
    start, body = game.rule_start.tolist(), game.rule_body.tolist()
    for rule, head in enumerate(game.rule_head.tolist()):
        literals = " ".join(_literal(texts, literal) for literal in body[start[rule] : start[rule + 1]])
        yield f"(<= {texts[head]} {literals})"

    outputs = [(f"(next {f})", x) for f, x in zip(fluents, game.next_literal.tolist(), strict=True)]
    outputs += [(f"(legal {r} {m})", x) for r, m, x in zip(owner, moves, game.legal_literal.tolist(), strict=True)]
    scores = [str(v) for v in game.goal_value.tolist()]
    outputs += _outputs(game, "goal", game.goal_role.tolist(), scores, game.goal_literal.tolist())
    percepts = [str(game.terms.term(int(t))) for t in game.percept_term]
    outputs += _outputs(game, "sees", game.percept_role.tolist(), percepts, game.percept_literal.tolist())
    outputs.append(("terminal", game.terminal_literal))
    for head_text, literal in outputs:
        if literal == TRUE:
            yield head_text
        elif literal != FALSE and texts[literal >> 1] != head_text:
            yield f"(<= {head_text} {_literal(texts, literal)})"
    yield from _never(game)


def _never(game: GroundGame) -> Iterator[str]:
    """Rules that never apply, for relations that a sheet must have."""
    missing = {
        "terminal": game.terminal_literal == FALSE,
        "(legal {role} none)": bool((game.legal_literal == FALSE).all()),
        "(goal {role} 0)": bool((game.goal_literal == FALSE).all()),
    }
    for role in game.roles[:1]:
        yield from (f"(<= {head.format(role=role)} (distinct {role} {role}))" for head, needed in missing.items() if needed)


def _outputs(game: GroundGame, relation: str, roles: list[int], values: list[str], literals: list[int]) -> list[tuple[str, int]]:
    return [(f"({relation} {game.roles[r]} {v})", x) for r, v, x in zip(roles, values, literals, strict=True)]


def _literal(texts: list[str], literal: int) -> str:
    return f"(not {texts[literal >> 1]})" if literal & 1 else texts[literal >> 1]

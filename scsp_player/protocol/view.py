"""One match as its player sees it: from messages to rules and turns, and from moves to the manager's spelling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scsp_player.agents.base import Turn
from scsp_player.gdl.checks import require_playable
from scsp_player.gdl.errors import GdlError
from scsp_player.gdl.printing import kif_term
from scsp_player.gdl.program import Rule
from scsp_player.gdl.reading import parse_term, program_from_expressions, term_from_expression
from scsp_player.gdl.sexpr import Expression
from scsp_player.gdl.terms import Compound, Symbol, Term, Variable
from scsp_player.protocol.errors import ProtocolError
from scsp_player.protocol.messages import SOURCE, Dialect, Play, Start


class MatchView:
    """Interprets the messages of one match.

    Some managers turn every game into one with hidden information by a rule through which everybody sees every move. Such a rule is
    taken out again, and the percepts are read as the joint move that they are: the match is then one of perfect information.

    Attributes:
        program: the rules.
        role: the role to play, as the rules (case-folded) name it.

    Raises:
        GdlError: if the rules cannot be read or played, or do not have the role.
    """

    def __init__(self, start: Start) -> None:
        program = program_from_expressions(start.rules, SOURCE)
        require_playable(program)
        self.role = start.role.lower()
        if self.role not in program.roles:
            known = ", ".join(program.roles) or "none"
            raise GdlError(f"there is no role {start.role} in the rules", None, f"their roles: {known}")
        sees = [rule for rule in program.rules if isinstance(rule.head, Compound) and rule.head.functor == "sees"]
        # Functor of the percepts through which everybody sees every move; None if percepts are ordinary ones.
        self._move_percept = _sees_every_move(sees[0]) if len(sees) == 1 else None
        self._hidden = bool(sees) and self._move_percept is None
        if self._move_percept is not None:
            program = replace(program, rules=tuple(rule for rule in program.rules if rule is not sees[0]))
        self.program = program

    def turn(self, play: Play, number: int, replied: str | None) -> Turn:
        """What a ``PLAY`` message tells.

        Args:
            play: the message.
            number: how many such messages came before it.
            replied: the player's own last reply, which stands for its last move where the message does not name that.

        Raises:
            ProtocolError: if the message does not fit the game.
        """
        if number == 0:
            return Turn(0)
        items = [_term(item) for item in play.items or ()]
        chance = "random" in self.program.roles
        if not (items or self._hidden or chance) and play.dialect is Dialect.JOINT:
            raise ProtocolError("no moves", None, "send one a role, in the order of the rules")
        # A manager of hidden information has nothing but an empty list for a game in which nobody sees anything.
        hidden = self._hidden or play.dialect is not Dialect.JOINT or not items
        if self._move_percept is not None and (joint_move := self._joint_move_seen(items)) is not None:
            return Turn(number, joint_move)
        if hidden:
            own_move = _term(play.own_move) if play.own_move is not None else None
            if own_move is None and replied is not None:
                own_move = _reply_term(replied)
            return Turn(number, None, own_move, frozenset(items))
        return Turn(number, self._joint_move(play, items))

    def spell(self, move: Term) -> str:
        """A move in the spelling that the manager's rules use."""
        return kif_term(move, self.program.spelling)

    def _joint_move(self, play: Play, items: list[Term]) -> tuple[Term, ...]:
        roles = len(self.program.roles)
        if len(items) != roles and roles == 1 and play.items:
            # A lone player's move without the list around it.
            words = [item if isinstance(item, Symbol) else None for item in items]
            if words[0] is not None:
                return (Compound(words[0].name, tuple(items[1:])),)
        if len(items) != roles:
            position = play.items[0].position if play.items else None
            raise ProtocolError(f"{len(items)} moves for {roles} roles", position, "send one a role, in the order of the rules")
        return tuple(items)

    def _joint_move_seen(self, percepts: Sequence[Term]) -> tuple[Term, ...] | None:
        moves = {
            percept.arguments[0].name: percept.arguments[1]
            for percept in percepts
            if isinstance(percept, Compound)
            and percept.functor == self._move_percept
            and len(percept.arguments) == 2
            and isinstance(percept.arguments[0], Symbol)
        }
        if set(moves) != set(self.program.roles):
            return None
        return tuple(moves[role] for role in self.program.roles)


def _term(expression: Expression) -> Term:
    try:
        return term_from_expression(expression)
    except GdlError as error:
        raise ProtocolError.of(error) from None


def _reply_term(text: str) -> Term | None:
    try:
        return parse_term(text)
    except GdlError:
        return None


def _sees_every_move(rule: Rule) -> str | None:
    """The functor f of a rule ``(<= (sees ?p (f ?q ?m)) (role ?p) (does ?q ?m))``, with or without ``(role ?q)``; else None."""
    assert isinstance(rule.head, Compound)
    if len(rule.head.arguments) != 2:
        return None
    viewer, percept = rule.head.arguments
    if not (isinstance(viewer, Variable) and isinstance(percept, Compound) and len(percept.arguments) == 2):
        return None
    mover, move = percept.arguments
    if not (isinstance(mover, Variable) and isinstance(move, Variable) and len({viewer, mover, move}) == 3):
        return None
    body = {literal.atom for literal in rule.body if literal.positive}
    required = {Compound("role", (viewer,)), Compound("does", (mover, move))}
    if len(body) != len(rule.body) or not required <= body <= required | {Compound("role", (mover,))}:
        return None
    return percept.functor

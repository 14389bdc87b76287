"""Expressions to terms, literals and rules in normal form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scsp_player.gdl.disjunction import BodyExpander
from scsp_player.gdl.errors import GdlError
from scsp_player.gdl.program import Literal, Rule
from scsp_player.gdl.remarks import Remark
from scsp_player.gdl.sexpr import Expression, Group, Word
from scsp_player.gdl.symbols import SymbolTable
from scsp_player.gdl.terms import Compound, Symbol, Term, Variable

ARROW = "<="
CONNECTIVES = frozenset({ARROW, "not", "or", "and"})
"""Words with a meaning of their own where a formula is expected; inside an atom they are ordinary symbols."""
_LONGEST_CONNECTIVE = max(map(len, CONNECTIVES))


class NormalForm:
    """Turns the expressions of one sheet into rules.

    Attributes:
        symbols: the table that all symbols of the sheet come from.
        remarks: oddities met so far.
    """

    def __init__(self, expressions: Sequence[Expression], symbols: SymbolTable) -> None:
        self.symbols = symbols
        self.remarks: list[Remark] = []
        self._expressions = expressions
        self._expander = BodyExpander(self, expressions)
        self._remarked: set[tuple[str, str]] = set()

    def rules(self) -> Iterator[Rule]:
        """All rules in the order of the sheet; a rule with alternatives gives one rule for each of them."""
        for expression in self._expressions:
            yield from self._rules_of(expression)

    def _rules_of(self, expression: Expression) -> list[Rule]:
        if isinstance(expression, Word):
            return [Rule(self.atom(expression), (), expression.position)]
        connective = self.connective(expression)
        if connective is None:
            return [Rule(self.atom(expression), (), expression.position)]
        position = expression.position
        if connective != ARROW:
            raise GdlError(f"'{connective}' at the outermost level", position, f"write facts, or rules ({ARROW} head body…)")
        if len(expression.items) == 1:
            raise GdlError("rule without a head", position, f"write ({ARROW} head body…)")
        head = expression.items[1]
        if isinstance(head, Group) and self.connective(head) is not None:
            raise GdlError(f"{head.items[0]} at the head of a rule", head.position, "write one rule for each atom to be concluded")
        body = expression.items[2:]
        if not body:
            self.remark_once("empty-body", str(head), expression, f"rule for {head} has no body; write the fact {head}")
        return self._expander.rules(self.atom(head), body, position, expression)

    def connective(self, group: Group) -> str | None:
        """The connective that a group starts with, or None if the group is an atom."""
        if not group.items:
            raise GdlError("empty parentheses", group.position, "delete them, or write a relation with its arguments inside")
        first = group.items[0]
        if not isinstance(first, Word) or len(first.text) > _LONGEST_CONNECTIVE:
            return None
        name = self.symbols.term(first)
        return name.name if name.name in CONNECTIVES and isinstance(name, Symbol) else None

    def atom(self, expression: Expression) -> Term:
        """A symbol or compound term at the place of a relation application."""
        term = self.term(expression)
        if isinstance(term, Variable):
            raise GdlError(f"variable {expression} instead of a relation", expression.position, "write a relation there")
        if isinstance(term, Symbol) and term.name in CONNECTIVES:
            raise GdlError(
                f"'{term.name}' alone instead of a relation", expression.position, f"write ({term.name} …) around its formulas"
            )
        return term

    def literal(self, expression: Expression, positive: bool) -> Literal:
        """An atom of a body with its sign."""
        atom = self.atom(expression)
        if not positive and isinstance(atom, Compound) and atom.functor == "distinct":
            text = f"(not {expression}) means equality; write one variable in both places instead"
            self.remark_once("negated-distinct", str(expression), expression, text)
        return Literal(atom, positive, expression.position)

    def term(self, expression: Expression) -> Term:
        """A term of any depth. A name alone in parentheses is the constant of that name."""
        symbol, known = self.symbols.term, self.symbols.known.get
        if isinstance(expression, Word):
            return symbol(expression)
        path: list[tuple[Group, str, Iterator[Expression], list[Term]]] = [self._opened(expression)]
        while True:
            group, functor, rest, arguments = path[-1]
            for item in rest:
                if isinstance(item, Word):
                    arguments.append(known(item.text) or symbol(item))
                else:
                    path.append(self._opened(item))
                    break
            else:
                path.pop()
                built = Compound(functor, tuple(arguments)) if arguments else self._constant(group)
                if not path:
                    return built
                path[-1][3].append(built)

    def _opened(self, group: Group) -> tuple[Group, str, Iterator[Expression], list[Term]]:
        if not group.items:
            raise GdlError("empty parentheses", group.position, "delete them, or write a name with its arguments inside")
        first = group.items[0]
        if not isinstance(first, Word):
            raise GdlError("a list starts with another list", first.position, "a name must follow the opening parenthesis")
        functor = self.symbols.term(first)
        if isinstance(functor, Variable):
            raise GdlError(f"variable {first} instead of a name", first.position, "relations and functions cannot be variables")
        if functor.name in CONNECTIVES and len(group.items) > 1 and functor.name != "and":
            text = f"'{functor.name}' inside an atom is an ordinary function, not a connective"
            self.remark_once("connective-in-term", functor.name, group, text)
        items = iter(group.items)
        next(items)
        return group, functor.name, items, []

    def _constant(self, group: Group) -> Symbol:
        word = group.items[0]
        assert isinstance(word, Word)
        symbol = self.symbols.term(word)
        assert isinstance(symbol, Symbol)
        self.remark_once("parenthesised-constant", symbol.name, group, f"({word}) has no arguments; write {word}")
        return symbol

    def remark_once(self, check: str, key: str, expression: Expression, text: str) -> None:
        """Keep an oddity unless the same check has already been told about the same ``key``."""
        if (check, key) not in self._remarked:
            self._remarked.add((check, key))
            self.remarks.append(Remark(check, expression.position, text))

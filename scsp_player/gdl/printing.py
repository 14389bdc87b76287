"""Programs back to text, in prefix and in infix notation. What is printed reads back as the same program."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from scsp_player.gdl.program import Program, Rule
from scsp_player.gdl.terms import Compound, Symbol, Term, Variable

_PLAIN_NAME = re.compile(r"[a-z0-9][A-Za-z0-9_]*|-[0-9]+")
_PLAIN_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MARKED_VARIABLE = re.compile(r"[A-Za-z0-9_+*#/<>@^$!-]+")

_Printer = Callable[[Term], str]


def format_kif(program: Program) -> str:
    """The program in prefix notation: a line for each fact and each literal, symbols spelled as in its sheet.

    >>> from scsp_player.gdl.reading import parse_program
    >>> print(format_kif(parse_program("(role Red) (<= (legal red go) (true (step 1)) (not (true end)))")), end="")
    (role Red)
    (<= (legal Red go)
        (true (step 1))
        (not (true end)))
    """

    def show(term: Term) -> str:
        return kif_term(term, program.spelling)

    def rule_text(rule: Rule) -> str:
        body = (show(literal.atom) if literal.positive else f"(not {show(literal.atom)})" for literal in rule.body)
        return "\n    ".join([f"(<= {show(rule.head)}", *body]) + ")" if rule.body else show(rule.head)

    return "".join(rule_text(rule) + "\n" for rule in program.rules)


def format_infix(program: Program) -> str:
    """The program in infix notation: a line for each fact and each literal, symbols spelled as in its sheet.

    >>> from scsp_player.gdl.reading import parse_program
    >>> print(format_infix(parse_program("(role Red) (<= (legal ?r go) (true (step 1)) (not (true (next-to ?r))))")), end="")
    role('Red').
    legal(R, go) :-
        true(step(1)) &
        ~true('next-to'(R)).
    """

    def show(term: Term) -> str:
        return infix_term(term, program.spelling)

    def rule_text(rule: Rule) -> str:
        body = " &\n    ".join(show(literal.atom) if literal.positive else f"~{show(literal.atom)}" for literal in rule.body)
        return f"{show(rule.head)} :-\n    {body}." if rule.body else f"{show(rule.head)}."

    return "".join(rule_text(rule) + "\n" for rule in program.rules)


def kif_term(term: Term, spelling: Mapping[str, str]) -> str:
    """A term in prefix notation, with symbols and functors spelled as in ``spelling``."""
    if not spelling:
        return str(term)
    return _printed(term, lambda name: "(" + spelling.get(name, name), " ", " ", lambda leaf: _spelled(leaf, spelling))


def infix_term(term: Term, spelling: Mapping[str, str]) -> str:
    """A term in infix notation: variables start with a capital where that is possible, unusual names stand in quotes."""

    def leaf_text(leaf: Term) -> str:
        return _infix_variable(leaf.name) if isinstance(leaf, Variable) else _infix_name(_spelled(leaf, spelling))

    return _printed(term, lambda name: _infix_name(spelling.get(name, name)) + "(", "", ", ", leaf_text)


def _spelled(leaf: Term, spelling: Mapping[str, str]) -> str:
    return spelling.get(leaf.name, leaf.name) if isinstance(leaf, Symbol) else str(leaf)


def _infix_name(name: str) -> str:
    return name if _PLAIN_NAME.fullmatch(name) and name != "not" else "'" + name.replace("'", "''") + "'"


def _infix_variable(name: str) -> str:
    if _PLAIN_VARIABLE.fullmatch(name) and name != "_" and not (name[0].islower() and name != name.lower()):
        return name[0].upper() + name[1:]
    return "?" + (name if _MARKED_VARIABLE.fullmatch(name) else "'" + name.replace("'", "''") + "'")


def _printed(term: Term, opening: Callable[[str], str], before_first: str, between: str, leaf_text: _Printer) -> str:
    """The printed form of a term of any depth; ``opening`` gives the text before a functor's arguments."""
    pieces: list[str] = []
    stack: list[Term | str] = [term]
    while stack:
        item = stack.pop()
        if isinstance(item, Compound):
            pieces.append(opening(item.functor) + before_first)
            stack.append(")")
            for index in range(len(item.arguments) - 1, -1, -1):
                stack.append(item.arguments[index])
                if index:
                    stack.append(between)
        else:
            pieces.append(item if isinstance(item, str) else leaf_text(item))
    return "".join(pieces)

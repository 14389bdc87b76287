"""Rule sheets: terms, parsing, normalisation, checks and printing."""

from scsp_player.gdl.checks import Message, check_program, require_playable
from scsp_player.gdl.errors import GdlError, Position
from scsp_player.gdl.printing import format_infix, format_kif
from scsp_player.gdl.program import KEYWORDS, Literal, Program, Rule
from scsp_player.gdl.reading import load_program, parse_program, parse_term, program_from_expressions, term_from_expression
from scsp_player.gdl.remarks import Remark
from scsp_player.gdl.sexpr import Expression, Group, Word, read_expressions
from scsp_player.gdl.sheet_file import UnusableFileError
from scsp_player.gdl.terms import Compound, Symbol, Term, Variable, signature, variables

__all__ = [
    "KEYWORDS",
    "Compound",
    "Expression",
    "GdlError",
    "Group",
    "Literal",
    "Message",
    "Position",
    "Program",
    "Remark",
    "Rule",
    "Symbol",
    "Term",
    "UnusableFileError",
    "Variable",
    "Word",
    "check_program",
    "format_infix",
    "format_kif",
    "load_program",
    "parse_program",
    "parse_term",
    "program_from_expressions",
    "read_expressions",
    "require_playable",
    "signature",
    "term_from_expression",
    "variables",
]

"""One object for each symbol and variable of a sheet, and the record of how symbols were spelled."""

from __future__ import annotations

from scsp_player.gdl.sexpr import Word
from scsp_player.gdl.terms import Symbol, Variable


class SymbolTable:
    """Words to symbols and variables, with letters folded to lower case unless case matters.

    Attributes:
        case_sensitive: whether ``Win`` and ``win`` are two symbols.
        known: the words met so far, as written, with what they stand for.
    """

    def __init__(self, case_sensitive: bool) -> None:
        self.case_sensitive = case_sensitive
        self.known: dict[str, Symbol | Variable] = {}
        self._folded: dict[str, Symbol | Variable] = {}
        self._first_use: dict[str, Word] = {}

    def term(self, word: Word) -> Symbol | Variable:
        """The symbol, or for a word that starts with ``?`` (or is nothing else) the variable, that a word stands for."""
        known = self.known.get(word.text)
        if known is not None:
            return known
        self._first_use[word.text] = word
        name = word.text if self.case_sensitive else word.text.lower()
        term = self._folded.get(name)
        if term is None:
            term = Variable(name[1:]) if name.startswith("?") else Symbol(name)
            self._folded[name] = term
        self.known[word.text] = term
        return term

    def spelling(self) -> dict[str, str]:
        """Folded name to first spelling, for symbols whose first spelling contains upper-case letters."""
        first: dict[str, str] = {}
        for text, term in self.known.items():
            if isinstance(term, Symbol):
                first.setdefault(term.name, text)
        return {name: text for name, text in first.items() if name != text}

    def variants(self) -> list[list[Word]]:
        """First uses of words that differ in case only: at least two in each list, in the order of the sheet."""
        groups: dict[str, list[Word]] = {}
        for text, word in self._first_use.items():
            groups.setdefault(text.lower(), []).append(word)
        return [words for words in groups.values() if len(words) > 1]

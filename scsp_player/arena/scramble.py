"""Other names for everything in a game, so that no player can profit from what the author's names mean."""

from __future__ import annotations

import random
import re

KEPT = frozenset(
    ["role", "init", "true", "does", "legal", "next", "terminal", "goal", "sees", "base", "input", "not", "or", "distinct"]
) | {"<=", "and", "random", "nil"}
"""Words that mean something to every player."""

_WORD = re.compile(r"[^\s(),;]+")
_ONSETS = ["b", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "z"]
_NUCLEI = ["a", "e", "i", "o", "u"]


class Names:
    """A one-to-one translation of the words of a game; keywords, variables and whole numbers stay what they are.

    >>> names = Names("(role x) (init (cell 1 y))", seed=1)
    >>> text = names.out("(cell 1 y)")
    >>> text != "(cell 1 y)", names.back(text)
    (True, '(cell 1 y)')

    Args:
        text: rules, in lower case.
        seed: the same seed gives the same names.
    """

    def __init__(self, text: str, seed: int) -> None:
        words = sorted({word for word in _WORD.findall(text) if not _stays(word)})
        rng = random.Random(seed)
        taken = set(words) | KEPT
        self._out: dict[str, str] = {}
        for word in words:
            self._out[word] = _new_word(rng, taken)
        self._back = {new: old for old, new in self._out.items()}

    def out(self, text: str) -> str:
        """What players are told instead of a text."""
        return _WORD.sub(lambda match: self._out.get(match.group(), match.group()), text)

    def back(self, text: str) -> str:
        """What a player's text means; words that it cannot know are put in angle brackets, which are in no move."""

        def original(match: re.Match[str]) -> str:
            word = match.group().lower()
            return self._back.get(word, f"<{word}>" if word in self._out else word)

        return _WORD.sub(original, text)


def _stays(word: str) -> bool:
    return word in KEPT or word.startswith("?") or word.lstrip("+-").isdecimal()


def _new_word(rng: random.Random, taken: set[str]) -> str:
    """A word that can be spoken and is not taken; it is afterwards."""
    syllables = 2
    while True:
        word = "".join(rng.choice(_ONSETS) + rng.choice(_NUCLEI) for _ in range(syllables))
        if word not in taken:
            taken.add(word)
            return word
        syllables = 2 + (syllables - 1) % 4

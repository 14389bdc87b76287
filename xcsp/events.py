"""The events of the XML parser with the lines where they happen.

The parser is lxml's, fed piece by piece and reporting to a target, so that no tree is built and long text comes in pieces. Target
events carry no line. So the document is fed such that the line is known: whole stretches of lines as long as they hold no markup,
line by line elsewhere. An event of a tag then belongs to the one line that was fed when it came, or began where the text before it
ended.

Nothing is fetched and nothing is expanded: a document type is refused when its name is read, before any declaration in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, Protocol, cast

from lxml import etree

_MARKUP = re.compile(rb"[<>]")
_XML = "{http://www.w3.org/XML/1998/namespace}"
"""Of attributes such as ``xml:space``, which every XML document may have and which say nothing here."""

_COMPLAINTS = 100  # what a parser may note about a document without giving up

Fail = Callable[[str, int, str], NoReturn]
"""Raises the error of a document: message, line, remedy."""


class Handler(Protocol):
    """What takes the events."""

    def start(self, tag: str, attributes: dict[str, str], line: int) -> None:
        """A start tag that begins on ``line``."""

    def end(self, tag: str) -> None:
        """The end of an element."""

    def characters(self, text: str, line: int) -> None:
        """A piece of text that begins on ``line``."""


class EventParser:
    """Parses a document that comes in pieces.

    Args:
        handler: takes the events.
        fail: raises the error of a document: message, line, remedy.
        piece_bytes: how many bytes may go by without an event.
    """

    def __init__(self, handler: Handler, fail: Fail, piece_bytes: int) -> None:
        self._fail = fail
        self._piece_bytes = piece_bytes
        self._target = _Target(handler, fail)
        self._parser = etree.XMLParser(
            target=cast(Any, self._target),  # it gets text only, while the stubs promise bytes as well
            encoding="utf-8",
            resolve_entities=False,
            load_dtd=False,
            no_network=True,
            huge_tree=True,
        )

    def feed(self, data: bytes) -> None:
        """Take the next piece of the document, in UTF-8 with line feeds for line ends.

        Raises:
            XcspError: through ``fail``, if the document is not well-formed.
        """
        begin = 0
        while begin < len(data):
            markup = _MARKUP.search(data, begin)
            if markup is None:
                stop = len(data)
            else:
                stop = data.rfind(b"\n", begin, markup.start()) + 1
                if stop <= begin:
                    stop = data.find(b"\n", markup.start()) + 1 or len(data)
            self._feed(data[begin:stop])
            begin = stop
        self._check_complaints()

    def close(self, truncated: str) -> None:
        """Take note that the document has ended.

        Args:
            truncated: message if it must not end here; empty if it may.
        """
        if truncated:
            self._fail(truncated, self._target.line, "the file is truncated")
        try:
            self._parser.close()
        except etree.XMLSyntaxError as error:
            self._fail_syntax(error)

    def _feed(self, piece: bytes) -> None:
        """Feed lines without markup, or at most one line."""
        target = self._target
        target.last += piece.count(b"\n")
        target.silent += len(piece)
        try:
            self._parser.feed(piece)
        except etree.XMLSyntaxError as error:
            self._fail_syntax(error)
        if not target.depth:  # in the prologue or behind the root element
            left_open = piece.rfind(b"<") > piece.rfind(b">")
            target.opened = (target.opened or target.line) if left_open or (target.opened and b">" not in piece) else 0
            if not target.opened:
                target.silent = 0  # white space gives no events there
        if target.silent > self._piece_bytes:
            self._fail("one tag takes too many bytes", target.line, "raise Limits.piece_bytes")
        target.line = target.last

    def _fail_syntax(self, error: etree.XMLSyntaxError) -> NoReturn:
        line, column = error.position
        reason = (error.msg or "broken").removesuffix(f", line {line}, column {column}").strip()
        self._fail(f"not well-formed XML: {reason[:200]} (column {column})", line or self._target.line, "correct the XML")

    def _check_complaints(self) -> None:
        """Refuse what the parser noted and passed over, such as undeclared prefixes; the notes must not pile up either."""
        notes = self._parser.feed_error_log
        for note in notes:
            if note.level >= etree.ErrorLevels.ERROR or len(notes) > _COMPLAINTS:
                self._fail(f"not well-formed XML: {note.message[:200]} (column {note.column})", note.line, "correct the XML")


class _Target:
    """What the parser reports to: gives names as they are written, and lines.

    Attributes:
        line: of the first byte of what is being fed.
        last: of the byte behind that.
        opened: where a tag began that is still open, if no element is; 0 for none.
        depth: number of elements that are open.
        silent: bytes fed since the last event.
    """

    def __init__(self, handler: Handler, fail: Fail) -> None:
        self.line = self.last = 1
        self.opened = self.depth = self.silent = 0
        self._at = 1  # where the text begins that has not come as an event
        self._start, self._end, self._characters = handler.start, handler.end, handler.characters
        self._fail = fail
        self._prefixes: dict[str, str | None] = {}  # declared by the root element

    def start(self, tag: str, attributes: Mapping[str, str], namespaces: Mapping[str | None, str]) -> None:
        # Outside the root element white space gives no events to go by.
        line = self._at if self.depth else self.opened or self.line
        self.comment()
        self.depth += 1
        # Without entities to resolve, the parser leaves each ampersand of a value as a reference.
        known = {n: v.replace("&#38;", "&") for n, v in attributes.items() if not n.startswith(_XML)} if attributes else {}
        if namespaces:
            own = {address: prefix for prefix, address in namespaces.items()}
            if not self._prefixes:
                self._prefixes = own
            known |= {f"xmlns:{prefix}" if prefix else "xmlns": address for prefix, address in namespaces.items()}
            tag = _written(tag, self._prefixes | own)
        elif tag[0] == "{":
            tag = _written(tag, self._prefixes)
        self._start(tag, known, line)

    def end(self, tag: str) -> None:
        self._at = self.line
        self.silent = 0
        self.depth -= 1
        self._end(tag)

    def data(self, text: str) -> None:
        line = self._at
        self._at = min(line + text.count("\n"), self.last)  # a line end written as &#10; is none in the document
        self.silent = 0
        self._characters(text, line)

    def comment(self, text: str = "") -> None:
        self._at = self.line
        self.silent = 0

    def pi(self, target: str, text: str | None = None) -> None:
        self.comment()

    def doctype(self, name: str | None, public: str | None, system: str | None) -> None:
        self._fail("document types and entities are not read", self.opened or self.line, "remove the <!DOCTYPE …>")

    def close(self) -> None:
        pass


def _written(tag: str, prefixes: Mapping[str, str | None]) -> str:
    """A name with its prefix instead of the address of its namespace."""
    if tag[0] != "{":
        return tag
    address, _, name = tag[1:].partition("}")
    prefix = prefixes.get(address)
    return f"{prefix}:{name}" if prefix else name if address in prefixes else tag

"""Reading an XCSP3 document as a stream: events of the XML parser go straight into variables and tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from os import PathLike
from pathlib import PurePath
from typing import IO, Any, NoReturn

from xcsp.conventions import split_root_note
from xcsp.declarations import CONSTANT, Declarations
from xcsp.errors import XcspError
from xcsp.events import EventParser
from xcsp.limits import Limits
from xcsp.model import Instance
from xcsp.postings import Posting, Postings, Scope
from xcsp.sources import chunks, source_name
from xcsp.table_reader import RawTable, TableText
from xcsp.utf8 import utf8_pieces
from xcsp.written import Part, Written

_WRITTEN_OUT = frozenset(
    {
        "allDifferent",
        "allEqual",
        "cardinality",
        "channel",
        "clause",
        "count",
        "element",
        "intension",
        "lex",
        "maximum",
        "mdd",
        "minimum",
        "nValues",
        "ordered",
        "regular",
        "sum",
    }
)
"""Constraints that are no tables in the document and become tables here."""

_PARTS = frozenset(
    {
        "list",
        "matrix",
        "except",
        "function",
        "coeffs",
        "condition",
        "operator",
        "values",
        "occurs",
        "index",
        "value",
        "transitions",
        "start",
        "final",
    }
)
_CONSTRAINTS = frozenset({"extension", "instantiation", "group", "block"}) | _WRITTEN_OUT
_CHILDREN: dict[str, frozenset[str]] = {
    "": frozenset({"instance"}),
    "instance": frozenset({"variables", "constraints", "objectives", "annotations"}),
    "variables": frozenset({"var", "array"}),
    "array": frozenset({"domain"}),
    "constraints": _CONSTRAINTS,
    "block": _CONSTRAINTS,
    "group": frozenset({"extension", "args"}) | _WRITTEN_OUT,
    "extension": frozenset({"list", "supports", "conflicts"}),
    "instantiation": frozenset({"list", "values"}),
    **dict.fromkeys(_WRITTEN_OUT, _PARTS),
}
_ATTRIBUTES: dict[str, frozenset[str]] = {
    "var": frozenset({"id", "type", "as", "class", "note"}),
    "array": frozenset({"id", "size", "type", "as", "class", "note"}),
    "domain": frozenset({"for", "as"}),
    "block": frozenset({"id", "class", "note"}),
    "group": frozenset({"id", "class", "note"}),
    "extension": frozenset({"id", "class", "note"}),
    "instantiation": frozenset({"id", "class", "note"}),
    "args": frozenset({"note"}),
    "list": frozenset({"note"}),
    "values": frozenset({"note"}),
    "supports": frozenset({"note"}),
    "conflicts": frozenset({"note"}),
}
_TEXTUAL = frozenset({"var", "array", "domain", "args", "decision"}) | _PARTS | _WRITTEN_OUT
_REMEDY = "docs/xcsp3.md lists the constraints that can be read"


def read_instance(file: str | PathLike[str] | IO[Any], *, limits: Limits | None = None) -> Instance:
    """Read an XCSP3 document.

    Variables and arrays of type integer, symbolic and stochastic, constraints in extension and instantiations, groups, blocks and
    the decision annotation are read. Constraints in intension and several global ones become tables, if these are small enough; any
    other constraint, and every objective, is refused. The values of a symbolic variable are numbered from 0 in the order of its
    domain. A ``type="CSP"`` twin of a stochastic problem gives the stochastic problem.

    Tables come in normal form: tuples within the domains, ascending, each once; the tables of a group share one array.

    Nothing in a document makes the reader fetch anything: document types and entities are refused.

    Args:
        file: a path or an open file (binary or text), plain XML or compressed as ``.xz`` or ``.lzma`` (told by the content).
        limits: bounds on what is accepted; ``Limits()`` by default.

    Returns:
        The instance, called like the file.

    Raises:
        XcspError: with file, line and remedy, if the document is not well-formed, is not XCSP3, or holds what is not supported.
    """
    return _Reader(source_name(file), limits or Limits()).read(file)


@dataclass(slots=True)
class _Element:
    """An element whose end has not come yet."""

    tag: str
    attributes: dict[str, str]
    line: int
    classes: tuple[str, ...]
    text: list[str] = field(default_factory=list)
    size: int = 0
    table: TableText | None = None
    scope: Scope | None = None
    raw: RawTable | None = None
    positive: bool = True
    values: str | None = None
    posting: Posting | None = None
    parts: list[Part] = field(default_factory=list)
    written: Written | None = None
    has_domains: bool = False


class _Reader:
    def __init__(self, source: str, limits: Limits) -> None:
        self._source = source
        self._limits = limits
        self._variables = Declarations(self._fail, limits)
        self._constraints = Postings(self._variables, self._fail, limits)
        self._decisions: list[int] = []
        self._threshold, self._note = Fraction(1), ""
        self._entries = 0
        self._skipped = 0  # depth within an annotation that is not read
        self._stack = [_Element("", {}, 0, ())]
        self._ends: dict[str, Callable[[_Element, _Element], None]] = {
            "var": self._end_var,
            "array": self._end_array,
            "domain": self._end_domain,
            "list": self._end_list,
            "supports": self._end_table,
            "conflicts": self._end_table,
            "values": self._end_values,
            "extension": self._end_extension,
            "instantiation": self._end_instantiation,
            "args": self._end_args,
            "group": self._end_group,
            "decision": self._end_decision,
            **dict.fromkeys(_PARTS - {"list", "values"}, self._end_part),
            **dict.fromkeys(_WRITTEN_OUT, self._end_written),
        }

    def _fail(self, message: str, line: int, remedy: str) -> NoReturn:
        raise XcspError(message, self._source, line, remedy)

    def read(self, file: str | PathLike[str] | IO[Any]) -> Instance:
        """Feed the whole file to the parser and build the instance."""
        parser: EventParser | None = None
        for data in utf8_pieces(chunks(file, self._limits), self._fail):
            if data:
                parser = parser or EventParser(self, self._fail, self._limits.piece_bytes)
                parser.feed(data)
        if parser is None:
            self._fail("the document is empty", 1, "an XCSP3 document begins with <instance>")
        parser.close(f"the document ends before </{self._stack[-1].tag}>" if len(self._stack) > 1 else "")
        return Instance(
            PurePath(self._source).name.removesuffix(".lzma").removesuffix(".xz").removesuffix(".xml"),
            tuple(self._variables.variables),
            tuple(self._constraints.tables),
            self._threshold,
            tuple(self._decisions),
            self._note,
            tuple(self._constraints.relations),
        )

    def start(self, tag: str, attributes: dict[str, str], line: int) -> None:
        """A start tag that begins on ``line``."""
        parent = self._stack[-1]
        if self._skipped or (parent.tag == "annotations" and tag != "decision"):
            self._skipped += 1
            return
        self._check_place(tag, parent, line)
        classes = parent.classes
        if attributes:
            known = _ATTRIBUTES.get(tag, attributes.keys())
            for name in attributes.keys() - (attributes.keys() if parent.tag in _WRITTEN_OUT else known):
                if tag == "array" and name == "startIndex" and attributes[name].strip() == "0":
                    continue  # where indices begin anyway
                self._fail(f"<{tag}> with the attribute {name[:40]} is not supported", line, "remove the attribute")
            if "class" in attributes:
                classes += tuple(c for c in attributes["class"].split() if c not in classes)
        element = _Element(tag, attributes, line, classes)
        if len(self._stack) > self._limits.depth:
            self._fail("elements are nested too deeply", line, "raise Limits.depth")
        self._stack.append(element)
        if tag == "instance":
            self._start_instance(attributes, line)
        elif tag == "array":
            self._variables.begin_array(attributes, line)
        elif tag in ("supports", "conflicts"):
            if parent.raw is not None:
                self._fail("a second table in one constraint", line, "write one <supports> or one <conflicts>")
            element.table = TableText(line, self._fail, self._limits, self._entries)
        elif tag in _CONSTRAINTS and "id" in attributes:
            self._variables.claim(attributes["id"], line)

    def _check_place(self, tag: str, parent: _Element, line: int) -> None:
        if tag in _CHILDREN.get(parent.tag, ()) or (parent.tag == "annotations" and tag == "decision"):
            return
        shown = f"<{tag[:60]}>"
        if not parent.tag:
            self._fail(f"the root element is {shown}, not <instance>", line, "is this an XCSP3 document?")
        if parent.tag in ("constraints", "block", "group"):
            place = " in <group>" if tag in _CHILDREN["constraints"] else ""
            self._fail(f"the constraint {shown} is not supported{place}", line, _REMEDY)
        if parent.tag == "objectives":
            self._fail(f"the objective {shown} is not supported", line, "only satisfaction problems can be read")
        self._fail(f"the element {shown} is not supported in <{parent.tag}>", line, "remove it")

    def _start_instance(self, attributes: dict[str, str], line: int) -> None:
        if attributes.get("format") != "XCSP3":
            self._fail(f"the format is {attributes.get('format', 'not given')[:40]}, not XCSP3", line, 'write format="XCSP3"')
        framework = attributes.get("type", "CSP")
        if framework not in ("CSP", "COP", "SCSP"):
            self._fail(f"problems of type {framework[:40]} are not supported", line, "only CSP and SCSP can be read")
        try:
            self._threshold, self._note = split_root_note(attributes.get("note", ""))
        except ValueError as error:
            self._fail(f"the threshold in the note: {error}", line, 'write note="threshold=2/3"')

    def characters(self, text: str, line: int) -> None:
        """A piece of text that begins on ``line``."""
        element = self._stack[-1]
        if self._skipped:
            return
        if element.table is not None:
            element.table.feed(text, line)
        elif element.tag in _TEXTUAL:
            element.text.append(text)
            element.size += len(text)
            if element.size > self._limits.piece_bytes:
                self._fail(f"the text of <{element.tag}> is too long", element.line, "raise Limits.piece_bytes")
        elif not text.isspace():
            line += text[: len(text) - len(text.lstrip())].count("\n")
            self._fail(f"the text {text.strip()[:40]!r} makes no sense in <{element.tag}>", line, "remove it")

    def end(self, tag: str) -> None:
        """The end of an element."""
        if self._skipped:
            self._skipped -= 1
            return
        element = self._stack.pop()
        if element.tag in self._ends:
            self._ends[element.tag](element, self._stack[-1])

    def _end_var(self, element: _Element, parent: _Element) -> None:
        self._variables.add_variable(element.attributes, "".join(element.text), element.line)

    def _end_domain(self, element: _Element, parent: _Element) -> None:
        parent.has_domains = True
        self._variables.add_domain(element.attributes, "".join(element.text), element.line)

    def _end_array(self, element: _Element, parent: _Element) -> None:
        self._variables.end_array("".join(element.text), element.has_domains)

    def _end_part(self, element: _Element, parent: _Element) -> None:
        parent.parts.append(Part(element.tag, element.attributes, "".join(element.text)))

    def _end_written(self, element: _Element, parent: _Element) -> None:
        note = element.attributes.get("note") or (parent.attributes.get("note", "") if parent.tag == "group" else "")
        written = Written(
            element.tag,
            element.attributes,
            "".join(element.text),
            tuple(element.parts),
            element.line,
            element.classes,
            note,
        )
        if parent.tag != "group":
            self._constraints.post_written(written, element.line)
        elif parent.posting is not None or parent.written is not None:
            self._fail("a second constraint in one group", element.line, "write one group for each")
        else:
            parent.written = written

    def _end_list(self, element: _Element, parent: _Element) -> None:
        if parent.tag in _WRITTEN_OUT:
            self._end_part(element, parent)
            return
        if parent.scope is not None:
            self._fail("a second list in one constraint", element.line, "write one <list>")
        parent.scope = self._constraints.scope("".join(element.text), element.line)

    def _end_table(self, element: _Element, parent: _Element) -> None:
        assert element.table is not None
        parent.raw = element.table.finish()
        self._entries += parent.raw.rows.size
        parent.positive = element.tag == "supports"

    def _end_values(self, element: _Element, parent: _Element) -> None:
        if parent.tag in _WRITTEN_OUT:
            self._end_part(element, parent)
            return
        if parent.values is not None:
            self._fail("a second list of values in one constraint", element.line, "write one <values>")
        parent.values = "".join(element.text)

    def _end_extension(self, element: _Element, parent: _Element) -> None:
        if element.scope is None or element.raw is None:
            self._fail("an <extension> without list or table", element.line, "write <list> and <supports> or <conflicts>")
        note = element.attributes.get("note") or (parent.attributes.get("note", "") if parent.tag == "group" else "")
        posting = Posting(element.scope, element.raw, element.positive, element.classes, note)
        if parent.tag != "group":
            self._constraints.post(posting, element.line)
        elif parent.posting is not None or parent.written is not None:
            self._fail("a second constraint in one group", element.line, "write one group for each")
        elif not posting.scope.template:
            self._fail("the constraint of a group has no parameters", element.line, "write %0 for the first argument")
        else:
            parent.posting = posting

    def _end_args(self, element: _Element, parent: _Element) -> None:
        if parent.written is not None:
            self._constraints.post_filled(parent.written, "".join(element.text), element.line)
            return
        if parent.posting is None:
            self._fail("<args> before the constraint of the group", element.line, "put the constraint first")
        self._constraints.post_arguments(parent.posting, "".join(element.text), element.line)

    def _end_group(self, element: _Element, parent: _Element) -> None:
        if element.posting is None and element.written is None:
            self._fail("a group without constraint", element.line, "put the constraint first")

    def _end_instantiation(self, element: _Element, parent: _Element) -> None:
        if element.scope is None or element.values is None:
            self._fail("an <instantiation> without list or values", element.line, "write <list> and <values>")
        note = element.attributes.get("note", "")
        self._constraints.instantiate(element.scope, element.values, element.classes, note, element.line)

    def _end_decision(self, element: _Element, parent: _Element) -> None:
        decisions = self._variables.resolve("".join(element.text).split(), element.line).tolist()
        self._decisions.extend(i for i in decisions if i != CONSTANT)
        if len(set(self._decisions)) < len(self._decisions):
            self._fail("the decisions name a variable twice", element.line, "name each variable once")

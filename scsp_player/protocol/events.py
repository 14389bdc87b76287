"""The log: one line for each event, as text for people or as a JSON object for programs."""

from __future__ import annotations

import datetime
import json
import logging
from typing import Any


def tell(log: logging.Logger, level: int, event: str, text: str, **facts: Any) -> None:
    """Log an event.

    Args:
        log: where.
        level: as of ``logging``.
        event: what kind of event it is, one of few.
        text: the line for people.
        facts: what programs want to know about it; in the JSON form only.
    """
    log.log(level, "%s", text, extra={"event": event, "facts": facts}, stacklevel=2)


class JsonLines(logging.Formatter):
    """Formats each record as a JSON object with ``time`` (UTC, ISO 8601), ``level``, ``event``, ``text`` and the event's facts."""

    def format(self, record: logging.LogRecord) -> str:
        """See ``logging.Formatter.format``."""
        line = {
            "time": datetime.datetime.fromtimestamp(record.created, datetime.UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": getattr(record, "event", "note"),
            **getattr(record, "facts", {}),
            "text": record.getMessage(),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line)

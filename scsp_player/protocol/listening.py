"""The sockets on which a server waits for managers."""

from __future__ import annotations

import errno
import os
import socket
import time
from typing import Any

from scsp_player.protocol.errors import ProtocolError

BACKLOG = 512
"""Connections that may wait to be accepted."""


LEAVING_SECONDS = 1.0
"""How long a server that is just being killed may still hold the port."""


def listen(host: str, port: int) -> list[socket.socket]:
    """Sockets that listen at every address of a host, all on one port.

    Args:
        host: name or address; empty for all addresses of this machine.
        port: from 1 to 65535, or 0 for any free one.

    Raises:
        ProtocolError: if the address is in use, not allowed or unknown.
    """
    listeners: list[socket.socket] = []
    try:
        found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, _, _, _, address in dict.fromkeys(found):
            listener = socket.socket(family, socket.SOCK_STREAM)
            listeners.append(listener)
            if os.name == "posix":  # on Windows it would let two servers share a port
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            _bind(listener, (address[0], port_of(listeners[0]) or port, *address[2:]))
            listener.listen(BACKLOG)
            listener.setblocking(False)
    except (OSError, OverflowError) as error:
        for listener in listeners:
            listener.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise ProtocolError(
            f"cannot listen on {host}, port {port}: {reason}", None, "choose another one with --host and --port"
        ) from None
    return listeners


def _bind(listener: socket.socket, address: tuple[Any, ...]) -> None:
    end = time.monotonic() + LEAVING_SECONDS
    while True:
        try:
            listener.bind(address)
        except OSError as error:
            if error.errno != errno.EADDRINUSE or time.monotonic() >= end:
                raise
            time.sleep(LEAVING_SECONDS / 50)
        else:
            return


def inherited_listeners() -> list[socket.socket]:
    """The sockets that systemd, or whoever started this process, has opened for it; none if there are none.

    The convention is that of ``sd_listen_fds``: descriptors from 3 on, their number and the process number in the environment.
    """
    if os.environ.get("LISTEN_PID") != str(os.getpid()):
        return []
    listeners = [socket.socket(fileno=3 + i) for i in range(int(os.environ.get("LISTEN_FDS", "0")))]
    for listener in listeners:
        listener.setblocking(False)
    return listeners


def port_of(listener: socket.socket) -> int:
    """The port that a socket is bound to, or 0."""
    port: int = listener.getsockname()[1]
    return port

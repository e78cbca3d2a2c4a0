"""The server of the studio: on this machine only, for one person."""

from __future__ import annotations

import socket
from collections.abc import Callable

import uvicorn

from hushmeans.errors import InputError
from hushmeans.studio.app import studio_app
from hushmeans.studio.guard import Guard
from hushmeans.studio.session import Session

LOOPBACK = "127.0.0.1"


def serve(session: Session, port: int, ready: Callable[[str], None]) -> None:
    """Serve the studio until it is interrupted.

    Parameters
    ----------
    port
        0 for any free one.
    ready
        Called with the address to open, once the server listens.
    """
    with _listening(port) as listener:
        number = listener.getsockname()[1]
        guard = Guard(studio_app(session), number)
        config = uvicorn.Config(guard, log_level="critical", access_log=False, lifespan="off")
        listener.listen()
        ready(guard.address(number))
        uvicorn.Server(config).run(sockets=[listener])


def _listening(port: int) -> socket.socket:
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, port))
    except (OSError, OverflowError):
        listener.close()
        raise InputError(
            f"port {port} cannot be used, perhaps because another program does; choose another "
            "with --port, or leave it out"
        ) from None
    return listener

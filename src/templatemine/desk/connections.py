"""Connections of the desk: one on which half a request lies is closed after a while.

The server itself waits for the rest of a request without end, and who opens many holds all that it can have open.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_SECONDS = 30.0
"""For a whole request, its body included: one of the desk's own pages takes milliseconds, of a megabyte a few seconds
over a telephone line."""

_AWAITING = (h11.IDLE, h11.SEND_BODY)
"""States of a client from which more is to come before its request is whole."""


class BoundedProtocol(H11Protocol):  # type: ignore[misc]
    """A connection whose requests are whole within `REQUEST_SECONDS`, from their first byte, or from its beginning."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def _watch(self) -> None:
        if self.conn.their_state not in _AWAITING:
            self._stop()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(REQUEST_SECONDS, self.transport.abort)

    def _stop(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

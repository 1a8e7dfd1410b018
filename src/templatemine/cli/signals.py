"""Signals that end the program, as exceptions, so that temporary files and processes are cleaned up.

An exception out of nowhere is one that other code need not expect: orjson crashes, and numpy says that it is badly
installed, if one comes up in what they import; `threading` leaves a lock held.  So a signal waits while a module is
being imported, and for a while in what takes and gives back.  One whose exception is dropped (in a destructor, in
native code, by a bare ``except``) comes again, and whatever else a command then ends with, it was ended by the signal.
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

_RESEND_DELAY = 0.005
"""Seconds until a signal that came at a bad moment is sent again."""

_MAX_WAIT = 0.5
"""Seconds that a signal waits for the end of what takes or gives back; an import is waited for without limit."""

_IGNORE_PERIOD = 1.0
"""Seconds for which more signals change nothing: an impatient second one would disturb the cleaning up."""

_IMPORT_FILE = "<frozen importlib._bootstrap>"
_RESOURCE_FUNCTIONS = frozenset({"__enter__", "__exit__", "__del__", "acquire", "release"})
"""Functions that are not left by half: nobody gives back what they took, or the rest of it."""
_LOCKING_FILES = frozenset({threading.__file__, weakref.__file__, __file__})


class EndedBySignal(BaseException):
    """The process was asked to end by a signal other than Ctrl-C."""

    def __init__(self, number: int) -> None:
        self.number = number


class _TrackedInterrupt(KeyboardInterrupt):
    """Ctrl-C; unlike its base it can be watched."""


@contextmanager
def signals_as_exceptions() -> Iterator[None]:
    """Raise `EndedBySignal` for SIGTERM and SIGHUP, and KeyboardInterrupt for SIGINT, in the main thread.

    A signal that is ignored, or that a program around this one handles, is left to it: nohup means what it says.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    state = _SignalState(_count_imports(sys._getframe()))
    try:
        state.install()
        yield
    except (EndedBySignal, KeyboardInterrupt):
        raise
    except BaseException as error:
        if state.received:
            raise _make_exception(state.received[0]) from error
        raise
    finally:
        state.restore()
    if state.received:
        raise _make_exception(state.received[0])


class _SignalState:
    """The signals received, and those still to be raised.

    Parameters
    ----------
    outer : int
        Imports that are under way at the start.
    """

    def __init__(self, outer: int) -> None:
        self.received: list[int] = []
        self._outer_imports = outer
        self._main_thread = threading.get_ident()
        self._unraisable_hook = sys.unraisablehook
        self._handlers: dict[int, Any] = {}
        self._finished = False
        self._waiting: list[int] = []
        self._wait_start = 0.0  # when the first one came that waits, or was raised
        self._raised_ref: weakref.ref[BaseException] | None = None
        self._send_lock = _thread.allocate_lock()

    def install(self) -> None:
        """Take the signals over."""
        for number, usual in _DEFAULT_HANDLERS.items():
            if signal.getsignal(number) is usual:
                self._handlers[number] = signal.signal(number, self._handle)
        sys.unraisablehook = self._on_unraisable

    def restore(self) -> None:
        """Give them back; what still comes is kept in `received`."""
        self._finished = True
        with self._send_lock:  # so that nothing is sent from here on
            self._waiting.clear()
        sys.unraisablehook = self._unraisable_hook
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        """Raise the exception of a signal, now or later: the handler."""
        now = time.monotonic()
        if number not in self.received:
            self.received.append(number)
        if self._finished or (self._raised_ref is not None and now - self._wait_start < _IGNORE_PERIOD):
            return
        if not self._waiting:
            self._wait_start = now
        if self._is_unsafe(frame, now - self._wait_start):
            self._postpone(number)
            return
        self._waiting.clear()
        self._wait_start = now
        raise self._track_exception(number)

    def _is_unsafe(self, frame: FrameType | None, waited: float) -> bool:
        """Return whether an exception would interrupt a function that must finish."""
        if _count_imports(frame) > self._outer_imports:
            return True
        while frame is not None and waited < _MAX_WAIT:
            code = frame.f_code
            if code.co_name in _RESOURCE_FUNCTIONS or code.co_filename in _LOCKING_FILES:
                return True
            frame = frame.f_back
        return False

    def _track_exception(self, number: int) -> BaseException:
        """Return the exception of a signal.  Only its raiser holds it, so that its deletion tells that it was
        dropped."""
        error = _make_exception(number)
        self._raised_ref = weakref.ref(error, lambda gone: self._on_collected(number))
        return error

    def _on_collected(self, number: int) -> None:
        self._raised_ref = None
        if not self._finished:
            self._postpone(number)

    def _on_unraisable(self, unraisable: Any) -> None:
        """Swallow Python's notice of our own exceptions that it dropped: they are raised again."""
        if not isinstance(unraisable.exc_value, EndedBySignal | _TrackedInterrupt):
            self._unraisable_hook(unraisable)

    def _postpone(self, number: int) -> None:
        if number not in self._waiting:
            self._waiting.append(number)
            if len(self._waiting) == 1:
                with suppress(RuntimeError):  # no more threads: then at the end
                    _thread.start_new_thread(self._resend, ())

    def _resend(self) -> None:
        """Send the signal again: a flag would not do, for the main thread may by then wait for input."""
        while True:
            time.sleep(_RESEND_DELAY)
            with self._send_lock:
                if not self._waiting:
                    return
                signal.pthread_kill(self._main_thread, self._waiting[0])


_DEFAULT_HANDLERS = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGTERM: signal.SIG_DFL,
    signal.SIGHUP: signal.SIG_DFL,
}


def _make_exception(number: int) -> BaseException:
    return _TrackedInterrupt() if number == signal.SIGINT else EndedBySignal(number)


def _count_imports(frame: FrameType | None) -> int:
    """Count the imports that a frame is in."""
    found = 0
    while frame is not None:
        found += frame.f_code.co_filename == _IMPORT_FILE
        frame = frame.f_back
    return found

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

__all__ = ["Ended", "ending_signals"]

_WAIT = 0.005
"""Seconds until a signal that came at a bad moment is sent again."""

_PATIENCE = 0.5
"""Seconds that a signal waits for the end of what takes or gives back; an import is waited for without limit."""

_AGAIN = 1.0
"""Seconds for which more signals change nothing: an impatient second one would disturb the cleaning up."""

_IMPORT = "<frozen importlib._bootstrap>"
_TAKES = frozenset({"__enter__", "__exit__", "__del__", "acquire", "release"})
"""Functions that are not left by half: nobody gives back what they took, or the rest of it."""
_HOLDS = frozenset({threading.__file__, weakref.__file__, __file__})


class Ended(BaseException):
    """The process was asked to end by a signal other than Ctrl-C."""

    def __init__(self, number: int) -> None:
        self.number = number


class _Interrupted(KeyboardInterrupt):
    """Ctrl-C; unlike its base it can be watched."""


@contextmanager
def ending_signals() -> Iterator[None]:
    """Raise `Ended` for SIGTERM and SIGHUP, and KeyboardInterrupt for SIGINT, in the main thread.

    A signal that is ignored, or that a program around this one handles, is left to it: nohup means what it says.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ending = _Ending(_imports(sys._getframe()))
    try:
        ending.begin()
        yield
    except (Ended, KeyboardInterrupt):
        raise
    except BaseException as error:
        if ending.asked:
            raise _raised(ending.asked[0]) from error
        raise
    finally:
        ending.finish()
    if ending.asked:
        raise _raised(ending.asked[0])


class _Ending:
    """What has become of the signals that came.

    Parameters
    ----------
    outer : int
        Imports that are under way at the start.
    """

    def __init__(self, outer: int) -> None:
        self.asked: list[int] = []
        self._outer = outer
        self._main = threading.get_ident()
        self._told = sys.unraisablehook
        self._before: dict[int, Any] = {}
        self._over = False
        self._waiting: list[int] = []
        self._since = 0.0  # when the first one came that waits, or was raised
        self._on_its_way: weakref.ref[BaseException] | None = None
        self._sending = _thread.allocate_lock()

    def begin(self) -> None:
        """Take the signals over."""
        for number, usual in _USUAL.items():
            if signal.getsignal(number) is usual:
                self._before[number] = signal.signal(number, self._met)
        sys.unraisablehook = self._dropped

    def finish(self) -> None:
        """Give them back; what still comes is kept in `asked`."""
        self._over = True
        with self._sending:  # so that nothing is sent from here on
            self._waiting.clear()
        sys.unraisablehook = self._told
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _met(self, number: int, frame: FrameType | None) -> None:
        """The handler."""
        now = time.monotonic()
        if number not in self.asked:
            self.asked.append(number)
        if self._over or (self._on_its_way is not None and now - self._since < _AGAIN):
            return
        if not self._waiting:
            self._since = now
        if self._is_bad(frame, now - self._since):
            self._wait(number)
            return
        self._waiting.clear()
        self._since = now
        raise self._watched(number)

    def _is_bad(self, frame: FrameType | None, waited: float) -> bool:
        """Whether something would be left by half."""
        if _imports(frame) > self._outer:
            return True
        while frame is not None and waited < _PATIENCE:
            code = frame.f_code
            if code.co_name in _TAKES or code.co_filename in _HOLDS:
                return True
            frame = frame.f_back
        return False

    def _watched(self, number: int) -> BaseException:
        """The exception of a signal.  It is held by nobody here, so that its end tells that it was dropped."""
        error = _raised(number)
        self._on_its_way = weakref.ref(error, lambda gone: self._lost(number))
        return error

    def _lost(self, number: int) -> None:
        self._on_its_way = None
        if not self._over:
            self._wait(number)

    def _dropped(self, unraisable: Any) -> None:
        """Python's notice of exceptions that it drops: ours come again, and are no matter for a notice."""
        if not isinstance(unraisable.exc_value, Ended | _Interrupted):
            self._told(unraisable)

    def _wait(self, number: int) -> None:
        if number not in self._waiting:
            self._waiting.append(number)
            if len(self._waiting) == 1:
                with suppress(RuntimeError):  # no more threads: then at the end
                    _thread.start_new_thread(self._send, ())

    def _send(self) -> None:
        """By a signal, not a mere flag, for the main thread may by then wait for input."""
        while True:
            time.sleep(_WAIT)
            with self._sending:
                if not self._waiting:
                    return
                signal.pthread_kill(self._main, self._waiting[0])


_USUAL = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGTERM: signal.SIG_DFL,
    signal.SIGHUP: signal.SIG_DFL,
}


def _raised(number: int) -> BaseException:
    return _Interrupted() if number == signal.SIGINT else Ended(number)


def _imports(frame: FrameType | None) -> int:
    """How many imports a frame is in."""
    found = 0
    while frame is not None:
        found += frame.f_code.co_filename == _IMPORT
        frame = frame.f_back
    return found

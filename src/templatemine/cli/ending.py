"""Signals that end the program, as exceptions, so that temporary files and processes are cleaned up.

An exception out of nowhere is one that native code need not expect: orjson crashes, and numpy says that it is badly
installed, if one comes up in what they import.  So a signal waits while a module is being imported; and one that was
raised where Python drops exceptions (in a destructor, say) comes again.
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

__all__ = ["Ended", "ending_signals"]

_WAIT = 0.005
"""Seconds until a signal that came at a bad moment is sent again."""


class Ended(BaseException):
    """The process was asked to end by a signal other than Ctrl-C."""

    def __init__(self, number: int) -> None:
        self.number = number


@contextmanager
def ending_signals() -> Iterator[None]:
    """Raise `Ended` for SIGTERM and SIGHUP, and KeyboardInterrupt for SIGINT, in the main thread.

    A signal that is ignored, or that a program around this one handles, is left to it: nohup means what it says.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting: list[int] = []
    main, outer, told = threading.get_ident(), _imports(sys._getframe()), sys.unraisablehook

    def send() -> None:
        # By a signal, not a mere flag, for the main thread may by then wait for input.
        while waiting:
            time.sleep(_WAIT)
            for number in waiting[:1]:
                signal.pthread_kill(main, number)

    def wait(number: int) -> None:
        waiting.append(number)
        if len(waiting) == 1:
            _thread.start_new_thread(send, ())

    def end(number: int, frame: FrameType | None) -> None:
        if _imports(frame) > outer:
            if number not in waiting:
                wait(number)
            return
        waiting.clear()
        raise _raised(number)

    def dropped(unraisable: Any) -> None:
        error = unraisable.exc_value
        if isinstance(error, Ended | KeyboardInterrupt):
            wait(error.number if isinstance(error, Ended) else signal.SIGINT)
        else:
            told(unraisable)

    before = {}
    for number, usual in _USUAL.items():
        if signal.getsignal(number) is usual:
            before[number] = signal.signal(number, end)
    sys.unraisablehook = dropped
    try:
        yield
        if waiting:
            raise _raised(waiting[0])
    finally:
        waiting.clear()
        sys.unraisablehook = told
        for number, handler in before.items():
            signal.signal(number, handler)


_USUAL = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGTERM: signal.SIG_DFL,
    signal.SIGHUP: signal.SIG_DFL,
}


def _raised(number: int) -> BaseException:
    return KeyboardInterrupt() if number == signal.SIGINT else Ended(number)


def _imports(frame: FrameType | None) -> int:
    """How many imports a frame is in."""
    found = 0
    while frame is not None:
        found += frame.f_code.co_filename == "<frozen importlib._bootstrap>"
        frame = frame.f_back
    return found

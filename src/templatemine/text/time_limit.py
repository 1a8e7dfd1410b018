"""(expression of a user's own, text) -> matches, in bounded time.

`templatemine.text.lint` refuses expressions that may take more than linear time from one place of a text.  From all of
its places such a one may still take the square of the text (``a{1,200}a+[bc]``), so each has a limit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from templatemine.errors import CapacityError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import regex

SECONDS, SECONDS_PER_CHARACTER = 2.0, 1e-5
"""Time of the processor, of all threads of the process, that one expression may take for one text."""


def matches_in_time(
    expression: regex.Pattern[str], text: str, *, overlapped: bool = False, limit: float | None = None
) -> Iterator[regex.Match[str]]:
    """Yield the matches of an expression, as ``finditer`` gives them.

    Parameters
    ----------
    limit : float, optional
        Seconds; by default `SECONDS`, and `SECONDS_PER_CHARACTER` for the text.

    Raises
    ------
    CapacityError
        If the expression takes longer for the text.
    """
    limit = SECONDS + SECONDS_PER_CHARACTER * len(text) if limit is None else limit
    try:
        yield from expression.finditer(text, overlapped=overlapped, timeout=limit)
    except TimeoutError:
        raise CapacityError(
            f"the expression {expression.pattern!r} takes longer than {limit:.1f} s for {len(text):,} characters; "
            "bound its repeats, or begin it with what is rare"
        ) from None

"""A real browser for tests: Debian's Chromium, driven by Playwright; without either the tests are skipped."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from templatemine.pages.render.browser import find_browser


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser, or a skipped test that says what is missing."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = find_browser()
    if program is None:
        pytest.skip("no chromium: apt-get install chromium, or name one in CHROMIUM")
    with sync_api.sync_playwright() as playwright:
        # Started by root, as in a container, it refuses its own sandbox.
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"], timeout=60_000)
        try:
            yield browser
        finally:
            browser.close()

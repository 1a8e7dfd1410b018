"""The archive of the demo -> pictures of its report and of the desk, in Chromium.

python docs/site/shots.py FOLDER
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "datasets"))

import demo
from generate import write_archive
from templatemine.pages.render.browser import find_browser

SOURCE = "tarnwickledger.example"
SIZE = {"width": 1100, "height": 760}


class Shot(NamedTuple):
    """A picture, the page that shows it, what it shows, and words of the paragraph that it stands below."""

    name: str
    page: str
    description: str
    below: str = "# "


SHOTS = (
    Shot("report", "docs/report", "The report: its conclusion, and what cuts leave behind"),
    Shot("desk", "docs/review", "The desk: templates by risk, and one of them in its articles", "riskiest first"),
    Shot("report", "docs/tutorial", "A source in the report", "Open it in a browser"),
    Shot("desk", "docs/tutorial", "The desk: a template and its articles", "Delete its line in the pack"),
)


def take(folder: Path) -> Path | None:
    """Make the pictures; None, and a line that says why, if there is no browser or an extra is missing."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return _none("playwright is not installed")
    program = find_browser()
    if program is None:
        return _none("there is no Chromium")
    with tempfile.TemporaryDirectory() as name:
        made = Path(name)
        archive, packs, report = made / "archive.jsonl.gz", made / "packs", made / "report.html"
        write_archive(demo.SPEC, str(archive), held_out=str(made / "new.jsonl"), split=demo.SPLIT)
        _run("mine", archive, "-o", packs, "--quiet")
        try:
            _run("report", packs, "--archive", archive, "-o", report, "--quiet", "--title", "Sample archive")
            with _desk(packs, archive) as address, sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"], timeout=60_000)
                folder.mkdir(parents=True, exist_ok=True)
                _report(browser, report, folder / "report.png")
                _review(browser, address, folder / "desk.png")
                browser.close()
        except subprocess.CalledProcessError as error:
            return _none(error.stderr.strip())
    return folder


def _none(why: str) -> None:
    print(f"no pictures: {why}")


def _command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "templatemine", *map(str, arguments)]


def _run(*arguments: object) -> None:
    subprocess.run(_command(*arguments), check=True, capture_output=True, text=True, timeout=300)


@contextmanager
def _desk(packs: Path, archive: Path) -> Iterator[str]:
    """A desk on a free port of loopback, and its address."""
    command = _command("desk", packs, "--archive", archive, "--port", "0", "--by", "Ann", "--quiet")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            address = process.stdout.readline().strip()
            if not address:
                raise subprocess.CalledProcessError(process.wait(30), command, stderr=process.stderr.read())
            yield address
        finally:
            process.terminate()
            process.communicate(timeout=30)


def _report(browser: Any, report: Path, picture: Path) -> None:
    page = browser.new_page(viewport=SIZE)
    page.goto(report.as_uri())
    page.screenshot(path=str(picture))


def _review(browser: Any, address: str, picture: Path) -> None:
    page = browser.new_page(viewport=SIZE)
    page.goto(f"{address}review?source={quote(SOURCE)}")
    page.locator("#list").get_by_text("Our digest").first.click()
    page.locator("#pane-template mark").first.wait_for()
    page.screenshot(path=str(picture))


if __name__ == "__main__":
    print(json.dumps([one._asdict() for one in SHOTS], indent=1) if take(Path(sys.argv[1])) else "")

"""The review in a real browser: what is seen first of a template, and whoever is faster than the desk answers."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

for _name in ("starlette", "jinja2", "uvicorn"):
    pytest.importorskip(_name, reason=f"the desk needs {_name}: pip install 'templatemine[desk]'")

from desk_browser import Place, chosen, running, settled  # noqa: E402
from test_risks import put_tearing  # noqa: E402

pytest_plugins = ("desk_fixtures",)


@pytest.fixture
def fresh(tmp_path: Path, mined_packs: Path, rows: list[dict[str, Any]]) -> Iterator[Place]:
    """A desk at which nobody has decided anything; a template of its first source tears sentences."""
    packs = Path(shutil.copytree(mined_packs, tmp_path / "packs"))
    archive = tmp_path / "archive.jsonl"
    archive.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with running(packs, archive) as address:
        yield Place(address, packs, rows)


def listed(page: Any, place: Place, source: str) -> list[dict[str, Any]]:
    """The templates of a source as the list has them, the riskiest first."""
    view = quote(json.dumps({"order": "risk"}))
    found = page.request.get(f"{place.address}/api/review?source={quote(source)}&view={view}").json()
    rows: list[dict[str, Any]] = found["templates"]
    return rows


def shown(page: Any, place: Place, source: str, name: str) -> Any:
    """Open a template by a link, and return its pane."""
    page.goto(f"{place.address}/review?source={quote(source)}&id={name}")
    pane = page.locator(f"#pane-template[data-id={name}]")
    pane.wait_for()
    settled(page)
    return pane


class Held:
    """Holds what the page asks for at a path, until it is released; the answers of a desk are held if it is `asked`."""

    def __init__(self, page: Any, path: str, *, asked: bool = False) -> None:
        self.page, self.asked, self.free = page, asked, False
        self.routes: list[tuple[Any, Any]] = []
        page.route(f"**{path}*", self.take)

    def take(self, route: Any) -> None:
        if self.free:
            route.continue_()
        else:
            self.routes.append((route, route.fetch() if self.asked else None))

    def wait(self) -> None:
        while not self.routes:
            self.page.wait_for_timeout(20)

    def release(self) -> None:
        self.wait()
        self.free = True
        for route, answer in self.routes:
            if self.asked:
                route.fulfill(response=answer)
            else:
                route.continue_()


@pytest.mark.parametrize("size", [(1280, 800), (1440, 900)])
def test_no_button_stands_out_where_cuts_do_harm_and_the_worst_is_seen_first(
    page: Any, fresh: Place, size: tuple[int, int]
) -> None:
    """ "Cut" was the main button of what tears sentences, and the first example below the fold."""
    source = fresh.texts[0]
    torn = put_tearing(fresh.pack(source), next(fresh.packs.glob(f"*{source}*"))).id
    page.set_viewport_size({"width": size[0], "height": size[1]})
    pane = shown(page, fresh, source, torn)
    assert "Tears a sentence" in pane.locator(".doubt").inner_text()
    assert pane.locator(".acts .main").count() == 0
    example = pane.locator(".acts + .snips li")  # directly below the buttons
    assert example.locator("p").inner_text() == "Here the cut tears a sentence or a headline."
    assert example.locator("mark").count() >= 1
    box, window = example.bounding_box(), page.locator("#pane-template").bounding_box()
    assert window["y"] <= box["y"] < box["y"] + box["height"] <= window["y"] + window["height"]
    rows = listed(page, fresh, source)
    states = {
        row["id"]: page.request.get(f"{fresh.address}/api/template?source={quote(source)}&id={row['id']}").json()
        for row in rows
    }
    plain = next(name for name, one in states.items() if not one["doubt"] and one["touched"])
    pane = shown(page, fresh, source, plain)
    assert pane.locator(".acts .main").all_inner_texts() == ["Cut (a)"]
    assert pane.locator(".acts + .snips li p").count() == 0
    page.keyboard.press("r")
    page.wait_for_selector(f".item.out[data-id={plain}]")
    pane = shown(page, fresh, source, plain)  # the next key must not take back what was decided, nor a main button
    assert pane.locator(".acts .main").count() == 0


def test_a_long_template_leaves_its_example_in_view(page: Any, fresh: Place) -> None:
    source = fresh.texts[0]
    first = listed(page, fresh, source)[0]["id"]

    def lengthen(route: Any) -> None:
        found = route.fetch().json()
        match = "word \n\n" * 2000
        sides = {"before": "b\n" * 40, "after": "a\n\n\n" * 40}
        route.fulfill(json={**found, "text": "word " * 2000, "snippets": [{"id": "x", "match": match, **sides}]})

    page.route("**/api/template*", lengthen)
    pane = shown(page, fresh, source, first)
    box, window = pane.locator(".acts + .snips").bounding_box(), pane.bounding_box()
    assert box["y"] + box["height"] <= window["y"] + window["height"]
    hidden = pane.locator(".acts + .snips mark .gap").inner_text()
    assert re.fullmatch(r"\s*… [\d,]+ characters …\s*", hidden)


def test_a_key_before_the_list_is_there_decides_nothing(page: Any, fresh: Place) -> None:
    """Keys met a page without a list, and words in its filter were forgotten."""
    source = fresh.texts[0]
    before, rows = fresh.pack(source), listed(page, fresh, source)
    word = next(word for word in reversed(rows[-1]["text"].split()) if word.isalpha())
    held = Held(page, "/api/review")
    page.goto(f"{fresh.address}/review?source={quote(source)}")
    for key in ("j", "k", "n", "a", "r", "A", "f", "u", "e", "2", "1"):
        page.keyboard.press(key)
    assert page.locator("#undo, #finish").evaluate_all("all => all.every(one => one.disabled)")
    page.locator("#order").select_option("df")
    page.keyboard.press("/")
    page.keyboard.type(word)
    held.release()
    page.wait_for_selector("body[data-ready]")
    page.wait_for_selector(".item[aria-selected=true]")
    settled(page)
    texts = page.locator("#list .item .say").all_inner_texts()
    assert 0 < len(texts) < len(rows)
    assert all(word.casefold() in text.casefold() for text in texts)
    assert page.locator("#told div").count() == 0
    assert page.locator("#progress").inner_text().startswith("0 of")
    assert fresh.pack(source) == before
    assert page.locator("#tab-template").get_attribute("aria-selected") == "true"  # who has begun is not led elsewhere


def test_a_link_to_the_first_template_leads_there(page: Any, fresh: Place) -> None:
    """It led to the questions: the linked one was taken for what nobody had chosen."""
    source = fresh.texts[1]
    first, second = listed(page, fresh, source)[:2]
    assert page.request.get(f"{fresh.address}/api/questions?source={quote(source)}").json()
    held = Held(page, "/api/questions")
    page.goto(f"{fresh.address}/review?source={quote(source)}&id={first['id']}")
    page.wait_for_selector(f"#pane-template[data-id={first['id']}]")  # and does not wait for questions
    held.release()
    page.wait_for_selector("#questions > *", state="attached")
    settled(page)
    assert chosen(page) == first["id"]
    assert page.locator("#pane-template").is_visible()
    held = Held(page, "/api/template")
    page.goto(f"{fresh.address}/review?source={quote(source)}&id={first['id']}")
    page.wait_for_selector("body[data-ready]")
    page.locator(f".item[data-id={second['id']}]").click()  # who goes elsewhere stays there
    held.release()
    page.wait_for_selector(f"#pane-template[data-id={second['id']}]")
    settled(page)
    assert chosen(page) == second["id"]


def test_who_looks_at_something_is_not_led_to_the_questions(page: Any, fresh: Place) -> None:
    source = fresh.texts[1]
    held = Held(page, "/api/questions")
    page.goto(f"{fresh.address}/review?source={quote(source)}")
    page.wait_for_selector("body[data-ready]")
    page.locator("#tab-articles").click()
    page.locator(".art").first.wait_for()
    held.release()
    page.wait_for_selector("#questions > *", state="attached")
    settled(page)
    assert page.locator("#pane-articles").is_visible()


def test_two_keys_answer_two_questions(page: Any, fresh: Place) -> None:
    """The second answered the first once more, as long as the others were on the way."""
    source = fresh.texts[1]
    page.goto(f"{fresh.address}/review?source={quote(source)}")
    page.locator(".question").nth(2).wait_for()
    asked = page.request.get(f"{fresh.address}/api/questions?source={quote(source)}").json()
    held = Held(page, "/api/decide")
    page.keyboard.press("s")
    page.keyboard.press("s")
    held.release()
    settled(page)
    left = page.request.get(f"{fresh.address}/api/questions?source={quote(source)}").json()
    gone = [one["tokens"] for one in asked if one["tokens"] not in [other["tokens"] for other in left]]
    assert gone == [one["tokens"] for one in asked[:2]]


def test_a_late_answer_is_not_shown_for_an_early_one(page: Any, fresh: Place) -> None:
    """Articles that were asked for twice stood there twice, and a pane of before a decision replaced that of after."""
    source = fresh.texts[0]
    first = listed(page, fresh, source)[0]["id"]
    pane = shown(page, fresh, source, first)
    page.keyboard.press("j")
    page.wait_for_selector(f"#pane-template:not([data-id={first}])")
    held = Held(page, "/api/template", asked=True)
    page.keyboard.press("k")
    held.wait()
    held.free = True  # the next ones
    page.keyboard.press("r")
    page.locator(f".item.out[data-id={first}]").click()
    pane.get_by_role("button", name="Leave in (r)").and_(page.locator(":disabled")).wait_for()
    with page.expect_response(f"**/api/template*{first}"):
        held.release()
    page.wait_for_timeout(200)
    assert pane.get_by_role("button", name="Leave in (r)").is_disabled()

    page.locator("#tab-articles").click()
    page.locator(".art").nth(4).wait_for()
    page.locator("#more").evaluate("one => { one.click(); one.click(); }")
    page.locator(".art").nth(9).wait_for()
    page.wait_for_timeout(200)
    assert page.locator(".art").count() == 10


def test_the_head_of_a_family_names_its_riskiest_variant(page: Any, fresh: Place) -> None:
    """The list ranks it by that; and no button stands out beside a risk."""
    source = fresh.texts[0]
    first, other = listed(page, fresh, source)[:2]

    def widen(route: Any) -> None:
        found = route.fetch().json()
        variant = {**other, "text": "word " * 40, "doubt": ["It may be story."]}
        route.fulfill(json={**found, "doubt": [], "variant": variant if found["id"] == first["id"] else None})

    page.route("**/api/template*", widen)
    pane = shown(page, fresh, source, first["id"])
    assert pane.locator(".doubt").inner_text().endswith("… — It may be story.")
    assert pane.locator(".acts .main").count() == 0
    pane.locator(".doubt button").click()
    page.locator(f"#pane-template[data-id={other['id']}] .acts .main").wait_for()
    sample = page.request.get(f"{fresh.address}/api/review?source={quote(source)}").json()["sample"]
    share = f"{100 * sample['cut'] / sample['characters']:.1f} % of all characters go."  # not of those that change
    assert page.locator("#sample").inner_text().endswith(f"of {sample['articles']} articles change, and {share}")

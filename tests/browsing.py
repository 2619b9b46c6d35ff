"""Pages in a real browser, for tests.

They run where Chromium is installed (`make browser` tries to); elsewhere they are skipped, with that reason.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from play_helpers import PATIENCE, served, settled

from strand_env.play.session import Recording, Session

sync_api = pytest.importorskip("playwright.sync_api")

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
if BROWSER is None:
    pytest.skip("no Chromium here: `make browser` installs it where it can", allow_module_level=True)

CHOICES = "#choices:not([inert]) button:enabled"
CHOICES_OR_END = f"{CHOICES}, #end:not([hidden])"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    flags = ["--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update"]
    if os.geteuid() == 0:
        flags.append("--no-sandbox")  # which root cannot have
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=flags)
        yield browser
        browser.close()


@contextmanager
def page_of(browser: Any, shown: Session | Recording, still: bool = True, **options: Any) -> Iterator[Any]:
    """A page that shows a game, and comes to its end without an error; without animations if it is to be `still`."""
    context = browser.new_context(reduced_motion="reduce" if still else "no-preference", **options)
    context.set_default_timeout(1000 * PATIENCE)
    with served(shown) as client:
        page = context.new_page()
        wrong: list[str] = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        # A refusal is an error to the browser, but not to the page.
        page.on(
            "console", lambda said: wrong.append(said.text) if said.type == "error" and "409" not in said.text else None
        )
        page.on("requestfailed", lambda request: wrong.append(request.url))
        page.goto(client.here)
        page.wait_for_selector("#board *")
        yield page
        context.close()
    assert [words for words in wrong if "409" not in words] == []  # a refusal is an error to the browser alone


def actions(page: Any) -> list[int]:
    return [int(button.get_attribute("data-action")) for button in page.query_selector_all(CHOICES)]


def number_shown(page: Any) -> tuple[int, int]:
    shown, last = page.inner_text("#count").split(" / ")
    return int(shown), int(last)


def click_and_wait(page: Any, session: Session, choice: Any) -> None:
    """Chooses, and waits until what follows is on the page."""
    before = len(session.now().positions)
    choice.click()
    session.wait(lambda now: len(now.positions) > before, PATIENCE)  # until the choice has arrived
    steps = len(settled(session).positions) - 1
    page.wait_for_selector(f'#slider[aria-valuetext="Step {steps} of {steps}"]', state="attached")
    page.wait_for_selector(CHOICES_OR_END)


def assert_buttons_fit(page: Any, width: int) -> None:
    """Nothing is wider than the page, and fingers find all buttons."""
    assert page.evaluate("document.documentElement.scrollWidth") == width
    for button in page.query_selector_all(CHOICES):
        box = button.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert min(box["width"], box["height"]) >= 44  # a finger's width


def assert_scores_fit(browser: Any, session: Session) -> None:
    """The tables of a finished game, on a wide page and on a phone."""
    for width in (1280, 390):
        with page_of(browser, session, viewport={"width": width, "height": 800}) as page:
            page.wait_for_selector("#end table")
            end = page.query_selector("#end").bounding_box()
            for table in page.query_selector_all("#end table"):
                box = table.bounding_box()
                assert box["x"] >= end["x"]
                assert box["x"] + box["width"] <= end["x"] + end["width"]
            assert page.evaluate("document.documentElement.scrollWidth") == width

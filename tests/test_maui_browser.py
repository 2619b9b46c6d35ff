"""Maui on the page in a real browser: towels from the market onto the beach, by clicks, keys and touch."""

from typing import Any

import pytest
from browsing import (
    CHOICES,
    CHOICES_OR_END,
    assert_buttons_fit,
    assert_scores_fit,
    browser,
    click_and_wait,
    page_of,
)
from maui_positions import position, take
from play_helpers import PATIENCE, play_on, settled

from strand_env.agents import RandomAgent
from strand_env.maui import GAME, Games
from strand_env.play.session import Session

pytestmark = pytest.mark.slow
__all__ = ["browser"]  # a fixture

OPEN_TOWEL = ".market .open[data-place^=market]"
OPEN_HEIGHT = ".me .height.open"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def session_of(
    players: int = 3, variant: str = "base", seed: int = 1, start: dict[str, Any] | None = None, hints: bool = False
) -> Session:
    """A person in seat 0 against random agents."""
    batch = Games(1, players, seed, variant=variant) if start is None else Games.from_snapshots([start])
    agents = [None, *(RandomAgent() for _ in range(batch.num_players - 1))]
    names = ["you", *["random"] * (batch.num_players - 1)]
    return Session(GAME, batch, agents, names, {"random": RandomAgent()} if hints else {})


def offered(page: Any) -> set[int]:
    """All actions that can be reached from here, through all stages."""
    reached = set()
    for button in page.query_selector_all(CHOICES):
        action = button.get_attribute("data-action")
        reached |= {int(action)} if action else set()
    return reached


def wait_for_choices(page: Any) -> None:
    page.wait_for_selector(CHOICES_OR_END)


@pytest.mark.heavy
def test_a_whole_game_by_clicks_on_the_pictures(browser: Any) -> None:
    """Towels are taken from the market and laid on the beach; where there is no place for a choice, by its button."""
    laid = 0
    with session_of(2, "combined", 4) as session, page_of(browser, session) as page:
        while True:
            wait_for_choices(page)
            if page.is_visible("#end"):
                break
            now = settled(session)
            towels = page.query_selector_all(OPEN_TOWEL)
            if now.snapshot["phase"] == "turn" and towels and len(now.positions) % 4:
                assert len(towels) == len({action // 5 for action in now.legal if action < 30})
                towels[len(now.positions) % len(towels)].click()
                page.wait_for_selector(CHOICES)
                heights = page.query_selector_all(OPEN_HEIGHT)
                assert {f"action-{action}" for action in offered(page)} == {
                    height.get_attribute("data-place") for height in heights
                }
                choice = heights[-1]
                laid += 1
            else:
                places = page.query_selector_all("#board .open[data-place^=action], .me .place.open")
                buttons = [button for button in page.query_selector_all(CHOICES) if button.get_attribute("data-action")]
                choice = (places or buttons)[0] if places or buttons else None
                if choice is None:
                    page.click(CHOICES)
                    page.wait_for_selector(CHOICES)
                    choice = page.query_selector(CHOICES + "[data-action]")
            click_and_wait(page, session, choice)
        now = session.now()
        assert now.over
        assert laid > 5
        points = page.locator("#end tfoot td:last-child").all_inner_texts()
        assert sorted(int(each.replace("−", "-")) for each in points) == sorted(now.snapshot["scores"])


def test_the_gain_is_shown_before_a_towel_is_laid(browser: Any) -> None:
    """E4: the towel as it would lie and what it would bring, and nothing has happened yet."""
    start = position("BRV", 1, market={0: "YPB"})
    with session_of(start=start) as session, page_of(browser, session) as page:
        wait_for_choices(page)
        assert page.locator("[data-ghost]:visible").count() == 0
        page.click('.market [data-place~="market-0"]')
        assert page.locator(".market .chosen").get_attribute("data-place").startswith("market-0")
        page.wait_for_selector(CHOICES)
        page.hover(f'[data-place="action-{take(0, -2)}"]')
        assert page.locator("[data-ghost]:visible").count() == 1
        ghost = page.locator(f'[data-ghost="action-{take(0, -2)}"]')
        assert ghost.is_visible()
        assert {"+3", "×2"} <= set(ghost.locator("text").all_text_contents())
        pointed = page.locator(".choice.pointed")
        assert pointed.get_attribute("data-action") == str(take(0, -2))
        assert "light blue +3, 2 penalty tokens; +2 points" in pointed.get_attribute("aria-label")
        assert len(session.now().positions) == 1
        page.click(f'[data-place="action-{take(0, -2)}"]')
        session.wait(lambda now: len(now.positions) > 1, PATIENCE)
        assert session.now().positions[1].snapshot["shells"][0] == [0, 0, 3, 0, 0]


def test_another_towel_and_back(browser: Any) -> None:
    start = position("YPB", market={0: "YRV", 3: "PBV"})
    with session_of(start=start) as session, page_of(browser, session) as page:
        wait_for_choices(page)
        page.click('.market [data-place~="market-0"]')
        page.wait_for_selector(".chosen:has-text('YRV')")
        page.wait_for_timeout(450)  # a second click at once counts for nothing
        page.click('.market [data-place~="market-3"]')
        page.wait_for_selector(".chosen:has-text('PBV')")
        page.click(".back")
        page.wait_for_selector(f"{CHOICES}:not([data-action])")
        assert page.locator(".market .chosen").count() == 0
        assert page.locator(f"{CHOICES}:not([data-action])").count() > 1
        assert len(session.now().positions) == 1


def test_by_keyboard_alone(browser: Any) -> None:
    with session_of(2, hints=True) as session, page_of(browser, session) as page:
        wait_for_choices(page)
        page.keyboard.press("h")
        page.wait_for_selector(".percent")
        page.keyboard.press("1")
        page.keyboard.press("Enter")
        page.wait_for_selector(f"{CHOICES}:focus")
        assert page.evaluate("document.activeElement.dataset.action") is not None
        assert page.locator("[data-ghost]:visible").count() == 1  # the focus points at it
        shares = [float(words.rstrip(" %").lstrip("<")) for words in page.locator(".percent").all_inner_texts()]
        assert len(shares) == page.locator(".choice").count()
        page.keyboard.press("Escape")
        page.wait_for_selector(f"{CHOICES}:focus")
        assert page.evaluate("document.activeElement.dataset.action") is None
        for _ in range(5):
            steps = len(settled(session).positions)
            while len(session.now().positions) == steps:
                page.wait_for_selector(f"{CHOICES}:focus")
                page.keyboard.press("ArrowRight")
                page.keyboard.press("Enter")
                page.wait_for_timeout(450)
            page.wait_for_selector(f'#slider[max="{len(settled(session).positions) - 1}"]', state="attached")


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.heavy)])
def test_on_a_phone_everything_has_its_place(browser: Any, scheme: str) -> None:
    """All fits, fingers find the buttons; a first touch of a height shows what it brings, a second lays the towel."""
    with session_of(4, "crabs", 5) as session, page_of(browser, session, color_scheme=scheme, **PHONE) as page:
        for _ in range(6):
            settled(session)
            wait_for_choices(page)
            assert_buttons_fit(page, 390)
            towel = page.query_selector(OPEN_TOWEL)
            if towel is None:
                click_and_wait(page, session, page.query_selector(CHOICES))
                continue
            box = page.query_selector(CHOICES).bounding_box()
            assert box["y"] < 844 - page.query_selector("footer").bounding_box()["height"] - 44
            towel.tap()
            page.wait_for_selector(CHOICES)
            steps = len(session.now().positions)
            height = page.query_selector(OPEN_HEIGHT)
            height.tap()
            assert page.locator("[data-ghost]:visible").count() == 1
            assert len(session.now().positions) == steps
            page.wait_for_timeout(450)
            height.tap()
            session.wait(lambda now, steps=steps: len(now.positions) > steps, PATIENCE)
            page.wait_for_selector(f'#slider[max="{len(settled(session).positions) - 1}"]', state="attached")
        assert page.query_selector(".me .beach svg").bounding_box()["width"] > 330


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (900, 700), (844, 390), (768, 1024), (640, 900)])
def test_what_may_be_done_is_seen_at_once(browser: Any, width: int, height: int) -> None:
    with session_of() as session, page_of(browser, session, viewport={"width": width, "height": height}) as page:
        wait_for_choices(page)
        box = page.query_selector(CHOICES).bounding_box()
        assert box["y"] + box["height"] < height - page.query_selector("footer").bounding_box()["height"]
        assert page.evaluate("document.documentElement.scrollWidth") == width


def test_the_beach_stays_where_it_is_while_one_chooses(browser: Any) -> None:
    with session_of() as session, page_of(browser, session) as page:
        wait_for_choices(page)
        before = page.query_selector(".me .beach").bounding_box()
        page.click(OPEN_TOWEL)
        page.wait_for_selector(OPEN_HEIGHT)
        assert page.query_selector(".me .beach").bounding_box() == before


@pytest.mark.parametrize("variant", ["base", "combined"])
def test_final_scores_fit(browser: Any, variant: str) -> None:
    with session_of(4, variant, 2) as session:
        play_on(session)
        assert_scores_fit(browser, session)


def test_looking_back_offers_nothing(browser: Any) -> None:
    with session_of() as session:
        play_on(session, until=lambda now: len(now.positions) > 6)
        with page_of(browser, session) as page:
            page.wait_for_selector(CHOICES)
            page.fill("#slider", "2")
            page.wait_for_selector('#task:has-text("Looking back at step 2.")')
            assert page.locator(".open").count() == 0
            page.click("#latest")
            page.wait_for_selector(OPEN_TOWEL)

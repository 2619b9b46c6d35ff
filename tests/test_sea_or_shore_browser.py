"""Sea or Shore on the page in a real browser: cards and halves by clicks and touch, the reveal, the end."""

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
from play_helpers import PATIENCE, play_on, settled
from sea_or_shore_positions import card, position
from sea_or_shore_steps import examples, session_of

from strand_env.sea_or_shore import Games, Ruleset

pytestmark = pytest.mark.slow
__all__ = ["browser"]  # a fixture

OPEN_CARD = ".me .hand .open[data-place^=card]"
OPEN_HALF = ".me .hand .half.open"
OPEN_PLACE = "#board .open[data-place^=action], #players .open[data-place^=action]"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def start(players: int = 4, seed: int = 1, sides: tuple[int, int] = (1, 1)) -> dict[str, Any]:
    return Games(1, players, seed, Ruleset(sides=sides)).snapshot(0)


@pytest.mark.heavy
def test_a_whole_game_by_clicks_on_the_pictures(browser: Any) -> None:
    """Cards are played by their halves, treasures and players named where they lie; the rest by buttons."""
    played, named = 0, set()
    with session_of(start(5, 4, (0, 1)), 0) as session, page_of(browser, session) as page:
        while True:
            page.wait_for_selector(CHOICES_OR_END)
            if page.is_visible("#end"):
                break
            now = settled(session)
            if now.snapshot["phase"] == "card":
                cards = page.query_selector_all(OPEN_CARD)
                assert len(cards) == len(now.snapshot["hands"][0])
                cards[len(now.positions) % len(cards)].click()
                page.wait_for_selector(CHOICES)
                halves = page.query_selector_all(OPEN_HALF)
                assert len(halves) == 2
                choice = halves[len(now.positions) % 2]
                played += 1
            else:
                places = page.query_selector_all(OPEN_PLACE)
                assert len(places) == (0 if now.snapshot["phase"] in ("extras", "order") else len(now.legal))
                named |= {now.snapshot["phase"]} if places else set()
                choice = (places or page.query_selector_all(CHOICES))[-1]
            click_and_wait(page, session, choice)
        now = session.now()
        assert now.over
        assert played == 18
        assert named >= {"gift", "pick", "discard"}
        points = page.locator("#end tfoot td:last-child").all_inner_texts()
        assert sorted(map(int, points)) == sorted(now.snapshot["scores"])


def test_a_half_shows_its_cover_before_it_is_played(browser: Any) -> None:
    snapshot = position("red 3, green 1", [card("blue 7"), 5, 30, 40])
    with session_of(snapshot, 0) as session, page_of(browser, session) as page:
        page.wait_for_selector(OPEN_CARD)
        assert page.locator("[data-ghost]:visible").count() == 0
        assert page.locator(OPEN_HALF).count() == 0
        page.click(f'[data-place="card-{card("blue 7")}"]')
        page.wait_for_selector(CHOICES)
        assert page.locator(".hand .chosen").get_attribute("data-place") == f"card-{card('blue 7')}"
        number = f"action-{48 + card('blue 7')}"
        page.hover(f'[data-place="{number}"]')
        assert page.locator("[data-ghost]:visible").get_attribute("data-ghost") == number
        assert page.locator(".choice.pointed").inner_text().strip().endswith("show 7")
        assert len(session.now().positions) == 1
        page.wait_for_timeout(450)  # a second click at once counts for nothing
        page.click(f'[data-place="card-{snapshot["hands"][0][-1]}"]')  # another card instead
        page.wait_for_selector(CHOICES)
        assert page.locator(".hand .chosen").get_attribute("data-place") == f"card-{snapshot['hands'][0][-1]}"
        page.keyboard.press("Escape")
        page.wait_for_selector(f"{CHOICES}:not([data-action])")
        assert page.locator(".hand .chosen").count() == 0


def test_the_reveal_is_a_moment(browser: Any) -> None:
    """With the last card of the trick the covers come off, and what everybody played stays until the next card."""
    snapshot = position(
        "blue 5, green 1", [card("blue 9"), card("blue 7"), card("green 2"), card("purple 2")], leader=1
    )
    with session_of(snapshot, 0) as session, page_of(browser, session, still=False) as page:
        page.wait_for_selector(OPEN_CARD)
        assert page.locator("#revealed").is_hidden()
        page.click(f'[data-place="card-{card("blue 9")}"]')
        page.wait_for_selector(OPEN_HALF)
        page.wait_for_timeout(450)
        page.click(f'[data-place="action-{card("blue 9")}"]')
        page.wait_for_selector("#revealed.fresh .opened")
        assert page.locator("#revealed .opened li").count() == 4
        assert page.locator("#revealed .winner").count() >= 1
        page.wait_for_timeout(1200)
        assert page.evaluate("getComputedStyle(document.querySelector('.opened .cover')).opacity") == "0"
        assert page.locator("#revealed .opened").is_visible()


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.heavy)])
def test_on_a_phone_everything_has_its_place(browser: Any, scheme: str) -> None:
    """All fits, fingers find cards and buttons; the first touch of a half shows its cover, the second plays it."""
    with session_of(start(5), 0) as session, page_of(browser, session, color_scheme=scheme, **PHONE) as page:
        for _ in range(5):
            now = settled(session)
            page.wait_for_selector(CHOICES_OR_END)
            assert_buttons_fit(page, 390)
            if now.snapshot["phase"] != "card":
                click_and_wait(page, session, page.query_selector(CHOICES))
                continue
            mine = page.query_selector(OPEN_CARD)
            box = mine.bounding_box()
            assert min(box["width"], box["height"]) >= 44
            assert box["y"] + box["height"] < 844 - page.query_selector("footer").bounding_box()["height"]
            mine.tap()
            page.wait_for_selector(CHOICES)
            half = page.query_selector(OPEN_HALF)
            half.tap()
            assert page.locator("[data-ghost]:visible").count() == 1
            assert len(session.now().positions) == len(now.positions)
            page.wait_for_timeout(450)
            half.tap()
            session.wait(lambda later, now=now: len(later.positions) > len(now.positions), PATIENCE)
            page.wait_for_selector(f'#slider[max="{len(settled(session).positions) - 1}"]', state="attached")


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (900, 700), (768, 1024), (640, 900)])
def test_the_hand_is_seen_at_once(browser: Any, width: int, height: int) -> None:
    snapshot = position("red 3, green 1", [card("blue 7"), 5, 30, 40], trick=1)
    with (
        session_of(snapshot, 0) as session,
        page_of(browser, session, viewport={"width": width, "height": height}) as page,
    ):
        page.wait_for_selector(OPEN_CARD)
        bottom = height - page.query_selector("footer").bounding_box()["height"]
        for mine in page.query_selector_all(OPEN_CARD):
            box = mine.bounding_box()
            assert box["y"] + box["height"] < bottom
        assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("players", [3, 5])
def test_final_scores_fit(browser: Any, players: int) -> None:
    with session_of(next(step[0] for step in examples(players) if step[2]["phase"] == "over"), 0) as session:
        play_on(session)
        assert_scores_fit(browser, session)


def test_undo_goes_back_to_the_start_of_the_trick(browser: Any) -> None:
    with session_of(start(4, 2), 0) as session:
        now = play_on(session, until=lambda now: now.snapshot["trick"] == 3)
        with page_of(browser, session) as page:
            page.wait_for_selector(CHOICES)
            assert page.inner_text("#story details[open] summary") == "Round 1, trick 3"
            page.click("#undo")
            session.wait(lambda later: later.course > now.course and bool(later.legal), PATIENCE)
            assert session.now().snapshot == now.snapshot  # the others do the same again


def test_watching_shows_all_hands(browser: Any) -> None:
    """A game of agents hides nothing; nothing in it can be clicked."""
    with session_of(start(3, 3), None) as session, page_of(browser, session) as page:
        session.wait(lambda now: len(now.positions) > 5, PATIENCE)
        assert page.locator(".hand .hidden").count() == 0
        assert page.locator(".hand .island").count() >= 30
        assert page.locator(".open").count() == 0

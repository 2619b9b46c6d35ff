"""The page in a real browser: played by clicks and by keys, reloaded, on a phone's width, and watched."""

import re
from pathlib import Path
from typing import Any

import pytest
from browsing import (
    CHOICES,
    CHOICES_OR_END,
    actions,
    assert_buttons_fit,
    browser,
    click_and_wait,
    number_shown,
    page_of,
)
from play_helpers import PATIENCE, Failing, Slow, Stubborn, new_session, play_on, served, settled
from toy_game import STONES, StoneGames

from strand_env.agents import RandomAgent
from strand_env.play.session import Recording, Session
from strand_env.replays.replay import Replay

pytestmark = pytest.mark.slow
__all__ = ["browser"]  # a fixture

KEPT = Path(__file__).parents[1] / "tests" / "replays" / "strand_unter_v0.json"
ANIMATION_OF_BADGES = "getComputedStyle(document.querySelector('.dial .badge')).animationName"


def test_a_whole_game_by_clicks_with_a_reload(browser: Any) -> None:
    with new_session(["tide", "greedy", "random"], seed=4) as session, page_of(browser, session) as page:
        told, seen = set(), set()
        while not page.is_visible("#end"):
            now = settled(session)
            page.wait_for_selector(CHOICES)
            assert actions(page) == list(now.legal)
            if len(now.positions) == 12:
                before = page.inner_html("main")
                page.reload()
                page.wait_for_selector(CHOICES)
                assert page.inner_html("main") == before
                assert session.now() == now
            seen.add(now.snapshot["phase"])
            told.add(page.inner_text("#task"))
            buttons = page.query_selector_all(CHOICES)
            click_and_wait(page, session, buttons[(3 * len(now.positions)) % len(buttons)])
            assert set(session.now().positions[-1].story) <= set(page.locator("#story li").all_inner_texts())
        assert {"dial", "pick", "collect"} <= seen
        assert "Set your dial, in secret." in told
        now = session.now()
        assert now.over
        points = page.locator("#end tfoot td:last-child").all_inner_texts()
        assert sorted(int(each.replace("−", "-")) for each in points) == sorted(now.snapshot["scores"])
        assert sorted(page.locator("#end caption small").all_inner_texts()) == ["greedy", "random", "tide", "you"]
        assert "unfit" in page.inner_text("#end")
        with page.expect_download() as download:
            page.click("#save")
        assert download.value.suggested_filename == "strand_unter_v1.json"
        assert Replay.load(download.value.path()) == session.replay()


def test_by_keyboard_alone(browser: Any) -> None:
    with new_session(["greedy"], hints=["tide"]) as session, page_of(browser, session) as page:
        page.wait_for_selector(CHOICES)
        page.keyboard.press("6")
        assert page.evaluate("document.activeElement.dataset.action") == "5"
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowLeft")
        assert page.evaluate("document.activeElement.dataset.action") == "6"
        page.keyboard.press("h")
        page.wait_for_selector(".percent")
        assert page.inner_text("#advice").startswith("tide would: Set the dial to ")
        page.keyboard.press("1")
        page.keyboard.press("Enter")
        page.wait_for_selector("#undo:enabled")
        assert settled(session).positions[1].actions[0] == 0
        page.wait_for_selector('#task:has-text("Take a castle")')
        page.wait_for_selector(f"{CHOICES}:focus")  # nobody has to look for it
        page.keyboard.press("u")
        page.wait_for_selector('#task:has-text("Set your dial")')
        assert len(settled(session).positions) == 1
        for _ in range(6):
            page.wait_for_selector(f"{CHOICES}:focus")
            steps = len(settled(session).positions)
            page.keyboard.press("Enter")
            session.wait(lambda now, steps=steps: len(now.positions) > steps, PATIENCE)
            page.wait_for_selector(f'#slider[max="{len(settled(session).positions) - 1}"]', state="attached")
        assert page.inner_text("#told")


def test_the_hint_shows_probabilities(browser: Any) -> None:
    with new_session(hints=["random", "mc:30"]) as session, page_of(browser, session) as page:
        page.wait_for_selector(CHOICES)
        page.click("#hint")
        page.wait_for_selector(".percent")
        assert page.locator(".percent").all_inner_texts() == ["10 %"] * 10
        page.select_option("#adviser", "mc:30")
        page.click("#hint")
        page.wait_for_selector('.percent:has-text("100 %")')
        assert page.locator(".choice.best").count() == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_everything_has_its_place(browser: Any, scheme: str) -> None:
    phone = {"viewport": {"width": 375, "height": 812}, "has_touch": True, "color_scheme": scheme}
    with new_session(["greedy", "tide", "tide"]) as session, page_of(browser, session, **phone) as page:
        for _ in range(8):
            settled(session)
            page.wait_for_selector(CHOICES_OR_END)
            assert_buttons_fit(page, 375)
            click_and_wait(page, session, page.query_selector(CHOICES))
        board = page.query_selector("#board svg").bounding_box()
        assert board["width"] > 340


def test_the_reveal_is_a_moment(browser: Any) -> None:
    with new_session([Stubborn(8), Stubborn(8)]) as session, page_of(browser, session, still=False) as page:
        page.click(CHOICES)
        page.wait_for_selector("#revealed.fresh .crowd")
        names = page.evaluate(
            "[...document.querySelectorAll('.dial .badge')].map((each) => getComputedStyle(each).animationName)"
        )
        assert names == ["open-dial"] * 3
    with new_session([Stubborn(8), Stubborn(8)]) as session, page_of(browser, session) as page:
        page.click(CHOICES)
        page.wait_for_selector("#revealed.fresh .crowd")
        assert page.evaluate(ANIMATION_OF_BADGES) == "none"


def test_choices_are_offered_when_the_dials_have_been_seen(browser: Any) -> None:
    """Meanwhile the page tells what happens, and does not take it for looking back."""
    with new_session(["tide", "greedy", "greedy"]) as session, page_of(browser, session, still=False) as page:
        page.wait_for_selector(CHOICES)
        page.evaluate(
            "window.told = []; const task = document.querySelector('#task');"
            "new MutationObserver(() => window.told.push(task.textContent)).observe(task, {childList: true})"
        )
        steps = 0
        while steps < 3:  # to be shown one after the other
            before = len(settled(session).positions)
            page.click(CHOICES)
            steps = len(settled(session).positions) - before
            page.wait_for_selector(CHOICES)
        assert page.evaluate("window.told.length") >= steps
        assert not [words for words in page.evaluate("window.told") if words.startswith("Looking back")]


def test_who_looks_back_meanwhile_stays_there(browser: Any) -> None:
    with new_session(["tide", "tide", "tide"]) as session:
        play_on(session, until=lambda now: len(now.positions) > 9 and now.snapshot["phase"] == "dial")
        with page_of(browser, session, still=False) as page:
            page.wait_for_selector(CHOICES)
            before = len(settled(session).positions) - 1
            page.click(CHOICES)
            session.wait(lambda now: len(now.positions) - 1 > before, PATIENCE)
            page.wait_for_selector(f'#slider[aria-valuetext^="Step {before + 1} "]', state="attached")
            page.fill("#slider", "2")
            page.wait_for_selector('#task:has-text("Looking back at step 2.")')
            page.wait_for_timeout(2500)
            assert number_shown(page)[0] == 2


def test_a_second_click_or_a_held_key_decides_nothing(browser: Any) -> None:
    with new_session([Stubborn(8)]) as session, page_of(browser, session) as page:
        page.wait_for_selector(CHOICES)
        # Once more at the same place, as soon as there is something else to choose
        page.evaluate(
            "new MutationObserver((_, observer) => {"
            "  const button = document.querySelector('#choices button:enabled'); if (!button) return;"
            "  const { left, top } = button.getBoundingClientRect();"
            "  observer.disconnect(); document.elementFromPoint(left + 9, top + 9).click();"
            "}).observe(document.querySelector('#choices'), {childList: true})"
        )
        page.click(CHOICES)
        page.wait_for_selector(CHOICES)
        assert len(settled(session).positions) == 2
        page.focus(CHOICES)
        for _ in range(12):
            page.keyboard.down("Enter")  # the first presses it, the others repeat that
            page.wait_for_timeout(20)
        page.wait_for_selector(f"{CHOICES}:focus")
        assert len(settled(session).positions) == 3
        for _ in range(5):
            page.keyboard.down("Enter")
        page.wait_for_timeout(300)
        assert len(settled(session).positions) == 3


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (900, 700), (844, 390), (768, 1024), (640, 900)])
def test_what_may_be_done_is_seen_at_once(browser: Any, width: int, height: int) -> None:
    with new_session() as session, page_of(browser, session, viewport={"width": width, "height": height}) as page:
        page.wait_for_selector(CHOICES)
        box = page.query_selector(CHOICES).bounding_box()
        assert box["y"] + box["height"] < height - page.query_selector("footer").bounding_box()["height"]
        assert page.evaluate("document.documentElement.scrollWidth") == width


def test_long_names_and_errors_fit_on_a_phone(browser: Any) -> None:
    name = "models/" + "a-rather-long-name-of-a-run-" * 3 + "/agent"
    with new_session([Failing()], hints=["tide"]) as session:
        session.names[1] = name
        session.hints[name] = session.hints["tide"]
        with page_of(browser, session, viewport={"width": 360, "height": 740}) as page:
            page.wait_for_selector("#trouble:visible")
            page.click(CHOICES)
            assert page.evaluate("document.documentElement.scrollWidth") == 360
            page.mouse.wheel(0, 900)
            page.wait_for_timeout(300)
            assert page.query_selector("#trouble").bounding_box()["y"] >= 0  # wherever one is


def test_labels_fit_on_their_buttons(browser: Any) -> None:
    with new_session() as session, page_of(browser, session, viewport={"width": 360, "height": 740}) as page:
        page.wait_for_selector(CHOICES)
        room = page.evaluate(
            "[...document.querySelectorAll('.choice .label')].map((label) => {"
            "  const text = document.createRange(); text.selectNodeContents(label);"
            "  const inner = text.getBoundingClientRect(), outer = label.closest('.choice').getBoundingClientRect();"
            "  return Math.min(inner.left - outer.left, outer.right - inner.right); })"
        )
        assert min(room) > 2


def test_the_page_is_not_frozen_by_those_who_think(browser: Any) -> None:
    slow = Slow()
    with new_session([slow]) as session, page_of(browser, session) as page:
        page.click(CHOICES)
        page.wait_for_selector('#waiting:has-text("Player 1 (Slow) is thinking")')
        assert page.inner_text("#task") == "You have decided: set the dial to one white shell."
        assert page.locator(".me.asked").count() == 0
        page.reload()
        page.wait_for_selector('#task:has-text("You have decided: set the dial to one white shell.")')
        assert actions(page) == []
        page.click("#undo")
        page.wait_for_selector(CHOICES)
        page.click(f"{CHOICES} >> nth=3")
        page.wait_for_selector("#waiting:visible")
        slow.go.set()
        page.wait_for_selector('#story li:has-text("Player 0 sets one black shell")')


def test_two_tabs_show_the_same_game(browser: Any) -> None:
    with new_session() as session, page_of(browser, session) as one:
        other = one.context.new_page()
        other.goto(one.url)
        other.wait_for_selector(CHOICES)
        other.route("**/state*", lambda route: route.fulfill(status=204))  # it hears of nothing for a while
        one.click(f"{CHOICES} >> nth=3")
        one.wait_for_selector('#task:has-text("Take a castle")')
        before = settled(session)
        other.click(f"{CHOICES} >> nth=5")
        other.wait_for_selector("#trouble:visible")
        assert "The game has moved on since then; nothing was changed." in other.inner_text("#trouble")
        assert session.now() == before
        other.unroute("**/state*")
        other.wait_for_selector('#task:has-text("Take a castle")')
        other.close()  # which nobody minds
        one.click(CHOICES)
        session.wait(lambda now: len(now.positions) > len(before.positions), PATIENCE)


def test_looking_back_offers_nothing(browser: Any) -> None:
    with new_session() as session:
        play_on(session, until=lambda now: len(now.positions) > 6)
        with page_of(browser, session) as page:
            page.wait_for_selector(CHOICES)
            page.fill("#slider", "2")
            page.wait_for_selector('#task:has-text("Looking back at step 2.")')
            assert actions(page) == []
            page.click("#latest")
            page.wait_for_selector(CHOICES)


def test_a_replay_is_watched_by_the_slider_and_by_keys(browser: Any) -> None:
    replay = Replay.load(KEPT)
    positions = list(replay.positions())
    with page_of(browser, Recording(replay)) as page:
        assert number_shown(page) == (0, len(replay.actions))
        page.fill("#slider", "20")
        page.wait_for_selector('#count:has-text("20 /")')
        assert set(positions[20].story) <= set(page.locator("#story li").all_inner_texts())
        page.locator("body").press("ArrowRight")
        page.wait_for_selector('#count:has-text("21 /")')
        page.click("#back")
        page.wait_for_selector('#count:has-text("20 /")')
        page.focus("#play")
        page.keyboard.press("End")
        page.wait_for_selector("#end table")
        assert page.locator("#end table").count() == replay.players
        assert not page.is_visible("#undo")
        assert actions(page) == []


def test_a_match_of_agents_plays_by_itself(browser: Any) -> None:
    with new_session(["tide", "random"], seat=None) as session, page_of(browser, session, still=False) as page:
        page.wait_for_selector('#count:has-text("2 /")')
        page.click("#play")
        assert page.inner_text("#play") == "Play"
        assert page.locator(".player h3 small").all_inner_texts() == ["tide", "random"]
        session.wait(lambda now: now.over, PATIENCE)
        page.keyboard.press("End")
        page.wait_for_selector("#end table")


def test_any_game_can_be_played_by_plain_buttons(browser: Any) -> None:
    agents = [None, *[RandomAgent()] * 4]
    with Session(STONES, StoneGames(1, 5), agents, list("abcde")) as session, page_of(browser, session) as page:
        while not page.is_visible("#end"):
            page.wait_for_selector(CHOICES_OR_END)
            button = page.query_selector(CHOICES)
            if button:
                assert re.fullmatch(r"\d?Take \d+ stones\.", button.inner_text().replace("\n", ""))
                button.click()
        assert page.locator("#end p").count() == 5


def test_what_the_server_says_is_shown_when_it_is_gone(browser: Any) -> None:
    with new_session() as session:
        context = browser.new_context()
        with served(session) as client:
            page = context.new_page()
            page.goto(client.here)
            page.wait_for_selector(CHOICES)
        page.wait_for_selector("#trouble:visible", timeout=1000 * PATIENCE)
        assert page.inner_text("#trouble").startswith("The server does not respond.")
        context.close()

"""A game that a person plays: choices, taking back, the same deal, hints, and agents who are slow or fail."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from play_helpers import PATIENCE, Failing, Slow, Stubborn, first, new_session, play_on, settled
from toy_game import STONES, StoneGames

from strand_env.agents import RandomAgent, action_probabilities, agent_of, ask
from strand_env.engine.game import Game
from strand_env.engine.randomness import Streams, next_seed
from strand_env.play.plain import play_views
from strand_env.play.session import Recording, Refused, Session
from strand_env.replays.replay import Replay
from strand_env.sea_or_shore import GAME as SEA_OR_SHORE
from strand_env.strand_unter import GAME as STRAND_UNTER
from strand_env.strand_unter import Games


def course(session: Session) -> list[Any]:
    return list(session.now().positions)


def round_and_phase(now: Any) -> tuple[int, str]:
    return now.snapshot["round"], now.snapshot["phase"]


# Playing


@pytest.mark.parametrize("others", [["greedy"], ["tide", "greedy", "random"]])
def test_a_whole_game_is_a_replay(others: list[str]) -> None:
    with new_session(others, seat=1) as session:
        now = play_on(session)
        replay = Replay.from_json(session.replay().to_json())
    replay.check()
    assert replay.scores == tuple(now.snapshot["scores"])
    assert [position.snapshot for position in replay.positions()] == [position.snapshot for position in now.positions]
    assert [position.story for position in now.positions] == [position.story for position in replay.positions()]


def test_agents_play_among_themselves() -> None:
    with new_session(["tide", "greedy"], seat=None) as session:
        now = session.wait(lambda now: now.over, PATIENCE)
        assert now.over
        with pytest.raises(Refused, match="only agents play here"):
            session.choose(now.token, 0)
    session.replay().check()


def test_what_agents_do_is_what_they_do_elsewhere() -> None:
    """As in environments and in the arena, their chance depends on the deal, the step and the seat."""
    with new_session(["random", "random"], seed=3) as session:
        play_on(session, first)
        positions = course(session)
    for number, (before, after) in enumerate(pairwise(positions)):
        batch = Games.from_snapshots([before.snapshot])
        for seat in (seat for seat in before.snapshot["to_act"] if seat):
            rng = Streams.of_decisions(batch.seeds, number, np.array([seat]))
            (expected,) = ask(RandomAgent(), batch, np.zeros(1, np.int64), np.array([seat]), rng)
            assert after.actions[seat] == expected


@pytest.mark.parametrize("agents", [["tide"], ["tide", "tide", "tide", "tide"]])
def test_each_seat_has_somebody(agents: list[str]) -> None:
    with pytest.raises(ValueError, match="agents: expected 3, one for each seat"):
        Session(new_session().game, Games(1, 3), [agent_of(name) for name in agents], agents)


# Refusals


@pytest.mark.parametrize("action", [10, 56, -1, 1000, True, 0.0, "0", None, [0]])
def test_what_is_not_legal_is_refused(action: object) -> None:
    with new_session() as session:
        now = settled(session)
        with pytest.raises(Refused, match="is not one of your choices, which are \\[0, 1, 2"):
            session.choose(now.token, action)
        assert session.now() == now


@pytest.mark.parametrize("token", ["", None, 1, "other-1"])
def test_a_choice_about_another_position_is_refused(token: object) -> None:
    with new_session() as session:
        now = settled(session)
        for order in (
            lambda: session.choose(token, 0),
            lambda: session.undo(token),
            lambda: session.new_game(token, True),
        ):
            with pytest.raises(Refused, match="the game has moved on since then"):
                order()
        assert session.now() == now


def test_a_choice_is_made_once() -> None:
    with new_session() as session:
        now = settled(session)
        session.choose(now.token, 0)
        with pytest.raises(Refused, match="the game has moved on"):
            session.choose(now.token, 0)


def test_a_game_that_is_over_takes_no_choices() -> None:
    with new_session() as session:
        now = play_on(session)
        with pytest.raises(Refused, match="the game is over"):
            session.choose(now.token, 0)


def test_a_replay_is_given_only_in_the_end() -> None:
    with new_session() as session:
        with pytest.raises(Refused, match="its replay would show what is hidden"):
            session.replay()
        play_on(session)
        session.replay().check()


# Taking back, and the same deal


def test_undo_goes_to_the_beginning_of_the_round() -> None:
    with new_session() as session:
        now = play_on(session, until=lambda now: round_and_phase(now) == (3, "dial"))
        begin = now.positions
        later = play_on(session, until=lambda now: len(now.positions) > len(begin) and now.snapshot["round"] == 3)
        assert later.snapshot["phase"] != "dial"
        assert session.undo(later.token) == len(begin) - 1
        back = settled(session)
        assert back.positions == begin
        assert back.legal == now.legal
        assert back.token != now.token
        assert back.course > now.course


def test_undo_at_the_beginning_of_a_round_goes_to_the_one_before() -> None:
    with new_session() as session:
        now = play_on(session, until=lambda now: round_and_phase(now) == (3, "dial"))
        session.undo(now.token)
        assert round_and_phase(settled(session)) == (2, "dial")
        session.undo(settled(session).token)
        now = settled(session)
        assert len(now.positions) == 1
        with pytest.raises(Refused, match="this is the start of the game"):
            session.undo(now.token)


def test_the_same_choices_lead_to_the_same_game_after_undo() -> None:
    with new_session(["random", "tide"]) as session:
        play_on(session)
        expected = course(session)
        for _ in range(4):
            session.undo(session.now().token)
        assert len(course(session)) < len(expected)
        play_on(session)
        assert course(session) == expected


def test_other_choices_lead_to_another_game_after_undo() -> None:
    with new_session() as session:
        play_on(session)
        expected = course(session)
        for _ in range(4):
            session.undo(session.now().token)
        play_on(session, first)
        assert course(session) != expected


def test_the_same_deal_again_and_another() -> None:
    with new_session(["random"], seed=8, seeded=True) as session:
        play_on(session)
        expected = course(session)
        session.new_game(session.now().token, same_deal=True)
        play_on(session)
        assert course(session) == expected
        session.new_game(session.now().token, same_deal=False)
        assert settled(session).positions[0] != expected[0]
        another = settled(session).positions[0]
    with new_session(["random"], seed=8, seeded=True) as session:
        session.new_game(session.now().token, same_deal=False)
        assert session.now().positions[0] == another  # the first seed decides all deals that follow


def test_the_replay_of_a_finished_game_does_not_give_away_the_next_deal() -> None:
    with new_session(["random"], seed=8) as session:
        play_on(session)
        seed = np.array([session.replay().seed], np.uint64)
        session.new_game(session.now().token, same_deal=False)
        dealt = int(session.now().snapshot["seed"], 16)
    assert dealt not in (seed, next_seed(seed))


# Agents who are slow, or fail


def test_nobody_waits_for_those_who_think() -> None:
    slow = Slow()
    with new_session([slow, "greedy"]) as session:
        assert slow.asked.wait(PATIENCE)
        now = session.wait(lambda now: now.thinking == (1, 2), PATIENCE)
        session.choose(now.token, 0)
        now = session.now()
        assert (now.legal, len(now.positions)) == ((), 1)
        with pytest.raises(Refused, match="you have already decided"):
            session.choose(now.token, 1)
        slow.go.set()
        assert len(settled(session).positions) > 1


@pytest.mark.parametrize("game", [STRAND_UNTER, SEA_OR_SHORE], ids=lambda game: game.name)
def test_who_has_decided_already_is_not_told_where_it_gives_away_a_hand(game: Game) -> None:
    """Whoever has a single legal gift has decided at once."""
    slow = Slow()
    session = Session(game, game.batch(1, 3, seed=1), [None, RandomAgent(), slow], ["you", "random", "slow"])
    dealt = session.now()
    assert dealt.thinking == (1, 2)
    with session:
        assert slow.asked.wait(PATIENCE)  # agents think one after the other
        assert (session.now() == dealt) == (game.information == "private")
        assert session.now().thinking == ((2,) if game.information == "open" else (1, 2))
        slow.go.set()
        session.choose(dealt.token, dealt.legal[0])
        now = session.wait(lambda now: len(now.positions) > 1, PATIENCE)
        assert now.positions[1].actions is not None
        assert play_on(session).over


def test_those_who_see_everything_are_told_who_has_decided() -> None:
    slow = Slow()
    batch = SEA_OR_SHORE.batch(1, 3, seed=1)
    session = Session(SEA_OR_SHORE, batch, [RandomAgent(), RandomAgent(), slow], ["one", "two", "slow"])
    with session:
        assert slow.asked.wait(PATIENCE)
        assert session.now().thinking == (2,)
        slow.go.set()


def test_what_was_thought_before_an_undo_is_dropped() -> None:
    slow = Slow()
    with new_session([slow]) as session:
        assert slow.asked.wait(PATIENCE)
        session.choose(session.now().token, 0)
        session.undo(session.now().token)  # takes the own choice back
        slow.go.set()
        now = settled(session)
        assert len(now.positions) == 1
        assert now.legal == tuple(range(10))
        assert slow.times == 2  # it was asked again
        session.choose(now.token, 4)
        assert settled(session).positions[1].actions == (4, 0)


def test_an_agent_that_fails_is_named_and_the_game_can_go_back() -> None:
    with new_session([Failing(times=1)]) as session:
        now = session.wait(lambda now: bool(now.failure), PATIENCE)
        assert now.failure == "Failing (player 1) failed: RuntimeError: thought too hard"
        session.choose(now.token, 0)
        session.new_game(session.now().token, same_deal=True)
        assert not settled(session).failure
        session.choose(session.now().token, 0)
        assert len(settled(session).positions) > 1


# Hints


def hint_of(session: Session, agent: str) -> Any:
    session.ask_hint(session.now().token, agent)
    hint = session.wait(lambda now: now.hint is not None and bool(now.hint.likely or now.hint.failure), PATIENCE).hint
    assert hint is not None
    assert hint.agent == agent
    return hint


def test_a_hint_tells_how_likely_an_agent_is_to_do_what() -> None:
    with new_session(hints=["tide", "random"]) as session:
        now = settled(session)
        batch = Games.from_snapshots([now.snapshot])
        observations, masks = batch.look_at_rows([0], [0])
        expected = agent_of("tide").probabilities(observations, masks)[0]  # type: ignore[union-attr]
        assert hint_of(session, "tide").likely == pytest.approx({action: expected[action] for action in now.legal})
        assert hint_of(session, "random").likely == pytest.approx(dict.fromkeys(now.legal, 0.1))
        session.choose(now.token, 0)
        assert settled(session).hint is None


@pytest.mark.parametrize("search", ["mc:60", "rm:60", "uct:60"])
def test_a_search_tells_what_it_would_do(search: str) -> None:
    with new_session(hints=[search]) as session:
        now = settled(session)
        likely = hint_of(session, search).likely
        batch = Games.from_snapshots([now.snapshot])
        seat = np.zeros(1, np.int64)
        rng = Streams.of_decisions(batch.seeds, 0, seat)
        (chosen,) = ask(agent_of(search), batch, seat, seat, rng)
    assert likely[chosen] > 0
    assert sum(likely.values()) == pytest.approx(1)
    if search.startswith("mc"):
        assert likely[chosen] == 1


def test_who_does_not_tell_does_one_thing() -> None:
    assert action_probabilities(Stubborn(7), Games(1, 2), 0, Streams(np.zeros(1, np.uint64))).argmax() == 7


def test_an_adviser_that_fails_is_told_and_the_game_goes_on() -> None:
    session = new_session()
    session.hints["Failing"] = Failing()
    with session:
        assert hint_of(session, "Failing").failure == "Failing failed: RuntimeError: thought too hard"
        session.choose(session.now().token, 0)
        assert len(settled(session).positions) > 1


def test_a_hint_that_comes_too_late_is_dropped() -> None:
    slow = Slow()
    with new_session(["random"]) as session:
        session.hints["Slow"] = slow
        session.ask_hint(settled(session).token, "Slow")
        assert slow.asked.wait(PATIENCE)
        session.choose(session.now().token, 0)
        slow.go.set()
        assert session.wait(lambda now: now.hint is not None, 0.5).hint is None


def test_hints_come_from_those_who_were_asked_to_give_them() -> None:
    with new_session(hints=["tide"]) as session:
        token = settled(session).token
        for agent in ("greedy", "/etc/passwd", None, 1):
            with pytest.raises(Refused, match="gives no hints; these do: tide"):
                session.ask_hint(token, agent)
        play_on(session)
        with pytest.raises(Refused, match="nothing for you to decide"):
            session.ask_hint(session.now().token, "tide")


def test_who_sees_what_is_hidden_gives_no_hints() -> None:
    with pytest.raises(ValueError, match="cheater sees what is hidden, and would give it away"):
        new_session(hints=["cheater"])


# Another game


def stones(players: int = 3, seed: int = 5) -> Session:
    agents = [None, *(Stubborn(0) for _ in range(players - 1))]
    return Session(
        STONES, StoneGames(1, players, seed), agents, ["you", *["stubborn"] * (players - 1)], {"any": RandomAgent()}
    )


@pytest.mark.parametrize("players", [2, 5])
def test_any_game_can_be_played(players: int) -> None:
    with stones(players) as session:
        now = settled(session)
        if now.legal:
            assert sum(hint_of(session, "any").likely.values()) == pytest.approx(1)
        now = play_on(session, first)
        assert now.snapshot["stones"] == 0
        assert play_views(STONES).result_words(now.snapshot)[0] == f"Player 0: {now.snapshot['scores'][0]} points."


def test_without_rounds_undo_takes_the_last_choice_back() -> None:
    with stones() as session:
        asked = [settled(session)]
        while len(asked) < 3:
            session.choose(asked[-1].token, first(asked[-1]))
            asked.append(settled(session))
        session.undo(asked[-1].token)
        assert settled(session).positions == asked[1].positions


def test_a_recording_is_as_it_was(tmp_path: Any) -> None:
    with new_session() as session:
        play_on(session)
        replay = session.replay()
    now = Recording(replay).now()
    assert list(now.positions) == list(replay.positions())
    assert (now.legal, now.thinking, now.over) == ((), (), True)


@pytest.mark.parametrize("likely", [np.full(57, np.nan), np.zeros(57), np.ones(3), -np.ones(57)])
def test_a_hint_that_makes_no_sense_is_a_failure_of_who_gives_it(likely: np.ndarray) -> None:
    class Odd(RandomAgent):
        def probabilities(self, observation: Any, mask: Any) -> Any:
            return likely[None]

    batch = Games(1, 2, seed=1)
    with pytest.raises(ValueError, match="Odd: expected the probability of each action"):
        action_probabilities(Odd(), batch, 0, Streams.of_decisions(batch.seeds, 0, np.zeros(1, np.int64)))

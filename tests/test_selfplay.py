"""Self-play: that every decision is a row once, that each player is paid for its own, and that it learns from that."""

import copy
import pickle
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
from learning import SMALL, choices, illegal_choices
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecNormalize

from strand_env import strand_unter_v1
from strand_env.adapters.environments import Environments
from strand_env.adapters.selfplay import DecisionBuffer, Payment, SelfPlayVecEnv, Source
from strand_env.engine.protocol import IllegalAction
from strand_env.engine.randomness import seeds_of_single_games
from strand_env.registry import game_ids, game_of
from strand_env.strand_unter import PASS, Games
from strand_env.strand_unter.features import FEATURES


def seeded(num_games: int, **arguments: Any) -> SelfPlayVecEnv:
    env = strand_unter_v1.self_play_vec_env(num_games, **arguments)
    env.seed(21)
    return env


def step(env: SelfPlayVecEnv, actions: npt.NDArray[np.int64]) -> tuple[Any, Any, Any, Any, Payment]:
    """A step in a loop of our own: what it gives, and what it meant for the players."""
    outcome = env.step(actions)
    payment = env.collect()
    assert payment is not None
    return *outcome, payment


# Rows


class Retold:
    """The same games again, one decision after the other, as the rows tell them."""

    def __init__(self, num_games: int, num_players: int) -> None:
        self.games = Games(num_games, num_players, seed=seeds_of_single_games(range(21, 21 + num_games), num_games))
        self.chosen: list[dict[int, int]] = [{} for _ in range(num_games)]
        self.decided = np.zeros((num_games, num_players), int)
        self.since = {(game, seat): 0 for game in range(num_games) for seat in self.to_act(game)}
        self.steps = 0

    def to_act(self, game: int) -> list[int]:
        return np.flatnonzero(self.games.to_act[game]).tolist()

    def check_shown(self, shown: list[tuple[int, int]], observations: np.ndarray, masks: np.ndarray) -> None:
        """All wait for a decision, and longer than whoever is not shown, and see what they should."""
        assert len(set(shown)) == len(shown) == self.games.num_games
        waiting = [since for who, since in self.since.items() if who not in shown]
        assert max(self.since[who] for who in shown) <= min(waiting, default=self.steps)
        seen, legal = self.games.observe(), self.games.legal
        for (game, seat), observation, mask in zip(shown, observations, masks, strict=True):
            assert (observation == FEATURES.encode(seen[game, [seat]])[0]).all()
            assert (mask == legal[game, seat]).all()
            assert mask.sum() >= 2

    def decide(self, shown: list[tuple[int, int]], actions: npt.NDArray[np.int64]) -> list[int]:
        """Plays on, and tells which games have ended, be it by an illegal action."""
        self.steps += 1
        broken = set()
        for (game, seat), action in zip(shown, actions.tolist(), strict=True):
            assert seat not in self.chosen[game]
            del self.since[game, seat]
            self.chosen[game][seat] = action
            self.decided[game, seat] += 1
            if not self.games.legal[game, seat, action]:
                broken.add(game)
        for game, chosen in enumerate(self.chosen):
            if game not in broken and len(chosen) == len(self.to_act(game)):
                self.games.step([[chosen.get(seat, PASS) for seat in range(self.games.num_players)]], [game])
                self.wait(game)
        return sorted({*broken, *np.flatnonzero(self.games.over).tolist()})

    def deal(self, ended: list[int]) -> None:
        self.games.reset(ended)
        self.decided[ended] = 0
        for game in ended:
            for seat in range(self.games.num_players):
                self.since.pop((game, seat), None)
            self.wait(game)

    def wait(self, game: int) -> None:
        self.chosen[game] = {}
        self.since |= {(game, seat): self.steps for seat in self.to_act(game)}


@pytest.mark.slow
@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize(("reward", "illegal_every"), [("win", 0), ("score", 0), ("margin", 7)])
def test_every_decision_of_every_player_is_a_row_once(num_players: int, reward: Any, illegal_every: int) -> None:
    env = seeded(6, num_players=num_players, reward=reward)
    retold = Retold(6, num_players)
    observations = env.reset()
    late_ones = 0
    games_ended = np.zeros(6, int)
    for number in range(1, 150 * num_players // 2):
        masks = env.env_method("action_masks")
        shown = [divmod(player, num_players) for player in env.shown.tolist()]
        retold.check_shown(shown, observations, masks)
        actions = choices(observations, masks)
        if illegal_every and number % illegal_every == 0:
            actions[number % 6] = illegal_choices(masks)[number % 6]
        legal = masks[np.arange(6), actions] == 1
        observations, rewards, over, infos, payment = step(env, actions)
        ended = retold.decide(shown, actions)

        earned = retold.games.rewards(reward)
        late = {divmod(player, num_players) for player in payment.late.tolist()}
        assert late == {(game, seat) for game in ended for seat in range(num_players)} - set(shown)
        for player, late_reward in zip(payment.late.tolist(), payment.late_rewards, strict=True):
            assert late_reward == earned[divmod(player, num_players)]
        assert payment.acted.tolist() == [game * num_players + seat for game, seat in shown]
        assert (payment.ended == over).all()
        assert (payment.rewards == rewards).all()
        for row, (game, seat) in enumerate(shown):
            info = infos[row]
            assert over[row] == (game in ended) == bool(info)
            assert rewards[row] == (earned[game, seat] if legal[row] else -1)
            if info:
                winners = retold.games.winners[game]
                assert info["win"] == winners[seat] / max(winners.sum(), 1)
                assert info["score"] == retold.games.scores[game, seat]
                assert info["rank"] == retold.games.results([game], [seat])["rank"][0]
                assert info.get("illegal_action", actions[row]) == actions[row]
                assert ("illegal_action" in info) == (not legal[row])
                last = FEATURES.encode(retold.games.observe()[game, [seat]])[0]
                assert (info["terminal_observation"] == last).all()
                assert info["TimeLimit.truncated"] is False
                assert info["episode"]["r"] == rewards[row]
                assert info["episode"]["l"] == retold.decided[game, seat]
        games_ended[ended] += 1
        late_ones += len(late)
        retold.deal(ended)
    assert games_ended.min() >= 2
    assert late_ones


def test_all_games_get_on_equally_fast() -> None:
    env = seeded(16, num_players=2)
    observations = env.reset()
    decided = np.zeros(16, int)
    for _ in range(300):
        decided += np.bincount(env.shown // 2, minlength=16)
        observations, *_ = step(env, choices(observations, env.action_masks()))
    assert np.abs(decided / 300 - 1).max() < 0.1


def play_alike(first: SelfPlayVecEnv, second: SelfPlayVecEnv, observations: npt.NDArray[np.float32]) -> None:
    for _ in range(100):
        actions = choices(observations, first.action_masks())
        observations, rewards, over, *_ = step(first, actions)
        others, other_rewards, other_over, *_ = step(second, actions)
        assert (observations == others).all()
        assert (rewards == other_rewards).all()
        assert (over == other_over).all()
        assert (first.shown == second.shown).all()


def test_equal_seeds_are_equal_games() -> None:
    first, second = (seeded(5, num_players=3) for _ in range(2))
    observations = first.reset()
    assert (second.reset() == observations).all()
    play_alike(first, second, observations)
    assert (first.reset() == second.reset()).all()
    second.seed(22)
    assert (first.reset() != second.reset()).any()


def test_what_are_no_actions_is_refused_and_changes_nothing() -> None:
    env = seeded(3)
    observations = env.reset()
    before = env.batch.state.copy()
    for actions in ([0, 0], [0, 0, 57], [0.0, 0.0, 0.0]):
        with pytest.raises(ValueError, match=r"actions(\[2\])?: expected"):
            env.step(np.array(actions))
    assert (env.batch.state == before).all()
    assert (env.shown == [0, 1, 2]).all()
    env.step(choices(observations, env.action_masks()))


def test_an_unknown_reward_is_refused() -> None:
    with pytest.raises(ValueError, match="reward: expected one of 'win', 'score', 'margin'; got 'points'"):
        strand_unter_v1.self_play_vec_env(2, reward="points")  # type: ignore[arg-type]


# Shaping


@pytest.mark.parametrize("name", game_ids())
def test_shaping_moves_rewards_but_not_what_decisions_are_worth(name: str) -> None:
    """Over a game, a player's discounted rewards differ from the unshaped ones by the first potential alone."""
    made, gamma = Environments(game_of(name)), 0.9
    shaped, plain = (made.self_play_vec_env(5, reward="margin", shaping=s, gamma=gamma) for s in (0.5, 0.0))
    for env in (shaped, plain):
        env.seed(21)
        env.reset()
    game, players = shaped.game, shaped.batch.num_players
    assert game.potential is not None
    first: dict[int, float] = {}
    earned: dict[int, list[float]] = defaultdict(list)
    complete = 0
    for number in range(400):
        games, seats = np.divmod(shaped.shown, players)
        potentials = 0.5 * game.potential(shaped.batch.look_at_rows(games, seats)[0])
        for player, potential in zip(shaped.shown.tolist(), potentials.tolist(), strict=True):
            first.setdefault(player, potential)
        masks = shaped.action_masks()
        actions = illegal_choices(masks) if number in range(200, 205) else choices(masks, masks)
        *_, infos, payment = step(shaped, actions)
        *_, plain_infos, plain_payment = step(plain, actions)
        assert [info.get("episode", {}).get("r") for info in infos] == [  # the game's own reward, as elsewhere
            info.get("episode", {}).get("r") for info in plain_infos
        ]
        assert (payment.late == plain_payment.late).all()
        assert not plain_payment.again_rewards.any()
        ends: dict[int, tuple[float, float]] = {}
        for row, player in enumerate(payment.acted.tolist()):
            earned[player].append(float(payment.rewards[row]))
            if payment.ended[row]:
                ends[player] = float(payment.rewards[row]), float(plain_payment.rewards[row])
        for place, player in enumerate(payment.late.tolist()):
            ends[player] = float(payment.late_rewards[place]), float(plain_payment.late_rewards[place])
            if earned[player]:
                earned[player][-1] += ends[player][0]
        for player, (last, unshaped) in ends.items():
            rewards = earned.pop(player, [])
            if not rewards:  # in this game the player has decided nothing
                assert last == unshaped
            else:
                discounted = sum(gamma**turn * reward for turn, reward in enumerate(rewards))
                expected = gamma ** (len(rewards) - 1) * unshaped - first.pop(player)
                assert discounted == pytest.approx(expected, abs=1e-4)
                complete += 1
        for player, reward in zip(payment.again.tolist(), payment.again_rewards.tolist(), strict=True):
            if earned[player]:
                earned[player][-1] += reward
            else:
                assert reward == 0
    assert complete >= 10


# The buffer


@pytest.mark.slow
@pytest.mark.parametrize("num_players", [2, 4])
@pytest.mark.parametrize(
    ("gamma", "gae_lambda", "shaping"),
    [(1.0, 1.0, 0.0), (1.0, 0.95, 0.0), (0.9, 0.8, 0.0), (0.99, 0.0, 0.0), (1.0, 1.0, 0.5), (0.9, 0.8, 0.5)],
)
def test_advantages_follow_each_players_own_decisions(
    num_players: int, gamma: float, gae_lambda: float, shaping: float
) -> None:
    num_games, num_steps = 7, 60
    # The buffer collects from one environment; the other, in which the same is played, tells the test.
    made = {"num_players": num_players, "reward": "score", "shaping": shaping, "gamma": gamma}
    env, twin = (seeded(num_games, **made) for _ in range(2))
    spaces = env.observation_space, env.action_space
    buffer = DecisionBuffer(num_steps, *spaces, "cpu", gae_lambda, gamma, num_games, source=Source(env))
    rng = np.random.default_rng(4)
    observations = env.reset()
    twin.reset()
    for _ in range(3):  # rollouts, none of which knows of the one before
        buffer.reset()
        going: dict[int, list[int]] = defaultdict(list)  # for each player, where its decisions are
        finished: list[tuple[list[int], float]] = []  # those of one player in one game, and what its end brought
        between: dict[int, float] = defaultdict(float)  # what shaping paid decisions before the end
        values = rng.normal(size=(num_steps, num_games)).astype(np.float32)
        for number in range(num_steps):
            acted, masks = env.shown.tolist(), env.action_masks()
            actions = choices(observations, masks)
            seen = observations
            observations, rewards, over, _ = env.step(actions)
            *_, payment = step(twin, actions)
            late = dict(zip(payment.late.tolist(), payment.late_rewards.tolist(), strict=True))
            for row, player in enumerate(acted):
                going[player].append(number * num_games + row)
                if over[row]:
                    finished.append((going.pop(player), float(rewards[row])))
            # Who made no decision in this rollout is not paid in it.
            finished += [(going.pop(player), reward) for player, reward in late.items() if player in going]
            for player, reward in zip(payment.again.tolist(), payment.again_rewards.tolist(), strict=True):
                if player in going:
                    between[going[player][-1]] += reward
            value, log_prob = torch.tensor(values[number]), torch.zeros(num_games)
            buffer.add(seen, actions.reshape(-1, 1), rewards, over, value, log_prob, action_masks=masks)
        last_values = rng.normal(size=num_games).astype(np.float32)
        buffer.compute_returns_and_advantage(torch.tensor(last_values).reshape(-1, 1), over)

        expected = np.full(num_steps * num_games, np.nan)
        known = values.reshape(-1).astype(float)
        for places, reward in finished:
            earned = [between[place] for place in places[:-1]] + [reward]
            advantages_along(places, known, earned, 0.0, gamma, gae_lambda, expected)
        next_values = dict(zip(env.shown.tolist(), last_values.tolist(), strict=True))
        unknown = 0
        for player, places in going.items():
            unknown += player not in next_values
            earned = [between[place] for place in places]
            advantages_along(places, known, earned, next_values.get(player), gamma, gae_lambda, expected)
        assert 0 < unknown < len(going)
        assert buffer.advantages.reshape(-1) == pytest.approx(expected, abs=1e-4)
        assert buffer.returns.reshape(-1) == pytest.approx(expected + known, abs=1e-4)
        total = sum(reward for _, reward in finished) + sum(between.values())
        assert buffer.rewards.sum() == pytest.approx(total, abs=1e-2)


def advantages_along(
    places: list[int],
    values: npt.NDArray[np.float64],
    rewards: list[float],
    after: float | None,
    gamma: float,
    gae_lambda: float,
    out: npt.NDArray[np.float64],
) -> None:
    """Generalised advantages by their definition, of decisions that follow each other; `after` is the value of what
    comes then, or None if that is not known: then the last of them comes out as expected.
    """
    following = [values[place] for place in places[1:]] + [after]
    surprises = [
        0.0 if next_value is None else reward + gamma * next_value - values[place]
        for place, reward, next_value in zip(places, rewards, following, strict=True)
    ]
    for start, place in enumerate(places):
        assert np.isnan(out[place])
        out[place] = sum((gamma * gae_lambda) ** ahead * surprise for ahead, surprise in enumerate(surprises[start:]))


def test_without_the_buffer_nothing_is_learned_wrongly() -> None:
    env = strand_unter_v1.self_play_vec_env(4)
    model = MaskablePPO("MlpPolicy", env, **SMALL)
    with pytest.raises(RuntimeError, match=r"MaskablePPO\(policy, env, \*\*env.buffer_arguments\)"):
        model.learn(64)


def test_a_loop_that_does_not_collect_is_refused() -> None:
    env = seeded(4)
    observations = env.reset()
    assert env.collect() is None
    actions = choices(observations, env.action_masks())
    env.step(actions)
    before, shown = env.batch.state.copy(), env.shown.copy()  # type: ignore[attr-defined]
    with pytest.raises(RuntimeError, match=r"or call env.collect\(\) after each step"):
        env.step(actions)
    assert (env.batch.state == before).all()  # type: ignore[attr-defined]
    assert (env.shown == shown).all()
    assert env.collect() is not None
    assert env.collect() is None
    env.step(env.action_masks().argmax(1))
    env.reset()  # what is left of the games before is nobody's any more
    assert env.collect() is None


# Learning


def test_ppo_learns_on_it() -> None:
    class Watch(BaseCallback):
        ends = 0

        def _on_step(self) -> bool:
            assert (self.locals["action_masks"].sum(1) >= 2).all()
            assert not any("illegal_action" in info for info in self.locals["infos"])
            self.ends += sum(bool(info) for info in self.locals["infos"])
            return True

    env = strand_unter_v1.self_play_vec_env(16, num_players=3)
    model = MaskablePPO("MlpPolicy", env, **SMALL, **env.buffer_arguments)
    before = [parameter.clone() for parameter in model.policy.parameters()]
    watch = Watch()
    model.learn(2048, callback=watch)
    assert watch.ends > 10
    assert any((old != new).any() for old, new in zip(before, model.policy.parameters(), strict=True))


def test_a_saved_learner_holds_no_environment_and_goes_on_with_one(tmp_path: Path) -> None:
    small, large = tmp_path / "small.zip", tmp_path / "large.zip"
    for path, num_games in ((small, 4), (large, 2000)):
        env = strand_unter_v1.self_play_vec_env(num_games, num_players=2)
        model = MaskablePPO("MlpPolicy", env, **{**SMALL, "n_steps": 2}, **env.buffer_arguments)
        model.save(path)
    assert large.stat().st_size < small.stat().st_size + 1000

    model = MaskablePPO.load(small)
    seen = env.reset()
    model.predict(seen, action_masks=env.action_masks())
    env = strand_unter_v1.self_play_vec_env(4, num_players=2)
    for arguments in (env.buffer_arguments, {"rollout_buffer_kwargs": {"source": Source(env)}}):
        loaded = MaskablePPO.load(small, env, **arguments)
        loaded.learn(64)
        assert loaded.num_timesteps == 64


def test_a_learner_loaded_without_the_rows_says_so(tmp_path: Path) -> None:
    env = strand_unter_v1.self_play_vec_env(4, num_players=2)
    model = MaskablePPO("MlpPolicy", env, **SMALL, **env.buffer_arguments)
    model.save(tmp_path / "learner.zip")
    # This environment is followed already, but by another learner.
    loaded = MaskablePPO.load(tmp_path / "learner.zip", env)
    with pytest.raises(RuntimeError, match=r"MaskablePPO.load\(path, env, \*\*env.buffer_arguments\)"):
        loaded.learn(64)


def share_won(model: MaskablePPO, num_games: int = 1000) -> float:
    """Of that many games of two against a random opponent."""
    env = strand_unter_v1.learner_vec_env(num_games, num_players=2, seat="random")
    env.seed(99)
    observations = env.reset()
    won = np.full(num_games, np.nan)  # the first game in each row: later ones would be short ones more often
    while np.isnan(won).any():
        actions, _ = model.predict(observations, action_masks=env.action_masks())
        observations, _, over, infos = env.step(actions)
        for row in np.flatnonzero(over & np.isnan(won)):
            won[row] = infos[row]["win"]
    return float(won.mean())


@pytest.mark.slow
def test_self_play_makes_stronger() -> None:
    env = strand_unter_v1.self_play_vec_env(64, num_players=2, reward="margin")
    model = MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=64,
        batch_size=512,
        n_epochs=6,
        learning_rate=2e-3,
        gamma=1.0,
        policy_kwargs={"net_arch": [64]},
        seed=1,
        **env.buffer_arguments,
    )
    model.learn(64 * 64 * 24)
    assert share_won(model) > 0.62


def test_games_can_be_recorded() -> None:
    env = seeded(6, num_players=2, record=2)
    observations = env.reset()
    kept: dict[int, int] = defaultdict(int)
    for _ in range(300):
        games = env.shown // 2
        observations, _, _, infos, _ = step(env, choices(observations, env.action_masks()))
        for game, info in zip(games.tolist(), infos, strict=True):
            assert ("replay" in info) == ("win" in info and game < 2)
            if "replay" in info:
                *_, end = info["replay"].positions()
                assert info["score"] in end.snapshot["scores"]
                kept[game] += 1
    assert kept.keys() == {0, 1}
    env.recorder.replay(0).check()
    with pytest.raises(ValueError, match="index: only the first 2 games are recorded"):
        env.recorder.replay(2)


def test_a_snapshot_is_not_for_many_games() -> None:
    env = seeded(2)
    with pytest.raises(ValueError, match="a snapshot is for environments of one game"):
        env.set_options({"snapshot": env.batch.snapshot(0)})


def test_a_learner_of_another_environment_is_noticed() -> None:
    first, second = (strand_unter_v1.self_play_vec_env(4, num_players=2) for _ in range(2))
    learners = [MaskablePPO("MlpPolicy", env, **SMALL, **env.buffer_arguments) for env in (first, second)]
    for learner in learners:
        learner.learn(1)
    learners[0].set_env(second)
    with pytest.raises(RuntimeError, match="the rows are not those of the learner's environment"):
        learners[0].learn(1)
    exchanged = MaskablePPO("MlpPolicy", second, **SMALL, **first.buffer_arguments)
    with pytest.raises(RuntimeError, match="the rows are not those of the learner's environment"):
        exchanged.learn(1)


def test_a_second_learner_without_the_buffer_is_noticed() -> None:
    env = strand_unter_v1.self_play_vec_env(4, num_players=2)
    MaskablePPO("MlpPolicy", env, **SMALL, **env.buffer_arguments).learn(1)
    with pytest.raises(RuntimeError, match="rewards were not collected: create the model with MaskablePPO"):
        MaskablePPO("MlpPolicy", env, **SMALL).learn(1)


def test_a_learner_that_a_callback_stopped_goes_on() -> None:
    class Stop(BaseCallback):
        def _on_step(self) -> bool:
            return self.n_calls < 3

    env = strand_unter_v1.self_play_vec_env(4, num_players=2)
    model = MaskablePPO("MlpPolicy", env, **SMALL, **env.buffer_arguments)
    model.learn(1, callback=Stop())
    model.learn(1, reset_num_timesteps=False)


def test_changed_rewards_are_noticed() -> None:
    env = strand_unter_v1.self_play_vec_env(16, num_players=2, reward="score")
    model = MaskablePPO("MlpPolicy", VecNormalize(env), **SMALL, **env.buffer_arguments)
    with pytest.raises(RuntimeError, match="the rewards were changed on their way to the learner"):
        model.learn(5000)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copied_environment_goes_on(copied: Any) -> None:
    env = seeded(5, num_players=3, record=1)
    observations = env.reset()
    for _ in range(40):
        observations, *_ = step(env, choices(observations, env.action_masks()))
    twin = copied(env)
    play_alike(env, twin, observations)
    assert env.replay(0) == twin.replay(0)


def test_illegal_actions_can_be_refused() -> None:
    env = seeded(3, illegal="raise")
    env.reset()
    before = env.batch.state.copy()  # type: ignore[attr-defined]
    with pytest.raises(IllegalAction, match=r"game 0, player 0, .*: action 56 \(Pass.\) is not legal; legal: 0 "):
        env.step(np.full(3, 56))
    assert (env.batch.state == before).all()  # type: ignore[attr-defined]
    env.step(np.zeros(3, np.int64))


def test_games_are_dealt_before_they_are_played() -> None:
    env = seeded(3)
    with pytest.raises(RuntimeError, match="no game has been dealt: reset the environment first"):
        env.step(np.zeros(3, np.int64))

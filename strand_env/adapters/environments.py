"""All environments of one game: what a versioned module such as `strand_unter_v1` offers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gymnasium.vector import AutoresetMode
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from strand_env.adapters.counts import NumPlayers, check_alike, checked_counts
from strand_env.adapters.gymnasium import LearnerEnv, LearnerVectorEnv
from strand_env.adapters.match import Match
from strand_env.adapters.matches import Matches
from strand_env.adapters.pettingzoo import GameAECEnv, GameParallelEnv
from strand_env.adapters.referee import IllegalHandling
from strand_env.adapters.seats import Seat
from strand_env.adapters.shaping import shaping_of
from strand_env.adapters.showing import RENDERING, RenderMode
from strand_env.adapters.table import Observation, ObservationKind, Table
from strand_env.agents import AnyAgent
from strand_env.engine.checks import one_of, shown, whole_number
from strand_env.engine.game import Game
from strand_env.engine.protocol import Batch, Observer, RewardKind
from strand_env.engine.randomness import fresh_seed
from strand_env.support.extras import from_extra

if TYPE_CHECKING:  # imported where they are used: they bring PyTorch
    from strand_env.adapters.sb3 import LearnerVecEnv
    from strand_env.adapters.selfplay import SelfPlayVecEnv

Given = str | AnyAgent | Sequence[str | AnyAgent]


class Environments:
    """Makes environments of one game. Further keyword arguments are options of its batches, such as `hide_buckets`."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def parallel_env(
        self,
        *,
        num_players: NumPlayers = None,
        reward: RewardKind = "win",
        illegal: IllegalHandling = "terminate",
        ruleset: Any = None,
        variant: str | None = None,
        render_mode: RenderMode | None = None,
        render_seat: Observer = None,
        observation: ObservationKind = "dict",
        encoding: str | None = None,
        shaping: float = 0.0,
        gamma: float = 1.0,
        **options: Any,
    ) -> GameParallelEnv:
        """PettingZoo's parallel environment: agents `player_0` and so on; each step is one phase of decisions.

        Observations are dicts by agent: "observation", float32 (entries,), and "action_mask", int8 (actions,); with
        `observation="array"` they are the array alone, and the mask is only in the infos. Actions are ints. `encoding`
        names what the array shows: by default the game's features for networks, with "compact" its own whole numbers
        scaled to 0 to 1. `env.layout` names its sections, `env.describe(action)` an action, `env.legal_actions(agent)`
        those that are legal.

        Rewards come at the end: "win" is the share of the win less 1 / players, "score" the points, "margin" the points
        less the mean of the others', scaled. `shaping` adds the changes of the game's potential, times this number, at
        the learner's discount `gamma`. An illegal action ends the game, -1 for the offender and 0 for the others; with
        `illegal="raise"` it is an error, and nothing changes.

        `num_players` is a number, or several, as (2, 3, 4): each game's seed then decides how many play. `variant` is
        one of the game's variants, by default the first. `render_mode` is "ansi", "human" or "rgb_array"; pictures show
        what is open to everybody, with a player as `render_seat` what that player sees, with "all" everything.

            env = strand_unter_v1.parallel_env(num_players=4, reward="win")
            observations, infos = env.reset(seed=1)
        """
        batches = self._batches([1], num_players, ruleset, variant, options)
        how: Any = (
            reward,
            illegal,
            render_mode,
            render_seat,
            observation,
            encoding,
            shaping_of(self.game, shaping, gamma),
        )
        return GameParallelEnv(*(Table(self.game, batch, *how) for batch in batches))

    def raw_env(self, **arguments: Any) -> GameAECEnv:
        """PettingZoo's AEC environment, without wrappers; with the arguments of `parallel_env`.

        Only agents that have to decide are asked, one after the other; simultaneous choices stay secret. Observations
        and rewards are those of `parallel_env`.
        """
        return GameAECEnv(*self.parallel_env(**arguments).tables)

    def env(self, **arguments: Any) -> OrderEnforcingWrapper[str, Observation, int | None]:
        """`raw_env` in PettingZoo's wrapper that refuses calls in the wrong order.

            env = strand_unter_v1.env(num_players=3)
            env.reset(seed=1)
            for agent in env.agent_iter():
                observation, reward, termination, truncation, info = env.last()
                env.step(None if termination else observation["action_mask"].argmax())

        The arguments are those of `parallel_env`.
        """
        return OrderEnforcingWrapper(self.raw_env(**arguments))

    def learner_env(self, *, render_mode: RenderMode | None = None, **arguments: Any) -> LearnerEnv:
        """Gymnasium's environment: one learner against opponents, with the arguments of `learner_match`.

        Observations are float32 (entries,), masks int8 (actions,) in `info["action_mask"]`. The game's reward comes
        with the learner's last decision; the info then has "win", the share of the win, "score" and "rank". Pictures,
        by `render_mode` as in `parallel_env`, show what the learner sees.

            env = gymnasium.make("strand_env/StrandUnter-v1", seat="random", opponents="tide")
            observation, info = env.reset(seed=1)
            observation, reward, over, _, info = env.step(env.action_space.sample(info["action_mask"]))
        """
        number = len(self._counts(arguments.get("num_players")))
        matches = self.learner_match(number, record=number, **arguments).parts
        for match in matches:
            match.autoreset_mode = AutoresetMode.DISABLED
        return LearnerEnv(*matches, render_mode=render_mode)

    # Gymnasium asks the entry point, which a bound method passes on: "rgb_array_list" and "ansi_list" hang on it.
    learner_env.metadata = RENDERING  # type: ignore[attr-defined]

    def learner_vector_env(
        self,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        max_episode_steps: int | None = None,
        render_mode: None = None,
        **arguments: Any,
    ) -> LearnerVectorEnv:
        """Gymnasium's vector environment, many games in one batch; with the arguments of `learner_match`, too.

        Observations are float32 (num_envs, entries), rewards float64 (num_envs,), masks int8 (num_envs, actions) in
        `infos["action_mask"]`. Finished games are auto-reset according to `autoreset_mode`: in the same step, in the
        next one, or only by a reset (`gymnasium.vector.AutoresetMode`, or "SameStep", "NextStep", "Disabled"). Games
        are truncated after `max_episode_steps` decisions of the learner.

            envs = strand_unter_v1.learner_vector_env(256, seat="random", opponents="tide")
            observations, infos = envs.reset(seed=1)
            observations, rewards, over, _, infos = envs.step(infos["action_mask"].argmax(axis=1))
        """
        if render_mode is not None:
            raise ValueError(f"render_mode: a batch of games is not shown; expected None, got {shown(render_mode)}")
        modes = {mode.value: mode for mode in AutoresetMode}
        mode = autoreset_mode.value if isinstance(autoreset_mode, AutoresetMode) else autoreset_mode
        one_of("autoreset_mode", mode, modes)
        if max_episode_steps is not None:
            max_episode_steps = whole_number("max_episode_steps", max_episode_steps, 1)
        match = self.learner_match(num_envs, **arguments)
        for part in match.parts:
            part.autoreset_mode, part.max_episode_steps = modes[mode], max_episode_steps
        return LearnerVectorEnv(match)

    def learner_vec_env(self, num_envs: int = 1, **arguments: Any) -> "LearnerVecEnv":
        """The same for Stable-Baselines3: `num_envs`, and the arguments of `learner_match`.

        Observations are float32 (num_envs, entries), rewards float32 (num_envs,); `action_masks()` is int8 (num_envs,
        actions). Finished games are reset in the same step, and their infos have "win", "score" and "rank".

            env = strand_unter_v1.learner_vec_env(num_envs=256, seat="random", opponents="tide")
            model = MaskablePPO("MlpPolicy", env)
        """
        with from_extra("train", "Stable-Baselines3's environment"):
            from strand_env.adapters.sb3 import LearnerVecEnv
        return LearnerVecEnv(self.learner_match(num_envs, **arguments))

    def learner_match(
        self,
        num_games: int,
        *,
        num_players: NumPlayers = None,
        seat: Seat = 0,
        opponents: Given = "random",
        reward: RewardKind = "win",
        illegal: IllegalHandling = "terminate",
        ruleset: Any = None,
        variant: str | None = None,
        record: int = 0,
        encoding: str | None = None,
        shaping: float = 0.0,
        gamma: float = 1.0,
        **options: Any,
    ) -> Match | Matches:
        """A batch of games with one learner in each, in this seat or in a "random" one.

        Opponents are one agent for all other seats or a list of one for each, by name or as objects. Of the first
        `record` games replays are kept: the info at the end of each has its "replay". With several numbers of players,
        the games are split evenly between them, in blocks. The other arguments are those of `parallel_env`.
        """
        whole_number("num_games", num_games, 1)
        number = len(self._counts(num_players))
        if num_games < number:
            raise ValueError(f"num_games: expected one for each of {number} numbers of players, got {num_games}")
        shares = [num_games // number + (place < num_games % number) for place in range(number)]
        left, matches = whole_number("record", record, 0), []
        shown: Any = {"encoding": encoding, "shaping": shaping_of(self.game, shaping, gamma)}
        for batch in self._batches(shares, num_players, ruleset, variant, options):
            matches.append(Match(self.game, batch, seat, opponents, reward, illegal, left, **shown))
            left = max(left - batch.num_games, 0)
        return matches[0] if number == 1 else Matches(matches)

    def self_play_vec_env(
        self,
        num_envs: int = 1,
        *,
        num_players: int | None = None,
        reward: RewardKind = "win",
        illegal: IllegalHandling = "terminate",
        ruleset: Any = None,
        variant: str | None = None,
        record: int = 0,
        encoding: str | None = None,
        shaping: float = 0.0,
        gamma: float = 1.0,
        **options: Any,
    ) -> "SelfPlayVecEnv":
        """For Stable-Baselines3's MaskablePPO (given `**env.buffer_arguments`, too): all players learn as one policy.

        There are as many rows as games, `num_envs`, each a decision of some player: observations are float32 (num_envs,
        entries), `action_masks()` int8 (num_envs, actions). The other arguments are as for `learner_match`.

            env = strand_unter_v1.self_play_vec_env(num_envs=256, reward="margin")
            model = MaskablePPO("MlpPolicy", env, **env.buffer_arguments)
        """
        with from_extra("train", "Stable-Baselines3's environment"):
            from strand_env.adapters.selfplay import SelfPlayVecEnv
        if len(self._counts(num_players)) > 1:
            raise ValueError(f"num_players: self-play is for one number, got {shown(num_players)}")
        (batch,) = self._batches([num_envs], num_players, ruleset, variant, options)
        shaped = shaping_of(self.game, shaping, gamma)
        return SelfPlayVecEnv(self.game, batch, reward, illegal, record, encoding, shaped)

    def _counts(self, num_players: NumPlayers) -> list[int]:
        return checked_counts(num_players, self.game.default_players, self.game.player_counts)

    def _batches(
        self,
        shares: Sequence[int],
        num_players: NumPlayers,
        ruleset: Any,
        variant: str | None,
        options: dict[str, Any],
    ) -> list[Batch]:
        """One batch per player count, freshly seeded; `shares` are their numbers of games, or one number for all."""
        counts = self._counts(num_players)
        numbers = shares if len(shares) == len(counts) else list(shares) * len(counts)
        batches: list[Batch] = [
            self.game.batch(number, players, fresh_seed(), ruleset, variant=variant, **options)
            for number, players in zip(numbers, counts, strict=True)
        ]
        check_alike(batches)
        return batches

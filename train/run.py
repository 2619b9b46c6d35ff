"""A training run, by masked PPO (`updating.py`) or deep Monte Carlo (`dmc.py`), against a mix of agents and itself.

A run is a folder: `config.json`, the newest `checkpoint.safetensors`, logs for TensorBoard in `log/`,
`evaluations.json`, `learning_curve.png`, and the trained agent in `agent/`.
"""

import json
import math
import os
import time
from dataclasses import asdict
from pathlib import Path
from typing import Protocol, cast

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure
from threadpoolctl import threadpool_limits

from strand_env.agents import AnyAgent, agent_of
from strand_env.agents.lookahead import LookaheadAgent
from strand_env.agents.naming import refuse_code
from strand_env.agents.network import Lookahead, Network, NetworkAgent, save_agent
from strand_env.engine.checks import printable
from strand_env.engine.protocol import RewardKind
from strand_env.support.files import sweep, write_whole
from strand_env.support.reading import naming, read_json
from strand_env.train.checkpoint import restore_checkpoint, save_checkpoint
from strand_env.train.config import Config
from strand_env.train.dmc import DMC
from strand_env.train.evaluation import CHOOSING, DURING, FINAL, Evaluation, draw_learning_curve, evaluate, exploited
from strand_env.train.imitation import imitate, learn_values, lessons, rate_actions
from strand_env.train.learner import (
    PolicyPool,
    agents_in,
    encoding_and_sizes,
    environment_of,
    game_of,
    mean_of,
    model_of,
    network_of,
    reference_of,
    settings_of,
)
from strand_env.train.runners import ClusterPPO, RemoteVecEnv, RunnerDied

CONFIG, CHECKPOINT, EVALUATIONS = "config.json", "checkpoint.safetensors", "evaluations.json"
CURVE, AGENT = "learning_curve.png", "agent"
TEMPERATURES = 1.0, 0.5, 0.0  # candidates; the best one is kept
STEEPNESS = 2.5  # logits of winning for a standard deviation of the rewards
EXPLOIT_DEALS = 32  # at most, in each measurement of how far it can be exploited


class Watcher(Protocol):
    """Receives the progress of a run. `Quiet` has all of these methods, to derive from."""

    def begun(self, decisions: int) -> None:
        """Called first, and whenever the run goes on from a checkpoint, with the decisions learned from until then."""

    def progress(self, decisions: int) -> None:
        """Decisions learned from so far, imitated ones included."""

    def evaluated(self, evaluations: list[Evaluation]) -> None: ...


class Quiet:
    """A watcher that ignores everything."""

    def begun(self, decisions: int) -> None:
        pass

    def progress(self, decisions: int) -> None:
        pass

    def evaluated(self, evaluations: list[Evaluation]) -> None:
        pass


def begin(folder: Path, config: Config) -> None:
    """Creates the folder of a new run."""
    if os.path.lexists(folder / CONFIG):
        place = printable(folder)
        raise ValueError(f"{place}: there is a run already; strand train --resume {place} continues it")
    # All errors are raised before anything is written.
    encoding_and_sizes(config)
    _make_agents(config)
    write_whole(folder / CONFIG, (json.dumps(config.to_dict(), indent=2) + "\n").encode())


def _make_agents(config: Config) -> None:
    for name in agents_in(config):
        agent_of(name, game=game_of(config))


def config_of(folder: Path, trust: bool = False) -> Config:
    """The configuration of a run. It may be from anybody: agents that would run code are refused, unless trusted."""
    path = folder / CONFIG
    if not os.path.lexists(path):
        raise ValueError(f"{printable(folder)}: there is no run to continue ({CONFIG} is missing)")
    data = read_json(path)
    with naming(path):
        config = Config.from_dict(data)
        encoding_and_sizes(config)
        agents = agents_in(config)
    if not trust:
        refuse_code(agents, path, game_of(config))
    return config


class Run(BaseCallback):
    """One run, from its start or its newest checkpoint to the end.

    All work between rollouts happens where a rollout starts, the checkpoint first: a resumed run repeats the rest with
    the same results. A run with env runners needs a process that is connected to Ray. With `trust`, agents that the
    folder names by file or module are loaded, which runs their code.
    """

    model: MaskablePPO

    def __init__(self, folder: Path, watcher: Watcher | None = None, trust: bool = False) -> None:
        super().__init__()
        self.folder = folder
        self.config = config = config_of(folder, trust)
        with naming(folder / CONFIG):
            _make_agents(config)
        self.watcher = watcher or Quiet()
        self.game = game_of(config)
        self.reference = reference_of(config)
        self.evaluations: list[Evaluation] = []
        self.judged: list[Evaluation] = []  # after training
        torch.set_num_threads(config.threads)
        threadpool_limits(config.threads, "blas")
        self.policies = PolicyPool(config)
        if config.env_runners:
            self.env = environment_of(config, self.policies, RemoteVecEnv)
            model = model_of(config, self.env, self.policies, ClusterPPO)
            assert isinstance(model, ClusterPPO)
            model.config, model.policies = config, self.policies
            self.model = model
        else:
            self.env = environment_of(config, self.policies)
            self.model = model_of(config, self.env, self.policies)
        self._began = time.monotonic()
        self._saved = -math.inf
        self._begun = os.path.lexists(folder / CHECKPOINT)  # a link to nowhere is no fresh start
        if self._begun:
            self.evaluations, seconds = restore_checkpoint(
                folder / CHECKPOINT, config, self.model, self.env, self.policies
            )
            self._began -= seconds
        sweep(folder, folder / AGENT)

    @property
    def frames(self) -> int:
        return self.model.num_timesteps

    @property
    def decisions(self) -> int:
        """Decisions learned from so far, imitated ones included."""
        return self.frames + self.config.imitate * self._begun

    @property
    def seconds(self) -> float:
        """Training time so far, before resuming included."""
        return round(time.monotonic() - self._began, 1)

    def learn(self) -> None:
        """Trains to the end, then evaluates and exports the agent."""
        self.watcher.begun(self.decisions)
        if not self._begun:
            self.imitate()
        self.model.set_logger(configure(str(self.folder / "log"), ["tensorboard"]))
        self.model.learn(self.config.total_timesteps - self.frames, self, reset_num_timesteps=not self.frames)
        self._check_weights()
        self.checkpoint()
        self.evaluate()
        self.export()

    def imitate(self) -> None:
        """Learns from the reference, before reinforcement learning starts."""
        config = self.config
        teacher, reward = agent_of(self.reference, game=self.game), cast(RewardKind, config.reward)
        start = teacher, self.game, settings_of(config)
        encoding, shaping = self.env.encoding, self.env.matches[0].shaping
        potential = None if shaping is None else shaping.potentials
        if config.rollouts:
            rated = rate_actions(*start, reward, config.rollouts, config.threads, config.seed)
            learned = learn_values(self.model, rated, encoding, potential, config.imitate, config.seed)
        else:
            taught = lessons(*start, encoding, reward, config.gamma, potential, config.seed)
            learned = imitate(self.model, taught, config.imitate, config.seed)
        for decisions in learned:
            self.watcher.progress(decisions)
        self._begun = True

    def _on_rollout_start(self) -> None:
        self._check_weights()
        if time.monotonic() - self._saved >= self.config.checkpoint_seconds:
            self.checkpoint()
        network = network_of(self.model)
        if self._passed(self.config.evaluate_every):
            self.evaluate()
        if self._passed(self.config.pool_every):
            self.policies.keep(network)
        self.policies.begin(network, self.frames // self._rollout)

    def _check_weights(self) -> None:
        """Raises `ValueError` if training has diverged; what was saved before stays."""
        if not all(tensor.isfinite().all() for tensor in self.model.policy.state_dict().values()):
            raise ValueError(
                f"{self.folder}: training diverged before timestep {self.frames:,}: weights are no longer finite; "
                "try a lower learning_rate"
            )

    @property
    def _rollout(self) -> int:
        """Timesteps per rollout."""
        return self.config.n_envs * self.config.n_steps

    def _passed(self, every: int) -> bool:
        """Whether the last rollout reached another multiple of `every` timesteps; true at the start, too."""
        return self.frames // every > (self.frames - self._rollout) // every

    def _on_step(self) -> bool:
        self.watcher.progress(self.decisions)
        return True

    def checkpoint(self) -> None:
        parts = self.model, self.env, self.policies, self.evaluations, self.seconds
        save_checkpoint(self.folder / CHECKPOINT, *parts)
        self._saved = time.monotonic()

    @property
    def network(self) -> Network:
        """The current policy; at the end of a run, the mean of the last ones, which is steadier and plays better."""
        config, current = self.config, network_of(self.model)
        if self.frames < config.total_timesteps or isinstance(self.model, DMC):
            return current
        return mean_of([current, *self.policies.latest(int(config.average * self.frames) // config.pool_every)])

    def agent(self, temperature: float = 1.0) -> NetworkAgent:
        """The current policy as an agent; at the end of a run, the one that is exported."""
        return NetworkAgent(self.network, self.env.encoding, temperature, self.game.id)

    def final_agent(self, temperature: float) -> AnyAgent:
        """The agent that is exported: with lookahead, if the run is configured so."""
        agent = self.agent(temperature)
        return LookaheadAgent(agent, self.lookahead) if self.lookahead else agent

    @property
    def lookahead(self) -> Lookahead | None:
        config, model = self.config, self.model
        if not config.lookahead or not isinstance(model, DMC):
            return None
        reward = cast(RewardKind, config.reward)
        # With one turn alone, win probabilities were no better than values.
        steepness = STEEPNESS * model.temperature if config.lookahead_turns > 1 else 0.0
        unit = model.scale * model.temperature
        prior, turns = config.lookahead_prior, config.lookahead_turns
        return Lookahead(config.lookahead, reward, unit, config.shaping, prior, turns, steepness)

    def evaluate(self) -> None:
        """Evaluates against the reference and against random, on the same deals each time."""
        if self.evaluations and self.evaluations[-1].frames == self.frames:
            return
        config = self.config
        opponents = dict.fromkeys((self.reference, "random"))
        setting = self._largest()
        found = [self._judge(self.agent(), name, setting, config.deals, DURING) for name in opponents]
        for each in found:
            self.model.logger.record(f"evaluation/win_against_{each.opponent}", each.win)
        self.model.logger.dump(self.frames)
        self.evaluations += found
        self.watcher.evaluated(found)
        data = [asdict(each) for each in self.evaluations]
        write_whole(self.folder / EVALUATIONS, (json.dumps(data, indent=2) + "\n").encode())
        title = f"{self.game.id}, {setting[0]} players" + (f", {setting[1]}" if setting[1] else "")
        draw_learning_curve([self.evaluations], title, self.folder / CURVE)

    def export(self) -> None:
        """Saves the agent at its best temperature, with evaluations on new deals."""
        config = self.config
        best = 0.0 if self.lookahead else max(TEMPERATURES, key=self._lead)
        agent = self.final_agent(best)
        self.judged = [
            self._judge(agent, name, setting, config.final_deals, FINAL, turned)
            for setting in settings_of(config)
            for name, turned in dict.fromkeys(((self.reference, False), ("random", False), (self.reference, True)))
        ]
        self.judged += [self._exploit(best, setting, FINAL) for setting in settings_of(config)]
        judged = [asdict(each) for each in self.judged]
        details = config.player_counts, self.env.encoding, best, config.to_dict(), judged
        with naming(self.folder / AGENT):
            save_agent(self.folder / AGENT, self.network, self.game, *details, self.lookahead)

    def _lead(self, temperature: float) -> float:
        """Its win share alone among references, minus those of others alone among copies of it.

        The others are a reference and a search that knows its policy: a greedy policy wins more when alone, but gets
        in its own way when it meets itself, and is foreseen.
        """
        setting, deals, reference = self._largest(), self.config.deals, self.reference
        agent = self.agent(temperature)
        own, others = (self._judge(agent, reference, setting, deals, CHOOSING, turned) for turned in (False, True))
        return own.win - others.win - self._exploit(temperature, setting, CHOOSING).win

    def _exploit(self, temperature: float, setting: tuple[int, str | None], seed: int) -> Evaluation:
        """A search that knows its policy, alone among copies of it, which do not look ahead.

        On few deals, since searches take long.
        """
        players, variant = setting
        deals = min(self.config.deals, EXPLOIT_DEALS)
        return exploited(self.agent(temperature), self.game, players, deals, seed, self.frames, self.seconds, variant)

    def _largest(self) -> tuple[int, str | None]:
        """The setting of evaluations on the way: most players, and the first of the variants."""
        return max(self.config.player_counts), settings_of(self.config)[0][1]

    def _judge(
        self,
        agent: AnyAgent,
        opponent: str,
        setting: tuple[int, str | None],
        deals: int,
        seed: int,
        turned: bool = False,
    ) -> Evaluation:
        players, variant = setting
        setup = self.game, players, deals, seed, self.frames, self.seconds
        return evaluate(agent, opponent, *setup, turned, variant)


def train(folder: Path, watcher: Watcher | None = None, trust: bool = False) -> Run:
    """A run to its end. After the death of an env runner, it goes on from the checkpoint with new ones."""
    in_vain = False
    while True:
        run = Run(folder, watcher, trust)
        begun = run.frames
        try:
            run.learn()
            run.env.close()
            return run
        except RunnerDied:
            again, in_vain = in_vain, run.frames == begun
            if again and in_vain:  # nothing was learned either time
                raise

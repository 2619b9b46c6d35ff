# %% [markdown]
# # Train and inspect
#
# A short training run, its learning curve, and what the agent ends up doing: `strand train` and `strand inspect` in
# miniature. [The page on training](../docs/training.md) has the rest.

# %%
import dataclasses
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from strand_env.agents import agent_of
from strand_env.arena import versus
from strand_env.pictures.plots import INK, SAND, SEA, STYLE
from strand_env.strand_unter import Games, describe
from strand_env.train.config import Config
from strand_env.train.inspection import watch
from strand_env.train.run import Quiet, Run, begin
from strand_env.train.strand_unter import PICTURES

plt.rcParams.update(STYLE)

# %% [markdown]
# ## A run
#
# One dataclass configures a run: equal configurations end with equal weights on one kind of machine. The learner first
# imitates `tide`, the reference heuristic; then it learns from its own games, with masked PPO, against `tide` and
# copies of itself. A run lives in a folder and can be resumed from there.

# %%
config = Config(
    imitate=480_000,  # decisions of tide to imitate
    total_timesteps=32_000,  # its own decisions
    opponents="tide=0.5,self=0.5",
    learning_rate=2e-4,  # lower than usual, and so is the weight of the value: the run is too short to unlearn
    vf_coef=1.0,
    hidden="256,256",
    evaluate_every=8_000,
    deals=80,
    final_deals=300,
)
place = tempfile.TemporaryDirectory()  # or a permanent folder
folder = Path(place.name) / "run"
begin(folder, config)

# %% [markdown]
# A watcher is notified of the progress and of each evaluation. There are no evaluations during imitation, so this one
# adds them: the win rate against three copies of an opponent, on the same deals each time.


# %%
class Diary(Quiet):
    """Records win rates by the number of decisions learned from."""

    def __init__(self):
        self.entries = []  # decisions, opponent, and the win rate: mean, low, high
        self.next = 0

    def progress(self, decisions):
        if self.next <= decisions < config.imitate:
            for opponent in ("tide", "random"):
                win = versus(run.agent(), opponent, config.deals, players=4, seed=1).win
                self.entries.append((decisions, opponent, *win))
            self.next += 120_000

    def evaluated(self, evaluations):
        for each in evaluations:
            self.entries.append((config.imitate + each.frames, each.opponent, each.win, each.low, each.high))


diary = Diary()
run = Run(folder, diary)
run.learn()
print(*run.judged, sep="\n")

# %% [markdown]
# This was the final evaluation, on deals never played before. The learning curve, with 95 % intervals:

# %%
figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
for opponent, colour in (("tide", SEA), ("random", SAND)):
    decisions, mean, low, high = np.array([[e[0], *e[2:]] for e in diary.entries if e[1] == opponent]).T
    axes.plot(decisions / 1000, 100 * mean, "o-", color=colour, markersize=4, label=f"against three of {opponent}")
    axes.fill_between(decisions / 1000, 100 * low, 100 * high, color=colour, alpha=0.25, linewidth=0)
axes.axhline(25, color=INK, linewidth=0.8, linestyle=":", label="equal share")
axes.axvspan(config.imitate / 1000, decisions[-1] / 1000, color=INK, alpha=0.06, linewidth=0)
axes.text(config.imitate / 1000, 1, "its own games ", transform=axes.get_xaxis_transform(), ha="right", va="top")
axes.set(xlabel="thousand decisions learned from", ylabel="win rate, %", ylim=(0, 100))
axes.legend(frameon=False, loc="upper left")
plt.show()

# %% [markdown]
# Nearly all of this is imitation: the few games of its own, in the shaded part, only begin to matter. `strand train`
# gives them a few minutes.
#
# The curve shows the exploring learner. The agent is saved with the softmax temperature that suits it best, so the
# final evaluation can be better than the curve.

# %%
agent = agent_of(str(folder / "agent"))
print("temperature", agent.temperature)

# %% [markdown]
# ## What does it want?
#
# Agents with a method `probabilities` expose their action probabilities. Here they are for the first dial of a game:
# the exploring learner next to `tide`.

# %%
games = Games(1, num_players=4, seed=64)
observation, mask = games.look_at_rows([0], [0])  # game 0, player 0
dials = np.flatnonzero(mask[0])

figure, axes = plt.subplots(figsize=(8, 3.6), layout="constrained")
for shift, colour, name, each in ((-0.2, SAND, "learner", run.agent()), (0.2, SEA, "tide", agent_of("tide"))):
    axes.barh(dials + shift, 100 * each.probabilities(observation, mask)[0, dials], 0.38, color=colour, label=name)
axes.set_yticks(dials, [describe(dial).removeprefix("Set the dial to ").rstrip(".") for dial in dials])
axes.invert_yaxis()
axes.set(xlabel="probability, %")
axes.legend(frameon=False)
plt.show()

# %% [markdown]
# ## What does it do?
#
# One position says little. `watch` records all decisions of an agent in many games; equal seeds mean equal deals and
# seats. The plots are those of `strand inspect`: the learner on the left, `tide` on the right, both against `tide`.

# %%
watched = [
    dataclasses.replace(watch(agent, "tide", games=500, players=4, seed=5), name="learner"),
    watch("tide", "tide", games=500, players=4, seed=5),
]


def show(name):
    title, drawing = PICTURES[name]
    figure, row = plt.subplots(ncols=2, figsize=(10, 3.9), layout="constrained")
    figure.suptitle(title)
    for axes, each in zip(row, watched, strict=True):
        axes.set_title(each.name)
        drawing(axes, each)
    plt.show()


show("dials_by_round")

# %% [markdown]
# The dials by round show an agent's style: how often it sets single shells (top), which are safe and bring a castle,
# and how often which combinations. The dotted line is the turn of the tide.

# %%
show("castles")

# %% [markdown]
# When castles are built, with the groove in brackets. In some rounds, `tide` waits for a groove further out. What a
# castle out there is worth is the question of [the next notebook](04_research.ipynb).

# %%
show("ends_of_castles")

# %%
show("collisions")

# %% [markdown]
# A collision means no shells. The more predictable a player is, the likelier like-minded players get in the way: `tide`
# mixes its dials, which an agent that always plays its best action cannot.

# %%
place.cleanup()

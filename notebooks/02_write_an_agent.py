# %% [markdown]
# # Write an agent
#
# A heuristic in about twenty lines, and how strong it is. An agent has two methods: `reset`, called at the start of a
# run of games, and `act`, which decides for many players at once: one row of observation and mask each.

# %%
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Image

from strand_env.arena import run_arena, versus
from strand_env.pictures.plots import INK, SAND, SEA, STYLE
from strand_env.strand_unter import layout
from strand_env.strand_unter.actions import BUILD_CASTLE, PASS, TAKE_CASTLE, TAKE_COLOUR, TAKE_PAIR, TAKEN

plt.rcParams.update(STYLE)

# %% [markdown]
# ## The idea
#
# Give each colour a value: highest for a shell that the nearest castle lacks, something for one that another card
# lacks, negative for any other. Then rate all actions in one table and take the best legal one:
#
# - a single shell is worth its colour's value, plus a castle;
# - a combination is worth the best shells that it can take, but someone else may want the same: `boldness` is the trust
#   that nobody does;
# - build whatever can be built, most valuable first, and pay for the wild shell with the least useful colour.
#
# A little noise keeps copies of the agent out of each other's way. It comes from `rng`, which has one stream per row,
# so that games are reproducible.


# %%
class Castellan:
    """Collects for the castle that lacks least, and builds as soon as it can."""

    def __init__(self, boldness=0.5):
        self.boldness = boldness

    def reset(self):
        pass

    def act(self, observation, mask, rng):
        def seen(name, *shape):
            return observation[:, layout[name].slice].astype(float).reshape(len(observation), *shape)

        shells, bucket = seen("shells", 4), seen("seat_0.bucket", 1, 4)
        cards, castles = seen("seat_0.cards", 4, 4), seen("seat_0.castles", 4, 4)
        on_heap, ready = castles[:, :, 0] == 1, castles[:, :, 1] == 1
        lacking = np.maximum(cards - bucket, 0) * (on_heap | ready)[:, :, None]  # by castle and colour
        distance = np.where(on_heap | ready, lacking.sum(2), 99)
        nearest = np.take_along_axis(lacking, distance.argmin(1)[:, None, None], 1)[:, 0]
        worth = np.where(nearest > 0, 1, np.where(lacking.any(1), 0.4, -0.3))  # of a shell of each colour
        # The best colours of which there are one, two, three shells.
        there = np.where(shells[:, None] >= [[1], [2], [3]], worth[:, None], -1)
        one, two, three = np.moveaxis(-np.sort(-there, axis=2), 1, 0)
        pair, twins = one[:, 0] + one[:, 1], 2 * two[:, 0]
        combined = [twins, pair, 3 * three[:, 0], twins + one[:, 1], pair + one[:, 2], (shells * worth).max(1)]
        castle = on_heap.any(1) * np.where(ready.any(1), 0.3, 1)

        rating = np.zeros(mask.shape)
        rating[:, :4] = there[:, 0] + castle[:, None]
        rating[:, 4:10] = self.boldness * np.stack(combined, 1)
        rating[:, TAKE_COLOUR:TAKE_PAIR] = shells * worth
        rating[:, TAKE_PAIR:TAKE_CASTLE] = worth @ TAKEN[TAKE_PAIR:TAKE_CASTLE].T
        rating[:, TAKE_CASTLE:BUILD_CASTLE] = 2 - 0.3 * distance
        rating[:, BUILD_CASTLE:PASS] = (10 + np.arange(4)[:, None] - worth[:, None]).reshape(-1, 16)
        noise = np.stack([rng.random() for _ in range(mask.shape[1])], 1)
        return np.where(mask, rating + 0.2 * noise, -np.inf).argmax(1)


# %% [markdown]
# ## Against copies of an opponent
#
# `versus` plays the same deals with the agent in each seat, against copies of an opponent, and returns the win rate
# with a 95 % interval, bootstrapped over deals. With four players, an equal share is 25 %.

# %%
for opponent in ("random", "greedy", "tide"):
    win = versus(Castellan(), opponent, deals=500, players=4).win
    print(f"against three of {opponent:7} {win.mean:6.1%}   ({win.low:.1%} to {win.high:.1%})")

# %% [markdown]
# ## How bold should it be?
#
# Boldness was a guess. Here is a sweep, on the same deals for all values.

# %%
OPPONENTS = {"random": SAND, "greedy": SEA, "tide": INK}
boldness = np.array([0.2, 0.35, 0.5, 0.65, 0.8, 1.0, 1.3])
sweep = {
    opponent: 100 * np.array([versus(Castellan(bold), opponent, deals=200, players=4).win for bold in boldness])
    for opponent in OPPONENTS
}

figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
axes.axhline(25, color=INK, linewidth=0.8, linestyle=":")
for opponent, estimates in sweep.items():
    mean, low, high = estimates.T
    axes.plot(boldness, mean, "o-", color=OPPONENTS[opponent], label=f"against three of {opponent}")
    axes.fill_between(boldness, low, high, color=OPPONENTS[opponent], alpha=0.2, linewidth=0)
axes.text(boldness[-1], 25, "equal share", ha="right", va="bottom")
axes.set(xlabel="boldness", ylabel="win rate, %", ylim=(0, None))
axes.legend(frameon=False)
plt.show()

# %% [markdown]
# On the left, an agent that hardly dares combinations falls behind those that do.
#
# ## Round robin
#
# The arena seats all agents together and plays each deal in every rotation of the seats. Given a folder, it saves
# everything there: tables, every outcome, and this plot. On the command line, with the class in its own file, it is
# `strand arena castellan.py:Castellan tide greedy random --deals 500`.

# %%
best = boldness[sweep["tide"][:, 0].argmax()]
print(f"boldness {best}")
with tempfile.TemporaryDirectory() as folder:
    results = run_arena([Castellan(best), "tide", "greedy", "random"], deals=500, players=4, out=folder)
    shown = Image((Path(folder) / "arena.png").read_bytes(), width=1000)
shown

# %%
for agent in results.best_first:
    standing = results.standings[agent]
    told = ", ".join(f"{name} {estimate.mean:.1f}" for name, estimate in standing.statistics.items())
    print(f"{standing.agent:10} {standing.win.mean:6.1%} of the wins, {standing.score.mean:4.1f} points; {told}")

# %% [markdown]
# Room for improvement: look at the others' needs before setting the dial; wait with building while the sea retreats;
# reckon with the flood. The bundled heuristics do all of that ([how](../docs/agents.md#heuristics)), and
# [searches](../docs/agents.md#search) look ahead.

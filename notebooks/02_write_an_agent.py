# %% [markdown]
# # Write an agent
#
# A heuristic in some twenty lines, and how good it is. An agent has two methods: `reset`, at the beginning of a run of
# games, and `act`, which decides for many players at once, each a row of what it sees and of what is legal.

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
# Give each colour a worth: a shell that the nearest castle lacks is worth most, one that any other card lacks is worth
# something, any other does harm. Then rate all actions in one table, and do the best one that is legal:
#
# - a single shell is worth its colour, and brings a castle;
# - a combination is worth the best shells that it can take, but somebody else may want the same: `boldness` is the
#   trust that nobody does;
# - build whatever can be built, the most valuable first, and pay the wild shell with the least useful colour.
#
# A little noise keeps copies of the agent out of each other's way. It is drawn from `rng`, which has a stream for each
# row: then games can be repeated exactly.


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
# ## Against copies of others
#
# `versus` plays the same deals with the agent in each seat, against copies of an opponent, and tells the share of the
# win with its 95 % interval, bootstrapped over deals. With four players an equal share is a quarter.

# %%
for opponent in ("random", "greedy", "tide"):
    win = versus(Castellan(), opponent, deals=500, players=4).win
    print(f"against three of {opponent:7} {win.mean:6.1%}   ({win.low:.1%} to {win.high:.1%})")

# %% [markdown]
# ## How bold should it be?
#
# Boldness was a guess. Here is a sweep over it, on the same deals for all values.

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
axes.set(xlabel="boldness", ylabel="share of the win, %", ylim=(0, None))
axes.legend(frameon=False)
plt.show()

# %% [markdown]
# Who hardly dares combinations, on the left, is left behind by those who do.
#
# ## Everybody with everybody
#
# The arena seats all agents together, each deal in every rotation of the seats. Given a folder, it keeps everything
# there: tables, every outcome, and this picture. From the command line, with the class in a file of its own, it is
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
# Where it could grow: look at what the others need before setting the dial; wait with building while the sea withdraws;
# reckon with the flood. The heuristics that come with strand_env do all of that
# ([how](../docs/agents.md#heuristics)), and [searching agents](../docs/agents.md#search) look ahead.

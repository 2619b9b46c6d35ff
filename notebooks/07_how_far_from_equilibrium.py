# %% [markdown]
# # How far from equilibrium?
#
# In the last round of Strand Unter nothing is drawn any more: everything lies open but what both players are about to
# set. The rest of a game between two players is then a small game that can be solved exactly. So agents can be compared
# with perfect play, not only with each other: how much does an agent lose to an opponent who knows its policy?

# %%
import matplotlib.pyplot as plt
import numpy as np

from strand_env.agents import agent_of, joint_actions
from strand_env.arena.exact import GameTree
from strand_env.pictures.plots import INK, SAND, SEA, SHELL, STYLE
from strand_env.strand_unter import Games

plt.rcParams.update(STYLE)

# %% [markdown]
# ## Last rounds
#
# Games end after 15 rounds, unless somebody ends them earlier. Here are the first positions of the last round from 12
# games between two `tide`, the reference heuristic, and 12 between two `learned`, the bundled network.

# %%
LAST = 15


def last_rounds(name, number, seed):
    """Snapshots of the first position of the last round, of games between two of an agent."""
    agent, found, moves = agent_of(name), [], 0
    games = Games(4 * number, num_players=2, seed=seed)
    while True:
        there = (games.state["round"] == LAST) & ~games.over
        found += [games.snapshot(int(game)) for game in np.flatnonzero(there)]
        on = ~there & ~games.over
        if not on.any():
            return found[:number]
        games = games.select(on)
        games.step(joint_actions(agent, games, moves))
        moves += 1


positions = [*last_rounds("tide", 12, seed=1), *last_rounds("learned", 12, seed=2)]
tree = GameTree(Games.from_snapshots(positions))
print(f"{len(positions)} last rounds, {tree.num_positions:,} positions in all")

# %% [markdown]
# `GameTree` steps all that can follow, merges equal positions, and goes backwards from the ends. Each position is a
# matrix game, since both players may decide at once, and the simplex method solves it.

# %%
value, mixtures = tree.equilibrium()
for share, meaning in ((0.5, "the first player wins"), (0, "both share the win"), (-0.5, "the second player wins")):
    print(f"{meaning}: {np.isclose(value, share).sum()} of {len(value)}")
both_choose = [pair for level in mixtures for pair in level if min(map(len, pair)) > 1]
mixed = sum(first.max() < 1 or second.max() < 1 for first, second in both_choose)
print(f"positions in which both have a choice: {len(both_choose):,}; those in which they have to mix: {mixed}")

# %% [markdown]
# ## What agents lose
#
# For each agent in each seat, the exact best response to its policy: what the agent gets less than the value of the
# game. `mc` is asked once in each position, with random numbers of its own.

# %%
AGENTS = {"random": SHELL, "tide": SAND, "learned": SEA, "mc:32": INK}

lost = {}
for name in AGENTS:
    agent = agent_of(name)
    seats = value - tree.best_response(agent, seat=0), tree.best_response(agent, seat=1) - value
    lost[name] = 100 * np.mean(seats, axis=0).clip(0)
    errors = (lost[name] > 1).mean()
    print(f"{name:8} loses {lost[name].mean():4.1f} points of the win, more than 1 in {errors:.0%} of the endgames")

# %%
figure, (means, each) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained", width_ratios=(2, 3))
draws = np.random.default_rng(0).integers(0, len(positions), (2000, len(positions)))
for place, (name, colour) in enumerate(AGENTS.items()):
    low, high = np.quantile(lost[name][draws].mean(axis=1), (0.025, 0.975))
    means.plot([place, place], [low, high], color=colour)
    means.plot(place, lost[name].mean(), "o", color=colour)
    each.plot(1 + np.arange(len(positions)), np.sort(lost[name])[::-1], ".-", color=colour, label=name)
means.set_xticks(range(len(AGENTS)), AGENTS)
means.set(ylabel="points lost to a best response", ylim=(-1, 52), title="Mean, with 95 % intervals")
each.set(xlabel="endgames, from the worst on", ylim=(-1, 52), title="One by one")
each.legend(frameon=False)
plt.show()

# %% [markdown]
# Nobody has to mix in any of these positions: perfect play wins, loses or shares the win for certain. So being
# foreseeable costs nothing here, unlike earlier in a game, and what agents lose are plain mistakes. `tide` makes one in
# nearly half of the endgames, often one that gives the whole win away in one of its seats (50 points, as the mean of
# both). `learned` makes fewer, and Monte Carlo search, which looks at what follows, hardly any. How agents fare in more
# endgames is on [the page about OpenSpiel](../docs/openspiel.md#exact-science), whose algorithms confirm these values;
# how much is lost in whole games to opponents who only search is on [another](../docs/exploitability.md).

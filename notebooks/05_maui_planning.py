# %% [markdown]
# # How far ahead to plan in Maui
#
# In Maui everybody lays a row of twelve towels. A towel must match the one before it, and what matches is worth most
# near the water and the trees, where towels soon stick out of the beach. One player decides at a time, and only the
# draws are hidden: a game of planning. How far does planning ahead pay? The rules fit on [one
# page](../strand_env/maui/rules.md).

# %%
import matplotlib.pyplot as plt
import numpy as np
from IPython.display import SVG

from strand_env.agents import agent_of, joint_actions
from strand_env.arena import run_arena
from strand_env.maui import Games
from strand_env.maui.views import tell, to_svg
from strand_env.pictures.plots import INK, SAND, SEA, STYLE

plt.rcParams.update(STYLE)

# %% [markdown]
# ## One game
#
# `nalu`, the reference heuristic, plays both seats. The first moves of the game, in words:

# %%
games, nalu = Games(1, num_players=2, seed=3), agent_of("nalu", game="maui")
before, moves = games.snapshot(0), 0
while not games.over.all():
    actions = joint_actions(nalu, games, moves)
    games.step(actions)
    after, moves = games.snapshot(0), moves + 1
    if moves <= 4:
        print(*tell(before, actions[0].tolist(), after), sep="\n")
    before = after
print(f"… {moves} decisions in all, scores {games.scores[0].tolist()}")

# %% [markdown]
# The table at the end:

# %%
SVG(to_svg(games.snapshot(0)))

# %% [markdown]
# ## What an eye for the next towel is worth
#
# Three heuristics that look further and further: `greedy` takes the most points now, `scout` looks two towels ahead,
# and `nalu` also weighs rows, dollars, tempo and what the others will take. Each plays 500 deals against `nalu`, in
# both seats. The measure is points ahead of the opponent, with 95 % intervals.


# %%
def ahead(name, deals):
    """Points ahead of one `nalu`: mean, low, high."""
    return run_arena([name], deals, players=2, versus="nalu", game="maui").first_agent("margin")


heuristics = {name: ahead(name, 500) for name in ("greedy", "scout", "nalu")}
for name, points in heuristics.items():
    print(f"{name:7} {points.mean:+6.1f}  ({points.low:+.1f} to {points.high:+.1f})")

# %% [markdown]
# ## What it is worth to try things out
#
# Searches play copies of the game with other draws to the end, with `nalu` in all seats. `mc` tries every action
# equally often at first, and drops the worse half twice. `uct` starts from `nalu`'s ratings, drops the worse half again
# and again, and where an action has had enough rollouts, it varies its own later decisions, too: a tree. All play the
# same 12 deals.

# %%
BUDGETS = (16, 64, 256)
searches = {kind: [ahead(f"{kind}:{rollouts}", 12) for rollouts in BUDGETS] for kind in ("mc", "uct")}

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
for name, points in heuristics.items():
    axes.axhline(points.mean, color=INK, linewidth=0.8, linestyle=":")
    axes.text(27, points.mean + 0.3, name)
for (kind, found), colour, aside in zip(searches.items(), (SAND, SEA), (0.97, 1.03), strict=True):
    mean, low, high = np.array(found).T
    axes.errorbar(
        aside * np.array(BUDGETS), mean, (mean - low, high - mean), fmt="o-", color=colour, capsize=3, label=kind
    )
axes.set(xscale="log", xlabel="rollouts for each decision", ylabel="points ahead of nalu")
axes.set_xticks(BUDGETS, BUDGETS)
axes.minorticks_off()
axes.legend(frameon=False, loc="lower right")
plt.show()

# %%
for kind, found in searches.items():
    print(f"{kind:4}", *(f"{points.mean:+6.1f} ({points.low:+.1f} to {points.high:+.1f})" for points in found))

# %% [markdown]
# Looking at the next towels is worth most of what heuristics gain over `greedy`. With 16 rollouts, often fewer than
# there are legal actions, `mc` gains nothing over the heuristic that plays the rollouts; `uct`, which starts from that
# heuristic's ratings, does. From 64 on, a search is about as far ahead of `nalu` as `nalu` is of `greedy`, and more
# rollouts still help. [The leaderboard](../docs/leaderboard-maui.md) has larger budgets and more players.

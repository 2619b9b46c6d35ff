# %% [markdown]
# # One game
#
# Four views of Strand Unter: the engine, which plays any number of games at once; a player's observation; the
# [PettingZoo](https://pettingzoo.farama.org) environment; and games as data. The rules fit on [one
# page](../strand_env/strand_unter/rules.md).

# %%
import json
import random
import textwrap

import matplotlib.pyplot as plt
import numpy as np
from IPython.display import SVG

from strand_env import strand_unter_v1
from strand_env.agents import agent_of, joint_actions
from strand_env.pictures.plots import INK, STYLE
from strand_env.pictures.style import PLAYERS
from strand_env.replays import Replay
from strand_env.strand_unter import Games, describe, layout
from strand_env.strand_unter.views import tell, to_svg

plt.rcParams.update(STYLE)

# %% [markdown]
# ## Dealing a game
#
# `Games` is a batch of games, here of just one. Its seed determines everything that will ever be drawn. A snapshot is
# the complete game as plain data; pictures are drawn from it.


# %%
def picture(svg):
    """Scaled to the width of a notebook."""
    return SVG(svg.replace('width="1200" height="800"', 'width="900" height="600"', 1))


games = Games(1, num_players=4, seed=14)
picture(to_svg(games.snapshot(0)))

# %% [markdown]
# The sea covers all but the first groove. Each round, all players secretly set a dial at the same time; then they
# collect shells and may build a castle where the sandpiper stands.
#
# Everything is an array with one row per game. `to_act` says who has a decision, `legal` which actions are legal. One
# action space covers all phases.

# %%
print(games.to_act, games.legal.shape)
for action in np.flatnonzero(games.legal[0, 0]):
    print(f"{action:3}  {describe(action)}")

# %% [markdown]
# A step takes one action per player and plays to the next decision. `tell` describes what happened.

# %%
before, actions = games.snapshot(0), [[0, 1, 5, 5]]
games.step(actions)
print(games.status(0), games.to_act)
print(*tell(before, actions[0], games.snapshot(0)), sep="\n")

# %% [markdown]
# ## Letting agents play
#
# Agents decide for many players at once; those with nothing to decide pass. Their randomness depends only on the game's
# seed, the number of moves, and the seat, so a game goes the same way alone and in any batch.
#
# Here `tide`, the reference heuristic, plays all seats, and we record every position.

# %%
tide = agent_of("tide")
snapshots = [games.snapshot(0)]
while not games.over.all():
    games.step(joint_actions(tide, games, moves=len(snapshots)))
    snapshots.append(games.snapshot(0))

print(games.scores, games.winners)
picture(to_svg(snapshots[-1]))

# %% [markdown]
# Beach points by round. After the turn of the tide, the sea comes back for the outermost castles.

# %%
rounds = [snapshot["round"] for snapshot in snapshots]
starts = {number: rounds.index(number) for number in sorted(set(rounds))}

figure, axes = plt.subplots(figsize=(8, 3.6), layout="constrained")
for player, colour in enumerate(PLAYERS):
    points = [
        sum(value + place for value, place in enumerate(snapshot["castles"][player]) if isinstance(place, int))
        for snapshot in snapshots
    ]
    axes.plot(points, drawstyle="steps-post", color=colour, linewidth=2, label=f"player {player}")
axes.axvline(starts[9], color=INK, linestyle=":", linewidth=1)
axes.text(starts[9], 1, " the tide turns", transform=axes.get_xaxis_transform(), va="top")
axes.set_xticks(list(starts.values()), list(starts))
axes.set(xlabel="round", ylabel="beach points")
axes.legend(frameon=False, loc="upper left")
plt.show()

# %% [markdown]
# ## What a player sees
#
# An observation is a row of integers in named sections: first the table, then the seats, starting with the observer's.
# [All of them](../docs/observation.md) are documented; the layout is available in code, too.

# %%
print(f"{layout.size} numbers in {len(layout)} sections")
for section in layout:
    if not section.name.startswith(("seat_1", "seat_2", "seat_3")):
        meaning = textwrap.shorten(section.meaning.removeprefix("the observer's own seat: "), 80)
        print(f"{section.name:22} {section.slice.start:3} to {section.slice.stop - 1:3}  {meaning}")

# %% [markdown]
# One player's observation in the middle of the game above, by section:

# %%
middle = snapshots[starts[8]]
seen = Games.from_snapshots([middle]).observe()[0, 2]  # game 0, player 2
for name in ("round", "groove", "shells", "unseen", "seat_0.bucket", "seat_0.points", "seat_1.points"):
    print(f"{name:14} {seen[layout[name].slice]}")
print("cards by castle", *seen[layout["seat_0.cards"].slice].reshape(4, 4), sep="\n")

# %% [markdown]
# ## The PettingZoo environment
#
# Each step of the parallel environment is one decision phase. Observations are the same numbers scaled to 0…1, with the
# action mask next to them. At the end of a cell, an environment draws itself; `to_svg` returns the same picture.

# %%
env = strand_unter_v1.parallel_env(num_players=3, reward="win")
observations, infos = env.reset(seed=1)
print(env.agents, env.action_space("player_0"))
print({name: (array.shape, array.dtype) for name, array in observations["player_0"].items()})
print({name: value for name, value in infos["player_0"].items() if name != "action_mask"})

# %%
chance = random.Random(1)


def play_anything(env, steps=1000):
    """Plays random legal actions for some steps or to the end; returns the scores, if it got there."""
    while env.agents and steps:
        masks = {agent: env.observe(agent)["action_mask"] for agent in env.agents}
        env.step({agent: chance.choice(np.flatnonzero(mask)) for agent, mask in masks.items()})
        steps -= 1
    return env.snapshot()["scores"]


play_anything(env, steps=20)
picture(env.to_svg())

# %% [markdown]
# ## Snapshots
#
# A snapshot is plain JSON data. A game restored from it continues exactly: the same actions lead to the same end, down
# to the last draw.

# %%
snapshot = env.snapshot()
print(len(json.dumps(snapshot)), "bytes:", *snapshot)

chance.seed(2)
first_end = play_anything(env)
env.restore(snapshot)
chance.seed(2)
print(first_end, play_anything(env))

# %% [markdown]
# To set up a position, edit a snapshot. It is validated: an impossible position is rejected with the reason.

# %%
try:
    env.restore({**snapshot, "shells": [9, 9, 9, 9]})
except ValueError as error:
    print(error)

# %% [markdown]
# ## Replays
#
# A replay is the start of a game and everyone's actions, in a small JSON file (`replay.save`, `Replay.load`). Reading
# it plays the game again and verifies every action and the scores. `strand replay FILE` shows one in the terminal.

# %%
env.reset(seed=3)
play_anything(env)
text = env.replay().to_json()
*_, last_but_one, last = Replay.from_json(text).positions()
print(f"{len(text)} bytes, scores {last.snapshot['scores']}")
print(*last_but_one.story, *last.story, sep="\n")

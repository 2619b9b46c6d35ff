# %% [markdown]
# # What a bluff is worth in Sea or Shore
#
# In Sea or Shore every card is played with one half covered: its colour, the sea, or its number, the shore. Whoever
# plays later sees the other half, and nobody has to follow. So before the covers come off, each card tells something,
# and it may well mislead. Does it matter which half is shown? The rules fit on [one
# page](../strand_env/sea_or_shore/rules.md).

# %%
import matplotlib.pyplot as plt
import numpy as np

from strand_env.agents import agent_of, joint_actions
from strand_env.arena import versus
from strand_env.pictures.plots import INK, SAND, SEA, STYLE
from strand_env.sea_or_shore import Games, layout
from strand_env.sea_or_shore.views import tell

plt.rcParams.update(STYLE)

# %% [markdown]
# ## A trick
#
# `skipper`, the reference heuristic, plays all four seats. What everybody could see of the first trick:

# %%
games, skipper = Games(1, num_players=4, seed=5), agent_of("skipper", game="sea_or_shore")
before, moves = Games.as_seen(games.snapshot(0), None), 0
while before["trick"] == 1:
    actions = joint_actions(skipper, games, moves)
    done = Games.actions_as_seen(games.snapshot(0), actions[0].tolist(), None)
    games.step(actions)
    after, moves = Games.as_seen(games.snapshot(0), None), moves + 1
    print(*tell(before, done, after), sep="\n")
    before = after

# %% [markdown]
# ## The same cards, the other half
#
# An agent that plays the card that `skipper` would play, but shows the half that it is told to: always the colour,
# always the number, a half drawn by lot, the number of high cards alone (it scares), or of low cards alone (it hides
# what is strong). It sits with three others who play as ever: `counter`, who takes every card that fits as equally
# likely; `reader`, who reads what shows by Bayes' rule; or `skipper`. All play the same 500 deals in all four seats.

# %%
CARD = 1  # the phase
NUMBERS = 48  # the actions that show the number start here

HALVES = {
    "as skipper": lambda number, drawn, own: own,
    "colour": lambda number, drawn, own: np.zeros_like(own),
    "number": lambda number, drawn, own: np.ones_like(own),
    "by lot": lambda number, drawn, own: drawn < 0.5,
    "high numbers": lambda number, drawn, own: number >= 8,
    "low numbers": lambda number, drawn, own: number <= 5,
}


class Shows:
    """Plays as `skipper`, but for the half that shows; with `last_only`, where nobody plays after it."""

    def __init__(self, half, last_only=False):
        self.skipper, self.half, self.last_only = agent_of("skipper", game="sea_or_shore"), HALVES[half], last_only

    def reset(self):
        pass

    def act(self, observation, mask, rng):
        actions = self.skipper.act(observation, mask, rng)
        _, tables, seats = layout.by_name(observation)
        changed = tables["phase"][:, CARD] == 1
        if self.last_only:
            changed &= tables["played"] == seats["present"].sum(axis=1) - 1
        card = actions % NUMBERS
        shows_number = self.half(card % 12 + 1, rng.random(), actions >= NUMBERS)
        return np.where(changed, card + NUMBERS * shows_number, actions)


OPPONENTS = ("counter", "reader", "skipper")
found = {
    (half, opponent): versus(Shows(half), opponent, 500, 4, seed=6, game="sea_or_shore")
    for half in HALVES
    for opponent in OPPONENTS
}
print("wins, %".ljust(14), *(f"against three {name}".rjust(24) for name in OPPONENTS))
for half in HALVES:
    wins = [found[half, opponent].win for opponent in OPPONENTS]
    print(half.ljust(14), *(f"{100 * w.mean:.1f} ({100 * w.low:.1f} to {100 * w.high:.1f})".rjust(24) for w in wins))

# %%
figure, axes = plt.subplots(figsize=(7.5, 4), layout="constrained")
places = np.arange(len(HALVES))
for number, (opponent, colour) in enumerate(zip(OPPONENTS, (SAND, SEA, INK), strict=True)):
    points = [found[half, opponent].score for half in HALVES]
    mean, low, high = (np.array([getattr(each, name) for each in points]) for name in ("mean", "low", "high"))
    spread = (mean - low, high - mean)
    axes.errorbar(places + 0.15 * (number - 1), mean, spread, fmt="o", color=colour, capsize=3, label=opponent)
axes.set_xticks(places, HALVES)
axes.set(ylabel="points of the one who bluffs", xlabel="what it shows")
axes.legend(title="against three", frameon=False)
plt.show()

# %% [markdown]
# ## Nobody is left to bluff
#
# Whoever plays last in a trick shows a half to nobody: the covers come off at once. As a check: if the half changes
# there alone, all games must come out the same, since these agents do not look back at halves of former tricks.

# %%
last = {half: versus(Shows(half, last_only=True), "skipper", 100, 4, seed=6, game="sea_or_shore") for half in HALVES}
print({half: (round(each.win.mean, 4), round(each.score.mean, 4)) for half, each in last.items()})

# %% [markdown]
# The half matters, and mostly for what it gives away. Always showing the number costs more than a quarter of the wins
# against `skipper` and a third against `reader`: whoever plays later knows what to beat, and by how many extras. Even
# against `counter`, which expects nothing of others but any card that fits, it costs. Showing low numbers alone is
# hardly better, since then they invite others in. Showing high numbers alone, the bluff that should scare others off,
# costs a little, and no way of showing halves gains: the number is best kept secret, and a bluff has to pay
# for what it tells. `skipper`, whose weights were tuned, shows the colour of nine cards out of ten. All of this holds
# for these opponents; others might be scared more easily.

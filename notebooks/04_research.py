# %% [markdown]
# # What is a castle in groove 7 worth?
#
# On paper: seven points plus its own number. But the sea may take it; it holds the sea back for everybody else, too;
# and one more castle brings its owner closer to the fourth, which ends the game. Counterfactuals give the answer: take
# positions from games, put the castle there or not, redeal the hidden information, let a heuristic play both to the
# end, and compare.

# %%
import matplotlib.pyplot as plt
import numpy as np
from IPython.display import SVG
from matplotlib.colors import LinearSegmentedColormap

from strand_env.agents import agent_of, joint_actions
from strand_env.arena.statistics import estimate_means
from strand_env.engine.randomness import spread_seeds
from strand_env.pictures.plots import INK, SAND, SEA, SHELL, STYLE
from strand_env.strand_unter import Games
from strand_env.strand_unter.state import FLOODED
from strand_env.strand_unter.views import to_svg

plt.rcParams.update(STYLE)

# %% [markdown]
# ## Thousands of games at once
#
# The state of all games is one structured array, one record per game. `tide`, the reference heuristic, plays all seats
# of all games at once. All randomness depends on a game's own seed and the number of the decision.

# %%
tide = agent_of("tide")


def play(games, goes_on=lambda games: ~games.over):
    """Plays all games to the end, or each as long as `goes_on` says."""
    moves = 0
    while (going := goes_on(games)).any():
        games.step(joint_actions(tide, games, moves)[going], which=going)
        moves += 1


games = Games(5000, num_players=4, seed=1)
play(games)

figure, (left, right) = plt.subplots(ncols=2, figsize=(9, 3), layout="constrained")
left.bar(*np.unique(games.state["round"], return_counts=True), color=SEA)
left.set(xlabel="last round", ylabel="games")
for players, colour, label in ((~games.winners, SHELL, "others"), (games.winners, SAND, "winners")):
    right.hist(games.scores[players], bins=np.arange(-5, 40) - 0.5, color=colour, label=label, alpha=0.8)
right.set(xlabel="final points", ylabel="players")
right.legend(frameon=False)
plt.show()

# %% [markdown]
# ## One position
#
# Games of `tide`, stopped before the dials of round 8, the last round at low tide. We take the first in which player 0
# has built nothing yet and has castle 2 ready.

# %%
VALUE = 2


def before_round(number, how_many, seed):
    """Games of tide, stopped before the dials of a round; without those that ended earlier."""
    games = Games(how_many, num_players=4, seed=seed)
    play(games, lambda games: ~games.over & (games.state["round"] < number))
    return games.select(~games.over)


games = before_round(8, 500, seed=2)
snapshots = (games.snapshot(number) for number in range(games.num_games))
position = next(
    snapshot
    for snapshot in snapshots
    if snapshot["castles"][0][VALUE] == "ready" and not any(isinstance(place, int) for place in snapshot["castles"][0])
)
SVG(to_svg(position).replace('width="1200" height="800"', 'width="900" height="600"', 1))

# %% [markdown]
# A snapshot is plain data. Edited, it becomes another position, which is validated when restored. Here are nine: the
# castle still ready, and the castle as a present in each of the grooves 1 to 8. Nothing else differs.
#
# Each is copied many times. `redeal` redeals the hidden shells in each copy and reseeds all future draws. The i-th
# copies of all nine positions share a seed, so differences are paired and much of the luck cancels out.


# %%
def with_castle(snapshot, groove):
    first, *others = snapshot["castles"]
    return {**snapshot, "castles": [[*first[:VALUE], groove, *first[VALUE + 1 :]], *others]}


def rollouts(*variants, deals, seed):
    """Games by (variant, position, deal), flattened: redealt alike in all variants, and played to the end."""
    positions = len(variants[0])
    games = Games.from_snapshots([position for variant in variants for position in variant])
    games = games.select(np.repeat(np.arange(games.num_games), deals))
    games.redeal(np.tile(spread_seeds(seed, np.arange(positions * deals)), len(variants)))
    play(games)
    return games


def of_player_0(games, name):
    """For each game its "win" (split in case of a tie) or "score"."""
    return games.results(np.arange(games.num_games), np.zeros(games.num_games, int))[name].astype(float)


grooves = np.arange(1, 9)
games = rollouts([position], *([with_castle(position, int(groove))] for groove in grooves), deals=4000, seed=3)
wins, points, others, rounds, flooded = (
    values.reshape(1 + len(grooves), -1)
    for values in (
        of_player_0(games, "win"),
        of_player_0(games, "score"),
        games.scores[:, 1:].mean(1),
        games.state["round"],
        games.state["castles"][:, 0, VALUE] == FLOODED,
    )
)
print(f"{games.num_games:,} games\n\ncastle in      wins   points   the others'   last round   flooded")
for row, place in enumerate(("no groove", *grooves)):
    means = [values[row].mean() for values in (wins, points, others, rounds, flooded)]
    print("{:9} {:9.1%} {:8.1f} {:13.1f} {:12.1f} {:9.0%}".format(str(place), *means))


# %%
def estimates(differences):
    """(columns, 3): mean, low and high of (cases, columns), bootstrapped over cases."""
    return np.array(estimate_means(differences, np.ones_like(differences), seed=0))


figure, (left, right) = plt.subplots(ncols=2, figsize=(10, 3.8), layout="constrained")
for axes, values in ((left, points), (right, 100 * wins)):
    mean, low, high = estimates((values[1:] - values[0]).T).T
    axes.bar(grooves, mean, color=np.where(grooves == 7, SEA, SHELL))
    axes.errorbar(grooves, mean, (mean - low, high - mean), fmt="none", ecolor=INK, capsize=3)
    axes.set(xlabel="groove in which the castle stands", xticks=grooves)
left.plot(grooves, grooves + VALUE, ":", color=INK, label="on paper")
left.set(ylabel="additional points")
left.legend(frameon=False)
right.axhline(0, color=INK, linewidth=0.8)
right.set(ylabel="additional win rate, percentage points")
figure.suptitle(f"What castle {VALUE} is worth to player 0 in this position, with 95 % intervals")
plt.show()

# %% [markdown]
# Near the land, the castle is worth more than on paper, because it no longer has to be paid for. Further out, the flood
# takes it more and more often, and points are not everything: with one more castle the game ends earlier, which also
# spares the others' castles. In groove 8 it even holds the sea back at the turn, for the two castles in groove 7 as
# well: it gains points and costs wins.

# %% [markdown]
# ## Many positions
#
# One position is an anecdote. Here are many, before each round from the sixth to the twelfth: games of `tide` in which
# player 0 has not built castle 2 yet. The castle is placed in each groove where it could stand: dry, open before, and
# without another castle of that player. The bootstrap is now over positions, with a few deals each.


# %%
def could_stand(snapshot, groove):
    own = snapshot["castles"][0]
    built = sum(place not in ("heap", "ready") for place in own)
    open_before = groove < snapshot["round"] and groove <= snapshot["sea"]
    return own[VALUE] in ("heap", "ready") and built < 3 and open_before and groove not in own


ROUNDS, DEALS, POSITIONS = range(6, 13), 4, 120
answers = {}  # by round and groove: mean, low and high of points and of wins
played = 0
for number in ROUNDS:
    games = before_round(number, 1000, seed=number)
    snapshots = [games.snapshot(index) for index in range(games.num_games)]
    for groove in grooves:
        without = [snapshot for snapshot in snapshots if could_stand(snapshot, groove)][:POSITIONS]
        if len(without) < POSITIONS:
            continue  # too few
        with_it = [with_castle(each, int(groove)) for each in without]
        games = rollouts(without, with_it, deals=DEALS, seed=number)
        shape = 2, POSITIONS, DEALS
        values = np.stack([of_player_0(games, name).reshape(shape).mean(2) for name in ("score", "win")], 2)
        answers[number, groove] = estimates(values[1] - values[0])
        played += games.num_games
print(f"{played:,} games from {POSITIONS} positions for each of {len(answers)} cases")

# %%
sand_to_sea = LinearSegmentedColormap.from_list("from sand to sea", [SAND, "#eef4f7", SEA])
figure, row = plt.subplots(ncols=2, figsize=(11, 4.2), layout="constrained")
for axes, what, factor, title in zip(row, (0, 1), (1, 100), ("points", "win rate, percentage points"), strict=True):
    table = np.full((len(grooves), len(ROUNDS)), np.nan)
    for (number, groove), found in answers.items():
        table[groove - 1, number - ROUNDS[0]] = factor * found[what, 0]
    most = np.nanmax(np.abs(table))
    axes.imshow(table, cmap=sand_to_sea, vmin=-most, vmax=most, aspect="auto")
    for (groove, number), value in np.ndenumerate(table):
        if np.isfinite(value):
            axes.text(number, groove, f"{value:.1f}", ha="center", va="center", fontsize=9)
    axes.axvline(8.5 - ROUNDS[0], color=INK, linestyle=":")
    axes.set_xticks(range(len(ROUNDS)), ROUNDS)
    axes.set_yticks(range(len(grooves)), grooves)
    axes.set(xlabel="before round", ylabel="groove", title=title)
figure.suptitle(f"What castle {VALUE} is worth in a groove, on average over positions")
plt.show()

# %%
print(f"castle {VALUE} in groove 7; on paper: {7 + VALUE} points\n")
for number in ROUNDS:
    if (number, 7) in answers:
        (mean, low, high), win = answers[number, 7]
        shares = "{:+.1%} ({:+.1%} to {:+.1%})".format(*win)
        print(f"before round {number:2}: {mean:+5.1f} points ({low:+.1f} to {high:+.1f}), {shares} of the win")

# %% [markdown]
# Around the turn of the tide, a castle in groove 7 is worth about its face value, and less with each round after it.
# The longer a game lasts, the further the sea comes.
#
# ## Caveats
#
# - This is the value of the castle as a present, in the hands of `tide`. Another player would make more or less of it:
#   plug in your own agent.
# - Positions in which castle 2 is not built yet are not representative, the less so the later the round.
# - From round 9 on, the tide has already turned: a castle added then has not held the sea back.

"""Maui's rules in the form that the engine takes."""

from strand_env.engine.kernels import Rules
from strand_env.maui.actions import NUM_ACTIONS, OVER, PASS
from strand_env.maui.drawing import redeal
from strand_env.maui.observation import OBSERVATION_DTYPE, observe, observe_table
from strand_env.maui.phases import deal, reopen, step
from strand_env.maui.ruleset import MAX_PLAYERS
from strand_env.maui.state import GAME_DTYPE

RULES = Rules(
    deal=deal,
    step=step,
    observe=observe,
    observe_table=observe_table,
    redeal=redeal,
    reopen=reopen,
    state=GAME_DTYPE,
    observation=OBSERVATION_DTYPE,
    table=OBSERVATION_DTYPE,
    max_players=MAX_PLAYERS,
    num_actions=NUM_ACTIONS,
    pass_action=PASS,
    over=OVER,
)

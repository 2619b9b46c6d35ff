"""Sea or Shore's rules in the form that the engine takes."""

from strand_env.engine.kernels import Rules
from strand_env.sea_or_shore.actions import NUM_ACTIONS, OVER, PASS
from strand_env.sea_or_shore.observation import CRITIC_DTYPE, OBSERVATION_DTYPE, observe, observe_table
from strand_env.sea_or_shore.phases import deal, step
from strand_env.sea_or_shore.redealing import redeal
from strand_env.sea_or_shore.restoring import reopen
from strand_env.sea_or_shore.ruleset import MAX_PLAYERS
from strand_env.sea_or_shore.state import GAME_DTYPE

RULES = Rules(
    deal=deal,
    step=step,
    observe=observe,
    observe_table=observe_table,
    redeal=redeal,
    reopen=reopen,
    state=GAME_DTYPE,
    observation=OBSERVATION_DTYPE,
    table=CRITIC_DTYPE,
    max_players=MAX_PLAYERS,
    num_actions=NUM_ACTIONS,
    pass_action=PASS,
    over=OVER,
)

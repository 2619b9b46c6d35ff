"""Beach board games as environments for multi-agent reinforcement learning."""

from strand_env.registry import register_environments

__version__ = "0.1.0"

register_environments()

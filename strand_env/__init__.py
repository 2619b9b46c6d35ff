"""Board games of the beach as environments for multi-agent reinforcement learning."""

__version__ = "0.1.0"

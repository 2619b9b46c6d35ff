"""Recorded games: replays, and animations of them."""

from strand_env.replays.replay import BrokenReplay, Position, Replay

__all__ = ["BrokenReplay", "Position", "Replay"]

"""Agents that play the games: heuristic, learned and searching ones."""

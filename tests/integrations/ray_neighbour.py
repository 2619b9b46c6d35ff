"""What `ray_agents.py` imports, which has to reach other nodes with it."""

NAME = "neighbour"

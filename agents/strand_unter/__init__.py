"""Agents that know Strand Unter."""

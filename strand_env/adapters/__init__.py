"""The games as other libraries expect environments to be. Nothing in here knows a rule of any game."""

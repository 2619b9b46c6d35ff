"""Files written whole, and packages that only some commands need."""

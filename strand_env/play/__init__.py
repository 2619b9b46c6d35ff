"""Games for people: played against agents, or watched, in the browser or in the terminal."""

"""Runs the README's training lines as they stand there, for all games, and judges what was learned: `make recipes`.

Results are kept in results/recipes.json, so that an interrupted run goes on, and go into the README's table. With
`--game`, only the recipes of that game; the table keeps its other rows.
"""

import argparse
import json
import re
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from marks import filled

from strand_env.registry import game_ids, game_of
from strand_env.support.files import write_whole

README = Path(__file__).parents[1] / "README.md"
RESULTS = Path("results/recipes.json")
LEAST = {("strand_unter", "tide"): 0.45}  # win rates below which a recipe has failed
LEAST_AGAINST_RANDOM = 0.92


@dataclass(frozen=True)
class Recipe:
    """The lines with these words in place of theirs."""

    game: str  # id
    opponents: str
    timesteps: int

    @property
    def least(self) -> float:
        name = game_of(self.game).name
        return LEAST_AGAINST_RANDOM if self.opponents == "random" else LEAST.get((name, self.opponents), 0.0)

    @property
    def key(self) -> str:
        return f"{self.game} {self.opponents} {self.timesteps}"

    def code(self, lines: str) -> str:
        """The README's lines for this recipe, and one more that prints the result."""
        changes = {
            "strand_unter_v1": self.game,
            'opponents="random"': f'opponents="{self.opponents}"',
            "1_000_000": str(self.timesteps),
            'versus(policy, "random", deals=500': f'versus(policy, "{self.opponents}", deals=500, game="{self.game}"',
        }
        for written, changed in changes.items():
            assert written in lines, f"README: expected {written} in the lines"
            lines = lines.replace(written, changed)
        return lines.replace("print(", "result = (") + "\nimport json; print(json.dumps(result._asdict()))\n"


def recipes() -> list[Recipe]:
    """Each game against random players, and against its reference."""
    found = []
    for game in map(game_of, game_ids()):
        found.append(Recipe(game.id, "random", 1_000_000))
        if game.agents.reference != "random":
            found.append(Recipe(game.id, game.agents.reference, 3_000_000))
    return found


def lines_of(readme: str) -> str:
    """The block of code that trains."""
    (lines,) = re.findall(r"```python\n((?:(?!```).)*MaskablePPO.*?)```", readme, re.DOTALL)
    return lines


def run(recipe: Recipe, lines: str) -> dict[str, Any]:
    """The win rate with its interval, and the CPU time of learning and judging."""
    start = spent()
    done = subprocess.run([sys.executable, "-c", recipe.code(lines)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{recipe.key}: {done.stderr}")
    return json.loads(done.stdout.splitlines()[-1]) | {"seconds": round(spent() - start)}


def spent() -> float:
    """CPU seconds of the processes that have been run."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def table(results: dict[str, dict[str, Any]], readme: str) -> list[str]:
    """A row for each recipe: from the results, else the one that the README has."""
    rows = ["| game | opponents | timesteps | wins against three of them |", "| --- | --- | ---: | ---: |"]
    for recipe in recipes():
        start = f"| {game_of(recipe.game).title} | `{recipe.opponents}` | {recipe.timesteps:,} | "
        if result := results.get(recipe.key):
            half = (result["high"] - result["low"]) / 2
            win = f"{result['mean']:.1%} ± {100 * half:.1f}".replace("%", " %")
            rows.append(f"{start}{win} |")
        else:
            rows += [line for line in readme.splitlines() if line.startswith(start)]
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--again", action="store_true", help="forget earlier results")
    parser.add_argument("--game", choices=[game_of(game).name for game in game_ids()], help="only of this game")
    options = parser.parse_args()
    readme = README.read_text("utf-8")
    lines, kept = lines_of(readme), {}
    if RESULTS.exists() and not options.again:
        kept = json.loads(RESULTS.read_text("utf-8"))
    results = kept["results"] if kept.get("lines") == lines else {}
    failed = []
    for recipe in recipes():
        if options.game not in (None, game_of(recipe.game).name):
            continue
        if recipe.key not in results:
            results[recipe.key] = run(recipe, lines)
            RESULTS.parent.mkdir(exist_ok=True)
            write_whole(RESULTS, json.dumps({"lines": lines, "results": results}, indent=2).encode())
        win = results[recipe.key]["mean"]
        seconds = results[recipe.key]["seconds"]
        print(f"{recipe.key}: {win:.1%}, expected at least {recipe.least:.0%}; {seconds} CPU seconds", flush=True)
        if win < recipe.least:
            failed.append(recipe.key)
    README.write_text(filled(README.read_text("utf-8"), "recipes", "make recipes", table(results, readme)), "utf-8")
    if failed:
        sys.exit(f"too little was learned: {', '.join(failed)}")


if __name__ == "__main__":
    main()

"""Judges agents by strangers and writes the tables of docs/arena.md: `make strangers`. Resumes where it stopped."""

from pathlib import Path

from marks import filled

from strand_env.arena.strangers import judge, rows_of
from strand_env.registry import game_ids, game_of
from strand_env.support.files import write_whole

PAGE, RESULTS = Path(__file__).with_name("arena.md"), Path("results")
DEALS = {"strand_unter": 500, "maui": 100}  # of the games in docs/arena.md


def main() -> None:
    page = PAGE.read_text("utf-8")
    for game in (each for each in map(game_of, game_ids()) if f"strangers of {each.title}," in page):
        names = [*game.agents.trained, *reversed(game.agents.heuristics)]
        deals, out = DEALS[game.name], RESULTS / f"strangers_{game.name}.json"
        wins, strength = judge(names, game, deals, game.default_players, strength=True, out=out)
        head, *rows = rows_of(wins, strength, lambda text: f"**{text}**")
        titles = ["stranger", *(f"`{name}`" for name in wins), *(f"itself against `{name}`" for name in strength)]
        assert len(titles) == len(head)
        lines = [titles, ["---", *["---:"] * (len(head) - 1)], *rows]
        table = [f"{game.title}, {game.default_players} players, {deals:,} deals, win rates in %:", ""]
        table += [f"| {' | '.join(line)} |" for line in lines]
        page = filled(page, f"strangers of {game.title}", "make strangers", table)
        write_whole(PAGE, page.encode())
        print(*table, sep="\n", flush=True)


if __name__ == "__main__":
    main()

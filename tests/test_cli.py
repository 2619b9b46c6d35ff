"""The command `strand`: what it shows, what it writes, and how it ends."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import textwrap
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drawn import share_of
from fake_views import FAKE
from PIL import Image, ImageSequence
from toy_game import STONES

from strand_env import __version__, cli, registry
from strand_env.bench import report
from strand_env.bench.engine import EngineSpeed
from strand_env.bench.peers import PeerResult
from strand_env.engine.game import Game, GameTraining
from strand_env.engine.randomness import next_seed
from strand_env.pictures.plots import SEA, picture
from strand_env.play import commands
from strand_env.registry import game_names, game_of
from strand_env.replays.replay import Replay
from strand_env.strand_unter import NUM_ACTIONS, describe, layout
from strand_env.support.extras import from_extra
from strand_env.support.options import with_address
from strand_env.train.run import config_of

ROOT = Path(__file__).parents[1]
KEPT = ROOT / "tests" / "replays" / "strand_unter_v0.json"
STEPS = len(Replay.load(KEPT).actions)

PLAIN = "from strand_env import cli; cli.main()"
WITH_FAKE_VIEWS = (
    "import sys; sys.path.append('tests'); from fake_views import FAKE; from strand_env import cli, registry; "
    "registry._others[FAKE.id] = FAKE; cli.main()"
)

Strand = Callable[..., str]


@pytest.fixture
def strand(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Strand:
    """Runs the command, which must succeed; what it prints."""
    monkeypatch.setitem(registry._others, FAKE.id, FAKE)
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments: object, code: object = 0) -> str:
        monkeypatch.setattr(sys, "argv", ["strand", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        if isinstance(code, re.Pattern):
            assert code.match(str(ended.value.code)), ended.value.code
        else:
            assert ended.value.code == code
        printed = capsys.readouterr()
        return printed.err if code else printed.out

    return run


def process(*arguments: object) -> list[str]:
    """The command line that runs the command in a process of its own."""
    program = WITH_FAKE_VIEWS if KEPT in arguments else PLAIN
    return [sys.executable, "-c", program, *map(str, arguments)]


# The front door


def test_help_shows_what_there_is(strand: Strand) -> None:
    shown = strand("--help")
    for command in ("games", "rules", "replay", "watch", "play", "arena", "train", "inspect", "bench", "--version"):
        assert re.search(rf"^\W+{command}\b", shown, re.MULTILINE)


def test_version(strand: Strand) -> None:
    assert strand("--version") == f"strand_env {__version__}\n"


def test_help_waits_for_no_game() -> None:
    program = "import sys, strand_env.cli; print({'numba', 'matplotlib', 'PIL'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("package", "arguments", "extra"),
    [
        ("typer", ["--help"], "cli"),
        ("rich", ["--help"], "cli"),
        ("PIL", ["replay", KEPT, "--gif", "game.gif"], "cli"),
        ("openskill", ["arena", "random", "random"], "arena"),
        ("matplotlib", ["arena", "random", "random"], "arena"),
        ("matplotlib", ["inspect", "random"], "arena"),
        ("matplotlib", ["bench"], "bench"),
        ("matplotlib", ["train"], "train"),
        ("sb3_contrib", ["train"], "train"),
        ("torch", ["export", "learner.zip", "agent", "--trust"], "train"),
        ("safetensors", ["watch", "learned", "random"], "models"),
        ("starlette", ["watch", KEPT], "web"),
        ("starlette", ["play"], "web"),
    ],
)
def test_a_missing_package_is_named_in_one_line(
    package: str, arguments: list[object], extra: str, tmp_path: Path
) -> None:
    interpreter, option, program, *rest = process(*arguments)
    command = [interpreter, option, f"import sys; sys.modules['{package}'] = None; {program}", *rest]
    environment = {**os.environ, "PYTHONPATH": os.fspath(ROOT / "tests")}
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert run.returncode == 1
    *before, line = run.stderr.splitlines()
    assert all("compiling" in words for words in before)  # on the first use in a new installation
    assert package in line
    assert line.endswith(f"pip install 'strand-env[{extra}]' (in a checkout: pip install '.[{extra}]')")
    assert not list(tmp_path.iterdir())


def test_an_import_of_ours_that_fails_is_no_missing_package() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'strand_env\.nowhere'"), from_extra("cli", "this"):
        import_module("strand_env.nowhere")


@pytest.mark.parametrize("arguments", [["dance"], ["replay"], ["replay", KEPT, "--delay", "-1"], ["rules", "--all"]])
def test_a_wrong_call_is_refused(strand: Strand, arguments: list[object]) -> None:
    assert "Error" in strand(*arguments, code=2)


# Rules


def test_rules_are_the_page(strand: Strand) -> None:
    assert strand("rules") == (ROOT / "strand_env" / "strand_unter" / "rules.md").read_text("utf-8")


def test_actions_by_their_ids(strand: Strand) -> None:
    rows = [line.split(maxsplit=1) for line in strand("rules", "--actions").splitlines()]
    shown = {row[0]: row[1].rstrip() for row in rows if row and row[0].isdigit()}
    assert shown == {str(action): describe(action) for action in range(NUM_ACTIONS)}


def test_observation_by_its_sections(strand: Strand) -> None:
    rows = [line.split() for line in strand("rules", "--observation").splitlines()]
    shown = [row[:2] for row in rows if row and row[0][0].isdigit()]
    assert [name for _, name in shown] == [section.name for section in layout]
    assert shown[0] == ["0–7", "phase"]
    assert shown[1] == ["8", "round"]


# Any game


@pytest.fixture
def stones(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Game:
    """The toy game beside Strand Unter, with a page of rules."""
    package = tmp_path / "strand_test_stones"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "rules.md").write_text("# Stones\n\nTake some.\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    game = replace(STONES, package=package.name)
    monkeypatch.setitem(registry._others, game.id, game)
    return game


def rows_of(table: str) -> list[list[str]]:
    return [cells for line in table.splitlines() if len(cells := re.split(r"\s{2,}", line.strip())) > 1]


def test_games_are_listed(strand: Strand, stones: Game) -> None:
    head, *rows = rows_of(strand("games"))
    assert head == ["name", "version", "players", "actions", "dynamics", "information", "variants"]
    assert ["strand_unter", "1", "2–4", "57", "simultaneous", "open"] in rows
    assert ["stones", "0", "2–5", "140", "sequential", "private"] in rows


def test_a_game_without_trained_agents_has_none_to_inspect_by_default(strand: Strand, stones: Game) -> None:
    strand(
        "inspect", "--game", "stones", code="strand: model: expected an agent, since Stones comes with no trained one"
    )


def test_names_of_games_can_be_read_in_narrow_terminals(strand: Strand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert {row[0] for row in rows_of(strand("games"))} >= {"strand_unter", "maui", "sea_or_shore"}


def test_the_rules_of_another_game(strand: Strand, stones: Game) -> None:
    assert strand("rules", "--game", "stones") == "# Stones\n\nTake some.\n"
    shown = strand("rules", "--game", "stones", "--actions")
    assert "Stones: 140 actions" in shown
    assert {tuple(row) for row in rows_of(shown)} > {(str(action), stones.describe(action)) for action in range(140)}
    shown = strand("rules", "--game", "stones", "--observation")
    assert "Stones: an observation of 7 entries" in shown
    assert [row[:2] for row in rows_of(shown)][1:] == [["0", "card"], ["1", "stones"], ["2–6", "points"]]


@pytest.mark.parametrize("command", [["rules"], ["bench"], ["arena", "random", "random"], ["play"], ["inspect", "x"]])
def test_an_unknown_game_is_refused_with_the_known_ones(strand: Strand, stones: Game, command: list[str]) -> None:
    names = "strand_unter, maui, sea_or_shore, strand_unter, stones"  # Strand Unter has other views here besides
    strand(*command, "--game", "chess", code=f"strand: game: expected one of {names}; got 'chess'")


@pytest.mark.slow
def test_the_arena_plays_another_game(strand: Strand, stones: Game, tmp_path: Path) -> None:
    arguments = "random", "mc:4", "--deals", 3, "--out", tmp_path / "out", "--record", 1, "--processes", 2
    shown = strand("arena", *arguments, "--game", "stones")
    assert "3 deals, 36 games of 4 players, everybody with everybody" in shown
    assert "last card" in shown
    assert strand("arena", *arguments, "--resume") == shown, "the run knows its game"
    strand(
        "arena", "random", "tide", "--game", "stones", code=re.compile("strand: tide plays Strand Unter; the agents")
    )
    players = "players: expected a whole number from 2 to 5, got 6"
    strand("arena", "random", "random", "--game", "stones", "--players", 6, code=f"strand: {players}")
    assert Replay.load(tmp_path / "out" / "replays" / "deal-0-line-up-0.json").game is stones


@pytest.fixture
def hands(stones: Game, tmp_path: Path) -> tuple[Path, list[int]]:
    """A replay of the toy game, and the cards that its players hold at first."""
    batch = stones.batch(1, 3, seed=5)
    start, actions = batch.snapshot(0), []
    for step in range(4):
        actions.append(batch.random_actions(step)[0].tolist())
        batch.step([actions[-1]])
    kept = tmp_path / "hands.json"
    Replay.of(stones, start, actions, batch.scores[0].tolist() if batch.over[0] else None).save(kept)
    assert len(set(start["cards"])) == 3
    return kept, start["cards"]


def visible(shown: str, cards: list[int]) -> list[bool]:
    return [f"player {player} holds {card}" in shown for player, card in enumerate(cards)]


@pytest.mark.parametrize(
    ("seat", "seen"),
    [
        ([], [True, True, True]),
        (["--seat", "all"], [True, True, True]),
        (["--seat", "none"], [False, False, False]),
        (["--seat", "1"], [False, True, False]),
    ],
)
def test_a_replay_is_shown_as_somebody_sees_it(
    strand: Strand, hands: tuple[Path, list[int]], tmp_path: Path, seat: list[str], seen: list[bool]
) -> None:
    kept, cards = hands
    assert visible(strand("replay", kept, *seat).partition("step 1")[0], cards) == seen
    strand("replay", kept, *seat, "--svg", tmp_path / "game.svg", "--html", tmp_path / "game.html")
    for written in ("game.svg", "game.html"):
        assert visible((tmp_path / written).read_text("utf-8"), cards) == seen


@pytest.mark.parametrize("command", ["replay", "watch"])
@pytest.mark.parametrize("seat", ["3", "-1", "everybody", ""])
def test_a_seat_that_is_not_there_is_refused(
    strand: Strand, hands: tuple[Path, list[int]], command: str, seat: str
) -> None:
    message = f"seat: expected 0 to 2, all or none; got {seat!r}"
    strand(command, hands[0], f"--seat={seat}", code=f"strand: {message}")


@pytest.fixture
def serving(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What would have been served."""
    calls: list[Any] = []
    monkeypatch.setattr(commands, "_serve", lambda shown, port, no_browser: calls.append(shown))
    return calls


def test_another_game_is_watched(
    strand: Strand, stones: Game, hands: tuple[Path, list[int]], serving: list[Any]
) -> None:
    strand("watch", hands[0], "--seat", "2")
    strand("watch", hands[0])
    strand("watch", "random", "random", "mc:4", "--game", "stones", "--seat", "none")
    assert [shown.game for shown in serving] == [stones] * 3
    assert [shown.observer for shown in serving] == [2, "all", None]
    other = f"game: {hands[0]} is a replay of stones_v0, not of strand_unter_v1"
    strand("watch", hands[0], "--game", "strand_unter", code=f"strand: {other}")


def test_another_game_is_played(strand: Strand, stones: Game, serving: list[Any]) -> None:
    strand("play", "--game", "stones")
    strand("play", "--game", "stones", "--players", 5, "--seat", 4, "--hints", "mc:4")
    usual, five = serving
    assert usual.names == ["you", "random", "random", "random"]
    assert list(usual.hints) == list(stones.agents.hints) == ["random"]
    assert five.names == ["random"] * 4 + ["you"]
    assert list(five.hints) == ["mc:4"]
    players = "players: expected a whole number from 2 to 5, got 6"
    strand("play", "--game", "stones", "--players", 6, code=f"strand: {players}")
    strand("play", "--game", "stones", "--seat", 4, code="strand: seat: expected a whole number from 0 to 3, got 4")
    strand("play", "--game", "stones", "--opponents", "tide", code=re.compile("strand: tide plays Strand Unter; "))


def test_only_a_seed_that_was_given_decides_the_new_games_too(strand: Strand, stones: Game, serving: list[Any]) -> None:
    for seed in ((), ("--seed", 5), ("--seed", 5)):
        strand("play", "--game", "stones", *seed)
        strand("watch", "random", "random", "random", "random", "--game", "stones", *seed)
    dealt = []
    for session in serving:
        seed = np.array([int(session.now().snapshot["seed"], 16)], np.uint64)
        session.new_game(session.now().token, same_deal=False)
        dealt.append(int(session.now().snapshot["seed"], 16))
        assert (dealt[-1] == next_seed(seed)[0]) == (len(dealt) > 2)
    assert len(set(dealt)) == 3


@pytest.mark.slow
def test_another_game_is_trained_inspected_and_measured_by_its_agents_folder(
    strand: Strand, stones: Game, serving: list[Any], tmp_path: Path
) -> None:
    """Players, opponents, reference and shaping are the game's own unless they are given; random is not imitated."""
    run = tmp_path / "run"
    sizes = {"total-timesteps": 32, "n-envs": 4, "n-steps": 8, "batch-size": 16, "hidden": 8}
    judging = {"deals": 2, "final-deals": 2, "evaluate-every": 1000}
    options = [text for name, value in (sizes | judging).items() for text in (f"--{name}", value)]
    strand("train", "--game", "stones", "--run", run, *options)
    config = config_of(run)
    assert (config.game, config.players, config.shaping, config.opponents) == ("stones", "4", 0.0, "")
    assert config.imitate == 0
    strand("train", "--resume", run)
    agent = run / "agent"
    assert "2 deals, 8 games of 4 players" in strand(
        "arena", agent, "--versus", "random", "--deals", 2, "--processes", 1
    )
    strand("play", "--opponents", agent)
    strand("watch", agent, "random")
    assert [shown.game for shown in serving] == [stones] * 2
    strand("inspect", agent, "--games", 40, "--folder", tmp_path / "pictures")
    assert share_of(SEA, tmp_path / "pictures" / "mixing.png") > 0.0001
    strand(
        "arena",
        agent,
        "random",
        "--game",
        "strand_unter",
        code=f"strand: {agent}: it plays stones_v0, not strand_unter_v1",
    )


@pytest.mark.slow
def test_pictures_of_another_game(strand: Strand, stones: Game, tmp_path: Path) -> None:
    def draw(axes: Any, watched: Any) -> None:
        axes.hist(watched.actions)

    training = GameTraining(pictures={"takings": ("What it takes", draw)}, compared="mc:2")
    stones.__dict__["training"] = training  # as its module would give it
    out = tmp_path / "pictures"
    shown = strand("inspect", "random", "--game", "stones", "--games", 5, "--folder", out)
    assert shown == f"wrote {out / 'takings.png'}\nwrote {out / 'mixing.png'}\n"


@pytest.mark.slow
@pytest.mark.parametrize("game", [pytest.param("strand_unter", marks=pytest.mark.heavy), "stones"])
def test_the_benchmark_measures_any_game(
    strand: Strand, stones: Game, game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("strand_env.bench.commands.BATCHES", (1, 4096))
    monkeypatch.setattr("strand_env.bench.peers._PEERS", ())
    plot = tmp_path / "speed.png"
    shown = strand("bench", "--game", game, "--seconds", 0.001, "--players", 3, "--plot", plot)
    assert f"{game_of(game).title}, 3 players, random play" in shown
    rates = [float(row[2].replace(",", "")) for row in rows_of(shown) if row[0] in ("1", "4,096")]
    assert len(rates) >= 4
    assert min(rates) > 0
    for environment in ("Gymnasium vector", "SB3 VecEnv, one learner", "SB3 VecEnv, self-play"):
        assert re.search(rf"{environment}, compact +[\d,]+ +[\d,]+ +[\d,]+ +\d+\.\d\d", shown)
    assert ("tests/naive.py" in shown) == (game == "strand_unter")
    assert share_of(SEA, plot) > 0.005
    players = f"players: expected a whole number from 2 to {game_of(game).player_counts[-1]}, got 9"
    strand("bench", "--game", game, "--players", 9, code=f"strand: {players}")


def test_the_plot_of_speeds_labels_its_axes_for_people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    labels = set()

    @contextmanager
    def watched(*arguments: Any, **subplots: Any) -> Iterator[Any]:
        with picture(*arguments, **subplots) as (figure, axes):
            yield figure, axes
            figure.draw_without_rendering()
            labels.update(label.get_text() for each in axes for label in each.get_xticklabels(which="both"))

    monkeypatch.setattr(report, "picture", watched)
    speed = EngineSpeed(4096, 1, 4, 1e7, 1e5, 10.0, 100.0, {"step": 50.0}, 20.0)
    report.plot("a game", [speed], None, [PeerResult("another", 7e3, "")], tmp_path / "speed.png")
    assert {"4k", "10k", "100k", "1M", "10M"} <= labels
    assert not any("$" in label for label in labels)


def test_variants_are_chosen_and_kept(strand: Strand, tmp_path: Path) -> None:
    out = tmp_path / "run"
    run = "arena", "random", "random", "--game", "maui", "--deals", 2, "--players", 2, "--out", out, "--processes", 1
    shown = strand(*run, "--variant", "crabs", "--record", 1)
    assert "games of 2 players, crabs" in shown
    assert json.loads((out / "run.json").read_bytes())["variant"] == "crabs"
    [kept] = (out / "replays").iterdir()
    assert Replay.load(kept).variant == "crabs"
    other = (
        "holds another run, which this one cannot resume: variant: 'crabs' there, 'base' here; record: 1 there, 0 here"
    )
    strand(*run, "--resume", code=f"strand: {out}: {other}")


@pytest.mark.parametrize(
    "command",
    [
        ("arena", "random", "random", "--deals", 2),
        ("play", "--opponents", "random", "--terminal"),
        ("watch", "random", "random"),
        ("bench", "--seconds", 0.001),
        ("train", "--run"),
        ("inspect", "random", "--games", 2, "--folder"),
        ("exploit", "random", "--deals", 2, "--out"),
    ],
    ids=lambda command: command[0],
)
def test_unknown_variants_are_refused(strand: Strand, command: tuple[Any, ...], tmp_path: Path) -> None:
    folder = tmp_path / "made"
    more = (folder,) if command[-1] in ("--run", "--folder", "--out") else ()
    none = "strand: variant: this game has no variants; expected None, got 'crabs'"
    strand(*command, *more, "--variant", "crabs", code=none)
    known = "strand: variant: expected one of 'base', 'crabs', 'combined'; got 'tides'"
    strand(*command, *more, "--game", "maui", "--variant", "tides", code=known)
    assert not folder.exists()


# Replays


def test_a_replay_is_shown_step_by_step(strand: Strand) -> None:
    shown = strand("replay", KEPT)
    positions = list(Replay.load(KEPT).positions())
    expected = [
        f"step {number} of {STEPS}\n{FAKE.views.to_text(position.snapshot, position.story, colour=False)}\n"
        for number, position in enumerate(positions)
    ]
    assert shown == "".join(expected)


def test_a_replay_is_written(strand: Strand, tmp_path: Path) -> None:
    svg, gif, html = tmp_path / "game.svg", tmp_path / "game.gif", tmp_path / "game.html"
    shown = strand("replay", KEPT, "--svg", svg, "--gif", gif, "--html", html, "--delay", 0)
    assert shown == f"wrote {svg}\nwrote {gif}\nwrote {html}\n"
    assert len(ElementTree.parse(svg).getroot()) == STEPS + 1
    assert f'dur="{50 * (STEPS + 3)}ms"' in svg.read_text("utf-8")
    with Image.open(gif) as drawn:
        assert drawn.format == "GIF"
        durations = [frame.info["duration"] for frame in ImageSequence.Iterator(drawn)]
    assert 1 < len(durations) <= STEPS + 1
    assert sum(durations) == 50 * (STEPS + 3)
    assert html.read_text("utf-8").startswith("<!DOCTYPE html>")


@pytest.mark.slow
def test_progress_is_shown_in_a_terminal_only(tmp_path: Path) -> None:
    command = process("replay", KEPT, "--html", tmp_path / "game.html")
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stderr == ""
    shown, code = in_a_terminal("replay", KEPT, "--html", tmp_path / "game.html")
    assert code == 0
    assert b"drawing the page" in shown


def test_what_is_wrong_is_told(strand: Strand, tmp_path: Path) -> None:
    missing, broken = tmp_path / "missing.json", tmp_path / "broken.json"
    strand("replay", missing, code=f"strand: {missing}: No such file or directory")
    strand("replay", KEPT, "--svg", tmp_path, code=f"strand: {tmp_path}: Is a directory")
    broken.write_text(KEPT.read_text("utf-8").replace('"players": 3', '"players": 9'), "utf-8")
    strand("replay", broken, code=f"strand: {broken}: players: expected one of [2, 3, 4], got 9")


@pytest.mark.slow
def test_an_error_is_one_line_on_stderr() -> None:
    run = subprocess.run(process("replay", "missing.json"), cwd=ROOT, capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr == "strand: missing.json: No such file or directory\n"


# The arena


OWN_AGENTS = ROOT / "tests" / "arena_agents.py"


def test_the_arena_shows_and_keeps_its_results(strand: Strand, tmp_path: Path) -> None:
    agents = "random", f"{OWN_AGENTS}:Failing"
    arguments = "--deals", 20, "--players", 2, "--processes", 1, "--out", tmp_path, "--record", 1
    shown = strand("arena", *agents, *arguments)
    assert "20 deals, 40 games of 2 players, everybody with everybody" in shown
    assert re.search(r"^ random +\d+\.\d ±\d+\.\d +-?\d+\.\d\d ±", shown, re.MULTILINE)
    for heading in (
        "castles built",
        "rank 2",
        "rating",
        "Share of the win of the row",
        "RuntimeError: thought too hard",
    ):
        assert heading in shown
    written = {path.name for path in tmp_path.iterdir() if path.is_file()}
    assert written == {"run.json", "results.json", "standings.csv", "crossplay.csv", "forfeits.csv", "arena.png"}
    strand("replay", tmp_path / "replays" / "deal-0-line-up-0.json")
    assert strand("arena", *agents, *arguments, "--resume") == shown


def test_the_arena_against_copies(strand: Strand) -> None:
    shown = strand("arena", "random", "--versus", "random", "--deals", 2, "--seed", 5, "--processes", 1)
    assert "2 deals, 8 games of 4 players, each against copies of random (2)" in shown
    assert "25.0 ±0.0" in shown
    assert "Share of the win of the row" not in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["random"], "agents: expected at least two, or one and --versus another; got 1"),
        (["random", "random", "--players", "7"], "players: expected a whole number from 2 to 4, got 7"),
        (["random", "random", "--deals", "0"], "deals: expected a whole number from 1 to 1000000, got 0"),
        (
            ["random", "random", "--record", "3"],
            "record: replays need a folder: out, or --out on the command line",
        ),
        (["random", "random", "--out", str(KEPT)], f"{KEPT}: File exists"),
    ],
)
def test_the_arena_tells_what_is_wrong(strand: Strand, arguments: list[str], message: str) -> None:
    strand("arena", *arguments, code=f"strand: {message}")


@pytest.mark.slow
def test_an_interrupted_arena_says_how_to_go_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """At once, although its processes would think for hours."""
    monkeypatch.setenv("STRAND_TEST_SLOW", "1000")
    arguments = "arena", "random", f"{OWN_AGENTS}:Slow", "--deals", 400, "--out", tmp_path, "--processes", 2
    shown, code = in_a_terminal(*arguments, interrupt_after=b"/400")
    assert code == 130
    assert b"Traceback" not in shown
    assert f"continue with: strand {' '.join(map(str, arguments))} --resume".encode() in shown


# How it ends


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["rules"], ["replay", KEPT], ["--version"]])
def test_nobody_has_to_read_to_the_end(arguments: list[object]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    run = subprocess.run(process(*arguments), cwd=ROOT, stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert run.stderr == b""
    assert run.returncode == 1


def in_a_terminal(*arguments: object, interrupt_after: bytes | None = None) -> tuple[bytes, int]:
    """What the command shows in a terminal, and its exit code; interrupted as soon as something is shown, if asked."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm"}
    environment.pop("NO_COLOR", None)
    with subprocess.Popen(
        process(*arguments),
        cwd=ROOT,
        stdout=theirs,
        stderr=theirs,
        env=environment,
        start_new_session=True,
        # Where the tests run in the background, interruptions are ignored unless one asks for them.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as running:
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 65536):
                shown += piece
                if interrupt_after and interrupt_after in shown:
                    os.killpg(running.pid, signal.SIGINT)  # as the terminal does: all processes hear of it
                    interrupt_after = None
        except OSError:  # how a terminal says that the other side is closed
            pass
        os.close(ours)
    return shown, running.returncode


@pytest.mark.slow
def test_in_a_terminal_each_position_takes_the_place_of_the_last() -> None:
    shown, code = in_a_terminal("replay", KEPT, "--delay", "0.001")
    assert code == 0
    assert shown.count(b"\x1b[2J") == STEPS + 1
    assert shown.count(b"\x1b[31mshells") == STEPS + 1


@pytest.mark.slow
def test_without_colours_and_without_pause() -> None:
    shown, code = in_a_terminal("replay", KEPT, "--delay", "0", "--no-colour")
    assert code == 0
    assert b"\x1b" not in shown
    assert shown.count(b"step ") == STEPS + 1


@pytest.mark.slow
def test_an_interruption_ends_it_quietly() -> None:
    shown, code = in_a_terminal("replay", KEPT, "--delay", "60", interrupt_after=b"step 0")
    assert code == 130
    assert b"Traceback" not in shown
    assert b"step 1" not in shown


@pytest.mark.slow
def test_rules_in_a_terminal_are_set_for_reading() -> None:
    shown, code = in_a_terminal("rules")
    assert code == 0
    assert b"Scoring" in shown
    assert b"## 4. Scoring" not in shown


@pytest.mark.heavy
@pytest.mark.parametrize("game", game_names())
def test_compile_leaves_nothing_to_compile(game: str) -> None:
    """Neither for arena and searches, nor for environments: in the same process, so that each overload is counted."""
    program = f"""
        import gc, re, sys
        from numba.core.dispatcher import Dispatcher
        from strand_env import cli
        from strand_env.adapters.environments import Environments
        from strand_env.arena import exploit, run_arena
        from strand_env.registry import game_of

        def overloads():
            # Kernels have a digest in their names; what they call is compiled into them.
            known = [each for each in gc.get_objects() if isinstance(each, Dispatcher)]
            names = [(each.py_func.__qualname__, key) for each in known for key in each.overloads]
            return sorted(f"{{name}} {{key}}" for name, key in names if re.search("_[0-9a-f]{{12}}$", name))

        sys.argv = ["strand", "compile", "--game", {game!r}]
        try:
            cli.main()
        except SystemExit as ended:
            assert not ended.code
        before = overloads()
        game = game_of({game!r})
        players = game.player_counts[-1]
        run_arena(["random", *game.agents.heuristics, *game.agents.trained, "mc:2", "uct:2", "rm:2"][:players], 1,
            players, game=game, versus="random")
        run_arena(["mc:1", "uct:1"], 1, players, game=game, versus="random")
        exploit("random", 1, players, rollouts=[1], game=game)
        for env in (Environments(game).learner_vector_env(num_envs=3), Environments(game).parallel_env()):
            env.reset(seed=1)
        print(len(before), *(each for each in overloads() if each not in before), sep="\\n")
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], cwd=ROOT, capture_output=True, text=True, timeout=600
    )
    assert run.returncode == 0, run.stderr
    told, number, *others = run.stdout.splitlines()
    assert told.startswith(f"{game}: all kernels compiled or loaded")
    assert others == []
    assert int(number) > 20


def test_an_address_may_be_left_out() -> None:
    assert with_address(["arena", "--ray", "--deals", "3"]) == ["arena", "--ray=local", "--deals", "3"]
    assert with_address(["arena", "a", "--ray"]) == ["arena", "a", "--ray=local"]
    assert with_address(["arena", "--ray", "auto", "a"]) == ["arena", "--ray", "auto", "a"]
    assert with_address(["arena", "--ray=auto", "a"]) == ["arena", "--ray=auto", "a"]
    assert with_address([]) == []


def test_without_ray_the_extra_is_named(strand: Strand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    missing = re.compile(r"strand: .*ray.*: a cluster needs more: pip install 'strand-env\[ray\]'")
    strand("arena", "random", "random", "--players", 2, "--deals", 2, "--ray", code=missing)
    strand("train", "--run", tmp_path / "run", "--env-runners", 2, "--ray", code=missing)
    assert not (tmp_path / "run").exists()

"""The command `strand`: what it shows, what it writes, and how it ends."""

import os
import pty
import re
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest
from fake_views import FAKE

from strand_env import __version__, cli, registry
from strand_env.replays.replay import Replay
from strand_env.strand_unter import NUM_ACTIONS, describe, layout
from strand_env.support.extras import from_extra

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
    for command in ("replay", "arena", "bench", "rules", "--version"):
        assert re.search(rf"^\W+{command}\b", shown, re.MULTILINE)


def test_version(strand: Strand) -> None:
    assert strand("--version") == f"strand_env {__version__}\n"


def test_help_waits_for_no_game() -> None:
    program = "import sys, strand_env.cli; print({'numba', 'matplotlib', 'PIL'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"


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
    assert line.endswith(f"pip install '.[{extra}]'")
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
    assert gif.read_bytes().startswith(b"GIF89a")
    assert html.read_text("utf-8").startswith("<!DOCTYPE html>")


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
            "record: replays need a folder to be kept in: out, or --out on the command line",
        ),
        (["random", "random", "--out", str(KEPT)], f"{KEPT}: File exists"),
    ],
)
def test_the_arena_tells_what_is_wrong(strand: Strand, arguments: list[str], message: str) -> None:
    strand("arena", *arguments, code=f"strand: {message}")


def test_an_interrupted_arena_says_how_to_go_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("STRAND_TEST_SLOW", "0.01")
    arguments = "arena", "random", f"{OWN_AGENTS}:Slow", "--deals", 400, "--out", tmp_path, "--processes", 2
    shown, code = in_a_terminal(*arguments, interrupt_after=b"/400")
    assert code == 130
    assert b"Traceback" not in shown
    assert f"go on with: strand {' '.join(map(str, arguments))} --resume".encode() in shown


# How it ends


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


def test_in_a_terminal_each_position_takes_the_place_of_the_last() -> None:
    shown, code = in_a_terminal("replay", KEPT, "--delay", "0.001")
    assert code == 0
    assert shown.count(b"\x1b[2J") == STEPS + 1
    assert shown.count(b"\x1b[31mshells") == STEPS + 1


def test_without_colours_and_without_pause() -> None:
    shown, code = in_a_terminal("replay", KEPT, "--delay", "0", "--no-colour")
    assert code == 0
    assert b"\x1b" not in shown
    assert shown.count(b"step ") == STEPS + 1


def test_an_interruption_ends_it_quietly() -> None:
    shown, code = in_a_terminal("replay", KEPT, "--delay", "60", interrupt_after=b"step 0")
    assert code == 130
    assert b"Traceback" not in shown
    assert b"step 1" not in shown


def test_rules_in_a_terminal_are_set_for_reading() -> None:
    shown, code = in_a_terminal("rules")
    assert code == 0
    assert b"Scoring" in shown
    assert b"## 4. Scoring" not in shown

"""Whatever comes from outside reaches terminals, pictures, files and pages escaped, on one line, and shortened."""

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hostile_names import COMMANDS, EVIL, KEPT, NAMES, check, printed
from play_helpers import new_session, served, settled

from strand_env.agents import RandomAgent
from strand_env.agents.strand_unter import AGENTS
from strand_env.arena import run_arena, versus
from strand_env.engine.checks import printable, reason, shown
from strand_env.pictures.canvas import SvgCanvas
from strand_env.support.printing import console
from strand_env.train.config import Config

EVIL_AGENTS = f"""
from strand_env.agents import RandomAgent
EVIL = {EVIL!a}

class Evil(Exception):
    pass

class Mute(Exception):
    def __str__(self):
        raise KeyError(EVIL)

Evil.__name__ = EVIL[:-1]  # without the surrogate, which no class can have

class Failing(RandomAgent):
    error = Evil(EVIL * 100)

    def act(self, *given):
        raise self.error

class Muttering(Failing):
    error = Mute()

class Stillborn(RandomAgent):
    def __init__(self):
        raise Evil(EVIL * 100)

class Lazy(RandomAgent):
    def reset(self):
        raise Evil(EVIL * 100)

globals()[EVIL] = type(EVIL[:-1], (RandomAgent,), {{}})
"""

Strand = Callable[..., str]


@pytest.fixture
def strand(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Strand:
    """Runs the command in a folder with strange things in it; all that it prints, which must be harmless."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evil.py").write_text(EVIL_AGENTS, "utf-8")
    shutil.copy(KEPT, tmp_path / "kept.json")

    def run(*arguments: object) -> str:
        text = printed(*arguments)
        check(text)
        return text

    return run


# The printer


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_names_are_shown_in_printable_letters(name: str) -> None:
    for show in (shown, printable, repr):
        assert (show(name) == name) == (show is printable and name.isprintable() and len(name) <= 200)
    check(shown(name), 80)
    check(printable(name), 200)
    check(reason(type(name.strip("\udcff"), (Exception,), {})(name)), 400)


def test_letters_of_all_languages_stay_as_they_are() -> None:
    for name in ("Möwe", "海", "море 🏖", "C:\\agents\\a b"):
        assert printable(name) == name


def test_the_ends_of_long_texts_stay() -> None:
    assert printable("folder/" + "x" * 5000 + "/agent.json", 40) == "folder/" + "x" * 13 + "…" + "x" * 8 + "/agent.json"
    assert len(printable("\x1b" * 10**7)) == 200


class Unspeakable:
    def __repr__(self) -> str:
        raise RuntimeError("never")


class Rude:
    def __repr__(self) -> str:
        return EVIL[:-1]


@pytest.mark.parametrize(
    "value",
    [Unspeakable(), Rude(), 10**5000, np.zeros((3, 40)), [[[[0] * 50] * 50]] * 50],
    ids=lambda value: type(value).__name__,
)
def test_any_value_can_be_shown(value: object) -> None:
    check(shown(value), 80)
    check(printable(value))


def test_consoles_take_text_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("[bold]x[/bold] [/]", ":bomb:", "[link=http://x]y[/link]"):
        console().print(name)
        assert capsys.readouterr().out == f"{name}\n"


def test_pictures_show_text_as_it_is() -> None:
    canvas = SvgCanvas(10, 10)
    canvas.text(0, 0, f"<b>&{EVIL}", 10, "#000000")
    assert "&lt;b&gt;&amp;a\\x1b[2J" in canvas.to_svg()
    check(canvas.to_svg())


# The command


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.replace("\0", "0"))
def test_what_is_typed_is_quoted_harmlessly(strand: Strand, command: str, name: str) -> None:
    text = strand(*(part.replace("{}", name) for part in command.split(" ")))
    assert "No such option" not in text or command == "--{}"


@pytest.mark.slow
@pytest.mark.parametrize("name", [name[:200] for name in NAMES.values()], ids=NAMES)
def test_files_and_folders_of_any_name(strand: Strand, tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    shutil.copytree(AGENTS.trained["learned"], folder)
    shutil.copy(KEPT, tmp_path / f"{name}.json")
    strand("replay", f"{name}.json", "--svg", folder / "x.svg")
    text = strand("arena", "random", name, "--deals", 1, "--players", 2, "--processes", 1, "--out", f"{name}-out")
    assert "rating" in text
    written = {path.name for path in (tmp_path / f"{name}-out").iterdir() if path.is_file()}
    assert written == {"run.json", "results.json", "standings.csv", "crossplay.csv", "forfeits.csv", "arena.png"}
    for file in (tmp_path / f"{name}-out").glob("*.csv"):
        check(file.read_text("utf-8"), 5000)
    (folder / "agent.json").write_text("{", "utf-8")
    for command in ("arena", "inspect", "watch"):
        strand(command, name, "random")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a$_{$", EVIL], ids=["formula", "evil"])
def test_the_pictures_of_inspect_take_any_name(strand: Strand, tmp_path: Path, name: str) -> None:
    shutil.copytree(AGENTS.trained["learned"], tmp_path / name)
    strand("inspect", name, "--compare", "random", "--against", name, "--games", 40, "--folder", "drawn")
    drawn = {path.stem for path in (tmp_path / "drawn").glob("*.png")}
    assert len(drawn) == 7
    assert "mixing" in drawn


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["Stillborn", "Lazy", "Nobody", "Failing", "Muttering", EVIL], ids=ascii)
def test_classes_and_errors_of_agents(strand: Strand, tmp_path: Path, agent: str) -> None:
    text = strand("arena", "random", f"evil.py:{agent}", "--deals", 1, "--players", 2, "--processes", 1, "--out", "out")
    if agent in ("Failing", "Muttering"):
        assert "each a forfeited game" in text
        check((tmp_path / "out" / "forfeits.csv").read_text("utf-8"), 1500)
        json.loads((tmp_path / "out" / "results.json").read_text("utf-8"))
    strand("inspect", f"evil.py:{agent}", "--games", 1)
    strand("play", "--terminal", "--players", 2, "--opponents", f"evil.py:{agent}")


@pytest.mark.slow
def test_errors_of_other_processes(strand: Strand) -> None:
    text = "import multiprocessing\nif multiprocessing.parent_process(): raise RuntimeError(EVIL)\n"
    Path("evil.py").write_text(EVIL_AGENTS + text, "utf-8")
    told = strand("arena", "random", "evil.py:Failing", "--deals", 2, "--players", 2, "--processes", 2)
    assert "while deals" in told


def test_tables_are_shown_even_if_the_picture_fails(strand: Strand, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device", f"{EVIL}/arena.png")

    monkeypatch.setattr("strand_env.arena.report.draw", fail)
    text = strand("arena", "random", "random", "--deals", 1, "--players", 2, "--processes", 1, "--out", "out")
    assert "rating" in text
    assert "No space left on device" in text


def test_configurations(strand: Strand, tmp_path: Path) -> None:
    for number, changes in enumerate(
        [{EVIL: 1}, {"reference": EVIL}, {"opponents": f"{EVIL}=1"}, {"reward": EVIL}, {"seed": EVIL}, {"hidden": EVIL}]
    ):
        folder = tmp_path / f"{number}{EVIL}"
        folder.mkdir()
        (folder / "config.json").write_text(json.dumps({**Config().to_dict(), **changes}), "utf-8")
        strand("train", "--resume", folder)


# Files and pages


def test_no_cell_is_a_formula(tmp_path: Path) -> None:
    class Sum(RandomAgent):
        def act(self, *given: object) -> np.ndarray:
            raise ValueError("=HYPERLINK(1)")

    run_arena([Sum(), "random"], deals=1, players=2, out=tmp_path)
    with (tmp_path / "forfeits.csv").open(encoding="utf-8", newline="") as file:
        assert [row["message"] for row in csv.DictReader(file)] == ["'=HYPERLINK(1)"] * 2


def test_errors_of_agents_in_training() -> None:
    class Bad(RandomAgent):
        def act(self, *given: object) -> np.ndarray:
            raise ValueError(EVIL)

    Bad.__name__ = EVIL[:-1]
    with pytest.raises(RuntimeError) as raised:
        versus(Bad(), "random", deals=1, players=2)
    check(str(raised.value))


def test_the_page_is_told_of_agents_in_printable_letters() -> None:
    class Bad(RandomAgent):
        def act(self, *given: object) -> np.ndarray:
            raise RuntimeError(EVIL * 100)

    Bad.__name__ = EVIL[:-1]
    with new_session([Bad(), "random"], hints=[]) as session:
        session.wait(lambda now: bool(now.failure), 60)
        with served(session) as client:
            state = client.get("/state").data
    assert state["failure"]
    for words in (*state["names"], state["failure"]):
        check(words, 600)


def test_an_adviser_of_any_name_can_be_asked() -> None:
    from strand_env.agents import agent_of
    from strand_env.play.session import Session
    from strand_env.strand_unter import GAME, Games

    names = ["you", "random"]
    agents = [None, RandomAgent()]
    with Session(GAME, Games(1, 2, seed=1), agents, names, {EVIL: agent_of("tide")}) as session:
        settled(session)
        [name] = session.hints
        check(name, 60)
        session.ask_hint(session.now().token, name)

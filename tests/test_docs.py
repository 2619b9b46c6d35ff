"""The pages keep their promises: code runs, commands, files and links exist."""

import inspect
import re
import shlex
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import mkdocs_hook
import pytest
import recipes
import typer.main
from marks import filled

from strand_env import cli, registry

ROOT = Path(__file__).parents[1]
WRITTEN = [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")), *sorted(ROOT.glob("docs/*.md"))]
PAGES = {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in WRITTEN}
EACH_PAGE = pytest.mark.parametrize("page", PAGES)

FENCED = re.compile(r"^```(\w*)(?: title=\"([^\"\n]*)\")?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def python_code(text: str, file: str = "") -> str:
    """What a reader would run, in order; or the contents of a file, from the blocks with its name as their title."""
    return "\n".join(body for language, title, body in FENCED.findall(text) if language == "python" and title == file)


# The code of each page. Training libraries come one by one, as few readers have all of them.
LIBRARIES = "docs/training-libraries.md"
TEXTS = {name: text for name, text in PAGES.items() if name != LIBRARIES}
TEXTS |= {section.partition("\n")[0]: section for section in PAGES[LIBRARIES].split("\n## ")}
PROGRAMS = {name: text for name, text in TEXTS.items() if python_code(text)}


# Learning takes long; a moment of it shows that it works. Replaced in this order.
SMALL = "imitate=1, total_timesteps=1, n_envs=8, n_steps=2, batch_size=16, deals=2, final_deals=2"
SHORTER = {
    "Config(total_timesteps=1_000_000": f"Config({SMALL}",
    "total_timesteps=1_000_000": "total_timesteps=1",
    '"n_steps": 32': '"n_steps": 2',
    "deals=500": "deals=10",
    "train_batch_size_per_learner=4000": "train_batch_size_per_learner=200",
}


@pytest.mark.slow
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
@pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested using version:UserWarning")  # every one but one
def test_code_runs(text: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    code = python_code(text)
    for library in ("sb3_contrib", "torchrl", "ray", "pyspiel", "open_spiel"):  # which not every environment has
        if f"from {library}" in code:
            pytest.importorskip(library)
    for long, short in SHORTER.items():
        code = code.replace(long, short)
    monkeypatch.chdir(tmp_path)  # some of it writes files
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry, "_others", {})  # some of it registers games
    files = {title for _, title, _ in FENCED.findall(text) if title}
    for file in files:
        (tmp_path / file).write_text(python_code(text, file), "utf-8")
    exec(compile(code, "code", "exec"), {"__name__": "__main__"})
    for file in files:
        del sys.modules[file.removesuffix(".py")]  # which the code imported


def test_what_is_shortened_is_there() -> None:
    assert all(any(long in text for text in PAGES.values()) for long in SHORTER)


def test_recipes_are_the_readmes_lines() -> None:
    """Each is what stands there, with another game, other opponents or more steps; they stay few."""
    lines = recipes.lines_of(PAGES["README.md"])
    assert len(lines.splitlines()) <= 15
    assert {recipe.game for recipe in recipes.recipes()} == set(registry.game_ids())
    for recipe in recipes.recipes():
        code = recipe.code(lines)
        compile(code, "code", "exec")
        assert f"from strand_env import {recipe.game}" in code
        assert f'opponents="{recipe.opponents}"' in code
        assert f"total_timesteps={recipe.timesteps})" in code


def test_recipes_that_were_not_run_keep_their_rows() -> None:
    readme = PAGES["README.md"]
    kept = recipes.table({}, readme)
    assert len(kept) > 2
    assert "\n".join(kept) in readme
    first = recipes.recipes()[0].key
    again = recipes.table({first: {"mean": 0.125, "low": 0.1, "high": 0.15}}, readme)
    assert again[2].endswith("| 1,000,000 | 12.5 % ± 2.5 |")
    assert again[:2] + again[3:] == kept[:2] + kept[3:]


def commands(text: str) -> set[str]:
    """Everything that looks like one of our command lines."""
    lines = [line for language, _, body in FENCED.findall(text) if language != "python" for line in body.splitlines()]
    lines += INLINE.findall(FENCED.sub("", text))
    return {line for line in lines if re.match(r"(make|strand) [a-z-]", line)}


@EACH_PAGE
def test_commands_exist(page: str) -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    strand = typer.main.get_command(cli.app)
    for line in commands(PAGES[page]):
        program, name, *rest = shlex.split(line, comments=True)
        if program == "make":
            assert name in targets, line
        else:
            assert name in strand.commands, line
            options = {option for parameter in strand.commands[name].params for option in parameter.opts}
            assert {word for word in rest if word.startswith("--")} <= options, line


def test_commands_are_found() -> None:
    text = "`make docs`, `strand rules --actions`, `strand_env`\n```\nmake test  # all\n```\n"
    assert commands(text) == {"make docs", "strand rules --actions", "make test  # all"}


@EACH_PAGE
def test_extras_exist(page: str) -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    named = re.findall(r"(?:strand-env|\.)\[([a-z,]+)\]", PAGES[page])
    assert {extra for several in named for extra in several.split(",")} <= set(extras)


@EACH_PAGE
def test_links_lead_somewhere(page: str) -> None:
    for target in LINK.findall(PAGES[page]):
        if not target.startswith("https://"):
            file, _, anchor = target.partition("#")
            there = (ROOT / page).parent / file if file else ROOT / page
            assert there.is_file(), target
            assert not anchor or anchor in anchors(there.read_text("utf-8")), target


def anchors(text: str) -> set[str]:
    """The headings as GitHub names them in links; MkDocs agrees for those we have."""
    headings = HEADING.findall(FENCED.sub("", text))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@EACH_PAGE
def test_files_and_folders_that_are_named_exist(page: str) -> None:
    made = (ROOT / ".gitignore").read_text("utf-8").split()
    for name in INLINE.findall(PAGES[page]):
        if re.fullmatch(r"[\w.-]+/[\w./-]*", name) and not name.startswith(tuple(made)):
            assert (ROOT / name).exists(), name


def site_files() -> dict[str, Path]:
    """All files of the site but those that MkDocs makes, by their place there."""
    excluded, found = section_of_site("exclude_docs").split(), {}
    for path in sorted(ROOT.glob("docs/**/*.*")):
        place = path.relative_to(ROOT / "docs")
        if path.is_file() and not any(place.match(each) for each in excluded):
            found[place.as_posix()] = path
    return found | {place: ROOT / path for place, path in mkdocs_hook.SOURCES.items()}


def section_of_site(name: str) -> str:
    """The indented lines below a key of mkdocs.yml."""
    lines = re.search(rf"^{name}:.*\n((?: .*\n)*)", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    assert lines
    return lines[1]


SITE_FILES = site_files()
SITE_PAGES = [place for place in SITE_FILES if place.endswith(".md")]


def test_the_sites_navigation_has_every_page() -> None:
    assert sorted(re.findall(r"[\w/-]+\.md$", section_of_site("nav"), re.MULTILINE)) == sorted(SITE_PAGES)


@pytest.mark.parametrize("place", SITE_PAGES)
def test_the_sites_links_stay_on_it_or_are_full_addresses(place: str) -> None:
    page = SimpleNamespace(file=SimpleNamespace(src_uri=place))
    text = mkdocs_hook.on_page_markdown(SITE_FILES[place].read_text("utf-8"), page)
    for target in LINK.findall(text):
        file = target.partition("#")[0]
        assert not file or file in SITE_FILES or target.startswith("https://"), target


@pytest.mark.parametrize("name", registry.game_names())
def test_pages_with_results_have_a_place_for_each_game(name: str) -> None:
    """Else hours of measuring would end in an error."""
    filled(PAGES["docs/benchmarks.md"], f"benchmarks of {name}", "make benchmarks", [])
    filled(PAGES["docs/exploitability.md"], registry.game_of(name).title, "make exploitability", [])


def example_of(name: str) -> list[str]:
    """The indented lines in the docstring of a game's batch class, if it has one of its own."""
    lines = inspect.cleandoc(registry.game_of(name).batch.__doc__ or "").splitlines()
    return [line.removeprefix("    ") for line in lines if line.startswith("    ")]


EXAMPLES = {name: lines for name in registry.game_names() if (lines := example_of(name))}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_of_a_batch_runs_and_says_the_shapes(name: str) -> None:
    game = registry.game_of(name)
    *code, last = EXAMPLES[name]
    names = {"Games": game.batch, "Ruleset": game.ruleset}
    exec("\n".join(code), names)
    arrays, said = last.split("  # ")
    shapes, kinds = zip(*((array.shape, array.dtype) for array in eval(arrays, names)), strict=True)
    assert said == f"{shapes[0]} and {shapes[1]}, {' and '.join(dict.fromkeys(map(str, kinds)))}"

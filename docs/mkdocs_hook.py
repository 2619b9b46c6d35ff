"""A hook of MkDocs (`make site`): pages from outside docs/ get a place on the site, and links follow them there."""

import dataclasses
import posixpath
import re
from pathlib import Path
from typing import Any

from strand_env.train.config import Config

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"(?<=\]\()([^)\s#:]+)(?=[)#])")

# By path in the repository: where it is on the site.
PLACES = {name: name for name in ("CONTRIBUTING.md", "CHANGELOG.md", "CITATION.cff")} | {"README.md": "index.md"}
PLACES |= {
    path.relative_to(ROOT).as_posix(): f"{path.parent.name}_rules.md" for path in ROOT.glob("strand_env/*/rules.md")
}
SOURCES = {place: path for path, place in PLACES.items()}


def on_files(files: Any, config: Any) -> Any:
    from mkdocs.structure.files import File  # here, as the tests use the rest of this module without MkDocs

    for path, place in PLACES.items():
        files.append(File.generated(config, place, abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    folder = posixpath.dirname(SOURCES.get(page.file.src_uri, f"docs/{page.file.src_uri}"))

    def follow(link: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(folder, link[0]))
        return PLACES.get(path, path.removeprefix("docs/"))  # all pages are in one folder

    return LINK.sub(follow, markdown).replace("<!-- fields of Config -->", config_table())


def config_table() -> str:
    rows = ["| field | default | meaning |", "| --- | --- | --- |"]
    rows += [f"| `{each.name}` | `{each.default!r}` | {each.metadata['help']} |" for each in dataclasses.fields(Config)]
    return "\n".join(rows)

"""Builds the wheel and the source distribution into dist/: `make dist`, for PyPI `make dist ADDRESS=https://…`.

In the repository links are relative, so that they work in every checkout and fork; on PyPI they would lead nowhere.
With the public address of the repository, as GitHub and GitLab have them, the packages name it in their metadata and
in the citation, and links and pictures of their README lead to the files of this version there.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from strand_env import __version__

ROOT = Path(__file__).parents[1]
MADE = shutil.ignore_patterns(".git", ".venv*", "__pycache__", "*.egg-info", "build", "dist", "results", "runs", "site")
LINK = re.compile(r"(!?)(\[[^\]]*\]\()([^)\s:#]+)(?=[)#])")
BUILD = "import sys; from setuptools import build_meta as b; out = sys.argv[1]; b.build_sdist(out); b.build_wheel(out)"


def absolute(readme: str, address: str, version: str) -> str:
    """The page with its relative links leading to the repository's files of that version."""

    def lead(link: re.Match[str]) -> str:
        picture, text, path = link.groups()
        return f"{picture}{text}{address}/{'raw' if picture else 'blob'}/v{version}/{path}"

    return LINK.sub(lead, readme)


def name_address(source: Path, address: str) -> None:
    """Writes the address into README, metadata and citation of a copy of the repository."""
    readme, project, citation = (source / name for name in ("README.md", "pyproject.toml", "CITATION.cff"))
    readme.write_text(absolute(readme.read_text("utf-8"), address, __version__), "utf-8")
    links = {
        "Source": address,
        "Documentation": f"{address}/blob/v{__version__}/README.md",
        "Changelog": f"{address}/blob/v{__version__}/CHANGELOG.md",
        "Issues": f"{address}/issues",
    }
    urls = "\n".join(f'{name} = "{link}"' for name, link in links.items())
    project.write_text(f"{project.read_text('utf-8')}\n[project.urls]\n{urls}\n", "utf-8")
    citation.write_text(f'{citation.read_text("utf-8")}repository-code: "{address}"\n', "utf-8")


def build(out: Path, address: str | None = None) -> str:
    """Builds both packages from a copy, since building leaves files behind. Returns what setuptools says."""
    out = out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "source"
        shutil.copytree(ROOT, source, ignore=MADE)
        if address:
            name_address(source, address)
        run = subprocess.run([sys.executable, "-c", BUILD, out], cwd=source, capture_output=True, text=True)
    if run.returncode:
        sys.exit(run.stderr)
    return run.stdout + run.stderr


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("dist"))
    parser.add_argument("--address", help="https://…, where the repository is public")
    args = parser.parse_args()
    if args.address and not re.fullmatch(r"https://[\w.-]+(/[\w.-]+)+", args.address):
        parser.error(f"--address: expected one like https://host/owner/name; got {args.address!r}")
    build(args.out, args.address)
    for path in sorted(args.out.iterdir()):
        print(path)
    if not args.address:
        print("without ADDRESS: not for PyPI, where links of the README would lead nowhere")


if __name__ == "__main__":
    main()

"""Names that no terminal should see as they are, and all commands that quote what is typed."""

import io
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from unittest.mock import patch

from hostile_files import Case

from strand_env import cli

KEPT = Path(__file__).parent / "replays" / "strand_unter_v0.json"
FORGED = "strand: everything is fine"
EVIL = f"a\x1b[2J\x1b]0;title\x07\n{FORGED}\r\u202eb\u2028c\x85d\u200be\udcff"
NAMES = {
    "evil": EVIL,
    "formula": "a$_{$",
    "markup": "[/red] [link=x]",
    "long": "x" * 5000,
    "format": ":bomb: {task} %s {0}",
    "html": "<img src=x onerror=alert(1)>",
}
COMMANDS = [
    "{}",
    "--{}",
    "rules --game {}",
    "replay {}",
    "replay --seat {} kept.json",
    "replay --delay {} kept.json",
    "replay kept.json {}",
    "replay kept.json --svg {}/x/\0",
    "watch {}",
    "watch {} random",
    "watch kept.json --game {}",
    "play --opponents {}",
    "play --hints {}",
    "arena random {}",
    "arena random {}.py:Agent",
    "arena random {}:Agent",
    "arena random evil.py:{}x",
    "arena random mc:{}",
    "arena random mc:8@{}",
    "arena random mc:8/{}@random",
    "arena random rm:8@random+{}",
    "arena random prior:{}",
    "arena random posterior:8@{}+random",
    "arena random openspiel-mcts:{}",
    "arena random random --ray {}",
    "arena random random --out kept.json/{}",
    "arena random random --variant {}",
    "watch random random --variant {}",
    "train --game {}",
    "train --opponents {}=1 --run run",
    "train --reference {} --run run",
    "train --players {}",
    "train --hidden {}",
    "train --reward {}",
    "train --encoding {} --run run",
    "train --resume {}",
    "inspect {}",
    "inspect random --compare {}",
    "inspect random --against {}",
    "exploit {} --out out",
    "exploit random --game {}",
    "exploit random --rollouts {} --out out",
    "exploit random --variant {} --out out",
    "exploit random --out kept.json/{}",
    "strangers {}",
    "strangers random --game {}",
    "compile --game {}",
    "bench --game {}",
    "inspect mc:8@{}",
    "play --opponents prior:8@{}",
    "train --algorithm {} --run run",
    "train --lookahead {} --run run",
    "export {} x",
    "export {} x --trust",
]


def printed(*arguments: object) -> str:
    """All that the command prints, and the message that it ends with."""
    out, code = io.StringIO(), None
    with patch.object(sys, "argv", ["strand", *map(str, arguments)]), patch.dict(os.environ, {"COLUMNS": "200"}):
        try:
            with redirect_stdout(out), redirect_stderr(out):
                cli.main()
        except SystemExit as ended:
            code = ended.code
    return out.getvalue() + (code if isinstance(code, str) else "")


def check(text: str, longest: int = 1100) -> None:
    """Raises an error if something in a text would act on a terminal, forge a line or fill the screen."""
    assert text
    for line in text.split("\n"):
        assert line.isprintable(), f"escapes: {line!a}"
        assert len(line) <= longest, f"{len(line)} letters on a line"
        assert not line.startswith(FORGED), "a forged line"


def cases(folder: Path) -> Iterator[Case]:
    """Each command with each name: `run` raises a `ValueError` if it was quoted harmlessly."""
    shutil.copy(KEPT, folder / "kept.json")
    for command in COMMANDS:
        for kind, name in NAMES.items():
            yield Case("names on the terminal", f"{command} {kind}", partial(_try, command, name, folder))


def _try(command: str, name: str, folder: Path) -> None:
    with chdir(folder):
        text = printed(*(part.replace("{}", name) for part in command.split(" ")))
    check(text)
    raise ValueError(text.splitlines()[-1])

"""The engine's parts, apart from any game: masks of several words, kernels, layouts, snapshot fields, checks."""

import os
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strand_env.engine import checks, jit, masks
from strand_env.engine.cache import Lock
from strand_env.engine.jit import Kernel, compiled, digest_of
from strand_env.engine.layout import Layout, Part
from strand_env.engine.ruleset import check_counts, check_length
from strand_env.engine.snapshots import Field

# Masks


def record(words: int, members: set[int]) -> Any:
    game = np.zeros(1, [("legal", np.uint64, (2, words))])
    for member in members:
        masks.allow(game[0], 1, member)
    return game[0]


@given(st.integers(1, 200), st.data())
@np.errstate(over="ignore")  # compiled code counts modulo 2**64
def test_masks_are_sets_of_actions(num_actions: int, data: st.DataObject) -> None:
    members = data.draw(st.sets(st.integers(0, num_actions - 1), min_size=1))
    words = masks.words_for(num_actions)
    assert 64 * (words - 1) < num_actions <= 64 * words
    game = record(words, members)
    assert not game["legal"][0].any()
    assert masks.count_legal(game, 1, words) == len(members)
    assert [int(masks.nth_legal(game, 1, np.uint64(n), words)) for n in range(len(members))] == sorted(members)
    legal = [action for action in range(num_actions) if masks.is_legal(game, 1, action, words)]
    assert set(legal) == members
    out = np.zeros((1, 1, 8 * words), np.uint64)
    masks.write_mask(game, 1, words, 0, 0, out)
    assert set(np.flatnonzero(out.view(np.int8)[0, 0])) == members
    row = np.full((1, num_actions), 9, np.int8)
    masks.write_mask_row(game, 1, num_actions, 0, row)
    assert row[0].tolist() == [int(action in members) for action in range(num_actions)]


@pytest.mark.parametrize(("pass_action", "words"), [(0, 1), (63, 1), (64, 2), (127, 2), (3, 3), (130, 3)])
def test_only_passing_is_nothing_to_decide(pass_action: int, words: int) -> None:
    game = record(words, {pass_action})
    assert not masks.has_to_act(game, 1, words, pass_action)
    for other in {0, 63, 64 * words - 1, 5} - {pass_action}:
        assert masks.has_to_act(record(words, {pass_action, other}), 1, words, pass_action)
        assert masks.has_to_act(record(words, {other}), 1, words, pass_action)
    game = record(words, {0, 7, 64 * words - 1})
    masks.allow_only(game, 1, pass_action)
    assert not masks.has_to_act(game, 1, words, pass_action)


@np.errstate(over="ignore")
def test_each_legal_action_is_picked_equally_often() -> None:
    members = {0, 5, 63, 64, 100, 129}
    game = record(3, members)
    halves = np.linspace(0, 2**32 - 1, 6000).astype(np.uint64)
    picked = [int(masks.pick_legal(game, 1, half, 3)) for half in halves]
    assert {member: picked.count(member) for member in members} == dict.fromkeys(members, 1000)


# Kernels


@compiled
def doubled(x):
    return FACTOR * x


FACTOR = 2


def count_negative(start, stop, values):
    found = 0
    for row in range(start, stop):
        found += values[row] < 0
    return found


def double_rows(start, stop, values, out):
    for row in range(start, stop):
        out[row] = doubled(values[row])


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("rows", [0, 1, 4095, 4096, 20_000])
def test_a_kernel_does_each_row_once(threads: int, rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "_CORES", 8)
    kernel = Kernel(double_rows, count_negative)
    values = np.arange(rows)
    out = np.full(rows, -1)
    assert kernel(threads, rows, values, out) == 0
    assert (out == 2 * values).all()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("wrong", [0, 9_999, 19_999])
def test_nothing_is_done_if_a_check_finds_anything(threads: int, wrong: int) -> None:
    values, out = np.arange(20_000), np.full(20_000, -1)
    values[[wrong, 7]] = -1
    assert Kernel(double_rows, count_negative)(threads, 20_000, values, out) == len({wrong, 7})
    assert (out == -1).all()


def test_callers_in_several_threads_get_their_own_results() -> None:
    kernel = Kernel(double_rows, count_negative)

    def call(number: int) -> bool:
        values, out = np.arange(20_000) + number, np.zeros(20_000, np.int64)
        values[: number + 1] = -1
        wrong = kernel(2, 20_000, values, out)
        values[: number + 1] = number
        return wrong == number + 1 and kernel(2, 20_000, values, out) == 0 and (out == 2 * values).all()

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(call, range(400)))


@pytest.mark.parametrize("wrong", [3, 19_999])
def test_an_error_in_any_thread_is_raised_when_all_have_ended(wrong: int, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = []

    def fail(start, stop):
        if start <= wrong < stop:
            raise ArithmeticError(wrong)
        time.sleep(0.05)
        ended.append(start)

    monkeypatch.setattr(jit, "_cached", lambda function: function)
    monkeypatch.setattr(jit, "_CORES", 8)
    kernel = Kernel(fail)
    with pytest.raises(ArithmeticError, match=str(wrong)):
        kernel(4, 20_000)
    assert len(ended) == 3
    assert Kernel(lambda start, stop: stop - start)(4, 20_000) == 20_000, "the threads live on"


def test_the_digest_covers_all_that_is_compiled() -> None:
    before = digest_of(double_rows)
    assert digest_of(double_rows) == before
    changed = {}
    for name, value in {"FACTOR": 3, "doubled": compiled(lambda x: x + x)}.items():
        namespace = {**globals(), name: value}
        again = type(double_rows)(double_rows.__code__, namespace)
        if name == "FACTOR":  # a constant of a function that it calls
            namespace["doubled"] = compiled(type(doubled)(doubled.__code__, namespace))
        changed[name] = digest_of(again)
    assert len({before, *changed.values()}) == 3


MODULE = """
import numpy as np
from strand_env.engine.jit import Kernel, compiled
from constants import TABLE

@compiled
def looked_up(x):
    return TABLE[x]

@Kernel
def fill(start, stop, out):
    for row in range(start, stop):
        out[row] = looked_up(row)

out = np.zeros(2, np.int64)
fill(1, 2, out)
print(*out)
"""


@pytest.mark.slow
def test_changed_rules_never_run_stale_code(tmp_path: Path) -> None:
    """Also if only a constant in another file has changed, which Numba's own cache does not notice."""
    (tmp_path / "module.py").write_text(MODULE)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    told = []
    for numbers in ((1, 2), (1, 2), (3, 4)):
        (tmp_path / "constants.py").write_text(f"import numpy as np\nTABLE = np.array({numbers})\n")
        os.utime(tmp_path / "constants.py", ns=(len(told) * 10**9, len(told) * 10**9))
        run = subprocess.run(
            [sys.executable, "-B", "-c", "import module"], env=environment, capture_output=True, text=True, check=True
        )
        told.append(run.stdout.strip())
        kept = sum(file.suffix == ".nbi" for file in (tmp_path / "cache").rglob("*"))
        assert kept == (2 if numbers == (3, 4) else 1)  # the second run found what the first one left
    assert told == ["1 2", "1 2", "3 4"]


COUNTED = """
from numba.core import event

with event.install_recorder("numba:compile") as compilations:
    import module
kernels = [each.data["dispatcher"].py_func.__name__ for _, each in compilations.buffer if each.is_start]
print(kernels.count("fill"))
"""


@pytest.mark.slow
def test_processes_that_start_together_compile_once(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(MODULE)
    (tmp_path / "constants.py").write_text("import numpy as np\nTABLE = np.array((1, 2))\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-B", "-c", COUNTED]
    runs = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    told = [run.communicate(timeout=120)[0].split() for run in runs]
    assert [each[:2] for each in told] == [["1", "2"]] * 4
    assert sorted(each[2] for each in told) == ["0", "0", "0", "1"]
    assert not list((tmp_path / "cache").rglob("*.lock"))


def test_the_lock_of_a_process_that_dies_is_free(tmp_path: Path) -> None:
    """Whoever waits for it goes on, and so does a process whose compilation failed: it has the lock already."""
    path = str(tmp_path / "kernel.lock")
    program = f"from strand_env.engine.cache import Lock; Lock({path!r}).acquire(); print('held'); input()"
    other = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert other.stdout is not None
    assert other.stdout.readline() == "held\n"
    got = threading.Event()
    lock = Lock(path)

    def acquire() -> None:
        lock.acquire()
        lock.acquire()
        got.set()

    threading.Thread(target=acquire, daemon=True).start()
    assert not got.wait(0.3)
    other.kill()
    other.communicate()
    assert got.wait(30)
    lock.release()
    assert not Path(path).exists()
    Lock(str(tmp_path / "nowhere" / "kernel.lock")).acquire()  # which cannot be had, and is not waited for


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_a_damaged_cache_is_compiled_again(suffix: str, tmp_path: Path) -> None:
    """As after a power cut: files that are cut off, empty, or full of zeros."""
    (tmp_path / "module.py").write_text(MODULE)
    (tmp_path / "constants.py").write_text("import numpy as np\nTABLE = np.array((1, 2))\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def run() -> tuple[str, str]:
        command = [sys.executable, "-B", "-c", "import module"]
        told = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return told.stdout.strip(), told.stderr

    run()
    (file,) = (tmp_path / "cache").rglob(f"*{suffix}")
    good = file.read_bytes()
    half = len(good) // 2
    flipped = good[:half] + bytes([good[half] ^ 1]) + good[half + 1 :]
    for content in (good[:half], b"", good[:half] + bytes(len(good) - half), flipped):
        file.write_bytes(content)
        out, told = run()
        assert out == "1 2"
        assert "a damaged cache of compiled kernels is discarded" in told
        assert run() == ("1 2", ""), "it was written again"


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that fork")
def test_threads_work_in_forked_processes(tmp_path: Path) -> None:
    program = """
        import os
        import warnings
        import numpy as np
        from strand_env.strand_unter import Games

        warnings.simplefilter("ignore")  # of forking with threads, which is what is tried
        games = Games(4096, threads=2)
        games.step(games.random_actions(0))
        child = os.fork()
        games.step(games.random_actions(1))
        if not child:
            os._exit(int(games.state["round"].max()))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == games.state["round"].max())
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=120, check=True
    )
    assert run.stdout.strip() == "True"


# Layouts


@pytest.mark.parametrize("dtype", [np.int8, np.int16])
def test_sections_follow_each_other(dtype: Any) -> None:
    table = Part("round", 9, "number of the round"), Part("shells", (3, 0), "of each colour")
    seat = Part("points", 5, "so far"), Part("cards", 2, "by value", (2, 3))
    layout = Layout(table, seat, 3, dtype)
    assert [section.name for section in layout][:4] == ["round", "shells", "seat_0.points", "seat_0.cards"]
    assert layout.maximum.tolist() == [9, 3, 1, *[5, *[2] * 6] * 3]  # never 0
    assert layout["seat_2.points"].slice == slice(17, 18)
    assert layout["seat_1.points"].meaning == "player 1 after the observer: so far"
    assert (layout.size, layout.table_size, layout.seat_size) == (24, 3, 7)
    with pytest.raises(KeyError, match=r"no section 'seat_3\.points'; there are round, shells"):
        layout["seat_3.points"]
    rows = np.arange(48, dtype=dtype).reshape(2, 24)
    entries, tables, seats = layout.by_name(rows)
    assert (entries == rows).all()
    assert tables["shells"].tolist() == [[1, 2], [25, 26]]
    assert seats["cards"][1, 2].tolist() == [[42, 43, 44], [45, 46, 47]]
    whole = rows.view(layout.record)[:, 0]
    assert whole["seats"][1]["points"].tolist() == [27, 34, 41]
    with pytest.raises(ValueError, match=r"observation: expected shape \(rows, 24\), got \(2, 23\)"):
        layout.by_name(rows[:, 1:])


def test_entries_have_to_fit_their_type() -> None:
    assert Layout([Part("points", 300, "")], dtype=np.int16).maximum.tolist() == [300]
    with pytest.raises(ValueError, match="points: 300 is more than int8 holds"):
        Layout([Part("points", 300, "")])


# Snapshot fields and other input


CASTLES = Field("castles", 1, 8, words={0: "heap", 12: "ready"})


@pytest.mark.parametrize(
    ("field", "value", "shape", "numbers"),
    [
        (Field("round", 1, 15), 15, (), 15),
        (Field("bag", 0, 80), [1, 80], (2,), [1, 80]),
        (Field("bag", 0, 80), ((0, 1), (2, 3)), (2, 2), [[0, 1], [2, 3]]),
        (CASTLES, ["heap", 8, "ready"], (3,), [0, 8, 12]),
        (Field("dial", 0, 9, null=-1), [None, 0], (2,), [-1, 0]),
        (Field("owed", truth=True), [True, False], (2,), [1, 0]),
    ],
)
def test_fields_are_read_as_they_are_written(field: Field, value: Any, shape: tuple[int, ...], numbers: Any) -> None:
    assert field.numbers("f", value, shape) == numbers
    assert field.data(numbers) == (list(map(list, value)) if isinstance(value, tuple) else value)


@pytest.mark.parametrize(
    ("field", "value", "shape", "message"),
    [
        (Field("round", 1, 15), 16, (), "f: expected a whole number from 1 to 15, got 16"),
        (Field("round", 1, 15), True, (), "f: expected a whole number from 1 to 15, got True"),
        (Field("bag", 0, 80), [1, "2"], (2,), "f[1]: expected a whole number from 0 to 80, got '2'"),
        (Field("bag", 0, 80), [[1], 2], (2, 1), "f[1]: expected a list of 1 entry, got 2"),
        (Field("bag", 0, 80), {}, (2,), "f: expected a list of 2 entries, got {}"),
        (CASTLES, ["sea"], (1,), "f[0]: expected a whole number from 1 to 8 or one of ['heap', 'ready'], got 'sea'"),
        (CASTLES, [12], (1,), "f[0]: expected a whole number from 1 to 8, got 12"),
        (CASTLES, [None], (1,), "f[0]: expected a whole number from 1 to 8 or one of ['heap', 'ready'], got None"),
        (Field("owed", truth=True), 1, (), "f: expected true or false, got 1"),
        (Field("dial", 0, 9, null=-1), -1, (), "f: expected a whole number from 0 to 9, got -1"),
        (Field("round", 1, 15), "x" * 200, (), "got 'xxx"),
        (Field("round", 1, 15), "\x1b[31m", (), r"got '\x1b[31m'"),
    ],
)
def test_fields_refuse_the_rest(field: Field, value: Any, shape: tuple[int, ...], message: str) -> None:
    with pytest.raises(ValueError, match=r"^f") as refused:
        field.numbers("f", value, shape)
    assert message in str(refused.value)
    assert len(str(refused.value)) < 160


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: checks.whole_number("n", 1.0, 0), "n: expected a whole number of at least 0, got 1.0"),
        (lambda: checks.whole_number("n", True, 0, 3), "n: expected a whole number from 0 to 3, got True"),
        (lambda: checks.whole_number("n", 2, 3, 3), "n: expected 3, got 2"),
        (
            lambda: checks.seed_number("s", 2**64),
            "s: expected a whole number from 0 to 2**64 - 1, got 18446744073709551616",
        ),
        (lambda: checks.one_of("kind", [], ("a", "b")), "kind: expected one of 'a', 'b'; got []"),
        (lambda: checks.one_of("kind", np.zeros(2), ("a",)), "kind: expected one of 'a'; got array([0., 0.])"),
        (lambda: checks.one_of("kind", True, (0, 1)), "kind: expected one of 0, 1; got True"),
        (
            lambda: checks.whole_numbers("rows", [[1], [2, 3]]),
            "rows: expected a list of whole numbers, got [[1], [2, 3]]",
        ),
        (lambda: checks.whole_numbers("rows", [1.5]), "rows: expected a list of whole numbers, got [1.5]"),
        (lambda: check_counts("fill", (1, -1), 2, 9), "ruleset.fill: expected whole numbers from 0 to 9, got (1, -1)"),
        (lambda: check_length("fill", [1], 1), "ruleset.fill: expected 1 entries, got [1]"),
    ],
)
def test_bad_input_is_told_in_one_sentence(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=": expected") as refused:
        call()
    assert str(refused.value) == message


def test_good_input_passes() -> None:
    assert checks.whole_number("n", np.int8(3), 3, 3) == 3
    assert checks.seed_number("s", 2**64 - 1) == 2**64 - 1
    checks.one_of("kind", "a", ("a", "b"))
    assert checks.whole_numbers("rows", ()).tolist() == []
    assert checks.whole_numbers("rows", (2, 1)).dtype == np.int64

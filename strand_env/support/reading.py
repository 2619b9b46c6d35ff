"""Files from outside: read within bounds, and without running anything that is in them.

Only regular files are opened, and none is read that is larger than it can be. JSON is parsed strictly, arrays come from
safetensors and NPZ files, never from pickles. What is wrong with a file is a `ValueError` that begins with its path.
"""

import json
import math
import os
import re
import stat
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from typing import Any, BinaryIO, NoReturn

import numpy as np
import numpy.typing as npt

from strand_env.engine.checks import checked_path, printable, shown
from strand_env.support.extras import from_extra

Path = str | os.PathLike[str]
Arrays = dict[str, npt.NDArray[Any]]
Form = tuple[npt.DTypeLike, tuple[int | None, ...]]
"""The dtype and the shape of an array; None is any length."""

MAX_BYTES = 1_000_000  # of JSON
MAX_DEPTH = 16
MAX_DIGITS = 20  # of a whole number: enough for 64 bits
MAX_HEADER = 1 << 22  # bytes
MAX_MEMBERS = 100  # arrays of an NPZ file

_OPENING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)  # a pipe must not block
_STRINGS_AND_BRACKETS = re.compile(r'"(?:[^"\\]++|\\.?)*+"?|[\[\]{}]', re.DOTALL)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Begins the message of any `ValueError` with the file that it is about."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{printable(path)}: {error}") from None


def read_bytes(path: Path, most: int) -> bytes:
    """A regular file of at most this many bytes."""
    path = checked_path("path", path)
    with naming(path), _opened(path) as file:
        size = os.fstat(file.fileno()).st_size
        content = file.read(most + 1) if size <= most else b""  # it may be growing meanwhile
        if max(size, len(content)) > most:
            raise ValueError(f"expected at most {most:,} bytes, got more")
        return content


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    descriptor = os.open(path, _OPENING)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise ValueError("expected a file, got a folder, a pipe or a device")
    with open(descriptor, "rb") as file:
        yield file


# JSON


def read_json(path: Path, most: int = MAX_BYTES) -> Any:
    """The plain data in a JSON file."""
    content = read_bytes(path, most)
    with naming(path):
        return parse_json(content, most)


def parse_json(text: str | bytes, most: int = MAX_BYTES) -> Any:
    """Plain data, if the text is strict JSON: each name once in an object, finite numbers, and all within bounds."""
    if not isinstance(text, (str, bytes)):
        raise ValueError(f"text: expected JSON as str or bytes, got {shown(text)}")
    if len(text) > most:
        raise ValueError(f"expected at most {most:,} bytes, got more")
    try:
        if isinstance(text, bytes):
            text = text.decode()
        _check_depth(text)
        return json.loads(
            text, object_pairs_hook=_object, parse_int=_integer, parse_float=_float, parse_constant=_not_a_number
        )
    except UnicodeDecodeError:
        raise ValueError("expected JSON, got bytes that are not UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"expected JSON, got something broken or cut off: {printable(error)}") from None


def _check_depth(text: str) -> None:
    """Refuses deep nesting before parsing, since the parser itself would overflow."""
    depth = 0
    for token in _STRINGS_AND_BRACKETS.finditer(text):
        depth += (token[0] in ("[", "{")) - (token[0] in ("]", "}"))
        if depth > MAX_DEPTH:
            raise ValueError(f"expected nesting of at most {MAX_DEPTH} levels, got more")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"{shown(name)}: expected once, got twice")
        found[name] = value
    return found


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"expected numbers of at most {MAX_DIGITS} digits, got one of {len(digits)}")
    return int(digits)


def _float(digits: str) -> float:
    number = float(digits)
    return number if math.isfinite(number) else _not_a_number(digits)


def _not_a_number(name: str) -> NoReturn:
    raise ValueError(f"expected finite numbers, got {shown(name)}")


# Arrays


def parse_tensors(content: bytes) -> Arrays:
    """The arrays in a safetensors file."""
    with from_extra("models", "a trained agent"):
        import safetensors  # noqa: F401 (its submodule may be there without it)
        from safetensors.numpy import load

    header = int.from_bytes(content[:8], "little")
    if not 2 <= header <= min(len(content) - 8, MAX_HEADER):
        raise ValueError(f"not a safetensors file: {header:,} bytes of header in a file of {len(content):,}")
    try:
        return load(content)
    except Exception as error:  # whatever the library makes of damaged files
        raise ValueError(f"not a safetensors file: {printable(error)}") from None


def read_arrays(path: Path, most: int) -> Arrays:
    """The arrays in an NPZ file, which take at most this many bytes."""
    content = read_bytes(path, most)
    with naming(path):
        try:
            with zipfile.ZipFile(BytesIO(content)) as archive:
                return _members(archive, most)
        except ValueError:
            raise
        except Exception as error:  # zipfile and zlib have many words for damaged files
            raise ValueError(f"not an NPZ file: {printable(error)}") from None


def check_zip(path: Path, most: int) -> None:
    """Refuses what is no ZIP file, or would take more than this many bytes when it is unpacked."""
    with naming(path), _opened(path) as file:
        try:
            sizes = [member.file_size for member in zipfile.ZipFile(file).infolist()]
        except Exception as error:  # zipfile has many words for damaged files
            raise ValueError(f"not a ZIP file: {printable(error)}") from None
        if len(sizes) > MAX_MEMBERS or sum(sizes) > most:
            raise ValueError(f"expected at most {MAX_MEMBERS} files of {most:,} bytes, unpacked; got more")


def _members(archive: zipfile.ZipFile, most: int) -> Arrays:
    members = archive.infolist()
    if len(members) > MAX_MEMBERS or sum(member.file_size for member in members) > most:
        raise ValueError(f"expected at most {MAX_MEMBERS} arrays of {most:,} bytes, unpacked; got more")
    found: Arrays = {}
    for member in members:
        name = member.filename.removesuffix(".npy")
        if name in found:
            raise ValueError(f"{shown(name)}: expected once, got twice")
        found[name] = _array(name, archive.read(member))
    return found


def _array(name: str, content: bytes) -> npt.NDArray[Any]:
    """The array in an NPY file. NumPy's own reader would take room for whatever shape the header claims."""
    file = BytesIO(content)
    try:
        versions = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
        shape, by_columns, dtype = versions[np.lib.format.read_magic(file)](file)
        if dtype.hasobject or dtype.itemsize == 0:
            raise ValueError(f"dtype {dtype}")
        return np.frombuffer(content, dtype, offset=file.tell()).reshape(shape, order="F" if by_columns else "C")
    except Exception as error:  # the header is Python's syntax, in which anything can be
        raise ValueError(f"{shown(name)}: not an NPY file of plain numbers or text: {printable(error)}") from None


def check_arrays(arrays: Arrays, expected: Mapping[str, Form], finite: bool = True) -> None:
    """Refuses other names than the expected, other dtypes or shapes, and unless told otherwise NaN and infinity."""
    if arrays.keys() != expected.keys():
        missing, extra = sorted(expected.keys() - arrays.keys()), sorted(arrays.keys() - expected.keys())
        raise ValueError(f"expected {len(expected)} arrays; missing: {shown(missing)}, too many: {shown(extra)}")
    for name, (dtype, shape) in expected.items():
        array = arrays[name]
        fits = len(array.shape) == len(shape) and all(
            wanted in (None, length) for wanted, length in zip(shape, array.shape, strict=True)
        )
        if array.dtype != dtype or not fits:
            told = str(shape).replace("None", "any")
            raise ValueError(f"{name}: expected {np.dtype(dtype)} {told}, got {array.dtype} {array.shape}")
        if finite and array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"{name}: holds numbers that are not finite")

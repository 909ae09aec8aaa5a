"""What the commands read: files of vectors, tables, images; under names that are all different."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from truegrade.cli.tools import UsageError, split_name
from truegrade.ecg.kind import are_recordings
from truegrade.ecg.options import EcgOptions, Role
from truegrade.embedders.reading import holds_pixels
from truegrade.errors import InputError
from truegrade.images import Images, load_images
from truegrade.images.collection import OnError
from truegrade.load import LOADERS, TABLE_SUFFIXES, Kind, LackingName, NoNumbers, open_path
from truegrade.samples import Samples
from truegrade.statistics import Statistics, is_statistics_file, load_statistics
from truegrade.tables import Table
from truegrade.tabular import check_types


@dataclass(frozen=True)
class Wanted:
    """Which parts of files are read, and as what.

    key only concerns archives, columns (separated by commas), kind and types (as given) only tables, labels only files
    that have them; recursive and value_range only images, on_error also tables. embed: whether arrays are read as
    images. ecg: what is said of ECG recordings, None of anything else.
    """

    key: str | None = None
    columns: str | None = None
    labels: str | None = None
    pixels: tuple[int, ...] | None = None
    kind: Kind = "auto"
    types: str | None = None
    embed: bool = False
    recursive: bool = False
    on_error: OnError = "refuse"
    value_range: tuple[float, float] | None = None
    ecg: EcgOptions | None = None

    def open(self, path: str, name: str | None = None) -> Samples | Images | Statistics | Table:
        """The samples of a file; or the images of a folder, an archive, and with `embed` of an array; or statistics."""
        if self.key is None and is_statistics_file(path):
            return load_statistics(path)
        found = self._pixels(path, name) if self.embed and holds_pixels(path) else self._load(path, name)
        if self.embed and isinstance(found, Samples) and holds_pixels(found):
            return load_images(found, on_error=self.on_error, value_range=self.value_range)
        return found

    def _pixels(self, path: str, name: str | None) -> Images:
        """The images of an array."""
        archive = Path(path).suffix.lower() == ".npz"
        return load_images(
            path,
            name=name,
            key=self.key if archive else None,
            labels=self.labels if archive else None,
            on_error=self.on_error,
            value_range=self.value_range,
        )

    def _load(self, path: str, name: str | None) -> Samples | Images | Table:
        """What `load` makes of a path, given the options that concern its kind."""
        kind = Path(path).suffix.lower()
        how: dict[str, Any] = {"key": self.key if kind == ".npz" else None}
        if kind in (".npy", ".npz"):
            how["pixels"] = self.pixels
        elif kind in TABLE_SUFFIXES:
            chosen = None if self.columns is None else next(csv.reader([self.columns]), [])
            how |= {"pixels": self.pixels, "columns": chosen, "on_error": self.on_error}
        else:
            how |= {"recursive": self.recursive, "on_error": self.on_error, "value_range": self.value_range}
        read = partial(open_path, Path(path), self.kind, name=name, **how)
        try:
            return read(labels=None if kind == ".npy" else self.labels)
        except NoNumbers as error:
            raise InputError(f"{error.found} {self._advice()}") from error
        except LackingName as error:
            if self.labels not in error.names:
                raise
        try:  # a file without labels
            return read()
        except InputError as error:
            raise InputError(f"{error} (--labels {self.labels!r} is the name of nothing in it.)") from error

    def _advice(self) -> str:
        """What to do about a table that is not all numbers."""
        advice = "choose columns of numbers (--columns a,b), or grade it as a table (--kind table)."
        if self.embed:
            return f"--embed is for images: leave it out to grade the table, or {advice}"
        if self.pixels is not None:
            return f"--pixels is for rows that are images: leave it out to grade the table, or {advice}"
        return advice[0].upper() + advice[1:]


def refuse_idle(wanted: Wanted, paths: Sequence[str]) -> None:
    """UsageError for an option that means nothing for any of these files."""
    if wanted.ecg is not None:
        return _refuse_idle_for_ecg(wanted, paths)
    suffixes = {Path(path).suffix.lower() for path in paths if os.path.isfile(path)}
    numbers, tables = suffixes & {*LOADERS, *TABLE_SUFFIXES}, bool(suffixes & {*TABLE_SUFFIXES})
    images = wanted.embed or any(os.path.isdir(path) for path in paths) or bool(suffixes - numbers)
    concerns = {
        "--columns": (wanted.columns, tables),
        "--types": (wanted.types, tables),
        "--key": (wanted.key, ".npz" in suffixes),
        "--pixels": (wanted.pixels, bool(numbers)),
        "--recursive": (wanted.recursive or None, images),
        "--on-error": (None if wanted.on_error == "refuse" else wanted.on_error, images or tables),
        "--value-range": (wanted.value_range, images),
    }
    return _refuse(concerns, paths)


def _refuse_idle_for_ecg(wanted: Wanted, paths: Sequence[str]) -> None:
    folders = any(os.path.isdir(path) for path in paths)
    records = folders or any(map(are_recordings, paths))
    concerns: dict[str, tuple[object, bool]] = {
        "--columns": (wanted.columns, False),
        "--types": (wanted.types, False),
        "--pixels": (wanted.pixels, False),
        "--value-range": (wanted.value_range, False),
        "--key": (wanted.key, folders or any(Path(path).suffix.lower() == ".npz" for path in paths)),
        "--recursive": (wanted.recursive or None, folders),
        "--on-error": (None if wanted.on_error == "refuse" else wanted.on_error, records),
    }
    _refuse(concerns, paths)


def _refuse(concerns: Mapping[str, tuple[object, bool]], paths: Sequence[str]) -> None:
    """UsageError for the first option that has a value and no use."""
    idle = [option for option, (value, used) in concerns.items() if value is not None and not used]
    if idle and all(os.path.exists(path) for path in paths):
        raise UsageError(f"{idle[0]} given, and it means nothing for {paths[0]} and the others. Leave it out.")


def open_all(real: str, synthetic: Sequence[str], wanted: Wanted, holdout: Path | None = None) -> list[Any]:
    """The real set and the synthetic ones, under names that are all different, and the hold-out, None without one.

    A synthetic set is FILE or NAME=FILE; a text that is the path of a file is a FILE whatever it holds. The real set
    says whether the others are tables. InputError where none of them has the labels.
    """
    given = [split_name(text) for text in synthetic]
    names = distinct_names([(None, real), *given])
    paths = [path for _, path in ((None, real), *given)]
    refuse_idle(wanted, paths)
    if wanted.ecg is not None:
        return _open_recordings(paths, names, wanted, holdout)
    if wanted.kind == "auto" and wanted.key is None and any(is_statistics_file(path) for path in paths):
        wanted = replace(wanted, kind="vectors")
    first = wanted.open(real, names[0])
    wanted = replace(wanted, kind="table" if isinstance(first, Table) else "vectors")
    found = [first, *(wanted.open(path, name) for path, name in zip(paths[1:], names[1:], strict=True))]
    if wanted.labels is not None and all(getattr(one, "labels", None) is None for one in found):
        raise InputError(
            f"--labels {wanted.labels!r} given, and no file has a column (of a table) or an array (of a .npz) of that "
            "name."
        )
    return [*found, None if holdout is None else wanted.open(str(holdout))]


def _open_recordings(paths: Sequence[str], names: Sequence[str], wanted: Wanted, holdout: Path | None) -> list[Any]:
    """The recordings of all sets, the real one first, and of the hold-out."""
    from truegrade.ecg.reading import load_side

    assert wanted.ecg is not None
    how = (wanted.ecg, wanted.on_error)
    roles: list[Role] = ["real", *("synthetic" for _ in paths[1:])]  # type: ignore[list-item]
    found = [load_side(path, name, role, *how) for path, name, role in zip(paths, names, roles, strict=True)]
    return [*found, None if holdout is None else load_side(holdout, None, "holdout", *how)]


def read_types(text: str | None) -> dict[str, str] | None:
    """NAME=TYPE, separated by commas, as types by name; a name with a comma is quoted as in a .csv file."""
    if text is None:
        return None
    found = {}
    for part in next(csv.reader([text]), []):
        name, equals, kind = part.rpartition("=")
        if not equals or not name:
            raise UsageError(f"--types {text!r} given; NAME=TYPE is accepted, several separated by commas.")
        found[name] = kind
    try:
        check_types(found)
    except InputError as error:
        raise UsageError(str(error)) from error
    return found


def read_pixels(text: str) -> tuple[int, ...]:
    """28x28 or 28x28x3 as numbers."""
    parts = text.lower().split("x")
    if len(parts) not in (2, 3) or not all(part.isdecimal() and int(part) > 0 for part in parts):
        raise UsageError(f"--pixels {text!r} given; HEIGHTxWIDTH or HEIGHTxWIDTHx3 is accepted, such as 28x28.")
    return tuple(map(int, parts))


def read_range(text: str | None) -> tuple[float, float] | None:
    """LOW,HIGH as numbers."""
    if text is None:
        return None
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        raise UsageError(f"--value-range {text!r} given; LOW,HIGH is accepted, such as 0,1 or -1,1.") from None
    return low, high


def distinct_names(given: Sequence[tuple[str | None, str]]) -> list[str]:
    """Names of sets: as given, else the file's stem, with as many folders before it as set them apart."""
    places = [os.path.abspath(path) for _, path in given]
    names = [name or _stem(path) for name, path in given]
    explicit = [name for name, _ in given if name]
    if repeated := {name for name in explicit if explicit.count(name) > 1}:
        raise UsageError(f"The name {sorted(repeated)[0]!r} was given twice; every synthetic set needs its own.")
    for depth in range(1, 4):
        same = {name: {p for p, n in zip(places, names, strict=True) if n == name} for name in names}
        twice = {name for name, files in same.items() if len(files) > 1}
        names = [
            _longer(path, depth) if name is None and now in twice else now
            for now, (name, path) in zip(names, given, strict=True)
        ]
    return [n if names.index(n) == i else f"{n} ({names[: i + 1].count(n)})" for i, n in enumerate(names)]


def _longer(path: str, folders: int) -> str:
    return "/".join((*Path(os.path.abspath(path)).parts[-1 - folders : -1], _stem(path)))


def _stem(path: str) -> str:
    """The name of a file without its suffix, of a folder whole."""
    place = Path(os.path.abspath(path))
    return place.name if place.is_dir() else place.stem

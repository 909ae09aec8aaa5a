"""Which files of a folder or archive are images: by suffix, in natural order; the rest is passed over and counted."""

from __future__ import annotations

import difflib
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, count, takewhile
from pathlib import Path

from truegrade.errors import InputError, Notice, notice
from truegrade.images.decode import suffixes

HIDDEN, FOLDERS, NO_FILES = "hidden files", "folders not looked into", "neither files nor folders"
_SYSTEM = {"thumbs.db", "ehthumbs.db", "desktop.ini", "__macosx"}
COMMON = (".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".bmp", ".gif")


@dataclass
class Listing:
    """The images found (path inside the folder or archive -> where it is) and counts of what was passed over.

    Where several are called the same in print, the second is "a.png (2)". again: of members of an archive with one
    name, which of them an image is, counted from 0; the first ones are left out.
    """

    found: dict[str, str] = field(default_factory=dict)
    again: dict[str, int] = field(default_factory=dict)
    passed: Counter[str] = field(default_factory=Counter)
    folders: list[str] = field(default_factory=list)

    def ids(self) -> list[str]:
        return sorted(self.found, key=natural)

    def notices(self, who: str) -> tuple[Notice, ...]:
        """One note on what was passed over."""
        if not self.passed:
            return ()
        parts = ", ".join(told(self.passed))
        return (notice("images_passed_over", side=who, parts=parts),)


def natural(name: str) -> list[list[tuple[str, int, str]]]:
    """Sorting key: numbers inside names by value, folder by folder (2.png before 10.png)."""
    return [
        [
            ("0", len(part.lstrip("0")), part.lstrip("0") + "/" + part) if part.isdigit() else (part, 0, "")
            for part in re.split(r"([0-9]+)", level)
        ]
        for level in name.split("/")
    ]


def printable(name: str) -> str:
    """A file name as valid text: bytes that are no UTF-8 are written as escapes."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def told(counts: Counter[str], most: int = 8) -> Iterator[str]:
    """Counts in words: 12 .txt, 3 hidden files."""
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    for what, number in ranked[:most]:
        one = what.replace("files", "file").replace("folders", "folder")
        yield f"{number:,} {one if number == 1 else what}"
    if len(ranked) > most:
        yield f"{sum(number for _, number in ranked[most:]):,} others"


def list_folder(folder: Path, recursive: bool) -> Listing:
    """The images of a folder, those of folders inside too where `recursive`. Links are followed, never in circles."""
    listing, seen, waiting = Listing(), set(), [(folder, "")]
    while waiting:
        place, inside = waiting.pop()
        status = place.stat()
        if (status.st_dev, status.st_ino) in seen:
            continue
        seen.add((status.st_dev, status.st_ino))
        with os.scandir(place) as scan:
            entries = sorted(scan, key=lambda entry: entry.name)  # which of two names of one look is the second
        for entry in entries:
            name = inside + printable(entry.name)
            if is_hidden(entry.name):
                listing.passed[HIDDEN] += 1
            elif _is(entry.is_dir):
                listing.folders.append(name)
                waiting += [(Path(entry.path), name + "/")] if recursive else []
            elif _is(entry.is_file) or (entry.is_symlink() and not os.path.exists(entry.path)):
                _sort(listing, name, entry.path)  # a link that leads nowhere is an image that cannot be read
            else:
                listing.passed[NO_FILES] += 1
    if not recursive and listing.folders:
        listing.passed[FOLDERS] = len(listing.folders)
    return listing


def _is(ask: Callable[[], bool]) -> bool:
    """The answer of an entry about itself; no where it is a link in a circle, which leads nowhere too."""
    try:
        return ask()
    except OSError:
        return False


def list_members(members: Iterable[str], recursive: bool) -> Listing:
    """The images among the files of an archive; a folder that holds everything is looked into in any case."""
    listing, inside, names = Listing(), Listing(), [m for m in members if not m.endswith("/")]
    seen = [m for m in names if not any(is_hidden(part) for part in m.split("/"))]
    listing.passed.update({HIDDEN: len(names) - len(seen)} if len(seen) < len(names) else {})
    levels = zip(*(m.split("/")[:-1] for m in seen), strict=False)
    folder = "/".join(level[0] for level in takewhile(lambda level: len(set(level)) == 1, levels))
    counts: Counter[str] = Counter()
    for member in seen:
        name = member[len(folder) :].lstrip("/")
        _sort(inside if "/" in name and not recursive else listing, name, member, counts[member])
        counts[member] += 1
    listing.folders = sorted({name.split("/")[0] for name in inside.found}, key=natural)
    if listing.folders:
        listing.passed[FOLDERS] = len(listing.folders)
    return listing


def is_hidden(name: str) -> bool:
    """Whether a file or folder is hidden, or put there by an operating system."""
    return (name.startswith(".") and name not in (".", "..")) or name.lower() in _SYSTEM


def _sort(listing: Listing, name: str, where: str, again: int = 0) -> None:
    suffix = os.path.splitext(name)[1].lower()
    if suffix in suffixes():
        others = (f"{name} ({i})" for i in count(max(2, again + 1)))
        called = next(one for one in chain([name], others) if one not in listing.found)
        listing.found[called] = where
        if again:
            listing.again[called] = again
    else:
        listing.passed[f"{suffix} files"[:40] if suffix else "files without suffix"] += 1


def refuse_empty(listing: Listing, where: str, folder: Path | None = None) -> None:
    """InputError where there is no image: what was looked for, what was found, and where images may be."""
    if listing.found:
        return
    found = Counter({what: number for what, number in listing.passed.items() if what != FOLDERS})
    things = [*told(found)]
    if listing.folders:
        names = ", ".join(repr(name[:60]) for name in sorted(listing.folders, key=natural)[:3])
        s = "s" if len(listing.folders) > 1 else ""
        things.append(f"{len(listing.folders):,} folder{s} ({names}{' ...' if len(listing.folders) > 3 else ''})")
    deeper = FOLDERS in listing.passed and (folder is None or bool(list_folder(folder, True).found))
    hint = " There are images in folders inside: recursive=True (--recursive) reads them." if deeper else ""
    raise InputError(
        f"There are no images in {where}: looked for {', '.join(COMMON)} and {len(suffixes() - set(COMMON))} more "
        f"suffixes, upper or lower case; found {', '.join(things) or 'nothing at all'}.{hint}"
    )


def refuse_missing(path: Path, accepted: str) -> None:
    """InputError where nothing is at `path`, with the nearest name there is."""
    if path.exists():
        return
    if path.is_symlink():
        raise InputError(f"{path} is a link that leads nowhere; name the file or folder itself.")
    parent = path.absolute().parent
    if not parent.is_dir():
        raise InputError(f"There is no file or folder {path}: the folder {path.parent} does not exist.")
    there = {entry.name.lower(): entry.name for entry in os.scandir(parent) if not is_hidden(entry.name)}
    near = difflib.get_close_matches(path.name.lower(), list(there), n=1)
    hint = f" Did you mean {path.with_name(there[near[0]])}?" if near else f" {accepted}"
    raise InputError(f"There is no file or folder {path} (looked in {parent}).{hint}")

"""Arrays of pixels in files: .npy, mapped and read row by row, and .npz. Nothing is ever unpickled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from truegrade.archive import member_header, open_npz, read_header, read_member, refuse_objects
from truegrade.errors import InputError, Notice, notice
from truegrade.images import frames
from truegrade.images.shapes import check_images

PIXELS = "arr_0"  # where numpy.savez puts an array without a name; labels follow as arr_1
Stored = tuple[frames.Frames, NDArray[Any] | None, tuple[Notice, ...]]


def stored_frames(path: Path, name: str, key: str | None, labels: str | None, labelled: bool) -> Stored:
    """The images of a .npy or .npz file, their labels if asked for, and what is to be noted.

    labelled: whether there is one label per image, of the file (`labels`) or of the caller.
    """
    if path.suffix.lower() == ".npz":
        return _archive(path, name, key, labels, labelled)
    if labels is not None:
        raise InputError(f"labels={labels!r} names an array of a .npz file, and {path} is none. Give one per image.")
    with open(path, "rb") as file:
        header = read_header(file, str(path))
    refuse_objects(header.dtype, str(path))
    have = path.stat().st_size - header.begin
    if have != header.nbytes:
        what = f"its header promises {header.nbytes:,} bytes of numbers, there are {have:,}"
        raise InputError(f"{path} is damaged: {what}. Write or copy it again.")
    check_images(header.shape, header.dtype, False, str(path), labelled)
    return frames.MappedFrames(path.absolute(), header, False), None, ()


def _archive(path: Path, name: str, key: str | None, labels: str | None, labelled: bool) -> Stored:
    with open_npz(path, str(path)) as (archive, members):
        chosen = key or (PIXELS if PIXELS in members or len(members) != 1 else next(iter(members)))
        for wish in (chosen, *([labels] if labels is not None else [])):
            if wish not in members:
                there = ", ".join(repr(name[:40]) for name in list(members)[:10]) or "none"
                raise InputError(f"{path} has no array {wish!r}; it has {there}. Choose with key=... (--key).")
        header = member_header(archive, members[chosen], f"array {chosen!r} of {path}")
        refuse_objects(header.dtype, f"array {chosen!r} of {path}")
        check_images(header.shape, header.dtype, False, f"array {chosen!r} of {path}", labelled)
        values = read_member(archive, members[chosen], f"array {chosen!r} of {path}")
        found = None if labels is None else read_member(archive, members[labels], f"array {labels!r} of {path}")
    if found is not None and found.shape != (len(values),):
        what = f"{path} has {len(values):,} images but {labels!r} has the shape {found.shape}"
        raise InputError(f"{what}; one per image is needed.")
    rest = sorted(set(members) - {chosen, labels})
    others = ", ".join(repr(other[:40]) for other in rest[:5])
    notes = (notice("arrays_unused", side=name, names=others, used=chosen),) if rest else ()
    return frames.ArrayFrames(values, False), found, notes

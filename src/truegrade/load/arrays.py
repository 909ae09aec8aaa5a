"""Arrays: .npy files, .npz archives and memory maps. Nothing is ever unpickled."""

from __future__ import annotations

import math
import mmap
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.archive import member_header, open_npz, read_header, read_member, refuse_objects
from truegrade.errors import InputError
from truegrade.load.choice import Choice, LackingName, listing
from truegrade.load.provenance import EMBEDDED, with_record_beside, with_record_inside
from truegrade.rows import MappedRows, as_floats, check_dtype, conversion, flat_shape
from truegrade.samples import ArrayRows, Rows, Samples

IN_MEMORY = 256 * 2**20  # bytes; larger files stay on disk and are read block by block


def load_npy(path: Path, choice: Choice) -> Samples:
    """Samples of a .npy file of shape (n, d), in either memory order and any byte order.

    Files of more than 256 MiB stay on disk. Raises InputError for pickled objects, for a file that is shorter
    or longer than its header says, and for what `Samples` refuses.
    """
    choice.refuse_key()
    choice.refuse_names()
    with open(path, "rb") as file:
        header = read_header(file, choice.who)
    refuse_objects(header.dtype, choice.who)
    have, need = path.stat().st_size - header.begin, header.nbytes
    if have < need:
        raise InputError(
            f"{choice.who} is cut short: its header promises {need:,} bytes of numbers, the file holds "
            f"{have:,}. Write or copy it again."
        )
    if have > need:
        raise InputError(
            f"{choice.who} has {have - need:,} bytes after its array; are there several arrays in one file? "
            "Save them one by one, or together with numpy.savez."
        )
    check_dtype(header.dtype, choice.who)
    n, d = flat_shape(header.shape, choice.who, choice.pixels)
    if header.column_order and len(header.shape) > 2:  # pixels are not in the order of rows
        return _from_images(np.load(path, mmap_mode="r", allow_pickle=False), choice)
    columnwise = header.column_order and n > 1 and d > 1
    samples = from_mapped(MappedRows(path.absolute(), header.begin, header.dtype, (n, d), columnwise), choice)
    return with_record_beside(samples, path, choice)


def _from_images(images: NDArray[Any], choice: Choice) -> Samples:
    """Samples of images (n, height, width, ...) in any memory order, as rows in memory."""
    return Samples.from_array(
        np.ascontiguousarray(images),
        name=choice.name,
        source=choice.source,
        labels=choice.labels,
        ids=choice.ids,
        pixels=choice.pixels,
    )


def from_mapped(mapped: MappedRows, choice: Choice) -> Samples:
    """Samples of rows on disk, read into memory when they are small."""
    small = math.prod(mapped.shape) * mapped.file_dtype.itemsize <= IN_MEMORY
    rows: Rows = ArrayRows(mapped.read(0, mapped.shape[0])) if small else mapped
    return Samples.from_rows(
        rows,
        name=choice.name,
        source=choice.source,
        labels=choice.labels,
        ids=choice.ids,
        notices=conversion(mapped.file_dtype, mapped.dtype, choice.name),
    )


def mapped_rows(values: NDArray[Any]) -> MappedRows | None:
    """The file behind a numpy memory map or a run of its rows; None for others and for copy-on-write maps."""
    root: Any = values
    while isinstance(root, np.memmap) and isinstance(root.base, np.memmap):
        root = root.base
    plain = isinstance(root, np.memmap) and isinstance(root.base, mmap.mmap) and root.mode != "c"
    if not plain or values.dtype.kind not in "fiub" or values.ndim != 2 or not values.flags.c_contiguous:
        return None
    if root.filename is None or not Path(root.filename).is_file():
        return None
    ahead = values.__array_interface__["data"][0] - root.__array_interface__["data"][0]
    return MappedRows(Path(root.filename), root.offset + ahead, values.dtype, values.shape)


def load_npz(path: Path, choice: Choice) -> Samples:
    """Samples of one array of a .npz archive; `labels` and `ids` may name other arrays of it.

    The only array left is taken without asking, and `features` of what `truegrade embed` wrote; otherwise `key` must
    say which. Raises InputError for a missing or ambiguous key (with what there is), pickled objects, damaged archives,
    and members of more than 1 GiB that are compressed more than 200 times, which no data is.
    """
    choice.refuse_columns()
    with open_npz(path, choice.who) as (archive, members):
        parts = {wish for wish in (choice.labels, choice.ids) if isinstance(wish, str)}
        key = _pick_key(archive, members, choice, parts)
        values = read_member(archive, members[key], f"array {key!r} of {choice.who}")
        per_row = {
            wish: read_member(archive, members[_known(wish, members, choice)], f"{wish!r} of {choice.who}")
            for wish in parts
        }
    check_dtype(values.dtype, choice.who)
    floats = as_floats(values.reshape(flat_shape(values.shape, choice.who, choice.pixels)), choice.who)
    samples = Samples.from_rows(
        ArrayRows(floats),
        name=choice.name,
        source=choice.source,
        labels=per_row[choice.labels] if isinstance(choice.labels, str) else choice.labels,
        ids=per_row[choice.ids] if isinstance(choice.ids, str) else choice.ids,
        notices=conversion(values.dtype, floats.dtype, choice.name),
    )
    return with_record_inside(samples, path, choice) if key == "features" else samples


def _known(key: str, members: dict[str, zipfile.ZipInfo], choice: Choice) -> str:
    if key not in members:
        text = f"{choice.who} has no array {key!r}; it has {listing(list(members)) or 'none'}."
        raise LackingName(text, [key])
    return key


def _pick_key(archive: zipfile.ZipFile, members: dict[str, zipfile.ZipInfo], choice: Choice, taken: set[str]) -> str:
    if choice.key is not None:
        return _known(choice.key, members, choice)
    if "features" in members and members.keys() <= EMBEDDED:
        return "features"
    left = [key for key in members if key not in taken]
    if len(left) == 1:
        return left[0]
    if not left:
        raise InputError(f"{choice.who} holds no array to grade; one of shape (n, d) is needed.")
    shapes = []
    for key in left[:10]:
        header = member_header(archive, members[key], f"array {key!r} of {choice.who}")
        shapes.append(f"{key!r} ({' x '.join(map(str, header.shape)) or 'one value'} {header.dtype})")
    more = f" and {len(left) - 10} more" if len(left) > 10 else ""
    raise InputError(
        f"{choice.who} holds {len(left)} arrays: {', '.join(shapes)}{more}. Choose one with key={left[0]!r} (--key)."
    )

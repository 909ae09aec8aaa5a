"""Where images come from: files, members of a zip, arrays of pixels."""

from __future__ import annotations

import hashlib
import zipfile
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from truegrade.archive import DAMAGED, refuse_larger
from truegrade.errors import InputError
from truegrade.images.collection import Decoded
from truegrade.images.decode import decode
from truegrade.images.listing import printable
from truegrade.images.ranges import Range

LARGEST = 2**28  # bytes of a picture in an archive: a few on every thread are in memory at once


@dataclass(frozen=True, eq=False)
class FileSource:
    """Picture files. names: their ids. value_range: black and white of files that hold 32-bit values."""

    paths: tuple[str, ...]
    names: tuple[str, ...]
    value_range: Range | None = None

    def __len__(self) -> int:
        return len(self.paths)

    def read(self, index: int) -> Decoded:
        return decode(self._raw(index), printable(self.paths[index]), index, self.value_range)

    def content(self, index: int) -> bytes:
        return hashlib.sha256(self._raw(index) + repr(self.value_range or "").encode()).digest()

    def ids(self) -> tuple[str, ...]:
        return self.names

    def _raw(self, index: int) -> bytes:
        try:
            return Path(self.paths[index]).read_bytes()
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise InputError(f"{printable(self.paths[index])} cannot be read: {why}.") from error


@dataclass(frozen=True, eq=False)
class ZipSource:
    """Picture files in a zip, unpacked one at a time into memory, never to disk.

    members: the name of each, and which member of that name it is, from 0.
    """

    path: Path
    members: tuple[tuple[str, int], ...]
    names: tuple[str, ...]
    value_range: Range | None = None

    def __len__(self) -> int:
        return len(self.members)

    def read(self, index: int) -> Decoded:
        return decode(self._raw(index), self._who(index), index, self.value_range)

    def content(self, index: int) -> bytes:
        return hashlib.sha256(self._raw(index) + repr(self.value_range or "").encode()).digest()

    def ids(self) -> tuple[str, ...]:
        return self.names

    @cached_property
    def _archive(self) -> zipfile.ZipFile:
        return zipfile.ZipFile(self.path)

    @cached_property
    def _infos(self) -> dict[tuple[str, int], zipfile.ZipInfo]:
        counts: Counter[str] = Counter()
        found = {}
        for info in self._archive.infolist():
            found[info.filename, counts[info.filename]] = info
            counts[info.filename] += 1
        return found

    def _who(self, index: int) -> str:
        return f"{printable(self.names[index])} in {self.path}"

    def _raw(self, index: int) -> bytes:
        who = self._who(index)
        try:
            info = self._infos[self.members[index]]
            refuse_larger(info, LARGEST, who, "If it is a genuine picture, unpack the archive and give the folder.")
            return self._archive.read(info)
        except KeyError as error:
            raise InputError(f"{who} is not there any more; the archive was changed after it was opened.") from error
        except (*DAMAGED, OSError) as error:
            locked = " Unpack it with its password and give the folder." if "encrypted" in str(error) else ""
            raise InputError(f"{who} cannot be read: {str(error).rstrip('.')}.{locked}") from error

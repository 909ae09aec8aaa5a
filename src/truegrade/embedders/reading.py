"""Reader: the sets of one evaluation in one space; vectors stay what they are, images are embedded, tables encoded."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from truegrade.archive import DAMAGED, member_header, read_header
from truegrade.embedders.base import Embedder, Progress
from truegrade.embedders.cache import described
from truegrade.embedders.registry import get_embedder
from truegrade.embedders.run import embed, fit
from truegrade.errors import InputError
from truegrade.images import Images, load_images
from truegrade.load import as_vectors
from truegrade.samples import Samples
from truegrade.space import differing

DEFAULT = "lite0"


class Tables(Protocol):
    """What reads tables (`truegrade.tabular` does)."""

    def read(self, given: object, name: str | None) -> Samples | Images:
        """Samples of what is given, of a table its encoded rows; images as they are."""
        ...


@dataclass
class Reader:
    """Turns whatever is given into samples; the set that is read first, the real one, fixes the feature space.

    choice: the embedder that was asked for; None embeds images by `default` and leaves everything else as it is.
    cache: a folder in which vectors are kept. fitted, vectors: what the sets so far have fixed: the embedder of their
    images, the name of one that holds vectors of unknown origin; known: the first set of vectors that say how they were
    made. default: what embeds images where nothing was asked
    for; why: what to say where that cannot be made. tables: what reads tables; without it they are refused unless they
    are all numbers, which are vectors.
    """

    choice: str | Embedder | None = None
    cache: Path | None = None
    threads: int | None = None
    progress: Progress | None = None
    fitted: Embedder | None = None
    vectors: str | None = None
    known: Samples | None = None
    default: str = DEFAULT
    why: str = ""
    tables: Tables | None = None

    def read(self, given: object, name: str | None = None) -> Samples:
        """Samples of what is given; `name` replaces the name that it has.

        Raises InputError for vectors where an embedder was asked for, for images beside vectors of unknown origin, and
        what loading and embedding raise.
        """
        found = self.unembedded(given, name)
        return self.embedded(found) if isinstance(found, Images) else self._as_they_are(found)

    def unembedded(self, given: object, name: str | None = None) -> Samples | Images:
        """What is given, images as images: the first half of `read`."""
        if self.choice is not None and holds_pixels(given):
            return load_images(given, name=name)
        if self.tables is not None:
            return self.tables.read(given, name)
        return as_vectors(given, name)

    def embedded(self, images: Images) -> Samples:
        """Images in the feature space that the first ones fix."""
        if self.vectors is not None and self.choice is None:
            raise InputError(
                f"{images.name} holds images, and {self.vectors} holds vectors that do not say how they were made. "
                "Give images on both sides, or embed these in the same way first (tg.embed, truegrade embed)."
            )
        if self.fitted is None:
            self.fitted = self._fit(images)
        return embed(images, self.fitted, cache=self.cache, progress=self.progress, threads=self.threads)

    def _fit(self, images: Images) -> Embedder:
        """The embedder as the first images fix it; InputError, before any work, where vectors have fixed another."""
        chosen = get_embedder(self._chosen())
        if self.known is not None and chosen.needs_real:
            raise InputError(
                f"{chosen.name} has to be fitted on the real images, and {self.known.name} holds their vectors only. "
                "Give the images, or embed these with the same fit first (truegrade embed --fit)."
            )
        found = fit(chosen, images, cache=self.cache, progress=self.progress, threads=self.threads)
        if self.known is not None:
            self._refuse_other(self.known, found)
        return found

    def _refuse_other(self, samples: Samples, embedder: Embedder) -> None:
        assert samples.space is not None
        ours, theirs = described(embedder), samples.space.embedder
        if not embedder.fitted:  # what fitting will find is not known
            ours = _filled(ours, theirs)
        differ = differing(ours, theirs)
        if not differ:
            return
        asked = "is asked for" if self.choice is not None else "would embed the images"
        raise InputError(
            f"{samples.name} holds vectors of {samples.space.name}, and {embedder.name} {asked}; they differ in "
            f"{', '.join(differ)}. Name what made the vectors with embed= (--embed), or give images on both sides."
        )

    def _chosen(self) -> str | Embedder:
        if self.choice is not None or not self.why:
            return self.choice or self.default
        try:
            return get_embedder(self.default)
        except InputError as error:
            raise InputError(f"{error} {self.why}") from error

    def _as_they_are(self, samples: Samples) -> Samples:
        if samples.space is None:
            if self.choice is not None:
                raise InputError(
                    f"embed={self.choice!r} given, and {samples.name} holds vectors of {samples.d} features, not "
                    "images, which --embed is for. Leave it out; or if each row is an image, say so: "
                    "pixels=(height, width) (--pixels)."
                )
            self.vectors = self.vectors or samples.name
            return samples
        asked = self.fitted or (None if self.choice is None else get_embedder(self.choice))
        if asked is not None:
            self._refuse_other(samples, asked)
        self.known = self.known or samples
        return samples


def _filled(record: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """A record with what it does not say taken from another."""
    out = {**known}
    for key, value in record.items():
        there = known.get(key)
        if isinstance(value, Mapping) and isinstance(there, Mapping):
            out[key] = _filled(value, there)
        elif value is not None:
            out[key] = value
    return out


def holds_pixels(given: object) -> bool:
    """Whether an embedder can read it as images: arrays with more than two dimensions, also in files; lists of arrays
    or Pillow images, generators; and samples whose rows are said to be images."""
    if isinstance(given, (str, os.PathLike)):
        return _dimensions(Path(given)) > 2
    if isinstance(given, Samples):
        return given.pixels is not None and given.space is None
    if isinstance(given, (list, tuple)):
        return bool(given) and (hasattr(given[0], "getbands") or len(getattr(given[0], "shape", ())) > 1)
    shape: Any = getattr(given, "shape", ())
    return len(shape) > 2 or isinstance(given, Iterator)


def _dimensions(path: Path) -> int:
    """Of the array in a file, or of the one with the most; 0 where there is none that can be read."""
    if not path.is_file():
        return 0
    try:
        if path.suffix.lower() == ".npy":
            with open(path, "rb") as file:
                return len(read_header(file, path.name).shape)
        if path.suffix.lower() == ".npz":
            with zipfile.ZipFile(path) as archive:
                members = [member for member in archive.infolist() if member.filename.endswith(".npy")]
                return max((len(member_header(archive, m, m.filename).shape) for m in members), default=0)
    except (OSError, InputError, *DAMAGED):  # loading says what is wrong
        pass
    return 0

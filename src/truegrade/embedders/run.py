"""Runs an embedder over a set of images: decode and prepare on threads, batches, vectors, `Samples`."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.embedders.base import Batch, Embedder, Progress
from truegrade.embedders.cache import Embedded, described, open_cache
from truegrade.embedders.registry import get_embedder
from truegrade.errors import InputError
from truegrade.images import Images, Skipped, in_order, load_images
from truegrade.images.collection import Decoded
from truegrade.images.manifest import Manifest
from truegrade.images.pictures import PicturesOf
from truegrade.samples import SUMS_OFF, Samples
from truegrade.space import Space

Choice = str | Embedder | type[Embedder]
Cache = str | os.PathLike[str] | None


def fit(
    embedder: Choice,
    real: Images,
    *,
    cache: Cache = None,
    progress: Progress | None = None,
    threads: int | None = None,
) -> Embedder:
    """The embedder as it is for this real set: what it has to find out there is found, or read from the cache.

    One that has nothing to fit, or is fitted already, comes back as it is. Call it once with the real images, then
    `embed` every set with what it returns.
    """
    chosen = get_embedder(embedder)
    if chosen.fitted:
        return chosen
    kept = open_cache(cache)
    found = None if kept is None else kept.fitted(chosen, real)
    if found is None:
        found = chosen.fit(real, progress=progress, threads=_whole("threads", threads))
        if kept is not None:
            kept.put_fitted(chosen, real, found)
    return found


def embed(
    images: object,
    embedder: Choice = "lite0",
    *,
    cache: Cache = None,
    progress: Progress | None = None,
    threads: int | None = None,
    batch: int = 32,
) -> Samples:
    """The images as vectors, with class probabilities where the network has classes.

    The result knows its `space` (embedder, what was read), its `ids` and `labels`, and its `pictures`. Images that
    are skipped (`images.on_error`) are left out of all of them. Memory holds the vectors and a few batches of images.

    Args:
        images: what to embed: Images, or what `truegrade.load_images` makes Images of (folder, zip, array, list).
        embedder: a name with options perhaps ("pixels:size=32"), or an Embedder. What has to be fitted on real images
            has to be fitted before (`fit`); what may look at any set looks at this one.
        cache: a folder that keeps the vectors by content for the next time.
        progress: called with images done, images in all, and words.
        threads: for decoding (by default as many as there are processors, 8 at most), and of an embedder that has an
            option `threads` and was not told.
        batch: images the network sees at once. Neither this nor threads nor cache changes the vectors by more than
            rounding (relative 1e-6).

    Raises InputError for images that cannot be read or embedded (named), no images, vectors that are not finite, and
    what `get_embedder` raises.
    """
    samples, _ = embed_with_manifest(
        images, embedder, cache=cache, progress=progress, threads=threads, batch=batch
    )
    return samples


def embed_with_manifest(
    images: object,
    embedder: Choice = "lite0",
    *,
    cache: Cache = None,
    progress: Progress | None = None,
    threads: int | None = None,
    batch: int = 32,
) -> tuple[Samples, Manifest]:
    """What `embed` returns, and what was read of every image."""
    chosen = get_embedder(embedder)
    threads, batch = _whole("threads", threads), _whole("batch", batch) or 32
    images = load_images(images)
    if not len(images):
        raise InputError(f"{images.who} holds no images to embed.")
    if not chosen.fitted:
        if chosen.needs_real:
            raise InputError(
                f"The embedder {chosen.name} has to be fitted on the real images first: "
                "truegrade.embedders.fit(embedder, real), or --fit REAL; for the real set itself, on itself."
            )
        chosen = fit(chosen, images, cache=cache, progress=progress, threads=threads)
    kept = open_cache(cache)
    made = None if kept is None else kept.get(chosen, images)
    if made is None:
        dimension = described(chosen)["dimension"]
        made = _Run(_on_threads(chosen, threads), images, threads, batch, progress, dimension).embedded()
        if kept is not None:
            kept.put(chosen, images, made)
    return _samples(chosen, images, made), made.manifest


@dataclass(frozen=True, eq=False)
class _Run:
    """One embedder on one set. dimension: the number of features it says it has, None if it does not say."""

    embedder: Embedder
    images: Images
    threads: int | None
    batch: int
    progress: Progress | None
    dimension: int | None

    def embedded(self) -> Embedded:
        manifest, done, total = Manifest(self.images), 0, len(self.images)
        features, probabilities = _Stack(total), _Stack(total)
        stream = in_order(self._prepare, self.images.stream(threads=self.threads), self.threads)
        while items := list(islice(stream, self.batch)):
            for item, _ in items:
                manifest.add(item)
            good = [(item.index, values) for item, values in items if values is not None]
            if good:
                made = self._run([index for index, _ in good], [values for _, values in good])
                features.add(made.features)
                if made.probabilities is not None:
                    probabilities.add(made.probabilities)
            done += len(items)
            if self.progress is not None:
                self.progress(done, total, f"{self.embedder.name} of {self.images.name}")
        if not manifest.used:
            raise InputError(f"None of the {total:,} images of {self.images.who} can be read.")
        return Embedded(features.whole, probabilities.whole_or_none, manifest)

    def _prepare(self, item: Decoded | Skipped) -> tuple[Any, NDArray[np.float32] | None]:
        """On a decoding thread: what the manifest needs, without the pixels, and the network's input."""
        if not isinstance(item, Decoded):
            return item, None
        try:
            values = np.asarray(self.embedder.prepare(item), np.float32)
        except InputError as error:
            raise InputError(f"Image {self._name(item.index)}: {error}") from error
        return replace(item, pixels=np.empty((0, 0, 3), np.uint8)), values  # a view would keep all pixels

    def _run(self, indices: list[int], inputs: list[NDArray[np.float32]]) -> Batch:
        for index, values in zip(indices, inputs, strict=True):
            if values.shape != inputs[0].shape:
                raise InputError(
                    f"The embedder {self.embedder.name} does not resize: image {self._name(indices[0])} became an "
                    f"input of shape {inputs[0].shape}, {self._name(index)} one of {values.shape}. Give it a size."
                )
        made = self.embedder.run(np.stack(inputs))
        for what, given in (("features", made.features), ("probabilities", made.probabilities)):
            if given is not None:
                self._check(what, np.asarray(given), indices)
        if made.probabilities is not None:
            self._check_sums(np.asarray(made.probabilities, np.float64), indices)
        width = np.shape(made.features)[1]
        if self.dimension is not None and width != self.dimension:
            raise InputError(
                f"The embedder {self.embedder.name} says it has {self.dimension} features and returned {width} for an "
                "image; its dimension has to be what it returns (None where it is not known before)."
            )
        return made

    def _check(self, what: str, values: NDArray[Any], indices: list[int]) -> None:
        if values.ndim != 2 or len(values) != len(indices):
            raise InputError(
                f"The embedder {self.embedder.name} returned {what} of shape {values.shape} for {len(indices)} images; "
                f"({len(indices)}, number of {what}) is accepted."
            )
        bad = np.flatnonzero(~np.isfinite(values).all(axis=1))
        if bad.size:
            wrong = values[bad[0]][~np.isfinite(values[bad[0]])][0]
            raise InputError(
                f"The embedder {self.embedder.name} gave {wrong} among the {what} of image "
                f"{self._name(indices[bad[0]])}; only finite numbers can be graded. Check its weights and "
                "preprocessing, or leave that image out."
            )

    def _check_sums(self, values: NDArray[np.float64], indices: list[int]) -> None:
        """InputError for rows that are no probabilities by the rule of the class scores."""
        sums, lowest = values.sum(1), values.min(1, initial=0.0)
        bad = np.flatnonzero((lowest < 0) | (np.abs(sums - 1.0) > SUMS_OFF))
        if bad.size:
            row = bad[0]
            what = f"hold {lowest[row]:.3g}" if lowest[row] < 0 else f"sum to {sums[row]:.4g}"
            raise InputError(
                f"The probabilities that the embedder {self.embedder.name} gave for image {self._name(indices[row])} "
                f"{what}; numbers of at least 0 whose sum is 1 within {SUMS_OFF:g} are accepted. Take the softmax of "
                "logits, or return the features alone."
            )

    def _name(self, index: int) -> str:
        return f"{self.images.ids[index]!r} of {self.images.name}"


class _Stack:
    """Rows that come batch by batch, in one array that is made once: n rows at most."""

    def __init__(self, n: int) -> None:
        self._n, self._used = n, 0
        self._rows: NDArray[np.float32] | None = None

    def add(self, block: NDArray[np.float32]) -> None:
        if self._rows is None:
            refuse_beyond_memory(self._n, block.shape[1])
            self._rows = np.empty((self._n, block.shape[1]), np.float32)
        if block.shape[1] != self._rows.shape[1]:
            raise InputError(
                f"The embedder returned {block.shape[1]} numbers for an image, and {self._rows.shape[1]} before."
            )
        self._rows[self._used : self._used + len(block)] = block
        self._used += len(block)

    @property
    def whole(self) -> NDArray[np.float32]:
        assert self._rows is not None
        return self._rows[: self._used]

    @property
    def whole_or_none(self) -> NDArray[np.float32] | None:
        return None if self._rows is None else self.whole


def _samples(embedder: Embedder, images: Images, made: Embedded) -> Samples:
    """The vectors with everything that is known of the images."""
    rows = made.manifest.rows
    ids = np.array(images.ids)[rows]
    labels = None if images.labels is None else np.asarray(images.labels)[rows]
    samples = Samples.from_array(made.features, name=images.name, source=images.source, ids=ids, labels=labels)
    read, official = made.manifest.summary(), dict(embedder.official)
    return replace(
        samples,
        pixels=embedder.pixels,
        probabilities=made.probabilities,
        space=Space(embedder.name, described(embedder), read, official, embedder.versions()),
        pictures=PicturesOf(images, rows),
        notices=(*images.notices, *made.manifest.notices()),
    )


def _on_threads(embedder: Embedder, threads: int | None) -> Embedder:
    """The embedder with that number of threads, if that is an option of it that was left open."""
    options: list[str] = [f.name for f in fields(embedder)] if is_dataclass(embedder) else []
    if threads is None or "threads" not in options or getattr(embedder, "threads") is not None:  # noqa: B009
        return embedder
    made: Embedder = replace(embedder, threads=threads)  # type: ignore[type-var]
    return made


def _whole(what: str, value: int | None) -> int | None:
    if value is None:
        return None
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 1:
        raise InputError(f"{what}={value!r} given; a whole number of at least 1 is accepted.")
    return int(value)


def refuse_beyond_memory(n: int, d: int) -> None:
    """InputError for n vectors of d numbers that this machine cannot hold; the system would end the process."""
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return
    if 4 * n * d > memory > 0:
        raise InputError(
            f"{n:,} images of {d:,} features would take {4 * n * d / 2**30:,.0f} GiB, and this machine has "
            f"{memory / 2**30:,.0f}. Embed at a smaller size, or fewer images."
        )

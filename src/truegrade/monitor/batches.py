"""Reading batches: vectors as they are, images by the embedder that read the real ones; each checked when it comes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from truegrade.embedders.reading import Reader
from truegrade.errors import InputError
from truegrade.images import Images, load_images
from truegrade.images.shapes import is_pillow
from truegrade.monitor.collected import Arrays
from truegrade.samples import Samples, align

Range = tuple[float, float]


@dataclass
class Intake:
    """Turns batches into samples in the space of the real ones.

    reader: what read the real set. value_range: black and white of arrays of floats; the first such batch fixes it
    where it is evident there, for every batch has to be read in the same way.
    """

    reader: Reader
    real: Samples
    value_range: Range | None = None

    def __post_init__(self) -> None:
        self.reader = replace(self.reader, cache=None, progress=None)  # a batch never comes again

    @property
    def embeds(self) -> bool:
        """Whether batches of images are turned into vectors here."""
        return self.reader.choice is not None or self.reader.fitted is not None

    def read(self, batch: object, number: int) -> Samples:
        """The batch with this number as samples; InputError that names it for what does not fit the real set."""
        name = f"Batch {number}"
        if self.embeds and is_pictures(batch):
            images = as_images(batch, name, self.value_range)
            samples = self.reader.read(images, name)
            if self.value_range is None and not holds_bytes(batch):
                self.value_range = getattr(images.files, "value_range", None)
        else:
            samples = self.reader.read(batch, name)
        samples = align(self.real, samples)
        self._check(samples)
        return samples

    def _check(self, samples: Samples) -> None:
        real = self.real
        if samples.d != real.d:
            raise InputError(
                f"{samples.name} has {samples.d} features, the real samples ({real.name}) have {real.d}; every batch "
                "must come from the feature space of the real samples."
            )
        ours, theirs = real.space, samples.space
        if ours is not None and theirs is not None and ours.embedder != theirs.embedder:
            raise InputError(
                f"{samples.name} was embedded by {theirs.name} in another way than the real samples by {ours.name}; "
                "embed both in the same way."
            )


def values_of(samples: Samples) -> Arrays:
    """What is kept of a batch, row by row."""
    given = samples.probabilities
    return {"rows": samples.array()} | ({} if given is None else {"probabilities": given})


def is_pictures(given: object) -> bool:
    """Whether it is images rather than vectors: arrays of more than two dimensions, and lists of images."""
    if isinstance(given, Images):
        return True
    if isinstance(given, (list, tuple)) and given:
        return all(is_pillow(one) or len(getattr(one, "shape", ())) >= 2 for one in given)
    return len(getattr(given, "shape", ())) > 2


def holds_bytes(given: object) -> bool:
    """Whether black is 0 and white 255 by its type, so that no range need be said."""
    if isinstance(given, (list, tuple)):
        return all(is_pillow(one) or holds_bytes(one) for one in given)
    dtype: Any = getattr(given, "dtype", None)
    return str(dtype).removeprefix("torch.") in ("uint8", "bool")


def as_images(given: object, name: str | None, value_range: Range | None) -> Images:
    """Images in memory, with the range where it is needed."""
    if isinstance(given, Images):
        return given
    return load_images(given, name=name, value_range=None if holds_bytes(given) else value_range)

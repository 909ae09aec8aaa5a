"""From what the user gives to materials: real samples in each feature space, and how they are changed before it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from truegrade.audit.changes import ecg_changes, image_changes
from truegrade.audit.material import Material
from truegrade.ecg.options import EcgOptions
from truegrade.embedders import Embedder
from truegrade.embedders.reading import Reader
from truegrade.errors import InputError
from truegrade.images import Images
from truegrade.images.collection import OnError
from truegrade.load import Kind
from truegrade.opening import kind_of, make_reader, make_recordings, make_tables
from truegrade.protocols import Selection
from truegrade.recordings import Recordings
from truegrade.samples import Samples

Space = str | Embedder
_NO_CHOICE = Selection({}, frozenset())
_LEAST = 40  # samples: fewer leave nothing of a third to damage
STAND_IN = "five Gaussians in 16 dimensions"


def open_materials(
    real: object,
    *,
    embed: Space | Iterable[Space] | None,
    kind: Kind,
    types: Mapping[str, str] | None,
    ecg: EcgOptions | Mapping[str, Any] | None,
    on_error: OnError,
    seed: int,
    threads: int | None,
) -> tuple[Material, ...]:
    """The real samples in every feature space that was asked for; without real samples the stand-in.

    Raises InputError as loading and embedding do, for too few samples, and for a space that is named twice.
    """
    if real is None:
        return (Material(stand_in(), law=True),)
    one = embed is None or isinstance(embed, (str, Embedder))
    spaces: list[Any] = [embed] if one else list(embed)  # type: ignore[arg-type]
    how: dict[str, Any] = {"kind": kind, "types": types, "ecg": ecg, "on_error": on_error, "seed": seed}
    made = [_material(real, space, threads=threads, **how) for space in spaces or [None]]
    names = [material.space for material in made]
    if len(set(names)) < len(names):
        raise InputError(f"The feature spaces given are {', '.join(names)}; every one can be given once.")
    return tuple(made)


def _material(
    real: object,
    space: Space | None,
    *,
    kind: Kind,
    types: Mapping[str, str] | None,
    ecg: EcgOptions | Mapping[str, Any] | None,
    on_error: OnError,
    seed: int,
    threads: int | None,
) -> Material:
    if kind_of(real, kind, ecg) == "ecg":
        return _of_recordings(real, space, ecg, types, on_error, seed)
    tables = make_tables(_NO_CHOICE, space, kind, types, on_error, seed)
    reader = make_reader(_NO_CHOICE, space, threads, None, None, tables)
    found = reader.unembedded(real, None if _named(real) else "real")
    if isinstance(found, Images):
        return _of_images(found, reader, space, seed)
    samples = _enough(reader.read(found))
    offers = {"vectors"} | ({"plane"} if samples.d == 2 and samples.table is None else set())
    return Material(samples, frozenset(offers))


def _of_images(images: Images, reader: Reader, asked: Space | None, seed: int) -> Material:
    samples = _enough(reader.read(images))
    assert samples.space is not None
    changes = image_changes(images, reader.embedded, seed)
    name = asked if isinstance(asked, str) else samples.space.name  # with the options that tell two spaces apart
    return Material(samples, frozenset({"vectors", "images"}), name, changes)


def _of_recordings(
    real: object,
    space: Space | None,
    ecg: EcgOptions | Mapping[str, Any] | None,
    types: Mapping[str, str] | None,
    on_error: OnError,
    seed: int,
) -> Material:
    from truegrade.ecg.features import sample_rows, to_samples  # scipy is loaded when recordings are read
    from truegrade.ecg.reading import EcgReader

    reader = make_recordings(_NO_CHOICE, space, ecg, types, on_error)
    samples = reader.read(real, None)
    assert isinstance(samples, Samples)
    assert isinstance(reader, EcgReader)
    fit = reader.fit
    assert fit is not None

    def features(changed: Recordings) -> Samples:
        return to_samples(changed, reader.features, fit, side="synthetic")

    rows = sample_rows(samples)  # recordings that lack a lead have no vector
    graded = samples.ecg if len(rows) == len(samples.ecg) else samples.ecg.subset(rows)
    changes = ecg_changes(graded, features, seed)
    return Material(_enough(samples), frozenset({"vectors", "ecg"}), reader.features, changes)


def _named(real: object) -> bool:
    return isinstance(real, (Samples, Images, str)) or hasattr(real, "__fspath__") or hasattr(real, "name")


def _enough(samples: Samples) -> Samples:
    if samples.n < _LEAST:
        raise InputError(
            f"{samples.name} has {samples.n} samples; an audit damages parts of them and needs {_LEAST} or more."
        )
    return samples


def stand_in() -> Samples:
    """What is damaged where the user gives no data: 1,000 samples of five round clouds, seeded."""
    rng = np.random.default_rng(2026)
    centres = 3.0 * rng.normal(size=(5, 16))
    values = centres[np.arange(1000) % 5] + rng.normal(size=(1000, 16))
    return replace(Samples.from_array(values, name=STAND_IN), source="built in")

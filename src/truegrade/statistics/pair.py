"""One pair of sets of which a side, or both, is only a mean and a covariance."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from truegrade.embedders.reading import Reader
from truegrade.errors import InputError
from truegrade.images import Images
from truegrade.protocols import Selection
from truegrade.result import Evaluation
from truegrade.samples import Samples
from truegrade.statistics.files import is_statistics_file, load_statistics
from truegrade.statistics.grading import frechet_from_statistics
from truegrade.statistics.record import Statistics


def holds_statistics(given: object) -> bool:
    """Whether it is a mean and a covariance, or a file of them."""
    return isinstance(given, Statistics) or is_statistics_file(given)


def refuse_samples_only(*sides: object, **options: object) -> None:
    """InputError for options that need samples."""
    given = next(side for side in sides if holds_statistics(side))
    name = given.name if isinstance(given, Statistics) else given
    for option, value in options.items():
        if value is not None:
            raise InputError(f"{option} given, and {name} is only a mean and a covariance. Leave it out.")


def grade_statistics(
    real: object, synthetic: object, reader: Reader, selection: Selection, seed: int
) -> Evaluation:
    """The Fréchet distance of a pair; the conventions of a protocol stand in the result."""

    def read(given: Any, name: str) -> Statistics | Samples:
        if isinstance(given, Statistics):
            return given
        if is_statistics_file(given):
            return load_statistics(given)
        named = isinstance(given, (Samples, Images, str, os.PathLike))
        return reader.read(given, None if named else name)

    sides = read(real, "real"), read(synthetic, "synthetic")
    by = selection.in_space(sides[0].space)
    found = frechet_from_statistics(*sides, metrics=tuple(by.metrics.values()), seed=seed)
    provenance = replace(found.provenance, protocol=by.record)
    return replace(found, provenance=provenance, notices=(*by.notices, *found.notices))

"""Checkpoints of generators of digits, graded in the feature space of a digit classifier."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

import truegrade as tg
from empirical_study.classifier import Pixels, fit_classifier
from empirical_study.digits import digit_pixels
from empirical_study.spaces import Say, digit_embedder
from empirical_study.study import grade

_TRAIN = 3000  # digits that the classifier learns from
_LARGEST = 2**31  # bytes of an array in the file


def load_ladder(path: str | os.PathLike[str]) -> dict[str, Pixels]:
    """The arrays FAMILY_STEP, uint8 (n, 28, 28), of a .npz file, in the order of families and steps.

    InputError for another file, other names or other arrays.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            sets = {name: file[name] for name in file.files}
    except (OSError, ValueError, zipfile.BadZipFile, AttributeError) as error:
        raise tg.InputError(f"{path} cannot be read as a .npz file of arrays: {error}.") from error
    for name, images in sets.items():
        family, _, step = name.rpartition("_")
        if not family or not step.isdecimal():
            raise tg.InputError(f"{path} holds {name!r:.60}; names such as vae_100, a family and a step, are accepted.")
        if images.dtype != np.uint8 or images.ndim != 3 or images.shape[1:] != (28, 28) or len(images) < 20:
            raise tg.InputError(
                f"{name} of {path} is {images.dtype} of shape {images.shape}; uint8 (n, 28, 28), n >= 20, is accepted."
            )
    if not sets:
        raise tg.InputError(f"{path} holds no arrays; sets of digits named FAMILY_STEP are accepted.")
    return dict(sorted(sets.items(), key=lambda item: (item[0].rpartition("_")[0], int(item[0].rpartition("_")[2]))))


def run_ladder(sets: Mapping[str, Pixels], *, seed: int = 0, say: Say = lambda text: None) -> dict[str, Any]:
    """All metrics of the study of every set against as many real digits, which the classifier did not learn from.

    Also the classifier's accuracy on further digits, the share it finds of each class, and the Fréchet distance by
    pixels, to see what the feature space does.
    """
    images, labels = digit_pixels()
    order = np.random.default_rng(seed).permutation(len(images))
    train, test = order[:_TRAIN], order[_TRAIN:]
    classifier = fit_classifier(images[train], labels[train], seed=seed)
    n = min(min(map(len, sets.values())), len(test) // 2)
    embedder = digit_embedder(classifier)
    chosen = {"real": images[test[:n]], **{name: given[:n] for name, given in sets.items()}}
    say(f"ladder: {len(sets)} sets of {n} digits")
    embedded = {name: tg.embed(tg.load_images(given), embedder) for name, given in chosen.items()}
    pixels = {name: given.reshape(n, -1) / 255.0 for name, given in chosen.items()}
    return {
        "n": n,
        "seed": seed,
        "accuracy": round(classifier.accuracy(images[test[n:]], labels[test[n:]]), 4),
        "scores": {name: grade(embedded["real"], embedded[name]) for name in sets},
        "classes": {name: [round(float(p), 4) for p in _shares(embedded[name])] for name in chosen},
        "pixels": {name: _frechet(pixels["real"], pixels[name]) for name in sets},
    }


def families(names: Iterable[str]) -> dict[str, list[str]]:
    """The sets of each family, in the order given."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(name.rpartition("_")[0], []).append(name)
    return found


def _shares(samples: tg.Samples) -> list[float]:
    assert samples.probabilities is not None
    return [float(share) for share in samples.probabilities.mean(0, dtype=np.float64)]


def _frechet(real: Any, synthetic: Any) -> float | None:
    evaluation = tg.evaluate(real, synthetic, metrics="frechet_distance", intervals=False, floor=False, exhibits=False)
    value = evaluation["frechet_distance"].value
    return None if value is None else float(f"{value:.7g}")

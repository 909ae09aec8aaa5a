"""Images to vectors: the four spaces of the study."""

from __future__ import annotations

from collections.abc import Callable

import truegrade as tg
from empirical_study.classifier import DigitClassifier, fit_classifier
from empirical_study.images import Material
from truegrade.embedders import FunctionEmbedder
from truegrade.embedders.pixels import Pixels

PROBABILITIES = "class probabilities"
SPACES = ("pixels", "random-conv", "lite0", PROBABILITIES)
Say = Callable[[str], None]


def embed_pool(material: Material, space: str, seed: int) -> tg.Samples:
    """The whole pool of images in this space.

    Class probabilities are those of a digit classifier trained on the spare digits; of images without classes, those
    of lite0.
    """
    images = tg.load_images(material.pool, name="pool")
    if space == "pixels":
        return tg.embed(images, "pixels" if material.pool.shape[1] <= 32 else Pixels(size=32))
    if space != PROBABILITIES:
        return tg.embed(images, space)
    if material.labels is None:
        return tg.embed(images, "lite0:output=probabilities")
    classifier = fit_classifier(material.spare, material.labels, seed=seed)
    return tg.embed(images, digit_embedder(classifier, "digit-classes"))


def digit_embedder(classifier: DigitClassifier, name: str = "digit-features") -> FunctionEmbedder:
    """Its last hidden layer, or for "digit-classes" its class probabilities, which come along in both cases."""

    def run(images):  # type: ignore[no-untyped-def]
        features, probabilities = classifier.both(images)
        return (probabilities if name == "digit-classes" else features), probabilities

    return FunctionEmbedder(name, version="1", function=run)

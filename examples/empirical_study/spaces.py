"""Images to vectors: the four spaces of the study."""

from __future__ import annotations

from collections.abc import Callable

from empirical_study.classifier import DigitClassifier
from truegrade.embedders import Embedder, FunctionEmbedder
from truegrade.embedders.pixels import Pixels

PROBABILITIES = "class probabilities"
SPACES = ("pixels", "random-conv", "lite0", PROBABILITIES)
SIDE = 32  # pixels of one's own images
Say = Callable[[str], None]


def embedders(spaces: list[str], classifier: DigitClassifier | None) -> list[str | Embedder]:
    """What makes the vectors of each space. Class probabilities are those of the classifier; without one, of lite0."""
    classes = "lite0:output=probabilities" if classifier is None else digit_embedder(classifier, PROBABILITIES)
    made: dict[str, str | Embedder] = {
        "pixels": Pixels(size=SIDE) if classifier is None else "pixels",
        PROBABILITIES: classes,
    }
    return [made.get(space, space) for space in spaces]


def digit_embedder(classifier: DigitClassifier, name: str = "digit-features") -> FunctionEmbedder:
    """Its last hidden layer, or under the name of class probabilities these; they come along in both cases."""

    def run(images):  # type: ignore[no-untyped-def]
        features, probabilities = classifier.both(images)
        return (probabilities if name == PROBABILITIES else features), probabilities

    return FunctionEmbedder(name, version="1", function=run)

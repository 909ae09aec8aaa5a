"""What the 2018 study says of its metrics, and where results of this suite are the same.

The study speaks of two kinds of space: pixels, and a network trained on ImageNet. Class scores are those of such a
network. Claims are those of its figures and of its conclusion; what it leaves open is not here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from truegrade.result.audit import PublishedAgreement, ScenarioOutcome

Kind = Literal["pixels", "network"]
SOURCE = "Xu et al. 2018"
_CLASSES = ("inception_score", "mode_score")
_DISTANCES = ("mmd", "wasserstein", "frechet_distance")
_NEIGHBOURS = ("nn_two_sample", "nn_real", "nn_synthetic")
_TRAINED = ("lite0", "torchvision-", "inception-fid")


@dataclass(frozen=True)
class Claim:
    """That a metric passes a scenario of this suite in a kind of space, or does not. section: where it is said."""

    metric: str
    scenario: str
    kind: Kind
    passes: bool
    section: str


def _claims(
    scenario: str, kind: Kind, section: str, *, yes: Iterable[str] = (), no: Iterable[str] = ()
) -> tuple[Claim, ...]:
    both = [*((metric, True) for metric in yes), *((metric, False) for metric in no)]
    return tuple(Claim(metric, scenario, kind, passes, section) for metric, passes in both)


PAPER: tuple[Claim, ...] = (
    # mixing of generated images: in pixels the Wasserstein distance does not rise (nor does the accuracy on real
    # samples, which falls: here that counts as seen, so it is left out); class scores even improve on rooms (LSUN)
    *_claims(
        "study-generated", "network", "discriminability", yes=(*_DISTANCES, *_NEIGHBOURS), no=_CLASSES
    ),
    *_claims(
        "study-generated",
        "pixels",
        "discriminability",
        yes=("mmd", "frechet_distance", "nn_two_sample", "nn_synthetic"),
        no=("wasserstein",),
    ),
    # what comes from another distribution deceives scores that read no real image; MMD always sees it
    *_claims("study-foreign", "network", "conclusion", yes=("mmd",), no=_CLASSES),
    *_claims(
        "study-collapse", "network", "discriminability", yes=(*_CLASSES, *_DISTANCES, *_NEIGHBOURS)
    ),
    *_claims(
        "study-collapse",
        "pixels",
        "discriminability",
        yes=("mmd", "frechet_distance", "nn_two_sample", "nn_synthetic"),
        no=("wasserstein",),
    ),
    *_claims("study-drop", "network", "discriminability", yes=(*_DISTANCES, *_NEIGHBOURS), no=_CLASSES),
    *_claims("study-drop", "pixels", "discriminability", yes=(*_DISTANCES, *_NEIGHBOURS)),
    # small transformations: nothing changes in a network's space, everything in pixels
    *(
        claim
        for scenario in ("study-shift", "study-turn")
        for claim in (
            *_claims(scenario, "network", "robustness", yes=(*_CLASSES, *_DISTANCES, *_NEIGHBOURS)),
            *_claims(scenario, "pixels", "robustness", no=(*_DISTANCES, *_NEIGHBOURS)),
        )
    ),
    *_claims(
        "study-copies", "network", "detecting overfitting", yes=(*_DISTANCES, *_NEIGHBOURS), no=_CLASSES
    ),
    *_claims(
        "study-samples",
        "network",
        "conclusion",
        yes=("mmd", "frechet_distance", "nn_two_sample"),
        no=("wasserstein",),
    ),
    *_claims(
        "study-time",
        "network",
        "efficiency",
        yes=("mmd", "frechet_distance", "nn_two_sample"),
        no=("wasserstein",),
    ),
)
"""By metric, scenario and kind of space."""


def kind_of_space(space: str) -> Kind | None:
    """What the study would call a feature space; None for one that it does not speak of."""
    if space == "pixels" or space.startswith("pixels:"):
        return "pixels"
    trained = space.startswith(_TRAINED) and not space.endswith("probabilities")
    return "network" if trained else None


def agreement(outcomes: Sequence[ScenarioOutcome]) -> tuple[PublishedAgreement, ...]:
    """By metric, on how many claims that could be judged these results are the same; none where there are no such."""
    cells: dict[str, list[tuple[str, bool, bool]]] = {}
    for outcome in outcomes:
        for finding in outcome.findings:
            metric = finding.metric.partition("(")[0]  # without what sets it apart from other suites' metrics
            claim = claim_of(metric, outcome.key, outcome.space)
            if claim is not None and finding.passed is not None:
                cell = f"{outcome.title} in {outcome.space}"
                cells.setdefault(finding.metric, []).append((cell, claim.passes, finding.passed))
    return tuple(_agreement(metric, found) for metric, found in cells.items())


def claim_of(metric: str, scenario: str, space: str) -> Claim | None:
    """What the study says of a metric in a scenario and space; None where it says nothing."""
    kind = kind_of_space(space)
    found = (c for c in PAPER if (c.metric, c.scenario, c.kind) == (metric, scenario, kind))
    return next(found, None)


def _agreement(metric: str, found: Sequence[tuple[str, bool, bool]]) -> PublishedAgreement:
    differ = tuple((cell, _word(theirs), _word(ours)) for cell, theirs, ours in found if theirs is not ours)
    return PublishedAgreement(metric, SOURCE, len(found) - len(differ), len(found), differ)


def _word(passes: bool) -> str:
    return "pass" if passes else "fail"

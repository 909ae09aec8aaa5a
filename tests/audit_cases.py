"""Small scenarios, metrics and materials for the tests of the audit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from truegrade.audit.material import Material
from truegrade.audit.rules import Near, Worsens, good_share
from truegrade.audit.scenario import Ask, Axis, Criterion, Draw, Scenario
from truegrade.engine.needs import Answers, Direct, Need
from truegrade.errors import InputError
from truegrade.metrics.base import Metric, MetricInfo, Outcome, undefined
from truegrade.samples import Samples

LEVELS = (0.0, 0.25, 0.5, 1.0)


def share_of_zeros(real: Samples, synthetic: Samples) -> float:
    """How many synthetic samples are not exactly 1000 in the first feature."""
    return float((synthetic.array()[:, 0] != 1000.0).mean())


@dataclass(frozen=True)
class GoodShare(Metric):
    """Reads the share of good samples exactly; `power` bends it."""

    power: float = 1.0

    info: ClassVar[MetricInfo] = MetricInfo(
        key="good_share",
        title="Good share",
        family="fidelity",
        direction="higher",
        range=(0.0, 1.0),
        identical=1.0,
        target=1.0,
        formula="share",
        reading="share of good samples",
        reference="salvy2025clipped",
        symmetric=False,
    )

    def needs(self) -> tuple[Need, ...]:
        return (Direct(share_of_zeros, ("real", "synthetic")),)

    def compute(self, answers: Answers) -> Outcome:
        share = float(answers[self.needs()[0]])
        return undefined("no good sample is left") if share == 0.0 and self.power < 0 else Outcome(share**self.power)


def spoilt(ask: Ask) -> Draw:
    """Two Gaussian sets; a share of the synthetic one is thrown to 1000."""
    real, synthetic = ask.rng.normal(size=(2, ask.n, 3))
    synthetic[: round(ask.level * ask.n)] = 1000.0
    return Draw(real, synthetic)


def refusing(ask: Ask) -> Draw:
    """What no data allow."""
    raise InputError(f"{ask.material.real.name} has too few samples for this.")


def scenario(key: str = "spoilt", make=spoilt, **changes) -> Scenario:  # type: ignore[no-untyped-def]
    """A scenario whose good metrics fall as 1 - x."""
    fields = {
        "title": f"Scenario {key}",
        "suite": "test",
        "question": "Does it fall with the share of bad samples?",
        "source": "nobody",
        "axis": Axis("share of bad samples", LEVELS, (0.0, 1.0)),
        "criteria": (
            Criterion("linear", "linear", Near(good_share, 0.01, "the share of good samples"), ("fidelity",)),
            Criterion("noise", "noise", Worsens(), ("distance",), describes=True),
        ),
        "sizes": (64, 40),
        "repeats": (3, 2),
    }
    return Scenario(key=key, make=make, **{**fields, **changes})


def material(n: int = 90, d: int = 3, seed: int = 0) -> Material:
    """Gaussian real samples."""
    return Material(Samples.from_array(np.random.default_rng(seed).normal(size=(n, d)), name="mine"))

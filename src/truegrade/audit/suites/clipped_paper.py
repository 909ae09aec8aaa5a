"""The experiments of the paper on Clipped Density and Clipped Coverage (Salvy et al. 2025), on built-in laws.

Gaussians in 32 dimensions, k = 5; 25,000 samples a side in the paper (50,000 for the unnormalised coverage). The
tolerances are what the clipped pair keeps at 2,500.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from truegrade.audit.expectations import Exact, ForSamples, Reads
from truegrade.audit.movement import Steady
from truegrade.audit.rules import Flat, Line, Mirror, Near, Within, Worsens, good_share
from truegrade.audit.scenario import Ask, Axis, Criterion, Draw, Floats, Scenario
from truegrade.engine.needs import Answers
from truegrade.metrics.base import MetricInfo, Outcome
from truegrade.metrics.clipped import ClippedCoverage
from truegrade.metrics.placements import expected_hits

SUITE = "clipped-paper"
SOURCE = "Salvy et al. 2025 (arXiv 2507.01761), "
FEATURES, MODES = 32, 10
SIZES, REPEATS = (2500, 2500), (5, 3)
JUDGED, CALIBRATED = 2500, 50_000  # samples at which the tolerances hold
FIDELITY, COVERAGE, WHOLE = ("fidelity",), ("coverage",), ("distance", "two-sample")
BOTH = FIDELITY + COVERAGE


def gaussians(ask: Ask) -> tuple[Floats, Floats]:
    """A real and a synthetic set of one Gaussian."""
    real, synthetic = ask.rng.normal(size=(2, ask.n, FEATURES))
    return real, synthetic


def spoil(samples: Floats, share: float, factors: Floats) -> None:
    """Throw the first samples far out, each by a factor of its own of about 10."""
    count = round(share * len(samples))
    samples[:count] *= np.maximum(2.0, 10.0 + factors[:count, None])


# --- what is drawn -----------------------------------------------------------------------------------------


def bad_share(ask: Ask) -> Draw:
    """A share of the synthetic samples is thrown far out."""
    real, synthetic = gaussians(ask)
    spoil(synthetic, ask.level, ask.rng.normal(size=ask.n))
    return Draw(real, synthetic)


def half_bad(ask: Ask) -> Draw:
    """Half of the synthetic samples are thrown far out, whatever the level."""
    return bad_share(replace(ask, level=0.5))


def modes_dropped(ask: Ask) -> Draw:
    """A share of the samples of all modes but the first goes to the first.

    The first mode is then covered many times over, which even a calibrated score cannot tell from once: clipped
    coverage is expected up to 0.044 above the share of real samples that are reached, most where a ninth is moved.
    """
    centres = 5.0 * ask.rng.normal(size=(MODES, FEATURES))
    of_each = ask.n // MODES
    labels = np.repeat(np.arange(MODES), of_each)
    place = np.tile(np.arange(of_each), MODES)
    moved = (labels > 0) & (place >= of_each - round(ask.level * of_each))
    noise = ask.rng.normal(size=(2, len(labels), FEATURES))
    return Draw(centres[labels] + noise[0], centres[np.where(moved, 0, labels)] + noise[1])


def matched_outliers(ask: Ask) -> Draw:
    """The same share of both sets is thrown far out, each sample in its own direction."""
    real, synthetic = gaussians(ask)
    factors = ask.rng.normal(size=(2, ask.n))
    spoil(real, ask.level, factors[0])
    spoil(synthetic, ask.level, factors[1])
    return Draw(real, synthetic)


def translated(ask: Ask) -> Draw:
    """Synthetic samples moved in every feature; one real outlier at +3 and one synthetic outlier at -3."""
    real, synthetic = gaussians(ask)
    synthetic += ask.level
    real[0], synthetic[0] = 3.0, -3.0
    return Draw(real, synthetic)


# --- what is expected --------------------------------------------------------------------------------------


def kept_share(levels: Floats) -> Floats:
    """What of the real samples has synthetic ones of its mode, when a share of nine of ten modes is moved."""
    return 1.0 - levels * (MODES - 1) / MODES


@dataclass(frozen=True, kw_only=True)
class UnnormalisedCoverage(ClippedCoverage):
    """y = mean_i min(1, #{ j : d(x_i, y_j) <= r_i } / k): clipped coverage before it is calibrated, ties averaged.

    For m good of M synthetic samples its mean is f(m). Source: Salvy et al. 2025.
    """

    info: ClassVar[MetricInfo] = replace(
        ClippedCoverage.info,
        key="unnormalised_clipped_coverage",
        title="Clipped coverage, not normalised",
        formula="mean_i min(1, #{j : d(x_i, y_j) <= r_i}/k)",
        reading="What clipped coverage is made of; for one law its mean is f(M), not 1.",
        target=None,
        identical=None,
        default=False,
    )

    def compute(self, answers: Answers) -> Outcome:
        found = super().compute(answers)
        return replace(found, value=float(np.mean(found.per_sample["real"])), raw=None, means=None)


def _hits(n: int, m: int, k: int) -> float:
    """f(m) = E[min(J, k)]/k, J ~ BetaBinomial(m, k, n - k)."""
    return float(expected_hits(n, m, k)[0][-1])


def _expected(within: float) -> Exact:
    return Exact(_hits, within, "f(m), m the number of good samples", of_good=True)


def measured_coverage(levels: Floats) -> Floats:
    """Clipped coverage at 2,500 samples: the first mode, covered many times over, lifts it in between."""
    return np.asarray(np.interp(levels, _QUICK_DROPS, (0.98, 0.62, 0.20, 0.10)))


def _measured(within: float) -> Near:
    return Near(measured_coverage, within, "what was measured at 2,500 samples", _QUICK_DROPS)


def _reads(line: Line, within: float, says: str, relative: bool = False) -> ForSamples:
    return ForSamples(lambda tolerance: Reads(line, tolerance, says, relative), within, JUDGED)


_UNNORMALISED = UnnormalisedCoverage.info.key
_TENTHS = tuple(i / 10 for i in range(11))
_NINTHS = tuple(i / 9 for i in range(10))
_QUICK_DROPS = (0.0, 4 / 9, 8 / 9, 1.0)
_REACHED = "the share of real samples that are reached"
_SHARES = Axis("share of bad synthetic samples", _TENTHS, (0.0, 0.25, 0.5, 0.75, 1.0))

SCENARIOS: tuple[Scenario, ...] = (
    Scenario(
        key="clipped-bad-share",
        title="Bad synthetic samples",
        suite=SUITE,
        question="Does the score fall in proportion to the share of bad synthetic samples?",
        source=SOURCE + "test on out-of-distribution proportions (Gaussian)",
        axis=_SHARES,
        make=bad_share,
        criteria=(
            Criterion("fidelity-reads", "bounded", _reads(good_share, 0.03, "the share of good samples"), FIDELITY),
            Criterion("coverage-reads", "bounded", _reads(good_share, 0.04, "the share of good samples"), COVERAGE),
            Criterion("proportional", "linear", _reads(good_share, 0.05, "1 - x", relative=True), BOTH),
            Criterion("seen", "noise", Worsens(), (*FIDELITY, *WHOLE), describes=True),
        ),
        sizes=SIZES,
        repeats=REPEATS,
    ),
    Scenario(
        key="clipped-mode-drop",
        title="Modes dropped simultaneously",
        suite=SUITE,
        question="Does coverage follow the share of real samples that are still reached, and fidelity stay?",
        source=SOURCE + "simultaneous mode dropping (ten Gaussian modes)",
        axis=Axis("share of nine modes moved into the tenth", _NINTHS, _QUICK_DROPS),
        make=modes_dropped,
        criteria=(
            Criterion("fidelity-stays", "harmless", ForSamples(Flat, 0.03, JUDGED), FIDELITY),
            Criterion("coverage-follows", "linear", _reads(kept_share, 0.08, _REACHED), COVERAGE),
            Criterion("as-measured", "exact", ForSamples(_measured, 0.04, JUDGED), ("clipped_coverage",)),
            Criterion("seen", "dropping", Worsens(), (*COVERAGE, *WHOLE), describes=True),
        ),
        sizes=SIZES,
        repeats=REPEATS,
    ),
    Scenario(
        key="clipped-matched-outliers",
        title="Outliers in both sets",
        suite=SUITE,
        question="Is the score left alone by the same share of outliers in both sets?",
        source=SOURCE + "matched real and synthetic out-of-distribution samples (Gaussian)",
        axis=Axis("share of outliers in both sets", (0.0, 0.01, 0.02, 0.03), (0.0, 0.01, 0.03)),
        make=matched_outliers,
        criteria=(Criterion("stays", "robust", ForSamples(Flat, 0.03, JUDGED), (*BOTH, *WHOLE)),),
        sizes=SIZES,
        repeats=REPEATS,
    ),
    Scenario(
        key="clipped-translation",
        title="Translation with one outlier in each set",
        suite=SUITE,
        question="Is the score swayed by a single real and a single synthetic outlier?",
        source=SOURCE + "translation of a Gaussian with one outlier in each set",
        axis=Axis(
            "shift of every synthetic feature", tuple(i / 4 for i in range(-4, 5)), (-1.0, -0.5, 0.0, 0.5, 1.0)
        ),
        make=translated,
        criteria=(
            Criterion("mirrored", "robust", ForSamples(Mirror, 0.04, JUDGED), (*BOTH, *WHOLE)),
            Criterion("told-apart", "robust", Within(1.0, 0.0, 0.5), BOTH),
        ),
        sizes=SIZES,
        repeats=REPEATS,
    ),
    Scenario(
        key="clipped-k",
        title="Number of neighbours",
        suite=SUITE,
        question="Does the score depend on k? Half of the synthetic samples are bad.",
        source=SOURCE + "influence of k",
        axis=Axis("k", (2.0, 3.0, 5.0, 7.0, 10.0), (2.0, 5.0, 10.0), reference=5.0),
        make=half_bad,
        criteria=(Criterion("stays", "exact", ForSamples(Steady, 0.05, JUDGED), (*BOTH, "two-sample")),),
        sizes=SIZES,
        repeats=REPEATS,
        vary="k",
    ),
    Scenario(
        key="clipped-unnormalised",
        title="Clipped coverage before calibration",
        suite=SUITE,
        question="Is the expected curve, which clipped coverage is calibrated by, the right one?",
        source=SOURCE + "expected value of the unnormalised Clipped Coverage",
        axis=_SHARES,
        make=bad_share,
        criteria=(Criterion("expected", "exact", ForSamples(_expected, 0.01, CALIBRATED), (_UNNORMALISED,)),),
        sizes=SIZES,
        repeats=REPEATS,
        brings=(UnnormalisedCoverage(),),
    ),
)

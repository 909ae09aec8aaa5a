"""EcgGrades: what is known of synthetic ECG recordings beyond the scores of their vectors.

Bounded in size: only a few recordings are kept, as strips.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import Notice
from truegrade.result.record import Record
from truegrade.result.score import About
from truegrade.result.table import Task

Severity = Literal["refuse", "warn", "note"]
Side = Literal["real", "synthetic", "both"]


@dataclass(frozen=True)
class Finding:
    """One thing that the look at the recordings before grading found.

    code: short, stable, with hyphens ("units-differ"). severity: "refuse" stops an evaluation unless the code is
    overridden. text: a sentence with numbers. mend: what to do, as the option or call to use. records: the first 10
    recordings concerned by name, count: of all. overridden: it would have stopped the evaluation but for the override.
    """

    code: str
    severity: Severity
    side: Side
    text: str
    mend: str
    count: int = 0
    records: tuple[str, ...] = ()
    leads: tuple[str, ...] = ()
    overridden: bool = False


@dataclass(frozen=True)
class Number:
    """One number of recordings. value: None where it is undefined, `reason` then says why.

    low, high: its 95 % interval. floor: the same of real against real (which is what a perfect model would get), at
    floor_n against floor_m recordings; with patients no patient stands on both sides. floor_low, floor_high: the least
    and the largest of its `cuts` random cuts. n_real, n_synthetic: recordings it was taken on. note: how the floor was
    got, or why there is none.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    floor: float | None = None
    floor_low: float | None = None
    floor_high: float | None = None
    floor_n: int = 0
    floor_m: int = 0
    cuts: int = 0
    n_real: int = 0
    n_synthetic: int = 0
    reason: str | None = None
    note: str = ""


@dataclass(frozen=True, eq=False)
class FeatureGrades(Record):
    """The vector metrics on one feature set.

    features: its key ("descriptors", "spectral", "beats"); words: what a vector is. per_lead: by lead and metric key.
    mean: by metric key, the mean over leads (leads without a value never raise it: a lead that the synthetic
    recordings lack counts as the worst value). whole: by metric key, on the vectors of all leads together. per_label:
    by class label and metric key, on the vectors of all leads. chance: by lead, and "" for all leads together, the
    p-value that chance alone makes the two sides differ as they do (energy distance and spread, random relabellings;
    corrected for all leads of all feature sets, see `truegrade.ecg.chance`); leads without one are not there.
    """

    features: str
    words: str
    per_lead: Mapping[str, Mapping[str, Number]]
    mean: Mapping[str, Number]
    whole: Mapping[str, Number]
    per_label: Mapping[str, Mapping[str, Number]] = field(default_factory=dict)
    chance: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class RegistryGrade(Record):
    """One of the sixteen metrics of `truegrade.ecg.AVAILABLE_METRICS`: score with its floor, by lead, and `.extra`
    where it is numbers by lead."""

    key: str
    title: str
    higher_is_better: bool
    score: Number
    per_lead: Mapping[str, float | None] = field(default_factory=dict)
    extra: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Spread(Record):
    """How a measurement is distributed over recordings. n: recordings with a value, failed: without one. quantiles:
    at 5, 25, 50, 75, 95 %. counts: recordings by bin of `Measurement.edges`."""

    n: int
    failed: int
    mean: float | None
    sd: float | None
    quantiles: tuple[float, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Measurement(Record):
    """One clinical measurement: heart_rate, sdnn, rmssd, pr, qrs, qt, qtc_bazett, qtc_fridericia, axis, p_amplitude,
    r_amplitude, t_amplitude, st.

    distance: Wasserstein-1 between the two distributions in `unit` (of the axis: around the circle). ks: largest gap
    between their distribution functions with failures as a value of their own, 0 to 1. plausible: share of synthetic
    values inside the 1st to 99th percentile of the real ones. chance: the p-value that chance alone makes the gap `ks`
    (random relabellings, not corrected for the number of measurements), None where there are too few.
    """

    key: str
    title: str
    unit: str
    real: Spread
    synthetic: Spread
    distance: Number
    ks: Number
    plausible: Number
    edges: tuple[float, ...] = ()
    chance: float | None = None


@dataclass(frozen=True, eq=False)
class Scorecard(Record):
    """The clinical scorecard, from delineated beats. by: what found the beats, with its version. reason: why there is
    none. beats: by side, recordings in which no beat was found."""

    measurements: tuple[Measurement, ...]
    by: str = ""
    reason: str | None = None
    without_beats: tuple[int, int] = (0, 0)


@dataclass(frozen=True, eq=False)
class LeadLaws(Record):
    """What leads are of each other. residuals: by law ("III = II - I", ...) the median |residual| in mV of each side
    (real, synthetic). relative: by law the root mean square of the residual as a part of that of the lead, 0 to 2.
    einthoven: Number of the synthetic side's residual over all laws, in mV, floor: the real side's.
    correlation_error: mean |difference| of the two mean inter-lead correlation matrices; real, synthetic: those
    (L, L), NaN for a lead that no real recording has."""

    residuals: Mapping[str, tuple[float, float]]
    einthoven: Number
    correlation_error: Number
    real: NDArray[np.float32]
    synthetic: NDArray[np.float32]
    relative: Mapping[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class CopyPair:
    """A synthetic recording that is a real one, perhaps at another phase: similarity is their normalised
    cross-correlation over all leads at the best shift, 1 is equal up to a factor; shift in seconds."""

    synthetic: int
    real: int
    similarity: float
    shift: float


@dataclass(frozen=True, eq=False)
class EcgCopies(Record):
    """share: of synthetic recordings that copy a real one, floor: of fresh real recordings. threshold: similarity above
    which two recordings are called copies. flagged: more than fresh real recordings explain; never "best" then."""

    share: Number
    threshold: float
    flagged: bool
    pairs: tuple[CopyPair, ...] = ()
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Tell:
    """A trivial thing that gives synthetic recordings away: code, a sentence, the AUC of it alone (.5 to 1), and how it
    was neutralised on both sides before the clean discrimination."""

    code: str
    text: str
    auc: float
    neutralised: str


@dataclass(frozen=True, eq=False)
class Discrimination(Record):
    """Cross-validated AUC of classifiers that tell real from synthetic recordings (.5 is ideal): raw with all tells,
    clean without them. by: the classifier; patients never stand on both sides of a fold."""

    raw: Mapping[str, Number]
    clean: Mapping[str, Number]
    tells: tuple[Tell, ...] = ()
    words: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Strip(Record):
    """One recording as it is drawn: values (L, T') int16 in microvolts at `fs` Hz, a missing sample is -32768."""

    side: Literal["real", "synthetic"]
    row: int
    name: str
    leads: tuple[str, ...]
    fs: float
    values: NDArray[np.int16]
    grade: float | None = None
    label: str | None = None


@dataclass(frozen=True, eq=False)
class StripPair(Record):
    """A recording that is worth looking at, and its nearest on the other side. why: "worst" and "best" synthetic ones,
    least covered ("uncovered") real ones, suspects of copying ("copy"). distance: in the space of the features."""

    why: Literal["worst", "best", "uncovered", "copy"]
    shown: Strip
    other: Strip | None
    distance: float | None = None
    note: str = ""


@dataclass(frozen=True, eq=False)
class Rhythm(Record):
    """One lead of every recording on the map, small: values (p, T') int8 in steps of `step` mV, at `fs` Hz, -128 where
    missing; rows: which recordings of the side."""

    side: Literal["real", "synthetic"]
    lead: str
    fs: float
    step: float
    rows: NDArray[np.int64]
    values: NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class EcgGrades(Record):
    """Synthetic ECG recordings against real ones.

    leads, fs, units, seconds: facts both sides share. findings: of the preflight. missing: by lead the recordings
    without a signal (real, synthetic). about: by metric key what it is, of the keys in `features`. features: grades by
    feature set. registry: the sixteen metrics. verdict: what it amounts to, in sentences. settings: sizes, cuts, parts
    asked for, and by part the reason of those that failed. notices: what was left out or failed.
    """

    leads: tuple[str, ...]
    fs: float | None
    units: str | None
    seconds: float | None
    findings: tuple[Finding, ...] = ()
    missing: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    about: Mapping[str, About] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    features: tuple[FeatureGrades, ...] = ()
    registry: tuple[RegistryGrade, ...] = ()
    scorecard: Scorecard | None = None
    laws: LeadLaws | None = None
    copies: EcgCopies | None = None
    discrimination: Discrimination | None = None
    utility: tuple[Task, ...] = ()
    strips: tuple[StripPair, ...] = ()
    rhythms: tuple[Rhythm, ...] = ()
    verdict: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()

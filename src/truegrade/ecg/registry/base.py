"""RegistryMetric: from two sides to a MetricResult, lead by lead, with one rule for leads that are missing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from truegrade.ecg.registry.result import MetricResult
from truegrade.ecg.registry.sides import Given, Lead, Pair, pair_of
from truegrade.errors import InputError

Compat = Literal["ecgen-eval-0.5"] | None
COMPAT = "ecgen-eval-0.5"
Floor = Literal["halves", "1/n", "1/sqrt(n)", "partners", "real partners"]
"""What is known of real against real at other sizes. "1/n", "1/sqrt(n)": so it falls, and is carried. "partners": it
depends on how many synthetic recordings there are to be a partner of a real one; "real partners": the other way round.
"halves": nothing, or that it hardly depends on them."""


@dataclass(frozen=True)
class Found:
    """What one lead gave: value None with a reason where undefined. counts: whether the lead counts in the mean; one
    that has no real recordings does not, one that the synthetic recordings lack does."""

    value: float | None
    extra: Mapping[str, float | None] = field(default_factory=dict)
    reason: str | None = None
    counts: bool = True


@dataclass(frozen=True, kw_only=True)
class RegistryMetric:
    """A metric of `AVAILABLE_METRICS`: frozen, its fields are the parameters.

    A lead of a real recording that is no signal (constant, or with a NaN) is left out of that lead's numbers. Of a
    synthetic recording it is an outcome that counts against it: a lead that every synthetic recording lacks has the
    worst value, or where there is none makes the score infinite. So do distances without a worst value (`lost_counts`)
    where the share of synthetic recordings without a signal is by more than 10 % (of all) larger than that of real
    ones. Where fewer are lost, they count as most of the others do or worse; what they would have got is not known, so
    that a generator which loses just those that are farthest off, or one of several that are alike, may still gain.

    compat: "ecgen-eval-0.5" gives the number of ecgen-eval 0.5.0 (with its defaults for parameters that are None),
    which has no rule for missing leads: recordings with a NaN are refused then.
    """

    compat: Compat = None

    key: ClassVar[str]
    title: ClassVar[str]
    higher_is_better: ClassVar[bool] = False
    worst: ClassVar[float | None] = None
    needs_fs: ClassVar[bool] = False
    same_length: ClassVar[bool] = False
    least: ClassVar[tuple[int, int]] = (1, 1)
    description: ClassVar[str]
    reference: ClassVar[str]
    corrected: ClassVar[str]
    floor: ClassVar[Floor] = "halves"
    lost_counts: ClassVar[bool] = False
    """Whether a lead has no value where many more synthetic recordings than real ones are no signal."""

    def __post_init__(self) -> None:
        if self.compat not in (None, COMPAT):
            raise InputError(f"compat={self.compat!r} given; None or {COMPAT!r} is accepted.")
        for name, least in (("seed", 0), ("n_subsample", 2), ("n_projections", 1), ("n_pairs", 1), ("k", 1)):
            check_whole(name, getattr(self, name, None), least)
        for name in ("fs", "nperseg", "downsample"):
            value = getattr(self, name, None)
            if value is not None and not (isinstance(value, (int, float)) and math.isfinite(value) and value > 0):
                raise InputError(f"{name}={value!r} given; a number above 0 is accepted.")

    def compute(self, real: Given, synthetic: Given, lead_names: Sequence[str] | None = None) -> MetricResult:
        """Score of synthetic against real recordings: arrays (N, L, T) and (M, L, T) or `Recordings`.

        lead_names: L names, for arrays. Raises InputError for other shapes, for sides that differ in leads, rate or
        units, for too few recordings, where fs is needed and not known, and where no lead has a real recording.
        """
        return self.of(pair_of(real, synthetic, lead_names, getattr(self, "fs", None)))

    def of(self, pair: Pair) -> MetricResult:
        """The same of two sides that agree."""
        self.check(pair)
        if self.compat:
            from truegrade.ecg.registry.compat import found_by_ecgen

            return self._result(pair, found_by_ecgen(self, pair))
        return self._result(pair, self.all_leads(pair.sampled(getattr(self, "n_subsample", None), self._seed())))

    def check(self, pair: Pair) -> None:
        """Raises InputError where this pair cannot be scored."""
        if self.needs_fs and pair.fs is None:
            raise InputError(
                f"{self.key} needs the sampling rate; give fs=, such as AVAILABLE_METRICS[{self.key!r}](fs=500)."
            )
        if self.same_length and pair.real.length != pair.synthetic.length:
            raise InputError(
                f"The real recordings have {pair.real.length} samples, the synthetic ones {pair.synthetic.length}; "
                f"{self.key} compares them sample by sample. Crop both to one length."
            )
        for side, least in zip((pair.real, pair.synthetic), self.smallest(), strict=True):
            if len(side) < least:
                raise InputError(f"{len(side)} {side.name} recordings given; {self.key} needs at least {least}.")

    def smallest(self) -> tuple[int, int]:
        """Least number of real and of synthetic recordings."""
        return self.least

    def all_leads(self, pair: Pair) -> list[Found]:
        """What each lead gives."""
        return [self._guarded(pair.lead(at)) for at in range(len(pair.leads))]

    def one_lead(self, lead: Lead) -> Found:
        """What a lead gives of which both sides have enough recordings."""
        raise NotImplementedError

    def lost(self, lead: Lead) -> Found:
        """What a lead gives of which too few synthetic recordings have a signal."""
        some = "no" if lead.m == 0 else f"only {lead.m}"
        return Found(self.worst, reason=f"{some} synthetic recording has a signal in this lead")

    def _guarded(self, lead: Lead) -> Found:
        least_real, least_synthetic = self.smallest()
        if lead.n < least_real:
            some = "no real recording has" if lead.n == 0 else f"only {lead.n} real recordings have"
            return Found(None, reason=f"{some} a signal in this lead", counts=False)
        if lead.m < least_synthetic:
            return self.lost(lead)
        why = lead.lost if self.lost_counts else ""
        return Found(None, reason=f"{why} (in this lead)") if why else self.one_lead(lead)

    def _seed(self) -> int:
        return int(getattr(self, "seed", 42))

    def _result(self, pair: Pair, leads: list[Found]) -> MetricResult:
        counted = [found for found in leads if found.counts]
        if not counted:
            raise InputError(f"{self.key} is undefined: {leads[0].reason} (and in no other).")
        names = pair.leads
        undefined = [name for name, found in zip(names, leads, strict=True) if found.counts and found.value is None]
        values = [found.value for found in counted if found.value is not None]
        worst = -math.inf if self.higher_is_better else math.inf
        why = next((found.reason for found in counted if found.value is None), None)
        return MetricResult(
            metric_name=self.key,
            score=worst if undefined else math.fsum(values) / len(values),
            higher_is_better=self.higher_is_better,
            per_lead_scores={name: found.value for name, found in zip(names, leads, strict=True)},
            extra=self._extra(pair, leads),
            description=self.description,
            reference=self.reference,
            corrected="" if self.compat else self.corrected,
            reason=f"{', '.join(undefined)}: {why}" if undefined else None,
        )

    def _extra(self, pair: Pair, leads: list[Found]) -> dict[str, Any]:
        names = pair.leads
        keys = dict.fromkeys(key for found in leads for key in found.extra)
        extra: dict[str, Any] = {
            key: {name: found.extra.get(key) for name, found in zip(names, leads, strict=True)} for key in keys
        }
        for key, side in (("missing_real", pair.real), ("missing_synthetic", pair.synthetic)):
            extra[key] = {name: int((~side.alive(at)).sum()) for at, name in enumerate(names)}
        reasons = {name: found.reason for name, found in zip(names, leads, strict=True) if found.reason}
        return {**extra, "reasons": reasons} if reasons else extra


def check_whole(name: str, value: object, least: int) -> None:
    """Raises InputError unless value is None or a whole number of at least `least`."""
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < least):
        raise InputError(f"{name}={value!r} given; a whole number of at least {least} is accepted.")


def mixed(living: float, singles: NDArray[np.float64], share: float) -> float:
    """Distance of a side of which only a share has a signal: each of the others counts as a recording would that is
    farther out than nine in ten of those that have one.

    singles: distance of each such recording on its own from the real ones. Distances of laws are convex, so this is no
    less than what any recordings that are no farther out would have given (and may be less than what those gave that
    are); nine in ten, because one outlier should not speak for all that are missing, and not a flat line, which is 100
    sds away in some descriptors.
    """
    return share * living + (1.0 - share) * max(living, float(np.quantile(singles, 0.9)))

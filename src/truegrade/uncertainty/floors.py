"""Floors: the same metric of real against real, which is what a perfect generator would get.

With a hold-out set the real set is graded against it; without one, the real set is cut into disjoint parts.
Sizes keep the proportion N : M of the evaluation, because neighbour scores depend on it. Where samples belong to
groups (patients), no group stands on both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError, Notice, notice
from truegrade.metrics.base import Metric, Outcome
from truegrade.result import Reference
from truegrade.samples import Samples
from truegrade.uncertainty.cuts import cut_rows, pick_groups, strangers
from truegrade.uncertainty.linear import floor_error

SMALLEST = 10  # samples on a side below which no reference is given


@dataclass(frozen=True)
class FloorPlan:
    """Which real samples stand for which side.

    sides: "real", "synthetic" (real samples in truth) and, with a hold-out, "holdout".
    asked: the sizes (N, M) of the evaluation this floor is for.
    grouped: whether groups were kept together. shared: hold-out samples left out as their group is in the real set.
    """

    sides: Mapping[str, Samples]
    asked: tuple[int, int]
    from_holdout: bool
    grouped: bool = False
    shared: int = 0

    @property
    def sizes(self) -> tuple[int, int]:
        """Sizes (n1, m1) the floor is measured at."""
        return self.sides["real"].n, self.sides["synthetic"].n

    @property
    def exact(self) -> bool:
        """Is it measured at the sizes of the evaluation?"""
        return self.sizes == self.asked

    @property
    def crowded(self) -> bool:
        """Are there so few samples a feature that values of covariances fall more slowly than 1/n?"""
        return min(self.sizes) <= self.sides["real"].d

    def halves(self) -> tuple[FloorPlan, FloorPlan]:
        """The same at half the sizes, twice, without a sample in common."""
        first, second = (
            {side: s.subset(np.arange(part, s.n, 2)[: s.n // 2]) for side, s in self.sides.items()} for part in (0, 1)
        )
        return replace(self, sides=first), replace(self, sides=second)

    def notices(self) -> tuple[Notice, ...]:
        """What the reader must know about it."""
        n, m = self.sizes
        if not self.from_holdout:
            return (notice("halves", n=n, m=m), *([notice("groups_kept")] if self.grouped else []))
        return (notice("groups_shared", count=self.shared),) if self.shared else ()


def plan_floor(
    real: Samples, m: int, holdout: Samples | None, *, seed: int, copies: bool = False
) -> FloorPlan | str:
    """Real against real for an evaluation of real (N) against m synthetic samples; a string says why not.

    Args:
        holdout: real samples that the generator never saw, if any.
        copies: cut the hold-out in two, one part in the place of the synthetic samples and one in its own
            (for metrics that compare the synthetic samples with a hold-out).
    """
    rng = np.random.default_rng([seed, real.n, m])
    if copies and holdout is None:
        return "a floor for this metric needs a hold-out set"
    plan = _cut_real(real, m, rng) if holdout is None else _use_holdout(real, m, holdout, rng, copies)
    if isinstance(plan, str):
        return plan
    if min(s.n for s in plan.sides.values()) < SMALLEST:
        apart = " without a group on both" if plan.grouped else ""
        return f"real against real would have fewer than {SMALLEST} samples on a side{apart}"
    return plan


def _cut_real(real: Samples, m: int, rng: np.random.Generator) -> FloorPlan | str:
    """Disjoint parts of the real set in the proportion N : M (at most 4 to 1), whole groups on one side."""
    first, second = cut_rows(real.n, m, real.groups, rng)
    if real.groups is not None and not (len(first) and len(second)):
        return f"all real samples belong to one group ({real.name}), so they cannot be cut in two"
    sides = {
        "real": _pick(real, first, f"{real.name}, part 1"),
        "synthetic": _pick(real, second, f"{real.name}, part 2"),
    }
    return FloorPlan(sides, (real.n, m), False, grouped=_repeat(real.groups))


def _use_holdout(
    real: Samples, m: int, holdout: Samples, rng: np.random.Generator, copies: bool
) -> FloorPlan | str:
    """Hold-out samples in the place of the synthetic ones; the real set shrinks with them if they are few.

    Hold-out samples whose group is in the real set are left out.
    """
    fresh = strangers(real.groups, holdout.groups, holdout.n)
    shared = holdout.n - len(fresh)
    first, rest = _split_holdout(fresh, holdout.groups, m, rng, copies)
    if not len(first) or (copies and not len(rest)):
        left = f": {shared} of the {holdout.n} hold-out samples belong to a group of the real set" if shared else ""
        return f"real against hold-out would have fewer than {SMALLEST} samples on a side{left}"
    used = len(first)
    n = real.n if used >= m else max(1, round(real.n * used / m))
    base = real if n == real.n else _pick(real, rng.permutation(real.n)[:n], real.name)
    sides = {"real": base, "synthetic": holdout if used == holdout.n else _pick(holdout, first, holdout.name)}
    if copies:
        sides["holdout"] = _pick(holdout, rest, f"{holdout.name}, part 2")
    return FloorPlan(sides, (real.n, m), True, grouped=_repeat(real.groups) or _repeat(holdout.groups), shared=shared)


def _split_holdout(
    fresh: NDArray[np.intp], groups: NDArray[Any] | None, m: int, rng: np.random.Generator, copies: bool
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """At most m of the hold-out rows, and the others; with `copies` not more than half, and no group in both."""
    used = min(m, len(fresh) // 2 if copies else len(fresh))
    if copies and groups is not None:
        first, rest = pick_groups(groups[fresh], used, rng)
        return fresh[first], fresh[rest]
    order = fresh[rng.permutation(len(fresh))]
    return order[:used], order[used:]


def _repeat(groups: NDArray[Any] | None) -> bool:
    """Whether any group has more than one sample."""
    return groups is not None and len(np.unique(groups)) < len(groups)


def _pick(samples: Samples, rows: NDArray[np.intp], name: str) -> Samples:
    return samples.subset(np.sort(rows).astype(np.intp), name)


def reference(
    metric: Metric, value: float, plan: FloorPlan, error: float | None = None, at_half: float | None = None
) -> Reference:
    """The floor of a metric from its value on `plan`, carried to the asked sizes where its bias is known.

    error: its standard error, where that is known; it is carried with it. at_half: the value at half the sizes of the
    plan, where the value falls more slowly than in proportion to u = 1/n + 1/m. The parabola b u - c u^2 through both
    values falls too slowly in turn (simulated: proportion 4 % low, parabola 3 to 8 % high with 1.3 samples a feature),
    so what is taken is half-way between.
    """
    n, m = plan.sizes
    where = "real against hold-out" if plan.from_holdout else "two disjoint parts of the real set"
    where += ", no group on both sides" if plan.grouped else ""
    if plan.exact:
        return Reference(value, n, m, f"{where}, same sizes", error=error)
    if metric.info.bias is not None:
        asked_n, asked_m = plan.asked
        factor = (1 / asked_n + 1 / asked_m) / (1 / n + 1 / m)
        if metric.info.bias == "1/sqrt(n)":
            factor = factor**0.5
        if at_half is not None and value > 0:
            bend = 0.5 - at_half / (4.0 * value)
            factor = factor * (1.0 + bend) - factor**2 * bend
        note = f"{where} at {n} against {m}, carried to {asked_n} against {asked_m} by the factor {factor:.4g}"
        carried = None if error is None else error * factor
        return Reference(value * factor, n, m, note, scaled=True, error=carried)
    return Reference(value, n, m, f"{where} at {n} against {m}", error=error)


def alone(metric: Metric) -> Metric:
    """The metric as its floor needs it: without a hold-out baseline that only its warnings use."""
    if metric.info.needs_holdout or "holdout" not in metric.parameters():
        return metric
    return replace(metric, holdout=False)  # type: ignore[type-var]


def floor_references(
    metrics: Mapping[str, Metric],
    plan: FloorPlan,
    outcomes: Callable[[FloorPlan, Mapping[str, Metric]], Mapping[str, Outcome | str]],
    *,
    seed: int,
) -> dict[str, Reference | str]:
    """Floors of all metrics, or why there is none; `outcomes` grades the sides of a plan."""
    out: dict[str, Reference | str] = {}
    fit: dict[str, Metric] = {}
    for key, metric in metrics.items():
        try:
            metric.check_sizes(*plan.sizes)
            fit[key] = metric
        except InputError as error:
            out[key] = f"real against real is too small: {error}"
    graded = outcomes(plan, fit) if fit else {}
    smaller = _at_half(fit, graded, plan, outcomes)
    for key, found in graded.items():
        if isinstance(found, str):
            out[key] = found
        else:
            scatter = floor_error(found, plan.sides, seed=seed)
            out[key] = reference(fit[key], float(found.value or 0.0), plan, scatter, smaller.get(key))
    return out


def redrawn_references(
    outcomes: Mapping[str, Outcome], sizes: tuple[int, int], *, seed: int
) -> dict[str, Reference | str]:
    """Real against real at the sizes (n, m), of outcomes that draw it from the real set themselves."""
    out: dict[str, Reference | str] = {}
    for key, outcome in outcomes.items():
        if outcome.redrawn is not None:
            found = outcome.redrawn.ceiling(seed)
            note = outcome.redrawn.note
            out[key] = found if isinstance(found, str) else Reference(found[0], *sizes, note, error=found[1])
    return out


def _at_half(
    metrics: Mapping[str, Metric],
    graded: Mapping[str, Outcome | str],
    plan: FloorPlan,
    outcomes: Callable[[FloorPlan, Mapping[str, Metric]], Mapping[str, Outcome | str]],
) -> dict[str, float]:
    """Mean of two values at half the sizes, of metrics whose bias 1/n only holds for many samples a feature."""
    if plan.exact or not plan.crowded or min(plan.sizes) < 2 * SMALLEST:
        return {}
    few = {
        key: metrics[key]
        for key, found in graded.items()
        if metrics[key].info.bias == "1/n" and isinstance(found, Outcome) and found.pairs is None
    }
    found = [outcomes(half, few) for half in plan.halves()] if few else []
    values = {key: [float(o.value or 0.0) for f in found if isinstance(o := f[key], Outcome)] for key in few}
    return {key: sum(two) / 2 for key, two in values.items() if len(two) == 2}

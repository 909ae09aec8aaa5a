"""MMD with a Gaussian kernel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, Literal

import numpy as np
from scipy.spatial.distance import cdist

from truegrade.engine.needs import Answers, Bandwidth, Direct, Floats, Gaussian, KernelSum, Need
from truegrade.errors import InputError, Notice, notice
from truegrade.metrics.base import (
    DISTANCE_INVARIANCES,
    Metric,
    MetricInfo,
    Outcome,
    check_number,
    check_whole,
    positive,
)
from truegrade.metrics.contrast import Estimator, clamp_rounding, contrast, pairs_of
from truegrade.metrics.permutation import PermutationTest, permutation_test

_RULES = ("median", "median-real", "mean-square-real")


@dataclass(frozen=True)
class MMD(Metric):
    """Squared maximum mean discrepancy E k(X,X') + E k(Y,Y') - 2 E k(X,Y) with a Gaussian kernel.

    k(x, y) = mean over s in `scales` of exp(-|x - y|^2 / (2 (s h)^2)). h = `bandwidth`: a length, or "median"
    (median distance of the pooled set), "median-real" (of the real set), "mean-square-real" (root of the mean
    squared real-real distance, zero diagonal included). Samples (N, d), (M, d); no unit; lower is better, at
    most 2. estimator "unbiased" (U-statistic, may be negative) or "biased" (V-statistic, the pairs of a
    sample with itself included, never negative). root=True reports sign(v) sqrt(|v|): a negative unbiased
    estimate stays visible as a negative number and is never NaN.

    permutations > 0 adds the detail p_value = (k + 1) / (permutations + 1), k permutations of the pooled
    labels with at least the observed value; above 4,000 pooled rows it is computed on a seeded sub-sample,
    which is said. It needs a kernel that does not depend on the labels: bandwidth "median" or a number.

    compat="gan-metrics" is the convention of the 2018 study's published code: exp(-|x - y|^2 / (2 sigma^2 s))
    with s the mean squared real-real distance, zero diagonal included, and sigma = 1 (its default), biased,
    square root. Bandwidth, estimator and root are then fixed.

    Raises InputError for parameters out of range. Source: Gretton et al. 2012, "A kernel two-sample test",
    eq. 3 and 5; Xu et al. 2018 for the convention; Phipson & Smyth 2010 for the p-value.
    """

    bandwidth: float | Literal["median", "median-real", "mean-square-real"] = "median"
    scales: tuple[float, ...] = (1.0,)
    estimator: Estimator = "unbiased"
    root: bool = False
    permutations: int = 0
    seed: int = 0
    compat: Literal["gan-metrics"] | None = None

    info: ClassVar[MetricInfo] = MetricInfo(
        key="mmd",
        title="MMD, Gaussian kernel",
        family="distance",
        direction="lower",
        range=(-2.0, 2.0),
        identical=None,
        formula="E k(X,X') + E k(Y,Y') - 2 E k(X,Y), k(x,y) = exp(-|x-y|^2 / (2 h^2))",
        reading="Near 0 (within its interval): no difference was found at the kernel's length scale.",
        reference="gretton2012",
        symmetric=True,
        invariances=DISTANCE_INVARIANCES,
        target=0.0,
    )

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "scales", tuple(float(s) for s in self.scales))
        except (TypeError, ValueError) as error:
            raise InputError(
                f"scales={self.scales!r} given; a tuple of positive numbers is accepted."
            ) from error
        self._check()
        info = self.info
        if self._effective().estimator == "biased":
            bias: Literal["1/n", "1/sqrt(n)"] = "1/sqrt(n)" if self._effective().root else "1/n"
            info = replace(info, range=(0.0, 2.0), identical=0.0, target=None, bias=bias)
        if self._effective().bandwidth in ("median-real", "mean-square-real"):
            info = replace(info, symmetric=False)
        if not isinstance(self.bandwidth, str):
            info = replace(info, invariances=info.invariances - {"scale"})
        if info is not self.info:
            object.__setattr__(self, "info", info)

    def _check(self) -> None:
        b = self.bandwidth
        if not isinstance(b, str) or b not in _RULES:
            check_number("bandwidth", b, positive, f"a positive number or one of {', '.join(_RULES)}")
        if not self.scales or not all(0.0 < s < float("inf") for s in self.scales):
            raise InputError(f"scales={self.scales!r} given; one or more positive numbers are accepted.")
        if self.estimator not in ("unbiased", "biased"):
            raise InputError(f"estimator={self.estimator!r} given; 'unbiased' or 'biased' is accepted.")
        if self.compat not in (None, "gan-metrics"):
            raise InputError(f"compat={self.compat!r} given; 'gan-metrics' or None is accepted.")
        if self.compat and (b, self.estimator, self.root, self.scales) != (
            "median",
            "unbiased",
            False,
            (1.0,),
        ):
            raise InputError(
                "compat='gan-metrics' fixes bandwidth, scales, estimator and root; leave them out."
            )
        check_whole("permutations", self.permutations, 0)
        check_whole("seed", self.seed, 0)
        if self.permutations and self._effective().bandwidth in ("median-real", "mean-square-real"):
            raise InputError(
                "A permutation p-value needs a bandwidth that does not depend on which samples are real; "
                "'median' or a number is accepted."
            )

    def _effective(self) -> _Settings:
        if self.compat == "gan-metrics":
            return _Settings("mean-square-real", "biased", True)
        return _Settings(self.bandwidth, self.estimator, self.root)

    def _sums(self) -> tuple[KernelSum, KernelSum, KernelSum]:
        kernel = Gaussian(self._effective().bandwidth, self.scales)
        return (
            KernelSum("real", "real", kernel),
            KernelSum("synthetic", "synthetic", kernel),
            KernelSum("real", "synthetic", kernel),
        )

    def _test(self) -> Direct:
        parameters = (
            ("bandwidth", self.bandwidth),
            ("permutations", self.permutations),
            ("scales", self.scales),
            ("seed", self.seed),
            ("unbiased", self.estimator == "unbiased"),
        )
        return Direct(permutation_test, ("real", "synthetic"), parameters)

    def needs(self) -> tuple[Need, ...]:
        rule = self._effective().bandwidth
        width = (Bandwidth(rule),) if isinstance(rule, str) else ()
        return (*self._sums(), *width, *((self._test(),) if self.permutations else ()))

    def compute(self, answers: Answers) -> Outcome:
        how = self._effective()
        parts = contrast(*(answers[need] for need in self._sums()), estimator=how.estimator, itself=1.0)
        squared = clamp_rounding(parts.value, 1.0) if how.estimator == "biased" else parts.value
        value = _signed_root(squared) if how.root else squared
        p_value, notes = self._p_value(answers)
        width = answers[Bandwidth(how.bandwidth)] if isinstance(how.bandwidth, str) else float(how.bandwidth)
        gram = partial(_gaussian, widths=tuple(s * width for s in self.scales))
        return Outcome(
            value,
            per_sample={"real": parts.real, "synthetic": parts.synthetic},
            details={"estimator": how.estimator, "bandwidth": width, "squared": squared, "p_value": p_value},
            warnings=notes,
            pairs=replace(pairs_of(parts, gram), finish=_signed_root if how.root else float),
            standard_error=_rooted_error(parts.standard_error, squared) if how.root else parts.standard_error,
        )

    def _p_value(self, answers: Answers) -> tuple[float | None, tuple[Notice, ...]]:
        if not self.permutations:
            return None, ()
        test: PermutationTest = answers[self._test()]
        if test.n + test.m == answers.n_real + answers.n_synthetic:
            return test.p_value, ()
        return test.p_value, (notice("permutation_subset", n=test.n, m=test.m, seed=self.seed),)


@dataclass(frozen=True)
class _Settings:
    bandwidth: float | Literal["median", "median-real", "mean-square-real"]
    estimator: Estimator
    root: bool


def _signed_root(squared: float) -> float:
    return float(np.copysign(np.sqrt(abs(squared)), squared))


def _gaussian(rows: Floats, widths: tuple[float, ...]) -> Floats:
    """The kernel of all pairs of rows (r, d), shape (r, r)."""
    squared = cdist(rows, rows, "sqeuclidean")
    return np.asarray(sum(np.exp(squared / (-2.0 * w * w)) for w in widths) / len(widths))


def _rooted_error(error: float, squared: float) -> float | None:
    """Standard error of sqrt(v) by the delta method; None where the root has no slope."""
    return error / (2.0 * float(np.sqrt(abs(squared)))) if squared else None

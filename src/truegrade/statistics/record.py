"""Statistics: the mean and the covariance of a set, checked."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.engine.moments import moments
from truegrade.engine.needs import Floats
from truegrade.errors import InputError
from truegrade.samples import Samples
from truegrade.space import Space


@dataclass(frozen=True, eq=False)
class Statistics:
    """Mean (d,) and covariance (d, d, ddof 1) of a set, float64, and what else is known of it.

    n: how many samples they were made from, None if unknown. space: the feature space, None if unknown.
    Raises InputError for what is no finite mean and no symmetric covariance without negative variances, up to the
    rounding of the numbers' own precision.
    """

    mean: Floats
    covariance: Floats
    name: str = "statistics"
    source: str = "memory"
    n: int | None = None
    space: Space | None = None

    def __post_init__(self) -> None:
        mean, covariance = np.asarray(self.mean), np.asarray(self.covariance)
        _check_shapes(mean, covariance, self.name)
        rounding = max(_rounding(mean.dtype), _rounding(covariance.dtype))
        object.__setattr__(self, "mean", mean.astype(np.float64))
        object.__setattr__(self, "covariance", _checked(covariance.astype(np.float64), rounding, self.name))
        if not np.isfinite(self.mean).all():
            count = int((~np.isfinite(self.mean)).sum())
            raise InputError(f"The mean of {self.name} has {count} entries that are not finite; numbers are accepted.")
        if self.n is not None and self.n < 2:
            raise InputError(f"{self.name} says that it was made from n={self.n} samples; at least 2 are needed.")

    @property
    def d(self) -> int:
        return len(self.mean)

    @property
    def fingerprint(self) -> str:
        """Hash of mean and covariance."""
        whole = hashlib.sha256(f"statistics {self.d}".encode())
        for part in (self.mean, self.covariance):
            whole.update(np.ascontiguousarray(part, "<f8").tobytes())
        return whole.hexdigest()[:32]

    @staticmethod
    def of(samples: Samples) -> Statistics:
        """Those of samples; InputError for fewer than 2."""
        found = moments(samples)
        if found.covariance is not None:
            covariance = found.covariance
        else:
            assert found.centred is not None
            covariance = found.centred.T @ found.centred / (found.n - 1)
        return Statistics(found.mean, covariance, samples.name, samples.source, samples.n, samples.space)


def _check_shapes(mean: NDArray[Any], covariance: NDArray[Any], who: str) -> None:
    if mean.dtype.kind not in "fiu" or covariance.dtype.kind not in "fiu":
        raise InputError(f"{who} holds {mean.dtype} and {covariance.dtype}; real numbers are accepted.")
    if mean.ndim != 1 or not mean.size or covariance.shape != (mean.size, mean.size):
        raise InputError(
            f"{who} has a mean of shape {mean.shape} and a covariance of shape {covariance.shape}; "
            "(d,) and (d, d) are accepted."
        )


def _rounding(dtype: np.dtype[Any]) -> float:
    """What may be missing for symmetry and for variances of 0 or more, relative to the largest entry."""
    return float(np.sqrt(np.finfo(dtype if dtype.kind == "f" else np.float64).eps))


def _checked(covariance: Floats, rounding: float, who: str) -> Floats:
    """The covariance, made exactly symmetric."""
    if not np.isfinite(covariance).all():
        count = int((~np.isfinite(covariance)).sum())
        raise InputError(f"The covariance of {who} has {count} entries that are not finite; numbers are accepted.")
    size = float(np.abs(covariance).max())
    if np.abs(covariance - covariance.T).max() > rounding * size:
        raise InputError(f"The covariance of {who} is not symmetric; mu and sigma are wanted, not features.")
    symmetric = (covariance + covariance.T) / 2.0
    if size == 0.0:
        return symmetric
    try:
        np.linalg.cholesky(symmetric + np.eye(len(symmetric)) * (rounding * size))
    except np.linalg.LinAlgError as error:
        raise InputError(
            f"The covariance of {who} has directions of negative variance, so it is no covariance; make it again "
            "from the samples."
        ) from error
    return symmetric

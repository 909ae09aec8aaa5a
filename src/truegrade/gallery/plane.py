"""Two directions in which the samples are seen: principal components of real samples, or the data itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from truegrade.engine.blas import single_thread
from truegrade.engine.needs import Floats, Ints
from truegrade.samples import Samples

_ROWS = 2000
_ELEMENTS = 2**23  # of the matrix that the components are fitted on


@dataclass(frozen=True, eq=False)
class Plane:
    """points = (rows - centre) @ directions; `directions` (d, 2). How it was chosen and what its axes are, in words."""

    centre: Floats
    directions: Floats
    projection: str
    axes: tuple[str, str]

    def points(self, samples: Samples, rows: Ints) -> Floats:
        """Where the given rows lie, (p, 2)."""
        taken = samples.rows.take(rows.astype(np.intp)).astype(np.float64)
        return np.asarray((taken - self.centre) @ self.directions)


def plane_of(real: Samples, seed: int) -> Plane:
    """The plane of the two largest principal components of the real samples, fitted on at most 2,000 of them.

    Each direction points to where its largest component is positive. Samples of one or two features are shown as
    they are.
    """
    if real.d <= 2:
        return _as_they_are(real)
    rows = _fitting_rows(real, seed)
    taken = real.rows.take(rows).astype(np.float64)
    centre = taken.mean(0)
    taken -= centre
    scale = float(np.abs(taken).max())
    if scale == 0.0:
        return Plane(centre, np.eye(real.d, 2), "the first two features (all real samples are the same)", _axes(real))
    taken /= scale
    directions, shares = _components(taken)
    several = "" if len(rows) == real.n else f", fitted on {len(rows):,} of {real.n:,}"
    first, second = (f"principal component {i} ({share:.1%} of the variance)" for i, share in enumerate(shares, 1))
    return Plane(centre, directions, f"principal components of the real samples{several}", (first, second))


def _as_they_are(real: Samples) -> Plane:
    if real.d == 1:
        words = "the one feature along the first axis; the second is empty"
        return Plane(np.zeros(1), np.eye(1, 2), words, (_axis(real, 0), ""))
    return Plane(np.zeros(2), np.eye(2), "the two features as they are", _axes(real))


def _axes(real: Samples) -> tuple[str, str]:
    return _axis(real, 0), _axis(real, 1)


def _axis(real: Samples, feature: int) -> str:
    return f"feature {feature}" if real.columns is None else real.columns[feature]


def _fitting_rows(real: Samples, seed: int) -> Ints:
    most = min(_ROWS, max(256, _ELEMENTS // real.d))
    if real.n <= most:
        return np.arange(real.n)
    return np.sort(np.random.default_rng([seed, real.n]).choice(real.n, most, replace=False))


def _components(rows: Floats) -> tuple[Floats, tuple[float, float]]:
    """The two directions (d, 2) of centred rows, and the shares of the variance that they explain."""
    n, d = rows.shape
    with single_thread():  # the same digits on every machine; more threads hardly help here
        product = rows.T @ rows if d <= n else rows @ rows.T
        total, size = float(np.trace(product)), len(product)
        values, vectors = eigh(product, subset_by_index=[size - 2, size - 1], overwrite_a=True, check_finite=False)
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    directions = vectors if d <= n else rows.T @ vectors
    lengths = np.linalg.norm(directions, axis=0)
    directions = directions / np.where(lengths > 1e-9 * lengths[0], lengths, np.inf)
    signs = np.sign(directions[np.abs(directions).argmax(0), [0, 1]])
    first, second = (values / total).tolist()
    return directions * np.where(signs == 0, 1.0, signs), (first, second)

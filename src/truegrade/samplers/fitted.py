"""The samplers: fitted when they are made, `sample(n, rng)` draws. Every random number comes from `rng`."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError
from truegrade.samplers.gaussian import correlations, factor, normal_scores, uniforms
from truegrade.samplers.source import Column, Floats, Picks, Rows, read

Rng = int | np.random.Generator


class Sampler(ABC):
    """A sampler fitted on `data`: an (n, d) array of numbers, a data frame (pandas, polars, pyarrow), or a table of
    `truegrade.load_table`. Missing values are drawn like others.

    Raises InputError for data of another kind, without rows, or with infinite values.
    """

    def __init__(self, data: object) -> None:
        self._source = read(data, type(self).__name__)

    def sample(self, n: int, rng: Rng = 0) -> Any:
        """n rows: an (n, d) array for an array, a frame of the same library for a frame, a table for a table.

        rng: a seed, or a NumPy generator. Raises InputError unless n is a whole number above 0.
        """
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
            raise InputError(f"sample takes a whole number of rows above 0, not {n!r}.")
        return self._source.build(self._draw(int(n), np.random.default_rng(rng)))

    def __len__(self) -> int:
        """Rows that it was fitted on."""
        return len(self._source)

    @property
    def _columns(self) -> tuple[Column, ...]:
        return self._source.columns

    @abstractmethod
    def _draw(self, n: int, rng: np.random.Generator) -> Picks:
        """For every column rows of the data, or new values."""


class ExactCopy(Sampler):
    """Real rows in random order: a model that has learned its data by heart.

    No row comes twice before all have come once.
    """

    def _draw(self, n: int, rng: np.random.Generator) -> Picks:
        return [_deal(len(self._source), n, rng)] * len(self._columns)


class IndependentMargins(Sampler):
    """Every column shuffled by itself: perfect columns, and nothing that holds between them."""

    def _draw(self, n: int, rng: np.random.Generator) -> Picks:
        return [_deal(len(self._source), n, rng) for _ in self._columns]


class JitteredBootstrap(Sampler):
    """Real rows drawn with replacement, with normal noise on the numbers: nearly a copy.

    width: standard deviation of the noise, in standard deviations of the column. Dates, booleans and categories are
    drawn with their row and stay as they are; whole numbers stay whole.
    """

    def __init__(self, data: object, width: float = 0.1) -> None:
        super().__init__(data)
        if isinstance(width, bool) or not isinstance(width, (int, float)) or not 0 <= width < math.inf:
            raise InputError(f"width takes a number, 0 or more, not {width!r}.")
        self.width = float(width)

    def _draw(self, n: int, rng: np.random.Generator) -> Picks:
        rows = rng.integers(len(self._source), size=n)
        return [self._jittered(column, rows, rng) for column in self._columns]

    def _jittered(self, column: Column, rows: Rows, rng: np.random.Generator) -> NDArray[Any]:
        if not column.number:
            return rows
        _, sd = _moments(column.keys)
        return column.keys[rows] + rng.normal(0.0, self.width * sd, len(rows))


class _Gaussian(Sampler):
    """Correlated normal variables, one a column. `correlation` (d, d): what was fitted.

    Which values of a row are missing is drawn as a whole from the real rows, apart from the values.
    """

    def __init__(self, data: object) -> None:
        super().__init__(data)
        self.correlation = correlations(np.column_stack([self._latent(c) for c in self._columns]))
        self._factor = factor(self.correlation)
        self._missing = [np.isnan(c.keys) for c in self._columns]
        self._order = [np.argsort(c.keys, kind="stable")[: (~gone).sum()] for c, gone in self._both()]

    def _both(self) -> zip[tuple[Column, NDArray[np.bool_]]]:
        return zip(self._columns, self._missing, strict=True)

    @abstractmethod
    def _latent(self, column: Column) -> Floats:
        """What is correlated."""

    @abstractmethod
    def _values(self, at: int, latent: Floats) -> NDArray[Any]:
        """Picks of a column for normal draws."""

    def _draw(self, n: int, rng: np.random.Generator) -> Picks:
        latent = rng.standard_normal((n, len(self._columns))) @ self._factor.T
        pattern = rng.integers(len(self._source), size=n)
        picks = []
        for at, gone in enumerate(self._missing):
            made = self._values(at, latent[:, at]) if len(self._order[at]) else pattern
            hole: Any = pattern if made.dtype.kind == "i" else np.nan
            picks.append(np.where(gone[pattern], hole, made))
        return picks

    def _quantiles(self, at: int, latent: Floats) -> Rows:
        """Rows of the data at these places of the column's empirical distribution."""
        order = self._order[at]
        places = np.minimum((uniforms(latent) * len(order)).astype(np.intp), len(order) - 1)
        return np.asarray(order[places])


class GaussianCopula(_Gaussian):
    """Gaussian copula with empirical margins: only values that occur, as often as they occur, related by the
    correlation of their normal scores (of mid-ranks).

    A category is an interval of its normal variable as wide as its share; the most frequent lies lowest. So related
    categories stay related only as far as that order carries it.
    """

    def _latent(self, column: Column) -> Floats:
        return normal_scores(column.keys)

    def _values(self, at: int, latent: Floats) -> NDArray[Any]:
        return self._quantiles(at, latent)


class MultivariateNormal(_Gaussian):
    """A normal distribution of the same mean and covariance; whole numbers are rounded.

    Columns that are not numbers keep their own values, drawn as by GaussianCopula.
    """

    def _latent(self, column: Column) -> Floats:
        return column.keys if column.number else normal_scores(column.keys)

    def _values(self, at: int, latent: Floats) -> NDArray[Any]:
        column = self._columns[at]
        if not column.number:
            return self._quantiles(at, latent)
        mean, sd = _moments(column.keys)
        return mean + sd * latent


def _deal(count: int, n: int, rng: np.random.Generator) -> Rows:
    """n of `count` rows in random order, each one as often as any other, but for one."""
    rounds = [rng.permutation(count) for _ in range(-(-n // count))]
    return np.concatenate(rounds)[:n]


def _moments(keys: Floats) -> tuple[float, float]:
    """Mean and standard deviation (over N - 1) of the known values; 0 where there are too few."""
    known = keys[~np.isnan(keys)]
    mean = float(known.mean()) if len(known) else 0.0
    return mean, float(known.std(ddof=1)) if len(known) > 1 else 0.0

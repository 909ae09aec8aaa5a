"""What an attacker learns of a person's row from the synthetic table: the nearest row gives a column away."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from truegrade.engine.needs import Nearest
from truegrade.grading import Run
from truegrade.result.table import Measure
from truegrade.samples import Samples
from truegrade.tables import NUMERIC
from truegrade.tabular.rows.encode import Drawn

TARGETS = 1_000  # real rows that are attacked
COLUMNS = 60  # columns that are guessed
WITHIN = 0.05  # ranks by which the guess of a number may miss
_FEWEST = 20

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Attack:
    """Values guessed right (1) or not (0), (targets, columns), from synthetic and from fresh real rows, and the row
    that each guess was taken from. constant: by column the share that one guess for all gets right."""

    columns: tuple[str, ...]
    synthetic: Floats
    fresh: Floats
    from_synthetic: Ints
    from_fresh: Ints
    constant: Floats

    def measures(self) -> dict[str, Measure]:
        """By key of `truegrade.tabular.rows.privacy.MEASURES`."""
        fresh = float(self.fresh.mean())
        return {
            "attribute_inference": _mean(self.synthetic, (self.from_synthetic,), fresh),
            "attribute_advantage": _mean(self.synthetic - self.fresh, (self.from_synthetic, self.from_fresh)),
            "attribute_majority": Measure(float(self.constant.mean())),
        }

    def worst(self) -> tuple[str, float, float] | None:
        """The column that synthetic rows give away most beyond fresh ones, and both shares; None if it may be chance
        (4 standard errors)."""
        excess = self.synthetic - self.fresh
        at = int(np.argmax(excess.mean(0)))
        one = slice(at, at + 1)
        error = _error(excess[:, one], (self.from_synthetic[:, one], self.from_fresh[:, one]))
        if excess[:, at].mean() <= 4.0 * error + 1.0 / len(excess):
            return None
        return self.columns[at], float(self.synthetic[:, at].mean()), float(self.fresh[:, at].mean())


def attack(real: Drawn, synthetic: Drawn, holdout: Drawn | None, *, seed: int, run: Run) -> Attack | str:
    """Guess each column of some real rows from the nearest row in all other columns; a reason where that cannot be.

    Up to 1,000 real rows are attacked. The fresh rows are the hold-out, or without one the other real rows; both tables
    are cut to the size of the smaller one. A level is guessed right if it is the same (missing is one), a number within
    5 % of the real column's rows. Of more than 60 columns 60 evenly spaced ones are guessed.
    """
    names = [name for name in real.encoding.columns if not _constant(real, name)]
    if len(names) < 2:
        return "at least 2 columns that vary are needed"
    names = [names[i] for i in np.unique(np.linspace(0, len(names) - 1, min(len(names), COLUMNS)).astype(int))]
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(real))
    count = min(TARGETS, len(real) if holdout else len(real) // 2)
    targets = np.sort(order[:count])
    fresh = real if holdout is None else holdout
    rest = np.sort(order[count:]) if holdout is None else np.arange(len(holdout))
    size = min(len(rest), len(synthetic))
    if min(count, size) < _FEWEST:
        return f"{len(real)} real and {len(synthetic)} synthetic rows are too few; {2 * _FEWEST} are needed"
    known = np.sort(rng.permutation(len(synthetic))[:size])
    rest = np.sort(rng.permutation(rest)[:size])
    sides = {"real": (real, targets), "synthetic": (synthetic, known), "holdout": (fresh, rest)}
    vectors = {side: drawn.samples.array()[rows] for side, (drawn, rows) in sides.items()}
    hits, rows, constant = [], [], []
    for name in names:
        near = _nearest(vectors, real.encoding.spans[name], run)
        values = {side: drawn.values(name)[rows] for side, (drawn, rows) in sides.items()}
        right = _Right(real, name)
        hits.append([right(values["real"], values[side][near[side]]) for side in ("synthetic", "holdout")])
        rows.append([near[side] for side in ("synthetic", "holdout")])
        constant.append(right.constant())
    right_synthetic, right_fresh = (np.column_stack(part).astype(np.float64) for part in zip(*hits, strict=True))
    from_synthetic, from_fresh = (np.column_stack(part) for part in zip(*rows, strict=True))
    return Attack(tuple(names), right_synthetic, right_fresh, from_synthetic, from_fresh, np.array(constant))


def _constant(real: Drawn, name: str) -> bool:
    facts = real.coded.facts[name]
    return facts.distinct < 2 and not facts.missing


def _nearest(vectors: dict[str, NDArray[Any]], own: slice, run: Run) -> dict[str, NDArray[np.int64]]:
    """By side the row that is nearest to each target, the column's own coordinates left out."""
    sides = {
        side: Samples.from_array(np.ascontiguousarray(np.delete(rows, own, axis=1)), name=side)
        for side, rows in vectors.items()
    }
    needs = {side: Nearest("real", side, 1) for side in ("synthetic", "holdout")}
    found = run.answer(tuple(needs.values()), sides)
    return {side: found[need].indices[:, 0] for side, need in needs.items()}


class _Right:
    """Is a guess right? By the ranks of the real column for numbers, by level else."""

    def __init__(self, real: Drawn, name: str) -> None:
        self.number = real.coded.schema[name].type in NUMERIC
        self.values = real.values(name)
        self.ordered = np.sort(self.values[~np.isnan(self.values)]) if self.number else self.values

    def __call__(self, truth: NDArray[Any], guess: NDArray[Any]) -> NDArray[np.bool_]:
        if not self.number:
            return np.asarray(truth == guess)
        gone = np.isnan(truth), np.isnan(guess)
        near = np.abs(self._rank(truth) - self._rank(guess)) <= WITHIN
        return np.where(gone[0] | gone[1], gone[0] & gone[1], near)

    def _rank(self, values: Floats) -> Floats:
        ranks = np.searchsorted(self.ordered, values, "left") + np.searchsorted(self.ordered, values, "right")
        return np.asarray(ranks / (2.0 * max(1, len(self.ordered))))

    def constant(self) -> float:
        """The share of real rows that the best single guess gets right."""
        if not self.number:
            return float(np.unique(self.values, return_counts=True)[1].max() / len(self.values))
        guesses = np.append(np.quantile(self.ordered, np.linspace(0, 1, 21), method="nearest"), np.nan)
        return max(float(self(self.values, np.full(len(self.values), guess)).mean()) for guess in guesses)


def _mean(values: Floats, rows: tuple[Ints, ...], fresh: float | None = None) -> Measure:
    """The mean of (targets, columns) with its interval."""
    centre = float(values.mean())
    reach = -float(ndtri(0.025)) * _error(values, rows)
    return Measure(centre, centre - reach, centre + reach, fresh)


def _error(values: Floats, rows: tuple[Ints, ...]) -> float:
    """Standard error of the mean of (targets, columns).

    Values of one target vary together, and so do those that were guessed from one row: clustered by all of these
    (Cameron, Gelbach & Miller 2011, "Robust inference with multiway clustering"), at least by target.
    """
    residuals = (values - values.mean()).ravel()
    targets = np.repeat(np.arange(len(values)), values.shape[1])
    keys = [targets, *(part.ravel() for part in rows)]
    total = 0.0
    for size in range(1, len(keys) + 1):
        for chosen in combinations(keys, size):
            total += (-1.0) ** (size + 1) * _clustered(residuals, chosen)
    return math.sqrt(max(total, _clustered(residuals, (targets,)))) / values.size


def _clustered(residuals: Floats, keys: tuple[Ints, ...]) -> float:
    """Sum over clusters, rows that agree in all keys, of their squared sums."""
    cluster = np.zeros(len(residuals), np.int64)
    for key in keys:
        cluster = np.unique(cluster * (int(key.max()) + 1) + key, return_inverse=True)[1]
    return float((np.bincount(cluster, residuals) ** 2).sum())

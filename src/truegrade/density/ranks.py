"""Spearman's correlation score of sides too large to draw all rows again: draws from the samples it is taken on."""

from __future__ import annotations

import numpy as np

from truegrade.density.correlations import spearman
from truegrade.density.stats import Floats


def redrawn_ranks(real: Floats, synthetic: Floats, *, repeats: int, seed: int) -> Floats:
    """(repeats,) scores of real (n, 2) and synthetic (m, 2), rows of both drawn with replacement."""
    return _scores(real, synthetic, len(synthetic), repeats, seed, 4)


def ceilings_of_ranks(real: Floats, m: int, *, repeats: int, seed: int) -> Floats:
    """(repeats,) scores of n and m rows drawn from real (n, 2) with replacement."""
    return _scores(real, real, m, repeats, seed, 6)


def _scores(real: Floats, synthetic: Floats, m: int, repeats: int, seed: int, stream: int) -> Floats:
    out = np.empty(repeats)
    for r in range(repeats):
        first, second = (np.random.default_rng([seed, r, stream + side]) for side in (0, 1))
        a = spearman(real[first.integers(0, len(real), len(real))])
        out[r] = 1.0 - abs(a - spearman(synthetic[second.integers(0, len(synthetic), m)])) / 2
    return out

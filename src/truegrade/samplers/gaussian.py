"""Normal scores, correlations over what is known of each pair of columns, and draws with given correlations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri
from scipy.stats import rankdata

Floats = NDArray[np.float64]


def normal_scores(keys: Floats) -> Floats:
    """The standard normal quantiles of the mid-ranks, (rank - 1/2) / N over the known values; NaN stays NaN."""
    known = ~np.isnan(keys)
    scores = np.full(len(keys), np.nan)
    if known.any():
        scores[known] = ndtri((rankdata(keys[known]) - 0.5) / known.sum())
    return scores


def correlations(values: Floats) -> Floats:
    """Pearson correlations (d, d) of (N, d) values, each over the rows in which both columns are known.

    0 where one of them does not vary; 1 on the diagonal.
    """
    known = ~np.isnan(values)
    weight = known.astype(np.float64)
    counts = np.maximum(weight.sum(axis=0), 1.0)
    filled = np.where(known, values, 0.0)
    filled = np.where(known, filled - filled.sum(axis=0) / counts, 0.0)
    spread = np.sqrt((filled**2).sum(axis=0) / counts)
    filled /= np.where(spread > 0, spread, 1.0)
    both = np.maximum(weight.T @ weight, 1.0)
    mean = filled.T @ weight / both  # of the row's column, where the other one is known
    variance = (filled**2).T @ weight / both - mean**2
    covariance = filled.T @ filled / both - mean * mean.T
    scale = np.sqrt(np.clip(variance * variance.T, 0.0, None))
    found = np.divide(covariance, scale, out=np.zeros_like(scale), where=scale > 1e-12)
    np.fill_diagonal(found, 1.0)
    return np.asarray(np.clip(found, -1.0, 1.0), np.float64)


def factor(correlation: Floats) -> Floats:
    """The symmetric root L (d, d), L L the correlation; where missing values made it indefinite, of what is left of it.

    Negative eigenvalues become 0, and every variance 1 again. The symmetric root, because it hardly moves where the
    correlations hardly do.
    """
    values, vectors = np.linalg.eigh(correlation)
    root = vectors * np.sqrt(np.clip(values, 0.0, None)) @ vectors.T
    return np.asarray(root / np.linalg.norm(root, axis=1, keepdims=True), np.float64)


def uniforms(latent: Floats) -> Floats:
    """Normal draws as places in their distribution, 0 to 1."""
    return np.asarray(ndtr(latent))

"""Squared distances between rows: near pairs keep their digits, equal rows are at 0, tiles are parts of the whole."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from truegrade.metrics import distances
from truegrade.metrics.distances import squared_distances, squared_tiles


def rows(d, near):
    """150 rows about two far points, and as many of which 70 are equal to them and the others near by."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(150, d)) + 5.0 * rng.integers(0, 2, (150, 1))
    return X, np.concatenate([X[:70], X[70:] + near * rng.normal(size=(80, d))])


@pytest.mark.parametrize("d", [3, 40])
@pytest.mark.parametrize("near", [1e-6, 1e-3, 30.0])
@pytest.mark.parametrize("tile", [1 << 17, 700])
def test_they_are_those_of_differences(monkeypatch, d, near, tile):
    monkeypatch.setattr(distances, "_TILE", tile)
    monkeypatch.setattr(distances, "_ROWS_OF_ALL", tile)
    monkeypatch.setattr(distances, "_NUMBERS", tile)
    X, Y = rows(d, near)
    exact = cdist(X, Y, "sqeuclidean")
    np.testing.assert_allclose(squared_distances(X, Y), exact, rtol=1e-12, atol=0)
    parts = list(squared_tiles(X, Y))
    assert np.concatenate([np.arange(150)[at] for at, _ in parts]).tolist() == list(range(150))
    np.testing.assert_allclose(np.concatenate([tile for _, tile in parts]), exact, rtol=1e-9, atol=0)


def test_many_near_pairs_are_all_taken_from_differences():
    """Two narrow groups far from the middle: the products of lengths of 1e4 leave no digit of distances of 1e-5."""
    rng = np.random.default_rng(6)
    X = 1e3 * rng.choice([-1.0, 1.0], (60, 1)) + 1e-6 * rng.normal(size=(60, 40))
    exact = cdist(X, X, "sqeuclidean")
    np.testing.assert_allclose(squared_distances(X, X), exact, rtol=1e-12, atol=0)
    np.testing.assert_allclose(np.concatenate([tile for _, tile in squared_tiles(X, X)]), exact, rtol=1e-9, atol=0)

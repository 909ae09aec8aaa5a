"""The example in examples/grade_inflation: its pairs, what sdmetrics said of them, and one short run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import ks_2samp

import truegrade as tg

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "examples"))

from grade_inflation import cases, command, measure  # noqa: E402

DATASAURUS = ROOT / "../shared/data/tables/datasaurus_dozen.tsv"
PAIRS = {case.key: case for case in cases.cases()}


def similarity(real: np.ndarray, synthetic: np.ndarray) -> float:
    """sdmetrics' correlation similarity, from its definition."""
    return float(1 - abs(np.corrcoef(real.T)[0, 1] - np.corrcoef(synthetic.T)[0, 1]) / 2)


@pytest.mark.parametrize("key", list(PAIRS))
def test_what_sdmetrics_said_follows_from_its_formulas_on_the_same_points(key: str) -> None:
    case = PAIRS[key]
    real, synthetic = case.real, case.draw(0)
    said = measure.recorded()["pairs"][key]
    trend = similarity(real, synthetic)
    shapes = np.mean([1 - ks_2samp(real[:, at], synthetic[:, at]).statistic for at in (0, 1)])
    assert said["correlation_similarity"] == pytest.approx(trend, abs=1e-6)
    assert said["column_shapes"] == pytest.approx(shapes, abs=1e-6)
    graded = abs(np.corrcoef(real.T)[0, 1]) > 0.4  # pairs that are less correlated are left out of its report
    assert said["column_pair_trends"] == (pytest.approx(trend, abs=1e-6) if graded else None)
    assert said["quality"] == pytest.approx(np.mean([shapes, trend]) if graded else shapes, abs=1e-6)


def test_the_record_says_what_made_it_and_holds_these_pairs() -> None:
    record = measure.recorded()
    assert record["versions"]["sdmetrics"] == "0.32.0"
    assert set(record["pairs"]) == set(PAIRS)


def test_shuffled_columns_are_perfect_to_sdmetrics() -> None:
    said = measure.recorded()["pairs"]["ring"]
    assert said["quality"] == said["column_shapes"] == 1.0
    assert said["correlation_similarity"] > 0.99

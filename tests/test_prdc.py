"""Agreement with published code: prdc 0.2 to the last digit, and the clipped pair's published numbers."""

from __future__ import annotations

import contextlib
import io

import numpy as np
import pytest
from prdc import compute_prdc

from grading import PROVIDERS, grade_all
from oracles import brute
from truegrade import metrics as tm

FOUR = (tm.Precision, tm.Recall, tm.Density, tm.Coverage)
CASES = [(200, 200, 2, 3), (150, 230, 5, 5), (400, 300, 16, 5), (300, 300, 64, 10), (120, 500, 128, 1)]


def _pair(case):
    n, m, d, _ = case
    rng = np.random.default_rng([n, m, d])
    return rng.normal(size=(n, d)), 0.9 * rng.normal(size=(m, d)) + 0.2 / np.sqrt(d)


def _prdc(real, synthetic, k):
    with contextlib.redirect_stdout(io.StringIO()):
        return compute_prdc(real, synthetic, k)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_prdc_is_reproduced_to_the_last_digit(case, provider):
    real, synthetic = _pair(case)
    outcomes = grade_all([c(k=case[3], ties="strict") for c in FOUR], real, synthetic, provider)
    theirs = _prdc(real, synthetic, case[3])
    assert {key: o.value for key, o in outcomes.items()} == theirs
    assert sum(v not in (0, 1) for v in theirs.values()) >= 2  # cases in which something can go wrong


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_closed_equals_strict_on_continuous_data(case, provider):
    real, synthetic = _pair(case)
    kinds = (*FOUR, tm.ComplementPrecision, tm.SymmetricPrecision, tm.SymmetricRecall)
    closed, strict = (
        grade_all([kind(k=case[3], ties=ties) for kind in kinds], real, synthetic, provider)
        for ties in ("closed", "strict")
    )
    assert {key: o.value for key, o in closed.items()} == {key: o.value for key, o in strict.items()}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_closed_and_strict_differ_on_integers(provider):
    rng = np.random.default_rng(5)
    real, synthetic = (rng.integers(0, 6, (150, 2)).astype(float) for _ in range(2))
    closed = grade_all([c(k=3) for c in FOUR], real, synthetic, provider)
    strict = grade_all([c(k=3, ties="strict") for c in FOUR], real, synthetic, provider)
    for key, oracle in (("density", brute.density), ("coverage", brute.coverage)):
        assert closed[key].value == pytest.approx(oracle(real, synthetic, 3), rel=1e-14)
        assert strict[key].value == pytest.approx(oracle(real, synthetic, 3, strict=True), rel=1e-14)
        assert strict[key].value < closed[key].value


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("case", CASES[:4], ids=str)
def test_official_clipped_pair_on_continuous_data(case, provider):
    """The published clipped density equals the formula; the published coverage is one step of the table."""
    real, synthetic = _pair(case)
    m, k = len(synthetic), case[3]
    ours = grade_all([tm.ClippedDensity(k=k), tm.ClippedCoverage(k=k)], real, synthetic, provider)
    theirs = grade_all(
        [tm.ClippedDensity(k=k, compat="official"), tm.ClippedCoverage(k=k, compat="official")],
        real,
        synthetic,
        provider,
    )
    assert theirs["clipped_density"].value == ours["clipped_density"].value
    step, entries = brute.clipped_coverage_official_step(real, synthetic, k)
    assert theirs["clipped_coverage"].value == step / entries
    if ours["clipped_coverage"].raw < 1:
        assert (step - 1) / m <= ours["clipped_coverage"].raw <= step / m
    else:
        assert step == m + 1


@pytest.mark.parametrize("provider", PROVIDERS)
def test_official_clipped_coverage_near_0_jumps_to_k(provider):
    """Entries below m = k are set to 0 there, so that any hit at all is read as k of M + 1 samples."""
    rng = np.random.default_rng(1)
    real, synthetic = rng.normal(size=(40, 2)), rng.normal(size=(30, 2)) + 100.0
    official = tm.ClippedCoverage(compat="official")
    assert grade_all([official], real, synthetic, provider)["clipped_coverage"].value == 0.0
    synthetic[0] = real[0] + 1e-3
    hit = grade_all([official], real, synthetic, provider)["clipped_coverage"]
    assert 0 < hit.details["unnormalised"] < 5 / 40
    assert hit.value == 5 / 31

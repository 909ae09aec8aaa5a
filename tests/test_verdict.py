"""Verdicts on simulated models of known faults: every statement must be true of how they were made."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

import truegrade as tg
from truegrade.report.verdict import Verdict, judge
from truegrade.report.words import comparison_words, gap, noise, together
from truegrade.result import Interval, Reference, Score

Rows = NDArray[np.float64]


def normal(seed: int, n: int, d: int, scale: float = 1.0) -> Rows:
    return scale * np.random.default_rng(seed).normal(size=(n, d))


def verdict(real: Rows, synthetic: Rows) -> Verdict:
    return judge(tg.evaluate(real, synthetic))


@pytest.mark.parametrize(("n", "d"), [(300, 2), (300, 16), (300, 64)])
def test_fresh_samples_of_the_same_law_are_not_blamed(n: int, d: int) -> None:
    assert verdict(normal(0, n, d), normal(1, n, d)).code in ("indistinguishable", "good")


def test_fresh_samples_with_heavy_tails_are_not_called_contracted() -> None:
    """In 128 dimensions real samples with heavy tails have raw clipped densities above 1.2 against each other."""
    rng = np.random.default_rng(4)
    real, fresh, holdout = rng.standard_t(3, size=(3, 200, 128))
    found = judge(tg.evaluate(real, fresh, holdout=holdout))
    assert found.code in ("indistinguishable", "good")


@pytest.mark.parametrize("d", [2, 16])
def test_bad_samples_are_not_a_lack_of_variety(d: int) -> None:
    """Half of the samples are noise; the other half covers everything."""
    synthetic = normal(1, 400, d)
    synthetic[:200] += normal(2, 200, d, scale=8.0)
    found = verdict(normal(0, 400, d), synthetic)
    assert found.code == "unrealistic"
    assert "variety" not in found.words


def test_contraction_is_named_before_what_it_causes() -> None:
    found = verdict(normal(0, 300, 16), normal(1, 300, 16, scale=0.7))
    assert found.code == "contracted"
    assert found.words.startswith("Samples huddle")
    assert "misses part of the variety" in found.words
    assert "unrealistic" not in found.words


def test_missing_modes_are_a_lack_of_variety_only() -> None:
    rng, centres = np.random.default_rng(3), normal(9, 10, 16, scale=4.0)
    real, synthetic = (centres[rng.integers(low, 10, 400)] + rng.normal(size=(400, 16)) for low in (0, 5))
    found = verdict(real, synthetic)
    assert found.code == "misses"
    assert "unrealistic" not in found.words


@pytest.mark.parametrize(("split", "held"), [(0, False), (1, True), (2, False)])
def test_real_digits_against_real_digits_are_indistinguishable(split: int, held: bool) -> None:
    """500 against 500, with and without a hold-out; 40 of 40 splits either way when this was measured."""
    from sklearn.datasets import load_digits

    rows = load_digits().data
    order = np.random.default_rng([split, 7]).permutation(len(rows))
    real, synthetic, holdout = (rows[order[i * 500 : (i + 1) * 500]] for i in range(3))
    found = tg.evaluate(real, synthetic, holdout=holdout if held else None, seed=split)
    assert judge(found).code == "indistinguishable"


def test_looking_at_many_scores_widens_the_noise_as_bonferroni_did() -> None:
    assert together(1) == pytest.approx(1.0)
    assert together(10) == pytest.approx(2.80703 / 1.95996, rel=1e-5)


def test_noise_of_a_distance_counts_the_error_of_its_floor() -> None:
    floor = Reference(0.8, 50, 50, "", error=0.2)
    assert noise(score(floor=floor, lower=True)) == pytest.approx((0.1**2 + (1.959964 * 0.2) ** 2) ** 0.5)


def score(**changes: object) -> Score:
    real = normal(0, 100, 2)
    found = tg.evaluate(real, normal(1, 100, 2), metrics=["coverage", "energy_distance"])
    key = "energy_distance" if changes.pop("lower", False) else "coverage"
    return replace(found[key], value=0.8, interval=Interval(0.7, 0.9, 0.95, "x"), **changes)  # type: ignore[arg-type]


def test_the_long_upper_part_of_an_interval_does_not_hide_that_a_distance_is_above_its_floor() -> None:
    far = replace(score(floor=Reference(0.1, 100, 100, ""), lower=True), value=0.5)
    skewed = replace(far, interval=Interval(0.3, 2.5, 0.95, "made up"))
    assert noise(skewed) == pytest.approx(0.2)
    assert comparison_words(skewed) != "as good as real data"
    assert comparison_words(replace(skewed, interval=Interval(0.0, 2.5, 0.95, "made up"))) == "as good as real data"


def test_a_wider_law_is_found_by_the_frechet_distance_and_fresh_samples_are_not() -> None:
    """Scale 1.2 in 8 dimensions is beyond noise in most draws, as chance has it in hardly any."""
    seen = {1.0: 0, 1.2: 0}
    for seed in range(10):
        for scale in seen:
            found = tg.evaluate(
                normal(seed, 200, 8), normal(100 + seed, 200, 8, scale), metrics=["frechet_distance"], exhibits=False
            )["frechet_distance"]
            apart = gap(found)
            assert apart is not None
            seen[scale] += apart > together(13) * noise(found)
    assert seen[1.0] == 0
    assert seen[1.2] >= 6


def test_noise_counts_the_error_of_the_floor_at_its_own_size() -> None:
    same, half = Reference(0.8, 100, 100, ""), Reference(0.8, 50, 50, "")
    assert noise(score(floor=same)) == pytest.approx(0.1 * 2**0.5)
    assert noise(score(floor=half)) == pytest.approx(0.1 * 3**0.5)
    assert noise(score(floor=replace(half, scaled=True))) == pytest.approx(0.1 * 2**0.5)
    assert noise(score(floor=half, lower=True)) == pytest.approx(0.1)
    assert noise(replace(score(), interval=None)) == 0.0


def test_blind_spots_of_the_clipped_pair_are_said_once_with_what_sees_them() -> None:
    shown = str(tg.evaluate(normal(0, 100, 3), normal(1, 100, 3), metrics=["clipped_density", "clipped_coverage"]))
    flat = " ".join(shown.split())
    assert flat.count("cannot see modes shrunk to their centres") == 1
    assert "symmetric precision and recall, the 1-NN test and the copy check" in flat


@pytest.mark.parametrize("share", [0.05, 0.1, 0.2])
def test_a_few_near_copies_among_good_samples_are_found(share: float) -> None:
    """They sit at a fifth of the way from a training sample to its nearest neighbour."""
    rng = np.random.default_rng(7)
    real, synthetic = rng.normal(size=(2, 600, 16))
    count = round(share * 600)
    away = rng.normal(size=(count, 16))
    own = np.sort(np.linalg.norm(real[:count, None] - real, axis=2), axis=1)[:, 1:2]
    synthetic[:count] = real[:count] + 0.2 * own * away / np.linalg.norm(away, axis=1, keepdims=True)
    verdict = judge(tg.evaluate(real, synthetic, exhibits=False))
    assert verdict.code == "copies"
    assert f"about {share:.0%} of the samples are near copies" in verdict.words


@pytest.mark.parametrize("d", [2, 16])
@pytest.mark.parametrize("m", [3, 5])
def test_a_handful_of_fresh_samples_is_not_called_contracted(m: int, d: int) -> None:
    """So few have no floors, and raw clipped densities above 1.2 by chance."""
    codes = [verdict(normal(s, 200, d), normal(100 + s, m, d)).code for s in range(8)]
    assert codes == ["unknown"] * 8


def test_contraction_without_floors_is_still_named() -> None:
    real, narrow = normal(0, 300, 16), normal(1, 300, 16, scale=0.5)
    assert judge(tg.evaluate(real, narrow, floor=False)).code == "contracted"


def test_scores_that_look_worse_alone_are_named_beside_the_verdict() -> None:
    """One score of ten between its own noise and the noise widened for all: nothing is found, but it is said."""
    found = tg.evaluate(normal(0, 300, 2), normal(1, 300, 2))
    assert judge(found).words == "Good: indistinguishable from real data by these scores."
    one = found["recall"]
    assert one.value is not None
    floor = Reference(one.value, 300, 300, "", scaled=True)
    wide = replace(one, value=0.8 * one.value, interval=Interval(0.67, 0.93, 0.95, "made up"), floor=floor)
    assert noise(wide) < 0.2 * one.value < together(len(found)) * noise(wide)
    words = judge(replace(found, scores={**found.scores, "recall": wide})).words
    assert words == "Good: indistinguishable from real data by these scores. Worse alone, which may be chance: Recall."

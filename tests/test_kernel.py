"""Kernel distance and MMD: direct sums, exact rational values, offsets, subsets, roots and p-values."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from grading import PROVIDERS, grade
from oracles import distances as oracle
from truegrade.errors import InputError
from truegrade.metrics.kernel import KernelDistance, subset_kernel_distances
from truegrade.metrics.mmd import MMD
from truegrade.metrics.permutation import permutation_test
from truegrade.samples import Samples


def two_sets(seed, n=30, m=24, d=5):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), 0.4 + 1.2 * rng.normal(size=(m, d))


# --- kernel distance ----------------------------------------------------------------------------------


@pytest.mark.parametrize("provider", PROVIDERS)
def test_kernel_distance_is_the_exact_rational_value(provider):
    X, Y = two_sets(0)
    score = grade(KernelDistance(), X, Y, provider)
    assert score.value == pytest.approx(oracle.kernel_distance_exact(X, Y), rel=1e-9)
    witness = score.per_sample
    assert witness["real"].mean() + witness["synthetic"].mean() == pytest.approx(score.value, rel=1e-9)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_n9_a_negative_value_of_six_samples_is_right(provider):
    rng = np.random.default_rng(3)
    X, Y = rng.normal(size=(2, 6, 8))
    score = grade(KernelDistance(), X, Y, provider)
    assert score.value == pytest.approx(oracle.kernel_distance_exact(X, Y), rel=1e-9)
    assert score.value < 0
    assert score.value + 1.96 * score.standard_error > 0


def test_n10_a_subset_larger_than_the_sets_shrinks_with_a_note():
    rng = np.random.default_rng(1)
    X, Y = rng.normal(size=(876, 4)), rng.normal(size=(900, 4))
    score = grade(KernelDistance(compat="subsets", subsets=3), X, Y)
    assert score.details["subset_size"] == 876
    assert [w.code for w in score.warnings] == ["subset_shrunk"]
    assert "Subset size 1000 is larger than the smaller set; 876 was used." in score.warnings[0].text
    assert KernelDistance().compat is None
    assert grade(KernelDistance(), X[:50], Y[:40]).warnings == ()


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("how", [KernelDistance(), KernelDistance("subsets", 1, 20)])
def test_n11_features_shifted_by_1000_in_float32(how, provider):
    rng = np.random.default_rng(4)
    X, Y = (np.round((rng.normal(size=(20, 6)) + t) * 4096) / 4096 for t in (0.0, 0.25))
    X, Y = np.float32(X + 1e3), np.float32(Y + 1e3)
    exact = oracle.kernel_distance_exact(X, Y)
    assert grade(how, X, Y, provider).value == pytest.approx(exact, rel=1e-6)


def test_subsets_are_seeded_and_average_the_unbiased_estimate():
    X, Y = two_sets(5, 60, 50)
    a, b = Samples.from_array(X), Samples.from_array(Y)
    values = subset_kernel_distances(a, b, seed=1, size=20, subsets=7)
    np.testing.assert_array_equal(values, subset_kernel_distances(a, b, seed=1, size=20, subsets=7))
    assert not np.array_equal(values, subset_kernel_distances(a, b, seed=2, size=20, subsets=7))
    score = grade(KernelDistance("subsets", 7, 20, seed=1), X, Y)
    assert score.value == pytest.approx(values.mean())
    assert score.details["subset_sd"] == pytest.approx(values.std())
    assert score.standard_error is None
    whole = grade(KernelDistance("subsets", 2, 50), X[:50], Y)
    assert whole.value == pytest.approx(oracle.kernel_distance_exact(X[:50], Y), rel=1e-9)
    many = grade(KernelDistance("subsets", 400, 20), X, Y)
    full = grade(KernelDistance(), X, Y).value
    assert many.value == pytest.approx(full, abs=5 * many.details["subset_sd"] / 20)


def test_standard_errors_are_the_scatter_of_repeats():
    rng = np.random.default_rng(6)
    for metric in (KernelDistance(), MMD(bandwidth=1.0)):
        scores = [grade(metric, rng.normal(size=(70, 2)), 1 + rng.normal(size=(50, 2))) for _ in range(300)]
        scatter = np.std([s.value for s in scores])
        assert np.mean([s.standard_error for s in scores]) == pytest.approx(scatter, rel=0.15)


# --- MMD ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("unbiased", [True, False])
@pytest.mark.parametrize("scales", [(1.0,), (0.5, 1.0, 2.0)])
def test_mmd_is_its_definition(scales, unbiased, provider):
    X, Y = two_sets(7)
    estimator = "unbiased" if unbiased else "biased"
    score = grade(MMD(scales=scales, estimator=estimator), X, Y, provider)
    width = oracle.pooled_median(X, Y)
    expected = oracle.two_sample_statistic(X, Y, oracle.gaussian(width, scales), unbiased)
    assert score.details["bandwidth"] == pytest.approx(width, rel=1e-9)
    assert score.value == pytest.approx(expected, rel=1e-6)
    fixed = grade(MMD(1.7, scales, estimator), X, Y, provider)
    expected = oracle.two_sample_statistic(X, Y, oracle.gaussian(1.7, scales), unbiased)
    assert fixed.value == pytest.approx(expected, rel=1e-6)
    rooted = grade(MMD(1.7, scales, estimator, root=True), X, Y, provider)
    assert rooted.value == pytest.approx(np.sign(expected) * abs(expected) ** 0.5, rel=1e-6)
    assert rooted.standard_error == pytest.approx(fixed.standard_error / (2 * abs(expected) ** 0.5), rel=1e-5)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_mmd_with_the_median_of_the_real_set(provider):
    X, Y = two_sets(8)
    expected = oracle.two_sample_statistic(X, Y, oracle.gaussian(oracle.pooled_median(X)), True)
    assert grade(MMD("median-real"), X, Y, provider).value == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_published_convention_of_2018(provider):
    X, Y = two_sets(9)
    width = oracle.root_mean_square_distance(X)
    squared = oracle.two_sample_statistic(X, Y, oracle.gaussian(width), unbiased=False)
    score = grade(MMD(compat="gan-metrics"), X, Y, provider)
    assert score.value == pytest.approx(squared**0.5, rel=1e-6)
    assert score.details["bandwidth"] == pytest.approx(width, rel=1e-9)
    assert score.details["estimator"] == "biased"


@pytest.mark.parametrize("provider", PROVIDERS)
def test_n20_a_permutation_of_itself_is_0_and_its_root_no_error(provider):
    X = np.random.default_rng(10).normal(size=(300, 16)).astype(np.float32)
    Y = X[np.random.default_rng(11).permutation(300)]
    score = grade(MMD(estimator="biased", root=True), X, Y, provider)
    assert score.value == 0.0
    assert grade(MMD(compat="gan-metrics"), X, Y, provider).value == 0.0
    signed = grade(MMD(root=True), X, Y, provider)
    assert signed.value == pytest.approx(-((-signed.details["squared"]) ** 0.5))
    assert signed.value < 0


def test_n22_no_exceedance_gives_one_in_n_plus_1():
    X, Y = two_sets(12)
    score = grade(MMD(permutations=99), X, Y + 50.0)
    assert score.details["p_value"] == pytest.approx(1 / 100)
    assert grade(MMD(), X, Y).details["p_value"] is None


def test_the_permutation_test_approaches_all_relabellings():
    rng = np.random.default_rng(13)
    X, Y = rng.normal(size=(5, 2)), 1.5 + rng.normal(size=(4, 2))
    for estimator in ("unbiased", "biased"):
        exact = oracle.permutation_p_value_all(X, Y, oracle.gaussian(1.5), estimator == "unbiased")
        score = grade(MMD(1.5, estimator=estimator, permutations=4000), X, Y)
        assert 0.02 < exact < 0.9
        assert score.details["p_value"] == pytest.approx(exact, abs=4 * (exact * (1 - exact) / 4000) ** 0.5)


@pytest.mark.parametrize("unbiased", [True, False])
def test_the_permutation_test_compares_the_score_itself(unbiased):
    X, Y = two_sets(18)
    how = {"bandwidth": "median", "permutations": 1, "scales": (0.5, 2.0), "seed": 0, "unbiased": unbiased}
    test = permutation_test(Samples.from_array(X), Samples.from_array(Y), **how)
    score = grade(MMD(scales=(0.5, 2.0), estimator="unbiased" if unbiased else "biased"), X, Y)
    assert test.observed == pytest.approx(score.value, rel=1e-10)
    assert (test.n, test.m) == (len(X), len(Y))


def test_p_values_of_one_law_are_uniform():
    rng = np.random.default_rng(14)
    p = []
    for t in range(120):
        X, Y = rng.normal(size=(2, 20, 3))
        p.append(grade(MMD(permutations=60, seed=t), X, Y).details["p_value"])
    assert np.mean(p) == pytest.approx(0.5, abs=4 * (1 / 12 / 120) ** 0.5)
    assert np.mean(np.array(p) <= 0.1) < 0.2


def test_large_sets_are_sub_sampled_for_the_p_value_and_it_is_said(monkeypatch):
    monkeypatch.setattr("truegrade.metrics.permutation.POOLED_LIMIT", 60)
    X, Y = two_sets(15, 100, 50)
    score = grade(MMD(permutations=20, seed=4), X, Y)
    assert [w.code for w in score.warnings] == ["permutation_subset"]
    assert "computed on 40 real and 20 synthetic rows (seed 4)" in score.warnings[0].text
    assert score.value == pytest.approx(grade(MMD(), X, Y).value)


def test_the_permutation_test_keeps_its_digits_far_from_the_origin():
    X, Y = two_sets(16)

    def tested(shift):
        sides = (Samples.from_array(X + shift), Samples.from_array(Y + shift))
        return permutation_test(
            *sides, bandwidth="median", permutations=200, scales=(1.0,), seed=0, unbiased=True
        )

    far, near = tested(1e8), tested(0.0)
    assert far.observed == pytest.approx(near.observed, rel=1e-6)
    assert far.p_value == near.p_value


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: MMD(bandwidth=0.0), "bandwidth=0.0 given; a positive number or one of median"),
        (lambda: MMD(bandwidth="mean"), "bandwidth='mean' given"),
        (lambda: MMD(scales=()), "scales=\\(\\) given"),
        (lambda: MMD(scales=(1.0, -2.0)), "scales=\\(1.0, -2.0\\) given"),
        (lambda: MMD(scales=2.0), "scales=2.0 given"),
        (lambda: MMD(estimator="U"), "estimator='U' given"),
        (lambda: MMD(permutations=-1), "permutations=-1 given"),
        (lambda: MMD(compat="other"), "compat='other' given"),
        (lambda: MMD(compat="gan-metrics", root=True), "fixes bandwidth"),
        (lambda: MMD("median-real", permutations=9), "does not depend on which samples are real"),
        (lambda: KernelDistance(compat="fid"), "compat='fid' given"),
        (lambda: KernelDistance(subset_size=1), "subset_size=1 given"),
    ],
)
def test_parameters_are_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_records_follow_the_parameters():
    assert (MMD().info.bias, MMD(estimator="biased").info.bias) == (None, "1/n")
    assert MMD(estimator="biased").info.identical == 0.0
    assert "scale" in MMD().info.invariances
    assert "scale" not in MMD(bandwidth=2.0).info.invariances
    assert MMD().info.symmetric
    assert not MMD("median-real").info.symmetric


@pytest.mark.parametrize("shift", [0.0, 1000.0])
def test_n11_sets_large_enough_for_float32_products(shift):
    rng = np.random.default_rng(17)
    X = (rng.normal(size=(2300, 24)) + shift).astype(np.float32)
    Y = (rng.normal(size=(2100, 24)) + 0.05 + shift).astype(np.float32)
    A, B = X.astype(np.float64), Y.astype(np.float64)
    width = 6.0

    def statistic(h):
        n, m, real, synthetic = len(A), len(B), h(A, A), h(B, B)
        np.fill_diagonal(real, 0.0)
        np.fill_diagonal(synthetic, 0.0)
        return real.sum() / (n * (n - 1)) + synthetic.sum() / (m * (m - 1)) - 2 * h(A, B).mean()

    expected = statistic(lambda a, b: np.exp(cdist(a, b, "sqeuclidean") / (-2 * width**2)))
    assert grade(MMD(width), X, Y, "engine").value == pytest.approx(expected, rel=1e-5)

    def cubic(a, b):
        k = np.longdouble(a @ b.T) / 24 + 1
        return k * k * k

    expected = statistic(cubic)
    assert grade(KernelDistance(), X, Y, "engine").value == pytest.approx(float(expected), rel=1e-5)

"""Reference values: three formula-made data sets, four examples worked by hand, exact tables, ties on a grid.

Every value is checked against the naive definitions (oracles/brute.py) and against the metrics, the latter
with naive answers and with the engine's.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from grading import PROVIDERS, grade
from oracles import brute
from truegrade import metrics as tm
from truegrade.metrics.placements import expected_hits

Pair = tuple[NDArray[np.float64], NDArray[np.float64]]
SUBJECTS = ["oracle", *PROVIDERS]


def waves(n: int, m: int, d: int) -> Pair:
    """Reproducible data without a random generator."""
    i, j, rate = np.arange(1, n + 1)[:, None], np.arange(1, m + 1)[:, None], np.sqrt(np.arange(2, d + 2))
    real = np.sin(i * rate * 1.7391 + 0.3 * i * i / n)
    return real, 1.15 * np.sin(0.4 + j * rate * 1.5772 + 0.3 * j * j / m) + 0.1


GOLDEN = {"G1": (40, 40, 2, 3), "G2": (60, 45, 3, 5), "G3": (100, 100, 8, 5)}

# key: (metric of k, oracle of (X, Y, k), values on G1, G2, G3, half a unit of the last digit given)
VALUES = {
    "precision": (lambda k: tm.Precision(k=k), brute.precision, (0.775, 0.9111111111, 0.95), 5.1e-11),
    "recall": (lambda k: tm.Recall(k=k), brute.recall, (0.95, 1, 1), 5.1e-11),
    "density": (lambda k: tm.Density(k=k), brute.density, (0.625, 0.68, 0.72), 5.1e-11),
    "coverage": (lambda k: tm.Coverage(k=k), brute.coverage, (0.825, 0.85, 0.98), 5.1e-11),
    "symmetric_precision": (
        lambda k: tm.SymmetricPrecision(k=k),
        brute.symmetric_precision,
        (0.65, 0.9111111111, 0.95),
        5.1e-11,
    ),
    "symmetric_recall": (
        lambda k: tm.SymmetricRecall(k=k),
        brute.symmetric_recall,
        (0.825, 0.85, 0.98),
        5.1e-11,
    ),
    "p_precision": (
        lambda k: tm.PPrecision(k=k),
        brute.p_precision,
        (0.5227870743, 0.7256568228, 0.786237138),
        5.1e-11,
    ),
    "p_recall": (
        lambda k: tm.PRecall(k=k),
        brute.p_recall,
        (0.5474625904, 0.9417681344, 0.9552093344),
        5.1e-11,
    ),
    "precision_cover": (
        lambda k: tm.PrecisionCover(),
        lambda X, Y, k: brute.precision_cover(X, Y),
        (1, 1, 1),
        0,
    ),
    "recall_cover": (
        lambda k: tm.RecallCover(),
        lambda X, Y, k: brute.recall_cover(X, Y),
        (0.775, 0.833333, 0.9),
        5.1e-7,
    ),
}

# the same for raw (unclipped) values
RAW = {
    "clipped_density": (
        lambda k: tm.ClippedDensity(k=k),
        brute.clipped_density_raw,
        (0.653846153846, 0.706214689266, 0.851632047478),
        5.1e-13,
    ),
    "clipped_density official": (
        lambda k: tm.ClippedDensity(k=k, compat="official"),
        brute.clipped_density_official_raw,
        (0.653846153846, 0.706214689266, 0.851632047478),
        5.1e-13,
    ),
    "clipped_coverage": (
        lambda k: tm.ClippedCoverage(k=k),
        brute.clipped_coverage_raw,
        (0.577434013884, 0.679416317702, 0.765005120244),
        5.1e-13,
    ),
}


def _cases(table: dict) -> list:
    return [
        pytest.param(make, oracle, name, value, tolerance, id=f"{name}-{key}")
        for key, (make, oracle, values, tolerance) in table.items()
        for name, value in zip(GOLDEN, values, strict=True)
    ]


@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize(("make", "oracle", "name", "value", "tolerance"), _cases(VALUES))
def test_golden_value(make, oracle, name, value, tolerance, subject):
    n, m, d, k = GOLDEN[name]
    X, Y = waves(n, m, d)
    got = oracle(X, Y, k) if subject == "oracle" else grade(make(k), X, Y, subject).value
    assert got == pytest.approx(value, abs=tolerance, rel=1e-15)


@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize(("make", "oracle", "name", "value", "tolerance"), _cases(RAW))
def test_golden_raw_value(make, oracle, name, value, tolerance, subject):
    n, m, d, k = GOLDEN[name]
    X, Y = waves(n, m, d)
    if subject == "oracle":
        assert oracle(X, Y, k) == pytest.approx(value, abs=tolerance)
        return
    outcome = grade(make(k), X, Y, subject)
    assert outcome.raw == pytest.approx(value, abs=tolerance)
    assert outcome.value == min(outcome.raw, 1.0)


@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize(
    ("name", "y", "official", "upper"),
    [
        ("G1", 0.5, Fraction(24, 41), 0.6),
        ("G2", 0.483333333333, Fraction(31, 46), 0.688888888889),
        ("G3", 0.652, Fraction(77, 101), 0.77),
    ],
)
def test_golden_clipped_coverage_conventions(name, y, official, upper, subject):
    n, m, d, k = GOLDEN[name]
    X, Y = waves(n, m, d)
    if subject == "oracle":
        step, entries = brute.clipped_coverage_official_step(X, Y, k)
        assert brute.clipped_coverage_y(X, Y, k) == pytest.approx(y, abs=5.1e-13)
        assert Fraction(step, entries) == official
        assert step / m == pytest.approx(upper, abs=5.1e-13)
        return
    ours = grade(tm.ClippedCoverage(k=k), X, Y, subject)
    theirs = grade(tm.ClippedCoverage(k=k, compat="official"), X, Y, subject)
    assert ours.details["unnormalised"] == pytest.approx(y, abs=5.1e-13)
    assert theirs.value == float(official)
    assert theirs.details["unnormalised"] == pytest.approx(y, abs=5.1e-13)


@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize(
    ("name", "authenticity", "accuracies", "alpha", "beta"),
    [
        ("G1", 0.375, (0.65, 0.675, 0.6625), 0.305172, 0.339239),
        ("G2", 0.6, (0.666667, 0.4, 0.552381), 0.472797, 0.329885),
        ("G3", 0.5, (0.51, 0.28, 0.395), 0.423448, 0.491034),
    ],
)
def test_golden_copying_and_two_sample(name, authenticity, accuracies, alpha, beta, subject):
    X, Y = waves(*GOLDEN[name][:3])
    if subject == "oracle":
        got = [brute.authenticity(X, Y), *brute.nn_accuracy(X, Y)]
        got += [brute.alpha_precision(X, Y), brute.beta_recall(X, Y)]
    else:
        two_sample = grade(tm.METRICS["nn_two_sample"](equal_sizes=False), X, Y, subject)
        got = [grade(tm.METRICS["authenticity"](), X, Y, subject).value]
        got += [two_sample.details["accuracy_real"], two_sample.details["accuracy_synthetic"]]
        got += [two_sample.value]
        got += [
            grade(tm.METRICS[key](compat="official"), X, Y, subject).value for key in ("alpha_precision", "beta_recall")
        ]
    assert got == pytest.approx([authenticity, *accuracies, alpha, beta], abs=6e-7)


# --- by hand ---


def _column(*values: float) -> NDArray[np.float64]:
    return np.array(values)[:, None]


BY_HAND: dict[str, Pair] = {
    "a": (np.array([[0, 0], [4, 0], [0, 3.0]]), np.array([[1, 1], [1.5, 1], [20, 20]])),
    "b": (_column(0, 1, 2.5, 4.5, 7, 100), _column(0.4, 1.7, 3.1, 50, 60, 70)),
    "c": (
        np.array([[0, 0], [1, 0.1], [0.2, 1], [1.3, 1.4], [2.5, 0.3], [0.4, 2.7]]),
        np.array([[0.5, 0.5], [1.1, 0.9], [2, 2], [7, 7]]),
    ),
    "d": (_column(0, 1, 3, 6, 10), _column(0.5, 2.2, 5.1, 9.3, 30)),
}
HAND_VALUES = [
    ("a", "precision", 2 / 3),
    ("a", "density", 1),
    ("a", "clipped_density", 2 / 3),
    ("a", "normaliser", 1),
    ("a", "coverage", 1),
    ("a", "y", 1),
    ("b", "precision", 1),
    ("b", "recall", 2 / 3),
    ("b", "density", 11 / 12),
    ("b", "coverage", 1),
    ("b", "symmetric_precision", 0.5),
    ("b", "clipped_density", 0.75),
    ("b", "y", 5 / 6),
    ("c", "precision", 0.75),
    ("c", "recall", 1),
    ("c", "density", 1.125),
    ("c", "coverage", 5 / 6),
    ("c", "clipped_density_raw", 1.25),
    ("c", "y", 2 / 3),
    ("d", "clipped_density", 1),
    ("d", "unnormalised", 0.7),
    ("d", "normaliser", 0.7),
    ("d", "official_raw", 7 / 6),
]


def _oracle_by_hand(quantity: str, X, Y):
    special = {
        "y": brute.clipped_coverage_y,
        "unnormalised": lambda X, Y, k: brute.clipped_density_parts(X, Y, k)[0],
        "normaliser": lambda X, Y, k: brute.clipped_density_parts(X, Y, k)[1],
        "official_raw": brute.clipped_density_official_raw,
    }
    return (special.get(quantity) or getattr(brute, quantity))(X, Y, 2)


def _metric_by_hand(quantity: str, X, Y, provider: str):
    if quantity == "y":
        return grade(tm.ClippedCoverage(k=2), X, Y, provider).details["unnormalised"]
    if quantity in ("unnormalised", "normaliser"):
        return grade(tm.ClippedDensity(k=2), X, Y, provider).details[quantity]
    if quantity == "official_raw":
        return grade(tm.ClippedDensity(k=2, compat="official"), X, Y, provider).raw
    if quantity == "clipped_density_raw":
        return grade(tm.ClippedDensity(k=2), X, Y, provider).raw
    return grade(tm.METRICS[quantity](k=2), X, Y, provider).value


@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize(("example", "quantity", "value"), HAND_VALUES)
def test_by_hand(example, quantity, value, subject):
    X, Y = BY_HAND[example]
    got = _oracle_by_hand(quantity, X, Y) if subject == "oracle" else _metric_by_hand(quantity, X, Y, subject)
    assert got == pytest.approx(value, rel=1e-14)


def test_contraction_is_warned_about_above_1_2():
    codes = {name: [w.code for w in grade(tm.ClippedDensity(k=2), *BY_HAND[name]).warnings] for name in ("c", "d")}
    assert codes == {"c": ["clipped_pair", "contraction"], "d": ["clipped_pair"]}  # raw 1.25 and 1


# --- the table of expected hits ---

EXACT = [
    (1, 2, 5, Fraction(5, 6)),
    (2, 3, 3, Fraction(4, 5)),
    (3, 10, 10, Fraction(239, 323)),
    (5, 20, 20, Fraction(129137, 164021)),
    (5, 20, 7, Fraction(57367, 164450)),
    (5, 6, 20, Fraction(1264, 1265)),
]


@pytest.mark.parametrize(("k", "n", "m", "value"), EXACT)
def test_expected_hits_exact(k, n, m, value):
    assert expected_hits(n, m, k)[0][-1] == pytest.approx(float(value), rel=1e-14)
    assert brute.f(m, n, k) == float(value)


@pytest.mark.parametrize(
    ("name", "at_m", "at_half"),
    [
        ("G1", 0.699523261549, 0.448708509492),
        ("G2", 0.647471635515, 0.360294000233),
        ("G3", 0.760153262623, 0.473415563164),
    ],
)
def test_expected_hits_golden(name, at_m, at_half):
    n, m, _, k = GOLDEN[name]
    table, _ = expected_hits(n, m, k)
    assert table[[m, m // 2]] == pytest.approx([at_m, at_half], abs=1e-12)
    assert [brute.f(m, n, k), brute.f(m // 2, n, k)] == pytest.approx([at_m, at_half], abs=1e-12)


def test_expected_hits_of_hand_example():
    assert expected_hits(3, 3, 2)[0] == pytest.approx([0, 1 / 3, 2 / 3, 4 / 5], rel=1e-15)


def test_expected_hits_at_thousand():
    assert expected_hits(1000, 500, 5)[0][-1] == pytest.approx(0.470340939533, abs=5.1e-13)


def test_expected_hits_limit_of_many_samples():
    assert expected_hits(10**6, 10**6, 5)[0][-1] == pytest.approx(0.75390625, abs=1e-6)


@pytest.mark.parametrize(("n", "m", "k"), [(7, 12, 1), (7, 12, 6), (30, 9, 5), (40, 200, 39), (6, 3, 5)])
def test_expected_hits_against_whole_numbers(n, m, k):
    table, increments = expected_hits(n, m, k)
    assert table == pytest.approx([brute.f(j, n, k) for j in range(m + 1)], rel=1e-12, abs=1e-15)
    assert (increments > 0).all()
    assert len(table) == len(increments) == m + 1
    few = min(k, m) + 1
    assert (table[:few] == np.arange(few) / n).all()


def test_expected_hits_with_very_many_neighbours_keeps_its_digits():
    """P_0 is about 1e-600 here: products of plain numbers would be 0."""
    n, m, k = 2000, 2000, 1500
    assert expected_hits(n, m, k)[0][-1] == pytest.approx(brute.f(m, n, k), rel=1e-10)


@pytest.mark.parametrize(("m", "slope"), [(1000, 2.65), (2000, 6.6), (5000, 83)])
def test_slope_at_the_top_grows_with_the_size_ratio(m, slope):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(200, 2)), rng.normal(size=(200 * m // 1000, 2))
    outcome = grade(tm.ClippedCoverage(), X, Y)
    assert outcome.details["slope_at_top"] == pytest.approx(slope, rel=0.05)
    assert ("ill_conditioned" in [w.code for w in outcome.warnings]) == (m > 2000)


# --- ties on a 3 x 3 grid of integers ---


def grid(bad: float, n: int = 400, seed: int = 0) -> Pair:
    """Points of {0, 1, 2}^2 on both sides; a share of the synthetic ones is far away."""
    rng = np.random.default_rng(seed)
    X, Y = (rng.integers(0, 3, (n, 2)).astype(float) for _ in range(2))
    Y[: round(bad * n)] += 1000.0
    return X, Y


@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize("bad", [0.0, 0.25, 0.5, 0.75, 0.9])
def test_ties_on_a_grid(bad, subject):
    X, Y = grid(bad)
    if subject == "oracle":
        density, coverage = brute.clipped_density(X, Y), brute.clipped_coverage(X, Y)
    else:
        density = grade(tm.ClippedDensity(), X, Y, subject).value
        coverage = grade(tm.ClippedCoverage(), X, Y, subject).value
        assert coverage == pytest.approx(brute.clipped_coverage(X, Y), rel=1e-12)
    assert density == pytest.approx(1 - bad, abs=1e-12)
    assert coverage == pytest.approx(1 - bad, abs=0.02)


@pytest.mark.parametrize("subject", SUBJECTS)
def test_published_normaliser_saturates_on_a_grid(subject):
    """The fault that the formula does not have: 90 % bad samples graded 1."""
    X, Y = grid(0.9, n=1000)
    if subject == "oracle":
        assert min(brute.clipped_density_official_raw(X, Y), 1.0) == 1.0
    else:
        assert grade(tm.ClippedDensity(compat="official"), X, Y, subject).value == 1.0

"""The PRD curve: known laws, the definition point by point, sizes and order."""

from __future__ import annotations

import numpy as np
import pytest

import truegrade as tg
from grading import PROVIDERS, grade, grade_all
from oracles import prd as oracle
from truegrade.errors import InputError
from truegrade.metrics import PRDPrecision, PRDRecall
from truegrade.metrics.cells import balanced_cells, spread_start
from truegrade.metrics.prd import ANGLES, best_f, prd_curve, slopes
from truegrade.samples import Samples

FAR = 1000.0 * np.eye(4)


def modes(counts, seed=0):
    """As many samples about each of four far corners as asked: their k-means clusters are known."""
    rng = np.random.default_rng(seed)
    return np.concatenate([corner + rng.normal(size=(c, 4)) for corner, c in zip(FAR, counts, strict=True)])


def both(real, synthetic, **parameters):
    return list(grade_all([PRDPrecision(**parameters), PRDRecall(**parameters)], real, synthetic).values())


@pytest.mark.parametrize(
    ("P", "Q"),
    [
        ([0.25, 0.25, 0.25, 0.25], [0.5, 0.5, 0.0, 0.0]),
        ([0.1, 0.2, 0.3, 0.4], [0.4, 0.3, 0.2, 0.1]),
        ([1.0, 0.0], [0.0, 1.0]),
        ([0.7, 0.3, 0.0], [0.0, 0.3, 0.7]),
    ],
)
def test_curve_is_the_definition(P, Q):
    precision, recall = prd_curve(np.array(P), np.array(Q))
    expected = oracle.curve(P, Q)
    assert len(expected) == ANGLES
    np.testing.assert_allclose(np.stack([precision, recall], 1), expected, rtol=1e-12, atol=1e-15)
    for beta in (8.0, 1.0, 1 / 8):
        assert best_f(precision, recall, beta) == pytest.approx(oracle.best_f(expected, beta), rel=1e-12)


def test_slopes_are_those_of_the_paper():
    np.testing.assert_allclose(slopes(), oracle.slopes(), rtol=1e-14)
    assert slopes()[ANGLES // 2] == 1.0


def test_identical_sets_are_1_and_disjoint_ones_0():
    X = np.random.default_rng(0).normal(size=(200, 3))
    assert [o.value for o in both(X, X.copy())] == [1.0, 1.0]
    assert [o.value for o in both(X, X + 1e4, clusters=2)] == [0.0, 0.0]


def test_half_of_the_modes():
    """P = (1/4, 1/4, 1/4, 1/4), Q = (1/2, 1/2, 0, 0): the curve has its corner at precision 1, recall 1/2."""
    precision, recall = both(modes([50] * 4), modes([100, 100, 0, 0], seed=1), clusters=4)
    expected = oracle.curve([0.25] * 4, [0.5, 0.5, 0.0, 0.0])
    assert precision.value == pytest.approx(oracle.best_f(expected, 1 / 8), rel=1e-12)
    assert recall.value == pytest.approx(oracle.best_f(expected, 8), rel=1e-12)
    assert precision.value == pytest.approx((1 + 1 / 64) * 0.5 / (1 / 64 + 0.5), abs=5e-3)
    assert recall.value == pytest.approx(65 * 0.5 / 64.5, abs=5e-3)
    assert precision.details["sd_over_runs"] == pytest.approx(0.0, abs=1e-12)


def test_values_that_the_real_set_lacks_cost_precision_alone():
    """The mirror image: half of the synthetic samples lie where no real one is."""
    precision, recall = both(modes([100, 100, 0, 0]), modes([50] * 4, seed=1), clusters=4)
    assert precision.value == pytest.approx(0.504, abs=5e-3)
    assert recall.value == pytest.approx(0.985, abs=5e-3)


def test_sizes_may_differ():
    """Shares count, not numbers: a tenth of the synthetic samples with the same shares gives the same curve."""
    X = modes([80, 40, 40, 40])
    many, few = modes([40, 80, 40, 40], seed=1), modes([4, 8, 4, 4], seed=2)
    for one, other in zip(both(X, many, clusters=4), both(X, few, clusters=4), strict=True):
        assert one.value == pytest.approx(other.value, rel=1e-12)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_value_is_the_definition_on_the_clusters(provider):
    rng = np.random.default_rng(3)
    X, Y = rng.normal(size=(150, 3)), rng.normal(size=(90, 3)) * 0.7 + 0.4
    pairs = balanced_cells(Samples.from_array(X), Samples.from_array(Y), cells=6, runs=3, seed=5)
    laws = [[np.bincount(labels, minlength=6) / len(labels) for labels in pair] for pair in pairs]
    expected = oracle.mean_curve([oracle.curve(*law) for law in laws])
    for metric, beta in ((PRDPrecision, 1 / 8), (PRDRecall, 8)):
        outcome = grade(metric(clusters=6, runs=3, seed=5), X, Y, provider)
        assert outcome.value == pytest.approx(oracle.best_f(expected, beta), rel=1e-12)
        assert outcome.details["prd_curve_precision"] == pytest.approx([p for p, _ in expected[::10]], rel=1e-12)
        assert outcome.details["prd_curve_recall"] == pytest.approx([r for _, r in expected[::10]], rel=1e-12)


def test_clusters_are_converged_k_means_of_both_sides_with_equal_weight():
    rng = np.random.default_rng(4)
    X, Y = rng.normal(size=(120, 2)), rng.normal(size=(30, 2)) + 1.0
    for cx, cy in balanced_cells(Samples.from_array(X), Samples.from_array(Y), cells=5, runs=4, seed=0):
        centres = []
        for c in range(5):
            w = np.concatenate([np.full((cx == c).sum(), 1 / 120), np.full((cy == c).sum(), 1 / 30)])
            centres.append(np.average(np.concatenate([X[cx == c], Y[cy == c]]), axis=0, weights=w))
        for rows, labels in ((X, cx), (Y, cy)):
            distances = ((rows[:, None] - np.array(centres)) ** 2).sum(-1)
            np.testing.assert_array_equal(labels, distances.argmin(1))


def test_centres_are_drawn_by_weight_the_first_too():
    """10 rows of one side and 990 of the other, one half of the weight each; about 200 of 400 draws, deviation 10.

    The second centre is drawn by weight times the squared distance, which is 1 between the groups and 0 within.
    """
    rows = np.repeat([[0.0], [1.0]], [10, 990], axis=0)
    weights = np.repeat([0.5 / 10, 0.5 / 990], [10, 990])
    rng = np.random.default_rng(9)
    starts = np.array([spread_start(rows, weights, 2, rng)[:, 0] for _ in range(400)])
    assert 160 < (starts[:, 0] == 0.0).sum() < 240
    assert (starts[:, 0] != starts[:, 1]).all()


def test_runs_differ_and_are_seeded():
    rng = np.random.default_rng(5)
    X, Y = rng.normal(size=(300, 4)), rng.normal(size=(300, 4)) * 0.8
    first, again, other = (grade(PRDPrecision(seed=s), X, Y) for s in (1, 1, 2))
    assert first.value == again.value != other.value
    assert 0 < first.details["sd_over_runs"] < 0.1
    assert grade(PRDPrecision(runs=1), X, Y).details["sd_over_runs"] is None


def test_precision_is_the_recall_of_swapped_roles():
    rng = np.random.default_rng(6)
    X, Y = rng.normal(size=(200, 3)), rng.normal(size=(200, 3)) * 0.6
    precision, recall = both(X, Y)
    swapped = both(Y, X)
    assert [precision.value, recall.value] == pytest.approx([swapped[1].value, swapped[0].value], rel=1e-3)
    assert precision.value > recall.value  # narrower than the real set: coverage is lost


def test_order_does_not_matter_even_with_ties():
    rng = np.random.default_rng(7)
    X, Y = rng.integers(0, 4, (150, 3)).astype(float), rng.integers(0, 3, (100, 3)).astype(float)
    turned = X[rng.permutation(150)], Y[rng.permutation(100)]
    assert [o.value for o in both(X, Y)] == pytest.approx([o.value for o in both(*turned)], rel=1e-12)


def test_the_whole_curve_survives_the_file_and_the_report_counts_it(tmp_path):
    rng = np.random.default_rng(8)
    X, Y = rng.normal(size=(120, 3)), rng.normal(size=(120, 3))
    evaluation = tg.evaluate(X, Y, metrics=["prd_precision"], intervals=False)
    evaluation.to_json(tmp_path / "result.json")
    curve = tg.Evaluation.from_json(tmp_path / "result.json").scores["prd_precision"].details["prd_curve_precision"]
    assert len(curve) == 101
    assert curve == list(evaluation.scores["prd_precision"].details["prd_curve_precision"])
    page = evaluation.to_html(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "101 numbers" in page


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"clusters": 0}, "clusters=0 given"),
        ({"runs": 1.5}, "runs=1.5 given"),
        ({"seed": -1}, "seed=-1 given"),
        ({"beta": 0.5}, "beta=0.5 given; a number of at least 1"),
        ({"beta": float("nan")}, "beta=nan given"),
    ],
)
def test_impossible_parameters_are_refused(parameters, text):
    with pytest.raises(InputError, match=text):
        PRDPrecision(**parameters)


def test_more_clusters_than_samples_are_refused():
    default = r"clusters=20 \(the default\) for 50 real and 19 synthetic .* 1 to 19 .*PRDRecall\(clusters=19\)"
    with pytest.raises(InputError, match=default):
        PRDRecall().check_sizes(50, 19)
    with pytest.raises(InputError, match="clusters=21 given for 50 real"):
        PRDPrecision(clusters=21).check_sizes(50, 19)

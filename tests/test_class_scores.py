"""Inception Score, Mode Score and their relative inverses: closed forms, oracles, a peer, intervals, refusals."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import truegrade as tg
from grading import grade, grade_all
from oracles import class_scores as oracle
from truegrade.errors import InputError
from truegrade.grading import Run
from truegrade.grading import grade as grade_samples
from truegrade.metrics import (
    InceptionScore,
    ModeScore,
    RelativeInverseInceptionScore,
    RelativeInverseModeScore,
    class_probabilities,
)
from truegrade.metrics.base import Influence, Metric
from truegrade.result import Interval
from truegrade.samples import Samples
from truegrade.uncertainty.intervals import spread_of

Rows = NDArray[np.float64]
WHOLE = InceptionScore(splits=1)
PAIR = (ModeScore(), RelativeInverseInceptionScore(), RelativeInverseModeScore())
QUIET: dict[str, Any] = {"intervals": False, "floor": False}


def one_hot(*counts: int) -> Rows:
    """So many samples of each class, sure ones, sorted by class."""
    return np.eye(len(counts))[np.repeat(np.arange(len(counts)), counts)]


def drawn(seed: int, n: int = 90, law: tuple[float, ...] = (0.3, 0.6, 0.2, 0.9)) -> Rows:
    return np.random.default_rng(seed).dirichlet(law, size=n)


def value(metric: Metric, real: Rows, synthetic: Rows) -> float:
    found = grade(metric, real, synthetic).value
    assert found is not None
    return found


# --- closed forms ---


def test_n13_five_sure_classes_equally_often_score_exactly_5() -> None:
    rows = np.eye(5)
    assert value(WHOLE, rows, rows) == pytest.approx(5.0, abs=1e-12)
    assert value(ModeScore(), rows, rows) == pytest.approx(5.0, abs=1e-12)
    assert value(RelativeInverseInceptionScore(), rows, rows) == pytest.approx(0.0, abs=1e-12)


def test_n13_classes_that_never_come_up_change_nothing() -> None:
    rows = np.hstack([np.eye(5), np.zeros((5, 3))])
    for metric in (WHOLE, *PAIR):
        assert value(metric, rows, rows) == pytest.approx(value(metric, np.eye(5), np.eye(5)), abs=1e-12)


@pytest.mark.parametrize("rows", [one_hot(0, 12, 0), np.tile([0.2, 0.5, 0.3], (12, 1))], ids=["one class", "unsure"])
def test_n13_samples_that_are_all_alike_score_1(rows: Rows) -> None:
    assert value(InceptionScore(), rows, rows) == pytest.approx(1.0, abs=1e-12)
    assert value(ModeScore(), rows, rows) == pytest.approx(1.0, abs=1e-12)


def test_n14_samples_sorted_by_class_are_shuffled_before_they_are_split() -> None:
    rows = one_hot(*[50] * 10)
    outcome = grade(InceptionScore(), rows, rows)
    assert 8.8 < outcome.value < 9.7
    assert outcome.details["splits"] == 10
    assert outcome.details["without_splits"] == pytest.approx(10.0, rel=1e-12)
    assert value(InceptionScore(shuffle=False), rows, rows) == pytest.approx(1.0, abs=1e-12)
    assert value(InceptionScore(seed=1), rows, rows) != outcome.value
    assert value(InceptionScore(), rows, rows) == outcome.value


def test_mode_score_takes_the_synthetic_samples_as_those_that_are_judged() -> None:
    """Sure samples of two classes, half and half, against unsure real ones with the shares 1/5 and 4/5.

    2 / exp(KL(1/2, 1/2 || 1/5, 4/5)) = 2 sqrt(16/25) = 8/5. The published script passes the sets the other way round
    and would report exp(-KL(1/5, 4/5 || 1/2, 1/2)) = 5 / (2 * 4^(4/5)) = 0.82.
    """
    real, synthetic = np.tile([0.2, 0.8], (6, 1)), one_hot(3, 3)
    assert value(ModeScore(), real, synthetic) == pytest.approx(8 / 5, rel=1e-12)
    assert value(ModeScore(), synthetic, real) == pytest.approx(5 / 4 ** (4 / 5) / 2, rel=1e-12)
    assert value(RelativeInverseInceptionScore(), real, synthetic) == pytest.approx(-1.0, rel=1e-12)
    assert value(RelativeInverseModeScore(), real, synthetic) == pytest.approx(-3 / 5, rel=1e-12)


def test_a_class_that_is_absent_in_the_real_set_gives_mode_score_0() -> None:
    real, synthetic = one_hot(5, 5, 0), one_hot(5, 5, 1)
    outcome = grade(ModeScore(), real, synthetic)
    assert outcome.value == 0.0
    assert outcome.details["balance"] == 0.0
    assert [w.code for w in outcome.warnings].count("class_unseen") == 1
    assert value(RelativeInverseModeScore(), real, synthetic) == 1.0
    score = ModeScore()(real, synthetic, floor=False)
    assert score.interval is None
    assert "absent in the real ones" in score.missing["interval"]
    assert value(ModeScore(), synthetic, real) > 0  # a class that only real samples have costs no more than its share


def test_details_say_what_the_score_is_made_of() -> None:
    real, synthetic = one_hot(6, 3, 1), one_hot(2, 8, 0)
    found = grade(ModeScore(), real, synthetic).details
    assert (found["overused_class"], found["missing_class"], found["classes"]) == (1, 0, 3)
    shares = [found[f"{which}_share_{side}"] for which in ("overused", "missing") for side in ("real", "synthetic")]
    assert shares == pytest.approx([0.3, 0.8, 0.6, 0.2])
    assert found["inception_score"] * found["balance"] == pytest.approx(value(ModeScore(), real, synthetic), rel=1e-12)
    rows = drawn(1)
    parts = grade(InceptionScore(), rows, rows).details
    quotient = parts["effective_classes"] / parts["effective_choices"]
    assert quotient == pytest.approx(parts["without_splits"], rel=1e-12)
    assert parts["without_splits"] == pytest.approx(value(WHOLE, rows, rows), rel=1e-12)


# --- the definition, naively ---

SETS = {
    "dirichlet": (drawn(0), drawn(1, 77, (0.5, 0.5, 0.5, 0.1))),
    "tied": (np.repeat(drawn(2, 5), 7, axis=0), np.repeat(drawn(3, 4), 9, axis=0)),
    "with zeros": (np.vstack([one_hot(3, 3, 3, 3), drawn(4, 20)]), one_hot(9, 1, 4, 2)),
    "nearly alike": (0.25 + 1e-6 * (drawn(5) - 0.25), 0.25 + 1e-6 * (drawn(6) - 0.25)),
}


@pytest.mark.parametrize("name", SETS)
def test_scores_equal_their_definitions(name: str) -> None:
    real, synthetic = (list(map(list, rows)) for rows in SETS[name])
    by_hand = {
        "mode_score": oracle.mode_score(synthetic, real),
        "relative_inverse_inception_score": oracle.relative_inverse(
            oracle.inception_score(synthetic), oracle.inception_score(real)
        ),
        "relative_inverse_mode_score": oracle.relative_inverse(
            oracle.mode_score(synthetic, real), oracle.mode_score(real, real)
        ),
        "inception_score": oracle.inception_score(synthetic),
    }
    for key, outcome in grade_all([WHOLE, *PAIR], *SETS[name]).items():
        assert outcome.value == pytest.approx(by_hand[key], rel=1e-12, abs=1e-14), key
    q = oracle.mean_row(synthetic)
    kl = [oracle.divergence(p, q) for p in synthetic]
    for metric in (InceptionScore(), ModeScore()):
        assert grade(metric, *SETS[name]).per_sample["synthetic"] == pytest.approx(kl, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("splits", [1, 4, 10, 77])
def test_splits_are_those_of_the_definition(splits: int) -> None:
    rows = SETS["dirichlet"][1]
    for shuffle, order in ((False, np.arange(77)), (True, np.random.default_rng(3).permutation(77))):
        mean, sd, corrected = oracle.inception_score_over_splits(rows.tolist(), splits, order)
        for ddof, expected in ((0, sd), (1, corrected)):
            found = grade(InceptionScore(splits=splits, seed=3, ddof=ddof, shuffle=shuffle), rows, rows)
            assert found.value == pytest.approx(mean, rel=1e-12)
            assert found.details["sd"] == (None if expected is None else pytest.approx(expected, rel=1e-9, abs=1e-12))


def test_logits_are_taken_through_a_softmax_in_double_precision() -> None:
    rng = np.random.default_rng(0)
    real, synthetic = rng.normal(size=(30, 5)) * 3, rng.normal(size=(40, 5)) * 4 + 1e4
    synthetic[0] = [0.0, -2000.0, 5.0, -900.0, 0.0]  # probabilities that vanish
    p, q = (np.array(oracle.softmax(rows)) for rows in (real, synthetic))
    for metric in (InceptionScore(), WHOLE, *PAIR):
        assert value(replace(metric, logits=True), real, synthetic) == pytest.approx(value(metric, p, q), rel=1e-11)


@pytest.mark.parametrize("splits", [1, 10])
def test_inception_score_equals_torchmetrics(splits: int) -> None:
    torch = pytest.importorskip("torch")
    image = pytest.importorskip("torchmetrics.image.inception")
    logits = np.random.default_rng(0).normal(size=(600, 12)) * 3
    with pytest.warns(UserWarning, match="buffer"):
        peer = image.InceptionScore(feature=torch.nn.Identity(), splits=splits)
    peer.set_dtype(torch.float64)
    peer.update(torch.from_numpy(logits))
    torch.manual_seed(5)
    rows = logits[torch.randperm(len(logits)).numpy()]
    torch.manual_seed(5)
    if splits == 1:  # the deviation of one value, divided by 0
        with pytest.warns(UserWarning, match="degrees of freedom"):
            mean, sd = peer.compute()
    else:
        mean, sd = peer.compute()
    found = grade(InceptionScore(splits=splits, shuffle=False, ddof=1, logits=True), rows, rows)
    assert found.value == pytest.approx(float(mean), rel=1e-6)
    assert found.details["sd"] == (None if splits == 1 else pytest.approx(float(sd), rel=1e-6))


# --- where the probabilities come from ---


def test_rows_that_are_nearly_probabilities_are_divided_by_their_sums_and_that_is_said() -> None:
    rows = drawn(0).astype(np.float32) * np.float32(1.0004)
    exact = rows.astype(np.float64) / rows.sum(1, dtype=np.float64)[:, None]
    outcome = grade(WHOLE, rows, rows)
    assert outcome.value == pytest.approx(oracle.inception_score(exact.tolist()), rel=1e-12)
    (note,) = (w for w in outcome.warnings if w.code == "rows_as_probabilities")
    assert "synthetic rows" in note.text
    assert "4 classes" in note.text
    assert "0.0004" in note.text


def embedded(rows: Rows, probabilities: Rows, name: str = "set") -> Samples:
    return replace(Samples.from_array(rows, name=name), probabilities=probabilities)


def test_probabilities_of_an_embedder_go_before_the_rows_and_logits_are_always_the_rows() -> None:
    rng = np.random.default_rng(0)
    p, q = drawn(0), drawn(1)
    features = rng.normal(size=(2, 90, 6))
    real, synthetic = embedded(features[0], p.astype(np.float32)), embedded(features[1], q.astype(np.float32))
    scores = tg.evaluate(real, synthetic, metrics=["inception_score", "mode_score"], **QUIET).scores
    assert scores["mode_score"].value == pytest.approx(value(ModeScore(), p, q), rel=1e-6)
    assert scores["inception_score"].value == pytest.approx(value(InceptionScore(), p, q), rel=1e-6)
    assert all("rows_as_probabilities" not in [w.code for w in s.warnings] for s in scores.values())
    by_logits = tg.evaluate(real, synthetic, metrics=[ModeScore(logits=True)], **QUIET)
    assert by_logits["mode_score"].value == value(ModeScore(logits=True), *features)


BAD: dict[str, tuple[Rows, str]] = {
    "negative": (np.array([[1.5, -0.5], [0.5, 0.5]] * 10), r"lowest value is -0\.5"),
    "features": (np.random.default_rng(0).random((20, 8)), "sum to .* on average"),
    "one row off": (np.vstack([drawn(0, 18), [[0.5, 0.3, 0.2, 0.2], [0.5, 0.3, 0.0, 0.0]]]), "row 18 .* sums to 1.2"),
    "zeros": (np.vstack([np.full((195, 4), 0.25), np.zeros((5, 4))]), "0.975 on average, row 195 .* sums to 0"),
    "one column": (np.ones((20, 1)), "one column"),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("metric", [InceptionScore(), *PAIR], ids=lambda m: m.info.key)
def test_rows_that_are_no_probabilities_are_refused_before_any_work(metric: Metric, name: str) -> None:
    rows, says = BAD[name]
    with pytest.raises(InputError, match=f"{metric.info.title}: .*no class probabilities: .*{says}.*logits=True"):
        tg.evaluate(rows, rows, metrics=[metric])
    outcome = grade(metric, rows, rows)
    assert outcome.value is None
    assert "no class probabilities" in str(outcome.reason)


def test_bad_probabilities_of_an_embedder_are_refused_and_so_are_other_classes() -> None:
    rows = drawn(0)
    minus = drawn(0)
    minus[3] = [0.5, 0.6, -0.1, 0.0]
    good = embedded(rows, rows)
    with pytest.raises(InputError, match=r"by the embedder are no class probabilities: row 3 .* below 0"):
        tg.evaluate(good, embedded(rows, minus), metrics=["inception_score"])
    with pytest.raises(InputError, match="4 classes of the real samples, 2 of the synthetic ones"):
        tg.evaluate(good, embedded(rows, drawn(1, 90, (1.0, 1.0))), metrics=["mode_score"])


def test_as_a_family_they_are_undefined_with_a_reason_where_rows_are_no_probabilities() -> None:
    rows = np.random.default_rng(0).normal(size=(40, 3))
    evaluation = tg.evaluate(rows, rows[::-1], metrics=["classes", "precision"])
    assert evaluation["precision"].status == "ok"
    for key in ("inception_score", "mode_score", "relative_inverse_inception_score", "relative_inverse_mode_score"):
        assert evaluation[key].status == "undefined"
        assert "logits=True" in str(evaluation[key].reason)


def test_n12_fewer_samples_than_splits_are_refused() -> None:
    with pytest.raises(InputError, match="5 synthetic samples < 10 splits"):
        tg.evaluate(np.eye(5), np.eye(5), metrics=["inception_score"])
    assert value(InceptionScore(splits=5), np.eye(5), np.eye(5)) == pytest.approx(1.0)
    lone = class_probabilities.class_sums(Samples.from_array(np.eye(5)), logits=False, seed=0, shuffle=True, splits=10)
    assert lone == "5 samples are fewer than 10 splits"


@pytest.mark.parametrize(
    "options",
    [{"splits": 0}, {"splits": 2.5}, {"seed": -1}, {"ddof": 2}, {"ddof": True}, {"shuffle": "no"}, {"logits": 1}],
)
def test_impossible_parameters_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="is accepted"):
        InceptionScore(**options)


# --- work and memory ---


def test_blocks_change_nothing_and_no_more_than_a_few_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(0).dirichlet([0.1] * 200, size=6000).astype(np.float32)
    samples = Samples.from_array(rows)
    whole = class_probabilities.pair_sums(samples, samples, logits=False)
    monkeypatch.setattr(class_probabilities, "_BLOCK", 2**14)
    tracemalloc.start()
    small = class_probabilities.pair_sums(samples, samples, logits=False)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert not isinstance(whole, str)
    assert not isinstance(small, str)
    assert small.real.divergences == pytest.approx(whole.real.divergences, rel=1e-12)
    assert small.weight == pytest.approx(whole.weight, rel=1e-12)
    assert peak < rows.nbytes / 2


def test_each_set_is_checked_once_for_all_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    checked, plain = [], class_probabilities._largest_miss

    def counted(found: class_probabilities.Reader) -> float | str:
        checked.append(found.samples)
        return plain(found)

    monkeypatch.setattr(class_probabilities, "_largest_miss", counted)
    sides = [embedded(drawn(seed), drawn(seed)) for seed in (0, 1)]
    scores = tg.evaluate(*sides, metrics="classes", **QUIET).scores
    assert len(scores) == 4
    assert len(checked) == 2
    again = tg.evaluate(*sides, metrics=[replace(WHOLE, logits=True)], **QUIET)  # logits are not checked
    assert again["inception_score"].status == "ok"
    assert len(checked) == 2


def test_scores_share_their_work() -> None:
    needs = [need for metric in PAIR for need in metric.needs()]
    assert len(set(needs)) == 1
    assert WHOLE.needs() == InceptionScore(splits=1, seed=7, shuffle=False).needs()
    assert InceptionScore().needs() != InceptionScore(seed=7).needs()


# --- intervals and bias ---


def by_adding(metric: Metric, real: Rows, synthetic: Rows, side: str) -> Rows:
    """What one sample more changes, times their number, by definition; of sets repeated so often that it is little."""
    sides = {"real": np.tile(real, (200, 1)), "synthetic": np.tile(synthetic, (200, 1))}
    full, rows = value(metric, **sides), sides[side]
    out = [
        (len(rows) + 1) * (value(metric, **{**sides, side: np.vstack([rows, row])}) - full)
        for row in rows[: len(rows) // 200]
    ]
    return np.asarray(out)


@pytest.mark.parametrize("metric", PAIR, ids=lambda m: m.info.key)
def test_influences_are_what_a_sample_more_changes(metric: Metric) -> None:
    real, synthetic = drawn(7, 12), drawn(8, 10, (0.5, 0.4, 0.3, 0.2))
    influence = grade(metric, real, synthetic).influence
    assert isinstance(influence, Influence)
    for side, mine in influence.parts.items():
        assert float(mine.mean()) == pytest.approx(0.0, abs=1e-12)
        assert mine == pytest.approx(by_adding(metric, real, synthetic, side), rel=0.01, abs=0.01), side
    assert influence.parts["synthetic"].std() > 0.1


def test_influences_of_the_inception_score_are_what_its_logarithm_loses_without_a_sample() -> None:
    """The jackknife, whose variance is sum (x - mean x)^2 (n - 1) / n; here it is taken as that of n values, ddof 1."""
    rows = drawn(8, 60, (0.5, 0.4, 0.3, 0.2))
    influence = grade(WHOLE, rows, rows).influence
    assert isinstance(influence, Influence)
    full, n = value(WHOLE, rows, rows), 60
    lost = np.array([np.log(full / value(WHOLE, less, less)) for less in (np.delete(rows, i, 0) for i in range(n))])
    expected = full * (n - 1) * (lost - lost.mean()) * np.sqrt(n / (n - 1))
    assert influence.parts["synthetic"] == pytest.approx(expected, abs=0.002 * expected.std())
    assert not influence.parts["real"].any()


def test_influences_over_splits_keep_each_sample_in_its_part() -> None:
    """The mean of two scores, over 52 and 51 of 103 samples: each part counts half."""
    rows = drawn(9, 103)
    influence = grade(InceptionScore(splits=2, shuffle=False), rows, rows).influence
    assert isinstance(influence, Influence)
    parts = [grade(WHOLE, half, half).influence for half in (rows[:52], rows[52:])]
    expected = [i.parts["synthetic"] * 103 / (2 * len(i.parts["synthetic"])) for i in parts]
    assert influence.parts["synthetic"] == pytest.approx(np.concatenate(expected), rel=1e-12)
    assert influence.second == pytest.approx(sum(i.second for i in parts) / 4, rel=1e-12)


LAWS = ((0.3, 0.6, 0.2, 0.9, 0.4), (0.5, 0.3, 0.3, 0.6, 0.2))
SIZE = 250


def observe(seed: int) -> dict[str, tuple[float, Interval]]:
    """Value and interval of all scores on one draw of both laws."""
    sides = {
        name: Samples.from_array(np.random.default_rng([seed, number]).dirichlet(law, size=SIZE))
        for number, (name, law) in enumerate(zip(("real", "synthetic"), LAWS, strict=True))
    }
    metrics: dict[str, Metric] = {m.info.key: m for m in (InceptionScore(), *PAIR)}
    run = Run(threads=1)
    outcomes = {key: g.outcome for key, g in grade_samples(metrics, sides, run).items()}
    found = {key: u.interval for key, u in spread_of(metrics, outcomes, sides, seed=seed, run=run).items()}
    return {key: (o.value, b) for key, o in outcomes.items() if o.value and isinstance(b := found[key], Interval)}


def test_intervals_hold_the_expected_score() -> None:
    """300 intervals a score: the error of a share of .95 is .0126. The expected score is the mean over them."""
    draws = [observe(seed) for seed in range(300)]
    for metric in (InceptionScore(), *PAIR):
        found = [draw[metric.info.key] for draw in draws]
        expected = np.mean([value for value, _ in found])
        held = np.mean([bounds.low <= expected <= bounds.high for _, bounds in found])
        assert 0.95 - 3.2 * 0.0126 <= held <= 0.99, (metric.info.key, held)
        widths = np.mean([bounds.high - bounds.low for _, bounds in found])
        assert widths == pytest.approx(3.92 * np.std([value for value, _ in found]), rel=0.15)


def test_what_shows_no_spread_still_has_an_interval() -> None:
    """Sure samples, all classes equally often: no sample stands out, and yet other samples would score otherwise."""
    rows = one_hot(*[30] * 5)
    scores = tg.evaluate(rows, rows, metrics=[WHOLE, *PAIR], floor=False).scores
    rng = np.random.default_rng(0)
    drawn_scores = [value(ModeScore(), rows, np.eye(5)[rng.integers(0, 5, 150)]) for _ in range(100)]
    interval = scores["mode_score"].interval
    assert interval is not None
    assert interval.low <= np.mean(drawn_scores) <= interval.high
    for score in scores.values():
        assert score.interval is not None
        assert score.interval.low < score.value < score.interval.high


def test_expected_bias_is_what_few_samples_cost() -> None:
    """400 sets of 40: their mean is known to .014, a tenth of what they fall short by."""
    law = (0.1,) * 8
    rng = np.random.default_rng(0)
    many = rng.dirichlet(law, size=100_000)
    true = value(WHOLE, many, many)
    few = [grade(WHOLE, few, few) for few in rng.dirichlet(law, size=(400, 40))]
    short = float(np.mean([o.value for o in few])) - true
    assert short < -0.1
    assert np.mean([o.details["expected_bias"] for o in few]) == pytest.approx(short, rel=0.25)


def test_too_few_samples_a_split_are_told() -> None:
    rows = np.random.default_rng(0).dirichlet([0.05] * 30, size=400)
    assert "class_bias" in [w.code for w in grade(InceptionScore(), rows, rows).warnings]
    assert "class_bias" not in [w.code for w in grade(WHOLE, rows, rows).warnings]


def test_one_sample_a_split_is_told_and_has_no_interval() -> None:
    """Parts of s samples score s at most: 10 sure samples of 5 classes in 10 parts are 1, and 5 without splits."""
    rows = one_hot(2, 2, 2, 2, 2)
    score = tg.evaluate(rows, rows, metrics=["inception_score"])["inception_score"]
    (told,) = (w.text for w in score.warnings if w.code == "class_bias")
    assert "Splits of 1 samples are few for 5 classes" in told
    assert "80% too low" in told
    assert (score.value, score.interval) == (1.0, None)
    assert "one sample a split" in score.missing["interval"]
    wide = one_hot(*[10] * 100)
    for splits, few in ((500, True), (100, True), (1, False)):
        outcome = grade(InceptionScore(splits=splits), wide, wide)
        assert outcome.value <= 1000 / splits
        assert ("class_bias" in [w.code for w in outcome.warnings]) == few
    sorted_by_class = grade(InceptionScore(splits=2, shuffle=False), *[one_hot(500, 500)] * 2)
    assert "class_bias" not in [w.code for w in sorted_by_class.warnings]  # parts are large; they differ by order


def test_floors_and_comparisons_come_along() -> None:
    better, worse = drawn(11, 300), drawn(12, 300, (1.5, 3.0, 1.0, 4.5))
    comparison = tg.compare(drawn(10, 400), {"better": better, "worse": worse}, metrics=["classes"])
    for evaluation in comparison.evaluations.values():
        assert all(score.floor is not None for score in evaluation.scores.values())
    relative = comparison.evaluations["better"]["relative_inverse_inception_score"]
    assert abs(relative.floor.value) < 4 * relative.floor.error
    assert {d.better for d in comparison.differences} == {"better"}
    assert all(d.paired for d in comparison.differences)

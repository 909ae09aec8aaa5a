"""evaluate and compare: what is graded or refused, what a failing metric costs, what is reproducible."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

import truegrade as tg
from oracles.naive_answers import naive_answers
from truegrade import session
from truegrade.engine.needs import Answers, Direct, Knn, Need
from truegrade.evaluate import explain
from truegrade.grading import choose
from truegrade.metrics import METRICS, ClippedCoverage, Precision, Recall
from truegrade.metrics.base import Metric, MetricInfo, Outcome
from truegrade.report.verdict import judge
from truegrade.report.words import bounds, comparison_words, number, safe
from truegrade.result import Interval
from truegrade.samples import Samples

Rows = NDArray[np.float64]


def rows(seed: int, n: int = 120, d: int = 8, scale: float = 1.0) -> Rows:
    return scale * np.random.default_rng(seed).normal(size=(n, d))


def _explode(*_: Samples) -> float:
    raise ZeroDivisionError("this need cannot be met")


@dataclass(frozen=True)
class Bad(Metric):
    """A metric that fails in the way it is told to."""

    how: str = "division"

    info: ClassVar[MetricInfo] = MetricInfo(
        key="bad",
        title="Bad",
        family="fidelity",
        direction="higher",
        range=(0.0, 1.0),
        identical=None,
        formula="1/0",
        reading="",
        reference="none",
        symmetric=True,
    )

    def needs(self) -> tuple[Need, ...]:
        return (Direct(_explode, ("real",)),) if self.how == "need" else (Knn("real", 1),)

    def compute(self, answers: Answers) -> Outcome:
        if self.how == "division":
            raise ZeroDivisionError("division by zero")
        if self.how == "solver":
            raise tg.NotConverged("no convergence after 7 steps")
        return Outcome({"nan": float("nan"), "infinite": float("inf"), "need": 0.0}[self.how])


@pytest.mark.parametrize(
    ("how", "status", "reason"),
    [
        ("division", "failed", "ZeroDivisionError: division by zero"),
        ("solver", "failed", "no convergence after 7 steps"),
        ("need", "failed", "ZeroDivisionError: this need cannot be met"),
        ("nan", "undefined", "the value came out as nan"),
        ("infinite", "undefined", "the value came out as inf"),
    ],
)
def test_w4_one_metric_fails_and_the_others_are_reported(how: str, status: str, reason: str) -> None:
    evaluation = tg.evaluate(rows(0), rows(1), metrics=["default", Bad(how)])
    bad = evaluation["bad"]
    assert (bad.status, bad.value, bad.reason) == (status, None, reason)
    assert bad.interval is None
    assert bad.floor is None
    others = [evaluation[key] for key in evaluation if key != "bad"]
    assert len(others) == sum(m.info.default for m in METRICS.values())
    assert all(score.status == "ok" for score in others)
    assert evaluation.failed == (("bad",) if status == "failed" else ())
    assert reason in str(evaluation)


def test_every_score_has_an_interval_and_a_floor() -> None:
    evaluation = tg.evaluate(rows(0, 150), rows(1, 150), metrics="all", holdout=rows(2, 150))
    for key in evaluation:
        score = evaluation[key]
        other = {"classes": "logits=True", "pairs": "8 columns"}  # these rows are no class probabilities, and no pair
        if (said := other.get(METRICS[key].info.family)) is not None:
            assert score.status == "undefined"
            assert said in str(score.reason)
            continue
        assert score.status == "ok", (key, score.reason)
        assert score.floor is not None, (key, score.missing)
        if key in ("top_precision", "top_recall"):
            assert score.interval is None
            assert "spread over seeds" in score.missing["interval"]
            continue
        assert score.interval is not None, (key, score.missing)
        assert score.interval.low <= score.interval.high
        low, high = score.about.range
        assert low <= score.interval.low <= score.value <= score.interval.high
        assert score.interval.high <= high
        assert score.parameters.keys() == METRICS[key]().parameters().keys()


def test_values_are_those_of_the_naive_answers() -> None:
    real, synthetic = rows(3), rows(4, 90, scale=0.9)
    metrics = [METRICS[key]() for key in ("clipped_density", "clipped_coverage", "recall", "authenticity")]
    evaluation = tg.evaluate(real, synthetic, metrics=metrics, intervals=False, floor=False)
    answers = naive_answers([n for m in metrics for n in m.needs()], {"real": real, "synthetic": synthetic})
    for metric in metrics:
        value = metric.compute(answers).value
        assert evaluation[metric.info.key].value == pytest.approx(value, rel=1e-12)


def test_w6_same_input_same_json_for_any_threads_and_cache() -> None:
    def record(**options: Any) -> dict[str, Any]:
        evaluation = tg.evaluate(rows(0), rows(1), holdout=rows(2), **options)
        made = replace(evaluation.provenance, created="", seconds=0.0, threads=None)
        return replace(evaluation, provenance=made).to_dict()

    first = record()
    assert record() == first
    assert record(threads=1) == first
    from truegrade.engine.cache import AnswerCache

    cache = AnswerCache()
    assert record(cache=cache) == first
    assert record(cache=cache) == first
    assert record(seed=1) != first


def test_cache_may_be_a_folder(tmp_path: Any) -> None:
    first = tg.evaluate(rows(0), rows(1), metrics="clipped_density", cache=tmp_path / "cache")
    again = tg.evaluate(rows(0), rows(1), metrics="clipped_density", cache=str(tmp_path / "cache"))
    assert dict(again.scores) == dict(first.scores)
    assert any((tmp_path / "cache").iterdir())


def test_compare_equals_evaluate_and_shares_the_floors() -> None:
    models = {"A": rows(1), "B": rows(2, scale=0.5)}
    both = tg.compare(rows(0), models)
    assert list(both) == ["A", "B"]
    for name, model in models.items():
        alone = tg.evaluate(rows(0), model)
        assert both[name].synthetic.name == name
        assert dict(both[name].scores) == dict(alone.scores)
    assert both["A"]["recall"].floor is both["B"]["recall"].floor


def test_a_metric_alone_gives_its_score() -> None:
    score = ClippedCoverage(k=4)(rows(0), rows(1))
    assert score.key == "clipped_coverage"
    assert score.parameters["k"] == 4
    assert score == tg.evaluate(rows(0), rows(1), metrics=ClippedCoverage(k=4))["clipped_coverage"]
    assert ClippedCoverage()(rows(0), rows(1), floor=False, intervals=False).floor is None


def test_names_of_samples_are_kept() -> None:
    real = Samples.from_array(rows(0), name="digits")
    evaluation = tg.evaluate(real, rows(1), metrics="recall")
    assert (evaluation.real.name, evaluation.synthetic.name) == ("digits", "synthetic")
    assert evaluation.real.fingerprint == real.fingerprint


def test_progress_counts_up_to_true_totals() -> None:
    seen: list[tuple[int, int, str]] = []
    tg.evaluate(rows(0), rows(1), metrics="recall", progress=lambda *told: seen.append(told))
    totals = {what.split(":")[0]: total for _, total, what in seen if "real against real" in what}
    assert all(1 <= done <= total for done, total, _ in seen)
    assert len(totals) == 1
    plain = [told for told in seen if not told[2].startswith("real against real:")]
    assert plain[-1][0] == plain[-1][1]


# --- refusals ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metrics": "recal"}, "no metric called 'recal'. Did you mean recall"),
        ({"k": 0}, "k=0 given"),
        ({"k": 10}, "k=10 given for 10 real and 12 synthetic samples; 1 to 9 is accepted"),
        ({"metrics": [Precision(k=10)]}, "Precision: k=10 given for 10 real samples; 1 to 9"),
        ({"metrics": "copying_test"}, "needs a hold-out set"),
        ({"metrics": []}, "No metric was chosen"),
        ({"seed": -1}, "seed=-1 given"),
        ({"compat": "offical"}, "none of the chosen metrics offers it"),
        ({"holdout": rows(2, 10, 3)}, r"hold-out set \(holdout\) has 3 features"),
        ({"holdout": rows(0, 10)}, "hold-out set is the real set itself"),
    ],
)
def test_refused_before_any_work(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], message: str
) -> None:
    from truegrade.engine import run

    def no_work(*_: Any, **__: Any) -> None:
        raise AssertionError("work was begun")

    monkeypatch.setattr(run, "answer", no_work)
    with pytest.raises(tg.InputError, match=message):
        tg.evaluate(rows(0, 10), rows(1, 12), **options)


@pytest.mark.parametrize("models", [{}, None, [rows(1)]])
def test_compare_without_models_is_refused(models: Any) -> None:
    with pytest.raises(tg.InputError, match="at least one synthetic set by name"):
        tg.compare(rows(0), models)


def test_default_metrics_that_do_not_fit_are_undefined_with_a_reason() -> None:
    evaluation = tg.evaluate(rows(0, 4), rows(1, 4))
    assert evaluation["clipped_density"].status == "undefined"
    assert "k=5 given for 4 real samples; 1 to 3 is accepted" in str(evaluation["clipped_density"].reason)
    assert evaluation["frechet_distance"].status == "ok"
    assert evaluation["frechet_distance"].missing.keys() == {"interval", "floor"}


def test_n26_largest_k_works() -> None:
    assert tg.evaluate(rows(0, 10), rows(1, 12), metrics="recall", k=9)["recall"].status == "ok"


def test_family_without_holdout_leaves_out_what_needs_one() -> None:
    evaluation = tg.evaluate(rows(0), rows(1), metrics="copying")
    assert evaluation["copying_test"].status == "undefined"
    assert "hold-out" in str(evaluation["copying_test"].reason)
    assert evaluation["authenticity"].status == "ok"


def test_keys_are_unique_and_tell_the_parameters_apart() -> None:
    chosen, named = choose(["precision", Precision(k=3), Precision(k=3), "family:coverage", Recall()])
    assert list(chosen)[:2] == ["precision", "precision(k=3)"]
    assert sum(key.startswith("recall") and "(" not in key for key in chosen) == 2  # recall, recall_cover
    assert {"precision", "precision(k=3)", "recall"} <= named
    assert "clipped_coverage" not in named
    evaluation = tg.evaluate(rows(0), rows(1), metrics=["precision", Precision(k=3)])
    assert evaluation["precision(k=3)"].title == "Precision(k=3)"


def test_holdout_and_compat_reach_the_metrics_chosen_by_name() -> None:
    chosen, _ = choose(["authenticity", "clipped_density"], compat="official", holdout=True)
    assert chosen["authenticity"].parameters()["holdout"] is True
    assert chosen["clipped_density"].parameters()["compat"] == "official"
    given, _ = choose([METRICS["authenticity"]()], holdout=True)
    assert given["authenticity"].parameters()["holdout"] is False


def test_explain_tells_the_plan_without_doing_it(monkeypatch: pytest.MonkeyPatch) -> None:
    from truegrade.engine import run

    monkeypatch.delattr(run, "answer")
    text = explain(rows(0), rows(1), metrics=["clipped_density", "recall"])
    assert "120 samples x 8 features" in text
    assert "real against synthetic" in text


# --- words -------------------------------------------------------------------------------------------------


def interval(low: float, high: float) -> Interval:
    return Interval(low, high, 0.95, "")


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (0.123456, 0.113, 0.133, "0.123"),
        (0.123456, 0.1233, 0.1236, "0.12346"),
        (1234.56, 1200.0, 1270.0, "1235"),
        (1.0, 1.0, 1.0, "1.000"),
        (-0.5, -0.9, -0.1, "-0.50"),
        (1.23456e-7, 0.0, 1e-6, "1.23e-07"),
    ],
)
def test_digits_follow_the_interval(value: float, low: float, high: float, text: str) -> None:
    assert number(value, interval(low, high)) == text
    assert bounds(interval(0.113, 0.133)) == "0.113 to 0.133"


def test_hostile_names_become_one_short_plain_line() -> None:
    assert safe("a\nb\x1b[1m\u202e") == "a\\nb\\x1b[1m\\u202e"
    assert len(safe("x" * 10_000)) == 60


KEYS = (
    "clipped_density",
    "clipped_coverage",
    "symmetric_precision",
    "symmetric_recall",
    "nn_two_sample",
    "authenticity",
)


def verdict(synthetic: Rows, real: Rows) -> tuple[str, str]:
    found = judge(tg.evaluate(real, synthetic, metrics=KEYS))
    return found.code, found.words


def test_verdicts_tell_apart_what_can_go_wrong() -> None:
    real, rng = rows(0, 500), np.random.default_rng(1)
    copies = real[rng.integers(0, 500, 500)] + 0.01 * rows(2, 500)
    assert verdict(rows(3, 500), real)[0] == "indistinguishable"
    assert verdict(copies, real)[0] == "copies"
    assert verdict(np.concatenate([copies[:150], rows(4, 350)]), real)[0] == "copies"
    assert verdict(_half(rows(5, 500)), real)[0] == "misses"
    assert verdict(rows(6, 500, scale=2.0), real)[0] == "unrealistic"
    assert verdict(rows(7, 500, scale=0.8), real)[0] == "contracted"


def _half(values: Rows) -> Rows:
    """Only where the first two coordinates are positive: three quarters of the real set are missed."""
    values[:, :2] = np.abs(values[:, :2])
    return values


def test_without_floors_there_is_no_verdict() -> None:
    found = judge(tg.evaluate(rows(0), rows(1), metrics=KEYS, floor=False))
    assert found.code == "unknown"
    assert "No verdict" in found.words


def test_demo_models_are_told_apart() -> None:
    from truegrade.demo import load_demo

    data = load_demo()
    models = {name: data[name] for name in ("good", "mode_dropping", "copying")}
    result = tg.compare(data["train"], models, holdout=data["holdout"])
    codes = [judge(result[name]).code for name in models]
    assert codes[0] in ("good", "indistinguishable")
    assert codes[1:] == ["misses", "copies"]
    shown = str(result)
    assert "mode_dropping: Misses part of the variety" in shown
    assert "copying: Copies its training data" in shown


def test_words_for_each_kind_of_score() -> None:
    evaluation = tg.evaluate(rows(0, 300), 3 + rows(1, 300), holdout=rows(2, 300))
    assert comparison_words(evaluation["recall"]) == "far from real data"
    assert "times real vs real" in comparison_words(evaluation["frechet_distance"])
    same = tg.evaluate(rows(0, 300), rows(3, 300), holdout=rows(2, 300))
    assert comparison_words(same["symmetric_precision"]) == "as good as real data"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"seed": 1.5}, "seed=1.5 given"),
        ({"seed": True}, "seed=True given"),
        ({"threads": 0}, "threads=0 given; a whole number of at least 1"),
        ({"threads": "many"}, "threads='many' given"),
        ({"metrics": 5}, "metrics=5 given"),
        ({"cache": 5}, "cache=5 given"),
        ({"holdout": np.zeros((1, 3))}, "has 1 sample; at least 2"),
    ],
)
def test_options_of_another_kind_are_refused(options: dict[str, Any], text: str) -> None:
    with pytest.raises(tg.InputError, match=re.escape(text)):
        tg.evaluate(np.eye(9)[:, :3] + 0.0, rows(1)[:, :3], **options)


def test_a_result_names_the_library_of_transport_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    named = tg.evaluate(rows(0), rows(1), metrics="precision", intervals=False, floor=False).provenance.versions
    assert named["POT"] == metadata.version("POT")

    def without(name: str) -> str:
        if name == "POT":
            raise metadata.PackageNotFoundError(name)
        return "1.2.3"

    monkeypatch.setattr(session, "version", without)
    monkeypatch.setattr(session, "versions", session.versions.__wrapped__)  # not looked up before
    named = tg.evaluate(rows(0), rows(1), metrics="precision", intervals=False, floor=False).provenance.versions
    assert "POT" not in named
    assert named["scipy"] == "1.2.3"


def test_whole_numbers_of_numpy_are_whole_numbers() -> None:
    found = tg.evaluate(rows(0), rows(1), metrics="precision", seed=np.int64(3), threads=np.int32(1))
    assert (found.provenance.seed, found.provenance.threads) == (3, 1)


def test_a_cache_that_cannot_be_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(tg.InputError, match="is no folder"):
        tg.evaluate(rows(0), rows(1), metrics="precision", cache=tmp_path / "file")


def test_a_synthetic_set_that_is_the_hold_out_is_noted() -> None:
    found = tg.evaluate(rows(0), rows(1), holdout=rows(1), metrics="precision")
    assert "holdout_graded" in [note.code for note in found.notices]
    assert "holdout_graded" not in [n.code for n in tg.evaluate(rows(0), rows(1), holdout=rows(2)).notices]


def test_huge_values_print_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    tg.evaluate(1e39 * rows(0), 1e39 * rows(1))  # warnings are errors here
    assert capfd.readouterr() == ("", "")

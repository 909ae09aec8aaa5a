"""Repeats: which sets are drawn, what is said of their scores, and that the spread is the right one."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2

import truegrade as tg
from truegrade import cli
from truegrade.engine.cache import AnswerCache
from truegrade.engine.sweep import SweepRun, run_sweep
from truegrade.errors import InputError
from truegrade.samples import Samples
from truegrade.uncertainty.repeats import drawn, is_runs, summary

QUICK: dict[str, Any] = {"metrics": "precision", "floor": False, "intervals": False}
Floats = NDArray[np.float64]


def normal(n: int, seed: int, d: int = 3) -> Floats:
    return np.random.default_rng(seed).normal(size=(n, d))


# --- the summary -------------------------------------------------------------------------------------------


def quantile(values: list[float], q: float) -> float:
    """Linear between order statistics, as one would do it by hand."""
    ordered = sorted(values)
    place = q * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def test_the_summary_is_what_one_computes_by_hand() -> None:
    values = [0.3, 0.9, 0.1, 0.5, 0.7, 0.2]
    found = summary(values, [10] * 6, "as given")
    mean = sum(values) / 6
    assert found.mean == pytest.approx(mean)
    assert found.sd == pytest.approx(math.sqrt(sum((v - mean) ** 2 for v in values) / 5))
    parts = {0.05: found.p05, 0.25: found.q25, 0.5: found.median, 0.75: found.q75, 0.95: found.p95}
    assert parts == {q: pytest.approx(quantile(values, q)) for q in parts}
    assert found.values.tolist() == values


def test_undefined_values_are_kept_but_not_averaged() -> None:
    found = summary([math.nan, 0.25, 0.75], [10] * 3, "")
    assert (found.mean, found.median, found.sd) == (0.5, 0.5, pytest.approx(math.sqrt(0.125)))
    assert math.isnan(found.values[0])
    one = summary([math.nan, 0.25], [10] * 2, "")
    assert (one.mean, one.sd, one.p95) == (0.25, None, 0.25)
    none = summary([math.nan, math.nan], [10] * 2, "")
    assert (none.mean, none.sd, none.median, none.q25, none.p05) == (None,) * 5


# --- drawing -----------------------------------------------------------------------------------------------


def rows_of(pool: Samples, n: int, count: int, seed: int = 0) -> list[list[int]]:
    sets = drawn(pool, n, count, seed)
    assert len(sets) == count
    out = []
    for samples in (sets.first, *sets.rest()):
        assert samples.ids is not None
        assert np.array_equal(samples.array(), pool.array()[samples.ids])
        out.append(samples.ids.tolist())
    return out


def test_a_large_pool_is_cut_into_disjoint_sets() -> None:
    pool = Samples.from_array(normal(60, 0))
    rows = rows_of(pool, 20, 3)
    assert sorted(row for one in rows for row in one) == list(range(60))
    assert "disjoint" in drawn(pool, 20, 3, 0).how


def test_a_small_pool_is_drawn_from_without_replacement_and_that_is_said() -> None:
    pool = Samples.from_array(normal(40, 0))
    rows = rows_of(pool, 30, 5)
    assert all(len(set(one)) == 30 for one in rows)
    assert len({tuple(one) for one in rows}) == 5
    how = drawn(pool, 30, 5, 0).how
    assert "without replacement" in how
    assert "2.00 times" in how  # 1 / sqrt(1 - 30 / 40)


def test_equal_seeds_draw_equal_sets_and_others_do_not() -> None:
    pool = Samples.from_array(normal(100, 0))
    assert rows_of(pool, 20, 4, seed=3) == rows_of(pool, 20, 4, seed=3)
    assert rows_of(pool, 20, 4, seed=3) != rows_of(pool, 20, 4, seed=4)


def test_ids_of_the_pool_are_kept() -> None:
    pool = Samples.from_array(normal(50, 0), ids=[f"s{i}" for i in range(50)])
    first = drawn(pool, 20, 2, 0).first
    assert first.ids is not None
    assert all(np.array_equal(first.array()[i], pool.array()[int(str(one)[1:])]) for i, one in enumerate(first.ids))


# --- what is evaluated -------------------------------------------------------------------------------------


def test_every_value_is_that_of_the_set_alone() -> None:
    real, runs = normal(60, 0), [normal(50 + 10 * i, 1 + i) for i in range(3)]
    metrics = ["precision", "recall", "frechet_distance", "clipped_coverage"]
    together = tg.evaluate(real, runs[0], repeats=runs[1:], metrics=metrics, floor=False, intervals=False)
    for i, run in enumerate(runs):
        alone = tg.evaluate(real, run, metrics=metrics, floor=False, intervals=False)
        for key in metrics:
            repeats = together[key].repeats
            assert repeats is not None
            assert repeats.values[i] == alone[key].value
            assert repeats.sizes == (50, 60, 70)
    assert together["precision"].value == together["precision"].repeats.values[0]  # type: ignore[union-attr]
    assert tg.evaluate(real, runs, metrics=metrics, floor=False, intervals=False).scores == together.scores


def test_of_a_pool_the_first_set_is_graded_and_that_is_said() -> None:
    real, pool = normal(50, 0), normal(400, 1)
    found = tg.evaluate(real, pool, repeats=8, **QUICK)
    assert found.synthetic.n == found["precision"].n_synthetic == 50
    first = drawn(Samples.from_array(pool), 50, 8, 0).first
    assert found["precision"].value == tg.evaluate(real, first, **QUICK)["precision"].value
    (told,) = [note for note in found.notices if note.code == "drawn"]
    assert "8 sets of 50" in told.text
    assert "unequal_sizes" not in {note.code for note in found.notices}
    assert tg.evaluate(real, pool, repeats=8, **QUICK).scores == found.scores
    assert tg.evaluate(real, pool, repeats=8, seed=1, **QUICK).scores != found.scores


def test_without_repeats_there_are_none() -> None:
    assert tg.evaluate(normal(50, 0), normal(50, 1), **QUICK)["precision"].repeats is None
    assert tg.evaluate(normal(50, 0), [normal(50, 1)], **QUICK)["precision"].repeats is None


def test_the_real_side_is_swept_once(monkeypatch: pytest.MonkeyPatch) -> None:
    swept: list[tuple[str, str]] = []

    def spy(run: SweepRun, *rest: Any) -> Any:
        swept.append((str(run.sweep.a), str(run.sweep.b)))
        return run_sweep(run, *rest)

    monkeypatch.setattr("truegrade.engine.run.run_sweep", spy)
    real = normal(60, 0, 8)
    tg.evaluate(real, [normal(60, i, 8) for i in range(1, 5)], **QUICK)
    assert swept.count(("real", "real")) == 1
    assert swept.count(("real", "synthetic")) == 4


def test_a_cache_changes_no_number() -> None:
    real, pool = normal(60, 0), normal(600, 1)
    plain = tg.evaluate(real, pool, repeats=10, **QUICK)
    cache = AnswerCache()
    for _ in range(2):
        assert tg.evaluate(real, pool, repeats=10, cache=cache, **QUICK).scores == plain.scores


def test_a_set_that_a_metric_does_not_allow_is_undefined_there_only() -> None:
    real, runs = normal(60, 0), [normal(60, 1), normal(4, 2), normal(60, 3)]
    evaluation = tg.evaluate(real, runs, metrics=["family:coverage"], floor=False, intervals=False)
    found, always = evaluation["recall"].repeats, evaluation["coverage"].repeats
    assert found is not None
    assert always is not None
    assert np.isnan(found.values).tolist() == [False, True, False]
    assert not np.isnan(always.values).any()
    assert found.mean == pytest.approx(found.values[[0, 2]].mean())
    assert "(undefined in 1)" in str(evaluation)


# --- the spread is the right one -----------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "count"), [(9000, 180), (100, 180)])
def test_precision_of_fresh_sets_varies_like_a_share(size: int, count: int) -> None:
    """Given the real balls, each sample lies inside with one probability: disjoint sets are binomial, sets that are
    drawn from one small pool hypergeometric."""
    n = 50
    real, pool = normal(n, 5, 2), 1.3 * normal(size, 6, 2)
    found = tg.evaluate(real, pool, repeats=count, k=3, **QUICK)["precision"].repeats
    assert found is not None
    assert found.sd is not None
    p = tg.evaluate(real, pool, k=3, **QUICK)["precision"].value
    assert p is not None
    assert 0.1 < p < 0.95
    expected = p * (1 - p) / n * (1.0 if count * n <= size else (size - n) / (size - 1))
    statistic = (count - 1) * found.sd**2 / expected
    assert chi2.ppf(0.001, count - 1) < statistic < chi2.ppf(0.999, count - 1)
    assert abs(found.mean - p) < 4 * math.sqrt(expected / count)  # type: ignore[operator]


# --- records and outputs -------------------------------------------------------------------------------------


def test_repeats_survive_json_and_are_printed(tmp_path: Path) -> None:
    found = tg.evaluate(normal(50, 0), normal(300, 1), repeats=6, **QUICK)
    path = found.to_json(tmp_path / "a.json")
    again = tg.Evaluation.from_json(path)
    assert again == found
    assert again["precision"].repeats == found["precision"].repeats
    text = str(again)
    assert "6 disjoint sets of 50 drawn from 300" in text
    assert "quartiles" in text


def test_the_table_holds_the_numbers() -> None:
    from truegrade.report.text.terminal import render_text

    found = tg.evaluate(normal(50, 0), normal(300, 1), repeats=6, **QUICK)
    repeats = found["precision"].repeats
    assert repeats is not None
    for width in (112, 70):
        shown = render_text(found, width)
        row = shown[shown.index("Spread of the scores") :]
        assert f"{repeats.mean:.3f}" in row
        assert f"{repeats.median:.2f}" in row
        assert all(len(line) <= width for line in shown.splitlines())


def test_models_of_a_comparison_may_be_runs_or_pools() -> None:
    real = normal(50, 0)
    runs = {"a": [normal(50, 1), normal(50, 2)], "b": normal(50, 3), "rows": [[0.0, 1.0, 2.0]] * 20}
    found = tg.compare(real, runs, **QUICK)
    repeats = {name: e["precision"].repeats for name, e in found.evaluations.items()}
    counts = {name: None if r is None else len(r.values) for name, r in repeats.items()}
    assert counts == {"a": 2, "b": None, "rows": None}
    assert found["a"].synthetic.name == "a"
    pools = tg.compare(real, {"a": normal(200, 1), "b": normal(170, 2)}, repeats=3, **QUICK)
    assert all(len(e["precision"].repeats.values) == 3 for e in pools.evaluations.values())  # type: ignore[union-attr]


def test_what_is_a_list_of_runs() -> None:
    a = np.zeros((3, 2))
    assert is_runs([a, a])
    assert is_runs((a,))
    assert is_runs(["a.npy", Path("b.npy"), Samples.from_array(a)])
    assert not is_runs([])
    assert not is_runs(a)
    assert not is_runs([[1.0, 2.0], [3.0, 4.0]])
    assert not is_runs([a[0], a[1]])
    assert not is_runs([a, [1.0, 2.0]])
    assert not is_runs("a.npy")


POOL = np.random.default_rng(1).normal(size=(300, 3))


@pytest.mark.parametrize(
    ("synthetic", "repeats", "says"),
    [
        (POOL, 1, "at least 2"),
        (POOL, 0, "at least 2"),
        (POOL, -3, "at least 2"),
        (POOL, True, "at least 2"),
        (POOL, 2.5, "at least 2"),
        (POOL, [], "at least 2"),
        (POOL, [[1.0, 2.0, 3.0]], "list of further synthetic sets"),
        (POOL[:50], 20, "a pool of more than 50 is accepted, best of 1000"),
        (POOL[:30], 2, "a pool of more than 50"),
        ([POOL[:50], POOL[50:100]], 2, "repeats draws sets from one pool"),
        (POOL[:50], [POOL[:50]], "are the same"),
        (POOL[:50], [POOL[50:100, :2]], "3 features"),
    ],
)
def test_what_cannot_be_repeated_is_refused(synthetic: Any, repeats: Any, says: str) -> None:
    with pytest.raises(InputError) as caught:
        tg.evaluate(normal(50, 0), synthetic, repeats=repeats, **QUICK)
    assert says in str(caught.value)


def test_compare_takes_a_number_only() -> None:
    with pytest.raises(InputError, match="run1, run2"):
        tg.compare(normal(50, 0), {"a": normal(50, 1)}, repeats=[normal(50, 2)], **QUICK)


# --- command line ----------------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TRUEGRADE_CACHE", raising=False)
    np.save("real.npy", normal(50, 0))
    np.save("pool.npy", normal(300, 9))
    for i in range(3):
        np.save(f"run{i}.npy", normal(50, 1 + i))
    return tmp_path


OPTIONS = ("--metrics", "precision", "--no-floor", "--no-intervals")


def test_several_runs_on_the_command_line(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = ("--synthetic", "run0.npy", "run1.npy", "run2.npy")
    assert cli.main(("evaluate", "real.npy", *runs, *OPTIONS, "--json", "a.json")) == 0
    assert "3 sets as given" in capsys.readouterr().out
    repeats = tg.Evaluation.from_json("a.json")["precision"].repeats
    assert repeats is not None
    assert len(repeats.values) == 3


def test_a_pool_on_the_command_line(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(("evaluate", "real.npy", "pool.npy", "--repeats", "5", *OPTIONS)) == 0
    assert "5 disjoint sets of 50" in capsys.readouterr().out
    assert cli.main(("evaluate", "real.npy", "pool.npy", "--repeats", "5", *OPTIONS, "--explain")) == 0
    assert "4 further sets" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("pool.npy", "--repeats", "1"), 2),
        (("run0.npy", "--repeats", "3"), 1),
        (("run0.npy", "--synthetic", "run1.npy"), 2),
        ((), 2),
        (("--synthetic", "run0.npy", "run0.npy"), 1),
    ],
)
def test_wrong_usage(
    files: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], status: int
) -> None:
    assert cli.main(("evaluate", "real.npy", *arguments, *OPTIONS)) == status
    assert len(capsys.readouterr().err.splitlines()) == 1

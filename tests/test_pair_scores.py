"""The scores of a pair as metrics: one grading for all, options, statuses, ceilings, JSON, the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest

import truegrade as tg
from truegrade import cli
from truegrade.density import grade_pair
from truegrade.density.settings import Settings
from truegrade.errors import InputError
from truegrade.metrics import FAMILIES, METRICS, pair_grading
from truegrade.metrics.pair_scores import EdenScore, KLScore
from truegrade.result import Evaluation

KEYS = FAMILIES["pairs"]
QUIET = {"intervals": False, "floor": False}


def pair(n=80, m=80, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 2)), rng.normal(size=(m, 2)) * [1.0, 1.3] + [0.2, 0.0]


@pytest.fixture
def few_draws(monkeypatch):
    monkeypatch.setattr(pair_grading, "REPEATS", 8)
    monkeypatch.setattr(pair_grading, "CEILINGS", 4)


def test_there_are_seven_in_the_order_of_the_table():
    assert set(KEYS) == set(__import__("truegrade.density", fromlist=["SCORES"]).SCORES)
    assert all(METRICS[key].info.features == 2 for key in KEYS)


def test_all_are_read_off_one_grading(monkeypatch):
    calls = []
    monkeypatch.setattr("truegrade.density.grade_pair", lambda *a: calls.append(a) or grade_pair(*a))
    assert len({need for key in KEYS for need in METRICS[key]().needs()}) == 1
    p, q = pair()
    found = tg.evaluate(p, q, metrics="pairs", exhibits=False, **QUIET)
    assert len(calls) == 1
    expected = grade_pair(p, q).values
    assert {key: found[key].value for key in expected} == pytest.approx(expected, abs=1e-12)
    tg.pair_scores(p, q, levels=9, correlation="spearman", support=0.3, **QUIET)
    assert len(calls) == 2


@pytest.mark.parametrize(
    "options",
    [
        {"levels": 9, "thresh": 0.2},
        {"bandwidth": "shared"},
        {"rule": 0.5},
        {"method": "monte-carlo", "size": 2000, "seed": 3},
        {"correlation": "spearman"},
        {"support": 0.4},
    ],
)
def test_options_reach_the_densities(options):
    p, q = pair(m=50)
    expected = grade_pair(p, q, Settings(**options)).values
    plain = grade_pair(p, q).values
    found = tg.pair_scores(p, q, **options, **QUIET)
    assert {key: found[key].value for key in expected} == pytest.approx(expected, abs=1e-12)
    changed = {key for key in expected if expected[key] != plain[key]}
    assert changed
    for key in changed:
        own = {name: value for name, value in options.items() if name in METRICS[key]().parameters()}
        assert METRICS[key](**own)(p, q, **QUIET).value == pytest.approx(expected[key], abs=1e-12)
        assert found[key].parameters == METRICS[key](**own).parameters()


@pytest.mark.parametrize(
    ("key", "options", "said"),
    [
        ("eden_score", {"levels": 1}, "levels=1"),
        ("eden_score", {"thresh": 1.5}, "thresh=1.5"),
        ("kl_score", {"bandwidth": "mine"}, "'own' or 'shared'"),
        ("cs_score", {"rule": -1.0}, "rule=-1.0"),
        ("js_score", {"method": "guess"}, "'grid' or 'monte-carlo'"),
        ("correlation_score", {"correlation": "kendall"}, "'pearson' or 'spearman'"),
        ("jaccard_score", {"support": 0.0}, "support=0.0"),
    ],
)
def test_impossible_options_are_refused(key, options, said):
    with pytest.raises(InputError, match=said):
        METRICS[key](**options)


def test_other_than_two_columns_are_refused_by_name_and_undefined_among_all():
    rng = np.random.default_rng(0)
    p, q = rng.normal(size=(2, 40, 3))
    with pytest.raises(InputError, match=r"3 columns.*x\[:, \[0, 1\]\]"):
        EdenScore()(p, q)
    with pytest.raises(InputError, match="3 columns"):
        tg.pair_scores(p, q)
    found = tg.evaluate(p, q, metrics=["family:pairs", "precision"], exhibits=False, **QUIET)
    assert {found[key].status for key in KEYS} == {"undefined"}
    assert found["precision"].status == "ok"


@pytest.mark.parametrize(
    ("status", "spoil"),
    [
        ("constant", lambda a: np.c_[np.ones(len(a)), a[:, 1]]),
        ("collinear", lambda a: np.c_[a[:, 0], 2 * a[:, 0] + 1]),
        ("degenerate", lambda a: a[:2]),
    ],
)
def test_what_has_no_density_is_undefined_with_its_status(status, spoil):
    p, q = pair()
    for sides in ((spoil(p), spoil(q)), (p, spoil(q))):
        found = tg.pair_scores(*sides)
        assert {found[key].status for key in KEYS} == {"undefined"}
        assert all(found[key].reason.startswith(f"{status}: ") for key in KEYS)
        assert all(found[key].value is None and found[key].interval is None for key in KEYS)


def test_columns_are_named_in_the_reason():
    columns = ["age", "<script>"]
    sides = [tg.Samples.from_array(np.c_[np.ones(9), np.arange(9.0)], columns=columns) for _ in range(2)]
    assert "'age' is 1 in every real row" in EdenScore()(*sides).reason


def test_interval_ceiling_and_ratio(few_draws):
    p, q = pair()
    found = tg.pair_scores(p, q)
    for key in KEYS:
        score = found[key]
        assert score.interval.low <= score.value <= score.interval.high
        assert score.interval.low < score.interval.high
        assert score.floor.value == score.details["ceiling"]
        assert score.details["ratio"] == pytest.approx(score.value / score.floor.value)
        assert (score.floor.n, score.floor.m) == (80, 80)
        assert "real" in score.floor.note
    assert found["eden_score"].floor.value < 0.7
    assert found["kl_score"].interval.method == "sets drawn again"
    assert found["earth_movers_score"].interval.method == "influence function"


def test_the_same_seed_gives_the_same_and_ceilings_do_not_depend_on_the_model(few_draws):
    p, q = pair()
    first, again, other = (tg.pair_scores(p, s) for s in (q, q.copy(), q * 2.0))
    assert first.scores.keys() == again.scores.keys()
    for key in KEYS:
        assert (first[key].interval, first[key].floor) == (again[key].interval, again[key].floor)
        assert first[key].floor == other[key].floor
    assert tg.pair_scores(p, q, seed=1)["eden_score"].interval != first["eden_score"].interval


def test_models_are_compared_on_the_same_real_rows(few_draws):
    p, q = pair(120, 120)
    result = tg.compare(p, {"near": q, "far": q * [1.0, 3.0]}, metrics="pairs")
    (eden,) = [d for d in result.differences if d.key == "eden_score"]
    assert eden.paired
    assert eden.value > 0
    assert eden.interval.low < eden.value < eden.interval.high


def test_a_result_survives_json(few_draws, tmp_path):
    p, q = pair()
    found = tg.pair_scores(p, q)
    found.to_json(tmp_path / "pair.json")
    back = Evaluation.from_json(tmp_path / "pair.json")
    assert {k: back[k].to_dict() for k in KEYS} == {k: found[k].to_dict() for k in KEYS}
    assert json.loads((tmp_path / "pair.json").read_text(encoding="utf-8"))
    assert "Eden score" in str(found)


def test_unequal_sizes_with_own_kernels_are_warned_about():
    p, q = pair(40, 200)
    codes = [w.code for w in KLScore()(p, q, **QUIET).warnings]
    assert "own_bandwidths" in codes
    assert KLScore(bandwidth="shared")(p, q, **QUIET).warnings == ()
    assert tg.metrics.CorrelationScore()(p, q, **QUIET).warnings == ()


def test_spearman_of_large_sets_has_an_interval_and_a_ceiling(monkeypatch):
    """Cells have no ranks; beyond BY_ROWS those of the samples are drawn, as wide as those of rows."""
    p, q = pair(600, 500)
    metric = tg.metrics.CorrelationScore(correlation="spearman")
    rows = metric(p, q)
    monkeypatch.setattr(pair_grading, "BY_ROWS", 100)
    cells = metric(p, q)
    assert cells.value == rows.value
    assert cells.interval.high - cells.interval.low == pytest.approx(rows.interval.high - rows.interval.low, rel=0.4)
    assert cells.floor.value == pytest.approx(rows.floor.value, abs=0.01)


def test_points_outside_the_grid_are_told():
    p, q = np.random.default_rng(0).normal(size=(2, 400, 2))
    p[0] = 300.0
    for metric in (KLScore(), tg.metrics.EdenScore()):
        told = next(w for w in metric(p, q, **QUIET).warnings if w.code == "rows_outside_grid")
        assert told.text.startswith("1 of 400 real and 0 of 400 synthetic points")
    assert tg.metrics.CorrelationScore()(p, q, **QUIET).warnings == ()


def test_points_in_the_plane_are_graded_as_a_pair_by_default(few_draws, monkeypatch):
    p, q = pair(40, 40)
    found = tg.evaluate(p, q, exhibits=False, **QUIET)
    assert set(KEYS) < set(found)
    assert found["eden_score"].value == pytest.approx(grade_pair(p, q).values["eden_score"])
    assert not set(KEYS) & set(tg.evaluate(np.c_[p, p], np.c_[q, q], exhibits=False, **QUIET))
    assert not set(KEYS) & set(tg.evaluate(p, q, protocol="prdc", exhibits=False, **QUIET))


def test_large_sets_draw_cells_instead_of_rows(few_draws, monkeypatch):
    monkeypatch.setattr(pair_grading, "CEILINGS", 12)
    p, q = pair(400, 400)
    by_rows = tg.pair_scores(p, q)
    monkeypatch.setattr(pair_grading, "BY_ROWS", 100)
    monkeypatch.setattr("truegrade.metrics.pair_scores.BY_ROWS", 100)
    by_cells = tg.pair_scores(p, q)
    for key in set(KEYS) - {"earth_movers_score", "correlation_score"}:
        assert by_cells[key].floor.value == pytest.approx(by_rows[key].floor.value, abs=0.12)
        widths = [e[key].interval.high - e[key].interval.low for e in (by_rows, by_cells)]
        assert 0.3 < widths[1] / widths[0] < 3.0
    assert "not shared" in by_cells["eden_score"].trace.basis
    assert "not shared" not in by_rows["eden_score"].trace.basis


def test_the_command_line_knows_them(capsys):
    assert cli.main(["metrics"]) == 0
    listed = capsys.readouterr().out
    assert all(key in listed for key in KEYS)
    assert cli.main(["show", "eden_score"]) == 0
    assert "area(A_i(p) and A_i(q))" in capsys.readouterr().out

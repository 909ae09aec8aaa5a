"""An audit from beginning to end: suites, materials, metrics of one's own, the saved report."""

from __future__ import annotations

import inspect
import json
from dataclasses import replace

import numpy as np
import pytest

import truegrade as tg
from audit_cases import GoodShare, refusing, scenario
from truegrade.audit.auditing import run_audit
from truegrade.audit.opening import open_materials, stand_in
from truegrade.audit.rules import Worsens
from truegrade.audit.scenario import PROPERTIES, Ask, Axis, Criterion, Draw, Scenario
from truegrade.audit.suites import SUITES, Suite, default_metrics, get_suites
from truegrade.cli import main
from truegrade.metrics import FAMILIES, MMD, Precision
from truegrade.metrics.base import Outcome, undefined
from truegrade.result.audit import AuditReport, lost
from truegrade.samplers.ecg import simulate_ecg

READING = {"kind": "auto", "types": None, "ecg": None, "on_error": "refuse", "seed": 0, "threads": 1}


def halves(ask: Ask) -> Draw:
    """Two halves of the user's data, a share of the second one thrown to 1000."""
    one, other = (ask.material.rows(rows) for rows in ask.material.split(ask.rng))
    other[: round(ask.level * len(other))] = 1000.0
    return Draw(one, other)


MINE = scenario("mine", halves, data="vectors")
TEST = Suite("test", "for tests", (scenario("law"), MINE, scenario("no", refusing, data="vectors")))


def rows(n: int = 80, d: int = 3) -> np.ndarray:
    return np.random.default_rng(5).normal(size=(n, d))


@pytest.fixture(scope="module")
def report() -> AuditReport:
    return tg.audit(rows(), suite=TEST, metrics=[GoodShare(), GoodShare(power=2.0), "precision"])


def test_the_report_has_curves_findings_standings_and_advice(report):
    assert [s.key for s in report.scenarios] == ["law", "mine", "no"]
    assert [m.key for m in report.metrics] == ["good_share", "good_share(power=2.0)", "precision"]
    assert report["mine"].n == 40
    assert report["no"].skipped == "real has too few samples for this."
    passed = {f.metric: f.passed for f in report["mine"].findings if f.criterion == "linear"}
    assert passed["good_share"]
    assert not passed["good_share(power=2.0)"]
    assert ("mine", "good_share(power=2.0)") in [(s.key, f.metric) for s, f in report.blamed]
    assert {s.space for s in report.standings} == {"your data", "built-in laws"}
    assert report.recommendation.metrics[0] == "good_share"


def test_a_saved_report_comes_back_equal_and_is_strict_json(report, tmp_path):
    path = report.to_json(tmp_path / "audit.json")
    assert AuditReport.from_json(path) == report
    json.loads(path.read_text(), parse_constant=pytest.fail)


def test_an_audit_is_the_same_again_and_goes_on_from_its_journal(report, tmp_path):
    def again(**how):
        found = tg.audit(rows(), suite=TEST, metrics=[GoodShare(), GoodShare(power=2.0), "precision"], **how)
        return found.scenarios

    assert again(threads=1) == report.scenarios
    assert again(resume=tmp_path / "journal") == report.scenarios
    assert again(resume=tmp_path / "journal") == report.scenarios
    assert again(seed=1) != report.scenarios
    with pytest.raises(tg.InputError, match="journal of another audit"):
        tg.audit(rows() + 1.0, suite=TEST, metrics="precision", resume=tmp_path / "journal")


def test_what_was_lost_against_an_earlier_report_is_told(report):
    worse = tg.audit(rows(), suite=TEST, metrics=[Swapped(), "precision"])
    told = lost(report, worse)
    assert told
    assert all(line.startswith("good_share fails") for line in told)
    assert lost(report, report) == lost(worse, report) == ()
    silent = tg.audit(rows(), suite=TEST, metrics=[Silent(), "precision"])
    assert any(line.startswith("good_share fails") for line in lost(report, silent))
    gone = replace(report, scenarios=tuple(replace(s, skipped="why", findings=()) for s in report.scenarios))
    assert any("is not run any more: why" in line for line in lost(report, gone))


class Odd(Precision):
    """Takes odd numbers of neighbours."""

    def __post_init__(self):
        if self.k % 2 == 0:
            raise tg.InputError("k must be odd")


class Silent(GoodShare):
    """Has no value any more."""

    def compute(self, answers):
        return undefined("broken")


class Swapped(GoodShare):
    """Reads the share of bad samples: an error."""

    def compute(self, answers):
        found = super().compute(answers)
        return replace(found, value=1.0 - found.value)


def test_metrics_named_by_the_user_follow_the_convention_of_the_suite_unless_they_have_parameters():
    suite = Suite("test", "", (MINE,), {"mmd": MMD(compat="gan-metrics")})
    named = tg.audit(rows(60), suite=suite, metrics="mmd", quick=True).metrics
    assert named[0].parameters["compat"] == "gan-metrics"
    for given in (MMD(), MMD(scales=(2.0,))):
        found = tg.audit(rows(60), suite=suite, metrics=given, quick=True).metrics
        assert found[0].parameters["compat"] is None
    near = Suite("test", "", (MINE,), {"precision": Precision(k=3)})
    assert tg.audit(rows(60), suite=near, metrics="precision", k=5, quick=True).metrics[0].parameters["k"] == 5
    with pytest.raises(tg.InputError, match="k=3 given without metrics"):
        tg.audit(rows(60), suite=near, k=3)


def test_a_metric_that_refuses_a_value_of_its_parameter_costs_nobody_else():
    varied = replace(MINE, vary="k", axis=Axis("k", (2.0, 3.0), reference=None))
    found = tg.audit(rows(), suite=Suite("test", "", (varied,)), metrics=[Odd(), Precision()], repeats=2)["mine"]
    assert found.skipped is None
    assert np.isnan(found.curve("precision").values["score"][0]).all()
    assert np.isfinite(found.curves[1].values["score"]).all()


def test_one_metric_with_two_conventions_has_two_names():
    one = Suite("one", "", (MINE,), {"precision": Precision()})
    two = Suite("two", "", (MINE,), {"precision": Precision(k=3)})
    found = tg.audit(rows(60), suite=[one, two], quick=True)
    assert [m.key for m in found.metrics] == ["precision", "precision(k=3)"]
    assert [s.curves[0].metric for s in found.scenarios] == ["precision", "precision(k=3)"]


# --- suites -----------------------------------------------------------------------------------------------


def every_scenario() -> list[Scenario]:
    return [one for suite in SUITES.values() for one in suite.scenarios]


def test_scenarios_have_unique_keys_and_say_what_they_are():
    found = every_scenario()
    assert len({one.key for one in found}) == len(found)
    for suite in SUITES.values():
        for one in suite.scenarios:
            assert one.suite == suite.key
            assert one.question.endswith((".", "?"))
            assert one.source
            low, high = min(one.axis.levels), max(one.axis.levels)
            assert all(low <= level <= high for level in one.axis.quick)
            assert one.axis.reference is None or one.axis.reference in one.axis.chosen(quick=True)
            for family in FAMILIES:  # no metric is asked twice under one name
                asked = [c.key for c in one.criteria if family in c.of]
                assert len(set(asked)) == len(asked)
            assert {c.property for c in one.criteria} <= set(PROPERTIES)
            assert all(c.rule.words for c in one.criteria)


def test_every_property_is_looked_at_on_the_users_data_but_the_one_of_pairs():
    looked = {c.property for one in SUITES["own"].scenarios for c in one.criteria}
    assert looked == set(PROPERTIES) - {"separates"}


def test_what_is_audited_by_default_shares_sweeps():
    found = default_metrics()
    assert {"clipped_density", "clipped_coverage", "precision", "recall", "nn_two_sample", "authenticity"} <= set(found)
    assert "wasserstein" not in found


def test_all_is_every_suite_and_a_misspelt_one_is_told():
    assert [suite.key for suite in get_suites("all")] == list(SUITES)
    with pytest.raises(tg.InputError, match="Did you mean raisa"):
        get_suites("raise")
    with pytest.raises(tg.InputError, match="No suite"):
        get_suites([])


# --- materials ----------------------------------------------------------------------------------------------


def test_images_are_opened_in_every_space_with_changes_before_embedding():
    pictures = np.random.default_rng(0).integers(0, 256, (40, 8, 8, 3), dtype=np.uint8)
    pixels, small = open_materials(pictures, embed=["pixels", "pixels:pca=5"], **READING)
    assert pixels.offers == small.offers == {"vectors", "images"}
    assert pixels.real.d == 192
    assert small.real.d == 5
    moved = small.changed("shift")
    assert (moved.n, moved.d) == (40, 5)
    assert (pixels.space, small.space) == ("pixels", "pixels:pca=5")
    assert small.changed("shift") is moved


def test_recordings_are_opened_as_features():
    recordings = simulate_ecg(48, seconds=4, fs=100, seed=1)
    (found,) = open_materials(recordings, embed=None, **READING)
    assert found.offers == {"vectors", "ecg"}
    assert found.space == "descriptors"
    assert found.changed("noise").d == found.real.d


def test_points_in_the_plane_and_tables():
    (plane,) = open_materials(rows(50, 2), embed=None, **READING)
    assert plane.offers == {"vectors", "plane"}
    import pandas as pd

    frame = pd.DataFrame({"age": np.arange(60.0), "sex": ["f", "m"] * 30})
    (table,) = open_materials(frame, embed=None, **READING)
    assert table.offers == {"vectors"}
    assert table.real.n == 60


def test_without_data_there_is_a_stand_in():
    (found,) = open_materials(None, embed=None, **READING)
    assert found.law
    np.testing.assert_array_equal(found.real.array(), stand_in().array())


@pytest.mark.parametrize(
    ("given", "how", "says"),
    [
        (rows(39), {}, "39 samples; .* needs 40"),
        (rows(), {"metrics": "precison"}, "Did you mean precision"),
        (rows(), {"seed": -1}, "seed=-1"),
        (rows(), {"repeats": 1}, "repeats=1"),
        (rows(), {"n": 10}, "n=10"),
        (rows(), {"threads": 0}, "threads=0"),
        (np.full((80, 2), np.nan), {}, "nan in row 0"),
    ],
)
def test_what_cannot_be_audited_gets_one_clear_error(given, how, says):
    with pytest.raises(tg.InputError, match=says):
        tg.audit(given, **{"suite": TEST, **how})


def test_the_same_space_twice_is_refused():
    pictures = np.zeros((50, 4, 4, 3), np.uint8)
    with pytest.raises(tg.InputError, match="every one can be given once"):
        open_materials(pictures, embed=["pixels", "pixels"], **READING)


def test_the_function_that_users_call_passes_everything_on():
    asked = set(inspect.signature(tg.audit).parameters) - {"kind", "types", "ecg", "on_error"}
    assert asked | {"reading"} == set(inspect.signature(run_audit).parameters)


# --- the command ----------------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path):
    np.save(tmp_path / "real.npy", rows(80))
    return str(tmp_path / "real.npy")


def test_the_command_prints_and_writes(file, tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(SUITES, "own", Suite("own", "short", (MINE,)))
    outs = [str(tmp_path / name) for name in ("a.json", "a.html", "a.md")]
    flags = ["--json", outs[0], "--html", outs[1], "--markdown", outs[2]]
    assert main(["audit", file, "--metrics", "precision,recall", "--quick", *flags]) == 0
    assert "Precision" in capsys.readouterr().out
    assert "<!doctype html>" in (tmp_path / "a.html").read_text().lower()
    assert "Precision" in (tmp_path / "a.md").read_text()
    assert AuditReport.from_json(outs[0])["mine"].findings
    assert main(["show", outs[0]]) == 0
    assert "Precision" in capsys.readouterr().out


def test_a_check_that_the_baseline_passed_and_is_failed_now_exits_with_3(file, tmp_path, capsys, monkeypatch):
    """Samples thrown to 1000 lower precision, until somebody breaks it."""
    seen = replace(MINE, criteria=(Criterion("noise", "noise", Worsens(), ("fidelity",)),))
    monkeypatch.setitem(SUITES, "own", Suite("own", "short", (seen,)))
    saved = tmp_path / "before.json"
    tg.audit(file, metrics=["precision", "recall"], quick=True).to_json(saved)
    same = ["audit", file, "--metrics", "precision,recall", "--quick", "--baseline", str(saved)]
    assert main(same) == 0
    capsys.readouterr()
    monkeypatch.setattr(Precision, "compute", lambda self, answers: Outcome(1.0))
    assert main(same) == 3
    assert "precision fails" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (["--suite", "rasia"], 2, "Did you mean raisa"),
        (["--metrics", "precison"], 2, "Did you mean precision"),
        (["--embed", "lite1"], 2, "lite1"),
        (["--repeats", "1"], 2, "--repeats 1"),
        (["--n", "3"], 2, "--n 3"),
        (["--fs", "500"], 2, "ECG"),
        (["--json", "FILE"], 2, "also read"),
    ],
)
def test_wrong_usage_is_told_before_any_work(file, capsys, arguments, status, says):
    assert main(["audit", file, *(file if one == "FILE" else one for one in arguments)]) == status
    assert says in capsys.readouterr().err


def test_a_file_that_is_not_there_and_one_without_samples(tmp_path, capsys):
    assert main(["audit", str(tmp_path / "none.npy")]) == 1
    np.savez(tmp_path / "stats.npz", mu=np.zeros(3), sigma=np.eye(3))
    assert main(["audit", str(tmp_path / "stats.npz")]) == 1
    assert "only a mean and a covariance" in capsys.readouterr().err



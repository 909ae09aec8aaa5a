"""The runner: what is drawn, what is shared, what a journal keeps, and what stops."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from audit_cases import LEVELS, GoodShare, material, refusing, scenario, spoilt
from truegrade.audit.journal import Journal, open_journal
from truegrade.audit.rules import Worsens
from truegrade.audit.run import make_task, run_scenario, run_tasks
from truegrade.audit.scenario import Axis, Criterion, Draw, Ruling
from truegrade.engine import run as engine
from truegrade.errors import InputError
from truegrade.metrics import Precision, Recall

EXACT = {"good_share": GoodShare()}


def test_a_metric_that_reads_the_share_is_praised_and_a_bent_one_blamed():
    found = run_scenario(scenario(), material(), {**EXACT, "bent": GoodShare(power=2.0)})
    verdicts = {f.metric: f.passed for f in found.findings if f.criterion == "linear"}
    assert verdicts == {"good_share": True, "bent": False}
    curve = found.curve("good_share")
    assert curve is not None
    np.testing.assert_allclose(curve.values["score"], np.repeat([[1.0], [0.75], [0.5], [0.0]], 3, axis=1))
    assert curve.desired == (1.0, 0.75, 0.5, 0.0)
    (blame,) = [f for f in found.findings if f.metric == "bent" and f.criterion == "linear"]
    assert blame.number == pytest.approx(0.25)  # x^2 is farthest from x at 1/2
    assert "0.5" in blame.reason


def test_verdicts_of_numpy_are_plain_ones():
    """They are counted by `is True`, and written as JSON."""

    class Numpy:
        words = "whatever"

        def __call__(self, seen):
            return Ruling(np.bool_(True), "so", np.float32(0.5))

    odd = (Criterion("odd", "noise", Numpy(), ("fidelity",)),)
    (found,) = run_scenario(scenario(criteria=odd), material(), EXACT).findings
    assert found.passed is True
    assert type(found.number) is float


def test_what_is_described_is_not_expected():
    found = run_scenario(scenario(), material(), EXACT)
    (noise,) = [f for f in found.findings if f.criterion == "noise"]
    assert not noise.expected
    assert noise.passed


def test_values_depend_on_the_seed_and_on_nothing_else():
    def values(**changes):
        found = run_scenario(scenario(), material(), {"precision": Precision(), **changes.pop("more", {})}, **changes)
        return found.curve("precision").values["score"]

    first = values()
    np.testing.assert_array_equal(first, values(threads=1))
    np.testing.assert_array_equal(first, values(threads=3))
    np.testing.assert_array_equal(first, values(more={"recall": Recall()}))
    np.testing.assert_array_equal(first[:, :2], values(repeats=2))
    assert not np.array_equal(first, values(seed=1))


def test_levels_of_a_paired_scenario_share_their_real_set_and_others_do_not():
    seen: dict[bool, set[float]] = {True: set(), False: set()}

    def make(ask):
        real = ask.rng.normal(size=(ask.n, 2))
        seen[paired].add(float(real[0, 0]))
        return Draw(real, real + 1.0)

    for paired in (True, False):
        run_scenario(scenario(make=make, paired=paired, repeats=(2, 2)), material(), EXACT)
    assert len(seen[True]) == 2
    assert len(seen[False]) == 2 * len(LEVELS)


def test_all_metrics_of_a_draw_share_one_engine_run(monkeypatch):
    calls, answer = [], engine.answer
    monkeypatch.setattr(engine, "answer", lambda needs, *a, **k: calls.append(len(needs)) or answer(needs, *a, **k))
    run_scenario(scenario(repeats=(2, 2)), material(), {"precision": Precision(), "recall": Recall()})
    assert len(calls) == 2 * len(LEVELS)


def test_a_scenario_that_the_data_do_not_allow_is_skipped_with_the_reason_and_the_others_go_on():
    tasks = [make_task(s, material(), EXACT) for s in (scenario("no", refusing), scenario("yes"))]
    no, yes = run_tasks(tasks, Journal())
    assert no.skipped == "mine has too few samples for this."
    assert no.curves == no.findings == ()
    assert yes.skipped is None
    assert yes.findings


def test_a_defect_in_a_scenario_is_not_hidden():
    def broken(ask):
        raise ZeroDivisionError("a defect")

    with pytest.raises(ZeroDivisionError, match="a defect"):
        run_scenario(scenario(make=broken), material(), EXACT)


def test_a_metric_without_a_value_is_neither_passed_nor_failed():
    found = run_scenario(scenario(), material(), {"inverse": GoodShare(power=-1.0)})
    (linear,) = [f for f in found.findings if f.criterion == "linear"]
    assert linear.passed is None
    assert "no value at 1" in linear.reason
    assert found.curve("inverse").reasons == ("no good sample is left",)


def test_a_varied_parameter_takes_the_level_and_leaves_out_metrics_without_it():
    varied = scenario(
        vary="power",
        axis=Axis("power", (1.0, 2.0), reference=None),
        make=lambda ask: Draw(np.zeros((4, 1)), np.array([[0.0], [0.0], [0.0], [1000.0]])),
    )
    found = run_scenario(varied, material(), {**EXACT, "precision": Precision(k=2)})
    assert [c.metric for c in found.curves] == ["good_share"]
    np.testing.assert_allclose(found.curve("good_share").values["score"][:, 0], [0.75, 0.75**2])


def test_timed_scenarios_measure_every_metric_alone():
    found = run_scenario(scenario(timed=True), material(), {**EXACT, "recall": Recall()})
    for curve in found.curves:
        assert curve.seconds is not None
        assert len(curve.seconds) == len(LEVELS)
        assert min(curve.seconds) > 0.0
    assert run_scenario(scenario(), material(), EXACT).curve("good_share").seconds is None


def test_progress_counts_every_draw():
    told = []
    task = make_task(scenario(arms=("a", "b")), material(), EXACT)
    run_tasks([task], Journal(), threads=1, progress=lambda done, total, what: told.append((done, total)))
    assert told == [(i + 1, 2 * 3 * len(LEVELS)) for i in range(2 * 3 * len(LEVELS))]


# --- the journal -----------------------------------------------------------------------------------------

ABOUT = {"version": "1", "seed": 0, "data": [["", "abc"]]}


def draws_of(path, metrics=EXACT, about=ABOUT):
    """How many draws an audit with this journal makes, and its outcome."""
    made = []
    counted = scenario(make=lambda ask: made.append(ask.level) or spoilt(ask))
    (outcome,) = run_tasks([make_task(counted, material(), metrics)], open_journal(path, about), threads=1)
    return len(made), outcome


def test_an_audit_goes_on_where_it_was(tmp_path):
    path = tmp_path / "deep" / "journal"
    whole, first = draws_of(path)
    assert whole == 3 * len(LEVELS)
    again, second = draws_of(path)
    assert again == 0
    assert second == first
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:-3]) + lines[-3][: len(lines[-3]) // 2])  # two draws lost, one cut off by a crash
    missing, third = draws_of(path)
    assert missing == 3
    assert third == first
    assert draws_of(path)[0] == 0


def test_a_new_metric_or_other_parameters_are_measured_and_the_old_values_kept(tmp_path):
    path = tmp_path / "journal"
    draws_of(path)
    both = {**EXACT, "bent": GoodShare(power=2.0)}
    assert draws_of(path, both)[0] == 3 * len(LEVELS)
    assert draws_of(path, both)[0] == 0
    assert draws_of(path, {"bent": GoodShare(power=3.0)})[0] == 3 * len(LEVELS)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("a,b\n1,2\n", "is no journal of an audit"),
        ("[1, 2]\n", "is no journal of an audit"),
        ('{"truegrade audit journal": 1, "version": "1", "seed": 5, "data": [["", "abc"]]}\n', "seed 5 there, 0 now"),
    ],
)
def test_another_file_is_refused_and_left_alone(tmp_path, content, says):
    path = tmp_path / "journal"
    path.write_text(content)
    with pytest.raises(InputError, match=says):
        open_journal(path, ABOUT)
    assert path.read_text() == content


def test_damaged_lines_are_measured_again(tmp_path):
    path = tmp_path / "journal"
    _, first = draws_of(path)
    lines = path.read_text().splitlines()
    unit = json.loads(lines[1])["unit"]
    wrong = json.dumps({"unit": unit, "metrics": {"x": ["y", None, None]}})
    broken = ["null", "{}", wrong, '{"unit": 3, "metrics": 4}']
    path.write_text("\n".join([lines[0], *broken, *lines[2:]]) + "\n")
    made, again = draws_of(path)
    assert made == 1
    assert again == first


def test_a_criterion_of_one_key_concerns_that_metric_alone():
    only = (Criterion("noise", "noise", Worsens(), ("precision",)),)
    found = run_scenario(replace(scenario(), criteria=only), material(), {**EXACT, "precision": Precision()})
    assert {f.metric for f in found.findings} == {"precision"}

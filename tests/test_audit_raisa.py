"""The fifteen checks of Räisä et al.: laws, criteria, the published table, and an error put into a metric."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from audit_seen import finding, seen
from truegrade.audit.material import Material
from truegrade.audit.opening import stand_in
from truegrade.audit.run import make_task, run_scenario
from truegrade.audit.scenario import Ask, matching
from truegrade.audit.suites.raisa import CONVENTION, SCENARIOS, agreement, laws
from truegrade.audit.suites.raisa.criteria import Bell, CloseTo, Either, Level, LowOrHigh, Slope
from truegrade.audit.suites.raisa.one_class import STEPS, train
from truegrade.audit.suites.raisa.published import COLUMNS, NOT_ASKED, published, share_of_redraws
from truegrade.metrics import Precision, Recall
from truegrade.result.audit import AuditCurve, Finding
from truegrade.samples import Samples

LAWS = Material(stand_in(), law=True)


def ask(level: float, n: int = 4000, seed: int = 0) -> Ask:
    return Ask(level, n, np.random.default_rng(seed), LAWS, "score")


# --- the table --------------------------------------------------------------------------------------------


def test_every_row_of_the_published_table_is_a_criterion_of_a_scenario_and_the_other_way_round():
    rows = Counter((row.scenario, row.criterion) for row in published())
    ours = {(s.key, c.key) for s in SCENARIOS for c in s.criteria}
    assert len(published()) == 120
    assert set(rows) == ours
    assert set(rows.values()) == {1}


def test_what_the_table_does_not_ask_of_a_metric_no_criterion_asks():
    for row in published():
        asked = [c for c in matching(SCENARIOS, row.scenario).criteria if c.key == row.criterion]
        for key, column in COLUMNS.items():
            expected = any(c.expects(CONVENTION[key].info) for c in asked)
            assert expected == (row.cells[column] != NOT_ASKED), (row, key)


def test_low_and_high_are_possible_where_the_table_has_them():
    for row in published():
        words = {cell for cell in row.cells.values() if cell in ("low", "high")}
        rules = [c.rule for c in matching(SCENARIOS, row.scenario).criteria if c.key == row.criterion]
        assert not words or any(isinstance(rule, (Either, LowOrHigh)) for rule in rules)


def test_all_metrics_of_the_table_are_run_and_ours_beside_them():
    ours = {"clipped_density", "clipped_coverage", "precision_cover", "recall_cover"}
    assert set(CONVENTION) == {*COLUMNS, *ours}
    assert all(set(one.metrics) == set(CONVENTION) for one in SCENARIOS)


def test_agreement_counts_cells_by_the_papers_convention_alone():
    key = "raisa-gaussian-mean-difference-8"
    whole = make_task(matching(SCENARIOS, key), LAWS, {})
    outcome = run_scenario(matching(SCENARIOS, key), LAWS, {}, quick=True)
    told = {"bounds/identical": False, "bounds/extreme negative": True, "bounds/extreme positive": None}
    said = ("bounded", "a rule", True)
    findings = tuple(Finding("precision", name, *said, passed, "because") for name, passed in told.items())
    right = replace(outcome, levels=whole.levels, repeats=10, n=1000, findings=findings)
    (found,) = agreement([right])
    assert (found.metric, found.agreed, found.cells) == ("precision", 2, 3)  # published: F, T, T
    assert found.differ == (("gaussian-mean-difference-8, bounds/extreme positive: because", "T", "no value"),)
    whole_cubes = next(s for s in SCENARIOS if s.key == "raisa-uniform-hypercube-varying-syn-size-1")
    few = replace(right, key=whole_cubes.key, axis=whole_cubes.axis.name, levels=whole_cubes.axis.levels, n=500)
    assert agreement([few]) == ()  # the real samples are too few
    for wrong in ({"repeats": 3}, {"n": 500}, {"levels": whole.levels[:5]}, {"skipped": "why"}):
        assert agreement([replace(right, **wrong)]) == ()


@pytest.mark.parametrize(("centre", "chance"), [(0.949, True), (0.80, False)])
def test_a_difference_that_chance_may_have_made_is_told_from_one_that_it_has_not(centre, chance):
    """At 0 the mean of ten repeats has to be 0.95: in about half of the redraws it is, or in none."""
    check = matching(SCENARIOS, "raisa-gaussian-mean-difference-8")
    values = np.zeros((len(check.axis.levels), 10))
    values[check.axis.levels.index(0.0)] = centre + 0.01 * np.array([-2, -1, -1, 0, 0, 0, 0, 1, 1, 2])
    outcome = replace(
        run_scenario(check, LAWS, {}, quick=True, repeats=2),
        levels=check.axis.levels,
        n=1000,
        repeats=10,
        curves=(AuditCurve("coverage", {"score": values}),),
        findings=(Finding("coverage", "bounds/identical", "bounded", "a rule", True, False, "because"),),
    )
    share = share_of_redraws(outcome, "coverage", "bounds/identical", "T")
    assert (0.2 < share < 0.8) is chance
    assert share + share_of_redraws(outcome, "coverage", "bounds/identical", "F") == pytest.approx(1.0)
    (found,) = agreement([outcome])
    ((cell, theirs, ours),) = found.differ
    assert (theirs, ours) == ("T", "F")
    assert ("by chance" in cell) is chance


def test_the_columns_of_the_cover_pair_have_the_roles_of_its_code():
    key = "raisa-gaussian-mixture-sequential-mode-dropping-1"
    metrics = {name: CONVENTION[name] for name in ("c_precision", "c_recall", "precision_cover", "recall_cover")}
    found = run_scenario(matching(SCENARIOS, key), LAWS, metrics, quick=True, threads=1)
    for theirs, ours in (("c_precision", "recall_cover"), ("c_recall", "precision_cover")):
        np.testing.assert_array_equal(found.curve(theirs).values["score"], found.curve(ours).values["score"])


# --- criteria -----------------------------------------------------------------------------------------------

X = (0.0, 1.0, 2.0, 3.0, 4.0)


@pytest.mark.parametrize(
    ("rule", "values", "passed", "word"),
    [
        (CloseTo(1.0, 0.0), [0.96, 0, 0, 0, 0], True, None),
        (CloseTo(1.0, 0.0), [0.94, 1, 1, 1, 1], False, None),
        (CloseTo(0.0, "last"), [1, 1, 1, 1, 0.04], True, None),
        (CloseTo(0.0, "first"), [0.06, 0, 0, 0, 0], False, None),
        (Bell(2.0), [0.0, 0.5, 1.0, 0.5, 0.0], True, None),
        (Bell(2.0), [0.9, 0.5, 1.0, 0.5, 0.0], False, None),  # .1 above an end
        (Bell(2.0), [0.0, 1.0, 0.8, 0.5, 0.0], False, None),  # .2 below the highest
        (Bell(2.0), [0.5, 0.1, 1.0, 0.5, 0.5], False, None),  # both ends .4 above the lowest
        (Slope(falls=True), [1.0, 0.9, 0.5, 0.2, 0.0], True, None),
        (Slope(falls=True), [0.1, 0.1, 0.05, 0.0, 0.0], False, None),
        (Slope(falls=False), [0.0, 0.2, 0.5, 0.9, 1.0], True, None),
        (Slope(falls=True, drop_by=2.0), [1.0, 1.0, 0.95, 0.2, 0.0], False, None),
        (Slope(falls=True, drop_by=2.0), [1.0, 1.0, 0.89, 0.2, 0.0], True, None),
        (Level(), [0.5, 0.52, 0.5, 0.54, 0.5], True, None),
        (Level(), [0.5, 0.52, 0.5, 0.56, 0.5], False, None),
        (Level(after=2.0), [0.9, 0.0, 0.5, 0.54, 0.5], True, None),
        (LowOrHigh("last"), [1, 1, 1, 1, 0.01], True, "low"),
        (LowOrHigh("last"), [1, 1, 1, 1, 0.99], True, "high"),
        (LowOrHigh("last"), [1, 1, 1, 1, 0.5], False, None),
        (Either(Bell(2.0), Slope(falls=False)), [0.0, 0.5, 1.0, 0.5, 0.0], True, "low"),
        (Either(Bell(2.0), Slope(falls=False)), [0.0, 0.5, 0.9, 1.0, 1.0], True, "high"),
        (Either(Bell(2.0), Slope(falls=False)), [0.5, 0.5, 0.5, 0.5, 0.5], False, None),
    ],
)
def test_criteria_on_curves_that_can_be_judged_by_eye(rule, values, passed, word):
    ruling = rule(seen(values, levels=X))
    assert ruling.passed is passed or bool(ruling.passed) is passed
    assert ruling.word == word
    assert rule.words


# --- laws ----------------------------------------------------------------------------------------------------


def test_cubes_share_a_fifth_of_their_volume():
    for d in (1, 8, 64):
        start = laws.cube(d, moved=True)(ask(0.0)).min()
        assert (1.0 - start) ** d == pytest.approx(0.2, rel=0.2 if d == 1 else 0.5)
        assert 1.0 - laws.OVERLAP ** (1.0 / d) <= start


def test_every_scenario_standardises_by_its_real_samples():
    for one in SCENARIOS:
        draw = one.make(replace(ask(one.axis.levels[0]), n=200))
        np.testing.assert_allclose(draw.real.mean(axis=0), 0.0, atol=1e-9)
        spread = draw.real.std(axis=0)
        np.testing.assert_allclose(spread[spread > 0], 1.0)


def test_bodies_have_no_point_in_common_and_are_uniform():
    ring, ball = laws.torus(1.0, 0.1, counts=False)(ask(0.0)), laws.ball(0.8, counts=False)(ask(0.0))
    away = np.hypot(np.hypot(ring[:, 0], ring[:, 1]) - 1.0, ring[:, 2])
    assert away.max() <= 0.1
    assert (away < 0.1 * 0.5**0.5).mean() == pytest.approx(0.5, abs=0.03)  # half of the disc's area
    radii = np.linalg.norm(ball, axis=1)
    assert radii.max() <= 0.8
    assert (radii < 0.8 * 0.5 ** (1 / 3)).mean() == pytest.approx(0.5, abs=0.03)  # half of the ball's volume


def test_modes_lose_their_weight_together_or_one_after_the_other():
    centres = np.linspace(0.0, 10.0, 10)

    def shares(weights, level):
        draw = laws.on_diagonal(1, weights)(ask(level, 20_000))
        return np.bincount(np.abs(draw - centres).argmin(axis=1), minlength=10) / len(draw)

    np.testing.assert_allclose(shares(laws.all_but_first_lighter, 0.5)[1:], 0.5 / 5.5, atol=0.012)
    gone = shares(laws.last_dropped, 4.0)
    assert gone[6:].max() < 0.01
    np.testing.assert_allclose(gone[:6], 1 / 6, atol=0.012)


def test_the_wide_mode_has_the_variance_of_the_two():
    two, one = laws.two_modes(2)(ask(4.0, 50_000)), laws.one_mode(2)(ask(4.0, 50_000))
    np.testing.assert_allclose(two.var(axis=0), 1.0 + 4.0, rtol=0.03)
    np.testing.assert_allclose(one.var(axis=0), 1.0 + 16.0, rtol=0.03)


# --- the one-class embedding ------------------------------------------------------------------------------------


def test_training_is_that_of_torch():
    """The same start, the same loss: AdamW of torch takes the same steps."""
    torch = pytest.importorskip("torch")
    samples = Samples.from_array(np.random.default_rng(0).normal(size=(60, 3)).astype(np.float32))
    ours, start = train(samples), _start_of(samples)
    weights = [torch.nn.Parameter(torch.tensor(one)) for one in start]
    optimiser = torch.optim.AdamW(weights, lr=1e-3, weight_decay=1e-2)
    inputs = torch.tensor(samples.array())
    for _ in range(STEPS):
        optimiser.zero_grad()
        out = torch.relu(torch.relu(inputs @ weights[0]) @ weights[1]) @ weights[2]
        (100.0 * ((out - 1.0) ** 2).sum(dim=1).mean()).backward()
        optimiser.step()
    with torch.no_grad():
        theirs = (torch.relu(torch.relu(inputs @ weights[0]) @ weights[1]) @ weights[2]).numpy()
    np.testing.assert_allclose(ours(samples), theirs, rtol=0.02, atol=0.02)


def _start_of(samples: Samples) -> list[np.ndarray]:
    """The weights before the first step."""
    module = sys.modules[train.__module__]
    kept = module.STEPS
    try:
        module.STEPS = 0
        return [layer.copy() for layer in module.train(samples).layers]
    finally:
        module.STEPS = kept


def test_the_embedding_does_not_depend_on_what_was_embedded_before():
    first, other = (Samples.from_array(np.random.default_rng(seed).normal(size=(50, 2))) for seed in (0, 1))
    once = train(first)(first)
    train(other)
    np.testing.assert_array_equal(once, train(first)(first))


# --- an error ---------------------------------------------------------------------------------------------------


class SwappedPrecision(Precision):
    def needs(self):
        return Recall(k=self.k).needs()


class SwappedRecall(Recall):
    def needs(self):
        return Precision(k=self.k).needs()


@pytest.mark.parametrize(
    ("right", "wrong", "scenario", "criterion"),
    [
        (Precision(k=3), SwappedPrecision(k=3), "raisa-gaussian-std-difference-8", "bounds/low syn. std."),
        (Precision(k=3), SwappedPrecision(k=3), "raisa-gaussian-mixture-mode-dropping-invention", "property/shape"),
        (Recall(k=3), SwappedRecall(k=3), "raisa-gaussian-mixture-mode-dropping-invention", "property/shape"),
    ],
)
def test_swapped_precision_and_recall_fail(right, wrong, scenario, criterion):
    key = right.info.key
    found = [
        finding(run_scenario(matching(SCENARIOS, scenario), LAWS, {key: metric}, quick=True, threads=1), key, criterion)
        for metric in (right, wrong)
    ]
    assert found[0].passed, found[0].reason
    assert found[1].passed is False, found[1].reason

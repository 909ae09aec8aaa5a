"""Real against real of recordings: disjoint cuts, whole patients, floors beside numbers."""

from __future__ import annotations

import numpy as np
import pytest

from truegrade.ecg.floors import fresh_of, number, partner_cuts, real_cuts
from truegrade.errors import InputError
from truegrade.recordings import Recordings
from truegrade.samples import Samples
from truegrade.uncertainty.cuts import cut_rows
from truegrade.uncertainty.floors import FloorPlan, plan_floor


def recordings(n: int, patients: np.ndarray | None = None, seed: int = 0) -> Recordings:
    values = np.random.default_rng(seed).normal(size=(n, 1, 8))
    return Recordings.from_array(values, patients=patients)


@pytest.mark.parametrize(
    ("n", "m", "sizes"), [(100, 100, (50, 50)), (101, 101, (50, 50)), (150, 75, (100, 50)), (100, 10_000, (20, 80))]
)
def test_cuts_are_disjoint_and_keep_the_proportion(n: int, m: int, sizes: tuple[int, int]) -> None:
    cuts = real_cuts(recordings(n), m, seed=1)
    assert len(cuts) == 4
    for first, second in cuts:
        assert abs(len(first) - sizes[0]) <= 1
        assert abs(len(second) - sizes[1]) <= 1
        assert not set(first) & set(second)
        assert set(first) | set(second) <= set(range(n))
    assert len({tuple(first) for first, _ in cuts}) == 4


def test_cuts_are_equal_for_an_equal_seed() -> None:
    real = recordings(60)
    one, same, other = (real_cuts(real, 60, seed=seed) for seed in (1, 1, 2))
    assert all(np.array_equal(a[0], b[0]) and np.array_equal(a[1], b[1]) for a, b in zip(one, same, strict=True))
    assert not np.array_equal(one[0][0], other[0][0])


def test_no_patient_stands_on_both_sides() -> None:
    """Patients with 1 to 9 recordings each: the parts are disjoint in patients, and nearly as large as asked."""
    rng = np.random.default_rng(0)
    patients = np.repeat([f"p{at}" for at in range(60)], rng.integers(1, 10, 60))
    patients = patients[rng.permutation(len(patients))]
    for first, second in real_cuts(recordings(len(patients), patients), len(patients), seed=0):
        assert not set(patients[first]) & set(patients[second])
        assert len(first) + len(second) >= 0.9 * len(patients)
        assert abs(len(first) - len(second)) <= 9


@pytest.mark.parametrize("patients", [None, np.array(["a"] * 15 + ["b"] * 4), np.array(["a"] * 40)])
def test_too_few_recordings_or_patients_have_no_floor(patients: np.ndarray | None) -> None:
    real = recordings(19 if patients is None else len(patients), patients)
    cuts = real_cuts(real, real.n, seed=0)
    assert cuts == ()
    found = number(lambda a, b: float(len(a) + len(b)), real, real, cuts)
    assert (found.value, found.floor, found.cuts) == (2.0 * real.n, None, 0)
    assert "fewer than 10 recordings" in found.note


def test_a_floor_is_the_mean_over_the_cuts() -> None:
    """By definition, on recordings and on one value a record."""
    real, synthetic = recordings(40), recordings(40, seed=1)
    cuts = real_cuts(real, 40, seed=0)

    def gap(one: Recordings, other: Recordings) -> float:
        return float(one.data.mean() - other.data.mean())

    want = [real.data[a].mean() - real.data[b].mean() for a, b in cuts]
    per_record = real.data.mean(axis=(1, 2)), synthetic.data.mean(axis=(1, 2))
    for found in (number(gap, real, synthetic, cuts), number(lambda a, b: a.mean() - b.mean(), *per_record, cuts)):
        assert found.value == pytest.approx(real.data.mean() - synthetic.data.mean())
        assert found.floor == pytest.approx(np.mean(want))
        assert found.floor_low == pytest.approx(min(want))
        assert found.floor_high == pytest.approx(max(want))
        assert (found.floor_n, found.floor_m, found.cuts, found.n_real, found.n_synthetic) == (20, 20, 4, 40, 40)


def test_cuts_for_partners_leave_as_many_candidates_as_there_are() -> None:
    for first, second in partner_cuts(100, 60, None, seed=0, cuts=3):
        assert (len(first), len(second), len(set(first) & set(second))) == (20, 60, 0)
    patients = np.repeat(np.arange(25), 4)
    ((first, second),) = partner_cuts(100, 1000, patients, seed=0, cuts=1)
    assert not set(patients[first]) & set(patients[second])
    assert len(first) + len(second) == 100
    assert abs(len(first) - 20) <= 2
    assert partner_cuts(19, 50, None, seed=0, cuts=2) == ()
    assert partner_cuts(40, 9, None, seed=0, cuts=2) == ()
    assert [len(part) for part in partner_cuts(22, 22, None, seed=0, cuts=1)[0]] == [10, 12]


def test_a_holdout_is_fresh_without_patients_of_the_real_side() -> None:
    real, held = recordings(20, np.arange(20)), recordings(12, np.arange(12, 24), seed=1)
    found = fresh_of(real, held)
    assert found is not None
    assert found.patients is not None
    assert found.patients.tolist() == [20, 21, 22, 23]
    assert fresh_of(real, recordings(20, np.arange(20), seed=1)) is None
    assert fresh_of(real, None) is None
    assert fresh_of(recordings(20), held) is held  # nobody said whose they are


def test_what_is_undefined_has_a_reason_and_is_no_part_of_a_floor() -> None:
    real = np.arange(40.0)
    cuts = real_cuts(recordings(40), 40, seed=0)

    def refusing(a: np.ndarray, b: np.ndarray) -> float:
        raise InputError("no beats")

    assert number(refusing, real, real, cuts).reason == "no beats"
    assert number(lambda a, b: float("nan"), real, real, cuts).value is None
    assert number(lambda a, b: "too short", real, real, cuts).reason == "too short"
    answers = iter([1.0, None, float("nan"), 3.0, 5.0])
    found = number(lambda a, b: next(answers), real, real, cuts)
    assert (found.value, found.floor, found.cuts) == (1.0, 4.0, 2)


def grouped(n: int, groups: list[str] | np.ndarray, seed: int = 0) -> Samples:
    from dataclasses import replace

    values = np.random.default_rng(seed).normal(size=(n, 3))
    return replace(Samples.from_array(values), groups=np.asarray(groups))


def test_the_engines_floor_keeps_groups_together() -> None:
    plan = plan_floor(grouped(100, np.repeat(np.arange(20), 5)), 100, None, seed=0)
    assert isinstance(plan, FloorPlan)
    sides = [set(plan.sides[side].groups) for side in ("real", "synthetic")]  # type: ignore[arg-type]
    assert not sides[0] & sides[1]
    assert plan.sizes == (50, 50)
    assert "groups_kept" in [note.code for note in plan.notices()]
    assert "one group" in str(plan_floor(grouped(100, ["p"] * 100), 100, None, seed=0))


@pytest.mark.parametrize("copies", [False, True])
def test_holdout_samples_of_patients_of_the_real_set_are_left_out_and_noted(copies: bool) -> None:
    real = grouped(100, [f"p{at // 5}" for at in range(100)])
    fresh = grouped(60, [f"p{10 + at // 2}" for at in range(60)], seed=1)  # p10 to p39, of which p10 to p19 are known
    plan = plan_floor(real, 100, fresh, seed=0, copies=copies)
    assert isinstance(plan, FloorPlan)
    sides = {side: set(samples.groups) for side, samples in plan.sides.items()}  # type: ignore[arg-type]
    assert not sides["real"] & sides["synthetic"]
    assert not copies or not sides["holdout"] & (sides["synthetic"] | sides["real"])
    assert plan.shared == 20
    assert "20 hold-out samples" in plan.notices()[0].text
    assert plan.sizes == ((20, 20) if copies else (40, 40))
    same = plan_floor(real, 100, grouped(60, ["p1"] * 60), seed=0, copies=copies)
    assert "60 of the 60" in str(same)


def test_without_groups_cuts_are_what_they_were() -> None:
    """A permutation cut in two, so that floors of sets without patients keep their values."""
    first, second = cut_rows(10, 10, None, np.random.default_rng(3))
    order = np.random.default_rng(3).permutation(10)
    assert np.array_equal(first, np.sort(order[:5]))
    assert np.array_equal(second, np.sort(order[5:]))

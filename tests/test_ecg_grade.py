"""Recordings graded lead by lead, the parts put together, scores and verdicts."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from truegrade import codec
from truegrade.ecg import grade as grading
from truegrade.ecg.descriptors import seven
from truegrade.ecg.features import fit_features, to_samples
from truegrade.ecg.floors import number, real_cuts
from truegrade.ecg.grade import grade_ecg
from truegrade.ecg.lacking import counted, lost, worst_of
from truegrade.ecg.per_lead import PER_LEAD, abouts, grade_features, lead_metrics
from truegrade.ecg.scores import ECG_SCORES, PARTS, ecg_scores
from truegrade.ecg.verdict import verdict
from truegrade.errors import InputError
from truegrade.grading import Run
from truegrade.metrics import METRICS, Precision
from truegrade.metrics.base import Metric
from truegrade.recordings import LEADS_12, Recordings
from truegrade.result.ecg import (
    Discrimination,
    EcgCopies,
    EcgGrades,
    FeatureGrades,
    Finding,
    LeadLaws,
    Measurement,
    Number,
    Scorecard,
    Spread,
    Tell,
)
from truegrade.samplers.ecg import simulate_ecg
from truegrade.samples import Samples
from truegrade.uncertainty.floors import FloorPlan, plan_floor

SHARED = Path(__file__).parents[2] / "shared" / "data" / "ecg"
FEW = {
    key: METRICS[key]()
    for key in ("precision", "recall", "frechet_distance", "authenticity", "nn_two_sample", "clipped_coverage")
}


def recordings(n: int = 40, seed: int = 0, spread: float = 1.0, noise: float = 0.02) -> Recordings:
    return simulate_ecg(n, fs=100.0, seconds=4.0, seed=seed, spread=spread, noise=noise, leads=("II", "V2"))


def without(given: Recordings, rows: list[int], lead: int) -> Recordings:
    values = given.values.copy()
    values[rows, lead] = np.nan
    how = {"fs": given.fs, "units": "mV", "leads": given.leads, "labels": given.labels}
    return Recordings.from_array(values, **how)  # type: ignore[arg-type]


def graded(
    real: Recordings, synthetic: Recordings, metrics: Mapping[str, Metric] = FEW, *, floors: bool = True
) -> FeatureGrades:
    cuts = real_cuts(real, synthetic.n, seed=0) if floors else ()
    return grade_features(real, synthetic, "descriptors", metrics, cuts, seed=0, run=Run(threads=1))[0]


def naive_precision(real: np.ndarray, synthetic: np.ndarray, k: int = 5) -> float:
    """Share of synthetic points within the k-th nearest distance of a real point."""
    within = np.linalg.norm(real[:, None] - real[None], axis=2)
    radius = np.sort(within, axis=1)[:, k]
    return float((np.linalg.norm(synthetic[:, None] - real[None], axis=2) <= radius).any(axis=1).mean())


def test_numbers_by_lead_are_those_of_the_descriptors_with_floors_of_the_cuts() -> None:
    """Precision by definition, its floors on the same cuts, and the mean over leads."""
    real, synthetic = recordings(), recordings(seed=1, noise=0.06)
    found = graded(real, synthetic)
    cuts = real_cuts(real, 40, seed=0)
    values, floors = [], []
    for at, lead in enumerate(real.leads):
        ours, theirs = seven(real.data[:, at]), seven(synthetic.data[:, at])
        sd = ours.std(axis=0)
        values.append(naive_precision(ours / sd, theirs / sd))
        floors.append([naive_precision(ours[a] / sd, ours[b] / sd) for a, b in cuts])
        one = found.per_lead[lead]["precision"]
        assert one.value == pytest.approx(values[-1])
        assert one.floor == pytest.approx(np.mean(floors[-1]))
        assert (one.floor_n, one.floor_m, one.cuts, one.n_real, one.n_synthetic) == (20, 20, 4, 40, 40)
    mean = found.mean["precision"]
    assert mean.value == pytest.approx(np.mean(values))
    assert mean.floor_low == pytest.approx(np.min(np.mean(floors, axis=0)))
    assert mean.floor_high == pytest.approx(np.max(np.mean(floors, axis=0)))
    assert 0.0 < values[0] < 1.0


def test_a_distance_that_falls_with_size_has_its_floor_carried() -> None:
    """Twice as many recordings a side halve what chance adds to a Fréchet distance."""
    one = graded(recordings(), recordings(seed=1)).per_lead["II"]["frechet_distance"]
    assert "by the factor 0.5" in one.note
    assert one.floor is not None
    assert one.value is not None
    assert 0.3 < one.value / one.floor < 3.0


def test_too_narrow_loses_recall_and_too_noisy_precision() -> None:
    real = recordings()
    narrow, noisy = graded(real, recordings(seed=1, spread=0.1)), graded(real, recordings(seed=1, noise=0.4))
    numbers = {key: [one.mean[key].value or 0.0 for one in (narrow, noisy)] for key in ("precision", "recall")}
    assert numbers["precision"][0] > 0.9 > 0.5 > numbers["recall"][0]
    assert numbers["precision"][1] < 0.1


def test_all_leads_together_and_by_class() -> None:
    real, synthetic = recordings(60), recordings(60, seed=1)
    found = graded(real, synthetic, {"precision": Precision()})
    fit = fit_features(real, "descriptors")
    ours = to_samples(real, "descriptors", fit).array()
    theirs = to_samples(synthetic, "descriptors", fit, side="synthetic").array()
    assert found.whole["precision"].value == pytest.approx(naive_precision(ours, theirs))
    assert set(found.per_label) == {"normal", "bundle branch block"}
    for label, numbers in found.per_label.items():
        mine = [values[of.labels == label] for values, of in ((ours, real), (theirs, synthetic))]
        assert numbers["precision"].value == pytest.approx(naive_precision(*mine))
        assert (numbers["precision"].n_real, numbers["precision"].floor_n) == (30, 15)
    assert graded(recordings(30), recordings(30, seed=1), {"precision": Precision()}).per_label == {}  # 15 of each


def test_a_dead_lead_never_improves_a_number() -> None:
    """Every metric that is graded by lead, with some and with all of the synthetic leads dead."""
    real, synthetic = recordings(), recordings(seed=1)
    metrics = lead_metrics()
    alive = graded(real, synthetic, metrics, floors=False)
    some, none = (graded(real, without(synthetic, list(range(dead)), 1), metrics, floors=False) for dead in (8, 40))
    for key, metric in metrics.items():
        for found in (some, none):
            before, after = alive.per_lead["V2"][key].value, found.per_lead["V2"][key].value
            if before is None or after is None or (metric.info.direction == "target" and metric.info.target is None):
                continue
            aim = {"higher": np.inf, "lower": -np.inf}.get(metric.info.direction, metric.info.target)
            near = [abs(x - aim) if np.isfinite(aim) else -np.sign(aim) * x for x in (before, after)]  # type: ignore[arg-type, operator]
            assert near[1] >= near[0] - 1e-9, key
            assert found.per_lead["II"][key].value == alive.per_lead["II"][key].value
    assert some.per_lead["V2"]["authenticity"].value is not None
    assert "8 of 40 synthetic ones have none" in some.per_lead["V2"]["authenticity"].note


def test_a_lead_that_every_synthetic_recording_lacks_is_the_worst_or_makes_the_mean_undefined() -> None:
    real = recordings()
    found = graded(real, without(recordings(seed=1), list(range(40)), 1))
    assert found.mean["precision"].value == pytest.approx((found.per_lead["II"]["precision"].value or 0.0) / 2)
    assert found.mean["authenticity"].value == pytest.approx((found.per_lead["II"]["authenticity"].value or 0.0) / 2)
    assert found.mean["frechet_distance"].value is None
    assert "Lead V2" in str(found.mean["frechet_distance"].reason)
    only = graded(without(real, list(range(40)), 1), recordings(seed=1))
    assert set(only.per_lead) == {"II"}  # no real recording has it: no number on either side
    assert only.mean["precision"].value == only.per_lead["II"]["precision"].value


def test_missing_recordings_count_as_the_worst() -> None:
    info = {key: metric.info for key, metric in METRICS.items()}
    assert worst_of(info["precision"]) == 0.0
    assert worst_of(info["frechet_distance"]) is None
    assert worst_of(info["nn_two_sample"]) == 1.0
    assert counted(info["authenticity"], 0.9, 0.5, 0.2) == pytest.approx(0.4)  # flat lines far away are not authentic
    assert counted(info["precision"], 0.3, 0.5, 0.2) == 0.3
    assert counted(info["frechet_distance"], 2.0, 3.0, 0.2) == 3.0
    assert counted(info["nn_two_sample"], 0.6, 0.7, 0.5) == pytest.approx(0.85)
    assert counted(info["recall"], 0.9, "too few", 0.9) == 0.0
    assert counted(info["frechet_distance"], "too few", 1.0, 0.9) == "too few"


def test_of_a_target_no_side_is_nearer_with_dead_recordings() -> None:
    """Copies: density 1.2 and a two-sample test of 0 are not led back towards 1 and .5."""
    info = {key: metric.info for key, metric in METRICS.items()}
    assert counted(info["density"], 1.08, 1.2, 0.1) == 1.2
    assert counted(info["density"], 0.8, 0.9, 0.1) == 0.8
    assert counted(info["nn_two_sample"], 0.075, 0.0, 0.1) == 0.0
    assert counted(info["nn_two_sample"], 0.45, 0.4, 0.25) == pytest.approx(0.3)


def test_where_more_recordings_are_lost_than_real_ones_the_others_do_not_speak_for_all() -> None:
    assert lost((6, 60), (0, 50)) == ""
    assert lost((12, 60), (5, 50)) == ""
    assert lost((7, 60), (0, 50)).startswith("7 of 60 synthetic recordings have no signal and 0 of 50 real ones")
    frechet = METRICS["frechet_distance"]().info
    assert counted(frechet, 2.0, 3.0, 0.2, "why") == "why"
    assert counted(frechet, 2.0, None, 1.0, "why") == 2.0  # dead in all: the flat line that it is
    assert counted(METRICS["precision"]().info, 0.3, 0.5, 0.2, "why") == 0.3


def test_the_worst_recordings_do_not_make_it_better_by_dying() -> None:
    """A quarter of the recordings three times as large: without them the Fréchet distance would fall."""
    real, made = recordings(), recordings(seed=1)
    large = made.values.copy()
    large[:10] *= 3.0
    alive = replace(made, values=large)
    metrics: dict[str, Metric] = {key: METRICS[key]() for key in ("frechet_distance", "energy_distance", "precision")}
    for key in ("frechet_distance", "energy_distance"):
        found = graded(real, without(alive, list(range(10)), 0), metrics, floors=False)
        assert found.per_lead["II"][key].value is None
        assert found.mean[key].value is None
        assert "10 of 40 synthetic recordings have no signal" in (found.mean[key].reason or "")
        assert found.per_lead["V2"][key].value is not None
    assert found.mean["precision"].value is not None
    few = graded(real, without(alive, list(range(4)), 0), metrics, floors=False)
    assert few.mean["frechet_distance"].value is not None
    same = graded(without(real, list(range(10)), 0), without(made, list(range(10)), 0), metrics, floors=False)
    assert same.mean["frechet_distance"].value is not None  # no more than of the real ones


def test_balls_of_repeated_recordings_do_not_grow_as_one_of_four_dies() -> None:
    real, one = recordings(), recordings(10, seed=1)
    values = np.repeat(one.values, 4, axis=0)
    values *= 1.0 + 1e-4 * np.random.default_rng(0).normal(size=(40, 1, 1)).astype(np.float32)
    made = Recordings.from_array(values, fs=100.0, units="mV", leads=("II", "V2"))
    metrics: dict[str, Metric] = {key: METRICS[key]() for key in ("recall", "nearest_ball_f", "nearest_ball_recall")}
    before = graded(real, made, metrics, floors=False).per_lead["II"]
    after = graded(real, without(made, list(range(0, 40, 4)), 0), metrics, floors=False).per_lead["II"]
    for key in metrics:
        assert (after[key].value or 0.0) <= (before[key].value or 0.0) + 1e-9, key


def repeated(patients: int, each: int, seed: int = 0) -> Recordings:
    """Patients with nearly equal recordings."""
    one = recordings(patients, seed).values
    rng = np.random.default_rng(seed)
    values = np.repeat(one, each, axis=0)
    values = values + rng.normal(scale=0.002, size=values.shape).astype(np.float32)
    return Recordings.from_array(
        values, fs=100.0, units="mV", leads=("II", "V2"), patients=np.arange(len(values)) // each
    )


def test_a_floor_that_splits_patients_is_falsely_good_and_one_that_keeps_them_is_not() -> None:
    """Five nearly equal recordings a patient: fresh patients lie as far away as the grouped floor says."""
    real, fresh = repeated(24, 5), repeated(24, 5, seed=9)
    split = replace(real, patients=None)

    def nearest(one: Recordings, other: Recordings) -> float:
        a, b = (seven(r.lead("II")) for r in (one, other))
        return float(np.linalg.norm(a[:, None] - b[None], axis=2).min(axis=0).mean())

    kept, cut = (number(nearest, one, fresh, real_cuts(one, fresh.n, seed=0)) for one in (real, split))
    assert kept.value == cut.value
    assert (cut.floor or 0.0) < 0.2 * (kept.floor or 0.0)
    assert 0.4 < (kept.floor or 0.0) / (kept.value or 0.0) < 2.5
    grouped, loose = (graded(one, fresh).mean["frechet_distance"].floor or 0.0 for one in (real, split))
    assert loose < 0.5 * grouped
    plans = [plan_floor(to_samples(one, "descriptors"), fresh.n, None, seed=0) for one in (real, split)]
    distance = [_nearest(plan) for plan in plans if isinstance(plan, FloorPlan)]
    assert distance[1] < 0.2 * distance[0]


def _nearest(plan: FloorPlan) -> float:
    a, b = (plan.sides[side].array() for side in ("real", "synthetic"))
    return float(np.linalg.norm(a[:, None] - b[None], axis=2).min(axis=0).mean())


# --- the parts together -----------------------------------------------------------------------------------


def sides(real: Recordings, synthetic: Recordings) -> dict[str, Samples]:
    fit = fit_features(real, "descriptors")
    return {
        "real": to_samples(real, "descriptors", fit),
        "synthetic": to_samples(synthetic, "descriptors", fit, side="synthetic"),
    }


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few metrics, on the descriptors alone; nobody looked at the recordings before."""
    monkeypatch.setattr(grading, "lead_metrics", lambda asked: dict(FEW))
    monkeypatch.setattr(grading, "FEATURES", {"descriptors": ""})
    monkeypatch.setattr("truegrade.ecg.looked.findings_of", lambda real, other: ())


@pytest.mark.usefixtures("quick")
def test_a_part_that_fails_costs_only_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by zero")

    def refusing(*_: object, **__: object) -> None:
        raise InputError("no sampling rate")

    monkeypatch.setattr("truegrade.ecg.laws.lead_laws", broken)
    monkeypatch.setattr("truegrade.ecg.copies.find_copies", refusing)
    found = grade_ecg(sides(recordings(), recordings(seed=1)), ["leads", "laws", "copies"], seed=0)
    assert found.laws is None
    assert found.copies is None
    assert found.settings["failed"] == {"laws": "ZeroDivisionError: by zero", "copies": "no sampling rate"}
    assert {note.code for note in found.notices} == {"ecg_part_failed"}
    assert any("no sampling rate" in sentence for sentence in found.verdict)
    assert found.features[0].mean["precision"].value is not None
    assert (found.leads, found.fs, found.seconds, found.units) == (("II", "V2"), 100.0, 4.0, "mV")
    scores = ecg_scores(found, ECG_SCORES, 40, 40)
    assert scores["lead_precision"].value == found.features[0].mean["precision"].value
    assert scores["lead_precision"].floor is not None
    assert scores["einthoven_error"].status == "failed"
    assert (scores["ecg_copies"].status, scores["ecg_copies"].reason) == ("undefined", "no sampling rate")
    assert scores["qt_distance"].reason == "it was not computed"


@pytest.mark.usefixtures("quick")
def test_parts_get_the_holdout_without_patients_of_the_real_side(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr("truegrade.ecg.copies.find_copies", lambda real, other, held, *, seed: seen.append(held))
    real = replace(recordings(20), patients=np.arange(20))
    held = replace(recordings(20, seed=2), patients=np.arange(15, 35))
    given = {**sides(real, recordings(20, seed=1)), "holdout": to_samples(held, "descriptors")}
    found = grade_ecg(given, ["copies"], seed=0)
    assert seen[0].patients.tolist() == [*range(20, 35)]
    assert ["5 hold-out samples belong" in one.text for one in found.notices if one.code == "groups_shared"] == [True]


@pytest.fixture(scope="module")
def reference() -> Recordings:
    return recordings(60, 3)


DAMAGES = {
    "one class": (
        lambda: simulate_ecg(60, fs=100.0, seconds=4.0, seed=5, leads=("II", "V2"), classes=("normal",)),
        "Variety",
    ),
    "too narrow": (
        lambda: recordings(60, 5, spread=0.4),
        "Variety|differ from real ones by more than chance in 2 of 2",
    ),
    "noise": (lambda: recordings(60, 5, noise=0.12), "do not look like real ones in [12] of 2"),
    "dead": (lambda: without(recordings(60, 5), list(range(60)), 1), "do not look like real ones in 1 of 2"),
}


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("damage", DAMAGES)
def test_damages_are_named_and_never_praised(damage: str, reference: Recordings) -> None:
    make, words = DAMAGES[damage]
    found = grade_ecg(sides(reference, make()), ["leads"], seed=0)
    told = " ".join(found.verdict)
    assert re.search(words, told)
    assert PRAISE not in told
    assert set(found.features[0].chance) == {"II", "V2", ""}


@pytest.mark.usefixtures("quick")
def test_fresh_recordings_of_the_same_law_are_praised(reference: Recordings) -> None:
    told = " ".join(grade_ecg(sides(reference, recordings(60, 5)), ["leads"], seed=0).verdict)
    assert PRAISE in told
    assert "Variety" not in told


@pytest.mark.usefixtures("quick")
def test_grades_are_counted_kept_and_equal_for_an_equal_seed() -> None:
    real, synthetic = without(recordings(), [0], 0), without(recordings(seed=1), [1, 2], 1)
    one, same = (grade_ecg(sides(real, synthetic), ["leads"], seed=4) for _ in range(2))
    text = codec.dumps(codec.encode(one))
    assert text == codec.dumps(codec.encode(same))
    assert codec.encode(codec.build(EcgGrades, json.loads(text))) == json.loads(text)
    assert one.missing == {"II": (1, 0), "V2": (0, 2)}
    missing = ecg_scores(one, ["missing_leads"], 40, 40)["missing_leads"]
    assert missing.value == pytest.approx(2 / 80)
    assert missing.floor is not None
    assert missing.floor.value == pytest.approx(1 / 80)
    assert "ecg_left_out" in [note.code for note in one.notices]


def test_what_cannot_be_graded_is_refused() -> None:
    good = sides(recordings(20), recordings(20, seed=1))
    with pytest.raises(InputError, match="part 'lead' asked for"):
        grade_ecg(good, ["lead"], seed=0)
    with pytest.raises(InputError, match="holds no recordings"):
        grade_ecg({**good, "real": Samples.from_array(np.eye(3))}, ["leads"], seed=0)


def test_every_score_says_how_to_read_it() -> None:
    assert len({one.title for one in ECG_SCORES.values()}) == len(ECG_SCORES)
    assert sum(key.startswith("ecg_") for key in ECG_SCORES) == 16 + 2
    assert {one.part for one in ECG_SCORES.values()} == set(PARTS)
    for one in ECG_SCORES.values():
        assert one.about.family == "ecg"
        assert one.about.direction in ("higher", "lower", "target")
        assert one.about.reading.endswith(".")
        assert (one.about.direction == "target") == (one.about.target == 0.5)
    empty = EcgGrades(("I",), None, None, None)
    scores = ecg_scores(empty, ECG_SCORES, 3, 4)
    assert list(scores) == list(ECG_SCORES)
    assert {score.status for score in scores.values()} == {"undefined"}
    assert list(ecg_scores(empty, ["ecg_mmd"], 3, 4)) == ["ecg_mmd"]


def test_metrics_that_were_asked_for_are_graded_by_lead_too() -> None:
    found = lead_metrics({"precision": Precision(k=3), "sinkhorn_divergence": METRICS["sinkhorn_divergence"]()})
    assert set(found) == set(PER_LEAD)  # what takes seconds a lead is left out
    assert found["precision"] == Precision(k=3)


# --- what it amounts to -----------------------------------------------------------------------------------


def whole(value: float, floor: float = 0.95, chance: float | None = None) -> EcgGrades:
    """Grades with these four shares in the one lead and in all leads together. chance: that it makes the lead differ;
    none of it where the shares are low."""
    p = (0.9 if value > 0.9 else 0.001) if chance is None else chance
    keys = ("clipped_density", "clipped_coverage", "precision", "recall")
    shares = {key: Number(value, floor=floor, floor_low=floor - 0.02, floor_high=floor + 0.02, cuts=4) for key in keys}
    found = FeatureGrades("descriptors", "", {"V2": shares}, shares, shares, chance={"V2": p, "": p})
    settings = {"n_real": 40, "n_synthetic": 40, "cuts": [[20, 20]]}
    about = abouts({key: METRICS[key]() for key in keys})
    return EcgGrades(("V2",), 100.0, "mV", 4.0, features=(found,), about=about[0], titles=about[1], settings=settings)


PRAISE = "By lead and by all leads together the recordings are as real ones"
NOTHING = "no difference beyond chance was found at this size"


def auc(value: float, low: float | None, high: float | None, floor: float) -> Discrimination:
    return Discrimination({}, {"logistic": Number(value, low=low, high=high, floor_high=floor, floor_low=1.0 - floor)})


def test_no_difference_found_is_praise_only_where_nothing_speaks_against_it() -> None:
    good, hardly = whole(0.96), auc(0.55, 0.45, 0.65, 0.6)
    assert any(one.startswith(PRAISE) for one in verdict(replace(good, discrimination=hardly)))
    doubtful = (
        whole(0.5, chance=0.3),  # far off, and chance may explain it
        replace(good, discrimination=auc(0.6, 0.52, 0.68, 0.55)),
        replace(good, discrimination=auc(0.72, 0.49, 0.9, 0.6)),
        replace(good, missing={"V2": (0, 1)}),
        replace(good, settings={"n_real": 8, "n_synthetic": 8, "cuts": []}),
    )
    for grades in doubtful:
        told = " ".join(verdict(grades))
        assert PRAISE not in told
        assert NOTHING in told
    assert NOTHING not in " ".join(verdict(good))


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (auc(0.9, 0.8, 1.0, 0.6), "A classifier tells synthetic"),
        (auc(0.64, 0.58, 0.7, 0.52), "a little better than by guessing"),
        (auc(0.8, 0.7, 0.9, 0.82), "is open at this size (AUC 0.80, 0.70 to 0.90, real against real gets up to 0.82)"),
        (auc(0.72, 0.49, 0.9, 0.6), "is open at this size"),
        (auc(0.64, 0.58, 0.7, 0.7), "is open at this size"),
        (auc(0.3, 0.1, 0.52, 0.6), "is open at this size"),
        (auc(0.2, 0.1, 0.3, 0.6), "near-equal pairs"),
        (auc(0.58, 0.47, 0.7, 0.6), "can hardly tell"),
    ],
)
def test_what_an_auc_says(found: Discrimination, words: str) -> None:
    (said,) = (one for one in verdict(replace(whole(0.96), discrimination=found)) if "classifier" in one)
    assert words in said


def measured(key: str, distance: float | None, n: int = 40) -> Measurement:
    """Differs by more than chance; real against real 1."""
    spread = Spread(40, 0, 1.0, 1.0, (), ())
    number = Number(distance, floor=1.0, floor_low=0.8, floor_high=1.2, cuts=4)
    other = replace(spread, n=n, failed=40 - n)
    return Measurement(key, key, "ms", spread, other, number, number, Number(1.0), chance=0.001)


def test_measurements_are_off_beyond_half_more_than_real_ones_or_could_not_be_made() -> None:
    measurements = (measured("a", 1.4), measured("b", 1.6), measured("c", None, 0), measured("d", 180.0, 0))
    told = verdict(replace(whole(0.96), scorecard=Scorecard(measurements)))
    assert "1 of 4 clinical measurements is off beyond real against real: b by 1.6 ms" in " ".join(told)
    assert "Could not be measured in any synthetic recording: c; d." in told
    assert not any("clinical measurements that were made" in one for one in told)
    fine = verdict(replace(whole(0.96), scorecard=Scorecard(measurements[:1])))
    assert "All 1 clinical measurements that were made are as in real recordings at this size." in fine
    doubted = verdict(replace(whole(0.96), scorecard=Scorecard(measurements[:1]), missing={"V2": (0, 1)}))
    assert "No difference beyond chance was found in 1 clinical measurement at this size." in doubted


def test_refusals_that_were_overridden_come_first_and_laws_without_a_number_are_said() -> None:
    finding = Finding("units-differ", "warn", "both", "Graded all the same.", "mend")
    assert not any("may mean nothing" in one for one in verdict(replace(whole(0.96), findings=(finding,))))
    told = verdict(replace(whole(0.96), findings=(replace(finding, overridden=True),)))
    assert told[0].startswith("The numbers may mean nothing: Graded")
    none = Number(None, floor=0.001, reason="Half the recordings lack a lead.")
    laws = LeadLaws({}, none, Number(0.1), np.eye(1, dtype=np.float32), np.eye(1, dtype=np.float32))
    assert any("Half the recordings lack a lead." in one for one in verdict(replace(whole(0.96), laws=laws)))


def test_copies_come_first_and_nothing_is_praised() -> None:
    good = whole(0.96)
    assert any("as real ones" in sentence for sentence in verdict(good))
    share = Number(0.8, floor=0.0)
    told = verdict(replace(good, copies=EcgCopies(share, 0.95, True)))
    assert told[0].startswith("These are copies of real recordings")
    assert not any("as real ones" in sentence for sentence in told)
    assert verdict(replace(good, copies=EcgCopies(share, 0.95, False))) == verdict(good)


def test_what_is_off_is_named_with_what_real_data_get() -> None:
    told = " ".join(verdict(whole(0.5)))
    assert "do not look like real ones in 1 of 1 lead (descriptors)" in told
    assert "V2 0.50, real data get 0.95" in told
    assert "Variety of real recordings is missing" in told
    assert "0 of 4 means over leads are no worse" in told
    assert "4 of 4 means over leads are no worse" in " ".join(verdict(whole(0.92)))


def test_a_lead_is_named_only_if_chance_does_not_explain_it() -> None:
    """p-values are corrected already: .05 is chance, .02 is not."""
    assert not any("Recordings do not look" in sentence for sentence in verdict(whole(0.5, chance=0.05)))
    assert any("Recordings do not look" in sentence for sentence in verdict(whole(0.5, chance=0.02)))
    assert any("differ from real ones by more than chance" in one for one in verdict(whole(0.95, chance=0.02)))
    right_alone = whole(0.95, chance=0.9)
    (found,) = right_alone.features
    told = verdict(replace(right_alone, features=(replace(found, chance={"V2": 0.9, "": 0.001}),)))
    assert any(sentence.startswith("Single leads are right and all leads together") for sentence in told)
    unknown = verdict(replace(right_alone, features=(replace(found, chance={}),)))
    assert not any("as real ones" in sentence for sentence in unknown)


def test_without_a_reference_nothing_is_called_good_or_bad() -> None:
    bare = replace(whole(0.5), features=(), settings={"n_real": 8, "n_synthetic": 8, "cuts": []})
    assert verdict(bare) == (
        "There is no real-against-real reference at 8 against 8 recordings (10 on a side of a cut are needed), so no "
        "number here can be called good or bad.",
    )


def test_tells_and_hostile_names_are_one_line_each() -> None:
    tell = Tell("quantised", "values are multiples of 1 uV\n\x1b[31m" + "x" * 1000, 1.0, "rounded")
    found = replace(
        whole(0.96),
        discrimination=Discrimination({}, {"forest": Number(0.9, low=0.8, high=0.95, floor_high=0.6)}, (tell,)),
        missing={"\u202eV2\n" + "y" * 500: (0, 40)},
    )
    told = verdict(found)
    assert any("trivial tell" in sentence and "AUC 1.00" in sentence for sentence in told)
    assert any("tells synthetic recordings from real ones without the trivial tells (AUC 0.90" in s for s in told)
    assert all(sentence.isprintable() and len(sentence) < 700 for sentence in told)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data are not here")
def test_flat_leads_of_a_few_recordings_do_not_explode() -> None:
    """20 recordings of one hospital against 20 of another of which two have flat V2, V4 and V6."""
    values = np.load(SHARED / "cinc50_int16uV.npz")["x"]
    names = [record["id"] for record in json.loads((SHARED / "cinc50.json").read_text())["records"]]
    every = Recordings.from_array(values, fs=500.0, units="uV", leads=LEADS_12, ids=names)
    every = every.select_leads(("II", "V2", "V4"))
    here, there = (every.subset(np.array([name.startswith(start) for name in names])) for start in ("E", "JS"))
    assert grading.missing_leads(here, there)["V4"] == (0, 2)
    alive = there.subset(np.flatnonzero(~there.missing.any(axis=1)))
    flat, clean = graded(here, there, floors=False), graded(here, alive, floors=False)
    for key in ("frechet_distance", "precision", "recall"):
        ours, theirs = flat.mean[key].value or 0.0, clean.mean[key].value or 0.0
        assert ours == pytest.approx(theirs, rel=0.15)
    assert (flat.per_lead["V2"]["frechet_distance"].value or 0.0) < 1.5 * (
        clean.per_lead["V2"]["frechet_distance"].value or 0.0
    )
    back, without_them = graded(there, here, floors=False), graded(alive, here, floors=False)
    assert back.per_lead["V2"]["frechet_distance"].value == pytest.approx(
        without_them.per_lead["V2"]["frechet_distance"].value
    )
    assert back.per_lead["V2"]["frechet_distance"].n_real == 18


def test_chance_is_allowed_for_at_the_sizes() -> None:
    """0.85 beside 0.95 is chance of 40 recordings, and not of 4,000."""
    for n, right in ((40, True), (4_000, False)):
        found = whole(0.85)
        shares = {key: replace(one, n_real=n, n_synthetic=n) for key, one in found.features[0].whole.items()}
        features = FeatureGrades("descriptors", "", {"V2": shares}, shares, shares, chance={"V2": 0.001})
        told = " ".join(verdict(replace(found, features=(features,))))
        assert ("do not look like real ones" in told) != right

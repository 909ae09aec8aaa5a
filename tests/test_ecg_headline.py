"""The headline of ECG recordings: never better than their own grades; one number has one floor and one word for it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import ecg_grades
import results
from truegrade.ecg.floorless import without_floors
from truegrade.ecg.scores import ECG_SCORES, ecg_scores
from truegrade.report.summarize import summarize
from truegrade.report.summary.detail import metric_details
from truegrade.report.summary.ecg_leads import features_view, registry_view
from truegrade.report.text.ecg_text import told_keys, without, worst_lead
from truegrade.report.text.terminal import render_text
from truegrade.report.verdict import judge
from truegrade.report.words import UNTOLD, comparison_words, standing
from truegrade.result import Evaluation, Interval, Reference
from truegrade.result.ecg import Discrimination, EcgGrades, FeatureGrades, Finding, Number, Scorecard

LEADS = ("I", "II")
SETTINGS = {"n_real": 24, "n_synthetic": 24, "cuts": [[12, 12]]}
SHARES = ("clipped_density", "clipped_coverage", "precision", "recall", "density")


def grades(**changes: Any) -> EcgGrades:
    return replace(EcgGrades(LEADS, 100.0, "mV", 10.0, settings=SETTINGS), **changes)


def good(ecg: EcgGrades | None, keys: tuple[str, ...] = ("clipped_density", "clipped_coverage")) -> Evaluation:
    """An evaluation whose vectors are as good as real ones."""
    return replace(results.evaluation("a", 0.0, keys), ecg=ecg)


def by_lead(**values: float) -> EcgGrades:
    """Means over leads of these shares, 0.9 where nothing is said; real against real gets 0.88 to 0.92."""
    about = {key: ecg_grades.about()["clipped_density"] for key in SHARES}
    about["density"] = replace(about["density"], range=(0.0, math.inf), direction="target")
    mean = {key: Number(values.get(key, 0.9), None, None, 0.9, 0.88, 0.92, 12, 12, 4, 24, 24) for key in SHARES}
    return grades(features=(FeatureGrades("descriptors", "", {}, mean, {}),), about=about)


def found_off() -> dict[str, EcgGrades]:
    measured = replace(ecg_grades.measurement("qt", "QT", "ms", 400.0, 20.0, 2.0), chance=0.001)
    differs = FeatureGrades("beats", "", {"I": {}}, {}, {}, chance={"I": 0.001})
    told = Discrimination({}, {"logistic": Number(0.98, 0.9, 1.0, 0.5, 0.4, 0.6)})
    refused = Finding("units-differ", "warn", "both", "Units differ.", "", overridden=True)
    return {
        "no beat was found in 12 of 24 synthetic": grades(scorecard=Scorecard((), without_beats=(1, 12))),
        "may be no ECGs": grades(scorecard=Scorecard((), without_beats=(24, 24))),
        "every synthetic recording lacks II": grades(missing={"I": (0, 0), "II": (0, 24)}),
        "lack a signal in 1 of 2 leads": grades(missing={"I": (0, 0), "II": (0, 9)}),
        "differ from real ones in 1 of 2 leads": grades(features=(differs,)),
        "1 of 1 clinical measurement is off, QT most": grades(scorecard=Scorecard((measured,))),
        "a classifier tells them from real recordings (AUC 0.98)": grades(discrimination=told),
        "cannot be compared as they are: Units differ": grades(findings=(refused,)),
    }


def test_vectors_alone_would_be_good() -> None:
    assert judge(good(grades())).code in ("good", "indistinguishable")


@pytest.mark.parametrize("said", found_off())
def test_what_is_wrong_with_recordings_is_the_headline(said: str) -> None:
    verdict = judge(good(found_off()[said]))
    assert verdict.code == "recordings"
    assert said.lower() in verdict.words.lower()
    assert "good" not in verdict.words.lower()


def test_worse_vectors_keep_the_headline_and_the_recordings_stand_beside_it() -> None:
    bad = replace(results.evaluation("a", 0.9), ecg=found_off()["differ from real ones in 1 of 2 leads"])
    (model,) = summarize(bad)["models"]
    assert model["verdict_code"] not in ("recordings", "good")
    assert model["also"] == ["recordings differ from real ones in 1 of 2 leads"]


def test_exact_copies_are_named_where_nobody_looked_for_others() -> None:
    same = Finding("same-records", "warn", "synthetic", "24 of 24 are copies.", "", count=24)
    verdict = judge(good(grades(findings=(same,))))
    assert (verdict.code, verdict.words) == ("copies", "Copies real recordings (24 are exact copies of one).")


def test_without_vectors_leads_speak_and_faults_differ() -> None:
    none = ("nn_two_sample",)
    codes = {
        "fine": judge(good(by_lead(), none)),
        "contracted": judge(good(by_lead(density=1.9, clipped_coverage=0.4, recall=0.3), none)),
        "noisy": judge(good(by_lead(precision=0.2, clipped_density=0.3), none)),
    }
    assert [one.code for one in codes.values()] == ["indistinguishable", "contracted", "unrealistic"]
    assert "12 against 12 recordings" in codes["fine"].words
    assert len({one.words for one in codes.values()}) == 3


def test_a_single_score_of_recordings_speaks_for_itself() -> None:
    asked = {}
    for value in (0.9, 0.2):
        one = ecg_grades.registry(LEADS)[11]
        ecg = grades(registry=(replace(one, score=ecg_grades.number(value, 0.88)),))
        asked[value] = judge(replace(good(ecg), scores=ecg_scores(ecg, ["ecg_pr_dist"], 24, 24)))
    assert asked[0.9].words.startswith("As real recordings at this size by Precision and recall of descriptors")
    assert asked[0.2].code == "recordings"
    assert "far from real data (0.200, real data get 0.880)" in asked[0.2].words


def test_a_wide_interval_is_not_good() -> None:
    plain = good(None, ("clipped_density",))
    one = plain["clipped_density"]
    floor = Reference(0.98, 12, 12, "")
    wide = replace(one, value=0.5, interval=Interval(0.02, 0.98, 0.95, "m"), floor=floor)
    assert standing(wide) == (None, UNTOLD)
    verdict = judge(replace(plain, scores={"clipped_density": wide}))
    assert verdict.code == "unclear"
    assert verdict.words.startswith("Cannot be told at this size: the interval of Clipped density, 0.02 to 0.98")
    near = replace(wide, value=0.95)  # as wide, and its value is good
    assert standing(near) == (0, "as good as real data")
    sure = replace(wide, interval=Interval(0.45, 0.55, 0.95, "m"), floor=replace(floor, n=300, m=300))
    assert standing(sure) == (3, "much worse")


# --- numbers -----------------------------------------------------------------------------------------------


def test_one_number_has_one_word_wherever_it_stands() -> None:
    ecg = ecg_grades.ecg_grades(LEADS)
    scores = ecg_scores(ecg, ECG_SCORES, 24, 24)
    told = {one["key"]: one["score"]["words"] for one in registry_view(ecg, scores)}
    assert len(told) == 16
    for one in ecg.registry:
        if one.score.value is not None and scores[f"ecg_{one.key}"].status == "ok":
            assert told[one.key] == comparison_words(scores[f"ecg_{one.key}"]) != ""
    rows = summarize(replace(good(ecg), scores=scores))
    beats = {one["key"]: one["distance"]["words"] for one in rows["models"][0]["ecg"]["scorecard"]["rows"]}
    for key, words in beats.items():
        assert words == comparison_words(scores[f"{key}_distance"])
    assert "1 times" not in {words[:7] for words in told.values()}


def test_the_worst_lead_is_the_farthest_however_far_it_is() -> None:
    about = {"frechet_distance": ecg_grades.about()["frechet_distance"]}
    leads = {lead: {"frechet_distance": ecg_grades.number(v, 1.0)} for lead, v in (("I", 93.1), ("V6", 1917.0))}
    ecg = grades(features=(FeatureGrades("descriptors", "", leads, {}, {}),), about=about)
    (view,) = features_view(ecg, {})
    assert worst_lead(view, 0) == "V6 1,917"


def test_all_leads_together_have_the_floor_of_the_scores() -> None:
    plain = good(None)
    score = plain["clipped_density"]
    assert score.floor is not None
    whole = {"clipped_density": ecg_grades.number(score.value, 0.5)}
    sets = [FeatureGrades(which, "", {}, {}, whole) for which in ("descriptors", "spectral")]
    sets[1] = replace(sets[1], whole={"clipped_density": ecg_grades.number(0.1, 0.5)})
    ours, others = features_view(grades(features=tuple(sets), about=ecg_grades.about()), plain.scores)
    assert ours["rows"][0]["cells"][0]["floor"] == f"{score.floor.value:.3f}"
    assert ours["rows"][0]["cells"][0]["words"] == comparison_words(score)
    assert others["rows"][0]["cells"][0]["floor"] == "0.500"


def test_only_what_was_asked_for_is_printed() -> None:
    ecg = ecg_grades.ecg_grades(LEADS)
    scores = ecg_scores(ecg, ["ecg_pr_dist", "qt_distance"], 24, 24)
    (model,) = summarize(replace(good(ecg), scores=scores))["models"]
    assert [one["key"] for one in model["ecg"]["registry"]] == ["pr_dist"]
    assert {one["key"] for one in model["ecg"]["scorecard"]["rows"]} <= {"qt"}


def test_numbers_of_recordings_are_printed_once_and_reasons_in_one_line() -> None:
    ecg = ecg_grades.ecg_grades(LEADS)
    told = replace(good(ecg), scores=ecg_scores(ecg, ECG_SCORES, 24, 24))
    summary = summarize(told)
    left = without(summary, told_keys(summary))
    keys = {row["key"] for family in left["families"] for row in family["rows"]}
    assert {"ecg_pr_dist", "ecg_fed", "lead_recall", "einthoven_error", "ecg_copies"} <= told_keys(summary)
    assert not keys & told_keys(summary)
    assert "missing_leads" in keys
    text = render_text(told, 200)
    assert text.count("none is computed for this score") <= 1
    assert "- The worst lead is" in text


def test_values_that_leave_no_room_for_bins_are_drawn() -> None:
    """One huge value, or values that differ in their last digits only."""
    plain = good(None)
    one = plain["clipped_density"]
    for values in (np.full(9, 1e17), 1e17 + np.array([0.0, 16.0, 32.0])):
        scores = {"clipped_density": replace(one, per_sample={"real": values})}
        (spread,) = metric_details({"a": replace(plain, scores=scores)})[0]["spreads"]
        assert sum(spread["rows"][0]["counts"]) == len(values)


def test_without_floors_nothing_is_said_of_real_against_real() -> None:
    ecg = without_floors(ecg_grades.ecg_grades(LEADS))
    scores = ecg_scores(ecg, ECG_SCORES, 24, 24)
    assert all(one.floor is None for key, one in scores.items() if key != "missing_leads")
    (model,) = summarize(replace(good(ecg), scores=scores))["models"]
    view = model["ecg"]
    cells = [one["score"] for one in view["registry"]] + [one["distance"] for one in view["scorecard"]["rows"]]
    assert {one["floor"] for one in cells} == {""}
    assert {one["words"] for one in cells if one["status"] == "ok"} == {""}
    assert ecg.registry[0].score.value == ecg_grades.registry(LEADS)[0].score.value
    assert scores["ecg_copies"].missing["floor"] == "No floor was asked for."


def test_without_labels_it_is_said_that_there_are_none() -> None:
    assert "no labels" in str(ecg_scores(grades(), ["ecg_utility"], 24, 24)["ecg_utility"].reason)

"""ECG recordings in evaluate and compare: what is read, what is refused, what is graded; the cases E1 to E14."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import truegrade as tg
from truegrade.ecg import ECG_SCORES, LEADS_12, EcgOptions, Recordings, load_ecg
from truegrade.ecg.preflight import CODES
from truegrade.errors import InputError
from truegrade.samplers import simulate_ecg

QUICK: dict[str, Any] = {"intervals": False, "floor": False, "exhibits": False, "threads": 2}
FEW: dict[str, Any] = QUICK | {"metrics": ["precision", "recall", "clipped_coverage"]}
LAWS: dict[str, Any] = QUICK | {"metrics": ["precision", "lead_correlation_error"]}  # what costs little, with `.ecg`
FACTS: dict[str, Any] = {"fs": 100, "units": "mV", "leads": ["I", "II"]}
SSSD_ORDER = ("I", "II", "V1", "V2", "V3", "V4", "V5", "V6", "III", "aVR", "aVL", "aVF")


def simulated(n: int = 24, seed: int = 0, **how: Any) -> Recordings:
    """Recordings of two leads, 5 s at 100 Hz."""
    return simulate_ecg(n, seed=seed, **{"fs": 100, "seconds": 5, "leads": ("I", "II"), "name": f"set{seed}"} | how)


def values(result: tg.Evaluation) -> dict[str, float | None]:
    return {key: score.value for key, score in result.scores.items()}


def codes(result: tg.Evaluation) -> set[str]:
    assert result.ecg is not None
    return {finding.code for finding in result.ecg.findings}


@pytest.fixture(scope="module")
def real() -> Recordings:
    return simulated(24, 0)


@pytest.fixture(scope="module")
def fake() -> Recordings:
    return simulated(20, 1)


@pytest.fixture(scope="module")
def graded(real: Recordings, fake: Recordings) -> tg.Evaluation:
    return tg.evaluate(real, fake, **FEW)


# --- what is read, whatever it comes as -----------------------------------------------------------------------


def test_recordings_arrays_and_files_are_graded_alike(
    real: Recordings, fake: Recordings, graded: tg.Evaluation, tmp_path: Path
) -> None:
    np.save(tmp_path / "fake.npy", fake.data)
    np.savez(tmp_path / "real.npz", x=real.data, fs=100, units="mV", leads=["I", "II"])
    arrays = tg.evaluate(real.data, fake.data, kind="ecg", ecg=FACTS, **FEW)
    files = tg.evaluate(tmp_path / "real.npz", tmp_path / "fake.npy", ecg=EcgOptions(fs=100, units="mV"), **FEW)
    assert values(arrays) == values(files) == values(graded)
    assert (files.real.name, files.synthetic.name, arrays.synthetic.name) == ("real", "fake", "synthetic")
    assert (graded.real.n, graded.synthetic.n, graded.real.d) == (24, 20, 14)


def test_samples_know_their_recordings_and_patients(real: Recordings, fake: Recordings) -> None:
    from truegrade.ecg.reading import EcgReader

    reader = EcgReader()
    samples = reader.read(real, None)
    assert isinstance(samples, tg.Samples)
    assert samples.ecg is real or samples.ecg.fingerprint == real.fingerprint
    assert samples.groups is not None
    assert samples.groups.tolist() == real.patients.tolist()  # type: ignore[union-attr]
    again = tg.evaluate(samples, fake, **FEW)  # samples that were read before say what they are
    assert values(again) == values(tg.evaluate(real, fake, **FEW))


def test_only_recordings_and_folders_of_headers_are_taken_for_ecg_without_a_word(real: Recordings) -> None:
    with pytest.raises(InputError, match=r"kind=.ecg."):
        tg.evaluate(real.data, real.data)
    with pytest.raises(InputError, match="vectors of 3 features"):
        tg.evaluate(tg.Samples.from_array(np.ones((5, 3))), real, kind="ecg")
    with pytest.raises(InputError, match="grade ECG recordings"):
        tg.evaluate(np.ones((5, 3)), np.ones((5, 3)), metrics="ecg_pr_dist")


def test_unknown_options_sides_and_feature_sets_are_refused_with_the_nearest(
    real: Recordings, fake: Recordings
) -> None:
    for ecg, words in (
        ({"unit": "mV"}, "Did you mean units"),
        ({"units": {"reel": "mV"}}, "Did you mean real"),
        ({"override": "unit-differ"}, "Did you mean units-differ"),
        ({"patients": ["a"] * 24}, "needs a side"),
        ("mV", "a mapping is accepted"),
    ):
        with pytest.raises(InputError, match=words):
            tg.evaluate(real, fake, ecg=ecg, **FEW)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="Did you mean spectral"):
        tg.evaluate(real, fake, embed="spectrl", **FEW)
    with pytest.raises(InputError, match="protocol prdc"):
        tg.evaluate(real, fake, protocol="prdc", **QUICK)
    with pytest.raises(InputError, match="kind='table'"):
        tg.evaluate(real, fake, ecg=FACTS, kind="table", **FEW)
    with pytest.raises(InputError, match="Did you mean ecg_pr_dist"):
        tg.evaluate(real, fake, metrics="ecg_pr_dists", **QUICK)


def test_patients_and_labels_come_from_files_mappings_and_lists(
    real: Recordings, fake: Recordings, tmp_path: Path
) -> None:
    lines = ["record,patient,label", *(f"{at},p{at // 3},{'ab'[at % 2]}" for at in range(24))]
    (tmp_path / "who.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    np.save(tmp_path / "real.npy", real.data)
    who = str(tmp_path / "who.csv")
    said = FACTS | {"patients": who, "labels": {"real": who, "synthetic": ["a"] * 20}}
    found = tg.evaluate(tmp_path / "real.npy", fake.data, ecg=said, metrics="precision", floor=True, intervals=False)
    floor = found["precision"].floor
    assert floor is not None
    assert (floor.n % 3, floor.m % 3) == (0, 0)  # a patient has three recordings, and stands on one side
    assert "a" in found["precision"].per_group


# --- E1 to E14 ------------------------------------------------------------------------------------------------


def test_e1_other_orders_of_axes_are_refused_with_the_transposition(real: Recordings, graded: tg.Evaluation) -> None:
    x = real.data
    for wrong, words in (
        (x.transpose(0, 2, 1), r"x\.transpose\(0, 2, 1\)"),
        (x.transpose(1, 0, 2)[:, :, :], r"transpose\(1, 0, 2\)|named|leads"),
        (x[0].T, "axes='TL'"),
        (x[:, 0], "axes='NT'"),
    ):
        with pytest.raises(InputError, match=words):
            tg.evaluate(wrong, x, kind="ecg", ecg=FACTS | {"leads": ["I", "II"]}, **FEW)
    turned = tg.evaluate(x.transpose(0, 2, 1), simulated(20, 1), ecg=FACTS | {"axes": {"real": "NTL"}}, **FEW)
    assert values(turned) == values(graded)


def test_e2_microvolts_beside_millivolts_are_refused_until_somebody_says_so(
    real: Recordings, fake: Recordings, graded: tg.Evaluation
) -> None:
    plain = {"fs": 100, "leads": ["I", "II"]}
    for sign in (1.0, -1.0):  # leads that go down as well
        with pytest.raises(InputError, match="units-differ") as refused:
            tg.evaluate(sign * real.data, sign * 1000.0 * fake.data, ecg=plain, **FEW)
        assert 'ecg={"units": {"real": "mV", "synthetic": "uV"}}' in str(refused.value)
        assert "--units real=mV --units synthetic=uV" in str(refused.value)
    units = {"real": "mV", "synthetic": "uV"}
    said = tg.evaluate(real.data, 1000.0 * fake.data.astype(float), ecg=plain | {"units": units}, **FEW)
    assert values(said) == pytest.approx(values(graded))
    forced = tg.evaluate(real.data, 1000.0 * fake.data, ecg=plain | {"override": "units-differ"}, **FEW)
    assert forced["precision"].value == 0.0


def test_e3_rates_are_brought_together_only_on_request(real: Recordings) -> None:
    fast = simulated(20, 1, fs=200)
    with pytest.raises(InputError, match="fs-differ"):
        tg.evaluate(real, fast, **FEW)
    found = tg.evaluate(real, fast, ecg={"resample": 100}, **LAWS)
    assert found.ecg is not None
    assert (found.ecg.fs, found.ecg.seconds) == (100.0, 5.0)
    assert "recordings_resampled" in {note.code for note in found.notices}


def test_e3_the_rate_that_is_said_reaches_the_numbers() -> None:
    slow, quick = simulated(12, 2, rate=60.0, seconds=8), simulated(12, 3, rate=90.0, seconds=8)
    found = {}
    for fs in (100, 130):
        how = {"fs": fs, "units": "mV", "override": ["fs-implausible"]}
        keys = ["heart_rate_distance", "qrs_distance", "ecg_psd", "ecg_hrv"]
        found[fs] = values(tg.evaluate(slow.data, quick.data, ecg=how, metrics=keys, **QUICK))
    assert found[100]["heart_rate_distance"] == pytest.approx(30.0, abs=2.0)
    assert found[130]["heart_rate_distance"] == pytest.approx(39.0, abs=2.0)
    assert [key for key in found[130] if found[130][key] == found[100][key]] == []


def test_e4_leads_go_by_their_names(real: Recordings, fake: Recordings, graded: tg.Evaluation) -> None:
    turned = tg.evaluate(real, fake.select_leads(["II", "I"]), **FEW)
    assert values(turned) == values(graded)
    assert "ecg_leads_matched" in {note.code for note in turned.notices}
    other = simulated(20, 1, leads=("I", "V1"))
    with pytest.raises(InputError, match="leads-differ"):
        tg.evaluate(real, other, **FEW)
    forced = tg.evaluate(real, other, ecg={"override": "leads-differ"}, **LAWS)
    assert forced.ecg is not None
    assert forced.ecg.missing == {"I": (0, 0), "II": (0, 20)}
    assert {"ecg_leads_lacking", "ecg_leads_surplus"} <= {note.code for note in forced.notices}


def test_e4_unnamed_leads_in_another_order_are_found_by_the_laws() -> None:
    ours, theirs = simulated(12, 0, leads=LEADS_12), simulated(12, 1, leads=SSSD_ORDER)
    with pytest.raises(InputError, match="lead-order-differs") as refused:
        tg.evaluate(ours.data, theirs.data, ecg={"fs": 100, "units": "mV"}, **FEW)
    assert f"the synthetic ones {', '.join(SSSD_ORDER)}." in str(refused.value)
    leads = {"real": LEADS_12, "synthetic": SSSD_ORDER}
    said = tg.evaluate(ours.data, theirs.data, ecg={"fs": 100, "units": "mV", "leads": leads}, **FEW)
    assert values(said) == values(tg.evaluate(ours, simulated(12, 1, leads=LEADS_12), **FEW))


def test_e5_missing_leads_are_counted_and_never_help(real: Recordings, fake: Recordings) -> None:
    keys = ["precision", "recall", "ecg_pr_dist", "ecg_ssim"]
    asked = QUICK | {"metrics": keys}
    whole = tg.evaluate(real, fake, **asked)
    x, y = real.data.copy(), fake.data.copy()
    x[:2, 0] = 0.25  # the electrode fell off
    x[3, 1, 7] = np.nan
    y[:, 1] = 0.0
    y[0, 0] = np.nan
    holed = tg.evaluate(x, y, ecg=FACTS, **asked)
    assert holed.ecg is not None
    assert holed.ecg.missing == {"I": (2, 1), "II": (1, 20)}
    assert {"leads-flat", "values-missing", "lead-absent"} <= codes(holed)
    for key in keys:
        before, after = whole[key].value, holed[key].value
        assert before is not None
        assert after is not None or holed[key].reason, key
        assert after is None or after <= before, key


def test_e6_recordings_without_beats_are_counted_and_are_no_heart_rate_of_zero(real: Recordings) -> None:
    dead = real.data.copy()
    dead[::2] = 0.0
    asked = QUICK | {"metrics": ["ecg_heart_rate", "ecg_hrv", "heart_rate_distance"]}
    half = tg.evaluate(real, dead, ecg=FACTS, **asked)
    assert half.ecg is not None
    assert half.ecg.scorecard is not None
    card = half.ecg.scorecard
    assert card.without_beats == (0, 12)
    rate = next(one for one in card.measurements if one.key == "heart_rate")
    assert (rate.synthetic.n, rate.synthetic.failed) == (12, 12)
    assert rate.ks.value is not None
    assert rate.ks.value >= 0.5 - 1e-9
    for key in ("ecg_heart_rate", "ecg_hrv"):
        assert half[key].value is None or half[key].value > 0.0, key
    normal = tg.evaluate(real, simulated(24, 1), **asked)
    silent = tg.evaluate(real, np.zeros_like(dead), ecg=FACTS | {"override": "all-missing"}, **asked)
    for key in ("ecg_heart_rate", "ecg_hrv", "heart_rate_distance"):
        value, clean = silent[key].value, normal[key].value
        assert value is None or clean is None or value > 3.0 * clean, key
        assert value is not None or silent[key].reason, key


@pytest.mark.parametrize("bpm", [40.0, 180.0])
def test_e7_slow_and_quick_hearts_are_measured(bpm: float, real: Recordings) -> None:
    fake = simulated(12, 5, rate=bpm, seconds=10, fs=100)
    found = tg.evaluate(simulated(12, 6, rate=70.0, seconds=10), fake, metrics="heart_rate_distance", **QUICK)
    assert found.ecg is not None
    assert found.ecg.scorecard is not None
    rate = next(one for one in found.ecg.scorecard.measurements if one.key == "heart_rate")
    assert rate.synthetic.mean == pytest.approx(bpm, abs=2.0)
    assert rate.real.mean == pytest.approx(70.0, abs=2.0)


def written(folder: Path, recordings: Recordings, length: int | None = None) -> Path:
    """A folder of WFDB records r0, r1 ... of 16 bits, in microvolts."""
    folder.mkdir(parents=True, exist_ok=True)
    for at, record in enumerate(recordings.data):
        signal = (1000.0 * record[:, :length]).round().astype("<i2")
        sums = (signal.sum(axis=1) + 2**15) % 2**16 - 2**15
        lines = [f"r{at} {len(signal)} {recordings.fs:g} {signal.shape[1]}"] + [
            f"r{at}.dat 16 1000/mV 16 0 {row[0]} {total} 0 {lead}"
            for row, total, lead in zip(signal, sums, recordings.leads, strict=True)
        ]
        (folder / f"r{at}.hea").write_text("\n".join(lines) + "\n", encoding="utf-8")
        (folder / f"r{at}.dat").write_bytes(signal.T.tobytes())
    return folder


def test_e8_a_truncated_record_is_named_and_can_be_left_out(real: Recordings, fake: Recordings, tmp_path: Path) -> None:
    folder, other = written(tmp_path / "a", real), written(tmp_path / "b", fake)
    whole = tg.evaluate(folder, other, **FEW)  # a folder of headers is recordings without a word
    assert (whole.real.n, whole.real.name, whole.synthetic.name) == (24, "a", "b")
    data = other / "r3.dat"
    data.write_bytes(data.read_bytes()[:-100])
    with pytest.raises(InputError, match=r"r3.*cut short"):
        tg.evaluate(folder, other, **FEW)
    skipped = tg.evaluate(folder, other, on_error="skip", **FEW)
    assert skipped.synthetic.n == 19
    assert any(note.code == "recordings_skipped" and "r3" in note.text for note in skipped.notices)


def test_e9_integers_are_graded_as_the_floats_that_they_are(real: Recordings, fake: Recordings) -> None:
    x, y = ((1000.0 * one.data).round().astype(np.int16) for one in (real, fake))
    asked = QUICK | {"metrics": ["precision", "frechet_distance", "ecg_pr_dist", "ecg_mae", "ecg_swd"]}
    said = FACTS | {"units": "uV"}
    whole = tg.evaluate(x, y, ecg=said, **asked)
    floats = tg.evaluate(x.astype(float), y.astype(float), ecg=said, **asked)
    assert values(whole) == values(floats)
    assert all(value is not None for value in values(whole).values())


def test_e10_too_few_recordings_and_too_many_neighbours_are_refused(real: Recordings, fake: Recordings) -> None:
    with pytest.raises(InputError, match="too-few"):
        tg.evaluate(real, fake.subset(np.array([0])), **FEW)
    with pytest.raises(InputError, match="k=20 given"):
        tg.evaluate(real, fake, k=20, **FEW)
    few = tg.evaluate(real, fake.subset(np.arange(3)), **(QUICK | {"metrics": ["ecg_pr_dist", "precision"]}))
    for score in few.scores.values():
        assert score.value is None or 0.0 <= score.value <= 1.0


def test_e11_a_copy_gets_the_best_numbers_and_is_called_a_copy(real: Recordings) -> None:
    keys = ["precision", "recall", "clipped_coverage", "ecg_pr_dist"]
    found = tg.evaluate(real, real.data.copy(), ecg=FACTS, metrics=[*keys, "ecg_copies"], **QUICK)
    for key in keys:
        assert found[key].value == 1.0, key
    assert found["ecg_copies"].value == 1.0
    assert found.ecg is not None
    assert found.ecg.copies is not None
    assert found.ecg.copies.flagged
    assert "same-records" in codes(found)
    assert "cop" in found.ecg.verdict[0].lower()
    assert "cop" in str(found).lower()


def test_e12_two_files_of_one_name_are_told_apart(real: Recordings, fake: Recordings, tmp_path: Path) -> None:
    for folder, one in (("a", real), ("b", fake)):
        (tmp_path / folder).mkdir()
        np.save(tmp_path / folder / "x.npy", one.data)
    found = tg.evaluate(tmp_path / "a" / "x.npy", tmp_path / "b" / "x.npy", ecg=FACTS, **FEW)
    assert (found.real.name, found.synthetic.name) == ("x", "b/x")
    same = tg.evaluate(real, simulated(20, 1, name="set0"), **FEW)
    assert (same.real.name, same.synthetic.name) == ("set0", "synthetic")


def test_e13_lengths_are_refused_by_name_or_cut_on_request(real: Recordings, tmp_path: Path) -> None:
    folder = written(tmp_path / "a", real)
    written(tmp_path / "more", real.subset(np.arange(1)), 400)
    for suffix in (".hea", ".dat"):
        (tmp_path / "more" / f"r0{suffix}").rename(folder / f"r0{suffix}")
    with pytest.raises(InputError, match=r"different lengths.*r0"):
        tg.evaluate(folder, real, **FEW)
    shorter = simulated(20, 1, seconds=4)
    with pytest.raises(InputError, match="lengths-differ"):
        tg.evaluate(real, shorter, **FEW)
    cut = tg.evaluate(folder, shorter, ecg={"crop": 4}, **LAWS)
    assert cut.ecg is not None
    assert cut.ecg.seconds == 4.0


def test_e14_nothing_is_held_for_every_pair_of_recordings_at_every_sample() -> None:
    n, seconds = 60, 10
    ours, theirs = (simulated(n, seed, seconds=seconds, fs=250, leads=("II",)) for seed in (0, 1))
    keys = [key for key, one in ECG_SCORES.items() if one.part in ("registry", "copies", "laws")]
    tg.evaluate(simulated(12, 0), simulated(12, 1), metrics=["precision", *keys], **QUICK)
    tracemalloc.start()  # after everything is compiled and imported
    found = tg.evaluate(ours, theirs, metrics=["precision", *keys], **QUICK)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < n * n * ours.length * 8 / 4
    assert found.failed == ()


# --- the result -----------------------------------------------------------------------------------------------


def test_the_result_is_the_same_after_json_and_small(real: Recordings, fake: Recordings, tmp_path: Path) -> None:
    keys = [
        key for key, one in ECG_SCORES.items() if one.part not in ("discrimination", "utility")
    ]  # these train models
    asked = {"metrics": ["precision", *keys], "intervals": False, "floor": False}
    found = tg.evaluate(real, fake, holdout=simulated(20, 7), **asked)  # type: ignore[arg-type]
    path = found.to_json(tmp_path / "e.json")
    again = tg.Evaluation.from_json(path)
    assert again == found
    assert again.ecg == found.ecg
    assert path.stat().st_size < 3_000_000
    assert list(found.scores) == ["precision", *keys]
    assert found.failed == ()
    record = json.loads(path.read_text(encoding="utf-8"))
    assert record["ecg"]["leads"] == ["I", "II"]


def test_compare_names_the_model_that_is_refused_and_ranks_the_others(real: Recordings, fake: Recordings) -> None:
    models = {"mine": fake, "micro": 1000.0 * fake.data}
    with pytest.raises(InputError, match=r"micro against set0: [\s\S]*units-differ"):
        tg.compare(real, models, **FEW)
    found = tg.compare(real, {"mine": fake, "other": simulated(20, 4, noise=0.3)}, **FEW)
    assert list(found) == ["mine", "other"]
    assert found["mine"].real.n == 24
    assert found["other"]["precision"].value is not None


def test_the_holdout_takes_what_was_said_of_the_real_side(real: Recordings, fake: Recordings) -> None:
    fresh = simulated(20, 7)
    said = {"fs": 100, "leads": ["I", "II"], "units": {"real": "uV", "synthetic": "mV"}}
    asked = QUICK | {"metrics": ["precision", "ecg_copies"]}
    found = tg.evaluate(1000.0 * real.data, fake.data, holdout=1000.0 * fresh.data, ecg=said, **asked)
    assert found.holdout is not None
    assert (found.holdout.name, found.holdout.n) == ("holdout", 20)
    with pytest.raises(InputError, match="holdout against"):
        tg.evaluate(1000.0 * real.data, fake.data, holdout=fresh.data, ecg=said, **asked)
    shared = tg.evaluate(real, fake, holdout=real.subset(np.arange(5, 20)), **asked)
    assert "holdout-shared" in codes(shared)


def test_explain_and_a_pool_say_what_is_graded(real: Recordings, fake: Recordings) -> None:
    from truegrade.evaluate import explain

    told = explain(real, fake)
    for words in ("leads: metrics", "the sixteen metrics", "scorecard", "copies", "classifiers"):
        assert words in told
    small, pool = real.subset(np.arange(12)), simulated(40, 8)
    drawn = tg.evaluate(small, pool, repeats=2, metrics=["precision", "ecg_copies"], **QUICK)
    assert drawn.ecg is None
    assert "ecg_drawn" in {note.code for note in drawn.notices}


def test_the_snippet_of_the_seed_page_runs(real: Recordings, fake: Recordings, tmp_path: Path) -> None:
    from truegrade.ecg import AVAILABLE_METRICS, load_ecg_npy

    for name, one in (("real.npy", real), ("synthetic.npy", fake)):
        np.save(tmp_path / name, one.data)
    ours, theirs = (load_ecg_npy(tmp_path / name, fs=100) for name in ("real.npy", "synthetic.npy"))
    assert len(AVAILABLE_METRICS) == 16
    found = AVAILABLE_METRICS["pr_dist"](k=3).compute(ours.data, theirs.data, lead_names=ours.lead_names)
    assert 0.0 <= found.score <= 1.0
    assert load_ecg(tmp_path / "real.npy").fs is None
    assert "units-differ" in CODES


def test_scores_of_the_registry_say_what_its_metrics_do() -> None:
    from truegrade.ecg import AVAILABLE_METRICS

    assert {key.removeprefix("ecg_") for key, one in ECG_SCORES.items() if one.part == "registry"} == {
        *AVAILABLE_METRICS
    }
    for key, metric in AVAILABLE_METRICS.items():
        about = ECG_SCORES[f"ecg_{key}"].about
        assert (about.direction == "higher") == metric.higher_is_better, key
        assert metric.worst is None or min(abs(metric.worst - end) for end in about.range) < 1e-6, key

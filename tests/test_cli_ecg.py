"""ECG recordings on the command line: what is read, options, exit statuses, check, lists of scores."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import truegrade as tg
from truegrade import cli
from truegrade.cli.recordings import by_side
from truegrade.cli.tools import UsageError
from truegrade.ecg import ECG_SCORES
from truegrade.samplers import simulate_ecg

FAST = ("--metrics", "precision,lead_correlation_error", "--no-intervals", "--no-floor", "--no-exhibits")
FACTS = ("--kind", "ecg", "--fs", "100", "--units", "mV", "--leads", "I,II")
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def sets() -> dict[str, np.ndarray]:
    """Three sets of 20 x 2 x 400 at 100 Hz, and one at 200 Hz."""
    how = {"seconds": 4, "leads": ("I", "II")}
    found = {
        name: simulate_ecg(20, fs=100, seed=seed, **how).data for seed, name in enumerate(("real", "fake", "held"))
    }
    return found | {"fast": simulate_ecg(20, fs=200, seed=1, **how).data}


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], sets: dict[str, np.ndarray]
) -> Run:
    """Runs the command line in a folder with real.npy, fake.npy and held.npy (20 x 2 x 400), micro.npy (1,000 times
    fake.npy), turned.npy, fast.npy (200 Hz) and v.npy (vectors)."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TRUEGRADE_CACHE", raising=False)
    for name, values in sets.items():
        np.save(f"{name}.npy", values)
    np.save("micro.npy", 1000.0 * sets["fake"])
    np.save("turned.npy", sets["real"].transpose(0, 2, 1))
    np.savez("fake.npz", x=sets["fake"], who=np.arange(20) // 2)
    np.save("v.npy", np.random.default_rng(0).normal(size=(50, 4)))

    def go(*arguments: str) -> tuple[int, str, str]:
        status = cli.main(arguments)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return go


def write_wfdb(folder: Path, values: np.ndarray) -> None:
    """A folder of records r0, r1 ... of 16 bits, in microvolts."""
    folder.mkdir()
    for at, record in enumerate(values):
        signal = (1000.0 * record).round().astype("<i2")
        lines = [f"r{at} 2 100 {signal.shape[1]}"]
        for row, lead in zip(signal, ("I", "II"), strict=True):
            total = int((row.sum() + 2**15) % 2**16 - 2**15)
            lines.append(f"r{at}.dat 16 1000/mV 16 0 {row[0]} {total} 0 {lead}")
        (folder / f"r{at}.hea").write_text("\n".join(lines) + "\n", encoding="utf-8")
        (folder / f"r{at}.dat").write_bytes(signal.T.tobytes())


def test_recordings_are_graded_and_written(run: Run) -> None:
    status, out, err = run("evaluate", "real.npy", "fake.npy", *FACTS, *FAST, "--json", "e.json", "--html", "e.html")
    assert (status, err) == (0, "")
    assert out.startswith("fake (20) against real (20)")
    saved = tg.Evaluation.from_json("e.json")
    assert saved.ecg is not None
    assert (saved.ecg.fs, saved.ecg.units, saved.ecg.leads, saved.ecg.seconds) == (100.0, "mV", ("I", "II"), 4.0)
    assert set(saved.scores) == {"precision", "lead_correlation_error"}
    assert run("show", "e.json")[1] == out


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("real.npy", "fake.npy", "--fail-under", "lead_correlation_error=1"), 0, ""),
        (("real.npy", "fake.npy", "--fail-under", "precision=1.5"), 3, "Precision of fake is"),
        (("real.npy", "fake.npy", "--fail-under", "lead_correlation_eror=0"), 2, "Did you mean lead_correlation_error"),
        (("real.npy", "micro.npy"), 0, ""),
        (("real.npy", "turned.npy"), 1, "x.transpose(0, 2, 1)"),
        (("real.npy", "fast.npy"), 1, "lengths-differ"),
        (("real.npy", "none.npy"), 1, "none.npy"),
        (("real.npy", "v.npy"), 1, "v has the shape (50, 4)"),
        (("real.npy", "fake.npy", "--types", "a=number"), 2, "--types given, and it means nothing"),
        (("real.npy", "fake.npy", "--recursive"), 2, "--recursive given, and it means nothing"),
        (("real.npy", "fake.npy", "--on-error", "skip"), 2, "--on-error given, and it means nothing"),
        (("real.npy", "fake.npy", "--key", "x"), 2, "--key given, and it means nothing"),
        (("real.npy", "fake.npy", "--embed", "lite0"), 2, "descriptors, spectral, beats"),
        (("real.npy", "fake.npy", "--protocol", "prdc"), 2, "ECG recordings leave it out"),
        (("real.npy", "fake.npy", "--override", "units-differs"), 1, "Did you mean units-differ"),
        (("real.npy", "fake.npy", "--fs", "fast"), 2, "a rate in Hz is accepted"),
        (("real.npy", "fake.npy", "--fs", "200"), 2, "given beside another"),
        (("real.npy", "fake.npz", "--key", "y"), 1, "no array 'y'"),
    ],
)
def test_exit_statuses_with_one_clear_line(run: Run, arguments: tuple[str, ...], status: int, words: str) -> None:
    units = ("--units", "real=mV", "--units", "synthetic=uV") if "micro.npy" in arguments else ("--units", "mV")
    facts = ("--kind", "ecg", "--fs", "100", *units, "--leads", "I,II")
    found, _, err = run("evaluate", *arguments, *facts, *FAST)
    assert (found, words in err) == (status, True), err
    assert err.count("truegrade:") == (status != 0)


def test_what_is_said_of_recordings_needs_recordings(run: Run) -> None:
    for arguments, words in (
        (("v.npy", "v.npy", "--fs", "100"), "add --kind ecg"),
        (("v.npy", "v.npy", "--metrics", "ecg_mae"), "grade ECG recordings"),
        (("v.npy", "v.npy", "--fail-under", "missing_leads=0"), "holds no ECG recordings"),
    ):
        status, _, err = run("evaluate", *arguments)
        assert (status in (1, 2), words in err) == (True, True), err


def test_e2_units_on_the_command_line(run: Run) -> None:
    plain = ("--kind", "ecg", "--fs", "100", "--leads", "I,II", *FAST)
    status, _, err = run("evaluate", "real.npy", "micro.npy", *plain)
    assert (status, "units-differ" in err, "--units real=mV --units synthetic=uV" in err) == (1, True, True)
    status, _, err = run(
        "evaluate", "real.npy", "micro.npy", *plain, "--units", "real=mV,synthetic=uV", "--json", "u.json"
    )
    assert (status, err) == (0, "")
    run("evaluate", "real.npy", "fake.npy", *FACTS, *FAST, "--json", "e.json")
    found, other = tg.Evaluation.from_json("u.json"), tg.Evaluation.from_json("e.json")
    assert found["precision"].value == other["precision"].value


def test_e3_rates_and_e13_lengths_are_made_alike_on_request(run: Run) -> None:
    rates = ("--kind", "ecg", "--units", "mV", "--leads", "I,II", "--fs", "real=100", "--fs", "synthetic=200")
    status, _, err = run("evaluate", "real.npy", "fast.npy", *rates, *FAST)
    assert (status, "fs-differ" in err) == (1, True)
    how = ("--resample", "50", "--crop", "3", "--json", "r.json")
    assert run("evaluate", "real.npy", "fast.npy", *rates, *FAST, *how)[0] == 0
    saved = tg.Evaluation.from_json("r.json")
    assert saved.ecg is not None
    assert (saved.ecg.fs, saved.ecg.seconds) == (50.0, 3.0)


def test_e8_folders_of_records_and_what_is_damaged_in_them(run: Run) -> None:
    write_wfdb(Path("wfdb"), np.load("real.npy"))
    cut = Path("wfdb/r3.dat")
    cut.write_bytes(cut.read_bytes()[:-40])
    status, _, err = run("evaluate", "wfdb", "fake.npy", "--fs", "100", "--units", "mV", *FAST)
    assert (status, "r3" in err, "--on-error skip" in err) == (1, True, True), err
    how = ("--fs", "100", "--units", "mV", "--on-error", "skip", "--json", "s.json")
    status, out, err = run("evaluate", "wfdb", "fake.npy", *how, *FAST)
    assert (status, err) == (0, "")
    assert (tg.Evaluation.from_json("s.json").real.n, "r3" in out) == (19, True)


def test_e12_files_and_folders_of_one_name_have_labels_of_their_own(run: Run) -> None:
    for folder, name in (("a", "fake.npy"), ("b", "held.npy")):
        Path(folder).mkdir()
        Path(folder, "x.npy").write_bytes(Path(name).read_bytes())
        Path(folder, "set").mkdir()
        Path(folder, "set", "y.npy").write_bytes(Path(name).read_bytes())
    for real, sets, names in (
        ("real.npy", ("a/x.npy", "b/x.npy"), ["a/x", "b/x"]),
        ("real.npy", ("a/set", "b/set"), ["a/set", "b/set"]),
    ):
        status, _, err = run("compare", real, *sets, *FACTS, *FAST, "--json", "c.json")
        assert (status, err) == (0, "")
        assert list(tg.Comparison.from_json("c.json")) == names


def test_holdout_patients_labels_and_repeats(run: Run) -> None:
    rows = [f"{at},p{at // 4},{'ab'[at % 2]}" for at in range(20)]
    Path("who.csv").write_text("\n".join(["record,patient,label", *rows]) + "\n", encoding="utf-8")
    who = ("--patients", "real=who.csv", "--labels", "real=who.csv,synthetic=who.csv", "--holdout", "held.npy")
    status, _, err = run("evaluate", "real.npy", "fake.npy", *FACTS, *FAST, *who, "--json", "h.json")
    assert (status, err) == (0, ""), err
    saved = tg.Evaluation.from_json("h.json")
    assert saved.holdout is not None
    assert (saved.holdout.name, saved.holdout.n) == ("held", 20)
    assert set(saved["precision"].per_group) <= {"a", "b"}
    assert saved.ecg is not None
    assert saved.ecg.settings["patients"] == 5
    runs = ("evaluate", "real.npy", "--synthetic", "fake.npy", "held.npy", *FACTS, *FAST, "--json", "r.json")
    assert run(*runs)[0] == 0
    assert tg.Evaluation.from_json("r.json")["precision"].repeats is not None


def test_explain_tells_the_parts(run: Run) -> None:
    status, out, err = run("evaluate", "real.npy", "fake.npy", *FACTS, "--explain")
    assert (status, err) == (0, "")
    for words in ("registry", "scorecard", "leads: metrics of features of each of 2 leads", "copies"):
        assert words in out


def test_check_prints_facts_and_findings(run: Run) -> None:
    status, out, err = run("check", "real.npy", "fake.npy", *FACTS)
    assert (status, err) == (0, "")
    for words in ("real.npy: 20 ECG recordings of 2 leads and 400 samples", "100 Hz, 4 s, mV, float32", "leads I, II"):
        assert words in out
    status, out, err = run("check", "real.npy", "micro.npy", "--kind", "ecg", "--fs", "100")
    assert status == 1
    assert "refuse units-differ" in out
    assert "(nobody named them)" in out
    assert run("check", "real.npy", "micro.npy", "--kind", "ecg", "--fs", "100", "--override", "units-differ")[0] == 0
    write_wfdb(Path("wfdb"), np.load("real.npy"))
    status, out, err = run("check", "wfdb")
    assert (status, err) == (0, "")
    assert "wfdb: 20 ECG recordings" in out
    assert run("check", "v.npy", "--fs", "100")[0] == 2
    twice = np.load("real.npy")
    np.save("twice.npy", np.concatenate([twice, twice[:1]]))
    assert run("check", "twice.npy", "fake.npy", *FACTS)[1].count("duplicates") == 1  # with the file it is about


def test_scores_of_recordings_are_listed_and_shown(run: Run) -> None:
    out = run("metrics")[1]
    assert all(key in out for key in ECG_SCORES)
    status, out, _ = run("show", "ecg_pr_dist")
    assert (status, "Precision and recall of descriptors" in out) == (0, True)
    assert "Did you mean ecg_pr_dist" in run("show", "ecg_pr_dists")[2]


def test_one_value_or_one_a_side() -> None:
    assert by_side("--units", ["mV"], str) == "mV"
    assert by_side("--leads", ["real=I,II,synthetic=V1,V2"], str) == {"real": "I,II", "synthetic": "V1,V2"}
    assert by_side("--fs", ["real=100", "holdout=50"], float) == {"real": 100.0, "holdout": 50.0}
    assert by_side("--patients", ["a=b.csv"], str) == "a=b.csv"
    for twice in (["mV", "uV"], ["real=mV", "real=uV"], ["real=mV", "uV"], ["uV", "real=mV"]):
        with pytest.raises(UsageError, match="once a side"):
            by_side("--units", twice, str)

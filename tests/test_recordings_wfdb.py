"""WFDB records: values against a naive reading of the bytes, and every way in which a record can be wrong."""

from __future__ import annotations

import struct
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from truegrade.errors import InputError, MissingExtra
from truegrade.recordings import LEADS_12, Recordings, as_recordings, load_ecg, load_ecg_wfdb

DATA = Path(__file__).resolve().parents[1] / ".." / "shared" / "data" / "ecg" / "wfdb"
shared = pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    wfdb = pytest.importorskip("wfdb")


def signal(leads: int = 3, length: int = 400, seed: int = 0) -> np.ndarray:
    """(length, leads) mV, in whole microvolts."""
    return np.round(np.random.default_rng(seed).normal(size=(length, leads)), 3)


def write(place: Path, name: str, values: np.ndarray, leads: list[str] | None = None, **how: Any) -> Path:
    """A record by wfdb.wrsamp: 16 bit, 1000 per mV, 250 Hz, unless said otherwise."""
    count = values.shape[1]
    facts: dict[str, Any] = {"fs": 250, "units": ["mV"] * count, "fmt": ["16"] * count, "adc_gain": [1000.0] * count}
    facts |= {"baseline": [0] * count, "sig_name": leads or ["I", "II", "V1", "V2"][:count], **how}
    place.mkdir(exist_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wfdb.wrsamp(name, p_signal=values, write_dir=str(place), **facts)
    return place / f"{name}.hea"


def replaced(header: Path, old: str, new: str) -> None:
    text = header.read_text()
    assert old in text
    header.write_text(text.replace(old, new))


# Values


def by_hand(header: Path) -> np.ndarray:
    """(L, T) in the header's unit, read with struct: format 16 alone, all signals in one file."""
    lines = [line.split() for line in header.read_text().splitlines() if not line.startswith("#")]
    count, length = int(lines[0][1]), int(lines[0][3])
    offset = int(lines[1][1].partition("+")[2] or 0)
    raw = (header.parent / lines[1][0]).read_bytes()[offset:]
    samples = struct.unpack(f"<{count * length}h", raw[: 2 * count * length])
    rows = []
    for at, line in enumerate(lines[1:]):
        gain, _, base = line[2].partition("/")[0].rstrip(")").partition("(")
        rows.append([(value - int(base)) / float(gain) for value in samples[at::count]])
    return np.array(rows)


@shared
def test_shared_records_hold_what_their_bytes_say() -> None:
    found = load_ecg_wfdb(DATA, labels="Sex")
    assert list(found.ids) == ["E07500", "E07501", "HR06000", "JS20004"]
    assert (found.fs, found.units, found.leads, found.leads_named) == (500.0, "mV", LEADS_12, True)
    assert list(found.labels) == ["Male", "Male", "Female", "Male"]
    assert found.notices == ()  # the checksums are right, "mv" is mV
    for row, name in enumerate(found.ids):
        expected = by_hand(DATA / f"{name}.hea")
        np.testing.assert_allclose(found.data[row], expected, rtol=1e-6)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            np.testing.assert_allclose(expected, wfdb.rdrecord(str(DATA / name)).p_signal.T)
    assert [tuple(at) for at in np.argwhere(found.missing)] == [(3, 7), (3, 9), (3, 11)]  # V2, V4 and V6 of JS20004


@shared
def test_the_same_record_by_any_of_its_names() -> None:
    whole = load_ecg_wfdb(DATA)
    for path in (DATA / "HR06000", DATA / "HR06000.hea", str(DATA / "HR06000.mat")):
        one = load_ecg(path)
        np.testing.assert_array_equal(one.values, whole.values[2:3])
        assert (one.name, list(one.ids)) == ("HR06000", ["HR06000"])
    some = as_recordings(
        DATA, leads="V1,ii", resample=100, crop=4, patients={"E07500": 1, "E07501": 1, "HR06000": 2, "JS20004": 3}
    )
    assert (some.values.shape, some.leads, list(some.patients)) == ((4, 2, 400), ("V1", "II"), [1, 1, 2, 3])
    expected = Recordings.from_array(whole.lead("V1")[:, None], fs=500).resampled(100).data[..., :400]
    np.testing.assert_allclose(some.data[:, :1], expected, atol=1e-6)


@pytest.mark.parametrize(
    ("fmt", "gain"), [("16", 1000.0), ("24", 1000.0), ("32", 1000.0), ("80", 25.0), ("516", 1000.0)]
)
def test_formats_gains_and_baselines(tmp_path: Path, fmt: str, gain: float) -> None:
    values = np.clip(signal(length=401), -3, 3)
    write(tmp_path, "a", values, fmt=[fmt] * 3, adc_gain=[gain] * 3, baseline=[-7] * 3)
    found = load_ecg(tmp_path / "a.hea")
    np.testing.assert_allclose(found.data[0], values.T, atol=0.51 / gain)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_allclose(found.data[0], wfdb.rdrecord(str(tmp_path / "a")).p_signal.T, atol=1e-6)
    assert found.notices == ()


def test_format_212_by_hand(tmp_path: Path) -> None:
    """Two samples of 12 bits in three bytes: low byte, both high halves, low byte."""
    counts = np.random.default_rng(0).integers(-2047, 2048, (151, 2))
    raw = bytearray()
    for first, second in counts % 4096:
        raw += bytes([first % 256, first // 256 + 16 * (second // 256), second % 256])
    (tmp_path / "a.dat").write_bytes(raw)
    (tmp_path / "a.hea").write_text(
        "a 2 360 151\na.dat 212 200(1)/mV 11 1024 0 0 0 MLII\na.dat 212 100/mV 11 24 0 0 0 V5\n"
    )
    found = load_ecg(tmp_path / "a.hea")
    assert (found.leads, found.fs) == (("II", "V5"), 360.0)
    np.testing.assert_allclose(found.data[0], [(counts[:, 0] - 1) / 200, (counts[:, 1] - 24) / 100], rtol=1e-6)
    assert [notice.code for notice in found.notices] == ["checksum_differs"]
    (tmp_path / "a.dat").write_bytes(raw[:-1])
    with pytest.raises(InputError, match=r"453 bytes; a\.dat holds 452"):
        load_ecg(tmp_path / "a.hea")


def test_samples_marked_as_invalid_are_nan(tmp_path: Path) -> None:
    values = signal()
    values[7, 1] = np.nan
    write(tmp_path, "a", values)
    found = load_ecg(tmp_path / "a")
    assert np.isnan(found.values).sum() == 1
    assert np.isnan(found.values[0, 1, 7])
    assert found.broken.tolist() == [[False, True, False]]


def test_several_samples_a_frame_and_skew(tmp_path: Path) -> None:
    header = write(tmp_path, "a", signal(1, 400), ["II"])
    replaced(header, "a 1 250 400", "a 1 125 200")
    replaced(header, ".dat 16 ", ".dat 16x2 ")
    found = load_ecg(header)
    assert (found.fs, found.length) == (250.0, 400)
    np.testing.assert_allclose(found.data[0, 0], signal(1, 400)[:, 0], atol=1e-6)
    skewed = write(tmp_path, "b", signal(2, 400))
    text = skewed.read_text().splitlines()
    text[2] = text[2].replace(".dat 16 ", ".dat 16:5 ")
    skewed.write_text("\n".join(text))
    found = load_ecg(skewed)
    assert found.length == 395
    np.testing.assert_allclose(found.data[0], [signal(2, 400)[:395, 0], signal(2, 400)[5:, 1]], atol=1e-6)


def test_wide_samples_keep_their_digits(tmp_path: Path) -> None:
    values = signal(1, 50) + 1000.0
    write(tmp_path, "a", values, ["II"], fmt=["32"], adc_gain=[1e6])
    found = load_ecg(tmp_path / "a")
    assert found.values.dtype == np.float64
    np.testing.assert_allclose(found.data[0, 0], values[:, 0], atol=1e-6)


# Folders


def test_leads_in_another_order_are_put_in_one(tmp_path: Path) -> None:
    a, b = signal(seed=1), signal(seed=2)
    write(tmp_path, "a", a, ["I", "II", "V1"])
    write(tmp_path, "b", b[:, [2, 0, 1]], ["v1", "LEAD I", "mlii"])
    found = load_ecg(tmp_path)
    assert found.leads == ("I", "II", "V1")
    np.testing.assert_allclose(found.data, np.stack([a.T, b.T]), atol=1e-6)
    assert [notice.code for notice in found.notices] == ["leads_reordered"]
    assert "first: b" in found.notices[0].text
    write(tmp_path, "c", signal(2), ["I", "V1"])
    with pytest.raises(InputError, match=r"I II V1 \(a, b\), I V1 \(c\).*--leads"):
        load_ecg(tmp_path)
    np.testing.assert_allclose(load_ecg(tmp_path, leads=["V1"]).data[:2, 0], [a[:, 2], b[:, 2]], atol=1e-6)
    with pytest.raises(InputError, match=r"different leads"):
        load_ecg(tmp_path, leads="I,II")


def test_mixed_units_are_converted_by_their_headers(tmp_path: Path) -> None:
    a = signal()
    write(tmp_path, "a", a)
    write(tmp_path, "b", a * 1000, units=["uV"] * 3, adc_gain=[1.0] * 3)
    write(tmp_path, "c", a / 1000, units=["V"] * 3, adc_gain=[1e6] * 3)
    mixed = write(tmp_path, "d", a * [1, 1000, 1], units=["mV", "uV", "mV"], adc_gain=[1000.0, 1.0, 1000.0])
    micro = write(tmp_path, "e", a * 1000, units=["uV"] * 3, adc_gain=[1.0] * 3)
    micro.write_bytes(micro.read_text().replace("/uV", "/µV").encode())  # wfdb alone reads this as V
    assert "µV" in micro.read_text("utf-8")
    found = load_ecg(tmp_path)
    np.testing.assert_allclose(found.data, np.stack([a.T] * 5), atol=1e-6)
    assert (found.units, found.scale) == ("mV", 1.0)
    assert [notice.code for notice in found.notices] == ["units_mixed"]
    assert "uV (b, e)" in found.notices[0].text
    assert load_ecg(mixed).notices == ()
    with pytest.raises(InputError, match=r"'uV' given .*mV"):
        load_ecg(mixed, units="uV")


def test_mixed_rates_are_refused_or_resampled(tmp_path: Path) -> None:
    slow, fast = np.arange(250) / 250, np.arange(500) / 500
    wave = [np.round(np.sin(2 * np.pi * 5 * time)[:, None], 3) for time in (slow, fast)]
    write(tmp_path, "a", wave[0], ["II"])
    write(tmp_path, "b", wave[1], ["II"], fs=500)
    with pytest.raises(InputError, match=r"250 Hz \(a\), 500 Hz \(b\).*resample"):
        load_ecg(tmp_path)
    found = load_ecg(tmp_path, resample=250)
    assert (found.fs, found.length) == (250.0, 250)
    assert np.abs(found.data[0] - found.data[1])[:, 30:-30].max() < 4e-3
    assert "1 of 2" in next(notice.text for notice in found.notices if notice.code == "recordings_resampled")
    with pytest.raises(InputError, match=r"fs=250 .* 500 Hz \(b\)"):
        load_ecg(tmp_path, fs=250)


def test_mixed_lengths_are_refused_or_cropped(tmp_path: Path) -> None:
    a = signal(length=500)
    write(tmp_path, "r2", a)
    write(tmp_path, "r10", a[:400])
    write(tmp_path, "r1", a[:100])
    with pytest.raises(InputError, match=r"100 samples, 0.4 s \(r1\), 500 samples, 2 s \(r2\).*crop=SECONDS"):
        load_ecg(tmp_path)
    with pytest.raises(InputError, match=r"1 of 3 .*r1 has 0.4 s"):
        load_ecg(tmp_path, crop=1)
    found = load_ecg(tmp_path, crop=1, on_error="skip")
    assert list(found.ids) == ["r2", "r10"]
    np.testing.assert_allclose(found.data, np.stack([a[:250].T] * 2), atol=1e-6)
    assert found.missing.shape == (2, 3)


def test_patients_and_labels(tmp_path: Path) -> None:
    place = tmp_path / "set"
    for folder, name in (("p1", "a"), ("p1", "b"), ("p2", "c")):
        place.mkdir(exist_ok=True)
        write(place / folder, name, signal(), comments=["Age: 56", f"Dx: {name.upper()}"])
    found = load_ecg(place, recursive=True, patients="folder", labels="Dx")
    assert list(found.ids) == ["p1/a", "p1/b", "p2/c"]
    assert list(found.patients) == ["p1", "p1", "p2"]
    assert list(found.labels) == ["A", "B", "C"]
    table = tmp_path / "who.csv"
    table.write_text("Record,patient,label\nc,7,x\na,8,y\nb,8,y\nother,1,1\n")
    found = load_ecg(place, recursive=True, patients=table, labels=str(table))
    assert (list(found.patients), list(found.labels)) == (["8", "8", "7"], ["y", "y", "x"])
    found = load_ecg(place, recursive=True, labels=lambda name, comments: int(comments["Age"]) > 50 and name != "p1/a")
    assert list(found.labels) == [False, True, True]
    table.write_text("record,patient\na,8\n")
    for facts, word in [
        ({"patients": table}, "2 of 3 recordings .* have no patient: 'p1/b', 'p2/c'"),
        ({"labels": table}, "record and label are needed"),
        ({"labels": "DX"}, "no comment 'DX'.*Did you mean 'Dx'"),
        ({"patients": [1, 2]}, "3 rows"),
        ({"patients": tmp_path / "none.csv"}, "cannot be read"),
    ]:
        with pytest.raises(InputError, match=word):
            load_ecg(place, recursive=True, **facts)
    with pytest.raises(InputError, match="recursive"):
        load_ecg_wfdb(place)


# Records that are wrong


def cut(header: Path) -> None:
    data = header.with_suffix(".dat")
    data.write_bytes(data.read_bytes()[:-10])


def longer(header: Path) -> None:
    data = header.with_suffix(".dat")
    data.write_bytes(data.read_bytes() * 2)


def fewer(header: Path) -> None:
    text = header.read_text().splitlines()
    header.write_text("\n".join([text[0].replace(" 3 ", " 2 "), *text[1:3]]))


FAULTS = [
    ("truncated", cut, "b is cut short: its header promises 400 samples of 3 signals, 2,400 bytes; b.dat holds 2,390"),
    ("promise", lambda h: replaced(h, " 400", " 4000"), "b is cut short: its header promises 4,000 samples"),
    ("billion", lambda h: replaced(h, " 400", " 1000000000"), "promises 1,000,000,000 samples"),
    ("absurd", lambda h: replaced(h, " 400", " 9" + "9" * 40), "no number of samples"),
    ("surplus", longer, "b: its header describes 2,400 bytes .* b.dat holds 4,800"),
    ("lead left out", fewer, "describes 1,600 bytes .* of another file"),
    ("count", lambda h: replaced(h, "b 3 250", "b 4 250"), "promises 4 signals and describes 3"),
    ("no signals", lambda h: h.write_text("b 0 250 400\n"), "0 signals"),
    ("no data", lambda h: h.with_suffix(".dat").unlink(), "b: its data file b.dat is not there"),
    ("empty", lambda h: h.write_text("# nothing\n"), "empty header"),
    ("binary", lambda h: h.write_bytes(bytes(range(256))), "no record line"),
    ("huge", lambda h: h.write_bytes(b"# x\n" * 300_000), "more than 1,048,576 bytes"),
    ("outside", lambda h: replaced(h, "b.dat", "../../etc/passwd.dat"), r"the data file '\.\./\.\./etc/passwd\.dat'"),
    ("absolute", lambda h: replaced(h, "b.dat", "/etc/passwd"), "files elsewhere are not read"),
    ("url", lambda h: replaced(h, "b.dat", "https://x.org/b.dat"), "files elsewhere are not read"),
    ("control", lambda h: replaced(h, "b.dat", "\x1b[31mb.dat"), r"'\\x1b\[31mb.dat'"),
    ("format", lambda h: replaced(h, " 16 ", " 17 "), "format 17 is not known"),
    ("gain", lambda h: replaced(h, "1000.0(0)", "x"), "no signal line"),
    ("units", lambda h: replaced(h, "/mV", "/mmHg"), "no voltages: I in mmHg"),
    ("rate", lambda h: replaced(h, " 250 ", " 0 "), "no sampling rate"),
    ("segments", lambda h: replaced(h, "b 3 250", "b/2 3 250"), "2 segments"),
    ("twice", lambda h: replaced(h, "V1", "II"), "more than one lead named II"),
    ("packed", lambda h: replaced(replaced(h, " 400", " 999999999") or h, " 16 ", " 516 "), "cannot hold"),
]  # fmt: skip


@pytest.mark.parametrize(("spoil", "word"), [one[1:] for one in FAULTS], ids=[one[0] for one in FAULTS])
def test_a_wrong_record_is_named_or_counted(tmp_path: Path, spoil: Any, word: str) -> None:
    values = signal()
    write(tmp_path, "a", values)
    spoil(write(tmp_path, "b", values))
    for path in (tmp_path, tmp_path / "b.hea"):
        with pytest.raises(InputError, match=word) as told:
            load_ecg(path)
        assert "\x1b" not in str(told.value)
    found = load_ecg(tmp_path, on_error="skip")
    np.testing.assert_allclose(found.data, values.T[None], atol=1e-6)
    assert list(found.ids) == ["a"]
    assert [notice.code for notice in found.notices] == ["recordings_skipped"]
    assert "1 of 2" in found.notices[0].text
    with pytest.raises(InputError):
        load_ecg(tmp_path / "b.hea", on_error="skip")


def test_many_wrong_records_are_named_together(tmp_path: Path) -> None:
    for at in range(8):
        header = write(tmp_path, f"r{at}", signal(1, 40))
        if at:
            cut(header)
    with pytest.raises(InputError, match=r"7 of 8 .*\(1\) r1 is .*\(5\) r5 is .*And 2 more\. .*on_error='skip'"):
        load_ecg(tmp_path)
    with pytest.raises(InputError, match="on_error='ignore'"):
        load_ecg(tmp_path, on_error="ignore")  # type: ignore[arg-type]


def test_doubts_are_told(tmp_path: Path) -> None:
    replaced(write(tmp_path, "a", signal()), "1000.0(0)/mV", "0(0)/mV")
    data = write(tmp_path, "b", signal()).with_suffix(".dat")
    raw = bytearray(data.read_bytes())
    raw[100] ^= 1
    data.write_bytes(raw)
    found = load_ecg(tmp_path)
    codes = {notice.code: notice.text for notice in found.notices}
    assert "1 of 2" in codes["gain_unknown"]
    assert "first: a" in codes["gain_unknown"]
    assert "first: b" in codes["checksum_differs"]
    np.testing.assert_allclose(found.data[0], signal().T * 5, atol=1e-5)  # 200 per mV instead of 1000


def test_what_a_header_does_not_say(tmp_path: Path) -> None:
    (tmp_path / "a.dat").write_bytes(np.arange(120, dtype="<i2").tobytes())
    (tmp_path / "a.hea").write_text("a 2\na.dat 16\na.dat 16\n")
    found = load_ecg(tmp_path / "a.hea", fs=100)
    assert (found.fs, found.length, found.leads, found.leads_named) == (100.0, 60, ("L1", "L2"), False)
    np.testing.assert_allclose(found.data[0, 1], np.arange(1, 120, 2) / 200, atol=1e-6)
    assert load_ecg(tmp_path / "a.hea", leads="I,II").leads == ("I", "II")
    assert load_ecg(tmp_path / "a.hea").fs is None
    with pytest.raises(InputError, match="give fs"):
        load_ecg(tmp_path / "a.hea", resample=50)


def test_paths_that_are_no_records(tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path / "none.hea", "s3://bucket/record", "https://x.org/a.hea"):
        with pytest.raises(InputError):
            load_ecg(path)
        with pytest.raises(InputError, match=r"no WFDB record"):
            load_ecg_wfdb(path)
    odd = tmp_path / "a::b"
    write(odd, "r", signal())
    with pytest.raises(InputError, match="rename"):
        load_ecg(odd)
    brackets = tmp_path / "[x] *?"
    write(brackets, "r", signal())
    assert load_ecg(brackets).values.shape == (1, 3, 400)


def test_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "a", signal())
    monkeypatch.setitem(sys.modules, "wfdb", None)
    with pytest.raises(MissingExtra, match=r"truegrade\[ecg\]"):
        load_ecg(tmp_path)

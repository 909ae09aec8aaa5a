"""Recordings: orders of axes, missing leads, rates and lengths; arrays, text and folders."""

from __future__ import annotations

import csv
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import truegrade as tg
from truegrade.errors import InputError
from truegrade.recordings import LEADS_12, Recordings, as_recordings, load_ecg, load_ecg_folder, load_ecg_npy
from truegrade.recordings.axes import likely_axes, turned
from truegrade.recordings.leads import canonical
from truegrade.recordings.transforms import resampled_length

DATA = Path(__file__).resolve().parents[1] / ".." / "shared" / "data" / "ecg"
RNG = np.random.default_rng(7)


def noise(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).normal(size=shape)


# Orders of axes (E1)


@pytest.mark.parametrize(
    ("shape", "axes"),
    [
        ((5, 400, 12), "NTL"),
        ((5, 400, 1), "NTL"),
        ((12, 40, 400), "LNT"),
        ((400, 12), "TL"),
        ((12, 400), "LT"),
        ((50, 400), "NT"),
        ((400,), "T"),
    ],
)
def test_other_orders_are_refused_with_the_transposition_that_mends_them(shape: tuple[int, ...], axes: str) -> None:
    x = noise(*shape)
    with pytest.raises(InputError) as told:
        Recordings.from_array(x)
    expression = turned(axes)
    assert expression in str(told.value)
    assert repr(axes) in str(told.value)
    right = eval(expression, {"x": x})
    assert right.shape[0] == (shape[axes.index("N")] if "N" in axes else 1)
    assert right.shape[1] == (shape[axes.index("L")] if "L" in axes else 1)
    assert right.shape[2] == 400
    by_letters = Recordings.from_array(x, axes=axes.lower())
    np.testing.assert_array_equal(by_letters.values, right)
    assert by_letters.fingerprint == Recordings.from_array(right.copy()).fingerprint


def test_two_axes_that_may_be_leads_or_recordings_name_both() -> None:
    with pytest.raises(InputError, match=r"x\[None\].*'LT'.*x\[:, None\].*'NT'"):
        Recordings.from_array(noise(12, 400))


@pytest.mark.parametrize("axes", ["NT", "NXT", "NTT", "NL", "", "NLTX", 3])
def test_letters_that_are_no_order_are_refused(axes: object) -> None:
    with pytest.raises(InputError, match="axes="):
        Recordings.from_array(noise(3, 2, 50), axes=axes)  # type: ignore[arg-type]


def test_names_of_leads_decide_where_sizes_do_not() -> None:
    leads = ["I", "II", "V1"]
    assert likely_axes((4, 3, 8), 3) == ("NLT",)
    assert likely_axes((4, 8, 3), 3) == ("NTL",)
    assert Recordings.from_array(noise(4, 3, 2), leads=leads).leads == ("I", "II", "V1")
    with pytest.raises(InputError, match=r"x\.transpose\(0, 2, 1\)"):
        Recordings.from_array(noise(4, 8, 3), leads=leads)


def test_axes_of_size_one_and_too_many_leads_are_told() -> None:
    with pytest.raises(InputError, match=r"squeeze\(\)"):
        Recordings.from_array(noise(4, 1, 3, 50))
    with pytest.raises(InputError, match="'NLT'"):
        Recordings.from_array(noise(40, 64, 100))
    assert Recordings.from_array(noise(40, 64, 100), axes="NLT").leads[-1] == "L64"


# What is in the values


def test_integers_equal_their_floats() -> None:
    counts = np.random.default_rng(0).integers(-3000, 3000, (4, 2, 300), dtype=np.int16)
    whole = Recordings.from_array(counts, fs=500, units="uV")
    floats = Recordings.from_array(counts.astype(np.float64), fs=500, units="µV")
    np.testing.assert_array_equal(whole.data, floats.data)
    np.testing.assert_array_equal(whole.read(1, 3), floats.read(1, 3))
    np.testing.assert_array_equal(whole.resampled(125).data, floats.resampled(125).data)
    assert whole.values.dtype == np.int16
    assert whole.data.dtype == np.float64
    assert np.abs(whole.data).max() < 3.0001


def test_flat_and_broken_leads_are_missing() -> None:
    x = noise(4, 3, 60)
    x[0, 1] = 2.5
    x[1, 2, 7] = np.nan
    x[2, 0] = np.nan
    x[3, 1, 0] = -np.inf
    found = Recordings.from_array(x)
    assert [tuple(at) for at in np.argwhere(found.missing)] == [(0, 1), (1, 2), (2, 0), (3, 1)]
    assert [tuple(at) for at in np.argwhere(found.broken)] == [(1, 2), (2, 0), (3, 1)]


def test_values_that_are_no_numbers_or_no_voltages_are_refused() -> None:
    huge = noise(3, 2, 50)
    huge[2, 1, 4] = 1e200
    for values, word in [
        (huge, "recording 2, lead 1"),
        (noise(3, 2, 50) > 0, "bool"),
        (noise(3, 2, 50).astype(complex), "complex"),
        (np.array([[["a", "b"]]]), "<U1"),
        (noise(0, 2, 50), "at least 1 recording"),
        ([noise(2, 50), noise(2, 49)], "different lengths"),
    ]:
        with pytest.raises(InputError, match=word):
            Recordings.from_array(values)


class Tensor:
    """A stand-in for a tensor on a device, of which numpy can make nothing before it is detached and moved."""

    def __init__(self, values: np.ndarray, dtype: str = "torch.float64", steps: int = 0) -> None:
        self.values, self.dtype, self.steps = values, dtype, steps

    def detach(self) -> Tensor:
        return Tensor(self.values, self.dtype, self.steps + 1)

    def cpu(self) -> Tensor:
        return Tensor(self.values, self.dtype, self.steps + 1)

    def float(self) -> Tensor:
        return Tensor(self.values.astype(np.float32), "torch.float32", self.steps)

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        if self.steps < 2 or self.dtype == "torch.bfloat16":
            raise TypeError("can't convert")
        return self.values


def test_masked_values_and_tensors_and_lists() -> None:
    x = noise(3, 2, 50)
    hidden = np.ma.masked_array(x, np.zeros_like(x, bool))
    hidden[1, 0, 3] = np.ma.masked
    found = Recordings.from_array(hidden)
    assert found.broken.sum() == 1
    assert found.broken[1, 0]
    assert Recordings.from_array(Tensor(x)).fingerprint == Recordings.from_array(x.tolist()).fingerprint
    brain = Recordings.from_array(Tensor(x, "torch.bfloat16"))
    np.testing.assert_array_equal(brain.values, x.astype(np.float32))


def test_names_of_leads() -> None:
    names = ["avr", "Lead II", "ECG V1", "MLII", "-aVR", " v6 ", "ECG1", "lead_i"]
    assert [canonical(name) for name in names] == ["aVR", "II", "V1", "II", "-aVR", "V6", "ECG1", "I"]
    for leads in ([], "I,,II", ["II", "MLII"], "I"):
        with pytest.raises(InputError):
            Recordings.from_array(noise(2, 2, 40), leads=leads)
    assert Recordings.from_array(noise(2, 2, 40), leads="i,avf").leads == ("I", "aVF")


@pytest.mark.parametrize("facts", [{"fs": -5}, {"fs": True}, {"fs": "500"}, {"units": "mmHg"}, {"fs": np.nan}])
def test_facts_that_are_none_are_refused(facts: dict[str, object]) -> None:
    with pytest.raises(InputError, match=next(iter(facts))):
        Recordings.from_array(noise(2, 2, 40), **facts)  # type: ignore[arg-type]


def test_leads_are_chosen_by_any_spelling() -> None:
    x = Recordings.from_array(noise(2, 3, 40), leads=["I", "aVR", "x"])
    np.testing.assert_array_equal(x.lead("AVR"), x.data[:, 1])
    assert x.select_leads(["x", "lead i"]).leads == ("x", "I")
    for leads, word in [
        (["V1"], "no lead 'V1'; it has I, aVR, x"),
        (["I", "i"], "different leads"),
        ([], "one or more"),
    ]:
        with pytest.raises(InputError, match=word):
            x.select_leads(leads)


# Rates and lengths


def test_resampling_a_sine_gives_the_sine() -> None:
    time, at = np.arange(5000) / 500, np.arange(1000) / 100
    x = np.stack([np.sin(2 * np.pi * 7 * time + 0.3), 3 + 0.5 * np.cos(2 * np.pi * 20 * time)])[None]
    expected = np.stack([np.sin(2 * np.pi * 7 * at + 0.3), 3 + 0.5 * np.cos(2 * np.pi * 20 * at)])[None]
    found = Recordings.from_array(x, fs=500, units="mV").resampled(100)
    assert found.fs == 100
    assert found.length == 1000
    inner = slice(50, -50)
    assert np.abs(found.data - expected)[..., inner].max() < 2e-3
    back = found.resampled(500)
    assert np.abs(back.data - x)[..., 250:-250].max() < 4e-3
    assert [notice.code for notice in back.notices] == ["recordings_resampled"] * 2


def test_resampling_down_removes_what_the_lower_rate_cannot_hold() -> None:
    time = np.arange(5000) / 500
    x = np.sin(2 * np.pi * 90 * time)[None, None]  # plain decimation would make it 10 Hz, as large as before
    assert np.abs(x[0, 0, ::5]).max() > 0.9
    assert np.abs(Recordings.from_array(x, fs=500).resampled(100).data[..., 50:-50]).max() < 0.01


def test_resampling_keeps_flat_leads_flat_and_broken_leads_broken() -> None:
    x = noise(2, 3, 500)
    x[0, 0] = 1.7
    x[1, 1, 250] = np.nan
    x[1, 2, :] = np.nan
    for hz in (100, 360, 1000):
        found = Recordings.from_array(x, fs=500).resampled(hz)
        np.testing.assert_array_equal(found.missing, Recordings.from_array(x).missing)
        np.testing.assert_array_equal(found.broken, Recordings.from_array(x).broken)
        assert found.length == resampled_length(500, 500, hz) == round(hz * 1.0)
        assert np.all(found.data[0, 0] == 1.7)


def test_resampled_in_millivolts_and_cropped() -> None:
    x = Recordings.from_array(1000 * noise(3, 2, 500), fs=500, units="uV", leads=["I", "II"], ids=["a", "b", "c"])
    found = x.resampled(250).cropped(0.4)
    assert found.values.shape == (3, 2, 100)
    assert (found.units, found.scale, list(found.ids)) == ("mV", 1.0, ["a", "b", "c"])
    np.testing.assert_allclose(x.cropped(0.2).data, x.data[..., :100])
    assert x.cropped(0.2).fingerprint != x.fingerprint
    assert x.cropped(1.0) is x
    assert x.resampled(500) is x


def test_rates_and_lengths_that_cannot_be_are_refused() -> None:
    x = Recordings.from_array(noise(2, 2, 500), fs=500)
    for act, word in [
        (lambda: x.cropped(2), "have 1 s"),
        (lambda: x.cropped(0), "crop=0"),
        (lambda: x.resampled(0), "fs=0"),
        (lambda: x.resampled(5e6), "whole numbers"),
        (lambda: replace(x, fs=None).resampled(100), "give fs"),
        (lambda: replace(x, fs=None).cropped(1), "give fs"),
        (lambda: x.resampled(1), "at least 2"),
    ]:
        with pytest.raises(InputError, match=word):
            act()


# Arrays in files


def test_the_call_of_ecgen_eval_runs_unchanged(tmp_path: Path) -> None:
    x = noise(30, 12, 100).astype(np.float32)
    np.save(tmp_path / "real.npy", x)
    real = load_ecg_npy(str(tmp_path / "real.npy"), label="PTB-XL")
    assert real.name == "PTB-XL"
    assert real.lead_names == list(LEADS_12)
    assert real.fs is None
    np.testing.assert_array_equal(real.data, x)
    assert load_ecg_npy(tmp_path / "real.npy", 500, "a", None, 7).data.shape == (7, 12, 100)
    assert load_ecg_npy(tmp_path / "real.npy", 500).fs == 500
    assert isinstance(real.values, np.memmap)


def test_npy_in_other_orders_and_types(tmp_path: Path) -> None:
    x = noise(4, 3, 60)
    np.save(tmp_path / "f.npy", np.asfortranarray(x))
    np.save(tmp_path / "big.npy", x.astype(">f8"))
    np.save(tmp_path / "ntl.npy", x.transpose(0, 2, 1))
    for found in (
        load_ecg(tmp_path / "f.npy"),
        load_ecg(tmp_path / "big.npy"),
        load_ecg(tmp_path / "ntl.npy", axes="NTL"),
    ):
        np.testing.assert_array_equal(found.data, x)
        assert found.data.dtype.isnative
    with pytest.raises(InputError, match=r"transpose\(0, 2, 1\)"):
        load_ecg(tmp_path / "ntl.npy")


def test_hostile_and_damaged_arrays_are_refused(tmp_path: Path) -> None:
    x = noise(4, 3, 60)
    np.save(tmp_path / "pickle.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    np.save(tmp_path / "whole.npy", x)
    raw = (tmp_path / "whole.npy").read_bytes()
    (tmp_path / "short.npy").write_bytes(raw[:-8])
    (tmp_path / "long.npy").write_bytes(raw + b"12345678")
    (tmp_path / "text.npy").write_text("I,II\n1,2\n")
    np.savez(tmp_path / "pickle.npz", x=np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with zipfile.ZipFile(tmp_path / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", raw)
    whole = bytearray((tmp_path / "bomb.npz").read_bytes())
    at = whole.index(b"PK\x01\x02")
    whole[at + 24 : at + 28] = (2**32 - 2).to_bytes(4, "little")  # the size that the directory promises
    (tmp_path / "bomb.npz").write_bytes(whole)
    for name, word in [
        ("pickle.npy", "pickled"),
        ("pickle.npz", "pickled"),
        ("short.npy", "cut short"),
        ("long.npy", "more than one array"),
        ("text.npy", "not a .npy file"),
        ("bomb.npz", "bomb"),
        ("absent.npy", "cannot be read"),
    ]:
        with pytest.raises(InputError, match=word):
            load_ecg(tmp_path / name)


def test_archives_say_what_stands_beside(tmp_path: Path) -> None:
    x, path = noise(4, 3, 60), tmp_path / "set.npz"
    facts = {"fs": 250, "units": "uV", "leads": ["I", "II", "V1"], "ids": list("abcd"), "labels": [0, 1, 0, 1]}
    np.savez(path, x=x, patients=np.arange(7), age=np.arange(4), **facts)
    found = load_ecg(path)
    assert (found.fs, found.units, found.scale, found.leads) == (250.0, "mV", 1e-3, ("I", "II", "V1"))
    assert list(found.ids) == list("abcd")
    assert found.patients is None
    codes = {notice.code: notice.text for notice in found.notices}
    assert "'patients'" in codes["recordings_facts_unfit"]
    assert "'age'" in codes["recordings_arrays_unused"]
    assert list(load_ecg(path, labels="age").labels) == [0, 1, 2, 3]
    for fact, both in [
        ({"fs": 500}, "500.*250"),
        ({"units": "mV"}, "mV.*uV"),
        ({"leads": "I,V1,II"}, "I, V1, II.*I, II"),
    ]:
        with pytest.raises(InputError, match=both):
            load_ecg(path, **fact)
    assert load_ecg(path, fs=250.0, units="µV", leads="i,ii,v1").fingerprint == found.fingerprint


def test_the_array_of_an_archive_is_chosen_or_asked_for(tmp_path: Path) -> None:
    x = noise(4, 3, 60)
    np.savez(tmp_path / "one.npz", signals=x, order=np.arange(4))
    np.savez(tmp_path / "two.npz", a=x, b=-x)
    np.testing.assert_array_equal(load_ecg(tmp_path / "one.npz").data, x)
    np.testing.assert_array_equal(load_ecg(tmp_path / "two.npz", key="b").data, -x)
    for facts, word in [
        ({}, "'a' .*'b' .*key="),
        ({"key": "c"}, "no array 'c'"),
        ({"key": "a", "ids": "names"}, "no array 'names'"),
    ]:
        with pytest.raises(InputError, match=word):
            load_ecg(tmp_path / "two.npz", **facts)


# Text


def write(path: Path, rows: list[list[object]], separator: str = ",") -> Path:
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=separator).writerows(rows)
    return path


def test_text_of_one_recording(tmp_path: Path) -> None:
    x = noise(2, 50)
    columns = [["time (s)", "I", "avr"], *([at / 100, *x[:, at]] for at in range(50))]
    clock = [["time", "I", "avr"], *([f"10:00:{at}", *x[:, at]] for at in range(50))]
    rows = [["I", *x[0]], ["AVR", *x[1]]]
    headed = [["lead", *range(50)], *rows]
    plain = [list(x[:, at]) for at in range(50)]
    for name, table, separator in [
        ("columns.csv", columns, ","),
        ("semicolon.csv", columns, ";"),
        ("tab.tsv", columns, "\t"),
        ("clock.csv", clock, ","),
        ("rows.csv", rows, ","),
        ("headed.csv", headed, ","),
        ("plain.csv", plain, ","),
        ("turned.csv", [list(x[0]), list(x[1])], ","),
    ]:
        found = load_ecg(write(tmp_path / name, table, separator), leads="I,aVR" if name[0] in "pt" else None)
        assert found.values.shape == (1, 2, 50), name
        np.testing.assert_array_equal(found.data[0], x)
        assert found.leads == ("I", "aVR")
        assert list(found.ids) == [Path(name).stem]


def test_text_of_many_recordings(tmp_path: Path) -> None:
    x = noise(3, 2, 40)
    heads = ["record", "patient", "label", *(f"{lead}_{at}" for at in range(40) for lead in ("I", "V1"))]
    table = [heads, *([f"r{n}", f"p{n // 2}", "nsr", *x[n].T.ravel()] for n in range(3))]
    found = load_ecg(write(tmp_path / "flat.csv", table), fs=100)
    np.testing.assert_array_equal(found.data, x)
    assert (list(found.ids), list(found.patients), set(found.labels)) == (
        ["r0", "r1", "r2"],
        ["p0", "p0", "p1"],
        {"nsr"},
    )
    wide = write(tmp_path / "wide.csv", [list(x[n].ravel()) for n in range(3)])
    np.testing.assert_array_equal(load_ecg(wide, leads=["I", "V1"]).data, x)
    with pytest.raises(InputError, match=r"leads=\.\.\."):
        load_ecg(write(tmp_path / "unclear.csv", noise(50, 40).tolist()))


def test_empty_cells_are_missing_and_others_are_named(tmp_path: Path) -> None:
    rows: list[list[object]] = [["I", "II"], *([at, at**2] for at in range(40))]
    rows[5][1] = ""
    assert load_ecg(write(tmp_path / "gap.csv", rows)).broken.tolist() == [[False, True]]
    rows[5][1] = "<b>\x07"
    with pytest.raises(InputError, match=r"'<b>\\x07'"):
        load_ecg(write(tmp_path / "text.csv", rows))
    with pytest.raises(InputError, match="point"):
        load_ecg(write(tmp_path / "comma.csv", [["I", "II"], *([f"{at},5", "1,5"] for at in range(40))], ";"))
    with pytest.raises(InputError, match=r"row 1 .* 1 cells"):
        load_ecg(write(tmp_path / "ragged.csv", [["I", "II"], [1, 2], [1], [2, 3]]))
    (tmp_path / "empty.csv").write_text("")
    with pytest.raises(InputError, match="empty"):
        load_ecg(tmp_path / "empty.csv")
    (tmp_path / "latin.csv").write_bytes(b"I,II\n\xe4,1\n")
    with pytest.raises(InputError, match="UTF-8"):
        load_ecg(tmp_path / "latin.csv")


# Folders


def folder(place: Path, **arrays: np.ndarray) -> Path:
    place.mkdir()
    for name, array in arrays.items():
        np.save(place / f"{name}.npy", array)
    return place


def test_a_folder_of_arrays(tmp_path: Path) -> None:
    x = np.random.default_rng(1).integers(-500, 500, (5, 2, 60), dtype=np.int16)
    place = folder(tmp_path / "set", r10=x[4], r2=x[1], r1=x[0], r3=x[2:4])
    (place / "README.txt").write_text("")
    (place / ".hidden").write_text("")
    found = load_ecg_folder(place, fs=100, units="uV", leads="I,II")
    np.testing.assert_array_equal(found.values, x)
    assert found.values.dtype == np.int16
    assert list(found.ids) == ["r1", "r2", "r3[0]", "r3[1]", "r10"]
    assert found.name == "set"
    assert "1 .txt, 1 hidden files" in found.notices[0].text
    capped = load_ecg(place, max_samples=3)
    np.testing.assert_array_equal(capped.values, x[:3])
    assert "recordings_capped" in {notice.code for notice in capped.notices}
    with pytest.raises(InputError, match="max_samples=0"):
        load_ecg(place, max_samples=0)
    assert list(load_ecg(place, patients=["a", "a", "b", "b", "c"]).patients) == list("aabbc")


def test_recordings_of_different_lengths_are_named_or_cropped(tmp_path: Path) -> None:
    x = noise(4, 2, 100)
    place = folder(tmp_path / "set", a=x[0], b=x[1], c=x[2][:, :80], d=x[3][:, :40])
    with pytest.raises(InputError, match=r"100 samples, 1 s \(a, b\), 80 samples, 0.8 s \(c\).*crop="):
        load_ecg(place, fs=100)
    with pytest.raises(InputError, match=r"give fs"):
        load_ecg(place, crop=0.5)
    with pytest.raises(InputError, match=r"1 of 4 .* d has 0.4 s"):
        load_ecg(place, fs=100, crop=0.5)
    found = load_ecg(place, fs=100, crop=0.5, on_error="skip")
    np.testing.assert_array_equal(found.data, x[:3, :, :50])
    assert list(found.ids) == ["a", "b", "c"]
    assert {notice.code for notice in found.notices} == {"recordings_cropped", "recordings_skipped"}
    same = as_recordings([x[0], x[1], x[2][:, :80]], fs=100, crop=0.5, leads="I,II", ids=list("abc"), labels=[1, 2, 3])
    np.testing.assert_array_equal(same.data, found.data)
    assert list(same.labels) == [1, 2, 3]
    with pytest.raises(InputError, match="different lengths"):
        as_recordings([x[0], x[2][:, :80]])


def test_damaged_arrays_of_a_folder_are_named_or_counted(tmp_path: Path) -> None:
    x = noise(3, 2, 60)
    place = folder(tmp_path / "set", a=x[0], b=x[1], c=x[2])
    (place / "b.npy").write_bytes((place / "b.npy").read_bytes()[:-100])
    with pytest.raises(InputError, match=r"b\.npy is cut short"):
        load_ecg(place)
    found = load_ecg(place, on_error="skip")
    np.testing.assert_array_equal(found.data, x[[0, 2]])
    assert "1 of 3 recordings" in found.notices[0].text
    np.save(place / "b.npy", x[1].T)
    with pytest.raises(InputError, match="b has the shape"):
        load_ecg(place)


def test_one_kind_of_recordings_in_a_folder(tmp_path: Path) -> None:
    place = folder(tmp_path / "set", a=noise(2, 60), b=noise(2, 60))
    write(place / "c.csv", [["I", "II"], *noise(60, 2).tolist()])
    with pytest.raises(InputError, match=r"2 of arrays.*1 of text.*kind='arrays'"):
        load_ecg(place)
    assert len(load_ecg(place, kind="text")) == 1
    with pytest.raises(InputError, match="no recordings"):
        load_ecg(folder(tmp_path / "none"))
    (tmp_path / "outer").mkdir()
    place.rename(tmp_path / "outer" / "set")
    with pytest.raises(InputError, match="recursive=True"):
        load_ecg(tmp_path / "outer")
    assert list(load_ecg(tmp_path / "outer", recursive=True, kind="arrays").ids) == ["set/a", "set/b"]


def test_text_of_a_folder_with_leads_in_other_orders(tmp_path: Path) -> None:
    x = noise(60, 2)
    (tmp_path / "set").mkdir()
    write(tmp_path / "set" / "a.csv", [["I", "V1"], *x.tolist()])
    write(tmp_path / "set" / "b.csv", [["v1", "i"], *x[:, ::-1].tolist()])
    found = load_ecg(tmp_path / "set")
    np.testing.assert_array_equal(found.data, np.stack([x.T, x.T]))
    assert [notice.code for notice in found.notices] == ["leads_reordered"]
    write(tmp_path / "set" / "c.csv", [["I", "V2"], *x.tolist()])
    with pytest.raises(InputError, match=r"I V1 \(a, b\), I V2 \(c\)"):
        load_ecg(tmp_path / "set")
    assert load_ecg(tmp_path / "set", leads="I").values.shape == (3, 1, 60)


# Whatever is given


def test_recordings_take_the_facts_that_they_lack() -> None:
    x = Recordings.from_array(noise(3, 2, 60))
    assert as_recordings(x) is not None
    told = as_recordings(x, fs=100, units="uV", leads="II,V1", name="told", patients=[1, 1, 2], crop=0.3)
    assert (told.fs, told.units, told.leads, told.name, told.length) == (100.0, "mV", ("II", "V1"), "told", 30)
    np.testing.assert_allclose(told.data, x.data[..., :30] / 1000)
    assert as_recordings(told, leads="V1,II").leads == ("V1", "II")
    assert as_recordings(told, leads=["V1"]).values.shape == (3, 1, 30)
    for facts, both in [({"fs": 250}, "250.*100"), ({"units": "mV"}, "mV.*uV"), ({"leads": "I,V1"}, "I,V1.*II, V1")]:
        with pytest.raises(InputError, match=both):
            as_recordings(told, **facts)  # type: ignore[arg-type]


def test_facts_that_mean_nothing_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", [["I", "II"], *noise(60, 2).tolist()])
    with pytest.raises(InputError, match="kind='text' given"):
        load_ecg(tmp_path / "a.csv", kind="text")
    (tmp_path / "a.edf").write_bytes(b"0")
    with pytest.raises(InputError, match=r"suffix \.edf.*WFDB"):
        load_ecg(tmp_path / "a.edf")
    with pytest.raises(TypeError, match="colour"):
        load_ecg(tmp_path / "a.csv", colour=1)


def test_hostile_names_are_escaped() -> None:
    evil = "a\x1b[31m\u202e" + "x" * 10_000
    with pytest.raises(InputError) as told:
        Recordings.from_array(noise(5, 400, 12), name=evil, leads=None)
    assert "\x1b" not in str(told.value)
    assert "\u202e" not in str(told.value)
    assert len(str(told.value)) < 400
    with pytest.raises(InputError) as told:
        Recordings.from_array(noise(2, 2, 40), leads=[evil, evil])
    assert "\x1b" not in str(told.value)


@pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data")
def test_shared_arrays() -> None:
    real = load_ecg_npy(DATA / "ptbxl_real_22.npy", fs=100, units="mV")
    assert repr(real) == "Recordings('ptbxl_real_22', 22 x 12 x 1000, 100 Hz, mV)"
    counts = load_ecg(DATA / "cinc50_int16uV.npz", fs=500, units="uV")
    assert counts.missing.sum() == 6
    assert set(np.flatnonzero(counts.missing.any(0))) == {7, 9, 11}  # V2, V4, V6 of two records


def test_simulated_recordings_survive_a_file(tmp_path: Path) -> None:
    made = tg.samplers.simulate_ecg(3, fs=100, seconds=2, seed=1)
    np.savez(tmp_path / "made.npz", x=made.values, fs=100, units="mV", leads=made.leads, ids=made.ids)
    assert load_ecg(tmp_path / "made.npz").fingerprint == made.fingerprint


# --- tables without names, and times ------------------------------------------------------------------------


def test_rows_of_one_lead_are_recordings_where_that_is_said(tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(size=(24, 60))
    np.savetxt(tmp_path / "rows.csv", values, delimiter=",")
    with pytest.raises(InputError, match="--axes NT"):  # 24 are no usual number of leads
        load_ecg(tmp_path / "rows.csv")
    told = load_ecg(tmp_path / "rows.csv", axes="NT")
    assert told.values.shape == (24, 1, 60)
    assert np.allclose(told.data[:, 0], values)
    assert load_ecg(tmp_path / "rows.csv", axes="TL").values.shape == (1, 60, 24)
    with pytest.raises(InputError, match="NT, LT and TL"):
        load_ecg(tmp_path / "rows.csv", axes="NLT")
    names = ",".join(["record", *(f"s{at}" for at in range(60))])
    body = "\n".join(f"r{at}," + ",".join(f"{one:.6f}" for one in row) for at, row in enumerate(values))
    (tmp_path / "named.csv").write_text(f"{names}\n{body}\n", encoding="utf-8")
    named = load_ecg(tmp_path / "named.csv")
    assert named.values.shape == (24, 1, 60)
    assert named.ids is not None
    assert list(named.ids[:2]) == ["r0", "r1"]


@pytest.mark.parametrize(
    ("name", "step", "fs"), [("Time (s)", 0.01, 100.0), ("t_ms", 2.0, 500.0), ("time", 0.01, None)]
)
def test_times_with_a_unit_give_the_rate(tmp_path: Path, name: str, step: float, fs: float | None) -> None:
    rows = [f"{at * step:.2f},{at % 7},{at % 5}" for at in range(50)]
    (tmp_path / "a.csv").write_text("\n".join([f"{name},I,II", *rows]), encoding="utf-8")
    assert load_ecg(tmp_path / "a.csv").fs == fs
    if fs is not None:
        with pytest.raises(InputError, match="say otherwise"):
            load_ecg(tmp_path / "a.csv", fs=250)
    uneven = [*rows[:20], *rows[30:]]
    (tmp_path / "b.csv").write_text("\n".join([f"{name},I,II", *uneven]), encoding="utf-8")
    assert load_ecg(tmp_path / "b.csv").fs is None

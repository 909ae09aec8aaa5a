"""Statistics files: those of other tools are read, what is no mean and covariance is refused, grades are the same."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import truegrade as tg
from truegrade.errors import InputError
from truegrade.metrics import FrechetDistance
from truegrade.samples import Samples
from truegrade.space import Space
from truegrade.statistics import (
    Statistics,
    frechet_from_statistics,
    is_statistics_file,
    load_statistics,
    save_statistics,
)


def rows(seed, n=80, d=6):
    return np.random.default_rng(seed).normal(size=(n, d)) @ np.random.default_rng(99).normal(size=(d, d)) + seed


def as_other_tools_write(path, X):
    np.savez(path, mu=np.mean(X, axis=0), sigma=np.cov(X, rowvar=False))
    return path


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_file_of_another_tool(tmp_path, dtype):
    X = rows(0)
    path = tmp_path / "fid_stats.npz"
    np.savez(path, mu=X.mean(0).astype(dtype), sigma=np.cov(X, rowvar=False).astype(dtype))
    found = load_statistics(path)
    np.testing.assert_allclose(found.mean, X.mean(0), rtol=1e-6)
    np.testing.assert_allclose(found.covariance, np.cov(X, rowvar=False), rtol=1e-5, atol=1e-6)
    assert (found.name, found.source, found.n, found.d, found.space) == ("fid_stats", str(path), None, 6, None)
    assert is_statistics_file(path)
    assert is_statistics_file(str(path))


@pytest.mark.parametrize(("n", "d"), [(80, 6), (5, 9)])
def test_what_is_written_is_read_by_numpy_and_by_us(tmp_path, n, d):
    X = rows(1, n, d)
    samples = Samples.from_array(X, name="<script>'\"\u202e" + "x" * 3000)
    path = save_statistics(samples, tmp_path / "deep" / "a.npz")
    with np.load(path, allow_pickle=False) as file:
        np.testing.assert_allclose(file["mu"][:], X.mean(0), rtol=1e-12)
        np.testing.assert_allclose(file["sigma"][:], np.cov(X, rowvar=False), rtol=1e-9, atol=1e-12)
        assert int(file["n"]) == n
    found = load_statistics(path)
    assert (found.name, found.n, found.fingerprint) == (samples.name, n, Statistics.of(samples).fingerprint)
    again = load_statistics(save_statistics(found, tmp_path / "b.npz"))
    assert again.fingerprint == found.fingerprint
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_the_feature_space_is_kept_and_compared(tmp_path):
    ours, theirs = (Space(name, {"name": name, "size": 224}) for name in ("lite0", "other"))
    X = rows(2)
    known = Statistics(X.mean(0), np.cov(X, rowvar=False), "a", n=80, space=ours)
    found = load_statistics(save_statistics(known, tmp_path / "a.npz"))
    assert found.space == ours
    with pytest.raises(InputError, match="made from vectors of lite0"):
        frechet_from_statistics(found, Statistics(X.mean(0), np.cov(X, rowvar=False), "b", space=theirs))


@pytest.mark.parametrize(("n", "m", "d"), [(80, 60, 6), (80, 5, 9), (5, 80, 9), (7, 8, 20)])
def test_the_grade_is_that_of_the_samples(tmp_path, n, m, d):
    X, Y = rows(3, n, d), rows(4, m, d) * 1.1
    expected = tg.evaluate(X, Y, metrics=FrechetDistance(), intervals=False, floor=False, exhibits=False)
    real = load_statistics(as_other_tools_write(tmp_path / "real.npz", X))
    synthetic = load_statistics(as_other_tools_write(tmp_path / "synthetic.npz", Y))
    pairs = ((real, Samples.from_array(Y)), (Samples.from_array(X), synthetic), (real, synthetic))
    for one, other in pairs:
        score = frechet_from_statistics(one, other)["frechet_distance"]
        assert score.value == pytest.approx(expected["frechet_distance"].value, rel=1e-9)
        assert score.interval is None
        assert score.floor is None
        assert "only a mean and a covariance" in score.missing["interval"]
        assert "only a mean and a covariance" in score.missing["floor"]
        assert score.details["mean_part"] == pytest.approx(expected["frechet_distance"].details["mean_part"])
        known = [size for size, given in ((n, one), (m, other)) if isinstance(given, Samples)]
        assert len(score.warnings) == len([size for size in known if size <= d])
    equal = frechet_from_statistics(real, Samples.from_array(X))["frechet_distance"]
    assert equal.value <= 1e-9 * np.trace(real.covariance)


def test_other_scores_are_undefined_and_say_why():
    X, Y = rows(5), rows(6)
    known = Statistics.of(Samples.from_array(X, name="known"))
    found = frechet_from_statistics(known, Samples.from_array(Y), metrics=["precision", "frechet_distance"])
    assert found["precision"].status == "undefined"
    assert found["precision"].reason == "the real side is only a mean and a covariance"
    assert found["frechet_distance"].status == "ok"
    assert {n.code for n in found.notices} == {"statistics_only", "few_samples"}
    assert "synthetic side" in frechet_from_statistics(Samples.from_array(Y), known, metrics="recall")["recall"].reason
    assert "both sides" in frechet_from_statistics(known, known, metrics="recall")["recall"].reason
    with pytest.raises(InputError, match="no metric called"):
        frechet_from_statistics(known, known, metrics="fidd")


def test_ddof_0_needs_the_sizes():
    X, Y = rows(7), rows(8, 50)
    real, samples = Statistics.of(Samples.from_array(X)), Samples.from_array(Y)
    found = frechet_from_statistics(real, samples, metrics=FrechetDistance(ddof=0))["frechet_distance"]
    expected = tg.evaluate(X, Y, metrics=FrechetDistance(ddof=0), intervals=False, floor=False, exhibits=False)
    assert found.value == pytest.approx(expected["frechet_distance"].value, rel=1e-9)
    unknown = Statistics(real.mean, real.covariance)
    found = frechet_from_statistics(unknown, samples, metrics=FrechetDistance(ddof=0))["frechet_distance"]
    assert found.status == "undefined"
    assert "number of samples" in found.reason


def test_the_result_is_kept_and_drawn(tmp_path):
    X, Y = rows(9), rows(10)
    path = as_other_tools_write(tmp_path / "known.npz", X)
    found = frechet_from_statistics(load_statistics(path), Samples.from_array(Y, name="model"))
    assert (found.real.n, found.synthetic.n) == (0, 80)
    assert tg.Evaluation.from_json(found.to_json(tmp_path / "a.json")) == found
    assert "known (size unknown)" in " ".join(str(found).split())
    page = found.to_markdown(tmp_path / "a.md").read_text(encoding="utf-8")
    assert "An unknown number of real samples, 80 synthetic" in page
    html = found.to_html(tmp_path / "a.html").read_text(encoding="utf-8")
    assert "An unknown number of real samples" in html


def test_pairs_that_cannot_be_graded():
    X = rows(11)
    known = Statistics.of(Samples.from_array(X))
    with pytest.raises(InputError, match="Both sides are samples"):
        frechet_from_statistics(Samples.from_array(X), Samples.from_array(X))
    with pytest.raises(InputError, match=r"has 6 features, .* has 5"):
        frechet_from_statistics(known, Samples.from_array(X[:, :5]))
    with pytest.raises(InputError, match="at least 2"):
        frechet_from_statistics(known, Samples.from_array(X[:1]))


GOOD = np.diag([1.0, 2.0, 0.5])


@pytest.mark.parametrize(
    ("mean", "covariance", "match"),
    [
        (np.zeros((3, 1)), GOOD, r"mean of shape \(3, 1\)"),
        (np.zeros(2), GOOD, r"\(d,\) and \(d, d\)"),
        (np.zeros(0), np.zeros((0, 0)), r"\(d,\) and \(d, d\)"),
        (np.array([0, np.nan, 1]), GOOD, "mean of .* 1 entries that are not finite"),
        (np.zeros(3), np.where(GOOD == 2, np.inf, GOOD), "covariance of .* 1 entries that are not finite"),
        (np.zeros(3), GOOD + np.eye(3, k=1), "not symmetric"),
        (np.zeros(3), np.diag([1.0, -0.1, 1.0]), "negative variance"),
        (np.zeros(3), np.ones((3, 3)) - 2 * np.eye(3), "negative variance"),
        (np.zeros(3, dtype=complex), GOOD, "real numbers"),
        (np.array(["a", "b", "c"]), GOOD, "real numbers"),
    ],
)
def test_what_is_no_mean_and_covariance_is_refused(tmp_path, mean, covariance, match):
    np.savez(tmp_path / "a.npz", mu=mean, sigma=covariance)
    with pytest.raises(InputError, match=match):
        load_statistics(tmp_path / "a.npz")


def test_rounding_is_no_reason_to_refuse(tmp_path):
    rng = np.random.default_rng(12)
    X = rng.normal(size=(4, 30)).astype(np.float32)
    covariance = np.cov(X, rowvar=False).astype(np.float32)  # rank 3 of 30
    np.savez(tmp_path / "a.npz", mu=X.mean(0), sigma=covariance)
    assert load_statistics(tmp_path / "a.npz").d == 30
    zero = Statistics(np.zeros(3), np.zeros((3, 3)))
    assert frechet_from_statistics(zero, Statistics(np.ones(3), GOOD))["frechet_distance"].value == pytest.approx(6.5)


def test_files_that_hold_something_else(tmp_path):
    np.savez(tmp_path / "features.npz", feats=np.ones((3, 2)))
    np.savez(tmp_path / "both.npz", arr_0=np.ones((3, 2)), mu=np.zeros(3), sigma=GOOD)
    np.save(tmp_path / "a.npy", GOOD)
    (tmp_path / "cut.npz").write_bytes((tmp_path / "both.npz").read_bytes()[:200])
    for name in ("features.npz", "both.npz", "a.npy", "cut.npz", "absent.npz"):
        assert not is_statistics_file(tmp_path / name)
    assert not is_statistics_file(GOOD)
    with pytest.raises(InputError, match=r"'mu' and 'sigma' are needed, and it has 'feats'"):
        load_statistics(tmp_path / "features.npz")
    for name in ("a.npy", "cut.npz"):
        with pytest.raises(InputError, match=r"not a \.npz archive"):
            load_statistics(tmp_path / name)
    for name in ("absent.npz", "."):
        with pytest.raises(InputError, match="cannot be read"):
            load_statistics(tmp_path / name)
    assert load_statistics(tmp_path / "both.npz").d == 3


class Evil:
    def __reduce__(self):
        return (print, ("unpickled",))


def test_nothing_is_unpickled(tmp_path, capsys):
    np.savez(tmp_path / "a.npz", mu=np.array([Evil()], dtype=object), sigma=np.eye(1), allow_pickle=True)
    (tmp_path / "b.npz").write_bytes(pickle.dumps({"mu": 1}))
    for name in ("a.npz", "b.npz"):
        with pytest.raises(InputError, match=r"pickled|not a"):
            load_statistics(tmp_path / name)
    assert "unpickled" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("n", "match"), [(np.array(1), "at least 2"), (np.array(2.5), "one whole number"), ([1, 2], "n of")]
)
def test_an_impossible_number_of_samples(tmp_path, n, match):
    np.savez(tmp_path / "a.npz", mu=np.zeros(3), sigma=GOOD, n=n)
    with pytest.raises(InputError, match=match):
        load_statistics(tmp_path / "a.npz")


def test_provenance_of_others_is_left_and_a_changed_file_is_refused(tmp_path):
    np.savez(tmp_path / "a.npz", mu=np.zeros(3), sigma=GOOD, provenance=np.array("made by me"))
    assert load_statistics(tmp_path / "a.npz").name == "a"
    with np.load(save_statistics(Statistics(np.zeros(3), GOOD), tmp_path / "b.npz")) as file:
        arrays = dict(file)
    np.savez(tmp_path / "b.npz", **{**arrays, "mu": np.ones(3)})
    with pytest.raises(InputError, match="was changed after it was written"):
        load_statistics(tmp_path / "b.npz")


def test_where_it_cannot_be_written(tmp_path):
    known = Statistics(np.zeros(3), GOOD)
    with pytest.raises(InputError, match=r"ends in \.npz"):
        save_statistics(known, tmp_path / "a.npy")
    (tmp_path / "folder.npz").mkdir()
    with pytest.raises(InputError, match="is a folder"):
        save_statistics(known, tmp_path / "folder.npz")

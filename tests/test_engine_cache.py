"""The cache: what is stored comes back unchanged, what is damaged is absent, and keys tell contents apart."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import safetensors.numpy
from safetensors import SafetensorError

from engine_cases import SINGLE, arrays, ask, assert_identical, force_products, gaussian, samples
from truegrade.engine import precision, run
from truegrade.engine.cache import AnswerCache
from truegrade.engine.needs import (
    BallCounts,
    Cubic,
    CubicSums,
    DistanceSum,
    Gaussian,
    KernelSum,
    Knn,
    Nearest,
    Neighbours,
    OwnBallCounts,
    PairSums,
)
from truegrade.engine.sweep import SweepRun

NEEDS = [
    Knn("real", 5),
    OwnBallCounts("real", 3),
    BallCounts("real", "synthetic", 5),
    KernelSum("real", "real", Gaussian("median-real", (0.5, 1.0))),
    KernelSum("real", "real", Cubic()),
    DistanceSum("real", "real"),
]
NUMBERS = np.arange(6.0).reshape(3, 2)
ANSWERS = [
    Neighbours(NUMBERS, np.array([[1, 2], [0, 2], [1, 0]]), np.array([0, 3, 0])),
    PairSums(NUMBERS[0], NUMBERS[1]),
    CubicSums(NUMBERS, NUMBERS + 1, 1 / 3),
]


@pytest.fixture
def swept(monkeypatch):
    """The pairs of sides that were swept, as they are swept."""
    pairs = []

    class Recorded(SweepRun):
        def __init__(self, sweep, *rest):
            pairs.append((sweep.a, sweep.b))
            super().__init__(sweep, *rest)

    monkeypatch.setattr(run, "SweepRun", Recorded)
    return pairs


def files(folder):
    return sorted(p.name for p in folder.iterdir())


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda a: type(a).__name__)
def test_round_trip_through_a_file(answer, tmp_path):
    AnswerCache(tmp_path / "new" / "folder").put("key", answer)
    back = AnswerCache(tmp_path / "new" / "folder").get("key")
    assert type(back) is type(answer)
    for name, values in arrays(answer).items():
        assert arrays(back)[name].dtype == values.dtype
        np.testing.assert_array_equal(arrays(back)[name], values)
    if isinstance(answer, CubicSums):
        assert type(back.offset) is float
    assert AnswerCache(tmp_path / "new" / "folder").get("other") is None
    assert [name.endswith(".safetensors") for name in files(tmp_path / "new" / "folder")] == [True]


def test_in_memory_only():
    cache = AnswerCache()
    cache.put("key", ANSWERS[0])
    assert cache.get("key") is ANSWERS[0]
    assert AnswerCache().get("key") is None


def truncated(path):
    path.write_bytes(path.read_bytes()[:-5])


def emptied(path):
    path.write_bytes(b"")


def garbled(path):
    path.write_bytes(b"\xff" * 200)


def pickled(path):
    path.write_bytes(pickle.dumps(ANSWERS[0]))


def of_another_kind(path):
    safetensors.numpy.save_file({"rows": NUMBERS}, path, metadata={"kind": "Answers"})


def without_kind(path):
    safetensors.numpy.save_file({"rows": NUMBERS}, path)


def with_other_arrays(path):
    safetensors.numpy.save_file({"rows": NUMBERS, "more": NUMBERS}, path, metadata={"kind": "PairSums"})


def with_an_array_too_few(path):
    safetensors.numpy.save_file({"rows": NUMBERS}, path, metadata={"kind": "PairSums"})


def with_an_empty_offset(path):
    content = {"rows": NUMBERS, "columns": NUMBERS, "offset": np.zeros(0)}
    safetensors.numpy.save_file(content, path, metadata={"kind": "CubicSums"})


def replaced_by_a_folder(path):
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    "damage",
    [
        truncated,
        emptied,
        garbled,
        pickled,
        of_another_kind,
        without_kind,
        with_other_arrays,
        with_an_array_too_few,
        with_an_empty_offset,
        replaced_by_a_folder,
    ],
)
def test_a_damaged_file_counts_as_absent(damage, tmp_path, swept):
    real, synthetic = gaussian(3)
    before = ask(NEEDS, real, synthetic, cache=AnswerCache(tmp_path))
    for path in tmp_path.iterdir():
        damage(path)
    swept.clear()
    after = ask(NEEDS, real, synthetic, cache=AnswerCache(tmp_path))
    assert ("real", "real") in swept
    assert_identical(after, before)


def test_nothing_is_unpickled(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("unpickled")

    monkeypatch.setattr(pickle, "load", refuse)
    monkeypatch.setattr(pickle, "loads", refuse)
    AnswerCache(tmp_path).put("key", ANSWERS[0])
    assert AnswerCache(tmp_path).get("key") is not None


@pytest.mark.parametrize("error", [SafetensorError("No space left"), OSError("No space left")], ids=repr)
def test_a_file_that_cannot_be_written_is_no_error_and_leaves_nothing(error, tmp_path, monkeypatch):
    def full(*_, **__):
        raise error

    monkeypatch.setattr(safetensors.numpy, "save_file", full)
    cache = AnswerCache(tmp_path)
    cache.put("key", ANSWERS[0])
    assert cache.get("key") is ANSWERS[0]
    assert files(tmp_path) == []


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path):
    (tmp_path / "file").write_text("no folder")
    real, synthetic = gaussian(3)
    cache = AnswerCache(tmp_path / "file" / "folder")
    assert_identical(ask(NEEDS, real, synthetic, cache=cache), ask(NEEDS, real, synthetic))


@pytest.mark.parametrize("where", ["memory", "disk"])
def test_the_real_side_is_swept_once(where, tmp_path, swept):
    real, synthetic = gaussian(5)
    folder = tmp_path if where == "disk" else None
    first = AnswerCache(folder)
    plain = ask(NEEDS, real, synthetic)
    assert_identical(ask(NEEDS, real, synthetic, cache=first), plain)
    second = AnswerCache(folder) if folder else first
    swept.clear()
    assert_identical(ask(NEEDS, real, synthetic, cache=second), plain)
    assert swept == [("real", "synthetic")]
    swept.clear()
    assert_identical(ask(NEEDS, real, synthetic * 2, cache=second), ask(NEEDS, real, synthetic * 2))
    assert swept == [("real", "synthetic"), ("real", "real"), ("real", "synthetic")]


def swept_again(swept, cache, needs, real, synthetic):
    """Whether the real side had to be swept, and the answers are those without a cache."""
    swept.clear()
    got = ask(needs, real, synthetic, cache=cache)
    again = ("real", "real") in swept
    assert_identical(got, ask(needs, real, synthetic))
    return again


def test_lists_serve_any_smaller_k_and_grow_for_a_larger(swept):
    real, synthetic = gaussian(4)
    real = np.round(real)
    cache = AnswerCache()
    for k, fresh in ((5, True), (3, False), (1, False), (9, True), (6, False), (5, False)):
        needs = [Knn("real", k), BallCounts("real", "synthetic", k), OwnBallCounts("real", k)]
        assert swept_again(swept, cache, needs, real, synthetic) is fresh, k


def test_other_contents_have_other_keys(swept):
    real, synthetic = gaussian(4, dtype=np.float32)
    cache = AnswerCache()
    changed = real.copy()
    changed[7, 2] = np.nextafter(changed[7, 2], np.float32(9))
    for content in (real, changed, real[::-1], real[:-1], real.astype(np.float64)):
        assert swept_again(swept, cache, NEEDS, content, synthetic) is True
    for content in (real, changed, real.copy()):
        assert swept_again(swept, cache, NEEDS, content, synthetic) is False


def test_other_kernels_have_other_keys(swept):
    real, synthetic = gaussian(4)
    cache = AnswerCache()
    kernels = [Gaussian(1.0), Gaussian(np.nextafter(1.0, 2)), Gaussian(1.0, (1.0, 2.0)), Gaussian(2.0), Cubic()]
    for again in (True, False):
        for kernel in kernels:
            assert swept_again(swept, cache, [KernelSum("real", "real", kernel)], real, synthetic) is again
    moving = [KernelSum("real", "real", Gaussian("median"))]
    for content in (synthetic, synthetic * 3):
        assert swept_again(swept, cache, moving, real, content) is True
    assert swept_again(swept, cache, moving, real, synthetic) is False


def test_only_what_concerns_the_real_side_alone_is_kept(tmp_path):
    real, synthetic = gaussian(4)
    needs = [Nearest("real", "synthetic"), Knn("synthetic", 2), DistanceSum("synthetic", "synthetic")]
    ask([*needs, KernelSum("real", "synthetic", Cubic())], real, synthetic, cache=AnswerCache(tmp_path))
    assert files(tmp_path) == []
    ask(NEEDS, real, synthetic, cache=AnswerCache(tmp_path))
    assert len(files(tmp_path)) == 4


def test_the_order_in_which_needs_are_asked_does_not_show(monkeypatch):
    """A narrow kernel turns its sweep to float64; distances kept from that sweep must not serve one in float32."""
    monkeypatch.setattr(precision, "_ALWAYS_DOUBLE", 0)
    real, synthetic = gaussian(16, n=400, m=50)
    both = [DistanceSum("real", "real"), KernelSum("real", "real", Gaussian(1e-2))]
    cache = AnswerCache()
    for needs in (both, both[:1], both[1:], both):
        assert_identical(ask(needs, real, synthetic, cache=cache), ask(needs, real, synthetic))


def test_answers_of_the_other_precision_are_not_mixed_up(swept, monkeypatch):
    real, synthetic = gaussian(8)
    cache = AnswerCache()
    needs = [DistanceSum("real", "real")]
    assert swept_again(swept, cache, needs, real, synthetic)
    force_products(monkeypatch, SINGLE)
    assert swept_again(swept, cache, needs, real, synthetic)


def test_the_same_contents_from_elsewhere_are_recognised(tmp_path, swept):
    """A file, an array, another name: what counts is the content."""
    from truegrade import load

    real, synthetic = gaussian(4, dtype=np.float32)
    np.save(tmp_path / "features.npy", real)
    cache = AnswerCache()
    ask(NEEDS, real, synthetic, cache=cache)
    swept.clear()
    sides = {"real": load(tmp_path / "features.npy"), **samples(synthetic=synthetic)}
    run.answer(NEEDS, sides, cache=cache)
    assert swept == [("real", "synthetic")]

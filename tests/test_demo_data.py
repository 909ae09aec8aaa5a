"""The demo data: are the arrays what the script makes, and does each set have the fault it stands for?"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.datasets import load_digits

from truegrade.demo import load_demo

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = ROOT / "scripts" / "train_demo_generators.py"
SHIPPED = ROOT / "src" / "truegrade" / "demo" / "digits.npz"
IMAGES = ("train", "holdout", "good", "mode_dropping", "copying")
MISSED = [2, 4, 6, 8]

Demo = Mapping[str, NDArray[np.float32]]


@pytest.fixture(scope="module")
def demo() -> Demo:
    return load_demo()


def squared_distances(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.int64]:
    """Exact: pixels are whole numbers."""
    a, b = a.astype(np.float64), b.astype(np.float64)
    d2 = (a**2).sum(1)[:, None] + (b**2).sum(1) - 2 * a @ b.T
    return np.asarray(np.rint(d2), dtype=np.int64)


def to_others(a: NDArray[np.float32]) -> NDArray[np.int64]:
    """Squared distance of each row to its nearest other row."""
    d2 = squared_distances(a, a)
    np.fill_diagonal(d2, d2.max() + 1)
    nearest: NDArray[np.int64] = d2.min(1)
    return nearest


def authenticity(train: NDArray[np.float32], rows: NDArray[np.float32]) -> float:
    """Share of rows farther from their nearest training row than that one is from the others."""
    d2 = squared_distances(rows, train)
    return float((d2.min(1) > to_others(train)[d2.argmin(1)]).mean())


def test_arrays_have_the_promised_form(demo: Demo) -> None:
    shapes = {name: demo[name].shape for name in IMAGES}
    assert shapes == {name: (897 if name == "holdout" else 900, 64) for name in IMAGES}
    assert {array.dtype for array in demo.values()} == {np.dtype(np.float32)}
    assert demo["train_labels"].shape == (900,)
    assert demo["holdout_labels"].shape == (897,)


@pytest.mark.parametrize("name", IMAGES)
def test_pixels_are_whole_numbers_in_the_range_of_real_digits(demo: Demo, name: str) -> None:
    np.testing.assert_array_equal(np.unique(demo[name]), np.arange(17))


def test_train_and_holdout_are_the_real_digits_each_once(demo: Demo) -> None:
    real, labels = load_digits(return_X_y=True)
    expected = np.column_stack([real, labels])
    parts = [np.column_stack([demo[name], demo[f"{name}_labels"]]) for name in ("train", "holdout")]
    shipped = np.concatenate(parts)
    np.testing.assert_array_equal(shipped[np.lexsort(shipped.T)], expected[np.lexsort(expected.T)])


def test_the_shipped_file_is_small_and_holds_bytes_only() -> None:
    assert SHIPPED.stat().st_size < 500_000
    with np.load(SHIPPED, allow_pickle=False) as stored:
        assert {stored[name].dtype for name in stored.files} == {np.dtype(np.uint8)}


def test_the_script_makes_the_shipped_arrays(tmp_path: Path) -> None:
    out = tmp_path / "digits.npz"
    subprocess.run([sys.executable, str(SCRIPT), "--out", str(out)], check=True, capture_output=True)
    with np.load(out) as made, np.load(SHIPPED) as shipped:
        assert made.files == shipped.files
        for name in shipped.files:
            np.testing.assert_array_equal(made[name], shipped[name], err_msg=name)


def test_local_gaussians_have_the_mean_and_covariance_they_should() -> None:
    spec = importlib.util.spec_from_file_location("train_demo_generators", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = script
    spec.loader.exec_module(script)
    rng = np.random.default_rng(1)
    near = 8 + 1.2 * rng.standard_normal((40, 3)) @ np.array([[1, 0.5, 0], [0, 1, 0.3], [0, 0, 1]])
    model = script.LocalGaussians(near, np.zeros(40, dtype=np.int64), neighbours=40, lean=0.5, stretch=1.5)
    drawn = model.sample(20_000, (0,), rng).astype(float)
    scatter = np.cov(near.T)  # the one neighbourhood is all images, so the centres scatter too
    expected = (1.5**2 + 0.5**2 * 39 / 40) * scatter + np.eye(3) / 12  # and rounding adds 1/12
    np.testing.assert_allclose(drawn.mean(0), near.mean(0), atol=0.06)
    np.testing.assert_allclose(np.cov(drawn.T), expected, atol=0.12)


def test_the_good_set_is_hard_to_tell_from_real_digits_and_copies_nothing(demo: Demo) -> None:
    train, good = demo["train"], demo["good"]
    between = squared_distances(train, good)
    real_says_real = (to_others(train) < between.min(1)).mean()
    good_says_good = (to_others(good) < between.min(0)).mean()
    assert abs(real_says_real - 0.5) < 0.1
    assert abs(good_says_good - 0.5) < 0.1
    assert between.min() > 0
    assert abs(authenticity(train, good) - authenticity(train, demo["holdout"])) < 0.05


def test_the_mode_dropping_set_has_no_2_4_6_or_8(demo: Demo) -> None:
    labels = demo["train_labels"]
    counts = {}
    for name in ("good", "mode_dropping"):
        nearest = squared_distances(demo[name], demo["train"]).argmin(1)
        counts[name] = np.bincount(labels[nearest].astype(int), minlength=10)
    assert counts["mode_dropping"][MISSED].sum() <= 5
    assert np.delete(counts["mode_dropping"], MISSED).min() > 100
    assert counts["good"].min() > 60


def test_the_copying_set_holds_exact_and_near_copies_only(demo: Demo) -> None:
    nearest = squared_distances(demo["copying"], demo["train"]).min(1)
    exact = (nearest == 0).mean()
    assert 0.4 < exact < 0.7
    assert nearest.max() <= 6
    assert authenticity(demo["train"], demo["copying"]) < 0.01
    assert squared_distances(demo["holdout"], demo["train"]).min() > 0

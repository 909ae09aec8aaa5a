"""Monitoring images: every way to give them is the same, and the same as evaluating all at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import truegrade as tg
from truegrade.errors import InputError
from truegrade.images import load_images

Image = pytest.importorskip("PIL.Image")
EMBED = "pixels:size=6"
FAST: dict[str, Any] = {"metrics": ["frechet_distance", "precision"], "floor": False}


def pictures(seed: int, n: int) -> NDArray[np.uint8]:
    return np.random.default_rng(seed).integers(0, 256, (n, 10, 12, 3)).astype(np.uint8)


def as_tensors(images: NDArray[Any]) -> Any:
    return pytest.importorskip("torch").from_numpy(images).permute(0, 3, 1, 2)


WAYS = {
    "arrays": lambda images: images,
    "channels first": lambda images: images.transpose(0, 3, 1, 2),
    "tensors": as_tensors,
    "pictures": lambda images: [Image.fromarray(one) for one in images],
    "list of arrays": list,
    "images": load_images,
}


@pytest.mark.parametrize("way", WAYS)
def test_batches_of_images_are_embedded_as_the_real_ones(way: str) -> None:
    real, synthetic = pictures(0, 40), pictures(1, 30)
    monitor = tg.monitor(real, embed=EMBED, **FAST)
    for start in (0, 7, 14, 21, 28):
        monitor.update(WAYS[way](synthetic[start : start + 7]))
    found, whole = monitor.compute(), tg.evaluate(real, synthetic, embed=EMBED, intervals=False, **FAST)
    assert found["frechet_distance"].title == "Fréchet distance (pixels)"
    assert {k: s.value for k, s in found.scores.items()} == {k: s.value for k, s in whole.scores.items()}
    assert found.synthetic.space.embedder == found.real.space.embedder
    assert found.synthetic.space.images == {"used": 30}


def test_folders_too_and_without_saying_so(tmp_path: Any) -> None:
    for side, seed in (("real", 0), ("batch", 1)):
        (tmp_path / side).mkdir()
        for i, image in enumerate(pictures(seed, 12)):
            Image.fromarray(image).save(tmp_path / side / f"{i}.png")
    monitor = tg.monitor(tmp_path / "real", embed=EMBED, **FAST).update(tmp_path / "batch")
    whole = tg.evaluate(tmp_path / "real", tmp_path / "batch", embed=EMBED, intervals=False, **FAST)
    assert monitor.compute()["precision"].value == whole["precision"].value
    assert monitor.reset().update(pictures(1, 12)).compute()["precision"].value == whole["precision"].value


@pytest.mark.parametrize("value_range", [None, (-1.0, 1.0)])
def test_floats_of_one_range_are_read_alike_in_every_batch(value_range: tuple[float, float] | None) -> None:
    real, synthetic = pictures(0, 40), pictures(1, 30)
    floats = synthetic.astype(np.float64) / 127.5 - 1
    floats[10:20] = np.abs(floats[10:20])  # alone, this batch would be taken for values from 0 to 1
    monitor = tg.monitor(real, embed=EMBED, value_range=value_range, **FAST)
    for start in (0, 10, 20):
        monitor.update(floats[start : start + 10])
    whole = tg.evaluate(real, load_images(floats, value_range=(-1, 1)), embed=EMBED, intervals=False, **FAST)
    assert monitor.compute()["frechet_distance"].value == pytest.approx(whole["frechet_distance"].value, rel=1e-9)


def test_values_beyond_the_range_are_refused() -> None:
    monitor = tg.monitor(pictures(0, 20), embed=EMBED, **FAST).update(pictures(1, 5) / 255)
    with pytest.raises(InputError, match=r"Batch 2 .*range 0 to 1"):
        monitor.update(pictures(2, 5) / 127.5 - 1)
    assert monitor.seen == 5


def test_real_images_of_floats_take_the_range_too() -> None:
    real = pictures(0, 20)
    whole = tg.monitor(real, embed=EMBED, **FAST).update(pictures(1, 10)).compute()
    dim = tg.monitor(real / 2550, embed=EMBED, value_range=(0, 0.1), validation=real[:10] / 2600, **FAST)
    found = dim.update(pictures(1, 10)).compute()
    assert found["frechet_distance"].value == pytest.approx(whole["frechet_distance"].value, rel=1e-5)


@pytest.mark.parametrize(
    ("batch", "words"),
    [
        (np.zeros((4, 108)), "holds vectors of 108 features, not images"),
        (np.full((2, 10, 12, 3), np.nan), "Batch 2"),
        (np.zeros((2, 10, 12, 7), np.uint8), "Batch 2"),
        (["a.png"], "Batch 2"),
    ],
)
def test_batches_that_are_no_images_are_refused(batch: Any, words: str) -> None:
    monitor = tg.monitor(pictures(0, 20), embed=EMBED, **FAST).update(pictures(1, 5))
    with pytest.raises(InputError, match=words):
        monitor.update(batch)
    assert (monitor.seen, len(monitor.state()["rows"])) == (5, 5)


def test_class_probabilities_are_kept_with_their_rows() -> None:
    def network(images: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        rows = images.reshape(len(images), -1).mean(1, keepdims=True) / 255
        return np.hstack([rows, rows**2]), np.hstack([rows, 1 - rows])

    from truegrade.embedders import FunctionEmbedder

    embedder = FunctionEmbedder("mean", "1", network, 4)
    real, synthetic = pictures(0, 30), pictures(1, 50)
    options = {"embed": embedder, "metrics": ["inception_score", "precision"], "floor": False}
    monitor = tg.monitor(real, keep=20, **options)
    for start in range(0, 50, 6):
        monitor.update(synthetic[start : start + 6])
    state = monitor.state()
    assert state["probabilities"].shape == (20, 2)
    np.testing.assert_array_equal(state["probabilities"][:, 0].astype(np.float32), state["rows"][:, 0])
    again = tg.monitor(real, keep=20, **options).load_state(state)
    assert again.compute()["inception_score"].value == monitor.compute()["inception_score"].value is not None

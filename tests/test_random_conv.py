"""random-conv: an untrained network that is the same everywhere."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from oracles import random_conv as oracle
from photographs import decoded, photograph
from truegrade.embedders.lite0 import RandomConv
from truegrade.embedders.lite0.graph import random_weights
from truegrade.errors import InputError

# sha256 of the weights of seed 0, float32, little-endian: another value means another network
FINGERPRINT = "sha256:6e55dad8cf239ef4931b289c60962371df4a090607a33c9765b0d8870df8a3dd"


def embedded(embedder: RandomConv, *images: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return embedder.run(np.stack([embedder.prepare(decoded(image)) for image in images])).features


@pytest.mark.parametrize(("seed", "size"), [(0, 16), (3, 45), (0, 64)])
def test_features_equal_those_of_the_network_written_out(seed: int, size: int) -> None:
    embedder = RandomConv(seed=seed, size=size)
    image = photograph("chelsea.png")
    ours, prepared = embedded(embedder, image)[0], embedder.prepare(decoded(image)).astype(np.float64)
    expected = oracle.features(prepared, oracle.weights(seed))
    assert ours.shape == (512,)
    assert np.linalg.norm(ours - expected) < 1e-5 * np.linalg.norm(expected)


def test_weights_are_uniform_of_variance_two_over_fan_in_and_the_same_on_every_machine() -> None:
    for weight in random_weights(0):
        fan_in = weight[0].size
        assert abs(weight).max() <= np.sqrt(6 / fan_in)
        assert weight.std() == pytest.approx(np.sqrt(2 / fan_in), rel=5 / np.sqrt(weight.size))
        assert abs(weight.mean()) < 5 * weight.std() / np.sqrt(weight.size)
    assert RandomConv().describe()["fingerprint"] == FINGERPRINT
    assert RandomConv(seed=1).describe()["fingerprint"] != FINGERPRINT


def test_digits_are_enlarged_to_a_stated_size_and_get_features_of_their_own() -> None:
    rng = np.random.default_rng(0)
    digits = [np.repeat(rng.integers(0, 256, (28, 28, 1), dtype=np.uint8), 3, axis=2) for _ in range(3)]
    embedder = RandomConv()
    assert embedder.prepare(decoded(digits[0])).shape == (3, 64, 64)
    assert embedder.describe()["preprocessing"]["size"] == [64, 64]
    features = embedded(embedder, *digits)
    assert features.shape == (3, 512)
    assert np.linalg.matrix_rank(features) == 3


def test_a_row_depends_on_nothing_but_its_image() -> None:
    images = [photograph(name) for name in ("coffee.png", "grass.png", "brick.png")] * 7  # more than are run at once
    together = embedded(RandomConv(threads=2), *images)
    alone = np.concatenate([embedded(RandomConv(threads=1), image) for image in images[:3]])
    np.testing.assert_array_equal(together, np.tile(alone, (7, 1)))


def test_it_has_no_classes_and_says_everything_that_makes_the_vectors() -> None:
    embedder = RandomConv()
    assert embedder.run(np.zeros((1, 3, 64, 64), np.float32)).probabilities is None
    record = embedder.describe()
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert (record["name"], record["dimension"], record["seed"]) == ("random-conv", 512, 0)
    assert record["preprocessing"]["normalisation"] == "(x - 127.5) / 127.5"
    different = [RandomConv(seed=1), RandomConv(size=32), RandomConv(fit_to="stretch")]
    assert all(other.describe() != record for other in different)
    assert RandomConv(threads=1).describe() == record


@pytest.mark.parametrize(
    "options", [{"seed": -1}, {"seed": 0.5}, {"size": 15}, {"size": "64"}, {"size": None}], ids=str
)
def test_options_that_are_not_accepted_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=f"{next(iter(options))} of the embedder random-conv is .* accepted"):
        RandomConv(**options)

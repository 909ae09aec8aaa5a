"""pixels: values as they are, resized by the one resize, principal components against a plain eigendecomposition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.decomposition import PCA

from embed_cases import COLOURS, GREYS, decoded, pictured
from truegrade.embedders import embed, fit, get_embedder
from truegrade.embedders.pixels import Pixels
from truegrade.errors import InputError
from truegrade.images.resize import resize
from truegrade.samples import check_pair

MANY = np.random.default_rng(2).integers(0, 256, (600, 5, 4), dtype=np.uint8)  # more than two blocks of the covariance


def naive_components(rows: NDArray[np.float64], count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean, and eigenvectors of the covariance as its definition has them, largest first, largest entry positive."""
    mean = rows.mean(0)
    covariance = sum(np.outer(row - mean, row - mean) for row in rows) / (len(rows) - 1)
    lengths, vectors = np.linalg.eigh(covariance)
    chosen = vectors[:, np.argsort(lengths)[::-1][:count]].T
    return mean, np.array([row if row[np.abs(row).argmax()] > 0 else -row for row in chosen])


def test_grey_and_colour_pixels_are_the_values_over_255() -> None:
    grey = embed(pictured(GREYS), "pixels")
    assert np.array_equal(grey.array(), GREYS.reshape(40, -1) / np.float32(255))
    assert grey.pixels == (8, 6)
    colour = embed(pictured(COLOURS), "pixels")
    assert np.array_equal(colour.array(), COLOURS.reshape(40, -1) / np.float32(255))
    assert colour.pixels == (8, 6, 3)
    assert colour.probabilities is None
    assert colour.space is not None
    assert colour.space.embedder["dimension"] == 144
    assert colour.space.official == {}


def test_colour_files_of_grey_pictures_are_grey() -> None:
    stored = np.repeat(GREYS[..., None], 3, axis=3)
    assert np.array_equal(embed(pictured(stored), "pixels").array(), embed(pictured(GREYS), "pixels").array())
    stored[7, 0, 0, 2] ^= 1  # one value of one image
    assert embed(pictured(stored), "pixels").d == 144


def test_real_in_grey_refuses_colour_and_says_what_to_do() -> None:
    fitted = fit("pixels", pictured(GREYS))
    mixed = [*(np.repeat(GREYS[:3, ..., None], 3, axis=3)), COLOURS[3]]
    with pytest.raises(InputError, match=r"'3\.png' of faces: it is in colour.*channels=3.*channels=1") as refused:
        embed(pictured(mixed), fitted)
    assert "Traceback" not in str(refused.value)
    both = fit("pixels:channels=3", pictured(GREYS))
    assert np.array_equal(
        embed(pictured(GREYS), both).array(), np.repeat(GREYS[..., None], 3, axis=3).reshape(40, -1) / np.float32(255)
    )
    assert embed(pictured(mixed), both).d == 144


def test_one_channel_of_colours_is_their_luma() -> None:
    made = embed(pictured(COLOURS), "pixels:channels=1").array()
    red, green, blue = np.moveaxis(COLOURS.astype(np.float64), -1, 0)
    luma = (0.299 * red + 0.587 * green + 0.114 * blue) / 255
    assert np.allclose(made, luma.reshape(40, -1), rtol=1e-6)
    grey = embed(pictured(GREYS), "pixels:channels=1").array()
    assert np.array_equal(grey, GREYS.reshape(40, -1) / np.float32(255))  # not by sums of products


def test_real_in_colour_takes_grey_too() -> None:
    fitted = fit("pixels", pictured(COLOURS))
    assert np.array_equal(
        embed(pictured(GREYS), fitted).array(), np.repeat(GREYS[..., None], 3, axis=3).reshape(40, -1) / np.float32(255)
    )


def test_images_of_different_sizes_need_a_size() -> None:
    images = [*COLOURS[:5], COLOURS[5][:7], COLOURS[6][:7], COLOURS[7][:, :5]]
    with pytest.raises(InputError, match=r"8 x 6 \(5\), 7 x 6 \(2\), 8 x 5 \(1\).*size"):
        embed(pictured(images), "pixels")
    fitted = fit("pixels", pictured(COLOURS))
    with pytest.raises(InputError, match=r"'5\.png' of faces: it has 7 x 6 pixels, and the others have 8 x 6"):
        embed(pictured(images), fitted)
    assert embed(pictured(images), "pixels:size=4").pixels == (4, 4, 3)


@pytest.mark.parametrize("text", ["pixels:size=4", "pixels:size=3x5,filter=lanczos", "pixels:size=12x6"])
def test_resizing_is_the_one_of_images(text: str) -> None:
    made = embed(pictured(COLOURS), text)
    assert made.pixels is not None
    height, width, _ = made.pixels
    chosen: Any = "lanczos" if "lanczos" in text else "bicubic"
    expected = np.array([resize(one, (height, width), filter=chosen) for one in COLOURS]) / 255
    assert np.allclose(made.array(), expected.reshape(40, -1), rtol=1e-6, atol=1e-7)
    assert made.space is not None
    said = made.space.embedder["preprocessing"]
    assert (said["size"], said["filter"], said["antialias"]) == ([height, width], chosen, True)


@pytest.mark.parametrize("images", [GREYS, COLOURS, MANY])
def test_principal_components_are_those_of_a_plain_eigendecomposition(images: NDArray[np.uint8]) -> None:
    fitted = fit("pixels:pca=6", pictured(images))
    assert isinstance(fitted, Pixels)
    assert fitted.principal is not None
    rows = images.reshape(len(images), -1) / 255
    mean, components = naive_components(rows, 6)
    assert np.allclose(fitted.principal.mean, mean, rtol=0, atol=1e-7)
    assert np.allclose(fitted.principal.components, components, rtol=0, atol=1e-6)
    made = embed(pictured(images), fitted)
    assert np.allclose(made.array(), (rows - mean) @ components.T, rtol=0, atol=1e-5)
    peer = PCA(6, svd_solver="full").fit_transform(rows)
    assert np.allclose(np.abs(made.array()), np.abs(peer), rtol=0, atol=1e-5)
    assert made.pixels is None
    assert made.d == 6


def test_synthetic_sets_are_seen_through_the_real_ones_components() -> None:
    fitted = fit("pixels:pca=3", pictured(GREYS))
    mean, components = naive_components(GREYS.reshape(40, -1) / 255, 3)
    other = 255 - GREYS[:20]
    made = embed(pictured(other), fitted)
    assert np.allclose(made.array(), (other.reshape(20, -1) / 255 - mean) @ components.T, rtol=0, atol=1e-5)
    check_pair(embed(pictured(GREYS), fitted), made)
    elsewhere = embed(pictured(other), fit("pixels:pca=3", pictured(GREYS[:30])))
    with pytest.raises(InputError, match="fingerprint"):
        check_pair(embed(pictured(GREYS), fitted), elsewhere)


def test_components_do_not_depend_on_batches_or_threads() -> None:
    fitted = fit("pixels:pca=6", pictured(MANY), threads=1)
    assert fit("pixels:pca=6", pictured(MANY), threads=4).describe() == fitted.describe()
    first = embed(pictured(MANY), fitted, batch=1, threads=1)
    for batch, threads in ((7, 2), (600, 4)):
        assert np.array_equal(embed(pictured(MANY), fitted, batch=batch, threads=threads).array(), first.array())


def test_components_without_the_real_set_are_refused() -> None:
    with pytest.raises(InputError, match=r"fitted on the real images first.*--fit REAL"):
        embed(pictured(GREYS), "pixels:pca=3")


@pytest.mark.parametrize(
    ("images", "text", "words"),
    [
        (GREYS, "pixels:pca=40", "40 images of 48 values have at most 39 principal components"),
        (MANY, "pixels:pca=21", "600 images of 20 values have at most 20"),
        (np.repeat(GREYS[:4], 10, axis=0), "pixels:pca=4", "vary in 3 directions only"),
        (np.repeat(GREYS[:1], 10, axis=0), "pixels:pca=1", "vary in 0 directions only"),
        (np.zeros((3, 91, 91), np.uint8), "pixels:pca=2", "8,281 values; at most 8,192 are accepted"),
    ],
)
def test_more_components_than_there_are_are_refused(images: NDArray[np.uint8], text: str, words: str) -> None:
    with pytest.raises(InputError) as refused:
        fit(text, pictured(images))
    assert words in str(refused.value)


def test_fitting_leaves_out_what_cannot_be_read() -> None:
    some = fit("pixels:pca=3", pictured(GREYS, broken={0, 20}, on_error="skip"))
    good = [i for i in range(40) if i not in (0, 20)]
    assert some.describe() == fit("pixels:pca=3", pictured(GREYS[good])).describe()
    with pytest.raises(InputError, match=r"20\.png"):
        fit("pixels:pca=3", pictured(GREYS, broken={20}))


def test_it_says_which_part_of_an_image_is_embedded() -> None:
    told = {text: get_embedder(text).describe()["preprocessing"]["region"] for text in ("pixels", "pixels:size=4x9")}
    assert told == {"pixels": "all", "pixels:size=4x9": "all, proportions changed"}
    assert "scipy" in get_embedder("pixels:pca=3").versions()  # whose eigenvectors they are


def test_nothing_is_looked_at_that_is_known() -> None:
    images = pictured(COLOURS)
    assert fit("pixels:size=4,channels=3", images).fitted
    assert decoded(images) == 0
    fit("pixels:size=4", images, threads=1)  # the first image is in colour
    assert decoded(images) == 1
    fresh = pictured(GREYS)
    fit("pixels:size=4", fresh, threads=1)
    assert decoded(fresh) == 40


def test_what_pixels_cannot_be_is_refused() -> None:
    for wrong in ({"filter": "cubic"}, {"channels": 4}, {"pca": 1.5}, {"pca": True}, {"size": (3,)}, {"size": -1}):
        with pytest.raises(InputError, match="accepted"):
            Pixels(**wrong)  # type: ignore[arg-type]

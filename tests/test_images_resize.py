"""Resizing: against the definition, Pillow's float resampling, and torch without anti-aliasing."""

from __future__ import annotations

import numpy as np
import pytest

from oracles import resizing
from truegrade.errors import InputError
from truegrade.images import resize

SIZES = [((12, 17), (5, 9)), ((9, 9), (4, 4)), ((6, 5), (13, 11)), ((16, 30), (16, 7)), ((7, 7), (1, 1))]


def picture(shape: tuple[int, int], seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (*shape, 3)).astype(np.uint8)


@pytest.mark.parametrize("filter", ["bilinear", "bicubic", "lanczos", "box"])
@pytest.mark.parametrize(("before", "after"), SIZES)
def test_antialiased_resize_is_the_naive_convolution(before, after, filter):
    values = picture(before)
    out = resize(values, after, filter)
    assert out.dtype == np.float32
    assert out.shape == (*after, 3)
    np.testing.assert_allclose(out, resizing.resize(values, *after, filter), atol=2e-4)


@pytest.mark.parametrize("filter", ["bilinear", "nearest", "bicubic"])
@pytest.mark.parametrize(("before", "after"), [*SIZES, ((32, 32), (299, 299)), ((500, 333), (299, 299))])
def test_resize_without_antialias_is_torchs_interpolate(before, after, filter):
    torch = pytest.importorskip("torch")
    values = picture(before).astype(np.float32)
    tensor = torch.from_numpy(values.transpose(2, 0, 1)[None])
    corners = {} if filter == "nearest" else {"align_corners": False}
    theirs = torch.nn.functional.interpolate(tensor, after, mode=filter, **corners)[0].numpy().transpose(1, 2, 0)
    # two millionths of the range: float32 sums, and places that are rounded once or twice depending on the processor
    np.testing.assert_allclose(resize(values, after, filter, antialias=False), theirs, atol=5e-4)


@pytest.mark.parametrize("filter", ["nearest", "bilinear", "bicubic", "lanczos", "box"])
@pytest.mark.parametrize(("before", "after"), [*SIZES, ((28, 28), (224, 224)), ((301, 256), (224, 224))])
def test_antialiased_resize_is_pillows(before, after, filter):
    module = pytest.importorskip("PIL.Image")
    values = picture(before).astype(np.float32)
    whole = [module.fromarray(values[:, :, c]).resize(after[::-1], module.Resampling[filter.upper()]) for c in range(3)]
    np.testing.assert_allclose(resize(values, after, filter), np.stack(whole, axis=2), atol=1.5e-4)


def test_nearest_with_antialias_is_pillows_centre_pixel():
    values = picture((9, 9))
    np.testing.assert_array_equal(resize(values, (3, 3), "nearest"), values[1::3, 1::3])


def test_values_are_not_rounded_and_not_clipped():
    edge = np.zeros((16, 16, 3), np.uint8)
    edge[:, 8:] = 255
    out = resize(edge, (16, 23), "bicubic")
    assert out.min() < -5
    assert out.max() > 260
    assert (out != np.rint(out)).any()


def test_same_size_keeps_values_and_a_plain_channel_stays_plain():
    values = picture((5, 6))
    np.testing.assert_array_equal(resize(values, (5, 6)), values)
    np.testing.assert_array_equal(resize(values[:, :, 0], (3, 4)), resize(values, (3, 4))[:, :, 0])
    np.testing.assert_array_equal(
        resize(values[:, :, 0], (3, 4), "bilinear", antialias=False),
        resize(values, (3, 4), "bilinear", antialias=False)[:, :, 0],
    )


@pytest.mark.parametrize(
    ("size", "filter", "antialias", "words"),
    [
        ((0, 3), "bicubic", True, "height, width"),
        ((3,), "bicubic", True, "height, width"),
        ((3, 2.5), "bicubic", True, "height, width"),
        ((3, 3), "cubic", True, "bicubic, bilinear, lanczos, box, nearest are accepted"),
        ((3, 3), "lanczos", False, "nearest, bilinear, bicubic are accepted without anti-aliasing"),
    ],
)
def test_wrong_sizes_and_filters_are_refused(size, filter, antialias, words):
    with pytest.raises(InputError, match=words):
        resize(picture((4, 4)), size, filter, antialias)


def test_something_that_is_no_image_is_refused():
    with pytest.raises(InputError, match=r"shape \(3,\)"):
        resize(np.zeros(3), (2, 2))

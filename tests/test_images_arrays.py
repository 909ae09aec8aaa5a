"""I8, W3: arrays, files of arrays, tensors, lists and generators of pixels; which value is black and which white."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

Image = pytest.importorskip("PIL.Image")

import truegrade as tg  # noqa: E402
from truegrade import archive  # noqa: E402
from truegrade.errors import InputError  # noqa: E402
from truegrade.images import Images, Manifest, frames, load_images  # noqa: E402
from truegrade.images.decode import ALPHA, GREY, RANGE  # noqa: E402
from truegrade.samples import Samples  # noqa: E402

RNG = np.random.default_rng(8)
COLOUR = RNG.integers(0, 256, (5, 6, 7, 3)).astype(np.uint8)
COLOUR[0, 0, 0] = 0, 128, 255
FLOATS = (COLOUR / 255).astype(np.float32)


def stacked(images):
    return np.stack([item.pixels for item in images.stream()])


def refusal(source, **options):
    with pytest.raises(InputError) as error:
        list(load_images(source, **options).stream())
    return str(error.value)


def codes(images):
    return [note.code for note in images.notices]


# --- shapes ----------------------------------------------------------------------------------------------


def test_uint8_stays_what_it_is():
    images = load_images(COLOUR, name="mine")
    out = stacked(images)
    np.testing.assert_array_equal(out, COLOUR)
    assert out.dtype == np.uint8
    assert (len(images), images.name, images.source) == (5, "mine", "memory")
    assert (images.ids[:2], codes(images)) == (("0", "1"), [])


@pytest.mark.parametrize("shape", [(5, 6, 7), (5, 6, 7, 1), (5, 1, 6, 7)])
def test_one_channel_is_replicated(shape):
    images = load_images(COLOUR[..., 0].reshape(shape))
    np.testing.assert_array_equal(stacked(images), np.repeat(COLOUR[..., :1], 3, axis=3))
    first = next(images.stream())
    assert first.grey
    assert GREY in first.facts["conversions"]


def test_channels_first_is_read_where_it_is_clear():
    images = load_images(COLOUR.transpose(0, 3, 1, 2))
    np.testing.assert_array_equal(stacked(images), COLOUR)
    assert next(images.stream()).facts["conversions"] == [frames.MOVED]
    narrow = COLOUR[:, :3, :, :]  # (5, 3, 7, 3): last wins for arrays
    np.testing.assert_array_equal(stacked(load_images(narrow)), narrow)


def test_four_channels_lie_over_white():
    alpha = RNG.integers(0, 256, (5, 6, 7, 1)).astype(np.uint8)
    rgba = np.concatenate([COLOUR, alpha], axis=3)
    expected = np.rint(COLOUR * (alpha / 255) + 255 * (1 - alpha / 255))
    images = load_images(rgba)
    np.testing.assert_array_equal(stacked(images), expected)
    assert next(images.stream()).facts["conversions"] == [ALPHA]
    floats = stacked(load_images((rgba / 255).astype(np.float32)))
    np.testing.assert_allclose(floats, COLOUR * (alpha / 255) + 255 * (1 - alpha / 255), atol=1e-3)


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ((5, 42), "reshape"),
        ((6, 7, 3), "looks like one image in colour"),
        ((3, 6, 7), "looks like one image in colour"),
        ((5, 6, 7, 2), "Each image of images has the shape"),
        ((5, 2, 6, 7), "Each image of images has the shape"),
        ((0, 6, 7, 3), "holds no pixels"),
        ((2, 2, 2, 2, 3), r"(n, height, width)"),
    ],
)
def test_other_shapes_are_refused(shape, words):
    assert words in refusal(np.ones(shape, np.uint8))


@pytest.mark.parametrize("dtype", ["U3", "complex64", "datetime64[s]", object])
def test_other_types_are_refused(dtype):
    assert "images are arrays of numbers" in refusal(np.zeros((2, 4, 4), dtype))


# --- I8: ranges ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (FLOATS, "0 to 1"),
        (FLOATS.astype(np.float64), "0 to 1"),
        (FLOATS.astype(np.float16), "0 to 1"),
        (FLOATS * 2 - 1, "-1 to 1"),
        (FLOATS * 255, "0 to 255"),
        (COLOUR.astype(np.float64), "0 to 255"),
    ],
)
def test_i8_an_evident_range_is_taken_and_noted(values, kind):
    images = load_images(values)
    out = stacked(images)
    assert out.dtype == np.float32
    np.testing.assert_allclose(out, COLOUR, atol=0.1 if values.dtype == np.float16 else 1e-4)
    (note,) = images.notices
    low, high = kind.split(" to ")
    assert note.text == f"The pixels of images are {values.dtype}; {low} was taken as black and {high} as white."


def test_floats_are_scaled_without_rounding():
    values = np.full((2, 4, 5), 0.5003)
    values[0, 0, 0] = 0.0
    out = stacked(load_images(values, value_range=(0, 1)))
    np.testing.assert_allclose(out[1], 0.5003 * 255, rtol=1e-7)
    assert next(load_images(values, value_range=(0, 1)).stream()).facts["conversions"] == [GREY, RANGE]


@pytest.mark.parametrize(
    ("values", "low", "high"),
    [
        (FLOATS * 1.002 - 0.001, "-0.001", "1.001"),  # resizing that overshot
        ((FLOATS - 0.45) / 0.25, "-1.8", "2.2"),  # mean and deviation taken out
        (FLOATS * 0.2, "0", "0.2"),  # nearly black in 0 to 1, or very black in 0 to 255
        (FLOATS * 16, "0", "16"),
        (FLOATS * 300, "0", "300"),
        (FLOATS * 65535, "0", "65535"),
        (FLOATS * 0.4 - 0.2, "-0.2", "0.2"),
        ((FLOATS > 0.5).astype(np.float32), "0", "1"),  # all whole: 0 and 1 of 255?
        ((COLOUR // 16).astype(np.int64), "0", "15"),
        ((COLOUR.astype(np.int16) - 128), "-128", "127"),
        (COLOUR.astype(np.uint16) * 257, "0", "65535"),
    ],
)
def test_i8_a_doubtful_range_is_refused_with_its_ends_and_what_to_say(values, low, high):
    said = refusal(values, name="mine")
    assert f"mine has pixel values from {low} to {high}" in said
    assert "value_range=(0, 1), (0, 255) or (-1, 1) (--value-range 0,1)" in said
    ends = (float(values.min()), float(values.max()))
    out = stacked(load_images(values, value_range=ends))
    assert (out.min(), out.max()) == (0, 255)


@pytest.mark.parametrize("constant", [0.0, 0.5, 1.0, 255.0])
def test_a_constant_set_is_doubtful(constant):
    assert f"has the value {constant:g} in every pixel" in refusal(np.full((2, 4, 5), constant))


def test_whole_numbers_of_other_types_become_uint8():
    images = load_images(COLOUR.astype(np.int64))
    out = stacked(images)
    assert out.dtype == np.uint8
    np.testing.assert_array_equal(out, COLOUR)
    assert "int64" in images.notices[0].text
    bits = stacked(load_images(COLOUR > 99))
    np.testing.assert_array_equal(bits, np.where(COLOUR > 99, 255, 0))


def test_uint8_that_was_cast_from_zero_to_one_is_noted():
    images = load_images(FLOATS.astype(np.uint8))
    assert codes(images) == ["nearly_black"]
    np.testing.assert_array_equal(stacked(load_images(COLOUR // 128, value_range=(0, 1))), COLOUR // 128 * 255.0)


@pytest.mark.parametrize("given", [(0,), (1, 0), (0, 0), "01x", (0, np.nan), (0, np.inf), 5, (0, 1, 2)])
def test_ranges_that_are_none_are_refused(given):
    assert "value_range=" in refusal(FLOATS, value_range=given)


def test_values_beyond_the_given_range_are_refused():
    said = refusal(FLOATS * 255, value_range=(0, 1))
    assert "beyond the range 0 to 1" in said
    assert "Image 0 of images has values from 0 to 255" in said


def test_images_that_are_not_finite_are_refused_or_skipped():
    wild = FLOATS.copy()
    wild[3, 2, 2, 1] = np.nan
    assert "Image 3 of images has values that are not finite" in refusal(wild)
    manifest = Manifest(load_images(wild, on_error="skip"))
    list(manifest.watch(manifest.images.stream()))
    assert manifest.rows.tolist() == [0, 1, 2, 4]
    assert "no finite values" in refusal(wild * np.nan)


# --- files -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["uint8", ">f4", "float64"])
def test_npy_files_are_read_row_by_row(tmp_path, order, dtype):
    values = COLOUR if dtype == "uint8" else FLOATS.astype(dtype)
    np.save(tmp_path / "x.npy", np.asarray(values, order=order))
    images = load_images(tmp_path / "x.npy")
    np.testing.assert_allclose(stacked(images), COLOUR, atol=1e-4)
    assert (images.name, images.source) == ("x", str(tmp_path / "x.npy"))
    assert images.fingerprint == load_images(values).fingerprint


def test_npy_files_that_are_damaged_or_pickled_are_refused(tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, COLOUR)
    whole = path.read_bytes()
    path.write_bytes(whole[:-9])
    assert "is damaged: its header promises 630 bytes" in refusal(path)
    path.write_bytes(whole)
    images = load_images(path)
    path.write_bytes(whole[:-9])
    with pytest.raises(InputError, match="changed while it was being read"):
        list(images.stream())
    np.save(path, np.array([None, {}], object), allow_pickle=True)
    assert "pickled Python objects" in refusal(path)
    np.save(path, np.zeros((4, 9)))
    assert "values.reshape(-1, height, width)" in refusal(path)
    assert "labels='y' names an array of a .npz" in refusal(path, labels="y")


def test_arr_0_archives_of_image_generators_load_as_images(tmp_path):
    path = tmp_path / "samples.npz"
    np.savez(path, COLOUR, np.array([3, 1, 4, 1, 5]))
    images = tg.load(path)
    assert isinstance(images, Images)
    np.testing.assert_array_equal(stacked(images), COLOUR)
    assert (images.labels, codes(images)) == (None, ["arrays_unused"])
    labelled = tg.load(path, labels="arr_1")
    assert labelled.labels.tolist() == [3, 1, 4, 1, 5]
    assert codes(labelled) == []
    assert isinstance(tg.load(path, pixels=(6, 7, 3), key="arr_0"), Samples)
    np.savez(path, images=FLOATS, other=np.zeros(2))
    assert "has no array 'arr_0'; it has 'images', 'other'. Choose with key=" in refusal(path)
    np.testing.assert_allclose(stacked(load_images(path, key="images")), COLOUR, atol=1e-4)
    assert "no array 'y'" in refusal(path, key="images", labels="y")
    assert "'other' has the shape (2,)" in refusal(path, key="images", labels="other")


def test_w3_archives_with_pickles_and_bombs_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "x.npz"
    np.savez(path, np.array([None, {}], object))
    assert "pickled Python objects" in refusal(path)
    path.write_bytes(b"nothing")
    assert "is not a .npz archive" in refusal(path)
    monkeypatch.setattr(archive, "_BOMB_BYTES", 2**16)
    np.savez_compressed(path, np.zeros((100, 64, 64, 3), np.uint8))
    assert "decompression bomb" in refusal(path)


# --- objects ---------------------------------------------------------------------------------------------


def test_samples_with_pixels_are_images():
    rows = Samples.from_array(COLOUR, pixels=(6, 7, 3), labels=list("abcab"), name="mine")
    images = load_images(rows)
    np.testing.assert_array_equal(stacked(images), COLOUR)
    assert (images.name, images.labels.tolist()) == ("mine", list("abcab"))
    grey = Samples.from_array(FLOATS[..., 0], pixels=(6, 7))
    np.testing.assert_allclose(stacked(load_images(grey))[..., 2], COLOUR[..., 0], atol=1e-4)
    assert "holds vectors, not images" in refusal(Samples.from_array(COLOUR.reshape(5, -1)))


def variants():
    yield "arrays", lambda: list(COLOUR)
    yield "pillow", lambda: [Image.fromarray(image) for image in COLOUR]
    yield "floats", lambda: list(FLOATS)
    yield "generator of arrays", lambda: (image for image in COLOUR)
    yield "generator of floats", lambda: (image for image in FLOATS)
    yield "generator of pillow", lambda: (Image.fromarray(image) for image in COLOUR)
    yield "batches", lambda: iter([COLOUR[:2], COLOUR[2:]])
    yield "list of batches of floats", lambda: [FLOATS[:2], FLOATS[2:]]


@pytest.mark.parametrize(("kind", "make"), list(variants()), ids=[kind for kind, _ in variants()])
def test_lists_and_generators_of_anything(kind, make):
    images = load_images(make())
    for _ in range(2):  # a generator is consumed once, and read as often as wanted
        np.testing.assert_allclose(stacked(images), COLOUR, atol=1e-4)
    assert [image.index for image in images.stream(np.array([4, 0]))] == [4, 0]
    if "floats" not in kind:
        assert images.fingerprint == load_images(COLOUR).fingerprint


def test_generators_keep_images_of_different_kinds_apart():
    deep = Image.fromarray(RNG.integers(0, 65536, (4, 4)).astype(np.uint16))
    grey = Image.fromarray(COLOUR[2]).convert("L")
    images = load_images(iter([Image.fromarray(COLOUR[0]), COLOUR[1][:3], deep, grey]))
    out = list(images.stream(threads=3))
    np.testing.assert_array_equal(out[0].pixels, COLOUR[0])
    np.testing.assert_array_equal(out[1].pixels, COLOUR[1][:3])
    np.testing.assert_allclose(out[2].pixels[..., 0], np.asarray(deep) / 257, rtol=1e-6)
    assert [image.grey for image in out] == [False, False, True, True]
    assert [image.facts["mode"] for image in out] == ["RGB", "RGB", "I;16", "L"]


def test_tensors_have_their_channels_first():
    torch = pytest.importorskip("torch")
    whole = torch.from_numpy(COLOUR.transpose(0, 3, 1, 2).copy())
    for source in (whole, list(whole), iter(whole), iter([whole[:2], whole[2:]]), whole.float() / 255):
        np.testing.assert_allclose(stacked(load_images(source)), COLOUR, atol=1e-4)
    narrow = torch.from_numpy(COLOUR[:, :3, :3].transpose(0, 3, 1, 2).copy())  # (5, 3, 3, 3)
    np.testing.assert_array_equal(stacked(load_images(narrow)), COLOUR[:, :3, :3])
    brain = stacked(load_images((whole.float() / 255).to(torch.bfloat16)))
    np.testing.assert_allclose(brain, COLOUR, atol=1)


@pytest.mark.parametrize("many", [np.ma.stack, list, iter], ids=["array", "list", "generator"])
def test_masked_pixels_are_refused_and_masks_that_hide_nothing_are_not(many):
    whole = [np.ma.masked_array(values, np.zeros(values.shape, bool)) for values in COLOUR]
    np.testing.assert_array_equal(
        [item.pixels for item in load_images(many(whole)).stream()],
        [item.pixels for item in load_images(COLOUR).stream()]
    )
    whole[1] = np.ma.masked_array(COLOUR[1], np.arange(COLOUR[1].size).reshape(COLOUR[1].shape) < 2)
    assert "2 masked value(s)" in refusal(many(whole))


def test_mixed_types_and_odd_items_are_refused():
    assert "mixes arrays of uint8 or booleans with float32" in refusal([COLOUR[0], FLOATS[1]])
    assert "item 1 of images is int" in refusal([COLOUR[0], 5])
    assert "image 1 of images is str" in refusal(iter([COLOUR[0], "b.png"]))
    assert "pairs of image and label" in refusal([(COLOUR[0], 3)])
    assert "is an empty list" in refusal([])
    assert "consumed before" in refusal(iter([]))
    for source in (5, None, {"a": COLOUR[0]}, Image.fromarray(COLOUR[0])):
        assert f"is of type {type(source).__name__}" in refusal(source)


def test_a_damaged_pillow_image_is_named(tmp_path):
    Image.fromarray(RNG.integers(0, 256, (64, 64, 3)).astype(np.uint8)).save(tmp_path / "a.jpg")
    (tmp_path / "a.jpg").write_bytes((tmp_path / "a.jpg").read_bytes()[:900])
    with Image.open(tmp_path / "a.jpg") as opened:
        assert "Image 1 of images cannot be read as an image" in refusal([Image.fromarray(COLOUR[0]), opened])


def test_torch_is_never_imported_and_pillow_only_for_pictures(tmp_path):
    code = """
import sys, numpy as np
sys.modules["PIL"] = None
import truegrade as tg
images = tg.load_images(iter(np.full((3, 4, 5, 3), 9, np.uint8)))
assert [image.pixels.max() for image in images.stream()] == [9, 9, 9]
assert "torch" not in sys.modules
for path in sys.argv[1], "a.png":
    try:
        tg.load_images(path)
    except (tg.MissingExtra, tg.InputError) as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", code, tmp_path], capture_output=True, text=True, check=True)
    folder, missing = done.stdout.splitlines()
    assert "truegrade[images]" in folder
    assert "There is no file or folder a.png" in missing


# --- generators, opened images, three grey images ----------------------------------------------------------------


def floats_of_pillow():
    for image in FLOATS[..., 0]:
        yield Image.fromarray(image)


def cut_jpeg(path):
    Image.fromarray(RNG.integers(0, 256, (64, 64, 3)).astype(np.uint8)).save(path)
    path.write_bytes(path.read_bytes()[:900])
    return Image.open(path)


def test_a_generator_of_pillow_images_takes_the_range_that_a_list_takes():
    expected = stacked(load_images(list(floats_of_pillow()), value_range=(0, 1)))
    np.testing.assert_allclose(expected[..., 0], COLOUR[..., 0], atol=1e-4)
    np.testing.assert_array_equal(stacked(load_images(floats_of_pillow(), value_range=(0, 1))), expected)
    assert "value_range=(0, 1)" in refusal(floats_of_pillow())


def test_a_generator_skips_what_a_list_skips(tmp_path):
    with cut_jpeg(tmp_path / "a.jpg") as first, cut_jpeg(tmp_path / "b.jpg") as second:
        good = Image.fromarray(COLOUR[0]), Image.fromarray(COLOUR[1])
        manifests = []
        for source in ([good[0], first, good[1]], iter([good[0], second, good[1]])):
            images = load_images(source, on_error="skip", labels=list("abc"))
            manifest = Manifest(images)
            for _ in manifest.watch(images.stream()):
                pass
            manifests.append(manifest)
        listed, generated = manifests
        assert listed.skipped == generated.skipped
        assert list(generated.skipped) == [1]
        assert generated.skipped[1].startswith("Image 1 of images cannot be read as an image")
        assert listed.used == generated.used
        assert listed.images.fingerprint == generated.images.fingerprint
        assert list(generated.images.labels) == ["a", "b", "c"]
        with pytest.raises(InputError, match="Image 1 of images cannot be read"):
            list(load_images(generated.images, on_error="refuse").stream())
    with cut_jpeg(tmp_path / "c.jpg") as third:
        assert 'on_error="skip"' in refusal(iter([good[0], third]))
    with cut_jpeg(tmp_path / "d.jpg") as fourth:
        assert "None of the 1 images" in refusal(iter([fourth]), on_error="skip")


def test_opened_images_keep_how_they_were_opened(tmp_path):
    with cut_jpeg(tmp_path / "a.jpg") as broken:
        images = load_images([Image.fromarray(COLOUR[0]), broken], on_error="skip")
        again = load_images(images, name="again")
        assert (again.name, again.on_error, len(list(again.stream()))) == ("again", "skip", 2)
        assert load_images(again, on_error="refuse").on_error == "refuse"
    assert load_images(load_images(COLOUR)).on_error == "refuse"
    assert "value_range=(0.0, 1.0) given for images, which were opened already" in refusal(images, value_range=(0, 1))


@pytest.mark.parametrize("kind", ["array", "npy", "npz", "tensor"])
def test_three_grey_images_are_said_by_shape_or_labels(tmp_path, kind):
    values = COLOUR[:3, :, :, 0].copy()
    shape = (3, 1, 6, 7) if kind == "tensor" else (3, 6, 7, 1)

    def given(array):
        if kind == "array":
            return array
        if kind == "tensor":
            return pytest.importorskip("torch").from_numpy(array)
        path = tmp_path / f"x.{kind}"
        np.save(path, array) if kind == "npy" else np.savez(path, array)
        return path

    said = refusal(given(values))
    assert "looks like one image in colour" in said
    assert f"3 grey images, say so by the shape: values.reshape({', '.join(map(str, shape))})" in said
    expected = np.repeat(values[..., None], 3, axis=3)
    np.testing.assert_array_equal(stacked(load_images(given(values.reshape(shape)))), expected)
    np.testing.assert_array_equal(stacked(load_images(given(values), labels=[0, 1, 2])), expected)
    assert "one per image" in refusal(given(values), labels=[0, 1])

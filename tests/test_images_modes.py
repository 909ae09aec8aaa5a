"""I2, I3: every mode, depth and orientation becomes RGB by the documented rule."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
import pytest

Image = pytest.importorskip("PIL.Image")

from PIL import GifImagePlugin, ImageCms, ImageOps, TiffImagePlugin  # noqa: E402

from truegrade.errors import InputError  # noqa: E402
from truegrade.images import Manifest, decode, load_images  # noqa: E402

RNG = np.random.default_rng(3)
GREY = RNG.integers(0, 256, (5, 7)).astype(np.uint8)
COLOUR = RNG.integers(0, 256, (5, 7, 3)).astype(np.uint8)
ALPHA = RNG.integers(0, 256, (5, 7)).astype(np.uint8)


def read(image, kind="PNG", value_range=None, **options):
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return decode.decode(buffer.getvalue(), "x", 0, value_range)


def white(colours, alpha):
    """c over white, as plain arithmetic of fractions; never a tie, since 255 is odd."""
    a = alpha[..., None] / 255.0
    return np.rint(colours * a + 255.0 * (1 - a))


def replicated(values):
    return np.stack([values] * 3, axis=2)


def test_rgb_stays_and_nothing_is_noted():
    out = read(Image.fromarray(COLOUR))
    np.testing.assert_array_equal(out.pixels, COLOUR)
    assert out.pixels.dtype == np.uint8
    assert (out.grey, out.facts["conversions"], out.facts["mode"], out.facts["size"]) == (False, [], "RGB", [5, 7])


def test_greyscale_and_one_bit_are_replicated():
    out = read(Image.fromarray(GREY))
    np.testing.assert_array_equal(out.pixels, replicated(GREY))
    assert out.grey
    assert out.facts["conversions"] == [decode.GREY]
    bits = read(Image.fromarray(GREY > 100))
    assert bits.facts["mode"] == "1"
    np.testing.assert_array_equal(bits.pixels, replicated(np.where(GREY > 100, 255, 0)))


def test_alpha_lies_over_white():
    out = read(Image.fromarray(np.dstack([COLOUR, ALPHA])))
    np.testing.assert_array_equal(out.pixels, white(COLOUR, ALPHA))
    assert out.facts["conversions"] == [decode.ALPHA]
    grey = read(Image.merge("LA", [Image.fromarray(GREY), Image.fromarray(ALPHA)]))
    np.testing.assert_array_equal(grey.pixels, white(replicated(GREY), ALPHA))
    assert grey.grey
    opaque = read(Image.fromarray(np.dstack([COLOUR, np.full_like(ALPHA, 255)])))
    np.testing.assert_array_equal(opaque.pixels, COLOUR)
    assert opaque.facts["conversions"] == []


def test_palette_is_looked_up_with_its_transparency():
    index = (RNG.integers(0, 4, (5, 7))).astype(np.uint8)
    colours = np.array([[255, 0, 0], [0, 200, 0], [0, 0, 100], [9, 9, 9]], np.uint8)
    image = Image.fromarray(index)
    image.putpalette(colours.tobytes())
    out = read(image)
    np.testing.assert_array_equal(out.pixels, colours[index])
    assert out.facts["conversions"] == [decode.PALETTE]
    levels = np.array([0, 255, 128, 255], np.uint8)
    clear = read(image, transparency=levels.tobytes())
    np.testing.assert_array_equal(clear.pixels, white(colours[index], levels[index]))
    assert clear.facts["conversions"] == [decode.PALETTE, decode.ALPHA]


def test_one_transparent_colour_is_white():
    values = np.where(GREY[0, 0] == GREY, 255, GREY)
    np.testing.assert_array_equal(read(Image.fromarray(GREY), transparency=int(GREY[0, 0])).pixels, replicated(values))
    clear = COLOUR.copy()
    clear[2, 3] = 255
    out = read(Image.fromarray(COLOUR), transparency=tuple(int(v) for v in COLOUR[2, 3]))
    np.testing.assert_array_equal(out.pixels, clear)


def test_cmyk_becomes_rgb():
    cmyk = np.zeros((2, 2, 4), np.uint8)
    cmyk[0, 0] = (255, 0, 0, 0)  # cyan
    cmyk[0, 1] = (0, 0, 0, 255)  # black
    out = read(Image.frombytes("CMYK", (2, 2), cmyk.tobytes()), "TIFF")
    np.testing.assert_array_equal(out.pixels[0], [[0, 255, 255], [0, 0, 0]])
    np.testing.assert_array_equal(out.pixels[1], [[255] * 3] * 2)
    assert out.facts["conversions"] == ["CMYK to RGB"]


@pytest.mark.parametrize("kind", ["PNG", "TIFF", "PPM"])
def test_sixteen_bits_are_scaled_without_rounding(kind):
    deep = RNG.integers(0, 65536, (5, 7)).astype(np.uint16)
    deep[0, :2] = 0, 65535
    out = read(Image.fromarray(deep), kind)
    assert out.pixels.dtype == np.float32
    np.testing.assert_allclose(out.pixels, replicated(deep / 65535 * 255), rtol=1e-6)
    assert out.grey
    assert out.facts["conversions"] == [decode.GREY, decode.DEEP]


def png16(colours, clear=None):
    """A PNG of 16-bit colour, perhaps with one transparent colour, by hand; Pillow writes none."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width = colours.shape[:2]
    parts = [chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 16, 2, 0, 0, 0))]
    parts += [] if clear is None else [chunk(b"tRNS", struct.pack(">HHH", *clear))]
    lines = b"".join(b"\0" + row.astype(">u2").tobytes() for row in colours)
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")


def test_sixteen_bit_colour_is_read_by_its_upper_bits_and_says_so():
    deep = RNG.integers(0, 65536, (5, 7, 3)).astype(np.uint16)
    out = decode.decode(png16(deep), "x", 0)
    np.testing.assert_array_equal(out.pixels, deep >> 8)
    assert out.facts["conversions"] == [decode.SHALLOW]


def test_floats_and_32_bit_integers_need_a_range():
    floats = RNG.random((5, 7)).astype(np.float32)
    integers = Image.fromarray((floats * 5000).astype(np.int32))
    for image, given in ((Image.fromarray(floats), (0, 1)), (integers, (0, 5000))):
        with pytest.raises(InputError, match=r"x holds .*black and white are not known.*value_range"):
            read(image, "TIFF")
        out = read(image, "TIFF", given)
        np.testing.assert_allclose(out.pixels, replicated(np.asarray(image) * (255 / given[1])), rtol=1e-5)
        assert out.facts["conversions"] == [decode.GREY, decode.RANGE]
    with pytest.raises(InputError, match=r"beyond the range 0 to 0\.5"):
        read(Image.fromarray(floats), "TIFF", (0, 0.5))


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "TIFF"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_i2_exif_orientation_is_applied(kind, orientation):
    exif = Image.Exif()
    exif[0x0112] = orientation
    options = {"quality": 100, "subsampling": 0} if kind == "JPEG" else {}
    smooth = np.add.outer(np.arange(5) * 30, np.arange(7) * 9).astype(np.uint8)
    image = Image.fromarray(replicated(smooth))
    out = read(image, kind, exif=exif, **options)
    turned = image.copy()
    turned.getexif()[0x0112] = orientation
    expected = np.asarray(ImageOps.exif_transpose(turned))
    assert out.pixels.shape == expected.shape
    np.testing.assert_allclose(out.pixels, expected, atol=3)
    assert (decode.TURNED in out.facts["conversions"]) == (orientation > 1)


def test_damaged_exif_of_a_sound_picture_does_not_matter():
    out = read(Image.fromarray(COLOUR), exif=b"Exif\x00\x00MM\x00*garbage")
    np.testing.assert_array_equal(out.pixels, COLOUR)


def test_first_picture_of_several_and_icc_are_noted():
    frames = [Image.fromarray(np.full((4, 4, 3), v, np.uint8)) for v in (10, 90, 200)]
    out = read(frames[0], "PNG", save_all=True, append_images=frames[1:])
    np.testing.assert_array_equal(out.pixels, 10)
    assert out.facts["conversions"] == [decode.FIRST]
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    profiled = read(Image.fromarray(COLOUR), icc_profile=profile)
    np.testing.assert_array_equal(profiled.pixels, COLOUR)
    assert profiled.facts["conversions"] == [decode.PROFILE]


def test_i3_one_note_with_the_counts(tmp_path):
    for i in range(3):
        Image.fromarray(GREY).save(tmp_path / f"grey{i}.png")
    Image.fromarray(np.dstack([COLOUR, ALPHA])).save(tmp_path / "alpha.webp", lossless=True, exact=True)
    Image.fromarray(COLOUR[:4]).save(tmp_path / "plain.bmp")
    manifest = Manifest(load_images(tmp_path, name="mine"))
    list(manifest.watch(manifest.images.stream()))
    (note,) = manifest.notices()
    assert note.code == "images_converted"
    assert note.text == "Of 5 images of mine were converted: 3 grey to three channels, 1 transparency over white."
    summary = manifest.summary()
    assert summary["modes"] == {"L": 3, "RGB": 1, "RGBA": 1}
    assert summary["height"] == {"min": 4, "median": 5.0, "max": 5}
    assert (summary["sizes"], summary["used"], summary["skipped"]) == (2, 5, 0)


def test_huge_images_are_refused_by_name(tmp_path, monkeypatch):
    Image.fromarray(np.zeros((30, 30), np.uint8)).save(tmp_path / "huge.png")
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 100)
    with pytest.raises(InputError, match=r"huge\.png has 30 x 30 pixels.*decompression bombs"):
        list(load_images(tmp_path).stream())


def test_large_images_are_noted_and_no_warning_is_printed(tmp_path, monkeypatch):
    """Of one to two times the limit; warnings are errors here. Exactly at the limit is not large."""
    for kind in ("png", "jpg", "gif", "webp", "tiff", "bmp"):
        Image.fromarray(np.full((30, 30), 7, np.uint8)).save(tmp_path / f"a.{kind}")
    for limit, large in ((900, 0), (899, 6)):
        monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", limit)
        manifest = Manifest(load_images(tmp_path))
        assert all(item.pixels.shape == (30, 30, 3) for item in manifest.watch(manifest.images.stream()))
        assert manifest.conversions().get(decode.LARGE, 0) == large
    assert "6 read though larger than PIL.Image.MAX_IMAGE_PIXELS" in manifest.notices()[0].text


def test_a_huge_pillow_image_is_refused(monkeypatch):
    big = Image.new("L", (50, 50))
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 100)
    with pytest.raises(InputError, match=r"Image 0 of images has 50 x 50 pixels.*decompression bombs"):
        list(load_images([big]).stream())


def test_outer_programs_are_never_run_for_a_picture():
    """An EPS, whatever its suffix, would be given to Ghostscript."""
    with pytest.raises(InputError, match="no image format that Pillow knows"):
        decode.decode(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\nshowpage\n", "x.png", 0)
    assert not {".eps", ".ps", ".pdf", ".h5"} & decode.suffixes()
    assert {".png", ".jpg", ".jpeg", ".webp", ".tiff", ".bmp", ".gif"} <= decode.suffixes()


# --- deep TIFF, premultiplied grey, images that were read before ---------------------------------------------------


def tiff(data, bits, photometric, height, width, kind=1):
    """An uncompressed TIFF of one channel, by hand. kind: 1 for whole numbers, 3 for floats."""
    tags = [(256, width), (257, height), (258, bits), (259, 1), (262, photometric), (273, 8), (277, 1)]
    tags += [(278, height), (279, len(data)), (339, kind)]
    entries = b"".join(struct.pack("<HHII", number, 4, 1, value) for number, value in tags)
    return struct.pack("<2sHI", b"II", 42, 8 + len(data)) + data + struct.pack("<H", len(tags)) + entries + bytes(4)


def test_a_tiff_whose_0_is_white_is_turned_over_at_every_depth():
    eight = np.array([[0, 51, 255]], np.uint8)
    shown = decode.decode(tiff(eight.tobytes(), 8, 0, 1, 3), "x", 0)
    np.testing.assert_array_equal(shown.pixels[0, :, 0], [255, 204, 0])
    deep = np.array([[0, 51 * 257, 65535]], "<u2")
    for photometric, expected in ((0, [255, 204, 0]), (1, [0, 51, 255])):
        shown = decode.decode(tiff(deep.tobytes(), 16, photometric, 1, 3), "x", 0)
        np.testing.assert_array_equal(shown.pixels[0, :, 0], expected)
        assert shown.facts["conversions"] == [decode.GREY, decode.DEEP]
    floats = tiff(np.array([[0, 0.2, 1]], "<f4").tobytes(), 32, 0, 1, 3, kind=3)
    with pytest.raises(InputError, match="of which the lowest is white"):
        decode.decode(floats, "x", 0, (0.0, 1.0))


def test_twelve_bits_reach_white():
    values = [0, 819, 4095, 2048]
    packed = b"".join((a << 12 | b).to_bytes(3, "big") for a, b in (values[:2], values[2:]))
    shown = decode.decode(tiff(packed, 12, 1, 1, 4), "x", 0)
    np.testing.assert_allclose(shown.pixels[0, :, 0], np.array(values) / 4095 * 255, rtol=1e-6)
    assert shown.pixels.max() == 255
    assert shown.facts["conversions"] == [decode.GREY, decode.TWELVE]


def test_premultiplied_grey_is_handled():
    grey = Image.merge("LA", [Image.fromarray(GREY), Image.fromarray(np.full_like(ALPHA, 51))])
    shown = decode.of_pillow(grey.convert("La"), "x", 0)
    np.testing.assert_allclose(shown.pixels, white(replicated(GREY), np.full_like(ALPHA, 51)), atol=1)
    assert (shown.grey, shown.facts["mode"]) == (True, "La")
    assert decode.ALPHA in shown.facts["conversions"]


def turned_tiff():
    image, buffer = Image.fromarray(COLOUR), io.BytesIO()
    exif = Image.Exif()
    exif[0x0112] = 6
    image.save(buffer, "TIFF", exif=exif)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("raw", "word"),
    [(png16(np.full((2, 3, 3), 5 * 257), (5, 5, 5)), decode.SHALLOW), (turned_tiff(), decode.TURNED)],
    ids=["16-bit colour", "turned"],
)
def test_a_held_image_is_the_same_however_often_it_was_read(raw, word):
    held = Image.open(io.BytesIO(raw))
    before = dict(held.info)
    images = load_images([held])
    images.fingerprint  # noqa: B018 - reads it
    for again in (images, load_images([held])):  # and another collection of the same objects
        (shown,) = again.stream()
        alone = decode.decode(raw, "x", 0)
        assert word in shown.facts["conversions"]
        assert shown.facts["conversions"] == alone.facts["conversions"]
        np.testing.assert_array_equal(shown.pixels, alone.pixels)
    assert {key: held.info.get(key) for key in before} == before


@pytest.mark.parametrize("kind", ["GIF", "TIFF", "PNG", "WEBP"])
def test_several_pictures_are_told_without_a_walk_through_the_file(kind, monkeypatch):
    buffer = io.BytesIO()
    pages = [Image.fromarray(np.roll(COLOUR, step, 0)) for step in range(4)]
    pages[0].save(buffer, kind, save_all=True, append_images=pages[1:])
    seeks = []
    for module in (GifImagePlugin.GifImageFile, TiffImagePlugin.TiffImageFile):
        whole = module._seek
        monkeypatch.setattr(module, "_seek", lambda self, *a, whole=whole: seeks.append(a[0]) or whole(self, *a))
    assert decode.FIRST in decode.decode(buffer.getvalue(), "x", 0).facts["conversions"]
    assert max(seeks, default=0) <= 1
    alone = read(Image.fromarray(COLOUR), kind)
    assert decode.FIRST not in alone.facts["conversions"]

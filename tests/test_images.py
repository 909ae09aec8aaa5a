"""I1, I2, I4-I7: folders, archives and lists of pictures; streaming, manifest, fingerprints, thumbnails."""

from __future__ import annotations

import io
import json
import os
import threading
import tracemalloc
import zipfile

import numpy as np
import pytest

Image = pytest.importorskip("PIL.Image")

from PIL import ImageFile  # noqa: E402

import truegrade as tg  # noqa: E402
from truegrade.errors import InputError  # noqa: E402
from truegrade.images import Decoded, Images, Manifest, PicturesOf, Skipped, in_order, load_images  # noqa: E402


def picture(seed=0, size=(6, 8)):
    return np.random.default_rng(seed).integers(0, 256, (*size, 3)).astype(np.uint8)


def saved(path, seed=0, size=(6, 8), **options):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(picture(seed, size)).save(path, **options)
    return path


def cut(path, seed=0):
    """A JPEG that ends in its middle."""
    saved(path, seed, (64, 64), format="JPEG")
    path.write_bytes(path.read_bytes()[:900])
    return path


def zipped(target, folder, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(target, "w", compression) as out:
        for path in sorted(folder.rglob("*")):
            out.write(path, path.relative_to(folder.parent).as_posix())
    return target


def refusal(source, **options):
    with pytest.raises(InputError) as error:
        list(load_images(source, **options).stream())
    return str(error.value)


def pixels(images, **options):
    return [item.pixels for item in images.stream(**options)]


# --- I1: what is found -----------------------------------------------------------------------------------


def test_i1_every_readable_suffix_in_any_case_in_natural_order(tmp_path):
    names = ["1.PNG", "2.webp", "10.Jpg", "10b.bmp", "11.TIFF", "11.jpeg", "a2.gif", "a10.png"]
    for name in reversed(names):
        saved(tmp_path / name)
    images = tg.load(tmp_path)
    assert isinstance(images, Images)
    assert list(images.ids) == names
    assert len(pixels(images)) == len(images) == 8
    assert (images.name, images.source, images.notices) == (tmp_path.name, str(tmp_path), ())


def test_i1_an_empty_folder_and_one_without_images_say_what_was_found(tmp_path):
    assert "looked for .png, .jpg" in refusal(tmp_path)
    assert "found nothing at all" in refusal(tmp_path)
    for name in ("a.txt", "b.txt", "c.npy", ".d.png", "README"):
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "texts").mkdir()
    said = refusal(tmp_path)
    assert "found 2 .txt files, 1 .npy file, 1 file without suffix, 1 hidden file, 1 folder ('texts')." in said
    assert "recursive" not in said
    saved(tmp_path / "deep" / "er" / "x.png")
    assert "images in folders inside: recursive=True (--recursive)" in refusal(tmp_path)
    assert list(load_images(tmp_path, recursive=True).ids) == ["deep/er/x.png"]


def test_i1_a_wrong_path_names_what_is_near(tmp_path):
    (tmp_path / "samples").mkdir()
    for open_it in (load_images, tg.load):
        with pytest.raises(InputError, match=f"There is no file .*Did you mean {tmp_path / 'samples'}") as error:
            open_it(tmp_path / "sampels")
        assert str(tmp_path / "sampels") in str(error.value)
    assert "does not exist" in refusal(tmp_path / "nowhere" / "samples")
    (tmp_path / "notes.txt").write_text("x")
    assert "has the suffix .txt. Folders and .zip archives" in refusal(tmp_path / "notes.txt")
    (tmp_path / "gone").symlink_to(tmp_path / "away")
    assert "link that leads nowhere" in refusal(tmp_path / "gone")


def test_folders_inside_are_counted_or_read_and_circles_of_links_end(tmp_path):
    saved(tmp_path / "x.png")
    saved(tmp_path / "cat" / "1.png")
    saved(tmp_path / "dog" / "1.png")
    (tmp_path / "dog" / "again").symlink_to(tmp_path)
    flat = load_images(tmp_path)
    assert list(flat.ids) == ["x.png"]
    assert flat.listed == {"folders not looked into": 2}
    assert "2 folders not looked into" in flat.notices[0].text
    assert list(load_images(tmp_path, recursive=True).ids) == ["cat/1.png", "dog/1.png", "x.png"]


def test_labels_can_be_the_folders(tmp_path):
    for name in ("cat/1.png", "dog/deep/1.png", "dog/2.png"):
        saved(tmp_path / name)
    images = load_images(tmp_path, recursive=True, labels="folder")
    assert dict(zip(images.ids, images.labels, strict=True)) == {
        "cat/1.png": "cat",
        "dog/2.png": "dog",
        "dog/deep/1.png": "dog",
    }
    assert list(load_images(tmp_path, recursive=True, labels=[1, 2, 3]).labels) == [1, 2, 3]
    with pytest.raises(InputError, match="3 images but labels of shape"):
        load_images(tmp_path, recursive=True, labels=[1, 2])
    saved(tmp_path / "x.png")
    with pytest.raises(InputError, match="not all images"):
        load_images(tmp_path, recursive=True, labels="folder")


def test_i5_what_is_no_image_is_passed_over_and_counted(tmp_path):
    saved(tmp_path / "a.png")
    for name in ("._a.png", ".DS_Store", "Thumbs.db", "list.txt", "more.txt"):
        (tmp_path / name).write_bytes(b"no image")
    saved(tmp_path / "__MACOSX" / "a.png")
    os.mkfifo(tmp_path / "pipe.png")
    images = load_images(tmp_path)
    assert list(images.ids) == ["a.png"]
    assert images.listed == {".txt files": 2, "hidden files": 4, "neither files nor folders": 1}
    (note,) = images.notices
    assert (note.code, note.severity) == ("images_passed_over", "note")
    passed = "4 hidden files, 2 .txt files, 1 neither file nor folder"
    assert note.text == f"Passed over in {tmp_path.name}: {passed}."
    assert load_images(tmp_path, name="mine").notices[0].text == f"Passed over in mine: {passed}."
    assert Manifest(images).summary()["passed_over"] == images.listed


@pytest.mark.parametrize("name", ["a [1] * ?", "model v1.5", "x.zip", "Bilder über 日本", " spaced "])
def test_i6_names_are_taken_literally(tmp_path, name):
    saved(tmp_path / name / "[a] *.png")
    images = tg.load(tmp_path / name)
    assert images.name == name
    assert list(images.ids) == ["[a] *.png"]
    np.testing.assert_array_equal(pixels(images)[0], picture())


def test_names_that_are_no_unicode_are_written_as_escapes(tmp_path):
    with open(os.fsencode(tmp_path) + b"/caf\xe9.png", "wb") as file:
        Image.fromarray(picture()).save(file, "PNG")
    images = load_images(tmp_path)
    assert list(images.ids) == ["caf\\xe9.png"]
    assert len(pixels(images)) == 1
    Manifest(images).to_json(tmp_path / "m.json")


def test_images_that_are_called_the_same_in_print_are_all_read(tmp_path):
    """A file whose name is no UTF-8, and one that is called as its escapes are written."""
    for seed, name in enumerate((b"/bad\xff.png", b"/bad\\xff.png", b"/c.png")):
        with open(os.fsencode(tmp_path) + name, "wb") as file:
            Image.fromarray(picture(seed)).save(file, "PNG")
    images = load_images(tmp_path)
    assert images.ids == ("bad\\xff.png", "bad\\xff.png (2)", "c.png")
    for found, seed in zip(pixels(images), (1, 0, 2), strict=True):
        np.testing.assert_array_equal(found, picture(seed))


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_all_members_of_one_name_in_an_archive_are_read(tmp_path):
    with zipfile.ZipFile(tmp_path / "z.zip", "w") as out:
        for seed, name in enumerate(("set/a.png", "set/a.png", "set/b.png", "set/a.png")):
            out.write(saved(tmp_path / "one.png", seed), name)
    images = load_images(tmp_path / "z.zip")
    assert images.ids == ("a.png", "a.png (2)", "a.png (3)", "b.png")
    for found, seed in zip(pixels(images), (0, 1, 3, 2), strict=True):
        np.testing.assert_array_equal(found, picture(seed))
    unread = load_images(tmp_path / "z.zip")
    with zipfile.ZipFile(tmp_path / "z.zip", "w") as out:
        out.write(saved(tmp_path / "one.png"), "set/a.png")
    assert "a.png (2) in " in refusal(unread)
    assert "is not there any more" in refusal(unread)


def test_i7_sets_of_the_same_last_name_differ_by_content(tmp_path):
    saved(tmp_path / "a" / "samples" / "0.png", 1)
    saved(tmp_path / "b" / "samples" / "0.png", 2)
    saved(tmp_path / "c" / "other" / "another.png", 1)
    a, b, c = (load_images(tmp_path / p) for p in ("a/samples", "b/samples", "c/other"))
    assert a.name == b.name == "samples"
    assert a.fingerprint != b.fingerprint
    assert a.fingerprint == c.fingerprint


# --- I2, I4: reading -------------------------------------------------------------------------------------


def test_i2_images_of_different_sizes_keep_theirs(tmp_path):
    sizes = [(6, 8), (3, 3), (40, 1)]
    for i, size in enumerate(sizes):
        saved(tmp_path / f"{i}.png", i, size)
    for i, image in enumerate(load_images(tmp_path).stream()):
        np.testing.assert_array_equal(image.pixels, picture(i, sizes[i]))
        assert image.facts["size"] == list(sizes[i])


@pytest.mark.parametrize("how", ["cut", "empty", "text", "link", "circle"])
def test_i4_an_unreadable_image_is_named_and_refused_or_counted(tmp_path, how):
    for i in range(5):
        saved(tmp_path / f"{i}.jpg", i)
    bad = tmp_path / "3.jpg"
    bad.unlink()
    {
        "cut": lambda: cut(bad),
        "empty": lambda: bad.write_bytes(b""),
        "text": lambda: bad.write_text("hello"),
        "link": lambda: bad.symlink_to(tmp_path / "gone"),
        "circle": lambda: bad.symlink_to(bad.name),
    }[how]()
    said = refusal(tmp_path)
    assert said.startswith(f"{bad} cannot be read")
    assert "3 of 5 images of" in said
    assert "--on-error skip" in said
    manifest = Manifest(load_images(tmp_path, name="mine", on_error="skip"))
    items = list(manifest.watch(manifest.images.stream()))
    assert [type(item) for item in items] == [Decoded] * 3 + [Skipped, Decoded]
    assert (items[3].row, manifest.rows.tolist()) == (3, [0, 1, 2, 4])
    assert str(bad) in items[3]
    (note,) = [n for n in manifest.notices() if n.code == "images_skipped"]
    assert note.text.startswith(f"1 of 5 images of mine cannot be read and were left out; first: {bad}")
    assert manifest.summary()["skipped"] == 1


def test_i4_where_nothing_can_be_read_skipping_is_refused_too(tmp_path):
    for i in range(3):
        cut(tmp_path / f"{i}.jpg", i)
    assert f"None of the 3 images of {tmp_path.name}" in refusal(tmp_path, on_error="skip")
    assert "0.jpg cannot be read as an image" in refusal(tmp_path, on_error="skip")


def test_pillow_told_to_fill_truncated_files_is_noted(tmp_path, monkeypatch):
    saved(tmp_path / "a.png")
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", True)
    assert [note.code for note in load_images(tmp_path).notices] == ["truncation_unseen"]


def test_manifest_file_has_a_record_for_every_image(tmp_path):
    saved(tmp_path / "in" / "0.png")
    cut(tmp_path / "in" / "1.jpg")
    manifest = Manifest(load_images(tmp_path / "in", on_error="skip"))
    list(manifest.watch(manifest.images.stream()))
    written = json.loads(manifest.to_json(tmp_path / "m.json").read_text())
    good, bad = written["images"]
    assert (good["id"], good["mode"], good["format"], good["size"]) == ("0.png", "RGB", "PNG", [6, 8])
    assert len(good["digest"]) == 64
    assert bad["id"] == "1.jpg"
    assert "truncated" in bad["skipped"]
    assert written["summary"] == json.loads(json.dumps(manifest.summary()))
    assert written["summary"]["used"] == written["summary"]["skipped"] == 1
    with pytest.raises(InputError, match="is a folder"):
        manifest.to_json(tmp_path)


def test_lists_of_paths_and_single_pictures(tmp_path):
    paths = [saved(tmp_path / f"{i}.png", i) for i in (2, 0, 1)]
    images = load_images([str(path) for path in paths], name="chosen")
    assert list(images.ids) == [str(path) for path in paths]
    for values, seed in zip(pixels(images), (2, 0, 1), strict=True):
        np.testing.assert_array_equal(values, picture(seed))
    assert len(load_images(path for path in paths)) == 3
    assert len(tg.load(paths[0])) == 1
    (tmp_path / "x.txt").write_text("")
    assert "x.txt in images has the suffix .txt" in refusal([paths[0], tmp_path / "x.txt"])
    assert "mixes paths and ndarray" in refusal([paths[0], picture()])
    assert "gone.png cannot be read: No such file" in refusal([tmp_path / "gone.png"])


# --- archives --------------------------------------------------------------------------------------------


def test_an_archive_is_the_folder_it_was_made_of(tmp_path):
    for name in ("2.png", "10.png", "cat/1.png", ".hidden.png", "note.txt"):
        saved(tmp_path / "set" / name, len(name)) if name.endswith("png") else None
    (tmp_path / "set" / "note.txt").write_text("x")
    target = zipped(tmp_path / "set.zip", tmp_path / "set")
    for recursive in (False, True):
        folder, packed = (load_images(tmp_path / p, recursive=recursive) for p in ("set", "set.zip"))
        assert packed.ids == folder.ids
        assert packed.fingerprint == folder.fingerprint
        for a, b in zip(pixels(packed, threads=3), pixels(folder), strict=True):
            np.testing.assert_array_equal(a, b)
    assert tg.load(target).name == "set"
    assert tg.load(target).listed == {"hidden files": 1, ".txt files": 1, "folders not looked into": 1}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["set", "set.zip"]  # nothing was unpacked


def test_archives_that_cannot_be_read_are_refused_by_name(tmp_path):
    (tmp_path / "x.zip").write_bytes(b"PK no archive")
    assert "x.zip is no zip archive" in refusal(tmp_path / "x.zip")
    with zipfile.ZipFile(tmp_path / "y.zip", "w") as out:
        out.writestr("a.txt", "no images")
        out.writestr("sub/.b.png", "hidden")
    assert "There are no images in the archive" in refusal(tmp_path / "y.zip")
    with zipfile.ZipFile(tmp_path / "z.zip", "w") as out:
        out.writestr("a/1.png", "x")
        out.writestr("b/1.png", "x")
    assert "2 folders ('a', 'b')" in refusal(tmp_path / "z.zip")
    assert "recursive=True" in refusal(tmp_path / "z.zip")


def test_a_damaged_member_is_named_and_can_be_skipped(tmp_path):
    for i in range(3):
        saved(tmp_path / "set" / f"{i}.png", i)
    target = zipped(tmp_path / "set.zip", tmp_path / "set")
    raw = bytearray(target.read_bytes())
    at = raw.index(b"IDAT", raw.index(b"set/1.png"))
    raw[at + 8] ^= 255
    target.write_bytes(bytes(raw))
    assert refusal(target).startswith(f"1.png in {target} cannot be read")
    assert [type(i) for i in load_images(target, on_error="skip").stream()] == [Decoded, Skipped, Decoded]


def test_locked_members_are_refused_with_what_to_do(tmp_path):
    saved(tmp_path / "set" / "0.png")
    target = zipped(tmp_path / "set.zip", tmp_path / "set")
    raw = bytearray(target.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        raw[raw.index(mark) + offset] |= 1
    target.write_bytes(bytes(raw))
    assert "Unpack it with its password and give the folder" in refusal(target)


def test_w3_a_picture_that_unpacks_to_more_than_256_mib_is_refused_before_it_is_unpacked(tmp_path):
    saved(tmp_path / "set" / "0.png")
    target = zipped(tmp_path / "set.zip", tmp_path / "set")
    raw = bytearray(target.read_bytes())
    for claim in (2**28, 2**28 + 1):
        for mark, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
            at = raw.index(mark) + offset
            raw[at : at + 4] = claim.to_bytes(4, "little")
        target.write_bytes(bytes(raw))
        if claim == 2**28:
            assert len(list(load_images(target).stream())) == 1
    assert "to 268,435,457; more than 268,435,456 are refused as a decompression bomb" in refusal(target)


def test_names_in_an_archive_that_leave_it_touch_nothing(tmp_path):
    buffer = io.BytesIO()
    Image.fromarray(picture()).save(buffer, "PNG")
    (tmp_path / "in").mkdir()
    with zipfile.ZipFile(tmp_path / "in" / "x.zip", "w") as out:
        out.writestr("../../evil.png", buffer.getvalue())
        out.writestr("/root.png", buffer.getvalue())
        out.writestr("./here.png", buffer.getvalue())
    before = sorted(tmp_path.rglob("*"))
    images = load_images(tmp_path / "in" / "x.zip", recursive=True)
    assert len(pixels(images)) == len(images) == 3
    assert sorted(tmp_path.rglob("*")) == before


# --- streaming -------------------------------------------------------------------------------------------


def test_stream_takes_rows_in_their_order_and_any_number_of_threads(tmp_path):
    for i in range(12):
        saved(tmp_path / f"{i}.png", i)
    images = load_images(tmp_path)
    rows = np.array([7, 0, 7, 3])
    for threads in (None, 1, 2, 5):
        assert [image.index for image in images.stream(threads=threads)] == list(range(12))
        chosen = list(images.stream(rows, threads=threads))
        assert [image.index for image in chosen] == rows.tolist()
        np.testing.assert_array_equal(chosen[0].pixels, picture(7))
    assert list(images.stream(np.array([], int))) == []


def test_threads_stay_a_bounded_number_ahead_and_end_with_the_stream():
    started = []
    before = threading.active_count()
    stream = in_order(lambda i: started.append(i) or i, range(100), 3)
    assert [next(stream) for _ in range(10)] == list(range(10))
    assert len(started) <= 10 + 2 * 3
    stream.close()
    for thread in threading.enumerate():
        if thread.name.startswith("truegrade-images"):
            thread.join(60)
    assert threading.active_count() == before


def test_a_stream_that_is_given_up_waits_for_no_thread():
    """The garbage collector may close it where threads cannot end: while another one is being started."""
    gate = threading.Event()
    stream = in_order(lambda i: i == 0 or gate.wait(60), range(100), 3)
    assert next(stream)
    closing = threading.Thread(target=stream.close)
    closing.start()
    closing.join(20)
    held = closing.is_alive()
    gate.set()
    closing.join(60)
    assert not held


def test_what_a_thread_raises_comes_in_its_turn():
    def work(i):
        if i == 5:
            raise ValueError("five")
        return i

    seen = []
    with pytest.raises(ValueError, match="five"):
        seen.extend(i for i in in_order(work, range(20), 4) if seen.append(i) is None and False)
    assert seen == [0, 1, 2, 3, 4]


def test_memory_of_a_stream_does_not_grow_with_the_set(tmp_path):
    """500 images of 256 x 256 are 98 MB of pixels; a few of them exist at a time."""
    path = tmp_path / "a.bmp"
    Image.new("RGB", (256, 256), (1, 2, 3)).save(path)  # quick to read
    images = load_images([path] * 500)
    for _ in load_images([path] * 20).stream(threads=2):  # Pillow's modules are loaded
        pass
    tracemalloc.start()
    try:
        count = sum(image.pixels.shape == (256, 256, 3) for image in images.stream(threads=2))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count == 500
    assert peak < 12e6


def test_fingerprint_follows_order_and_content(tmp_path):
    for i in range(4):
        saved(tmp_path / f"{i}.png", i)
    paths = [tmp_path / f"{i}.png" for i in range(4)]
    whole = load_images(tmp_path).fingerprint
    assert load_images(paths, name="other").fingerprint == whole
    assert load_images(paths[::-1]).fingerprint != whole
    assert load_images(paths[:3]).fingerprint != whole
    assert load_images(paths, value_range=(0, 1)).fingerprint != whole
    paths[2].write_bytes(b"broken")
    assert load_images(paths).fingerprint != whole
    paths[2].unlink()
    assert load_images(paths, on_error="skip").fingerprint != whole
    with pytest.raises(InputError, match=r"2\.png cannot be read"):
        _ = load_images(paths).fingerprint


# --- thumbnails ------------------------------------------------------------------------------------------


def test_thumbnails_keep_proportions_and_are_never_enlarged(tmp_path):
    for i, size in enumerate([(60, 30), (4, 5), (300, 2)]):
        saved(tmp_path / f"{i}.png", i, size)
    pictures = PicturesOf(load_images(tmp_path))
    found = pictures.thumbnails(np.array([2, 0, 1]), 20)
    assert [thumb.shape for thumb in found] == [(20, 1, 3), (20, 10, 3), (4, 5, 3)]
    assert all(thumb.dtype == np.uint8 for thumb in found)
    np.testing.assert_array_equal(found[2], picture(1, (4, 5)))
    chosen = pictures.subset(np.array([2, 1])).subset(np.array([1]))
    assert len(chosen) == 1
    np.testing.assert_array_equal(chosen.thumbnails(np.array([0]), 20)[0], found[2])
    with pytest.raises(InputError, match="side=0"):
        pictures.thumbnails(np.array([0]), 0)


def test_thumbnails_average_instead_of_picking_pixels(tmp_path):
    board = np.indices((64, 64)).sum(axis=0) % 2 * 255
    Image.fromarray(board.astype(np.uint8)).save(tmp_path / "board.png")
    (thumb,) = PicturesOf(load_images(tmp_path)).thumbnails(np.array([0]), 8)
    assert abs(thumb.astype(float) - 127.5).max() < 12


# --- options ---------------------------------------------------------------------------------------------


def test_options_that_mean_nothing_are_refused(tmp_path):
    saved(tmp_path / "set" / "0.png")
    np.save(tmp_path / "v.npy", np.zeros((3, 2)))
    for options in ({"recursive": True}, {"on_error": "skip"}, {"value_range": (0, 1)}):
        with pytest.raises(InputError, match=f"{next(iter(options))}=.* is for images, and .*v.npy"):
            tg.load(tmp_path / "v.npy", **options)
    for options in ({"ids": [1]}, {"columns": ["a"]}, {"pixels": (6, 8, 3)}):
        with pytest.raises(InputError, match=f"{next(iter(options))}=.* is for files of numbers"):
            tg.load(tmp_path / "set", **options)
    assert "recursive=True" in refusal(np.zeros((2, 4, 4), np.uint8), recursive=True)
    assert "key='x' chooses an array" in refusal(tmp_path / "set", key="x")
    assert "on_error='ignore' given" in refusal(tmp_path / "set", on_error="ignore")
    assert "is for folders and archives" in refusal(tmp_path / "set" / "0.png", recursive=True)


def test_images_where_vectors_are_needed_say_how_to_embed_them(tmp_path):
    from truegrade.load import as_samples, as_set

    saved(tmp_path / "set" / "0.png")
    with pytest.raises(InputError, match=r"holds 1 images, and vectors are needed.*truegrade embed"):
        as_samples(tmp_path / "set")
    images = as_set(tmp_path / "set", "mine")
    assert isinstance(images, Images)
    assert as_set(images, "yours").name == "yours"
    assert load_images(images, on_error="skip").on_error == "skip"
    assert repr(images) == f"Images('mine', 1 images, from {tmp_path / 'set'})"


def test_check_decodes_everything_and_says_what_was_read(tmp_path, capsys):
    from truegrade.cli import main

    saved(tmp_path / "a.png")
    saved(tmp_path / "in" / "b.png", 1, (20, 4))
    cut(tmp_path / "in" / "<b>\x1b[31m.jpg")
    assert main(["check", str(tmp_path)]) == 0
    assert "used 1, passed over" in capsys.readouterr().out
    assert main(["check", str(tmp_path), "--recursive"]) == 1
    assert "\\x1b[31m.jpg cannot be read as an image" in capsys.readouterr().err
    assert main(["check", str(tmp_path), "--recursive", "--on-error", "skip"]) == 0
    said = capsys.readouterr().out
    assert "used 2, skipped 1" in said
    assert "1 of 3 images of" in said
    assert "\x1b" not in said

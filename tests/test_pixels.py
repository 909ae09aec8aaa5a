"""Images: rows that are known to be pixels, from the door to the exhibits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import truegrade as tg
from truegrade.cli import main
from truegrade.demo import demo_samples, load_demo
from truegrade.errors import InputError
from truegrade.gallery.drawing import canvas_of
from truegrade.load import arrays, as_samples
from truegrade.result import read_result
from truegrade.result.exhibits import Exhibits
from truegrade.samples import Samples, check_pair

QUIET: dict[str, Any] = {"intervals": False, "floor": False, "metrics": ["precision", "recall"]}


def images(seed: int, *shape: int, n: int = 40) -> NDArray[np.uint8]:
    return np.random.default_rng(seed).integers(0, 256, (n, *shape), dtype=np.uint8)


def exhibits_of(real: Samples, synthetic: Any) -> Exhibits:
    found = tg.evaluate(real, synthetic, **QUIET).exhibits
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("shape", "pixels", "kept"),
    [
        ((4, 6), (4, 6), (4, 6)),
        ((24,), (4, 6), (4, 6)),
        ((4, 6, 3), (4, 6, 3), (4, 6, 3)),
        ((72,), [4, 6, 3], (4, 6, 3)),
        ((4, 6, 1), (4, 6), (4, 6)),
        ((4, 6), (4, 6, 1), (4, 6)),
    ],
)
@pytest.mark.parametrize("how", ["array", "as_samples", "npy", "column order", "npz", "on disk"])
def test_images_become_rows_that_know_their_size(
    shape: tuple[int, ...], pixels: Any, kept: Any, how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = images(0, *shape)
    if how == "array":
        samples = Samples.from_array(given, pixels=pixels)
    elif how == "as_samples":
        samples = as_samples(given, pixels=pixels)
    elif how == "npz":
        np.savez(tmp_path / "a.npz", given)
        samples = tg.load(tmp_path / "a.npz", pixels=pixels)
    else:
        if how == "on disk":
            monkeypatch.setattr(arrays, "IN_MEMORY", 0)
        np.save(tmp_path / "a.npy", np.asfortranarray(given) if how == "column order" else given)
        samples = tg.load(tmp_path / "a.npy", pixels=pixels)
    assert samples.pixels == kept
    np.testing.assert_array_equal(samples.array(), given.reshape(40, -1))
    assert samples.dtype == np.float32
    assert samples.subset(np.arange(3)).pixels == kept
    assert as_samples(samples, "other name").pixels == kept


@pytest.mark.parametrize(
    ("shape", "pixels", "message"),
    [
        ((24,), (5, 5), "has 24 values per sample, and images of 5 x 5 pixels have 25"),
        ((4, 6), (5, 6), "has 24 values per sample, and images of 5 x 6 pixels have 30"),
        ((4, 6), (6, 4), r"images of shape \(4, 6\), and pixels=\(6, 4\) was given"),
        ((3, 4, 6), (4, 6, 3), r"channels last \(values.transpose\(0, 2, 3, 1\)"),
        ((24,), (24,), r"pixels=\(24,\) given; \(height, width\)"),
        ((24,), (2, 6, 2), "with 1 or 3 channels"),
        ((24,), "4x6", "pixels='4x6' given"),
        ((24,), (-4, -6), "given; "),
        ((24,), (4.0, 6.0), "given; "),
        ((24,), 24, "pixels=24 given"),
    ],
)
def test_sizes_that_do_not_fit_are_refused(shape: tuple[int, ...], pixels: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        as_samples(images(0, *shape), pixels=pixels)


@pytest.mark.parametrize(("shape", "option"), [((4, 6), "4x6"), ((4, 6, 3), "4x6x3")])
def test_images_without_the_option_are_refused_and_told_of_it(shape: tuple[int, ...], option: str) -> None:
    with pytest.raises(InputError, match="a 2-D array of n samples") as refused:
        Samples.from_array(images(0, *shape))
    assert f"pixels={shape} (--pixels {option})" in str(refused.value)


def test_the_two_sides_must_be_of_one_size() -> None:
    real, turned = (Samples.from_array(images(0, 24), pixels=p) for p in ((4, 6), (6, 4)))
    with pytest.raises(InputError, match=r"images of 4 x 6 pixels, synthetic samples .* of 6 x 4"):
        check_pair(real, turned)


def test_images_are_drawn_whole() -> None:
    real, synthetic = (Samples.from_array(images(seed, 4, 6, 3), pixels=(4, 6, 3)) for seed in (0, 1))
    for other in (synthetic, synthetic.array()):
        exhibits = exhibits_of(real, other)
        assert (exhibits.drawing, exhibits.shape, exhibits.shown, exhibits.d) == ("image", (4, 6, 3), 72, 72)
        assert exhibits.notes == ()
        assert exhibits.low.tolist() == [real.array().min()] * 72
        assert exhibits.high.tolist() == [real.array().max()] * 72
        for specimen in exhibits.worst:
            assert specimen.values.dtype == np.uint8
            np.testing.assert_array_equal(specimen.values, synthetic.array()[specimen.row])
    flat = Samples.from_array(real.array())
    assert exhibits_of(flat, synthetic).shape == (4, 6, 3)
    assert exhibits_of(flat, synthetic.array()).drawing == "bars"


@pytest.mark.parametrize("shape", [(130, 70), (70, 130, 3), (65, 3), (64, 64)])
def test_large_images_are_block_means(shape: tuple[int, ...]) -> None:
    given = images(0, *shape, n=3)
    real = Samples.from_array(given, pixels=shape)
    canvas = canvas_of(real, real, 0)
    step = -(-max(shape[:2]) // 64)
    assert canvas.shape == (-(-shape[0] // step), -(-shape[1] // step), *shape[2:])
    assert canvas.shown == np.prod(canvas.shape)
    assert bool(canvas.notes) == (step > 1)
    for at, values in enumerate(canvas.values(real, np.arange(3))):
        expected = [
            [given[at, r : r + step, c : c + step].mean((0, 1)) for c in range(0, shape[1], step)]
            for r in range(0, shape[0], step)
        ]
        np.testing.assert_allclose(values.reshape(canvas.shape), expected, atol=0.1)


def test_the_demo_shows_digits() -> None:
    data, plain = demo_samples(), load_demo()
    assert data.keys() == {"train", "holdout", "good", "mode_dropping", "copying"}
    for name, samples in data.items():
        assert samples.pixels == (8, 8)
        np.testing.assert_array_equal(samples.array(), plain[name])
        assert (samples.labels is not None) == (name in ("train", "holdout"))
    assert data["train"].labels is not None
    np.testing.assert_array_equal(data["train"].labels, plain["train_labels"])


def test_columns_in_another_order_keep_pixels_and_labels() -> None:
    real = Samples.from_array(images(0, 4), columns=list("abcd"), pixels=(2, 2))
    synthetic = Samples.from_array(images(1, 4), columns=list("dcba"), pixels=(2, 2), labels=np.arange(40) % 2)
    moved = tg.samples.align(real, synthetic)
    assert moved.pixels == (2, 2)
    np.testing.assert_array_equal(moved.labels, synthetic.labels)


# --- command line --------------------------------------------------------------------------------------


def saved(tmp_path: Path) -> Any:
    return read_result(tmp_path / "out.json")


def grade(tmp_path: Path, *arguments: str) -> int:
    fast = ["--metrics", "precision,recall", "--no-intervals", "--no-floor", "--json", str(tmp_path / "out.json")]
    return main(["evaluate", *arguments, *fast])


def test_pixels_on_the_command_line(tmp_path: Path, capsys: Any) -> None:
    for seed, name in enumerate("ab"):
        np.save(tmp_path / f"{name}.npy", images(seed, 4, 6))
    files = [str(tmp_path / "a.npy"), str(tmp_path / "b.npy")]
    assert grade(tmp_path, *files) == 1
    assert "(--pixels 4x6)" in capsys.readouterr().err
    assert grade(tmp_path, *files, "--pixels", "4x6") == 0
    assert saved(tmp_path).exhibits.shape == (4, 6)
    assert grade(tmp_path, *files, "--pixels", "4x6", "--no-exhibits") == 0
    assert saved(tmp_path).exhibits is None
    assert grade(tmp_path, *files, "--pixels", "4x7") == 1
    assert "images of 4 x 7 pixels have 28" in capsys.readouterr().err
    for wrong in ("4", "4x", "ax6", "4x6x3x1", "0x4", "-4x6"):
        assert grade(tmp_path, *files, f"--pixels={wrong}") == 2
        assert "HEIGHTxWIDTH" in capsys.readouterr().err


def test_labels_on_the_command_line(tmp_path: Path, capsys: Any) -> None:
    values, kinds = np.random.default_rng(0).normal(size=(60, 2)), np.array(["cat", "dog"] * 30)
    np.savez(tmp_path / "real.npz", values=values, kind=kinds)
    rows = "\n".join(f"{a},{b},{kind}" for (a, b), kind in zip(values + 0.1, kinds, strict=True))
    (tmp_path / "made.csv").write_text(f"a,b,kind\n{rows}\n", encoding="utf-8")
    (tmp_path / "bare.csv").write_text(f"a,b\n{rows.replace(',cat', '').replace(',dog', '')}\n", encoding="utf-8")
    np.save(tmp_path / "bare.npy", values + 0.1)
    real = str(tmp_path / "real.npz")
    for name, per_precision in (("made.csv", 2), ("bare.csv", 0), ("bare.npy", 0)):
        assert grade(tmp_path, real, str(tmp_path / name), "--labels", "kind") == 0
        result = saved(tmp_path)
        assert list(result["recall"].per_group) == ["cat", "dog"]
        assert len(result["precision"].per_group) == per_precision
    assert grade(tmp_path, str(tmp_path / "bare.npy"), str(tmp_path / "bare.npy"), "--labels", "kind") == 1
    assert "no file has a column" in capsys.readouterr().err
    held = str(tmp_path / "made.csv")
    assert grade(tmp_path, real, str(tmp_path / "bare.csv"), "--labels", "kind", "--holdout", held) == 0
    assert grade(tmp_path, real, str(tmp_path / "bare.csv"), "--labels", "kind", "--columns", "a,nothing") == 1
    assert "no column 'nothing'" in capsys.readouterr().err

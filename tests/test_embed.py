"""Embedding: names and options, vectors in their order, images left out, nothing that is not finite, kept vectors."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, field, replace
from importlib import metadata
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from embed_cases import COLOURS, GREYS, Means, decoded, folder, means, pictured
from truegrade.embedders import (
    REGISTRY,
    Batch,
    Embedder,
    FunctionEmbedder,
    cache,
    embed,
    fit,
    get_embedder,
    register,
    registry,
)
from truegrade.embedders.pixels import Pixels
from truegrade.errors import InputError, MissingExtra
from truegrade.images import load_images
from truegrade.images.collection import Decoded
from truegrade.samples import check_pair

# --- names and options -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Odd(Means):
    """Options of every kind that can be written."""

    name: ClassVar[str] = "odd"

    weights: str | None = None
    sure: bool = False
    mean: tuple[float, float, float] = (0.5, 0.5, 0.5)
    size: int | tuple[int, int] = 8
    mode: Literal["a", "b", 3] = "a"
    module: object = None
    found: int = field(default=0, metadata={"state": True})


@pytest.fixture
def odd(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setitem(REGISTRY, "odd", registry.Entry(Odd, "6", "for tests"))
    return "odd"


def test_options_are_read_by_the_types_of_the_fields(odd: str) -> None:
    made = get_embedder("odd:scale=2,seed=3, weights = C:/a=b.pth,sure=yes,mean=0.1x0.2x.3,size=4x5,mode=3")
    assert isinstance(made, Odd)
    assert (made.scale, made.seed, made.weights, made.sure) == (2.0, 3, "C:/a=b.pth", True)
    assert (made.mean, made.size, made.mode) == ((0.1, 0.2, 0.3), (4, 5), 3)
    assert isinstance(made.scale, float)
    plain = get_embedder("odd:weights=none,size=7")
    assert isinstance(plain, Odd)
    assert (plain.weights, plain.size) == (None, 7)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("pixel", "no embedder named 'pixel'. Did you mean pixels?"),
        ("", "There are: pixels, lite0"),
        ("odd:sead=1", "no option 'sead'. Did you mean seed?"),
        ("odd:seed", "KEY=VALUE is accepted"),
        ("odd:seed=", "KEY=VALUE is accepted"),
        ("odd:seed=1,seed=2", "given twice"),
        ("odd:seed=1.5", "seed of the embedder odd is '1.5'; accepted: a whole number"),
        ("odd:sure=perhaps", "true or false"),
        ("odd:mode=c", "accepted: a, b, 3"),
        ("odd:size=4x5x6", "a whole number or AxB"),
        ("odd:mean=1x2", "AxBxC"),
        ("odd:module=x", "cannot be written in a text; make an instance"),
        ("odd:found=1", "no option 'found'"),
        ("pixels:channels=2", "1 (grey) or 3 (colour) is accepted"),
        ("pixels:size=0", "a side in pixels"),
        ("pixels:pca=0", "at least 1"),
    ],
)
def test_what_cannot_be_read_is_refused_with_what_can(odd: str, text: str, words: str) -> None:
    with pytest.raises(InputError) as refused:
        get_embedder(text)
    assert words in str(refused.value)


def test_instances_and_classes_and_functions() -> None:
    made = Means(2.0)
    assert get_embedder(made) is made
    assert isinstance(get_embedder(Means), Means)
    with pytest.raises(InputError, match="missing a required argument"):
        get_embedder(FunctionEmbedder)
    with pytest.raises(InputError, match="FunctionEmbedder"):
        get_embedder(lambda batch: batch)  # type: ignore[arg-type]


def test_registered_embedders_have_a_name_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "REGISTRY", dict(REGISTRY))
    register("mine", Means, dimension="6")
    register("mine", Means)  # again is no mistake
    made = get_embedder("mine:scale=3")
    assert isinstance(made, Means)
    assert made.scale == 3
    for name in ("mine", "lite0"):
        with pytest.raises(InputError, match="already"):
            register(name, Pixels)
    for name in ("", " ", "a:b", "a,b"):
        with pytest.raises(InputError, match="without"):
            register(name, Means)


def test_what_is_not_installed_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = replace(REGISTRY["lite0"], modules=("json", "no_such_module_here"))
    monkeypatch.setitem(REGISTRY, "lite0", entry)
    with pytest.raises(MissingExtra, match=r"needs no_such_module_here: pip install \"truegrade\[images\]\""):
        get_embedder("lite0")


def test_every_registered_embedder_is_where_it_is_said_to_be() -> None:
    for name, entry in REGISTRY.items():  # a class is imported without what it runs on
        maker = entry.maker()
        assert isinstance(maker, type), name
        assert issubclass(maker, Embedder), name
        assert maker.name == name


def test_the_package_and_its_embedders_are_imported_without_any_network() -> None:
    code = (
        "import sys, truegrade, truegrade.embedders as e; e.get_embedder('pixels');"
        "bad = {'torch', 'torchvision', 'timm', 'open_clip', 'onnx', 'onnxruntime'} & sys.modules.keys();"
        "print(sorted(bad))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


# --- vectors -----------------------------------------------------------------------------------------------


def test_vectors_are_those_of_the_images_in_their_order() -> None:
    labels = np.arange(40) % 3
    samples = embed(pictured(COLOURS, labels=labels), Means(), batch=7)
    assert np.allclose(samples.array(), means(COLOURS), rtol=1e-6, atol=0)
    assert samples.ids is not None
    assert samples.ids.tolist() == [f"{i}.png" for i in range(40)]
    assert samples.labels is not None
    assert samples.labels.tolist() == labels.tolist()
    assert samples.probabilities is not None
    assert np.allclose(samples.probabilities[:, 1], COLOURS[..., 0].mean((1, 2)) / 255, rtol=1e-6)
    assert samples.space is not None
    assert (samples.space.name, samples.space.embedder["version"]) == ("means", "1")
    assert (samples.name, samples.pixels) == ("faces", None)


def test_neither_batches_nor_threads_change_a_vector() -> None:
    first = embed(pictured(COLOURS), Means(), batch=32)
    for batch, threads in ((1, 1), (3, 2), (40, 4), (1000, None)):
        again = embed(pictured(COLOURS), Means(), batch=batch, threads=threads)
        assert np.array_equal(again.array(), first.array())
        assert again.fingerprint == first.fingerprint


def test_skipped_images_are_left_out_of_everything() -> None:
    labels = np.array([f"label {i}" for i in range(40)])
    broken = {0, 1, 2, 3, 17, 39}  # the first batch is all of them, and the last image
    good = [i for i in range(40) if i not in broken]
    samples = embed(pictured(COLOURS, labels=labels, broken=broken, on_error="skip"), Means(), batch=4)
    assert np.allclose(samples.array(), means(COLOURS)[good], rtol=1e-6, atol=0)
    assert samples.ids is not None
    assert samples.labels is not None
    assert samples.probabilities is not None
    assert samples.ids.tolist() == [f"{i}.png" for i in good]
    assert samples.labels.tolist() == [f"label {i}" for i in good]
    assert np.allclose(samples.probabilities[:, 1], COLOURS[good, :, :, 0].mean((1, 2)) / 255, rtol=1e-6)
    assert samples.space is not None
    assert (samples.space.images["used"], samples.space.images["skipped"]) == (34, 6)


def test_an_unreadable_image_is_refused_by_name() -> None:
    with pytest.raises(InputError, match=r"17\.png"):
        embed(pictured(COLOURS, broken={17}), Means())
    with pytest.raises(InputError, match="can be read"):
        embed(pictured(COLOURS[:3], broken={0, 1, 2}, on_error="skip"), Means())
    with pytest.raises(InputError, match="no images"):
        embed(pictured([]), Means())


CHANCES = {"no chance": (0.0, 0.0), "minus": (1.5, -0.5), "logits": (3.0, 1.0)}


@dataclass(frozen=True, eq=False)
class Bad(Means):
    """An embedder with one fault."""

    fault: str = "nan"

    def run(self, inputs: NDArray[np.float32]) -> Batch:
        made = super().run(inputs)
        features = made.features.copy()
        if self.fault == "nan":
            features[features[:, 0] == means(COLOURS)[11, 0], 2] = np.nan
        if self.fault == "one short":
            features = features[1:]
        if self.fault == "flat":
            features = features.ravel()
        if self.fault == "wide":
            features = np.concatenate([features, features[:, :1]], axis=1)
        if self.fault == "changing":
            features = features[:, : len(inputs)]
        chances = made.probabilities
        if self.fault == "infinite chance":
            chances = np.full((len(inputs), 2), np.inf, np.float32)
        if self.fault in CHANCES:
            chances = np.full((len(inputs), 2), 0.5, np.float32)
            chances[-1] = CHANCES[self.fault]
        return Batch(features, chances)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("nan", "gave nan among the features of image '11.png' of faces"),
        ("infinite chance", "gave inf among the probabilities of image '0.png'"),
        ("no chance", "means gave for image '7.png' of faces sum to 0; numbers of at least 0"),
        ("minus", "hold -0.5"),
        ("logits", "sum to 4; "),
        ("one short", "for 8 images"),
        ("flat", "returned features of shape (48,)"),
        ("changing", "says it has 6 features and returned 5"),
        ("wide", "says it has 6 features and returned 7"),
    ],
)
def test_what_an_embedder_gets_wrong_is_refused(fault: str, words: str) -> None:
    images = COLOURS[:6] if fault == "changing" else COLOURS[:40]
    with pytest.raises(InputError) as refused:
        embed(pictured(images), Bad(fault=fault), batch=5 if fault == "changing" else 8)
    assert words in str(refused.value)


@dataclass(frozen=True, eq=False)
class Unsure(Means):
    """Does not know its dimension before, and its version is a number."""

    fault: str = ""

    def describe(self) -> dict[str, Any]:
        return super().describe() | {"version": 2, "dimension": None}

    def run(self, inputs: NDArray[np.float32]) -> Batch:
        return Batch(super().run(inputs).features[:, : len(inputs)])


def test_an_embedder_that_does_not_know_its_dimension_keeps_to_one() -> None:
    with pytest.raises(InputError, match="returned 1 numbers for an image, and 5 before"):
        embed(pictured(COLOURS[:6]), Unsure(), batch=5)
    samples = embed(pictured(COLOURS[:6]), Unsure(), batch=6)
    assert samples.d == 6
    assert samples.space is not None
    assert samples.space.embedder["version"] == "2"  # a text, whatever was given


def test_an_embedder_says_what_it_is() -> None:
    class Silent(Means):
        def describe(self) -> dict[str, Any]:
            return {"name": "silent"}

    with pytest.raises(InputError, match="version, dimension"):
        embed(pictured(COLOURS), Silent())


def test_images_that_become_inputs_of_different_shapes_are_named() -> None:
    class Whole(Means):
        def prepare(self, image: Decoded) -> NDArray[np.float32]:
            return image.pixels.astype(np.float32)

    images = [*COLOURS[:3], COLOURS[3][:5]]
    with pytest.raises(InputError, match=r"'0\.png' of faces became an input of shape \(8, 6, 3\), '3\.png'"):
        embed(pictured(images), Whole())


def test_progress_counts_every_image_once() -> None:
    told: list[tuple[int, int, str]] = []
    embed(
        pictured(COLOURS, broken={5}, on_error="skip"), Means(), batch=16, progress=lambda *what: told.append(what)
    )
    assert [(done, total) for done, total, _ in told] == [(16, 40), (32, 40), (40, 40)]
    assert "means" in told[0][2]


@pytest.mark.parametrize("wrong", [{"batch": 0}, {"threads": 0}, {"batch": 2.5}, {"cache": 3}])
def test_wrong_numbers_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="accepted"):
        embed(pictured(COLOURS), Means(), **wrong)


def test_arrays_are_read_as_images_and_other_things_refused() -> None:
    np.testing.assert_array_equal(embed(COLOURS, Means()).array(), embed(pictured(COLOURS), Means()).array())
    with pytest.raises(InputError, match="a folder, an archive, an array"):
        embed(3, Means())


def test_sets_of_two_spaces_do_not_compare() -> None:
    real, synthetic = embed(pictured(COLOURS), Means()), embed(pictured(COLOURS[::-1]), Means(2.0))
    with pytest.raises(InputError, match="scale"):
        check_pair(real, synthetic)
    check_pair(real, embed(pictured(COLOURS[::-1]), Means()))


def test_memory_holds_vectors_not_images() -> None:
    import tracemalloc

    def peak(count: int) -> int:
        big = np.zeros((256, 256, 3), np.uint8)
        many = pictured([big] * count)
        tracemalloc.start()
        embed(many, FreshMeans(), batch=8, threads=2)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(20)  # what is made once
    assert peak(100) < peak(40) + 2_000_000  # 60 more images of 200 kB


class FreshMeans(Means):
    """Makes a copy of every image, as a decoder does."""

    def prepare(self, image: Decoded) -> NDArray[np.float32]:
        return super().prepare(replace(image, pixels=image.pixels.copy()))


def test_threads_reach_a_network_that_was_not_told() -> None:
    seen: list[int | None] = []

    @dataclass(frozen=True, eq=False)
    class Threaded(Means):
        threads: int | None = None

        def run(self, inputs: NDArray[np.float32]) -> Batch:
            seen.append(self.threads)
            return super().run(inputs)

    for given, asked in ((Threaded(), None), (Threaded(), 3), (Threaded(threads=2), 3)):
        embed(pictured(COLOURS[:5]), given, threads=asked)
    assert seen == [None, 3, 2]


# --- functions ---------------------------------------------------------------------------------------------


def test_a_function_gets_bytes_and_gives_vectors() -> None:
    seen: list[Any] = []

    def brightness(batch: NDArray[np.uint8]) -> NDArray[np.float64]:
        seen.append((batch.dtype, batch.shape))
        return batch.reshape(len(batch), -1, 3).mean(1)

    mine = FunctionEmbedder("brightness", "1", brightness)
    samples = embed(pictured(COLOURS), mine, batch=25)
    assert np.allclose(samples.array(), means(COLOURS)[:, :3], rtol=1e-6)
    assert seen == [(np.uint8, (25, 8, 6, 3)), (np.uint8, (15, 8, 6, 3))]
    assert samples.space is not None
    assert (samples.space.name, samples.space.embedder["version"]) == ("brightness", "1")
    both = FunctionEmbedder("both", "1", lambda batch: (brightness(batch), np.full((len(batch), 4), 0.25)))
    chances = embed(pictured(COLOURS), both).probabilities
    assert chances is not None
    assert chances.shape == (40, 4)


def test_a_function_returns_as_many_features_as_were_announced() -> None:
    def five(batch: NDArray[np.uint8]) -> NDArray[np.uint8]:
        return batch.reshape(len(batch), -1)[:, :5]

    with pytest.raises(InputError, match="The embedder f says it has 7 features and returned 5"):
        embed(pictured(COLOURS), FunctionEmbedder("f", "1", five, dimension=7))
    assert embed(pictured(COLOURS), FunctionEmbedder("f", "1", five, dimension=5)).d == 5


def test_functions_are_told_apart_by_version_and_refused_where_they_cannot_be() -> None:
    a, b = (FunctionEmbedder("f", version, lambda x: x.reshape(len(x), -1)) for version in "12")
    with pytest.raises(InputError, match="version"):
        check_pair(embed(pictured(COLOURS), a), embed(pictured(COLOURS[::-1]), b))
    with pytest.raises(InputError, match="a version that is not empty"):
        FunctionEmbedder("f", "", lambda x: x)
    with pytest.raises(InputError, match="a function is accepted"):
        FunctionEmbedder("f", "1", None)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no array of numbers"):
        embed(pictured(COLOURS), FunctionEmbedder("f", "1", lambda x: "text"))


# --- kept vectors ------------------------------------------------------------------------------------------


def test_a_second_time_nothing_is_decoded(tmp_path: Path) -> None:
    first = embed(pictured(COLOURS, broken={3}, on_error="skip"), Means(), cache=tmp_path)
    labels = np.arange(40)
    images = pictured(COLOURS, name="other", labels=labels, broken={3}, on_error="skip")
    again = embed(images, Means(), cache=tmp_path, batch=5)
    assert decoded(images) == 0
    assert np.array_equal(again.array(), first.array())
    assert again.probabilities is not None
    assert first.probabilities is not None
    assert np.array_equal(again.probabilities, first.probabilities)
    assert again.space == first.space
    assert again.ids is not None
    assert first.ids is not None
    assert again.ids.tolist() == first.ids.tolist()
    assert again.labels is not None
    assert again.labels.tolist() == [i for i in range(40) if i != 3]
    assert again.name == "other"


def test_what_is_kept_belongs_to_content_embedder_and_error_rule(tmp_path: Path) -> None:
    embed(pictured(COLOURS), Means(), cache=tmp_path)
    changed = COLOURS.copy()
    changed[20, 0, 0, 0] ^= 1
    for images, chosen in (
        (pictured(changed), Means()),
        (pictured(COLOURS[::-1]), Means()),
        (pictured(COLOURS), Means(2.0)),
        (pictured(COLOURS, on_error="skip"), Means()),
    ):
        made = embed(images, chosen, cache=tmp_path)
        assert decoded(images) == 40
        assert np.array_equal(made.array(), embed(images, chosen).array())


def test_vectors_of_other_libraries_are_told_apart_and_compare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = embed(pictured(COLOURS), Means(), cache=tmp_path)
    real = metadata.version
    monkeypatch.setattr(metadata, "version", lambda name: "0.1" if name == "pillow" else real(name))
    images = pictured(COLOURS)
    second = embed(images, Means(), cache=tmp_path)
    assert decoded(images) == 40
    assert first.space is not None
    assert second.space is not None
    assert first.space.versions == {name: real(name) for name in ("pillow", "numpy")}
    assert second.space.versions == {"pillow": "0.1", "numpy": real("numpy")}
    assert first.space == second.space
    check_pair(first, second)


def test_another_rule_of_resizing_is_another_space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = embed(pictured(COLOURS), Means(), cache=tmp_path)
    monkeypatch.setattr(cache, "RULE", cache.RULE + 1)
    images = pictured(COLOURS)
    second = embed(images, Means(), cache=tmp_path)
    assert decoded(images) == 40
    with pytest.raises(InputError, match="differ in resize_rule"):
        check_pair(first, second)


def test_i7_two_folders_of_one_name_are_never_mixed_up(tmp_path: Path) -> None:
    a = load_images(folder(tmp_path / "a" / "samples", COLOURS[:10]))
    b = load_images(folder(tmp_path / "b" / "samples", COLOURS[10:20]))
    cache = tmp_path / "cache"
    assert np.allclose(embed(a, Means(), cache=cache).array(), means(COLOURS[:10]), rtol=1e-6)
    assert np.allclose(embed(b, Means(), cache=cache).array(), means(COLOURS[10:20]), rtol=1e-6)
    assert len(list(cache.iterdir())) == 2
    moved = load_images(folder(tmp_path / "c" / "others", COLOURS[:10]))  # equal content elsewhere
    assert np.allclose(embed(moved, Refusing(), cache=cache).array(), means(COLOURS[:10]), rtol=1e-6)


class Refusing(Means):
    """Says it is `Means`, and cannot do anything."""

    def prepare(self, image: Decoded) -> NDArray[np.float32]:
        raise AssertionError("an image was embedded")


def test_a_damaged_file_counts_as_absent_and_is_replaced(tmp_path: Path) -> None:
    whole = embed(pictured(COLOURS), Means(), cache=tmp_path)
    (path,) = tmp_path.iterdir()
    content = path.read_bytes()
    middle = content.index(whole.array().tobytes()) + 100  # one bit of one vector
    flipped = content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
    for damaged in (content[: len(content) // 2], b"", b"not a file of tensors", flipped):
        path.write_bytes(damaged)
        images = pictured(COLOURS)
        assert np.array_equal(embed(images, Means(), cache=tmp_path).array(), whole.array())
        assert decoded(images) == 40
        fresh = pictured(COLOURS)
        assert np.array_equal(embed(fresh, Means(), cache=tmp_path).array(), whole.array())
        assert decoded(fresh) == 0
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_a_cache_that_is_no_folder_is_refused_and_a_full_disk_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is no folder"):
        embed(pictured(COLOURS), Means(), cache=tmp_path / "file")

    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("safetensors.numpy.save_file", full)
    assert embed(pictured(COLOURS), Means(), cache=tmp_path / "new").n == 40
    assert list((tmp_path / "new").iterdir()) == []


def test_what_was_fitted_is_kept_too(tmp_path: Path) -> None:
    first = fit("pixels:pca=4", pictured(GREYS), cache=tmp_path)
    images = pictured(GREYS)
    again = fit("pixels:pca=4", images, cache=tmp_path)
    assert decoded(images) == 0
    assert again.describe() == first.describe()
    assert fit(again, pictured(COLOURS)) is again
    assert fit("pixels:pca=3", pictured(GREYS), cache=tmp_path).describe()["dimension"] == 3

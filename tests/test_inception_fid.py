"""The network of FID: its structure, an independent oracle, weight files, names of scores, four ways to 299 x 299."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from truegrade.embedders.torch import InceptionFID
from truegrade.errors import InputError
from truegrade.images.collection import Decoded

torch = pytest.importorskip("torch")

PUBLISHED_PARAMETERS = 23_850_960  # of torchvision's inception_v3(num_classes=1008, aux_logits=False)
SHAPES = {
    "Conv2d_1a_3x3": (32, 149), "Conv2d_2a_3x3": (32, 147), "Conv2d_2b_3x3": (64, 147), "Conv2d_3b_1x1": (80, 73),
    "Conv2d_4a_3x3": (192, 71), "Mixed_5b": (256, 35), "Mixed_5c": (288, 35), "Mixed_5d": (288, 35),
    "Mixed_6a": (768, 17), "Mixed_6b": (768, 17), "Mixed_6c": (768, 17), "Mixed_6d": (768, 17), "Mixed_6e": (768, 17),
    "Mixed_7a": (1280, 8), "Mixed_7b": (2048, 8), "Mixed_7c": (2048, 8),
}  # fmt: skip


def image(values: Any, index: int = 0) -> Decoded:
    return Decoded(index, np.asarray(values, np.uint8), False, {})


def picture(height: int, width: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Waiting threads burn the CPU of tests that run beside."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def weight_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Random weights whose norms and biases do something, in the layout of the published file."""
    state = InceptionFID("random", seed=3).module.state_dict()
    generator = torch.Generator().manual_seed(5)
    for name, value in state.items():
        if name.endswith(("running_mean", "bias")):
            value.normal_(0, 0.1, generator=generator)
        elif name.endswith(("running_var", "bn.weight")):
            value.uniform_(0.5, 1.5, generator=generator)
    path = tmp_path_factory.mktemp("weights") / "inception.pth"
    torch.save(state, path)
    return path


@pytest.fixture(scope="module")
def loaded(weight_file: Path) -> InceptionFID:
    return InceptionFID(str(weight_file))


@pytest.fixture(scope="module")
def two(loaded: InceptionFID) -> np.ndarray:
    return np.stack([loaded.prepare(image(picture(40, 56, seed))) for seed in (1, 2)])


def torchvision_inception() -> Any:
    models = pytest.importorskip("torchvision").models
    return models.inception_v3(weights=None, num_classes=1008, aux_logits=False, init_weights=False)


def test_structure_is_the_published_one(loaded: InceptionFID) -> None:
    theirs = torchvision_inception().state_dict()
    ours = loaded.module.state_dict()
    assert {k: v.shape for k, v in ours.items()} == {k: v.shape for k, v in theirs.items()}
    assert sum(p.numel() for p in loaded.module.parameters()) == PUBLISHED_PARAMETERS


def test_forward_equals_torchvisions_network_with_its_pools_replaced(
    loaded: InceptionFID, two: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = torchvision_inception()
    module.transform_input = False
    module.load_state_dict(loaded.module.state_dict())
    module.eval()
    last: list[bool] = [False]

    def pool(x: Any, **options: Any) -> Any:
        kind = torch.nn.functional.max_pool2d if last[0] else torch.nn.functional.avg_pool2d
        return kind(x, **options) if last[0] else kind(x, **options, count_include_pad=False)

    inception = pytest.importorskip("torchvision.models.inception")
    functional = torch.nn.functional
    patched = SimpleNamespace(avg_pool2d=pool, max_pool2d=functional.max_pool2d, relu=functional.relu)
    monkeypatch.setattr(inception, "F", patched)
    module.Mixed_7c.register_forward_pre_hook(lambda *_: last.__setitem__(0, True))
    shapes: dict[str, tuple[int, int]] = {}
    taps: dict[str, Any] = {}

    def keep(name: str) -> Any:
        def hook(_part: Any, _inputs: Any, out: Any) -> None:
            shapes[name], taps[name] = tuple(out.shape[1:3]), out

        return hook

    for name in (*SHAPES, "maxpool1", "maxpool2"):
        module.get_submodule(name).register_forward_hook(keep(name))
    with torch.inference_mode():
        logits = module(torch.from_numpy(two[:1]))
        bias = module.fc.bias.numpy()
    batch = loaded.run(two[:1])
    means = {name: taps[name].mean((2, 3)).numpy() for name in ("maxpool1", "maxpool2", "Mixed_6e", "Mixed_7c")}
    assert {name: shapes[name] for name in SHAPES} == SHAPES
    np.testing.assert_allclose(batch.features, means["Mixed_7c"], rtol=1e-5, atol=1e-6 * means["Mixed_7c"].max())
    assert batch.features.std() > 0.01
    unbiased = np.exp(logits.numpy().astype(float) - bias)
    np.testing.assert_allclose(batch.probabilities, unbiased / unbiased.sum(1, keepdims=True), rtol=1e-4, atol=1e-8)
    for dims, name in ((64, "maxpool1"), (192, "maxpool2"), (768, "Mixed_6e")):
        tapped = InceptionFID("random", dims=dims)
        tapped.__dict__["module"] = loaded.module
        features = tapped.run(two[:1]).features
        assert features.shape == (1, dims) == (1, tapped.dimension)
        np.testing.assert_allclose(features, means[name], rtol=1e-5, atol=1e-6 * means[name].max())


def test_each_image_by_itself_gives_the_same_features(loaded: InceptionFID, two: np.ndarray) -> None:
    small = two[:, :, 60:199, 60:199]  # the network takes any size above 75
    alone = loaded.run(small[1:])
    together = loaded.run(small)
    np.testing.assert_allclose(alone.features[0], together.features[1], rtol=1e-5, atol=1e-5 * together.features.max())
    assert together.probabilities is not None
    np.testing.assert_allclose(together.probabilities.sum(1), 1, rtol=1e-6)
    assert together.probabilities.shape == (2, 1008)


def test_only_the_genuine_file_gives_scores_their_standard_names(
    weight_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from truegrade.embedders.torch import inception_fid

    digest = hashlib.sha256(weight_file.read_bytes()).hexdigest()
    other = InceptionFID(str(weight_file))
    assert other.official == {}
    assert other.name == f"inception-fid, weights {digest[:8]}"
    assert inception_fid.GENUINE[:8] == "6726825d" == inception_fid.ADDRESS[-12:-4]
    monkeypatch.setattr(inception_fid, "GENUINE", digest)
    genuine = InceptionFID(str(weight_file), resize="clean-fid")
    assert genuine.name == "inception-fid"
    names = {"frechet_distance": "FID", "kernel_distance": "KID", "inception_score": "Inception Score"}
    assert genuine.official == names
    assert InceptionFID(str(weight_file), dims=768).official == {}
    untrained = InceptionFID("random")
    assert untrained.official == {}
    assert untrained.name == "inception-fid, random weights"
    assert InceptionFID("random", dims=64).name == "inception-fid 64, random weights"


def test_renamed_to_the_genuine_name_it_is_still_another_file(weight_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "pt_inception-2015-12-05-6726825d.pth"
    path.write_bytes(weight_file.read_bytes())
    assert InceptionFID(str(path)).official == {}


def test_a_description_tells_what_the_features_depend_on(loaded: InceptionFID) -> None:
    about = loaded.describe()
    assert about["dimension"] == 2048
    assert about["preprocessing"]["as"] == "pytorch-fid"
    assert about["weights"] == "loaded"
    assert about["file_sha256"] == loaded.file_sha256
    drawn = InceptionFID("random", seed=3)
    assert drawn.describe()["weights"] == "random, seed 3"
    assert about["fingerprint"] != drawn.fingerprint == InceptionFID("random", seed=3).fingerprint


@pytest.mark.parametrize("options", [{"resize": "nearest"}, {"dims": 100}])
def test_unknown_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="accepted: "):
        InceptionFID("random", **options)


def test_a_download_that_fails_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    def refuse(*_: Any, **__: Any) -> None:
        raise OSError("no network here")

    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    asked = InceptionFID("download")
    with pytest.raises(InputError, match=r'no network here.*weights="path"'):
        asked.describe()


# --- the four ways to the network's input, each against its definition -----------------------------------------------


def interpolated(values: np.ndarray, new: int, at: Any) -> np.ndarray:
    """Along the first axis: linear between the two neighbours of at(i), the ends repeated."""
    old = len(values)
    rows = []
    for i in range(new):
        place = min(max(at(i, old / new), 0.0), old - 1.0)
        low = math.floor(place)
        part = place - low
        rows.append(values[low] * (1 - part) + values[min(low + 1, old - 1)] * part)
    return np.array(rows)


def averaged(values: np.ndarray, new: int) -> np.ndarray:
    """Along the first axis: a triangle as wide as the shrinking factor, cut at the ends and made to sum to one."""
    old = len(values)
    scale = max(old / new, 1.0)
    rows = []
    for i in range(new):
        distance = np.abs(np.arange(old) + 0.5 - (i + 0.5) * old / new) / scale
        weight = np.maximum(0, 1 - distance)
        rows.append((weight[:, None, None] * values).sum(0) / weight.sum())
    return np.array(rows)


def both(way: Any, values: np.ndarray) -> np.ndarray:
    return way(way(values).transpose(1, 0, 2)).transpose(1, 0, 2)


@pytest.mark.parametrize(("height", "width"), [(7, 12), (330, 310)])
def test_inputs_follow_the_definitions(height: int, width: int) -> None:
    pixels = picture(height, width)
    values = pixels.astype(float)
    centres = both(lambda v: interpolated(v, 299, lambda i, step: (i + 0.5) * step - 0.5), values)
    corners = both(lambda v: interpolated(v, 299, lambda i, step: i * step), values)
    triangles = both(lambda v: averaged(v, 299), values)
    for resize, expected in (
        ("pytorch-fid", 2 * centres / 255 - 1),
        ("torch-fidelity", (corners - 128) / 128),
        ("torchmetrics", (triangles - 128) / 128),
    ):
        got = InceptionFID("random", resize=resize).prepare(image(pixels)).transpose(1, 2, 0)
        assert got.dtype == np.float32
        np.testing.assert_allclose(got, expected, atol=2e-4, err_msg=resize)


def test_clean_resize_is_bicubic_in_floats_and_clipped() -> None:
    from PIL import Image

    pixels = picture(340, 620)
    planes = [Image.fromarray(pixels[:, :, c].astype(np.float32)) for c in range(3)]
    expected = np.stack([plane.resize((299, 299), Image.Resampling.BICUBIC) for plane in planes], 0)
    got = InceptionFID("random", resize="clean-fid").prepare(image(pixels))
    np.testing.assert_allclose(got, (expected.clip(0, 255) - 128) / 128, atol=1e-6)
    edge = np.zeros((20, 20, 3), np.uint8)
    edge[:, 10:] = 255
    overshoot = InceptionFID("random", resize="clean-fid").prepare(image(edge))
    assert overshoot.min() == -1
    assert overshoot.max() == np.float32(127 / 128)


def test_an_image_of_the_networks_size_is_only_scaled() -> None:
    pixels = picture(299, 299)
    plain = pixels.transpose(2, 0, 1).astype(np.float32)
    for resize in ("clean-fid", "torch-fidelity", "torchmetrics"):
        got = InceptionFID("random", resize=resize).prepare(image(pixels))
        np.testing.assert_allclose(got, (plain - 128) / 128, atol=1e-6)
    np.testing.assert_allclose(InceptionFID("random").prepare(image(pixels)), 2 * plain / 255 - 1, atol=1e-6)

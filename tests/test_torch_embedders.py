"""Torch modules as embedders: any module, torchvision's, DINOv2 and CLIP; weight files; nothing unasked."""

from __future__ import annotations

import json
import pickle
import socket
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from truegrade.embedders.torch import CLIP, VGG16, DINOv2, Inception, InceptionFID, ResNet34, TorchModule, weights
from truegrade.errors import InputError, MissingExtra
from truegrade.images.collection import Decoded

torch = pytest.importorskip("torch")
nn = torch.nn


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Waiting threads burn the CPU of tests that run beside."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise OSError("no network here")

    for target, name in (
        (socket, "create_connection"),
        (socket, "getaddrinfo"),
        (socket.socket, "connect"),
        (socket.socket, "connect_ex"),
    ):
        monkeypatch.setattr(target, name, refuse)


def image(height: int, width: int, seed: int = 0, grey: bool = False) -> Decoded:
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 1 if grey else 3), dtype=np.uint8)
    return Decoded(seed, np.repeat(pixels, 3, axis=2) if grey else pixels, grey, {})


def convolutions(seed: int = 0) -> Any:
    """A small classifier with what differs in training: norms and dropout; a ReLU overwrites its input."""
    torch.manual_seed(seed)
    return nn.Sequential(
        nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(inplace=True), nn.Dropout(0.5),
        nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(32, 5),
    )  # fmt: skip


def stack(embedder: Any, count: int = 4) -> np.ndarray:
    return np.stack([embedder.prepare(image(20, 24, seed)) for seed in range(count)])


def says(embedder: Any) -> tuple[Any, ...]:
    """What is said of the region of an image, and of what ran the network."""
    made = embedder.versions()
    return embedder.preprocessing["region"], made["torch"], made["device"]


_DEVICE = f"cuda {torch.cuda.get_device_name()}" if torch.cuda.is_available() else "cpu"
STRETCHED_HERE = ("all, proportions changed", metadata.version("torch"), _DEVICE)


# --- any module ------------------------------------------------------------------------------------------------------


def test_a_linear_module_is_a_matrix_product_of_scaled_pixels() -> None:
    module = nn.Sequential(nn.Flatten(), nn.Linear(3 * 4 * 5, 7))
    embedder = TorchModule(module, "mine", "1", (4, 5), mean=(0.1, 0.2, 0.3), std=(0.5, 0.6, 0.7))
    pictures = [image(4, 5, seed) for seed in range(3)]
    got = embedder.run(np.stack([embedder.prepare(p) for p in pictures]))
    values = np.array([(p.pixels / 255 - [0.1, 0.2, 0.3]) / [0.5, 0.6, 0.7] for p in pictures]).transpose(0, 3, 1, 2)
    weight, bias = (p.detach().numpy().astype(float) for p in module[1].parameters())
    np.testing.assert_allclose(got.features, values.reshape(3, -1) @ weight.T + bias, rtol=1e-4, atol=1e-5)
    assert got.features.dtype == np.float32
    assert got.probabilities is None


def test_maps_are_averaged_over_positions_and_taken_before_they_are_overwritten() -> None:
    module = convolutions()
    embedder = TorchModule(module, "mine", "1", 16, output="1")
    inputs = stack(embedder)
    module.eval()
    with torch.no_grad():
        maps = module[1](module[0](torch.from_numpy(inputs)))
    assert maps.min() < 0  # what the ReLU behind would have removed
    np.testing.assert_allclose(embedder.run(inputs).features, maps.mean((2, 3)).numpy(), rtol=1e-5, atol=1e-6)


def test_classes_are_the_softmax_of_what_the_module_returns() -> None:
    module = convolutions()
    embedder = TorchModule(module, "mine", "1", 16, output="5", classes=True)
    inputs = stack(embedder)
    batch = embedder.run(inputs)
    module.eval()
    with torch.no_grad():
        logits = module(torch.from_numpy(inputs)).double().numpy()
    expected = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    assert batch.features.shape == (4, 32)
    np.testing.assert_allclose(batch.probabilities, expected, rtol=1e-5)


def test_a_module_in_training_is_run_for_evaluation_and_put_back_part_by_part() -> None:
    module = convolutions().train()
    module[1].eval()  # a frozen norm in a module that trains
    modes = [part.training for part in module.modules()]
    embedder = TorchModule(module, "mine", "1", 16)
    inputs = stack(embedder)
    before = embedder.describe()["fingerprint"]
    first, second = embedder.run(inputs).features, embedder.run(inputs).features
    np.testing.assert_array_equal(first, second)
    assert [part.training for part in module.modules()] == modes
    assert embedder.describe()["fingerprint"] == before
    with torch.autocast("cpu", dtype=torch.bfloat16):
        np.testing.assert_array_equal(embedder.run(inputs).features, first)
    broken = TorchModule(nn.Sequential(module, nn.Unflatten(1, (1, 5))), "mine", "1", 16)
    with pytest.raises(InputError, match="shape"):
        broken.run(inputs)
    assert [part.training for part in module.modules()] == modes


def test_features_do_not_depend_on_the_batch() -> None:
    embedder = TorchModule(convolutions(), "mine", "1", 33)
    inputs = stack(embedder, 7)
    together = embedder.run(inputs).features
    alone = np.concatenate([embedder.run(inputs[i : i + 1]).features for i in range(7)])
    np.testing.assert_allclose(alone, together, rtol=1e-5, atol=1e-6)


def test_the_fingerprint_follows_the_weights_and_the_description_the_options() -> None:
    module = convolutions()
    embedder = TorchModule(module, "mine", "1", 16)
    before = embedder.describe()
    assert embedder.describe() == before
    assert before["preprocessing"]["region"] == "all, proportions changed"
    assert embedder.versions()["device"] == TorchModule(module, "mine", "1", 16, device="cpu").versions()["device"]
    assert embedder.versions()["torch"] == metadata.version("torch")
    assert TorchModule(convolutions(), "mine", "1", 16).describe() == before
    assert TorchModule(convolutions(1), "mine", "1", 16).describe()["fingerprint"] != before["fingerprint"]
    assert TorchModule(module, "mine", "1", 16, filter="bilinear").describe() != before
    with torch.no_grad():
        module[0].bias[0] += 1
    assert embedder.describe()["fingerprint"] != before["fingerprint"]


def test_a_module_of_grey_images_takes_one_channel_and_refuses_colour() -> None:
    embedder = TorchModule(nn.Conv2d(1, 3, 1), "mine", "1", 8, channels=1)
    grey = image(8, 8, grey=True)
    assert embedder.prepare(grey).shape == (1, 8, 8)
    np.testing.assert_allclose(embedder.prepare(grey)[0], grey.pixels[:, :, 0] / 255, rtol=1e-6)
    with pytest.raises(InputError, match="Image 3 is in colour"):
        embedder.prepare(image(8, 8, seed=3))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"module": lambda x: x}, "a torch.nn.Module is accepted"),
        ({"name": " "}, "needs a name"),
        ({"version": 1}, "needs a version"),
        ({"size": 0}, "size=0"),
        ({"size": (3, 4, 5)}, "size="),
        ({"channels": 2}, "channels=2"),
        ({"std": (1, 0, 1)}, "std above 0"),
        ({"mean": (1, 2)}, "three finite numbers"),
        ({"output": "8"}, "no submodule '8'; there are: 0, 1"),
    ],
)
def test_options_that_cannot_be_are_refused(options: dict[str, Any], says: str) -> None:
    given = {"module": convolutions(), "name": "mine", "version": "1", "size": 16} | options
    with pytest.raises(InputError, match=says):
        TorchModule(**given)


def test_a_device_that_is_not_there_is_refused() -> None:
    if torch.cuda.is_available():
        pytest.skip("there is CUDA here")
    embedder = TorchModule(convolutions(), "mine", "1", 16, device="cuda")
    with pytest.raises(InputError, match="device='cuda' given; here there is: auto, cpu"):
        embedder.run(stack(embedder))


# --- weights ---------------------------------------------------------------------------------------------------------


NAMED = (ResNet34, VGG16, Inception, InceptionFID, DINOv2, CLIP)


@pytest.mark.parametrize("embedder", NAMED)
def test_without_weights_the_way_to_some_is_told(embedder: Any) -> None:
    with pytest.raises(InputError, match=r'downloads none unasked; accepted: weights="path\.pth".*"random"'):
        embedder()
    with pytest.raises(InputError, match=r"There is no weight file 'nowhere\.pth'"):
        embedder("nowhere.pth")


@pytest.mark.parametrize("embedder", NAMED)
def test_without_the_extra_it_is_named(embedder: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("torch", "timm", "open_clip", "torchvision"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtra, match=r'pip install "truegrade\[torch\]"'):
        embedder("random")


def test_a_library_that_does_not_load_beside_torch_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from truegrade.embedders.torch import libraries

    def fail(name: str) -> None:
        raise RuntimeError("operator torchvision::nms does not exist\nand more")

    monkeypatch.setattr(libraries.importlib, "import_module", fail)
    with pytest.raises(MissingExtra, match=r"torchvision .* does not load beside torch .*: operator .*exist\. "):
        libraries.library("torchvision")


def test_importing_the_package_imports_no_heavy_library() -> None:
    code = (
        "import sys, truegrade, truegrade.embedders, truegrade.embedders.torch as t\n"
        "assert t.ResNet34.name and t.TorchModule\n"
        "heavy = {'torch', 'torchvision', 'timm', 'open_clip', 'PIL', 'onnxruntime'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


class Planted:
    """Runs code when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


def test_nothing_in_a_weight_file_is_run(tmp_path: Path) -> None:
    sign = tmp_path / "was-run"
    for name, write in (("a.pth", torch.save), ("b.pth", lambda thing, path: path.write_bytes(pickle.dumps(thing)))):
        path = tmp_path / name
        write({"weight": Planted(sign)}, path)
        with pytest.raises(InputError, match="cannot be read as tensors"):
            weights.read(path)
    torch.save(convolutions(), tmp_path / "whole.pth")
    with pytest.raises(InputError, match="a whole saved module"):
        weights.read(tmp_path / "whole.pth")
    assert not sign.exists()


def test_a_refused_file_is_told_in_words_of_our_own(tmp_path: Path) -> None:
    """Without torch's advice to run it, escape codes and warnings, which are errors here."""
    torch.save({"weight": Planted(tmp_path / "was-run")}, tmp_path / "a.pth")
    (tmp_path / "b.pth").write_bytes(pickle.dumps({"weight": Planted(tmp_path / "was-run")}, protocol=4))
    torch.save(convolutions(), tmp_path / "c.pth")
    with zipfile.ZipFile(tmp_path / "d.pth", "w") as out:  # what torch takes for TorchScript
        for name in ("data.pkl", "constants.pkl", "version"):
            out.writestr(f"d/{name}", b"3\n")
    for name in ("a.pth", "b.pth", "c.pth", "d.pth"):
        with pytest.raises(InputError) as refused:
            weights.read(tmp_path / name)
        said = str(refused.value)
        assert "the file is damaged, or holds more than tensors, and nothing in it is run." in said, name
        assert not any(word in said for word in ("weights_only", "likely succeed", "options", "\x1b")), name
    assert not (tmp_path / "was-run").exists()
    with pytest.raises(InputError, match=r"not be downloaded: OSError: red  and on\. Fetch"):
        weights.asked("it", fails)


def fails() -> None:
    raise OSError("red\x1b\x07and on.\nmore")


def test_a_torch_whose_restricted_reader_runs_code_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from safetensors.torch import save_file

    torch.save({"a": torch.ones(2)}, tmp_path / "a.pth")
    save_file({"a": torch.ones(2)}, tmp_path / "a.safetensors")
    for version, safe in (("2.5.1+cu121", False), ("2.6.0", True), ("3.0.0a0+git1", True)):
        monkeypatch.setattr(torch, "__version__", version)
        assert list(weights.read(tmp_path / "a.safetensors")) == ["a"]
        if safe:
            assert list(weights.read(tmp_path / "a.pth")) == ["a"]
            continue
        with pytest.raises(MissingExtra, match=r"torch 2\.5\.1.* 2\.6 or newer"):
            weights.read(tmp_path / "a.pth")
        with pytest.raises(MissingExtra, match=r"2\.6 or newer"):
            weights.asked("it", dict)


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize(
    ("embedder", "name"),
    [(ResNet34, "resnet34-b627a593.pth"), (InceptionFID, "pt_inception-2015-12-05-6726825d.pth")],
)
def test_nothing_in_a_downloaded_file_is_run(
    embedder: Any, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """torch's hub takes a file that is there without looking at its hash."""
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    (tmp_path / "hub" / "checkpoints").mkdir(parents=True)
    torch.save({"weight": Planted(tmp_path / "was-run")}, tmp_path / "hub" / "checkpoints" / name)
    with pytest.raises(InputError, match="could not be downloaded: the file is damaged, or holds more than tensors"):
        _ = embedder("download").module
    assert not (tmp_path / "was-run").exists()


def test_a_file_fills_in_all_weights_and_what_none_holds_is_there() -> None:
    class Kind(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.Sequential(nn.Linear(64, 64), nn.Conv2d(3, 8, 3), nn.MultiheadAttention(8, 2))
            nn.init.trunc_normal_(self.layers[0].weight, std=0.02)
            self.register_buffer("places", torch.arange(5).float() * 2, persistent=False)

    before = torch.get_rng_state()
    made = weights.seeded(0, Kind)
    assert torch.equal(torch.get_rng_state(), before)
    other = Kind()
    assert weights.fingerprint(made) != weights.fingerprint(other)
    weights.put(made, other.state_dict(), "it")
    assert weights.fingerprint(made) == weights.fingerprint(other)
    assert made.places.tolist() == [0, 2, 4, 6, 8]
    assert not made.training


@pytest.mark.parametrize("name", ["a.pth", "a.safetensors"])
@pytest.mark.parametrize("content", [b"", b"not weights at all", b"PK\x03\x04 cut off"])
def test_damaged_files_are_refused(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=f"{name}' cannot be read as tensors"):
        weights.read(tmp_path / name)


def test_a_file_without_named_tensors_is_refused(tmp_path: Path) -> None:
    for held in ({"epoch": 3}, [torch.zeros(2)], {}):
        torch.save(held, tmp_path / "a.pth")
        with pytest.raises(InputError, match="holds no state dict"):
            weights.read(tmp_path / "a.pth")


def test_weights_come_back_from_wrapped_and_half_precision_files(tmp_path: Path) -> None:
    module = convolutions(3)
    state = {f"module.{name}": value for name, value in module.state_dict().items()}
    torch.save({"state_dict": state, "epoch": 3}, tmp_path / "a.pth")
    other = convolutions(4)
    weights.put(other, weights.read(tmp_path / "a.pth"), "it")
    assert weights.fingerprint(other) == weights.fingerprint(module)
    half = {name: value.half() if value.is_floating_point() else value for name, value in module.state_dict().items()}
    torch.save({k: v for k, v in half.items() if not k.endswith("num_batches_tracked")}, tmp_path / "b.pth")
    weights.put(other, weights.read(tmp_path / "b.pth"), "it")
    assert {p.dtype for p in other.parameters()} == {torch.float32}
    assert weights.fingerprint(other) != weights.fingerprint(module)


def test_what_does_not_fit_is_listed_and_nothing_is_loaded() -> None:
    module = convolutions()
    state = dict(module.state_dict())
    del state["0.weight"]
    state["6.bias"] = torch.zeros(9)
    state |= {f"extra.{i}": torch.zeros(1) for i in range(7)}
    before = weights.fingerprint(module)
    with pytest.raises(InputError) as caught:
        weights.put(module, state, "my network")
    text = str(caught.value)
    assert "do not fit my network; 8 tensors expected" in text
    assert "1 missing: 0.weight" in text
    assert "1 of another shape: 6.bias (9,) for (5,)" in text
    assert "7 unexpected: extra.0, extra.1, extra.2, extra.3, extra.4 and 2 more" in text
    assert weights.fingerprint(module) == before
    state = dict(module.state_dict()) | {"AuxLogits.fc.weight": torch.zeros(2)}
    weights.put(module, state, "my network", unused=("AuxLogits.",))


# --- torchvision -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def resnet() -> ResNet34:
    return ResNet34("random", seed=1)


@pytest.mark.usefixtures("no_network")
def test_resnet_features_feed_its_classifier(resnet: ResNet34) -> None:
    inputs = stack(resnet, 2)
    assert inputs.shape == (2, 3, 224, 224)
    inputs = inputs[:, :, :96, :96]
    batch = resnet.run(inputs)
    module = resnet.module
    with torch.no_grad():
        x = module.maxpool(module.relu(module.bn1(module.conv1(torch.from_numpy(inputs)))))
        maps = module.layer4(module.layer3(module.layer2(module.layer1(x))))
        logits = maps.mean((2, 3)) @ module.fc.weight.T + module.fc.bias
    np.testing.assert_allclose(batch.features, maps.mean((2, 3)).numpy(), rtol=1e-4)
    np.testing.assert_allclose(batch.probabilities, torch.softmax(logits, 1).numpy(), rtol=1e-3, atol=1e-7)
    assert batch.features.shape == (2, resnet.dimension) == (2, 512)
    assert batch.probabilities is not None
    assert batch.probabilities.shape == (2, 1000)


def test_resnet_through_files_and_by_name(resnet: ResNet34, tmp_path: Path) -> None:
    from safetensors.torch import save_file

    assert resnet.name == "torchvision-resnet34, random weights"
    assert resnet.describe()["weights"] == "random, seed 1"
    assert says(resnet) == STRETCHED_HERE
    assert resnet.versions()["torchvision"] == metadata.version("torchvision")
    state = {k: v.contiguous() for k, v in resnet.module.state_dict().items()}
    torch.save(state, tmp_path / "r.pth")
    save_file(state, tmp_path / "r.safetensors")
    for name in ("r.pth", "r.safetensors"):
        loaded = ResNet34(str(tmp_path / name))
        assert loaded.fingerprint == resnet.fingerprint
        assert loaded.name == "torchvision-resnet34"
        assert loaded.describe()["weights"] == "loaded"
    assert loaded.official == {}
    inputs = np.zeros((1, 3, 64, 64), np.float32)
    np.testing.assert_array_equal(loaded.run(inputs).features, resnet.run(inputs).features)
    with pytest.raises(InputError, match=r"do not fit inception_v3 of torchvision; .* missing: Conv2d_1a_3x3"):
        Inception(str(tmp_path / "r.pth")).describe()


def test_random_weights_are_the_seeds_alone(resnet: ResNet34) -> None:
    torch.manual_seed(99)
    before = torch.get_rng_state()
    again = ResNet34("random", seed=1)
    assert again.fingerprint == resnet.fingerprint
    assert torch.equal(torch.get_rng_state(), before)
    weight = resnet.module.layer1[0].conv1.weight
    assert float(weight.std()) == pytest.approx((2 / (64 * 9)) ** 0.5, rel=0.02)


def test_the_three_outputs_of_vgg() -> None:
    vgg = VGG16("random", output="conv")
    assert vgg.name == "torchvision-vgg16 conv, random weights"
    inputs = stack(vgg, 1)[:, :, :64, :64]
    flat = vgg.run(inputs).features
    module = vgg.module
    made = {}
    for output in ("pooled", "fc2"):
        other = VGG16("random", output=output)
        other.__dict__["module"] = module
        made[output] = other.run(inputs)
        assert made[output].features.shape == (1, other.dimension)
    assert flat.shape == (1, vgg.dimension) == (1, 25088)
    np.testing.assert_allclose(made["pooled"].features, flat.reshape(512, 49).mean(1)[None], rtol=1e-4)
    first = np.maximum(flat @ module.classifier[0].weight.numpy().T, 0)  # biases are zero
    second = np.maximum(first @ module.classifier[3].weight.numpy().T, 0)
    np.testing.assert_allclose(made["fc2"].features, second, rtol=1e-3, atol=1e-4 * second.max())
    logits = (second @ module.classifier[6].weight.numpy().T).astype(float)
    expected = np.exp(logits - logits.max())
    np.testing.assert_allclose(made["pooled"].probabilities, expected / expected.sum(), rtol=2e-2, atol=1e-5)
    with pytest.raises(InputError, match="accepted: pooled, conv, fc2"):
        VGG16("random", output="fc1")  # type: ignore[arg-type]


def test_inception_of_torchvision() -> None:
    embedder = Inception("random")
    inputs = embedder.prepare(image(30, 30))[None]
    assert inputs.shape == (1, 3, 299, 299)
    assert -1.3 < inputs.min() < -0.8
    batch = embedder.run(inputs[:, :, :107, :107])
    assert batch.features.shape == (1, embedder.dimension) == (1, 2048)
    logits = batch.features.astype(float) @ embedder.module.fc.weight.numpy().T
    expected = np.exp(logits - logits.max())
    np.testing.assert_allclose(batch.probabilities, expected / expected.sum(), rtol=1e-2, atol=1e-6)


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("embedder", [ResNet34, DINOv2, CLIP])
def test_a_download_that_fails_is_an_input_error(
    embedder: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TORCH_HOME", "HF_HOME", "HF_HUB_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setattr("time.sleep", lambda _seconds: None)  # between the hub's own tries
    model = {DINOv2: {"model": "test_vit", "size": 32}, CLIP: {"model": "ViT-S-32", "tag": "none"}}.get(embedder, {})
    with pytest.raises(InputError, match=r'could not be downloaded: .*give weights="path"'):
        embedder("download", **model).describe()


# --- DINOv2 and CLIP -------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("no_network")
def test_dinov2_through_timm(tmp_path: Path) -> None:
    timm = pytest.importorskip("timm")
    small = {"model": "test_vit", "size": 32}  # of timm's own tests: the same class of network, tiny
    drawn = DINOv2("random", seed=5, **small)
    assert drawn.name == "dinov2 test_vit, random weights"
    inputs = stack(drawn, 3)
    features = drawn.run(inputs).features
    assert features.shape == (3, drawn.dimension) == (3, 64)
    with torch.no_grad():
        token = drawn.module.forward_features(torch.from_numpy(inputs))[:, 0]
    np.testing.assert_allclose(features, token.numpy(), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(drawn.run(inputs[2:]).features, features[2:], rtol=1e-5, atol=1e-5)
    torch.save(drawn.module.state_dict(), tmp_path / "d.pth")
    loaded = DINOv2(str(tmp_path / "d.pth"), **small)
    assert says(drawn) == STRETCHED_HERE
    assert drawn.versions()["timm"] == timm.__version__
    np.testing.assert_array_equal(loaded.run(inputs).features, features)
    assert loaded.fingerprint == drawn.fingerprint
    larger = DINOv2(str(tmp_path / "d.pth"), model="test_vit", size=64)  # positions are resampled
    assert larger.run(stack(larger, 1)).features.shape == (1, 64)
    with torch.device("meta"):
        assert timm.create_model("vit_large_patch14_dinov2", num_classes=0, img_size=224).num_features == 1024


def test_dinov2_that_timm_does_not_have() -> None:
    pytest.importorskip("timm")
    with pytest.raises(InputError, match=r"timm has no model 'dinov3'; of DINOv2 it has: .*vit_small_patch14_dinov2"):
        DINOv2("random", model="dinov3").describe()
    with pytest.raises(InputError, match="cannot be made for size=32"):
        DINOv2("random", model="test_resnet", size=32).describe()
    with pytest.raises(InputError, match="size=0"):
        DINOv2("random", size=0)


TINY_CLIP = {
    "embed_dim": 24,
    "quick_gelu": True,
    "vision_cfg": {"image_size": 64, "layers": 2, "width": 128, "patch_size": 16},
    "text_cfg": {"context_length": 77, "vocab_size": 100, "width": 32, "heads": 2, "layers": 1},
}


@pytest.mark.usefixtures("no_network")
def test_clip_through_open_clip(tmp_path: Path) -> None:
    import logging

    open_clip = pytest.importorskip("open_clip")
    (tmp_path / "tiny.json").write_text(json.dumps(TINY_CLIP))
    open_clip.add_model_config(tmp_path / "tiny.json")
    handlers = list(logging.getLogger().handlers)
    drawn = CLIP("random", model="tiny", seed=2)
    inputs = stack(drawn, 2)
    assert inputs.shape == (2, 3, 64, 64)
    features = drawn.run(inputs).features
    assert logging.getLogger().handlers == handlers
    assert features.shape == (2, drawn.dimension) == (2, 24)
    whole = open_clip.create_model("tiny", load_weights=False)
    whole.visual.load_state_dict(drawn.module.state_dict())
    whole.eval()
    with torch.no_grad():
        expected = whole.encode_image(torch.from_numpy(inputs)).numpy()
    np.testing.assert_allclose(features, expected, rtol=1e-5, atol=1e-6)
    torch.save(whole.state_dict(), tmp_path / "c.pt")
    loaded = CLIP(str(tmp_path / "c.pt"), model="tiny", antialias=False)
    assert says(loaded) == STRETCHED_HERE
    assert loaded.versions()["open_clip_torch"] == open_clip.__version__
    assert loaded.fingerprint == drawn.fingerprint
    assert loaded.describe()["preprocessing"] != drawn.describe()["preprocessing"]
    pixels = image(600, 500)
    sampled = torch.nn.functional.interpolate(
        torch.from_numpy(pixels.pixels.transpose(2, 0, 1)[None].astype(np.float32) / 255), (64, 64), mode="bicubic"
    )[0].numpy()
    mean, std = drawn.describe()["preprocessing"]["mean"], drawn.describe()["preprocessing"]["std"]
    expected = (sampled.transpose(1, 2, 0) - mean) / std
    np.testing.assert_allclose(loaded.prepare(pixels).transpose(1, 2, 0), expected, atol=1e-5)
    assert np.abs(loaded.prepare(pixels) - drawn.prepare(pixels)).max() > 0.1
    assert drawn.prepare(pixels).std() < 0.8 * loaded.prepare(pixels).std()  # anti-aliasing averages noise away


@pytest.mark.usefixtures("no_network")
def test_clip_whose_text_side_would_be_fetched_is_refused_unless_asked() -> None:
    pytest.importorskip("open_clip")
    with pytest.raises(InputError, match=r"text side of xlm-roberta-base-ViT-B-32 .* fetched"):
        CLIP("random", model="xlm-roberta-base-ViT-B-32").describe()


def test_clip_that_open_clip_does_not_have() -> None:
    pytest.importorskip("open_clip")
    with pytest.raises(InputError, match=r"open_clip has no model 'ViT-Z'; .*it has: .*ViT-L-14-336-quickgelu"):
        CLIP("random", model="ViT-Z").describe()

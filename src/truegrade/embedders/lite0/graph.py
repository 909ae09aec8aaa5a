"""Networks as ONNX models: a few building blocks, EfficientNet-Lite0 and the untrained network made of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from onnx import NodeProto, TensorProto

Floats = NDArray[np.float32]

LITE0_SIZE = 224
# Tan and Le 2019, table 1, without squeeze-and-excitation: expansion, kernel, stride, channels, repeats
_STAGES = (
    (1, 3, 1, 16, 1),
    (6, 3, 2, 24, 2),
    (6, 5, 2, 40, 2),
    (6, 3, 2, 80, 3),
    (6, 5, 1, 112, 3),
    (6, 5, 2, 192, 4),
    (6, 3, 1, 320, 1),
)
_STEM, _HEAD, _CLASSES = 32, 1280, 1000
_EPSILON = 1e-3  # of batch norm, as the network was trained
# Opset and format that every onnxruntime from 1.17 on reads.
_OPSET, _IR = 20, 9


@dataclass(frozen=True)
class Layer:
    """A convolution without bias and the batch norm behind it, by their names in the file of weights."""

    conv: str
    norm: str
    shape: tuple[int, int, int, int]
    stride: int = 1
    active: bool = True

    @property
    def groups(self) -> int:
        return self.shape[0] if self.shape[1] == 1 else 1


@dataclass(frozen=True)
class Block:
    """Layers in a row; with `skip` their input is added to what comes out."""

    layers: tuple[Layer, ...]
    skip: bool = False


def lite0_blocks() -> list[Block]:
    """EfficientNet-Lite0 up to the pooled features: stem, 16 inverted residual blocks, head."""
    blocks = [Block((Layer("_conv_stem", "_bn0", (_STEM, 3, 3, 3), stride=2),))]
    width = _STEM
    for expand, kernel, stride, out, repeats in _STAGES:
        for repeat in range(repeats):
            at = f"_blocks.{len(blocks) - 1}"
            blocks.append(_inverted_residual(at, width, out, expand, kernel, 1 if repeat else stride))
            width = out
    return [*blocks, Block((Layer("_conv_head", "_bn1", (_HEAD, width, 1, 1)),))]


def _inverted_residual(at: str, width: int, out: int, expand: int, kernel: int, stride: int) -> Block:
    inner = width * expand
    layers = (
        Layer(f"{at}._expand_conv", f"{at}._bn0", (inner, width, 1, 1)),
        Layer(f"{at}._depthwise_conv", f"{at}._bn1", (inner, 1, kernel, kernel), stride),
        Layer(f"{at}._project_conv", f"{at}._bn2", (out, inner, 1, 1), active=False),
    )
    return Block(layers if expand > 1 else layers[1:], skip=stride == 1 and width == out)


def lite0_shapes() -> dict[str, tuple[int, ...]]:
    """Name and shape of every tensor that `lite0_model` reads."""
    shapes: dict[str, tuple[int, ...]] = {"_fc.weight": (_CLASSES, _HEAD), "_fc.bias": (_CLASSES,)}
    for layer in (layer for block in lite0_blocks() for layer in block.layers):
        shapes[f"{layer.conv}.weight"] = layer.shape
        for part in ("weight", "bias", "running_mean", "running_var"):
            shapes[f"{layer.norm}.{part}"] = (layer.shape[0],)
    return shapes


def fold(layer: Layer, tensors: Mapping[str, Floats]) -> tuple[Floats, Floats]:
    """Weight and bias of the convolution with its batch norm folded in, computed in float64."""
    gain, shift, mean, variance = (
        tensors[f"{layer.norm}.{part}"].astype(np.float64) for part in ("weight", "bias", "running_mean", "running_var")
    )
    scale = gain / np.sqrt(variance + _EPSILON)
    weight = tensors[f"{layer.conv}.weight"].astype(np.float64) * scale[:, None, None, None]
    return weight.astype(np.float32), (shift - mean * scale).astype(np.float32)


def lite0_model(tensors: Mapping[str, Floats]) -> bytes:
    """The serialised model: "input" (b, 3, 224, 224) to "features" (b, 1280) and "logits" (b, 1000)."""
    graph = Graph(LITE0_SIZE)
    x = "input"
    for block in lite0_blocks():
        entry = x
        for layer in block.layers:
            weight, bias = fold(layer, tensors)
            x = graph.convolution(x, weight, bias, stride=layer.stride, groups=layer.groups)
            x = graph.clip(x, 0.0, 6.0) if layer.active else x
        x = graph.add("Add", [x, entry]) if block.skip else x
    graph.pooled(x, "features")
    head = [graph.constant(tensors[f"_fc.{part}"]) for part in ("weight", "bias")]
    graph.add("Gemm", ["features", *head], "logits", transB=1)
    return graph.serialise({"features": _HEAD, "logits": _CLASSES})


def random_model(weights: list[Floats], size: int) -> bytes:
    """The serialised untrained network: "input" (b, 3, size, size) to "features" (b, channels of the last weight).

    Convolutions of these weights without bias, each with ReLU; between them 2 x 2 average pooling, at the end the mean
    over all places.
    """
    graph = Graph(size)
    x = "input"
    for weight in weights:
        if x != "input":
            x = graph.halved(x)
        bias = np.zeros(len(weight), np.float32)
        x = graph.add("Relu", [graph.convolution(x, weight, bias)])
    graph.pooled(x, "features")
    return graph.serialise({"features": len(weights[-1])})


def random_weights(seed: int, channels: tuple[int, ...] = (3, 32, 64, 128, 256, 512)) -> list[Floats]:
    """He-uniform weights (variance 2 / fan-in; He et al. 2015) of 3 x 3 convolutions between so many channels.

    They come from the raw numbers of PCG64, which numpy promises to keep, and not from its distributions, which it
    does not: the same on every machine and for every version.
    """
    raw = np.random.PCG64(seed)
    weights = []
    for before, after in pairwise(channels):
        count, bound = after * before * 9, np.sqrt(6.0 / (before * 9))
        unit = (raw.random_raw(count) >> np.uint64(11)).astype(np.float64) / 2.0**53
        weights.append(((2.0 * unit - 1.0) * bound).astype(np.float32).reshape(after, before, 3, 3))
    return weights


@dataclass
class Graph:
    """An ONNX graph under construction for square inputs; every method adds a node and returns its output's name."""

    size: int
    nodes: list[NodeProto] = field(default_factory=list)
    constants: list[TensorProto] = field(default_factory=list)
    sides: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.sides["input"] = self.size

    def add(self, kind: str, inputs: list[str], output: str | None = None, **attributes: Any) -> str:
        from onnx import helper

        output = output or f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        if inputs[0] in self.sides:
            self.sides[output] = self.sides[inputs[0]]
        return output

    def constant(self, values: Floats) -> str:
        from onnx import numpy_helper

        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def convolution(self, x: str, weight: Floats, bias: Floats, *, stride: int = 1, groups: int = 1) -> str:
        """Zero padding so that ceil(side / stride) places come out; an odd zero goes to the right and bottom."""
        side, kernel = self.sides[x], weight.shape[-1]
        places = -(-side // stride)
        padding = max((places - 1) * stride + kernel - side, 0)
        before, after = padding // 2, padding - padding // 2
        inputs = [x, self.constant(weight), self.constant(bias)]
        pads = [before, before, after, after]
        out = self.add("Conv", inputs, kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=pads, group=groups)
        self.sides[out] = places
        return out

    def clip(self, x: str, low: float, high: float) -> str:
        return self.add("Clip", [x, *(self.constant(np.array(bound, np.float32)) for bound in (low, high))])

    def halved(self, x: str) -> str:
        """Mean over squares of 2 x 2; an odd last row or column is dropped."""
        out = self.add("AveragePool", [x], kernel_shape=[2, 2], strides=[2, 2])
        self.sides[out] = self.sides[x] // 2
        return out

    def pooled(self, x: str, output: str) -> str:
        """Mean over all places, (b, channels)."""
        return self.add("Flatten", [self.add("GlobalAveragePool", [x])], output, axis=1)

    def serialise(self, outputs: Mapping[str, int]) -> bytes:
        import onnx
        from onnx import TensorProto, helper

        def value(name: str, *shape: int) -> Any:
            return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["b", *shape])

        made = [value(name, width) for name, width in outputs.items()]
        graph = helper.make_graph(
            self.nodes, "truegrade", [value("input", 3, self.size, self.size)], made, self.constants
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], producer_name="truegrade")
        model.ir_version = _IR
        onnx.checker.check_model(model)
        return bytes(model.SerializeToString())

# mypy: disallow-subclassing-any=False, disallow-untyped-calls=False
"""The Inception network of FID as torch code: the graph of 2015-12-05 with 1,008 classes.

It differs from torchvision's Inception v3 in three places: average pools do not count the zeros of their padding, the
last block pools by maximum, and there are 1,008 classes. The names of its tensors are those of the published port of
the weights. Imports torch: import this module where torch is needed, not before.

Source: Szegedy et al. 2016 (the blocks); Heusel et al. 2017 (the graph as FID uses it).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.nn import functional

CLASSES = 1008
TAPS = {64: "after the first pool", 192: "after the second pool", 768: "Mixed_6e", 2048: "Mixed_7c"}


@dataclass(frozen=True)
class Conv:
    """A convolution, its norm and a ReLU: `name` inside its block, channels out, kernel, stride, padding."""

    name: str
    out: int
    kernel: tuple[int, int] = (1, 1)
    stride: int = 1
    pad: bool = True

    @property
    def padding(self) -> tuple[int, int]:
        return (self.kernel[0] // 2, self.kernel[1] // 2) if self.pad else (0, 0)


@dataclass(frozen=True)
class Pool:
    """A 3 x 3 pool of a branch: mean (over what is inside the map), max, or halve (max, stride 2, no padding)."""

    kind: str

    def __call__(self, x: Any) -> Any:
        if self.kind == "mean":
            return functional.avg_pool2d(x, 3, 1, 1, count_include_pad=False)
        return functional.max_pool2d(x, 3, 2) if self.kind == "halve" else functional.max_pool2d(x, 3, 1, 1)


Fork = tuple[Conv, ...]  # convolutions side by side, all on the same input
Branch = Sequence[Conv | Pool | Fork]


class Unit(nn.Module):
    """Convolution without bias, batch norm (eps 0.001), ReLU."""

    def __init__(self, channels: int, step: Conv) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, step.out, step.kernel, step.stride, step.padding, bias=False)
        self.bn = nn.BatchNorm2d(step.out, eps=0.001)

    def forward(self, x: Any) -> Any:
        return torch.relu(self.bn(self.conv(x)))


class Block(nn.Module):
    """Branches over the same input, their outputs stacked by channel in the order given."""

    def __init__(self, channels: int, *branches: Branch) -> None:
        super().__init__()
        self.branches = branches
        self.width = sum(self._add(channels, branch) for branch in branches)

    def _add(self, channels: int, branch: Branch) -> int:
        """The units of one branch as submodules; the channels it ends with."""
        for step in branch:
            if isinstance(step, Pool):
                continue
            convolutions = (step,) if isinstance(step, Conv) else step
            for one in convolutions:
                self.add_module(one.name, Unit(channels, one))
            channels = sum(one.out for one in convolutions)
        return channels

    def _take(self, x: Any, step: Conv | Pool | Fork) -> Any:
        if isinstance(step, Pool):
            return step(x)
        if isinstance(step, Conv):
            return self.get_submodule(step.name)(x)
        return torch.cat([self.get_submodule(one.name)(x) for one in step], 1)

    def forward(self, x: Any) -> Any:
        ends = []
        for branch in self.branches:
            end = x
            for step in branch:
                end = self._take(end, step)
            ends.append(end)
        return torch.cat(ends, 1)


def _grid35(channels: int, pool: int) -> Block:
    """Mixed_5: 35 x 35 positions."""
    return Block(
        channels,
        [Conv("branch1x1", 64)],
        [Conv("branch5x5_1", 48), Conv("branch5x5_2", 64, (5, 5))],
        [
            Conv("branch3x3dbl_1", 64),
            Conv("branch3x3dbl_2", 96, (3, 3)),
            Conv("branch3x3dbl_3", 96, (3, 3)),
        ],
        [Pool("mean"), Conv("branch_pool", pool)],
    )


def _to17(channels: int) -> Block:
    """Mixed_6a: from 35 x 35 to 17 x 17."""
    return Block(
        channels,
        [Conv("branch3x3", 384, (3, 3), 2, pad=False)],
        [
            Conv("branch3x3dbl_1", 64),
            Conv("branch3x3dbl_2", 96, (3, 3)),
            Conv("branch3x3dbl_3", 96, (3, 3), 2, pad=False),
        ],
        [Pool("halve")],
    )


def _grid17(channels: int, inner: int) -> Block:
    """Mixed_6b to 6e: 7 x 7 convolutions taken apart into rows and columns."""
    row, column = (1, 7), (7, 1)
    return Block(
        channels,
        [Conv("branch1x1", 192)],
        [Conv("branch7x7_1", inner), Conv("branch7x7_2", inner, row), Conv("branch7x7_3", 192, column)],
        [
            Conv("branch7x7dbl_1", inner),
            Conv("branch7x7dbl_2", inner, column),
            Conv("branch7x7dbl_3", inner, row),
            Conv("branch7x7dbl_4", inner, column),
            Conv("branch7x7dbl_5", 192, row),
        ],
        [Pool("mean"), Conv("branch_pool", 192)],
    )


def _to8(channels: int) -> Block:
    """Mixed_7a: from 17 x 17 to 8 x 8."""
    return Block(
        channels,
        [Conv("branch3x3_1", 192), Conv("branch3x3_2", 320, (3, 3), 2, pad=False)],
        [
            Conv("branch7x7x3_1", 192),
            Conv("branch7x7x3_2", 192, (1, 7)),
            Conv("branch7x7x3_3", 192, (7, 1)),
            Conv("branch7x7x3_4", 192, (3, 3), 2, pad=False),
        ],
        [Pool("halve")],
    )


def _grid8(channels: int, pool: str) -> Block:
    """Mixed_7b (mean pool) and 7c (max pool)."""

    def fork(name: str) -> Fork:
        return Conv(f"{name}a", 384, (1, 3)), Conv(f"{name}b", 384, (3, 1))

    return Block(
        channels,
        [Conv("branch1x1", 320)],
        [Conv("branch3x3_1", 384), fork("branch3x3_2")],
        [Conv("branch3x3dbl_1", 448), Conv("branch3x3dbl_2", 384, (3, 3)), fork("branch3x3dbl_3")],
        [Pool(pool), Conv("branch_pool", 192)],
    )


class FIDInception(nn.Module):
    """Images (b, 3, 299, 299), -1 to 1, to the features of one tap and, from the last tap on, class logits.

    The logits leave out the bias of the last layer, as the Inception Score is computed.
    """

    def __init__(self) -> None:
        super().__init__()
        self.Conv2d_1a_3x3 = Unit(3, Conv("", 32, (3, 3), 2, pad=False))
        self.Conv2d_2a_3x3 = Unit(32, Conv("", 32, (3, 3), pad=False))
        self.Conv2d_2b_3x3 = Unit(32, Conv("", 64, (3, 3)))
        self.Conv2d_3b_1x1 = Unit(64, Conv("", 80))
        self.Conv2d_4a_3x3 = Unit(80, Conv("", 192, (3, 3), pad=False))
        makers: list[tuple[str, Any, tuple[Any, ...]]] = [
            *((f"Mixed_5{letter}", _grid35, (pool,)) for letter, pool in zip("bcd", (32, 64, 64), strict=True)),
            ("Mixed_6a", _to17, ()),
            *((f"Mixed_6{letter}", _grid17, (c7,)) for letter, c7 in zip("bcde", (128, 160, 160, 192), strict=True)),
            ("Mixed_7a", _to8, ()),
            *((f"Mixed_7{letter}", _grid8, (pool,)) for letter, pool in zip("bc", ("mean", "max"), strict=True)),
        ]
        width = 192
        for name, make, options in makers:
            block = make(width, *options)
            self.add_module(name, block)
            width = block.width
        self.fc = nn.Linear(width, CLASSES)
        self.mixed = tuple(name for name, _, _ in makers)

    def forward(self, x: Any, tap: int = 2048) -> tuple[Any, Any]:
        halve = Pool("halve")
        x = halve(self.Conv2d_2b_3x3(self.Conv2d_2a_3x3(self.Conv2d_1a_3x3(x))))
        if tap == 64:
            return x.mean((2, 3)), None
        x = halve(self.Conv2d_4a_3x3(self.Conv2d_3b_1x1(x)))
        if tap == 192:
            return x.mean((2, 3)), None
        for name in self.mixed:
            x = self.get_submodule(name)(x)
            if tap == 768 and name == TAPS[768]:
                return x.mean((2, 3)), None
        features = x.mean((2, 3))
        return features, functional.linear(features, self.fc.weight)

"""The protocols there are. Conventions were read from the published source of the version that is named."""

from __future__ import annotations

from typing import Any

from truegrade.metrics import (
    MMD,
    ClippedCoverage,
    ClippedDensity,
    Coverage,
    Density,
    FrechetDistance,
    InceptionScore,
    KernelDistance,
    ModeScore,
    NearestNeighbourTwoSample,
    Precision,
    Recall,
    Wasserstein,
)
from truegrade.metrics.base import Metric
from truegrade.protocols.record import Protocol

_CUBIC = {"kernel": "(x.y / d + 1)^3", "estimator": "unbiased", "sd_ddof": 0}
_SINGULAR = (
    "A Fréchet distance of no more samples than features: the tool's matrix root of a singular product is inexact, the "
    "value here is exact."
)
_LOGITS = (
    "The Inception Score reads class probabilities; for vectors of logits take the metric of "
    "truegrade.protocols.get_protocol and set logits=True."
)
_SMALL = "With fewer samples than a subset has the tool stops; here the subset shrinks, with a note."


def _by_key(*metrics: Metric) -> dict[str, Metric]:
    return {metric.info.key: metric for metric in metrics}


def _mean_over(splits: str, sd_ddof: int) -> dict[str, Any]:
    return {"value": "mean over splits", "cut": splits, "sd_ddof": sd_ddof}


TORCH_FIDELITY = Protocol(
    "torch-fidelity",
    "torch-fidelity 0.4.0",
    "https://github.com/toshas/torch-fidelity",
    _by_key(
        FrechetDistance(),
        KernelDistance(compat="subsets", seed=2020, drawing="legacy"),
        InceptionScore(seed=2020, drawing="legacy", parts="floor"),
        Precision(k=3),
        Recall(k=3),
    ),
    {
        "kernel_distance": _CUBIC | {"draws": "synthetic subset (input1) before real subset (input2)"},
        "inception_score": _mean_over("at i n / splits rounded down", 0),
    },
    "inception-fid:resize=torch-fidelity",
    (
        "The subsets of the kernel distance are the tool's own where the synthetic set is its input1 and the real set "
        "its input2; swapped, the subsets are others and the values differ within their scatter.",
        "The tool computes kernels and means in the features' float32; the numbers agree as far as that goes.",
        _SMALL,
        _SINGULAR,
        _LOGITS,
        "Its F-score of precision and recall and its perceptual path length are not computed.",
    ),
)

CLEAN_FID = Protocol(
    "clean-fid",
    "clean-fid 0.1.35, mode clean",
    "https://github.com/GaParmar/clean-fid",
    _by_key(FrechetDistance(), KernelDistance(compat="subsets", drawing="legacy")),
    {"kernel_distance": _CUBIC | {"draws": "subset of the second set (synthetic) before the first (real)"}},
    "inception-fid:resize=clean-fid",
    (
        "The tool draws the subsets of its kernel distance with numpy's global generator, which it does not seed: the "
        "values are equal after numpy.random.seed(0), and for equal sizes up to 1,000 whatever the seed.",
        "The tool computes kernels and means in the features' float32; the numbers agree as far as that goes.",
        _SINGULAR,
    ),
)

PYTORCH_FID = Protocol(
    "pytorch-fid",
    "pytorch-fid 0.3.0",
    "https://github.com/mseitzer/pytorch-fid",
    _by_key(FrechetDistance()),
    {},
    "inception-fid:resize=pytorch-fid",
    (_SINGULAR,),
)

TORCHMETRICS = Protocol(
    "torchmetrics",
    "torchmetrics 1.9.0",
    "https://github.com/Lightning-AI/torchmetrics",
    _by_key(FrechetDistance(), KernelDistance(compat="subsets"), InceptionScore(ddof=1, parts="ceil")),
    {
        "frechet_distance": {"rounding": "of the features' type (float32)"},
        "kernel_distance": _CUBIC,
        "inception_score": _mean_over("into parts of n / splits rounded up", 1),
    },
    "inception-fid:resize=torchmetrics",
    (
        "The tool draws subsets and shuffles with torch's global generator: the kernel distance is equal where a "
        "subset holds all samples, the Inception Score where there is one split; else both differ by chance.",
        _SMALL,
        _SINGULAR,
        _LOGITS,
    ),
)

PRDC = Protocol(
    "prdc",
    "prdc 0.2, nearest_k of its example",
    "https://github.com/clovaai/generative-evaluation-prdc",
    _by_key(*(kind(k=5, ties="strict") for kind in (Precision, Recall, Density, Coverage))),
    {},
    None,
    ("The tool takes vectors. Images are graded in the usual space (lite0) unless another is asked for.",),
)

GAN_METRICS = Protocol(
    "gan-metrics",
    "GAN-Metrics, the published code of Xu et al. 2018 (compute_score_raw)",
    "https://github.com/xuqiantong/GAN-Metrics",
    _by_key(
        Wasserstein(),
        MMD(compat="gan-metrics"),
        NearestNeighbourTwoSample(equal_sizes=False),
        InceptionScore(splits=1, shuffle=False),
        ModeScore(first="real"),
        FrechetDistance(root=True),
    ),
    {
        "wasserstein": {"ground": "Euclidean"},
        "mmd": {
            "kernel": "exp(-|x - y|^2 / (2 s)), s the mean squared real-real distance with its zero diagonal",
            "estimator": "biased",
            "root": True,
        },
        "nn_two_sample": {"neighbours": 1},
        "mode_score": {"order": "real samples in the place of the synthetic ones, as the script calls it"},
    },
    "torchvision-resnet34",
    (
        "The script computes its Fréchet distance on class probabilities; give these as the samples for its number.",
        "The script resizes the shorter side of an image to 224; here the whole image becomes 224 x 224.",
        "Ties of the 1-NN test count one half; the script's fall as its sorting has it.",
        "Above 5,000 samples a side the Wasserstein distance is a mean over subsets, the script's of all samples (if "
        "its solver ends in time, which it does not check).",
    ),
)

CLIPPED_PAPER = Protocol(
    "clipped-paper",
    "the published code of Salvy et al. 2025",
    "https://github.com/nicolassalvy/ClippedDensityCoverage",
    _by_key(ClippedDensity(compat="official"), ClippedCoverage(compat="official")),
    {
        "clipped_density": {"normaliser": "from the k listed neighbours"},
        "clipped_coverage": {"inverse": "first entry of the table that is not below, over m + 1"},
    },
    "dinov2",
    ("Where distances are tied the listed neighbours depend on the order of the samples, in the code as here.",),
)

PROTOCOLS: dict[str, Protocol] = {
    p.name: p
    for p in (TORCH_FIDELITY, CLEAN_FID, PYTORCH_FID, TORCHMETRICS, PRDC, GAN_METRICS, CLIPPED_PAPER)
}
"""Every protocol by name."""

"""AVAILABLE_METRICS: the sixteen metrics by key."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from truegrade.ecg.registry.base import RegistryMetric
from truegrade.ecg.registry.deep import FED
from truegrade.ecg.registry.neighbours import NNDist, PRDist
from truegrade.ecg.registry.rhythm import HRV, SQI, HeartRate
from truegrade.ecg.registry.spectra import PSD, SpectralEntropy
from truegrade.ecg.registry.vectors import FD, MMD, SWD
from truegrade.ecg.registry.warping import DTW
from truegrade.ecg.registry.waves import MAE, PRD, PSNR, SSIM

_METRICS: tuple[type[RegistryMetric], ...] = (
    MMD, DTW, PRD, PSD, FD, FED, PSNR, SSIM, SWD, MAE, HRV, PRDist, SQI, NNDist, HeartRate, SpectralEntropy,
)  # fmt: skip
AVAILABLE_METRICS: Mapping[str, type[RegistryMetric]] = MappingProxyType({metric.key: metric for metric in _METRICS})
"""By key; AVAILABLE_METRICS[key](**parameters).compute(real, synthetic, lead_names=None)."""

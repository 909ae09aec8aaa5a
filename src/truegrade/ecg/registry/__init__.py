"""The sixteen metrics of ECGEN-Eval 0.5.0, corrected: on arrays (N, L, T) or recordings, by lead and over all."""

from __future__ import annotations

from truegrade.ecg.registry.base import RegistryMetric as RegistryMetric
from truegrade.ecg.registry.catalogue import AVAILABLE_METRICS as AVAILABLE_METRICS
from truegrade.ecg.registry.encoders import InputSpec as InputSpec
from truegrade.ecg.registry.encoders import OnnxEncoder as OnnxEncoder
from truegrade.ecg.registry.grade import grade_registry as grade_registry
from truegrade.ecg.registry.result import MetricResult as MetricResult

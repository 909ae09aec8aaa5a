"""Samplers for demonstrations and baselines, fitted on arrays or tables, and toy sets. Own code, few lines each.

    tg.samplers.GaussianCopula(real).sample(len(real), 0)

They are yardsticks, not models to release: what a score says of a model means more beside what it says of these.
"""

from truegrade.samplers import toys
from truegrade.samplers.ecg import simulate_ecg
from truegrade.samplers.fitted import (
    ExactCopy,
    GaussianCopula,
    IndependentMargins,
    JitteredBootstrap,
    MultivariateNormal,
    Sampler,
)

__all__ = [
    "ExactCopy",
    "GaussianCopula",
    "IndependentMargins",
    "JitteredBootstrap",
    "MultivariateNormal",
    "Sampler",
    "simulate_ecg",
    "toys",
]

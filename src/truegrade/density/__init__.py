"""Densities of pairs of columns on a grid: bins, kernels, levels, and the scores made from them.

Works on plain arrays; knows neither samples nor tables nor results.
"""

from __future__ import annotations

from truegrade.density.settings import SCORES as SCORES
from truegrade.density.settings import PairOutcome as PairOutcome
from truegrade.density.settings import Settings as Settings

"""The correlation score of a pair, by Pearson's correlation or by Spearman's."""

from __future__ import annotations

import math

import numpy as np

from truegrade.density.refusals import correlation
from truegrade.density.settings import Settings
from truegrade.density.stats import Floats, SideStats


def correlation_score(real: SideStats, synthetic: SideStats, settings: Settings) -> float:
    """1 - |R_p - R_q| / 2. Spearman's from the samples: all points up to 65,536, that many drawn beyond."""
    if settings.correlation == "pearson":
        found = [correlation(side) for side in (real, synthetic)]
    else:
        found = [spearman(side.sample) for side in (real, synthetic)]
    return 1.0 - abs(found[0] - found[1]) / 2


def spearman(points: Floats) -> float:
    """Rank correlation of points (n, 2), -1 to 1; NaN with fewer than two."""
    if len(points) < 2:
        return math.nan
    from scipy.stats import rankdata

    ranks = [rankdata(points[:, axis]) for axis in (0, 1)]
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])

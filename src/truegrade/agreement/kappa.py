"""Agreement of choices by chance-corrected shares, and whether it is more than chance.

Sources: Cohen, Educational and Psychological Measurement 20, 1960 (kappa); Wilcoxon, Biometrics Bulletin 1, 1945
(signed ranks; zero differences are dropped, p is exact also with ties).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from truegrade.agreement.ranks import average_ranks

_ROUNDING = 12  # decimals: kappas that differ by rounding alone are equal


def cohen_kappa(first: NDArray[np.intp], second: NDArray[np.intp]) -> float | str:
    """(observed - expected) / (1 - expected) agreement of two lists of categories, in [-1, 1].

    expected: the sum over categories of the product of both shares. A string says why it is undefined.
    """
    if not len(first):
        return "no answers"
    observed = float((first == second).mean())
    expected = float(sum((first == c).mean() * (second == c).mean() for c in np.union1d(first, second)))
    if expected >= 1.0:
        return "rater and score always chose the same side, so chance alone explains it"
    return (observed - expected) / (1 - expected)


def signed_rank_p(differences: Sequence[float]) -> float | str:
    """One-sided exact p of Wilcoxon's signed-rank test: how likely positive ranks sum to as much or more if the signs
    were random. A string says why it is undefined."""
    found = np.round(np.asarray(differences, dtype=np.float64), _ROUNDING)
    if len(found) < 2:
        return f"{len(found)} rater with a value; at least 2 are needed"
    found = found[found != 0]
    if not len(found):
        return "for every rater both are the same, so there is nothing to test"
    doubled = np.rint(2 * average_ranks(np.abs(found))).astype(np.intp)  # whole numbers, ties too
    total = int(doubled.sum())
    law = np.zeros(total + 1)
    law[0] = 1.0
    for rank in doubled:
        law[rank:] = (law[rank:] + law[:-rank]) / 2
        law[:rank] /= 2
    return float(min(1.0, law[int(doubled[found > 0].sum()) :].sum()))

"""All metrics in one evaluation against the bare matrix products on the same tiles."""

from __future__ import annotations

from typing import Any

import truegrade as tg
from benchmarks.common import bare_products, everything, gaussian, in_turn


def overhead(n: int, d: int = 1024, repeats: int = 3) -> dict[str, Any]:
    """N = M = n, standard normal; intervals and floors off. The ratio is evaluation / products."""
    real, synthetic = gaussian(n, d, 1), gaussian(n, d, 2)

    def evaluation() -> object:
        return tg.evaluate(real, synthetic, metrics=everything(), intervals=False, floor=False)

    tg.evaluate(real[:2500], synthetic[:2500], metrics=everything(), intervals=False, floor=False)  # compile
    return {"n": n, "d": d, **in_turn(lambda: bare_products(real, synthetic), evaluation, repeats)}

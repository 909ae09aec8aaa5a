"""Two numbers that lie on one line in the real table: whether the synthetic rows lie there too, and how along it."""

from __future__ import annotations

import numpy as np

from truegrade.density import PairOutcome, Settings, SideStats, line_frame
from truegrade.density.correlations import correlation_score
from truegrade.density.stats import Floats, line_stats
from truegrade.result.table import Measure
from truegrade.tables.naming import quoted
from truegrade.tabular.columns.draws import generator
from truegrade.tabular.columns.single import line_measure
from truegrade.tabular.columns.states import State

ON_LINE = 1e-3  # root mean square distance from the line, in real standard deviations, up to which rows lie on it


def line_state(names: tuple[str, str], refused: PairOutcome) -> State | None:
    """Of a pair that the density refused for a line: lacking unless the synthetic rows lie on the line of the real
    ones. None where the real rows do not lie on one."""
    if refused.status != "collinear" or "real" not in refused.details.get("sides", ()):
        return None
    off = float(refused.details["off_line"][1])
    both = f"{quoted(names[0])} and {quoted(names[1])} lie on one line in the real table"
    if off <= ON_LINE:
        return State("collinear", f"{both}, and on the same one in the synthetic table: compared along it.")
    where = "on another line" if "synthetic" in refused.details["sides"] else "off it"
    return State("collinear", f"{both}; the synthetic rows lie {where} ({off:.2g} standard deviations away).", True)


def line_scores(
    names: tuple[str, str], stats: tuple[SideStats, SideStats], settings: Settings, seed: int, *, intervals: bool
) -> dict[str, Measure]:
    """eden_line along the line of the real rows, of the sampled rows; and the correlation score."""
    along = [line_stats(_along(side.sample, stats[0])) for side in stats]
    scores = {"correlation_score": Measure(correlation_score(*stats, settings), ceiling=1.0)}
    frame = line_frame(along[0], along[1], settings, "the line")
    if isinstance(frame, PairOutcome):
        return {**scores, "eden_line": Measure(None, reason=frame.reason)}
    lines = frame.histogram(), frame.histogram()
    for histogram, side in zip(lines, along, strict=True):
        histogram.add(side.sample)
    rng = generator(seed, *names)
    found = line_measure(lines, frame, (along[0], along[1]), settings, rng, intervals=intervals)
    return {**scores, "eden_line": found}


def _along(points: Floats, real: SideStats) -> Floats:
    """Places of points (n, 2) along the line, in real standard deviations."""
    sign = np.array([1.0, np.copysign(1.0, real.cov[0, 1])])
    found: Floats = ((points - real.mean) / np.sqrt(np.diag(real.cov)) * sign).mean(axis=1)
    return found

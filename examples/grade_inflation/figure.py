"""One figure: some pairs, their densities as contours of real and synthetic points, and two scores of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from grade_inflation.cases import Case, Points
from grade_inflation.measure import Row
from truegrade.density import Contours, contour_cells, densities, frame_of, side_stats
from truegrade.density.settings import DEFAULT

SHOWN = ("ring", "banana", "energy")
_COLOURS = {"real": "#0072b2", "synthetic": "#d55e00"}
_CELLS = 160


def draw(pairs: Sequence[Case], rows: Mapping[str, Row], path: Path) -> None:
    """One column a pair: real above, synthetic below, on the same axes."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    shown = [case for case in pairs if case.key in SHOWN]
    figure, axes = plt.subplots(2, len(shown), figsize=(2.8 * len(shown), 5.4), squeeze=False)
    for column, case in zip(axes.T, shown, strict=True):
        points = {"real": case.real, "synthetic": case.draw(0)}
        cells = _cells(*points.values())
        for axis, (name, side) in zip(column, points.items(), strict=True):
            axis.contour(
                getattr(cells, name), levels=sorted(set(cells.levels[name][:-1])), colors=_COLOURS[name],
                extent=cells.extent, linewidths=1.1,
            )  # fmt: skip
            axis.plot(*side[:: 1 + len(side) // 800].T, ".", color="#999999", ms=2, zorder=0)
            axis.set(xlim=cells.extent[:2], ylim=cells.extent[2:], xticks=[], yticks=[])
            if axis is axes[0, 0] or axis is axes[1, 0]:
                axis.set_ylabel(name, fontsize=11, color=_COLOURS[name])
        column[0].set_title(_heading(case, rows[case.key]), fontsize=9)
    figure.tight_layout()
    figure.savefig(path, dpi=110, metadata={"Software": None})
    plt.close(figure)


def _heading(case: Case, row: Row) -> str:
    real, synthetic = case.title.split(" against ")
    means = row.means
    return (
        f"{real}\nagainst {synthetic}\ncorrelation score {means['correlation_score']:.3f}\n"
        f"Eden {means['eden_score']:.2f} of {row.ceiling:.2f}"
    )


def _cells(real: Points, synthetic: Points) -> Contours:
    """Both densities as the scores see them, with their iso-mass levels."""
    sides, stats = (real, synthetic), (side_stats(real), side_stats(synthetic))
    frame = frame_of(*stats)
    made = []
    for points, one in zip(sides, stats, strict=True):
        histogram = frame.histogram()
        histogram.add(points)
        made.append(densities(histogram, frame, one, DEFAULT))
    return contour_cells(*made, frame, _CELLS)

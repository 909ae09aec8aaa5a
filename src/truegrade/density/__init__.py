"""Densities of pairs of columns on a grid: bins, kernels, levels, and the scores made from them.

Works on plain arrays; knows neither samples nor tables nor results. Numba is loaded by the first call, not on import.
"""

from __future__ import annotations

from truegrade.density.frame import Frame as Frame
from truegrade.density.frame import frame_of as frame_of
from truegrade.density.grades import eden as eden
from truegrade.density.grades import grade_histograms as grade_histograms
from truegrade.density.grades import grade_pair as grade_pair
from truegrade.density.histogram import Histogram as Histogram
from truegrade.density.histogram import LineHistogram as LineHistogram
from truegrade.density.line import LineFrame as LineFrame
from truegrade.density.line import grade_line as grade_line
from truegrade.density.line import line_curves as line_curves
from truegrade.density.line import line_eden as line_eden
from truegrade.density.line import line_frame as line_frame
from truegrade.density.picture import Contours as Contours
from truegrade.density.picture import contour_cells as contour_cells
from truegrade.density.settings import DEFAULT as DEFAULT
from truegrade.density.settings import SCORES as SCORES
from truegrade.density.settings import PairOutcome as PairOutcome
from truegrade.density.settings import Settings as Settings
from truegrade.density.smoothing import Density as Density
from truegrade.density.smoothing import densities as densities
from truegrade.density.stats import SAMPLE as SAMPLE
from truegrade.density.stats import LineStats as LineStats
from truegrade.density.stats import SideStats as SideStats
from truegrade.density.stats import line_stats as line_stats
from truegrade.density.stats import sample_rows as sample_rows
from truegrade.density.stats import side_stats as side_stats

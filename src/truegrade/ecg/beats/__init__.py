"""Heart beats: R peaks by our own detector, median beats, what is measured on them, and the clinical scorecard."""

from __future__ import annotations

from truegrade.ecg.beats.peaks import peaks_of as peaks_of
from truegrade.ecg.beats.peaks import r_peaks as r_peaks

"""Recordings as vectors: seven descriptors a lead, eleven with spectral ones, or the form of the beats.

`fit_features` learns scales (and directions) from the real recordings; `features` and `to_samples` make vectors by
them, of one lead or of all leads side by side.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from truegrade.ecg.features.extract import Raw as Raw
from truegrade.ecg.features.extract import extract as extract
from truegrade.ecg.features.extract import part_of as part_of
from truegrade.ecg.features.fit import Fit as Fit
from truegrade.ecg.features.fit import fit_features as fit_features
from truegrade.ecg.features.rows import FeatureRows as FeatureRows
from truegrade.ecg.features.rows import features as features
from truegrade.ecg.features.rows import sample_rows as sample_rows
from truegrade.ecg.features.rows import to_samples as to_samples

FEATURES: Mapping[str, str] = MappingProxyType(
    {
        "descriptors": "7 descriptors a lead (level, size, zero crossings, autocorrelation), by the real sd",
        "spectral": "11 descriptors a lead, with skewness, kurtosis and the spectrum in Hz, by the real sd",
        "beats": "the mean beat of a lead about its R peak, in 8 directions of the real ones and by what is off them",
    }
)
"""The feature sets by key, in words."""

"""ECG recordings of one side: leads, sampling rate, units, which leads are missing; loading from files.

Knows nothing of grades. `Recordings` is the only door; `truegrade.ecg` grades them.
"""

from __future__ import annotations

from truegrade.recordings.leads import LEADS_8 as LEADS_8
from truegrade.recordings.leads import LEADS_12 as LEADS_12
from truegrade.recordings.record import Recordings as Recordings

"""ECG recordings of one side: leads, sampling rate, units, which leads are missing; loading from files.

Knows nothing of grades. `Recordings` is the only door; `truegrade.ecg` grades them.
"""

from __future__ import annotations

from truegrade.recordings.arrays import load_ecg_npy as load_ecg_npy
from truegrade.recordings.giving import as_recordings as as_recordings
from truegrade.recordings.leads import LEADS_8 as LEADS_8
from truegrade.recordings.leads import LEADS_12 as LEADS_12
from truegrade.recordings.loading import load_ecg as load_ecg
from truegrade.recordings.loading import load_ecg_folder as load_ecg_folder
from truegrade.recordings.record import Recordings as Recordings
from truegrade.recordings.wfdb_files import load_ecg_wfdb as load_ecg_wfdb

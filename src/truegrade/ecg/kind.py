"""Whether what was given is known to be ECG recordings, without being told."""

from __future__ import annotations

import os
from pathlib import Path

from truegrade.recordings import Recordings
from truegrade.samples import Samples


def are_recordings(given: object) -> bool:
    """Recordings and samples of them; paths of WFDB headers, with or without .hea, and folders that hold some."""
    if isinstance(given, Recordings) or (isinstance(given, Samples) and given.ecg is not None):
        return True
    if not isinstance(given, (str, os.PathLike)):
        return False
    path = Path(given)
    try:
        if path.is_dir():
            with os.scandir(path) as entries:
                return any(entry.name.lower().endswith(".hea") for entry in entries)
        return path.suffix.lower() == ".hea" or (not path.suffix and path.with_name(path.name + ".hea").is_file())
    except (OSError, ValueError):  # loading says what is wrong
        return False

"""How many processors this process may use."""

from __future__ import annotations

import os


def usable_cores() -> int:
    """Those that the process is allowed to run on, where the system says so, else all; at least 1."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1

"""ECG recordings: loading, a check before grading, the registry of per-lead metrics, and what grades them."""

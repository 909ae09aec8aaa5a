"""Speed and memory, measured: `python -m benchmarks`. Prints ratios of two things timed in turn in one run."""

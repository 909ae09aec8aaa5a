"""Simulated ECG recordings, what a generator can do wrong with them, and what the grades say of each."""

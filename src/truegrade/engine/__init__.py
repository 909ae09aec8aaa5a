"""The engine: works out what all metrics need together and computes it once. See needs.py for its vocabulary."""

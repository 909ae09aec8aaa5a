"""The feature likelihood divergence, slowly: gradients by complex steps, every density written out."""

from __future__ import annotations

import numpy as np

STEP = 1e-20


def normal(x, centre, log_variance, shorter=1.0):
    """Density of N(centre, exp(log_variance) I) at x, the distance multiplied by `shorter`."""
    d = len(x)
    squared = shorter**2 * float(((x - centre) ** 2).sum())
    return np.exp(-squared / (2 * np.exp(log_variance))) / (2 * np.pi * np.exp(log_variance)) ** (d / 2)


def objective(logs, centres, rows):
    """Mean over the rows of log(mixture + base), divided by the number of features."""
    mean, total = rows.mean(0), 0.0
    for x in rows:
        mixture = sum(normal(x, c, s) for c, s in zip(centres, logs[:-1], strict=True)) / len(centres)
        total = total + np.log(mixture + normal(x, mean, logs[-1], shorter=0.9))
    return total / len(rows) / rows.shape[1]


def gradient(logs, centres, rows):
    out = np.zeros(len(logs))
    for j in range(len(logs)):
        moved = logs.astype(complex)
        moved[j] += 1j * STEP
        out[j] = objective(moved, centres, rows).imag / STEP
    return out


def fit(centres, rows, steps=50):
    """Adam with its usual memories and the rate 0.5, uphill."""
    nearest = [min(((x - c) ** 2).sum() for x in rows) for c in centres]
    logs = np.array([*np.log((np.array(nearest) + 1e-3) / rows.shape[1]), 0.0])
    first, second = np.zeros(len(logs)), np.zeros(len(logs))
    for t in range(1, steps + 1):
        g = gradient(logs, centres, rows)
        first, second = 0.9 * first + 0.1 * g, 0.999 * second + 0.001 * g * g
        logs = logs + 0.5 * (first / (1 - 0.9**t)) / (np.sqrt(second / (1 - 0.999**t)) + 1e-8)
        logs[:-1] = np.clip(logs[:-1], -40, 20)
    return logs[:-1]


def nll(centres, logs, rows):
    """-100 / d times the mean log density of the mixture."""
    densities = [np.mean([normal(x, c, s) for c, s in zip(centres, logs, strict=True)]) for x in rows]
    return -100 * np.log(densities).mean() / rows.shape[1]

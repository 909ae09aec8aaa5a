"""The PRD curve of two discrete laws, point by point (Sajjadi et al. 2018)."""

from __future__ import annotations

import math


def slopes():
    return [math.tan(i / 1002 * math.pi / 2) for i in range(1, 1002)]


def curve(P, Q):
    """[(precision, recall)] at each slope; P is the real, Q the synthetic law."""
    points = []
    for slope in slopes():
        alpha = sum(min(slope * p, q) for p, q in zip(P, Q, strict=True))
        points.append((alpha, alpha / slope))
    return points


def best_f(points, beta):
    values = [(1 + beta**2) * p * r / (beta**2 * p + r) if beta**2 * p + r > 0 else 0.0 for p, r in points]
    return max(values)


def mean_curve(curves):
    return [
        (sum(p for p, _ in points) / len(points), sum(r for _, r in points) / len(points))
        for points in zip(*curves, strict=True)
    ]

"""Scores of class probabilities as plain float64 loops over samples and classes, for tests.

Probabilities are lists of rows. Nothing of the package is used.
"""

from __future__ import annotations

from math import exp, inf, log, sqrt


def softmax(logits):
    """Rows of probabilities of rows of logits."""
    out = []
    for row in logits:
        top = max(row)
        weights = [exp(v - top) for v in row]
        out.append([w / sum(weights) for w in weights])
    return out


def divergence(p, q):
    """KL(p || q) with 0 log 0 = 0, infinite where q lacks a class of p."""
    total = 0.0
    for a, b in zip(p, q, strict=True):
        if a > 0 and b == 0:
            return inf
        if a > 0:
            total += a * log(a / b)
    return total


def mean_row(rows):
    return [sum(row[c] for row in rows) / len(rows) for c in range(len(rows[0]))]


def inception_score(rows):
    """Of all samples at once."""
    q = mean_row(rows)
    return exp(sum(divergence(p, q) for p in rows) / len(rows))


def inception_score_over_splits(rows, splits, order):
    """Mean and standard deviations (divisors S and S - 1) over S consecutive parts of the samples in this order.

    The first n mod S parts hold one sample more than the rest.
    """
    n, at, scores = len(rows), 0, []
    for part in range(splits):
        size = n // splits + (1 if part < n % splits else 0)
        scores.append(inception_score([rows[i] for i in order[at : at + size]]))
        at += size
    mean = sum(scores) / splits
    squares = sum((s - mean) ** 2 for s in scores)
    return mean, sqrt(squares / splits), sqrt(squares / (splits - 1)) if splits > 1 else None


def mode_score(synthetic, real):
    """exp(mean KL(p || q) - KL(q || q_real)): p and q of the first argument, the synthetic samples."""
    q, q_real = mean_row(synthetic), mean_row(real)
    apart = divergence(q, q_real)
    return 0.0 if apart == inf else exp(sum(divergence(p, q) for p in synthetic) / len(synthetic) - apart)


def relative_inverse(score, score_real):
    return 1.0 - score / score_real

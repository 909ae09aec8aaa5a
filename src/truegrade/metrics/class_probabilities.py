"""Class probabilities of samples: where they come from, and the sums over them that the class scores share.

All is float64, read block by block in two passes; of n samples by c classes at most a block is held at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal
from weakref import WeakKeyDictionary

import numpy as np
from scipy.special import log_softmax, xlogy

from truegrade.engine.needs import Floats, Ints
from truegrade.errors import Notice, notice
from truegrade.metrics.drawing import Drawing, Parts, generator, part_sizes, split_of
from truegrade.samples import SUMS_OFF, Samples

_BLOCK = 2**20  # numbers in a block
_WHAT_TO_DO = (
    "Give rows of class probabilities (at least 0, sum 1), logits with logits=True, or images with an embedder that "
    "has classes."
)


@dataclass(frozen=True)
class Reader:
    """The class probabilities of one set. source: its embedder's, its rows themselves, or its rows as logits.

    off: by how much the sum over the classes missed 1 at most, before it was made 1.
    """

    samples: Samples
    source: Literal["embedder", "rows", "logits"]
    off: float = 0.0

    @property
    def classes(self) -> int:
        given = self.samples.probabilities
        return given.shape[1] if self.source == "embedder" and given is not None else self.samples.d

    def raw(self) -> Iterator[Floats]:
        """What is read, as it was given: blocks (b, c)."""
        size = max(1, _BLOCK // self.classes)
        given = self.samples.probabilities
        if self.source == "embedder" and given is not None:
            yield from (given[at : at + size].astype(np.float64) for at in range(0, len(given), size))
        else:
            yield from (block.astype(np.float64) for block in self.samples.blocks(size))

    def blocks(self) -> Iterator[Floats]:
        """Probabilities with the sum 1, blocks (b, c)."""
        for block in self.raw():
            if self.source == "logits":
                yield np.exp(log_softmax(block, axis=1))
            else:
                yield block / block.sum(1, keepdims=True)

    def notices(self, side: str) -> tuple[Notice, ...]:
        """What the reader of a score must know: rows were taken for probabilities."""
        if self.source != "rows":
            return ()
        return (notice("rows_as_probabilities", side=side, classes=self.classes, off=self.off),)


def reader(samples: Samples, side: str, logits: bool) -> Reader | str:
    """Where the class probabilities of these samples are; a string says why there are none, and what to do.

    With `logits` the rows are logits. Else the probabilities that an embedder set, else the rows if they evidently
    are probabilities.
    """
    embedded = samples.probabilities is not None
    found = Reader(samples, "logits" if logits else "embedder" if embedded else "rows")
    reason = "one column is no choice of classes" if found.classes < 2 else None
    if reason is None and found.source == "rows":
        reason = _at_a_glance(found)
    if reason is None and not logits:
        off = _checked(found)
        if isinstance(off, float):
            return Reader(samples, found.source, off)
        reason = off
    if reason is None:
        return found
    what = "probabilities by the embedder" if found.source == "embedder" else "rows"
    return f"the {side} {what} are no class probabilities: {reason}. {_WHAT_TO_DO}"


def readers(
    real: Samples, synthetic: Samples, logits: bool, names: tuple[str, str] = ("real", "synthetic")
) -> tuple[Reader, Reader] | str:
    """Those of both sets, of the same classes."""
    ours, theirs = reader(real, names[0], logits), reader(synthetic, names[1], logits)
    if isinstance(ours, str) or isinstance(theirs, str):
        return ours if isinstance(ours, str) else str(theirs)
    if ours.classes != theirs.classes:
        counts = f"{ours.classes} classes of the {names[0]} samples, {theirs.classes} of the {names[1]} ones"
        return f"{counts}; take both from one classifier."
    return ours, theirs


def _at_a_glance(found: Reader) -> str | None:
    """What the summary of the set already shows; it is read again up to the first bad row alone, which is named."""
    samples = found.samples
    lowest, total = float(samples.summary.lowest.min()), float(samples.summary.mean.sum())
    if lowest < 0:
        return f"the lowest value is {lowest:.3g}"
    if abs(total - 1.0) > SUMS_OFF:
        row = _checked(found)
        return f"the rows sum to {total:.4g} on average" + (f", {row}" if isinstance(row, str) else "")
    return None


_CHECKED: WeakKeyDictionary[Samples, dict[str, float | str]] = WeakKeyDictionary()


def _checked(found: Reader) -> float | str:
    """What `_largest_miss` finds, once for each set: all class scores ask, before any work and again at work."""
    known = _CHECKED.setdefault(found.samples, {})
    if found.source not in known:
        known[found.source] = _largest_miss(found)
    return known[found.source]


def _largest_miss(found: Reader) -> float | str:
    """The largest distance of a row's sum from 1, or which row is no row of probabilities."""
    start, worst = 0, 0.0
    for block in found.raw():
        sums = block.sum(1)
        misses = np.abs(sums - 1.0)
        bad = (block < 0).any(1) | ~(misses <= SUMS_OFF)
        if bad.any():
            row = int(np.argmax(bad))
            what = f"sums to {sums[row]:.4g}" if (block[row] >= 0).all() else "holds values below 0"
            return f"row {start + row} (from 0) {what}"
        worst, start = max(worst, float(misses.max())), start + len(block)
    return worst


# --- sums ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ClassSums:
    """The sums over one set that scores are made from; `splits` parts, of which sample i is in part split[i].

    Attributes:
        shares: (c,) mean probabilities of the whole set.
        divergences: (n,) KL of each sample's probabilities to `shares`.
        split, sizes: (n,) and (splits,).
        within: (n,) KL of each sample's probabilities to the mean of its own part.
        apart: (n,) chi-squared distance, sum over the classes of (p - mean)^2 / mean, to the mean of its own part.
        notices: how the probabilities were read.
    """

    shares: Floats
    divergences: Floats
    split: Ints
    sizes: Ints
    within: Floats
    apart: Floats
    notices: tuple[Notice, ...] = ()

    @property
    def scatter(self) -> Floats:
        """(splits,) mean chi-squared distance in each part, at most c - 1: it fixes how far off a mean of few is."""
        return np.asarray(np.bincount(self.split, self.apart, len(self.sizes)) / self.sizes)

    @property
    def log_score(self) -> float:
        """Mean divergence: the logarithm of the Inception Score of the whole set."""
        return max(0.0, float(self.divergences.mean()))


@dataclass(frozen=True, eq=False)
class PairSums:
    """Both sets whole, and the terms across.

    Attributes:
        drift: (m,) of each synthetic sample, sum over the classes of p log(mean synthetic / mean real), whose mean is
            KL(mean synthetic || mean real); None if a class that synthetic samples have is absent in the real set.
        weight: (n,) of each real sample, sum over the classes of p (mean synthetic / mean real).
        unseen: how many classes are absent in the real set alone.
    """

    real: ClassSums
    synthetic: ClassSums
    drift: Floats | None
    weight: Floats
    unseen: int


def class_sums(
    samples: Samples,
    *,
    logits: bool,
    seed: int,
    shuffle: bool,
    splits: int,
    drawing: Drawing = "default",
    parts: Parts = "even",
) -> ClassSums | str:
    """The sums of one set in `splits` parts, after a shuffle with `seed` if asked for; a string says why not."""
    found = reader(samples, "synthetic", logits)
    if isinstance(found, str):
        return found
    if samples.n < splits:
        return f"{samples.n} samples are fewer than {splits} splits"
    rng = generator(drawing, seed) if shuffle else None
    sizes = part_sizes(samples.n, splits, parts)
    whole = _Parts.of(found, split_of(sizes, rng), len(sizes))
    means = whole.means
    table = np.concatenate([log(whole.shares)[:, None], log(means).T], axis=1)
    own, across, squares = _terms(found, table, _inverse(means).T)
    rows = np.arange(samples.n)
    return ClassSums(
        whole.shares,
        own - across[:, 0],
        whole.split,
        whole.sizes,
        own - across[rows, 1 + whole.split],
        squares[rows, whole.split] - 1.0,
        found.notices("synthetic"),
    )


def pair_sums(
    real: Samples, synthetic: Samples, *, logits: bool, names: tuple[str, str] = ("real", "synthetic")
) -> PairSums | str:
    """The sums of both sets, undivided, and across; a string says why not. names: what the two are, for notices."""
    found = readers(real, synthetic, logits, names)
    if isinstance(found, str):
        return found
    ours, theirs = found
    a, b = (_Parts.of(one, np.zeros(one.samples.n, np.int64), 1) for one in found)
    absent = (a.shares == 0) & (b.shares > 0)
    table_real = np.stack([log(a.shares), b.shares * _inverse(a.shares)], axis=1)
    table = np.stack([log(b.shares), log(b.shares) - log(a.shares)], axis=1)
    own_real, across_real, squares_real = _terms(ours, table_real, _inverse(a.means).T)
    own, across, squares = _terms(theirs, table, _inverse(b.means).T)
    return PairSums(
        a.sums(own_real - across_real[:, 0], squares_real[:, 0] - 1.0, ours.notices(names[0])),
        b.sums(own - across[:, 0], squares[:, 0] - 1.0, theirs.notices(names[1])),
        None if absent.any() else across[:, 1],
        across_real[:, 1],
        int(absent.sum()),
    )


def log(shares: Floats) -> Floats:
    """The logarithm, and 0 where it would only meet probabilities that are 0."""
    return np.log(shares, out=np.zeros_like(shares), where=shares > 0)


def _inverse(shares: Floats) -> Floats:
    """1 / shares, and 0 where it would only meet probabilities that are 0."""
    return np.divide(1.0, shares, out=np.zeros_like(shares), where=shares > 0)


def entropy(shares: Floats) -> float:
    """Of a law over classes, in nats."""
    return -float(xlogy(shares, shares).sum())


@dataclass(frozen=True, eq=False)
class _Parts:
    """Mean probabilities of the parts, (splits, c), and of the whole."""

    split: Ints
    sizes: Ints
    means: Floats

    @property
    def shares(self) -> Floats:
        return np.asarray(self.sizes @ self.means / self.sizes.sum())

    @staticmethod
    def of(found: Reader, split: Ints, splits: int) -> _Parts:
        """One pass: sums by part."""
        totals, start = np.zeros((splits, found.classes)), 0
        for block in found.blocks():
            member = np.equal.outer(np.arange(splits), split[start : start + len(block)]).astype(np.float64)
            totals += member @ block
            start += len(block)
        sizes = np.bincount(split, minlength=splits)
        return _Parts(split, sizes, totals / sizes[:, None])

    def sums(self, divergences: Floats, apart: Floats, notices: tuple[Notice, ...]) -> ClassSums:
        """Of a set that is one part."""
        return ClassSums(self.shares, divergences, self.split, self.sizes, divergences, apart, notices)


def _terms(found: Reader, table: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """One pass: of each sample the sum of p log p, (n,), p times `table` (n, t), and p^2 times `weights` (n, w)."""
    own, across, squares = [], [], []
    for block in found.blocks():
        own.append(xlogy(block, block).sum(1))
        across.append(block @ table)
        squares.append((block * block) @ weights)
    return np.concatenate(own), np.concatenate(across), np.concatenate(squares)

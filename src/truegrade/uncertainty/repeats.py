"""Repeats: the same metrics of several synthetic sets of one generator, which shows how much they vary.

The sets are given (several runs), or drawn at the real set's size from one large pool. A drawn set is never larger
than the real one, because scores that count neighbours depend on the ratio of the sizes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError, Notice, notice
from truegrade.grading import Grade, Run, grade, refused
from truegrade.metrics.base import Metric
from truegrade.result import Repeats
from truegrade.samples import Samples, check_pair
from truegrade.tables import Table

_ACCEPTED = "a whole number of at least 2 (sets drawn from one pool) or a list of further synthetic sets is accepted"
Load = Callable[[object, int], Samples]
"""Turns what was given for set number i (from 1) into samples, with columns in the order of the real ones."""


@dataclass(frozen=True)
class Repetition:
    """Synthetic sets of one generator: the first, which is graded in full, and the rest.

    The rest are `runs`, or `rows` of `pool`, which are taken one at a time.
    """

    first: Samples
    how: str = ""
    runs: tuple[Samples, ...] = ()
    pool: Samples | None = None
    rows: tuple[NDArray[np.intp], ...] = ()

    def __len__(self) -> int:
        return 1 + len(self.runs) + len(self.rows)

    def rest(self) -> Iterator[Samples]:
        """The sets after the first."""
        yield from self.runs
        for rows in self.rows:
            assert self.pool is not None
            yield self.pool.subset(rows)

    def notices(self, real: Samples) -> tuple[Notice, ...]:
        """What is doubtful about the further sets, and how they were drawn; InputError if they do not fit."""
        found = tuple(note for run in self.runs for note in check_pair(real, run))
        if self.pool is None:
            return found
        return (*found, notice("drawn", count=len(self), n=self.first.n, m=self.pool.n))


def is_runs(given: object) -> bool:
    """Is this a list (or tuple) of sets, and not one set?

    It is when every entry is a path, Samples, or has two dimensions itself. A nested list of numbers and a list of
    one-dimensional arrays are one set: their entries are rows.
    """
    return isinstance(given, (list, tuple)) and bool(given) and all(_is_set(one) for one in given)


def _is_set(one: object) -> bool:
    if isinstance(one, (Samples, Table, str, os.PathLike)):
        return True
    shape = getattr(one, "shape", None)
    return isinstance(shape, tuple) and len(shape) == 2


def repetition(synthetic: object, repeats: object, *, n: int, seed: int, load: Load) -> Repetition:
    """The sets that `synthetic` (one set, or a list of runs) and `repeats` stand for.

    Args:
        repeats: None, how many sets of n to draw from `synthetic`, or a list of further sets.
        n: size of the real set. load: makes samples of what was given.

    Raises InputError for a pool not larger than n, fewer than 2 sets, and a set that is given twice.
    """
    given = _listed(synthetic) if is_runs(synthetic) else [synthetic]
    if isinstance(repeats, (int, np.integer)):
        if len(given) > 1:
            raise InputError(
                f"repeats={repeats!r} given with {len(given)} synthetic sets; repeats draws sets from one pool. "
                "Give one set, or several without repeats."
            )
        return drawn(load(given[0], 1), n, repeats, seed)
    if repeats is not None:
        given = given + ([repeats] if _is_set(repeats) else _listed(repeats))
    sets = [load(one, i) for i, one in enumerate(given, 1)]
    return Repetition(sets[0]) if len(sets) == 1 else runs(sets)


def _listed(repeats: object) -> list[object]:
    if is_runs(repeats) and isinstance(repeats, (list, tuple)):
        return list(repeats)
    raise InputError(f"repeats={str(repeats)[:60]} given; {_ACCEPTED}.")


def runs(sets: Sequence[Samples]) -> Repetition:
    """Sets that were given, each of any size; InputError where one is there twice."""
    prints = [samples.fingerprint for samples in sets]
    for i, one in enumerate(prints):
        if one in prints[:i]:
            raise InputError(
                f"Synthetic sets {prints.index(one) + 1} ({sets[prints.index(one)].name}) and {i + 1} "
                f"({sets[i].name}) are the same; give sets that were generated independently."
            )
    return Repetition(sets[0], f"{len(sets)} sets as given", tuple(sets[1:]))


def drawn(pool: Samples, n: int, count: int | np.integer, seed: int) -> Repetition:
    """`count` sets of n from `pool`: disjoint if it is large enough, else each drawn without replacement.

    Sets drawn from a pool of m share samples; of a mean they then show only sqrt(1 - n / m) of the spread of
    independent sets, which `how` says.
    """
    m = pool.n
    if isinstance(count, bool) or count < 2:
        raise InputError(f"repeats={count!r} given; {_ACCEPTED}.")
    if m <= n:
        raise InputError(
            f"repeats={count} sets of {n} samples, the size of the real set, are to be drawn from {pool.name}, which "
            f"has {m}; a pool of more than {n} is accepted, best of {count * n} (disjoint sets). Generate more "
            "samples, give several sets instead, or grade against fewer real samples."
        )
    rng = np.random.default_rng([seed, n, m])
    order = rng.permutation(m)
    if count * n <= m:
        parts = [order[i * n : (i + 1) * n] for i in range(int(count))]
        how = f"{count} disjoint sets of {n:,} drawn from {m:,}, seed {seed}"
    else:
        parts = [order[:n], *(rng.choice(m, n, replace=False) for _ in range(int(count) - 1))]
        how = (
            f"{count} sets of {n:,}, each drawn without replacement from {m:,}, seed {seed}; they share samples, "
            f"independent sets would vary about {(1 - n / m) ** -0.5:.2f} times as much"
        )
    rows = [np.sort(part).astype(np.intp) for part in parts]
    if pool.ids is None:  # so that a sample of a set can be found again
        pool = replace(pool, ids=np.arange(m))
    return Repetition(pool.subset(rows[0]), how, pool=pool, rows=tuple(rows[1:]))


def repeated(
    metrics: Mapping[str, Metric],
    first: Mapping[str, Grade],
    sets: Repetition,
    sides: Callable[[Samples], Mapping[str, Samples]],
    run: Run,
) -> dict[str, Repeats]:
    """Every metric of every set, by key; `first` holds the grades of the first set.

    The real side is not computed again where `run` has a cache.
    """
    values = {key: [_value(first[key])] for key in metrics}
    sizes = [sets.first.n]
    for number, samples in enumerate(sets.rest(), 2):
        these = sides(samples)
        fit = {key: metric for key, metric in metrics.items() if refused(metric, these) is None}
        found = grade(fit, these, run.labelled(f"set {number} of {len(sets)}"))
        for key, mine in values.items():
            mine.append(_value(found[key]) if key in found else np.nan)
        sizes.append(samples.n)
    return {key: summary(mine, sizes, sets.how) for key, mine in values.items()}


def _value(graded: Grade) -> float:
    return np.nan if graded.outcome.value is None or graded.status != "ok" else float(graded.outcome.value)


def summary(values: Sequence[float], sizes: Sequence[int], how: str) -> Repeats:
    """Mean, sd (n - 1), median, quartiles, 5th and 95th percentile of the values that are defined."""
    every = np.asarray(values, dtype=np.float64)
    known = every[~np.isnan(every)]
    if not known.size:
        return Repeats(every, tuple(sizes), how)
    p05, q25, median, q75, p95 = (float(q) for q in np.quantile(known, [0.05, 0.25, 0.5, 0.75, 0.95]))
    sd = float(known.std(ddof=1)) if known.size > 1 else None
    return Repeats(every, tuple(sizes), how, float(known.mean()), sd, median, q25, q75, p05, p95)

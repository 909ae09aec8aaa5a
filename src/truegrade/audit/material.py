"""What scenarios damage: the user's real samples in one feature space, with what was changed before embedding.

All splits are seeded. Labels, classes and the space come along with rows, so damage that only chooses rows keeps them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.samples import Samples

Rows = NDArray[np.intp]
_TIED = 0.01  # share of distances


@dataclass(frozen=True, eq=False)
class Material:
    """Real samples, and the same samples changed before they were embedded.

    real: all of them. offers: what they are ("vectors", "plane", "images", "ecg"). space: name of the feature space, ""
    for vectors as given. remake: by name of a change ("shift", "turn", "noise" ...), all real samples with this change,
    row i of sample i; made at first use, then kept. law: whether this is a stand-in for the user's data.
    """

    real: Samples
    offers: frozenset[str] = frozenset({"vectors"})
    space: str = ""
    remake: Mapping[str, Callable[[], Samples]] = field(default_factory=dict)
    law: bool = False
    _made: dict[str, Any] = field(default_factory=dict)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    @property
    def n(self) -> int:
        return self.real.n

    def changed(self, name: str) -> Samples:
        """All real samples with a change made before embedding; KeyError where this data does not have it."""
        make = self.remake[name]
        made: Samples = self.kept(f"changed: {name}", make)
        return made

    def kept(self, name: str, make: Callable[[], Any]) -> Any:
        """What `make` gives, made once: for what scenarios share, such as clusters."""
        with self._lock:
            if name not in self._made:
                self._made[name] = make()
            return self._made[name]

    def split(self, rng: np.random.Generator, parts: int = 2) -> tuple[Rows, ...]:
        """The rows in random order, in so many parts of equal size; what does not divide is left out."""
        order, size = rng.permutation(self.n), self.n // parts
        return tuple(order[i * size : (i + 1) * size] for i in range(parts))

    def rows(self, index: Rows) -> NDArray[np.float64]:
        """The values of some samples, (len(index), d), a copy."""
        return np.asarray(self.real.rows.take(index), np.float64)


def joined(parts: Sequence[Samples]) -> Samples:
    """Several sets of one space as one, with their class probabilities; labels and all else are left behind."""
    whole = Samples.from_array(np.concatenate([part.array() for part in parts]), name=parts[0].name)
    known = [part.probabilities for part in parts if part.probabilities is not None]
    if len(known) < len(parts):
        return whole
    return replace(whole, probabilities=np.concatenate(known), space=parts[0].space)


def tied(values: NDArray[np.floating]) -> bool:
    """Whether more than one in a hundred distances is there twice, among some samples."""
    some = values[np.unique(np.linspace(0, len(values) - 1, min(len(values), 100)).astype(np.intp))]
    rows, columns = np.triu_indices(len(some), 1)
    away = ((some[rows] - some[columns]) ** 2).sum(axis=1)
    return len(np.unique(away)) < (1.0 - _TIED) * len(away)

"""For every recording the most similar ones of the real set: coarsely among all, then in full among a few."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truegrade.ecg.copies import screen
from truegrade.ecg.copies.equal import equal_to, prints
from truegrade.ecg.copies.match import Matcher
from truegrade.ecg.copies.waves import RATE, Waves, common_leads, rate_of, waves
from truegrade.engine.blas import single_thread
from truegrade.recordings import Recordings
from truegrade.uncertainty.cuts import group_codes

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Nearest:
    """Of each recording of a set the most similar real ones: rows, similarity and shift in s, (m, k). equal: (m,) the
    real recording that it equals value by value, or -1. enough: (m,) whether it has the leads to be compared."""

    rows: Rows
    similarity: Floats
    shift: Floats
    equal: Rows
    enough: NDArray[np.bool_]

    def best(self, of: NDArray[np.bool_] | None = None) -> tuple[Floats, Rows, Floats]:
        """Similarity, row and shift of the most similar real recording, among `of` (n,) where that is given."""
        similarity = self.similarity
        if of is not None:
            similarity = np.where(of[self.rows], similarity, -1.0)
        at = similarity.argmax(axis=1)
        each = np.arange(len(at))
        return similarity[each, at], self.rows[each, at], self.shift[each, at]


class Search:
    """The real recordings, made ready to be searched."""

    def __init__(self, real: Recordings, *others: Recordings) -> None:
        self.leads = common_leads(real, *others)
        self.fs = rate_of(real, others[0])
        self.rate = min(RATE, self.fs, *(rate_of(side, real) for side in others))
        self.real = real
        self._prints = prints(real, self.leads)
        self._waves = waves(real, self.leads, self.fs, self.rate)
        self._directions = screen.components(self._waves)
        self._coarse = screen.coarse(self._waves, self._directions)

    def nearest(self, side: Recordings) -> Nearest:
        """Of each recording of one of the other sets."""
        theirs = waves(side, self.leads, rate_of(side, self.real), self.rate)
        equal = equal_to(prints(side, self.leads), self._prints)
        return self._search(theirs, screen.coarse(theirs, self._directions), equal, None)

    def among_themselves(self) -> Nearest:
        """Of each real recording, among those of other patients."""
        own = group_codes(self.real.patients, len(self.real))
        return self._search(self._waves, self._coarse, np.full(len(self.real), -1, np.intp), own)

    def _search(self, theirs: Waves, coarse: screen.Coarse, equal: Rows, groups: Rows | None) -> Nearest:
        with single_thread():
            both = None if groups is None else (groups, groups)
            rows = screen.candidates(self._coarse, coarse, groups=both)
            matcher = Matcher(self._waves, theirs)
            found = [matcher.similarity(row, near) for row, near in enumerate(rows)]
        similarity = np.array([one for one, _ in found])
        if groups is not None:
            similarity[groups[rows] == groups[:, None]] = -1.0
        return Nearest(rows, similarity, np.array([shift for _, shift in found]), equal, theirs.enough | (equal >= 0))

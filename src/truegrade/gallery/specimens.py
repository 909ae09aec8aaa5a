"""The samples to look at: the worst synthetic, the least covered real, the pairs that look like copies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truegrade.engine.needs import Floats, Ints
from truegrade.gallery.drawing import Canvas
from truegrade.gallery.facts import Facts, Side, SideFacts, label_of, name_of, ratio
from truegrade.result.exhibits import Pair, Specimen
from truegrade.samples import Samples

MOST = 12
_CHUNK = 4 * MOST
_LOOK = 2000  # candidates that are looked at, at most, to find distinct ones


@dataclass(frozen=True)
class Picked:
    """What was found, and what was left out because its values had been shown already."""

    worst: tuple[Specimen, ...]
    uncovered: tuple[Specimen, ...]
    pairs: tuple[Pair, ...]
    notes: tuple[str, ...]

    def rows(self, side: Side) -> Ints:
        """All rows of one side that are shown, sorted."""
        lone = self.worst if side == "synthetic" else self.uncovered
        return np.unique(np.array([*(s.row for s in lone), *(getattr(p, side).row for p in self.pairs)], np.int64))


def pick(facts: Facts, real: Samples, synthetic: Samples, canvas: Canvas) -> Picked:
    """Choose at most 12 of each kind; samples with equal values count once."""
    worst, more_worst = _distinct([synthetic], [_worst_first(facts.synthetic)])
    uncovered, more_uncovered = _distinct([real], [_worst_first(facts.real)])
    order, partner = _most_suspicious(facts), facts.synthetic.partner
    pairs, more_pairs = _distinct([synthetic, real], [order, partner[order]])
    notes = [
        f"Not shown among the {what}, because their values are those of one that is: {count}."
        for count, what in (
            (more_worst, "worst synthetic samples"),
            (more_uncovered, "least covered real samples"),
            (more_pairs, "nearest pairs"),
        )
        if count
    ]
    return Picked(
        _specimens("synthetic", facts.synthetic, worst, canvas),
        _specimens("real", facts.real, uncovered, canvas),
        _pairs(facts, pairs, canvas),
        tuple(notes),
    )


def _worst_first(side: SideFacts) -> Ints:
    """Rows by grade, the lowest first; among equal ones those that are farthest from the other side."""
    return np.lexsort((-side.crowding, np.nan_to_num(side.grade, nan=0.0)))


def _suspicion(facts: Facts) -> Floats:
    """Distance of each synthetic sample to its real one, in units of that one's distance to its own nearest."""
    return ratio(facts.synthetic.nearest, facts.real.own[facts.synthetic.partner])


def _most_suspicious(facts: Facts) -> Ints:
    return np.lexsort((facts.synthetic.nearest, _suspicion(facts)))


def _distinct(sets: list[Samples], orders: list[Ints]) -> tuple[Ints, int]:
    """The first 12 rows of the first order whose values (those of all sets together) differ, and how many were
    passed over before the twelfth."""
    chosen: list[int] = []
    seen: set[bytes] = set()
    passed = 0
    for start in range(0, min(len(orders[0]), _LOOK), _CHUNK):
        rows = [order[start : start + _CHUNK].astype(np.intp) for order in orders]
        values = [samples.rows.take(r) + 0.0 for samples, r in zip(sets, rows, strict=True)]
        for at, row in enumerate(rows[0]):
            if len(chosen) == MOST:
                return np.array(chosen, np.int64), passed
            content = b"".join(v[at].tobytes() for v in values)
            passed += content in seen
            if content not in seen:
                chosen.append(int(row))
            seen.add(content)
    return np.array(chosen, np.int64), passed


def _specimens(which: Side, side: SideFacts, rows: Ints, canvas: Canvas) -> tuple[Specimen, ...]:
    return tuple(
        Specimen(
            side=which,
            row=int(row),
            name=name_of(side.samples, int(row)),
            values=values,
            grade=None if np.isnan(side.grade[row]) else float(side.grade[row]),
            nearest=float(side.nearest[row]),
            label=label_of(side.samples, int(row)),
        )
        for row, values in zip(rows, canvas.values(side.samples, rows), strict=True)
    )


def _pairs(facts: Facts, rows: Ints, canvas: Canvas) -> tuple[Pair, ...]:
    """Pairs of these synthetic rows, exact copies first."""
    partners = facts.synthetic.partner[rows]
    synthetic, real = facts.synthetic.samples, facts.real.samples
    made = _specimens("synthetic", facts.synthetic, rows, canvas)
    originals = _specimens("real", facts.real, partners, canvas)
    values = zip(synthetic.rows.take(rows.astype(np.intp)), real.rows.take(partners.astype(np.intp)), strict=True)
    found = [
        Pair(a, b, float(facts.synthetic.nearest[row]), float(facts.real.own[partner]), bool((x == y).all()))
        for a, b, row, partner, (x, y) in zip(made, originals, rows, partners, values, strict=True)
    ]
    return tuple(sorted(found, key=lambda pair: not pair.exact))

"""How near the synthetic rows come to the real ones, each number beside what fresh real rows show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from truegrade.engine.needs import Answers
from truegrade.errors import Notice, notice
from truegrade.grading import Run
from truegrade.result.table import Measure, Privacy
from truegrade.tables.naming import quoted
from truegrade.tabular.rows.chance import MARGIN, FreshRows, beyond_chance, holds_long_numbers
from truegrade.tabular.rows.copies import equal_rows, fingerprints
from truegrade.tabular.rows.encode import Drawn
from truegrade.tabular.rows.inference import Attack, attack
from truegrade.tabular.rows.nearness import distances
from truegrade.uncertainty.areas import share_measure

Direction = Literal["lower", "half", "fresh"]
LISTED = 20
_COMMON = 0.01  # share of real rows with an equal one, from which on equal rows are common


class MeasureInfo(NamedTuple):
    """What a measure is called, what is good ("lower": not above fresh real rows; "half": .5; "fresh": about what fresh
    real rows show; of both the measure's `ceiling` is that of fresh real rows), and how to read it."""

    title: str
    direction: Direction
    reading: str


MEASURES: dict[str, MeasureInfo] = {
    "exact_copies": MeasureInfo(
        "Exact copies",
        "lower",
        "Share of synthetic rows that equal a real row in every column but identifiers and free text.",
    ),
    "close_copies": MeasureInfo(
        "Close copies",
        "lower",
        "Share of synthetic rows less than half as far from their nearest real row as that row's own nearest real row.",
    ),
    "dcr_median": MeasureInfo(
        "Distance to the closest real row, median", "fresh", "Far below that of fresh real rows: rows are copied."
    ),
    "dcr_p5": MeasureInfo(
        "Distance to the closest real row, 5th percentile",
        "fresh",
        "The nearest twentieth of the rows. Far below that of fresh real rows: some rows are copied.",
    ),
    "nndr_median": MeasureInfo(
        "Nearest over second nearest distance, median",
        "fresh",
        "Near 0: rows lie at one single real row; fresh real rows show what is usual. Equally near (0 and 0) counts 1.",
    ),
    "nndr_p5": MeasureInfo(
        "Nearest over second nearest distance, 5th percentile", "fresh", "The same of the twentieth with the least."
    ),
    "closer_to_train": MeasureInfo(
        "Closer to training than to held-out rows",
        "half",
        "Share of synthetic rows; .5 is ideal, above it the model has learnt rows by heart.",
    ),
    "membership_inference": MeasureInfo(
        "Membership inference, AUC",
        "half",
        "How well the distance to the nearest synthetic row tells a training row from a held-out one; .5 is guessing.",
    ),
    "attribute_inference": MeasureInfo(
        "Attribute inference, right",
        "fresh",
        "Share of values of real rows that the nearest synthetic row in all other columns gives away.",
    ),
    "attribute_advantage": MeasureInfo(
        "Attribute inference, beyond fresh rows",
        "lower",
        "How much more synthetic rows give away than as many fresh real rows; 0 or less is ideal.",
    ),
    "attribute_majority": MeasureInfo(
        "Attribute inference, one guess for all",
        "fresh",
        "Share of values that the best single guess for a column gets right, for comparison.",
    ),
}


def privacy(
    real: Drawn,
    synthetic: Drawn,
    holdout: Drawn | None = None,
    *,
    seed: int = 0,
    run: Run | None = None,
    answers: Answers | None = None,
) -> Privacy:
    """The measures of MEASURES, sentences, and the first exact copies.

    real, synthetic, holdout: drawn by one encoding of the real table. Exact copies are counted over the whole tables,
    on the values themselves. answers: to `nearness.needs`, where the engine has them already. A measure's `ceiling` is
    the same number for fresh real rows: the hold-out, or without one each real row against the others.

    closer_to_train takes as many training as held-out rows; ties count half. Its interval is Wilson's for the number
    of rows that random swaps of training and held-out rows make of it: synthetic rows that have one real row as their
    nearest stand or fall together. membership_inference: DeLong's interval. Distances: order statistics, which take
    the real rows as given.
    """
    run = run or Run()
    copied = _copied(real, synthetic, holdout)
    out, words = {"exact_copies": copied.measure}, list(copied.words)
    parts = (
        distances(real, synthetic, holdout, seed, run, answers),
        _guessed(real, synthetic, holdout, seed, run),
    )
    for found, said in parts:
        out |= found
        words += said
    listed = np.flatnonzero(copied.partner >= 0)[:LISTED]
    return Privacy(
        {key: out[key] for key in MEASURES},
        tuple(words),
        tuple((int(row), int(copied.partner[row])) for row in listed),
        copied.many,
    )


def privacy_notices(found: Privacy) -> tuple[Notice, ...]:
    """What fresh real rows do not show."""
    out = []
    measures = found.measures
    copies, close = measures["exact_copies"], measures["close_copies"]
    if found.many_copies:
        out.append(notice("table_copies", share=copies.value, expected=copies.ceiling or 0.0))
    if _above(close, close.ceiling or 0.0):
        out.append(notice("close_copies", share=close.value, expected=close.ceiling))
    for key, ideal in (("closer_to_train", 0.5), ("membership_inference", 0.5), ("attribute_advantage", 0.0)):
        if _above(measures[key], ideal):
            out.append(notice("table_leak", title=MEASURES[key].title, value=measures[key].value, ideal=ideal))
    return tuple(out)


def _above(one: Measure, ideal: float) -> bool:
    """Above it by two percentage points and by twice the reach of its interval, about 4 standard errors?"""
    if one.value is None or one.low is None or one.high is None:
        return False
    return one.value - ideal > max(MARGIN, 2.0 * max(one.value - one.low, one.high - one.value))


# --- copies ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Copied:
    partner: NDArray[np.intp]
    measure: Measure
    words: tuple[str, ...]
    many: bool


def _copied(real: Drawn, synthetic: Drawn, holdout: Drawn | None) -> _Copied:
    """Exact copies in the whole tables, beside equal rows among the real ones."""
    ours, theirs = fingerprints(real.coded), fingerprints(synthetic.coded)
    partner = equal_rows(theirs, ours)
    count, m = int((partner >= 0).sum()), len(theirs)
    if holdout is None:
        fresh = FreshRows.left_out(ours)
    else:
        fresh = FreshRows(int((equal_rows(fingerprints(holdout.coded), ours) >= 0).sum()), len(holdout.coded))
    equal, of = fresh.equal, fresh.rows
    many = beyond_chance(count, m, fresh) or holds_long_numbers(real, partner[partner >= 0])
    words = [_copy_words(count, m)]
    if equal:
        who = "real rows have an equal one" if holdout is None else "held-out rows are equal to one"
        words[0] = f"{words[0][:-1]}; {equal:,} of {of:,} {who}."
    if equal / of >= _COMMON:
        more = "more" if many else "no more"
        words.append(f"Equal rows are common in this table: there are {more} of them than fresh real rows show.")
    return _Copied(partner, share_measure(count, m, fresh=equal / of), tuple(words), many)


def _copy_words(count: int, m: int) -> str:
    if count == 0:
        return f"None of {m:,} synthetic rows is an exact copy of a real row."
    is_are = "is an exact copy of a real row" if count == 1 else "are exact copies of real rows"
    return f"{count:,} of {m:,} synthetic rows {is_are}."


# --- guesses -----------------------------------------------------------------------------------------------


def _guessed(
    real: Drawn, synthetic: Drawn, holdout: Drawn | None, seed: int, run: Run
) -> tuple[dict[str, Measure], list[str]]:
    found = attack(real, synthetic, holdout, seed=seed, run=run.labelled("attribute inference"))
    if isinstance(found, str):
        keys = [key for key in MEASURES if key.startswith("attribute_")]
        return dict.fromkeys(keys, Measure(None, reason=found)), []
    return found.measures(), _guess_words(found)


def _guess_words(found: Attack) -> list[str]:
    words = [
        f"Who knows the other columns of a real row guesses {found.synthetic.mean():.0%} of its values from the "
        f"nearest synthetic row, {found.fresh.mean():.0%} from as many fresh real rows and "
        f"{found.constant.mean():.0%} by one guess for all."
    ]
    worst = found.worst()
    if worst is not None:
        words.append(
            f"Most is given away of {quoted(worst[0])}: {worst[1]:.0%}, and {worst[2]:.0%} from fresh real rows."
        )
    return words

"""Are synthetic recordings of use? Models of labels trained on synthetic and on real ones, tested on real ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.ecg import learners
from truegrade.ecg.discrimination.vectors import drawn, vectors
from truegrade.ecg.floors import fresh_of
from truegrade.ecg.matching import with_leads
from truegrade.recordings import Recordings
from truegrade.result.table import Task
from truegrade.uncertainty.areas import auc
from truegrade.uncertainty.cuts import pick_groups

ROWS = 1000  # recordings that a model learns from, and as many to test it
FEWEST = 10  # labelled recordings to learn from, and to test on
CLASSES = 20  # the most frequent labels; others are one class together
_TEST = 0.3
_TARGET, _SCORE, _BASE = "label", "AUC", 0.5

Floats = NDArray[np.float64]
Index = NDArray[np.intp]


def utility(
    real: Recordings, synthetic: Recordings, holdout: Recordings | None = None, *, seed: int
) -> tuple[Task, ...]:
    """Predict the class of a recording: a model trained on synthetic recordings beside one of as many real ones.

    Both are tested on the hold-out, less patients of the real side. Where nothing is left of it, on 30 % of the real
    recordings, of other patients than those that the real model learns from (the generator may have seen them, so that
    a copying model looks good here). Models: boosted trees and logistic regression on the descriptors and beats of all
    leads, their probabilities averaged. Score: AUC, of several classes the mean of one against the rest, over those
    among the test recordings; one that the training recordings lack counts .5. Baseline: a model that always says the
    same, .5.

    Recordings without a label are left out, and real ones that lack a lead; a synthetic one is a flat line there.
    Empty where the real recordings have no labels. A reason where the synthetic ones have none, where there is one
    class, where there are fewer than 10 to learn from or to test on, and without scikit-learn.
    """
    if real.labels is None or not _known(real.labels).any():
        return ()
    holdout = fresh_of(real, holdout)
    if holdout is not None and holdout.labels is None:
        return (_without("the hold-out has no labels"),)
    if not learners.available():
        return (_without(learners.NEEDED),)
    parts = _parts(real, synthetic, holdout, seed)
    names = _classes(parts[0].label)
    learn, test, made = (_Part(part.x, _numbers(part.label, names)) for part in parts)
    reason = _refused(learn, test)
    return (_without(reason) if reason else _task(learn, test, made, synthetic.labels is None, len(names), seed),)


@dataclass(frozen=True, eq=False)
class _Labelled:
    """x: (n, d) features, label: (n,) text."""

    x: Floats
    label: NDArray[np.str_]


@dataclass(frozen=True, eq=False)
class _Part:
    """x: (n, d) features, y: (n,) number of the class."""

    x: Floats
    y: Index

    def take(self, rows: Index) -> _Part:
        return _Part(self.x[rows], self.y[rows])


def _without(reason: str) -> Task:
    return Task(_TARGET, _SCORE, None, None, _BASE, reason)


def _known(labels: NDArray[Any]) -> NDArray[np.bool_]:
    """(n,) false for None, NaN and empty texts."""
    return np.array([one is not None and one == one and str(one) != "" for one in labels.tolist()])


def _parts(
    real: Recordings, synthetic: Recordings, holdout: Recordings | None, seed: int
) -> tuple[_Labelled, _Labelled, _Labelled]:
    """Real recordings to learn from and to test on, and synthetic ones, as rows with known labels."""
    sides = [drawn(side, ROWS, seed) for side in (real, with_leads(real, synthetic))]
    sides += [] if holdout is None else [drawn(with_leads(real, holdout), ROWS, seed)]
    found = vectors(sides[0], tuple(sides[1:]), (False, True)[: len(sides) - 1])
    rows = [_labelled(side, x, at) for side, x, at in zip(sides, found.values, found.rows, strict=True)]
    if holdout is not None:
        return rows[0][0], rows[2][0], rows[1][0]
    whole, kept = rows[0]
    patients = np.arange(len(kept)) if sides[0].patients is None else sides[0].patients[kept]
    rng = np.random.default_rng(seed)
    tested, learnt = pick_groups(patients, max(1, round(_TEST * len(kept))), rng)
    split = [_Labelled(whole.x[part], whole.label[part]) for part in (learnt, tested)]
    return split[0], split[1], rows[1][0]


def _labelled(side: Recordings, x: Floats, rows: Index) -> tuple[_Labelled, Index]:
    """The rows with a label, and which recordings they are of."""
    if side.labels is None:
        return _Labelled(x[:0], np.empty(0, "U1")), rows[:0]
    kept = _known(side.labels[rows]) if len(rows) else np.zeros(0, bool)
    return _Labelled(x[kept], side.labels[rows][kept].astype(str)), rows[kept]


def _classes(labels: NDArray[np.str_]) -> list[str]:
    """The labels that real recordings teach, most frequent first."""
    names, counts = np.unique(labels, return_counts=True)
    return [str(names[at]) for at in np.argsort(-counts, kind="stable")[:CLASSES]]


def _numbers(labels: NDArray[np.str_], names: list[str]) -> Index:
    """The place of each label in `names`; others come after all of them."""
    place = {name: at for at, name in enumerate(names)}
    return np.array([place.get(str(one), len(names)) for one in labels], np.intp)


def _refused(learn: _Part, test: _Part) -> str | None:
    if min(len(learn.y), len(test.y)) < FEWEST:
        return (
            f"{len(learn.y)} labelled real recordings to learn from and {len(test.y)} to test on; {FEWEST} of each are "
            "needed"
        )
    if min(len(np.unique(part.y)) for part in (learn, test)) < 2:
        return "the real recordings to learn from or to test on are of one class"
    return None


def _task(learn: _Part, test: _Part, made: _Part, unlabelled: bool, classes: int, seed: int) -> Task:
    size = min(len(learn.y), len(made.y))
    enough = size >= FEWEST
    rng = np.random.default_rng(seed)
    if enough:  # both training sets at the size of the smaller one
        learn, made = (
            part.take(np.sort(rng.permutation(len(part.y))[:size]).astype(np.intp)) for part in (learn, made)
        )
    on_real = _score(learn, test, classes, seed)
    if unlabelled:
        return Task(_TARGET, _SCORE, on_real, None, _BASE, "the synthetic recordings have no labels")
    if not enough:
        few = f"{len(made.y)} synthetic recordings have a label; {FEWEST} are needed"
        return Task(_TARGET, _SCORE, on_real, None, _BASE, few)
    single = len(np.unique(made.y)) < 2
    reason = "the synthetic recordings are of one class, so that they teach nothing" if single else None
    return Task(_TARGET, _SCORE, on_real, _score(made, test, classes, seed), _BASE, reason)


def _score(part: _Part, test: _Part, classes: int, seed: int) -> float:
    """The mean over classes of the test recordings of the area of one against the rest."""
    models = (learners.boosting(seed), learners.logistic(seed))
    given = [learners.probabilities(model, part.x, part.y, test.x, classes + 1) for model in models]
    mean = np.mean(given, axis=0)
    areas = [auc(mean[test.y != one, one], mean[test.y == one, one]) for one in np.unique(test.y)]
    return float(np.mean(areas))

"""Is the synthetic table of use? Models trained on synthetic and on real rows, tested on real rows neither saw."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError
from truegrade.result.table import Task
from truegrade.tables import NUMERIC, Coded
from truegrade.tabular.rows import learners
from truegrade.tabular.rows.coordinates import level_numbers, numbers_of
from truegrade.tabular.rows.worth import beyond_chance
from truegrade.uncertainty.areas import auc

ROWS = 10_000  # rows that a model learns from, and as many to test it
ITERATIONS = 60
MOST_TARGETS = 5
CLASSES = 10  # levels of a target that are told apart; the others are one class together
_TEST = 0.3
_FEWEST = 20  # rows to learn from, and to test on
_RARE = 10  # rows of a class in the real training rows
_SCREEN_ROWS, _SCREEN_ITERATIONS, _SCREENED = 2_000, 15, 60
_WORTH = 0.05  # gain above the baseline from which on a column can be predicted
_LARGEST_CODE = 253  # levels beyond it are as missing to the trees

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


def utility(
    real: Coded,
    synthetic: Coded,
    holdout: Coded | None = None,
    *,
    seed: int = 0,
    targets: Sequence[str] | None = None,
    threads: int | None = None,
    rows: int = ROWS,
    iterations: int = ITERATIONS,
) -> tuple[Task, ...]:
    """Predict columns from all others: a model trained on synthetic rows beside one trained on as many real rows.

    Both are boosted trees and are tested on the hold-out; without one the real rows are split, 70 to learn from and
    30 to test on (which the generator may have seen, so that a copying model looks good here). More than `rows` of a
    side are drawn, all with `seed`; the larger of the two training sets is cut to the size of the smaller one.

    targets: names of columns; without it up to five are chosen that real rows predict best, on training rows alone:
    those with an R squared (or 2 AUC - 1) of .05 or more in a quick trial (of more than 60, 60 evenly spaced by name),
    less those that the model of real rows predicts no better than chance would.
    Numbers and dates: R squared, baseline the mean of the training rows. Levelled columns: AUC, of several classes the
    mean of one against the rest, over those with both kinds of test rows; baseline .5. Levels beyond the ten most
    frequent, and those in fewer than 10 real training rows, are one class. Rows without the target are left out. Empty
    where no column can be predicted, or without scikit-learn.

    Raises InputError for targets that the real table does not have or that are no numbers or categories.
    """
    names = _usable(real)
    chosen = None if targets is None else _named(targets, names, real)
    if not learners.available():
        return tuple(Task(t, _kind(real, t), None, None, _base(real, t), learners.NEEDED) for t in chosen or ())
    learn, test = _split(real, holdout, seed, rows)
    table = _Features(names, learn, test, _draw(synthetic, rows, seed))
    if chosen is None:
        chosen = _screen(table, seed, threads)
    fits = [partial(_task, table, target, seed, iterations) for target in chosen]
    tasks = learners.side_by_side(fits, threads)
    return tuple(task for task in tasks if targets is not None or _predicted(table, task))


@dataclass(frozen=True, eq=False)
class _Part:
    """Some rows of a table with all usable columns in memory; None for a column that it lacks."""

    coded: Coded
    values: dict[str, NDArray[Any]]
    count: int

    def column(self, name: str) -> Floats:
        """As the trees take it: NaN for missing, levels by number."""
        found = self.values.get(name)
        if found is None:
            return np.full(self.count, np.nan)
        if found.dtype.kind == "f":
            return np.asarray(found, np.float64)
        if self.coded.schema[name].type == "few":
            return numbers_of(found, level_numbers(self.coded.levels(name)))
        return np.where((found < 0) | (found > _LARGEST_CODE), np.nan, found)

    def subset(self, rows: Rows) -> _Part:
        return _Part(self.coded, {name: v[rows] for name, v in self.values.items()}, len(rows))


@dataclass(frozen=True, eq=False)
class _Features:
    names: tuple[str, ...]
    learn: _Part
    test: _Part
    synthetic: _Part

    @property
    def real(self) -> Coded:
        return self.learn.coded


@dataclass(frozen=True, eq=False)
class _Target:
    """What is predicted: a number as it is, or classes of codes; `classes` is 0 for a number."""

    name: str
    classes: int
    class_of: NDArray[np.intp] | None = None

    def of(self, part: _Part) -> Floats:
        """The target of each row, NaN where it is missing."""
        found = part.values.get(self.name)
        if found is None or self.class_of is None:
            return part.column(self.name) if found is not None else np.full(part.count, np.nan)
        last = len(self.class_of) - 1  # levels that the real table does not have belong to the class of the rare ones
        return np.where(found < 0, np.nan, self.class_of[np.clip(found, 0, last)])


def _usable(real: Coded) -> tuple[str, ...]:
    return tuple(c.name for c in real.schema.columns if c.type not in ("identifier", "text"))


def _named(targets: Sequence[str], names: Sequence[str], real: Coded) -> tuple[str, ...]:
    given = (targets,) if isinstance(targets, str) else tuple(targets)
    for name in given:
        if name in names:
            continue
        if name in real.schema.by_name:
            kind = real.schema[name].type
            raise InputError(f"targets={name!r} given, a column of type {kind}; numbers, dates and categories can be.")
        close = difflib.get_close_matches(name, names, n=2)
        hint = f" Did you mean {' or '.join(map(repr, close))}?" if close else ""
        raise InputError(f"targets={name!r} given; the real table has no such column.{hint}")
    return tuple(dict.fromkeys(given))


def _kind(real: Coded, name: str) -> str:
    return "R squared" if real.schema[name].type in NUMERIC else "AUC"


def _base(real: Coded, name: str) -> float:
    return 0.0 if real.schema[name].type in NUMERIC else 0.5


# --- rows --------------------------------------------------------------------------------------------------


def _split(real: Coded, holdout: Coded | None, seed: int, most: int) -> tuple[_Part, _Part]:
    """Real rows to learn from, and to test on."""
    if holdout is not None:
        return _draw(real, most, seed), _draw(holdout, most, seed)
    order = np.random.default_rng(seed).permutation(len(real)).astype(np.intp)
    tested = max(1, round(_TEST * len(real)))
    return _take(real, order[tested:][:most]), _take(real, order[:tested][:most])


def _draw(coded: Coded, most: int, seed: int) -> _Part:
    order = np.random.default_rng(seed).permutation(len(coded)).astype(np.intp)
    return _take(coded, order[:most])


def _take(coded: Coded, rows: Rows) -> _Part:
    names = [name for name in _usable(coded) if coded.has(name)]
    return _Part(coded, coded.take(names, np.sort(rows)) if names else {}, len(rows))


# --- choosing ----------------------------------------------------------------------------------------------


def _screen(table: _Features, seed: int, threads: int | None) -> tuple[str, ...]:
    """The columns that real training rows predict best, on other training rows; of many, evenly spaced by name."""
    order = np.random.default_rng(seed).permutation(table.learn.count)[:_SCREEN_ROWS].astype(np.intp)
    cut = round((1 - _TEST) * len(order))
    learn, test = table.learn.subset(np.sort(order[:cut])), table.learn.subset(np.sort(order[cut:]))
    trial = _Features(table.names, learn, test, learn)
    ordered = sorted(table.names)
    tried = np.linspace(0, len(ordered) - 1, min(len(ordered), _SCREENED)).astype(int)
    candidates = [ordered[i] for i in tried]
    found = learners.side_by_side([partial(_gain, trial, name, seed) for name in candidates], threads)
    best = sorted(range(len(candidates)), key=lambda i: -found[i])[:MOST_TARGETS]
    chosen = {candidates[i] for i in best if found[i] >= _WORTH}
    return tuple(name for name in table.names if name in chosen)


def _gain(trial: _Features, name: str, seed: int) -> float:
    target = _target(trial, name)
    if isinstance(target, str):
        return 0.0
    score = _score(trial, target, trial.learn, seed, _SCREEN_ITERATIONS)
    if score is None:
        return 0.0
    return 2 * score - 1 if target.classes else score


# --- one target --------------------------------------------------------------------------------------------


def _task(table: _Features, name: str, seed: int, iterations: int) -> Task:
    kind, baseline = _kind(table.real, name), _base(table.real, name)
    target = _target(table, name)
    if isinstance(target, str):
        return Task(name, kind, None, None, baseline, target)
    learn, synthetic = _equal(table.learn, table.synthetic, target, seed)
    on_real = _score(table, target, learn, seed, iterations)
    if not target.classes:
        truth = target.of(table.test)
        baseline = _squared(truth[~np.isnan(truth)], float(np.nanmean(target.of(learn))))
    if name not in table.synthetic.values:
        return Task(name, kind, on_real, None, baseline, f"{table.synthetic.coded.name} has no such column")
    on_synthetic = _score(table, target, synthetic, seed, iterations)
    lacking = int((~np.isnan(target.of(table.synthetic))).sum())
    reason = None if on_synthetic is not None else f"{lacking} synthetic rows have a value of it; {_FEWEST} are needed"
    return Task(name, kind, on_real, on_synthetic, baseline, reason)


def _predicted(table: _Features, task: Task) -> bool:
    """Whether real rows teach the target, or there is a reason to tell."""
    target = _target(table, task.target)
    if task.real is None or isinstance(target, str):
        return True
    truth = target.of(table.test)
    return beyond_chance(task.real - task.baseline, truth[~np.isnan(truth)], target.classes)


def _equal(learn: _Part, synthetic: _Part, target: _Target, seed: int) -> tuple[_Part, _Part]:
    """Both training sets at the size of the smaller one, in rows that have the target."""
    rows = [np.flatnonzero(~np.isnan(target.of(part))).astype(np.intp) for part in (learn, synthetic)]
    size = min(len(r) for r in rows)
    if size < _FEWEST:  # no model of the synthetic rows to compare with
        return learn, synthetic
    rng = np.random.default_rng(seed)
    kept = [np.sort(rng.permutation(r)[:size]) for r in rows]
    return learn.subset(kept[0]), synthetic.subset(kept[1])


def _target(table: _Features, name: str) -> _Target | str:
    """How a column is predicted, or why it cannot be."""
    if len(table.names) < 2:
        return "there is no other column to predict it from"
    column = table.real.schema[name]
    target = _Target(name, 0)
    if column.type not in NUMERIC:
        codes = table.learn.values[name]
        counts = np.bincount(codes[codes >= 0], minlength=len(column.levels) + 1)
        frequent = np.argsort(-counts, kind="stable")[:CLASSES]
        frequent = np.sort(frequent[counts[frequent] >= _RARE])
        class_of = np.full(len(counts), len(frequent), np.intp)
        class_of[frequent] = np.arange(len(frequent))
        target = _Target(name, len(frequent) + 1, class_of)
    known = [values[~np.isnan(values)] for values in (target.of(table.learn), target.of(table.test))]
    if min(map(len, known)) < _FEWEST:
        return f"{len(known[0])} real rows to learn from and {len(known[1])} to test on; {_FEWEST} of each are needed"
    if len(np.unique(known[0])) < 2 or len(np.unique(known[1])) < 2:
        return "it has one value in the real rows"
    return target


def _score(table: _Features, target: _Target, part: _Part, seed: int, iterations: int) -> float | None:
    """The score on the test rows of a model of the rows of `part`; None where these are too few."""
    y, truth = target.of(part), target.of(table.test)
    rows, tested = (np.flatnonzero(~np.isnan(values)).astype(np.intp) for values in (y, truth))
    if len(rows) < _FEWEST:
        return None
    y, truth = y[rows], truth[tested]
    names = [name for name in table.names if name != target.name]
    x, z = (np.column_stack([p.column(name) for name in names]) for p in (part.subset(rows), table.test.subset(tested)))
    lost = np.asarray(np.isnan(x).all(axis=0))  # nothing to learn from it
    x[:, lost], z[:, lost] = 0.0, 0.0
    levelled = [table.real.schema[name].type not in (*NUMERIC, "few") for name in names]
    categories = [kind and not gone for kind, gone in zip(levelled, lost, strict=True)]
    if target.classes:
        return _mean_area(truth, _probabilities(x, y, z, target.classes, seed, iterations, categories))
    if len(np.unique(y)) < 2:
        return _squared(truth, float(y[0]))
    model = learners.boosted_regressor(seed=seed, iterations=iterations, categories=categories)
    return _squared(truth, model.fit(x, y).predict(z))


def _probabilities(
    x: Floats, y: Floats, z: Floats, classes: int, seed: int, iterations: int, categories: list[bool]
) -> Floats:
    """Probability of each class for the rows of z, (n, classes); 0 for classes that were not learnt."""
    out = np.zeros((len(z), classes))
    learnt = np.unique(y).astype(np.intp)
    if len(learnt) > 1:
        model = learners.boosted_classifier(seed=seed, iterations=iterations, categories=categories)
        out[:, learnt] = model.fit(x, y).predict_proba(z)
    return out


def _mean_area(truth: Floats, probabilities: Floats) -> float | None:
    """The mean over classes of the area of one against the rest; two classes have the same."""
    present = np.unique(truth).astype(np.intp)
    areas = [auc(probabilities[truth != c, c], probabilities[truth == c, c]) for c in present]
    return float(np.mean(areas)) if len(present) > 1 else None


def _squared(truth: Floats, predicted: Floats | float) -> float:
    """R squared: 1 - sum of squared errors / sum of squares about the mean of the test rows."""
    about = float(((truth - truth.mean()) ** 2).sum())
    return 1.0 - float(((truth - predicted) ** 2).sum()) / about

"""The samples that a report shows, as plain data: the map and the specimens; nothing but text, numbers, lists.

exhibit_view(...) = {"drawing", "map": map or None, "worst": [specimen], "uncovered": [specimen], "pairs": [pair],
"notes": [text]}.
map: {"k", "most_k", "projection", "axes", "note", "unit", "origin", "grades", "real": side, "synthetic": side}. A
point lies at origin + unit * (x, y), with whole x and y; grades are the words for a grade of at least so much.
side: {"n", "x", "y", "grade", "inside", "nearest", "own", "rows", "names", "labels", "counts"}; inside is
`MapSide.inside_from`, counts[k - 1] how many points lie inside at k, labels {"names", "of"} or None; of ECG recordings
also "partner", as in `MapSide`.
specimen: {"side", "row", "name", "label", "grade", "words", "nearest", "picture"} (pictures.py).
pair: {"synthetic": specimen, "real": specimen, "distance", "exact", "words"}.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.errors import InputError
from truegrade.report.summary.pictures import picture
from truegrade.report.words import safe
from truegrade.result import Evaluation, Exhibits, MapSide, MapView, Pair, Specimen
from truegrade.uncertainty.groups import natural

STEPS = 4000  # of the longer side of the map
GRADES = {
    "synthetic": ((0.75, "realistic"), (0.5, "fairly realistic"), (0.25, "doubtful"), (0.0, "unrealistic")),
    "real": ((0.75, "well covered"), (0.5, "fairly covered"), (0.25, "poorly covered"), (0.0, "hardly covered")),
}
View = dict[str, Any]


def exhibit_view(evaluation: Evaluation) -> View | None:
    """What the report shows of the samples of one evaluation; None if it holds no exhibits."""
    exhibits = evaluation.exhibits
    if exhibits is None:
        return None
    shown = None if exhibits.map is None else _map(exhibits.map)
    ecg = evaluation.ecg is not None  # recordings are shown as strips instead (`report.ecg_view`)
    notes = [] if ecg else [safe(note, 400) for note in exhibits.notes]
    if shown is None and exhibits.map is not None:
        notes.append("The map is left out: it has a side without points, or coordinates that are too large to draw.")
    if ecg and shown is not None and exhibits.map is not None:
        for name, side in (("real", exhibits.map.real), ("synthetic", exhibits.map.synthetic)):
            shown[name]["partner"] = None if side.partner is None else side.partner.tolist()
    return {
        "drawing": exhibits.drawing,
        "map": shown,
        "worst": [] if ecg else [_specimen(one, exhibits) for one in exhibits.worst],
        "uncovered": [] if ecg else [_specimen(one, exhibits) for one in exhibits.uncovered],
        "pairs": [] if ecg else [_pair(one, exhibits) for one in exhibits.pairs],
        "notes": notes,
    }


# --- the map -----------------------------------------------------------------------------------------------


def _map(view: MapView) -> View | None:
    """The map, or None if a side is empty or a point cannot be placed; InputError for lists of other lengths."""
    for name, side in (("real", view.real), ("synthetic", view.synthetic)):
        _check(side, name)
    points = np.concatenate([view.real.points, view.synthetic.points]).astype(np.float64)
    if not len(view.real.rows) or not len(view.synthetic.rows) or not np.isfinite(points).all():
        return None
    origin = points.min(axis=0)
    unit = round_up(float((points.max(axis=0) - origin).max()) / STEPS)
    return {
        "k": view.k,
        "most_k": view.most_k,
        "projection": safe(view.projection, 200),
        "axes": [safe(axis) for axis in view.axes],
        "note": safe(view.note, 400),
        "unit": unit,
        "origin": origin.tolist(),
        "grades": {side: [list(step) for step in steps] for side, steps in GRADES.items()},
        "real": _side(view.real, origin, unit, view.most_k),
        "synthetic": _side(view.synthetic, origin, unit, view.most_k),
    }


def _check(side: MapSide, name: str) -> None:
    lists = (side.rows, side.grade, side.inside_from, side.nearest, side.own, side.names, side.labels)
    if side.points.shape != (len(side.rows), 2) or any(a is not None and len(a) != len(side.rows) for a in lists):
        raise InputError(f"This result is damaged: the lists of {name} points in its map differ in length.")


def round_up(step: float) -> float:
    """The next 1, 2 or 5 times a power of ten; 1 for no extent."""
    if step <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(step))
    return next((many * power for many in (1, 2, 5) if many * power >= step), 10 * power)


def _side(side: MapSide, origin: NDArray[np.float64], unit: float, most_k: int) -> View:
    x, y = np.rint((side.points.astype(np.float64) - origin) / unit).astype(np.int64).T
    inside = side.inside_from
    return {
        "n": side.n,
        "x": x.tolist(),
        "y": y.tolist(),
        "grade": [None if math.isnan(g) else round(g, 3) for g in side.grade.tolist()],
        "inside": inside.tolist(),
        "nearest": [short(v) for v in side.nearest.tolist()],
        "own": [short(v) for v in side.own.tolist()],
        "rows": side.rows.tolist(),
        "names": None if side.names is None else [safe(name) for name in side.names],
        "labels": None if side.labels is None else _labels(side.labels),
        "counts": [int(((inside > 0) & (inside <= k)).sum()) for k in range(1, most_k + 1)],
    }


def short(value: float) -> float | None:
    """Four digits of a distance; None if it is no number."""
    return float(f"{value:.4g}") if math.isfinite(value) else None


def _labels(labels: tuple[str, ...]) -> View:
    """Every label once, and which of them each point has."""
    order = {label: i for i, label in enumerate(sorted(set(labels), key=natural))}
    return {"names": [safe(label) for label in order], "of": [order[label] for label in labels]}


# --- specimens ---------------------------------------------------------------------------------------------


def _specimen(one: Specimen, exhibits: Exhibits) -> View:
    grade = None if one.grade is None or math.isnan(one.grade) else round(float(one.grade), 3)
    other = "synthetic" if one.side == "real" else "real"
    nearest = None if one.nearest is None else short(one.nearest)
    return {
        "side": one.side,
        "row": int(one.row),
        "name": safe(one.name),
        "label": None if one.label is None else safe(one.label),
        "grade": grade,
        "words": grade_words(one.side, grade),
        "nearest": "" if nearest is None else f"nearest {other} sample at {nearest:g}",
        "picture": picture(one.values, exhibits),
    }


def grade_words(side: str, grade: float | None) -> str:
    """A grade from 0 to 1 in words."""
    if grade is None:
        return "no grade"
    return next((words for least, words in GRADES[side] if grade >= least), GRADES[side][-1][1])


def _pair(pair: Pair, exhibits: Exhibits) -> View:
    return {
        "synthetic": _specimen(pair.synthetic, exhibits),
        "real": _specimen(pair.real, exhibits),
        "distance": short(pair.distance),
        "exact": pair.exact,
        "words": pair_words(pair),
    }


def pair_words(pair: Pair) -> str:
    """The distance of a pair beside that of the real sample to its own nearest real sample."""
    if pair.exact:
        return "exact copy"
    if not (math.isfinite(pair.distance) and math.isfinite(pair.own)):
        return ""
    if pair.own <= 0:
        return f"distance {short(pair.distance):g}; the real sample has a duplicate among the real ones"
    ratio = pair.distance / pair.own
    many = f"{ratio:.0f}" if ratio >= 9.95 else f"{ratio:.2g}"
    return f"{many} {'of' if float(many) < 1 else 'times'} the distance to its own nearest real sample"

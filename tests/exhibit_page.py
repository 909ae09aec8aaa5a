"""Exhibits made by hand from scikit-learn's digits, and a page that holds nothing but the section that shows them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2
import numpy as np
from numpy.typing import NDArray

from truegrade.result import Evaluation, Exhibits, MapSide, MapView, Pair, Provenance, SetFacts, Specimen

TEMPLATES = Path(__file__).resolve().parents[1] / "src" / "truegrade" / "report" / "page" / "templates"
Array = NDArray[Any]


def distances(a: Array, b: Array) -> Array:
    return np.sqrt(((a[:, None].astype(float) - b[None].astype(float)) ** 2).sum(2))


def inside_from(points: Array, centres: Array, most_k: int) -> Array:
    """By the definition, for each k anew."""
    radii = np.sort(distances(centres, centres), axis=1)
    across = distances(points, centres)
    result = np.zeros(len(points), dtype=np.int64)
    for k in range(most_k, 0, -1):
        result[(across <= radii[:, k]).any(axis=1)] = k
    return result


def map_side(mine: Array, other: Array, plane: Array, most_k: int, labels: Array | None, **more: Any) -> MapSide:
    across, own = distances(mine, other), distances(mine, mine)
    np.fill_diagonal(own, np.inf)
    nearest = across.min(1)
    values: dict[str, Any] = {
        "n": len(mine),
        "rows": np.arange(len(mine)),
        "points": ((mine - plane[0]) @ plane[1:].T).astype(np.float32),
        "grade": (1 - nearest.argsort().argsort() / (len(mine) - 1)).astype(np.float32),
        "inside_from": inside_from(mine, other, most_k),
        "nearest": nearest.astype(np.float32),
        "own": own.min(1).astype(np.float32),
        "labels": None if labels is None else tuple(map(str, labels)),
    }
    return MapSide(**(values | more))


def exhibits(real: Array, synthetic: Array, *, labels: Array | None = None, most_k: int = 10, **more: Any) -> Exhibits:
    """What the gallery would choose, naively; rows are images of 8 x 8 if there are 64 columns."""
    middle = real.mean(0)
    plane = np.vstack([middle, np.linalg.svd(real - middle, full_matrices=False)[2][:2]])
    sides = map_side(real, synthetic, plane, most_k, labels), map_side(synthetic, real, plane, most_k, None)
    view = MapView(*sides, "principal components of the real samples", ("component 1", "component 2"), 3, most_k)

    def specimen(side: str, row: int) -> Specimen:
        of, values = (sides[0], real) if side == "real" else (sides[1], synthetic)
        label = None if of.labels is None else of.labels[row]
        facts = float(of.grade[row]), float(of.nearest[row]), label
        return Specimen(side, int(row), f"row {row}", values[row], *facts)  # type: ignore[arg-type]

    def pair(row: int) -> Pair:
        found = int(distances(synthetic[row : row + 1], real).argmin())
        exact = bool((synthetic[row] == real[found]).all())
        apart = float(sides[1].nearest[row]), float(sides[0].own[found])
        return Pair(specimen("synthetic", row), specimen("real", found), *apart, exact)

    images = real.shape[1] == 64
    values: dict[str, Any] = {
        "map": view,
        "worst": tuple(specimen("synthetic", i) for i in sides[1].grade.argsort()[:8]),
        "uncovered": tuple(specimen("real", i) for i in sides[0].grade.argsort()[:8]),
        "pairs": tuple(pair(int(i)) for i in sides[1].nearest.argsort()[:6]),
        "drawing": "image" if images else "bars",
        "low": np.full(64, real.min()) if images else np.percentile(real, 5, axis=0),
        "high": np.full(64, real.max()) if images else np.percentile(real, 95, axis=0),
        "d": real.shape[1],
        "shown": real.shape[1],
        "shape": (8, 8) if images else None,
    }
    return Exhibits(**(values | more))


def evaluation(shown: Exhibits | None, name: str = "synthetic") -> Evaluation:
    facts = SetFacts(name, 3, 2, "float64", "", "memory")
    return Evaluation({}, facts, facts, Provenance({}, 0, None, "", 0.0), exhibits=shown)


def section(views: Mapping[str, Any]) -> str:
    """The page, from views by model."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, undefined=jinja2.StrictUndefined
    )
    summary = {"models": [{"name": name, "exhibits": view} for name, view in views.items()]}
    stored = json.dumps(summary, allow_nan=False).replace("<", "\\u003c").replace("&", "\\u0026")
    page_css, css, map_js, js = (
        (TEMPLATES / name).read_text(encoding="utf-8")
        for name in ("page.css", "exhibits.css", "exhibits_map.js", "exhibits.js")
    )
    body = environment.get_template("_exhibits.html").render(summary=summary)
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Exhibits</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{page_css}{css}</style><body><main>{body}</main>"
        f'<script type="application/json" id="summary">{stored}</script>'
        f"<script>{map_js}</script><script>{js}</script></body></html>"
    )

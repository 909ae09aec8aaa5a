"""Recordings to look at, as plain data: strips in pairs by why they are shown, and the rhythms of the map.

strips: [{"why", "title", "text", "pairs": [pair]}]; pair: {"shown": strip, "other": strip or None, "words"}.
strip: {"side", "row", "name", "label", "grade", "words", "leads", "fs" (0: not known), "samples", "values" (base64,
int16 little-endian, leads by samples, microvolts, -32768 missing), "points" (how many its drawing may have), "scale":
[text]}.
rhythms: {"real": rhythm, "synthetic": rhythm}; rhythm: {"lead", "fs", "step" (mV), "samples", "rows", "packed"
(base64 of deflated differences along time, modulo 256, of int8 values; -128 missing)}.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from truegrade.report.summary.ecg_words import View, figure, lead_name
from truegrade.report.summary.exhibit_view import grade_words
from truegrade.report.words import safe
from truegrade.result.ecg import EcgGrades, Rhythm, Strip, StripPair

POINTS, FEWEST = 80_000, 1500  # of all drawings together, of one
PACKED = 450_000  # characters of all rhythms together
SECONDS = 10.0
_COARSER = ((1, 1.0), (1, 0.6), (2, 0.6), (2, 0.4), (4, 0.4), (8, 0.4), (16, 0.25))  # parts of the steps, of the time
_KINDS: Mapping[str, tuple[str, str]] = {
    "worst": (
        "The worst synthetic recordings",
        "Farthest from looking real, the worst first, each beside the real recording that is nearest to it.",
    ),
    "best": (
        "The best synthetic recordings",
        "Among the most realistic ones, each beside the real recording that is nearest to it.",
    ),
    "uncovered": (
        "The least covered real recordings",
        "What the generator misses, the worst first, each beside the synthetic recording that comes nearest.",
    ),
    "copy": (
        "Most like a real recording",
        "Synthetic recordings that resemble a real one most when shifted in time, beside that one.",
    ),
}
_COPIES = (
    "Copies of real recordings",
    "Synthetic recordings that repeat a real one, perhaps at another phase, beside that one.",
)


def strips_view(ecg: EcgGrades, models: int = 1) -> list[View]:
    """The pairs by why they are shown. models: on how many models the room of the page is spent."""
    count = sum(1 + (pair.other is not None) for pair in ecg.strips) * models
    points = max(FEWEST, POINTS // max(1, count))
    groups: list[View] = []
    for why in ("copy", *_KINDS) if _flagged(ecg) else _KINDS:
        pairs = [_pair(pair, ecg, points) for pair in ecg.strips if pair.why == why]
        if pairs and why not in {group["why"] for group in groups}:
            title, text = _COPIES if why == "copy" and _flagged(ecg) else _KINDS[why]
            groups.append({"why": why, "title": title, "text": text, "pairs": pairs})
    return groups


def _flagged(ecg: EcgGrades) -> bool:
    return ecg.copies is not None and ecg.copies.flagged


def _pair(pair: StripPair, ecg: EcgGrades, points: int) -> View:
    words = [] if pair.distance is None else [f"distance of their features {figure(pair.distance)}"]
    words += [safe(pair.note, 200)] if pair.note else []
    return {
        "shown": _strip(pair.shown, ecg, points),
        "other": None if pair.other is None else _strip(pair.other, ecg, points),
        "words": "; ".join(words),
    }


def _strip(one: Strip, ecg: EcgGrades, points: int) -> View:
    known = one.fs > 0
    grade = None if one.grade is None else round(float(one.grade), 3)
    return {
        "side": one.side,
        "row": int(one.row),
        "name": safe(one.name),
        "label": None if one.label is None else safe(one.label),
        "grade": grade,
        "words": "" if grade is None else f"grade {grade:.2f}: {grade_words(one.side, grade)}",
        "leads": [lead_name(lead) for lead in one.leads],
        "fs": float(one.fs) if known else 0.0,
        "samples": int(one.values.shape[1]),
        "values": base64.b64encode(one.values.astype("<i2").tobytes()).decode("ascii"),
        "points": points,
        "scale": scale_words(known, ecg.units),
    }


def scale_words(known_rate: bool, units: str | None) -> list[str]:
    """What a millimetre of the paper is."""
    across = "25 mm/s" if known_rate else "sampling rate not known: across not to scale"
    return [across, "10 mm/mV" if units else "units not known: upwards not to scale"]


# --- rhythms of the map ------------------------------------------------------------------------------------


def rhythms_view(ecg: EcgGrades, models: int = 1) -> View | None:
    """The rhythms packed for the page, coarser and shorter where they are many; None where there are none."""
    if {one.side for one in ecg.rhythms} != {"real", "synthetic"} or any(not one.values.size for one in ecg.rhythms):
        return None
    view: View = {}
    for coarser, part in _COARSER:
        view = {one.side: _rhythm(one, coarser, part) for one in ecg.rhythms}
        if sum(len(one["packed"]) for one in view.values()) <= PACKED / models:
            break
    return view | {"scale": scale_words(all(one.fs > 0 for one in ecg.rhythms), ecg.units)}


def _rhythm(one: Rhythm, coarser: int, part: float) -> View:
    samples = max(1, round(one.values.shape[1] * part))
    kept = one.values[:, :samples]
    values = np.where(kept == -128, -128, np.rint(kept / coarser)).astype(np.int8)
    return {
        "lead": lead_name(one.lead),
        "fs": float(one.fs) if one.fs > 0 else one.values.shape[1] / SECONDS,
        "step": float(f"{one.step * coarser:.6g}"),
        "samples": samples,
        "rows": [int(row) for row in one.rows],
        "packed": _packed(values),
    }


def _packed(values: NDArray[np.int8]) -> str:
    """Differences along time deflated: a fifth of the size."""
    bytes_ = values.view(np.uint8)
    steps = np.diff(bytes_, axis=1, prepend=np.zeros((len(bytes_), 1), np.uint8))  # modulo 256
    return base64.b64encode(zlib.compress(steps.tobytes(), 6)).decode("ascii")

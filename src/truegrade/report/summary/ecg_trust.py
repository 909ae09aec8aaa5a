"""May the numbers be believed, and the recordings used: findings of the preflight, copies, tells, utility.

findings: [{"severity", "code", "side", "text", "mend", "count", "records", "leads"}], the worst first.
copies: {"flagged", "share", "percent", "fresh" (of real ones), "threshold", "words", "pairs"};
discrimination: {"rows", "sizes" (of the floors), "tells", "words" (where there are no rows)};
utility: [{"target", "score", "real", "synthetic", "baseline", "reason"}].
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from truegrade.ecg.scores import ECG_SCORES
from truegrade.report.summary.ecg_words import View, cell, figure, lead_name, shared_sizes
from truegrade.report.words import safe
from truegrade.result.ecg import Discrimination, EcgGrades, Finding, Number, Strip
from truegrade.result.table import Task

_FINDINGS, _PAIRS, _TASKS, _TELLS = 40, 20, 20, 20
_SEVERITIES = ("refuse", "warn", "note")
_SHOWN = {"refuse": "serious", "warn": "caution", "note": "note"}
_AUC, _SHARE = (ECG_SCORES[key].about for key in ("discriminative_auc", "ecg_copies"))
_CLASSIFIERS = {"boosting": "Gradient-boosted trees", "logistic": "Logistic regression"}
_SAME = {"quantum-tell": "quantisation", "laws-tell": "derived-leads", "mean-tell": "zero-mean"}  # findings and tells


def findings_view(ecg: EcgGrades) -> list[View]:
    """What the look at the recordings found; what would have refused them, had it not been overridden, first."""
    tells = set() if ecg.discrimination is None else {tell.code for tell in ecg.discrimination.tells}
    found = [one for one in ecg.findings if _SAME.get(one.code) not in tells]  # those are said with the tells
    ordered = sorted(found, key=lambda one: 0 if one.overridden else _SEVERITIES.index(one.severity))
    return [_finding(one) for one in ordered[:_FINDINGS]]


def _finding(one: Finding) -> View:
    return {
        "severity": _SHOWN["refuse" if one.overridden else one.severity],
        "overridden": one.severity == "refuse" or one.overridden,
        "code": safe(one.code, 60),
        "side": one.side,
        "text": safe(one.text, 600),
        "mend": safe(one.mend, 300),
        "count": one.count,
        "records": [safe(name, 40) for name in one.records[:10]],
        "leads": [lead_name(lead) for lead in one.leads[:12]],
    }


# --- copies ------------------------------------------------------------------------------------------------


def copies_view(ecg: EcgGrades) -> View | None:
    """Which synthetic recordings repeat a real one."""
    copies = ecg.copies
    if copies is None:
        return None
    names = _names(ecg)
    return {
        "flagged": copies.flagged,
        "share": cell(copies.share, _SHARE),
        "percent": _percent(copies.share.value),
        "fresh": _percent(copies.share.floor),
        "threshold": figure(copies.threshold) if math.isfinite(copies.threshold) else "",
        "words": [safe(sentence, 400) for sentence in copies.words],
        "pairs": [
            {
                "synthetic": names.get(("synthetic", pair.synthetic), f"recording {pair.synthetic}"),
                "real": names.get(("real", pair.real), f"recording {pair.real}"),
                "similarity": f"{pair.similarity:.3f}",
                "shift": f"{pair.shift:.2f} s",
            }
            for pair in copies.pairs[:_PAIRS]
        ],
    }


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.3g}%"


def _names(ecg: EcgGrades) -> Mapping[tuple[str, int], str]:
    strips: list[Strip | None] = [one for pair in ecg.strips for one in (pair.shown, pair.other)]
    return {(one.side, one.row): safe(one.name, 40) for one in strips if one is not None}


# --- discrimination and utility ----------------------------------------------------------------------------


def discrimination_view(ecg: EcgGrades) -> View | None:
    """How well classifiers tell the sides apart, with all tells and without them."""
    found = ecg.discrimination
    if found is None:
        return None
    rows = [_classifier(key, found) for key in dict.fromkeys([*found.raw, *found.clean])]
    mends = {_SAME.get(one.code): safe(one.mend, 300) for one in ecg.findings if one.code in _SAME}
    return {
        "rows": rows,
        "sizes": shared_sizes(row[key] for row in rows for key in ("raw", "clean")),
        "tells": [
            {
                "code": safe(tell.code, 60),
                "text": safe(tell.text, 400),
                "auc": f"{tell.auc:.2f}" if math.isfinite(tell.auc) else "",
                "neutralised": safe(tell.neutralised, 300),
                "mend": mends.get(tell.code, ""),
            }
            for tell in found.tells[:_TELLS]
        ],
        "words": [] if rows else [safe(sentence, 400) for sentence in found.words],
    }


def _classifier(key: str, found: Discrimination) -> View:
    title = _CLASSIFIERS.get(key) or safe(key.replace("_", " ").capitalize(), 40)
    return {"title": title, "raw": _auc(found.raw.get(key)), "clean": _auc(found.clean.get(key))}


def _auc(one: Number | None) -> View:
    return cell(one, _AUC)


def utility_view(ecg: EcgGrades) -> list[View]:
    """What can be learnt from the synthetic recordings, beside what real ones teach."""
    return [_task(task) for task in ecg.utility[:_TASKS]]


def _task(task: Task) -> View:
    return {
        "target": safe(task.target, 60),
        "score": safe(task.score, 40),
        "real": figure(task.real),
        "synthetic": figure(task.synthetic),
        "baseline": figure(task.baseline),
        "reason": safe(task.reason or "", 300),
    }

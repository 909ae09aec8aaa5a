"""What a report shows of ECG recordings beyond the scores of their features, as one plain dict of bounded size.

ecg_view(...) = {"verdict": [sentence], "leads" (how many), "facts": [text], "findings", "copies", "discrimination",
"utility" (ecg_trust), "missing": [{"lead", "real", "synthetic"}], "features", "registry" (ecg_leads), "scorecard",
"laws" (ecg_clinic), "strips", "rhythms" (ecg_strips)}. Texts are single printable lines; outputs escape for themselves.
"""

from __future__ import annotations

from truegrade.report.summary.ecg_clinic import laws_view, scorecard_view
from truegrade.report.summary.ecg_leads import features_view, registry_view
from truegrade.report.summary.ecg_strips import rhythms_view, strips_view
from truegrade.report.summary.ecg_trust import copies_view, discrimination_view, findings_view, utility_view
from truegrade.report.summary.ecg_words import View, lead_name
from truegrade.report.words import counted, safe
from truegrade.result import Evaluation
from truegrade.result.ecg import EcgGrades

_SENTENCES, _LEADS = 20, 32


def ecg_view(evaluation: Evaluation, models: int = 1) -> View | None:
    """What the report shows of the recordings of one evaluation of `models`; None if it graded none."""
    ecg = evaluation.ecg
    if ecg is None:
        return None
    scores = evaluation.scores
    return {
        "verdict": [safe(sentence, 600) for sentence in ecg.verdict[:_SENTENCES]],
        "leads": len(ecg.leads),
        "facts": _facts(ecg),
        "findings": findings_view(ecg),
        "missing": _missing(ecg),
        "features": features_view(ecg, scores),
        "registry": registry_view(ecg, scores),
        "scorecard": scorecard_view(ecg, scores),
        "laws": laws_view(ecg),
        "copies": copies_view(ecg),
        "discrimination": discrimination_view(ecg),
        "utility": utility_view(ecg),
        "strips": strips_view(ecg, models),
        "rhythms": rhythms_view(ecg, models),
    }


def _facts(ecg: EcgGrades) -> list[str]:
    names = ", ".join(lead_name(lead) for lead in ecg.leads[:_LEADS])
    more = f" and {len(ecg.leads) - _LEADS} more" if len(ecg.leads) > _LEADS else ""
    return [
        f"{counted(len(ecg.leads), 'lead')} ({names}{more})",
        "sampling rate not known" if ecg.fs is None else f"{ecg.fs:g} Hz",
        "length in seconds not known" if ecg.seconds is None else f"{ecg.seconds:g} s",
        f"in {safe(ecg.units, 12)}" if ecg.units else "units not known",
    ]


def _missing(ecg: EcgGrades) -> list[View]:
    """Leads that some recordings lack."""
    return [
        {"lead": lead_name(lead), "real": real, "synthetic": synthetic}
        for lead, (real, synthetic) in list(ecg.missing.items())[:_LEADS]
        if real or synthetic
    ]

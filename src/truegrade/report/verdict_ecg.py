"""What the headline says of ECG recordings, from their own grades: what is wrong with them, the most serious first.

In this order: copies (exact ones, where nobody looked for others), findings that should have stopped the evaluation,
recordings without beats, leads that are missing, leads that differ by more than chance, clinical measurements that are
off, a classifier that tells the sides apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from truegrade.ecg.judging import clinically_off, differ, told_apart
from truegrade.errors import notice
from truegrade.report.summary.ecg_words import as_score
from truegrade.report.words import safe
from truegrade.result import Score
from truegrade.result.ecg import EcgGrades, Number

MANY = 0.05  # share of recordings from which on what they lack is named
_CROWDED = 1.2  # density from which on samples huddle
_COPIES = "same-records"


def copies_of(ecg: EcgGrades | None) -> str:
    """That recordings repeat real ones, as a clause; empty where they do not."""
    if ecg is None:
        return ""
    if ecg.copies is not None:
        if not ecg.copies.flagged:
            return ""
        share = ecg.copies.share.value
        part = "" if share is None else f" ({share:.0%} of the recordings repeat a real one)"
        return f"copies real recordings{part}"
    found = next((one for one in ecg.findings if one.code == _COPIES), None)
    if found is None:
        return ""
    return f"copies real recordings ({found.count:,} are exact copies of one)"


def faults(ecg: EcgGrades | None) -> tuple[str, ...]:
    """What is wrong with recordings beside copies, a clause each, the most serious first."""
    parts = (_refused, _beatless, _missing, _leads, _measured, _told)
    return () if ecg is None else tuple(clause for part in parts for clause in part(ecg))


def by_lead(ecg: EcgGrades | None) -> dict[str, Score]:
    """The metrics of the descriptors as means over leads, or of all leads where there are none, as scores."""
    found = None if ecg is None else next((one for one in ecg.features if one.features == "descriptors"), None)
    if ecg is None or found is None:
        return {}
    numbers: Mapping[str, Number] = found.mean or found.whole
    scores = {
        key: as_score(one, ecg.about[key], key, ecg.titles.get(key, key))
        for key, one in numbers.items()
        if one.value is not None and key in ecg.about
    }
    return {key: _warned(one) for key, one in scores.items()}


def _warned(score: Score) -> Score:
    """Density far above 1 says that samples huddle, which clipped density of vectors warns of."""
    if score.key != "density" or (score.value or 0.0) < _CROWDED:
        return score
    return replace(score, warnings=(notice("contraction", raw=score.value),))


def size_of(ecg: EcgGrades | None) -> str:
    """At which size real recordings were graded against real ones; empty where they were not."""
    cuts = None if ecg is None else ecg.settings.get("cuts")
    return f" (real against real: {cuts[0][0]:,} against {cuts[0][1]:,} recordings)" if cuts else ""


def _refused(ecg: EcgGrades) -> Iterator[str]:
    for one in ecg.findings:
        if one.severity == "refuse" or one.overridden:
            yield f"the recordings cannot be compared as they are: {safe(one.text, 200).rstrip('.')}"
            return


def _beatless(ecg: EcgGrades) -> Iterator[str]:
    card = ecg.scorecard
    n, m = (int(ecg.settings.get(side, 0)) for side in ("n_real", "n_synthetic"))
    if card is None or not n or not m:
        return
    real, synthetic = card.without_beats
    if 2 * real >= n:
        yield f"these may be no ECGs: no beat was found in {real:,} of {n:,} real recordings"
    elif synthetic >= MANY * m and synthetic / m > 2 * real / n:
        yield f"no beat was found in {synthetic:,} of {m:,} synthetic recordings"


def _missing(ecg: EcgGrades) -> Iterator[str]:
    m = int(ecg.settings.get("n_synthetic", 0))
    gone = [safe(lead, 16) for lead, (_, lost) in ecg.missing.items() if m and lost == m]
    some = [lead for lead, (real, lost) in ecg.missing.items() if lost > real and lost >= MANY * m]
    if gone:
        yield f"every synthetic recording lacks {_listed(gone)}"
    elif some and m:
        yield f"synthetic recordings lack a signal in {len(some)} of {_count(len(ecg.missing), 'lead')}"


def _leads(ecg: EcgGrades) -> Iterator[str]:
    off = differ(ecg)
    leads = [lead for lead in ecg.leads if any((found.features, lead) in off for found in ecg.features)]
    if leads:
        yield f"recordings differ from real ones in {len(leads)} of {_count(len(ecg.leads), 'lead')}"
    elif off:
        yield "recordings differ from real ones in all leads together"


def _measured(ecg: EcgGrades) -> Iterator[str]:
    measured = () if ecg.scorecard is None else ecg.scorecard.measurements
    off = sorted(clinically_off(measured), key=lambda one: -(one.distance.value or 0.0) / (one.distance.floor or 1e-12))
    if off:
        count = f"{len(off)} of {_count(len(measured), 'clinical measurement')} {'is' if len(off) == 1 else 'are'} off"
        yield f"{count}, {safe(off[0].title, 40)} most"


def _told(ecg: EcgGrades) -> Iterator[str]:
    clean = {} if ecg.discrimination is None else ecg.discrimination.clean
    told = [one.value or 0.0 for one in clean.values() if one.value is not None and told_apart(one) == "told"]
    if told:
        yield f"a classifier tells them from real recordings (AUC {max(told):.2f})"


def _count(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def _listed(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")

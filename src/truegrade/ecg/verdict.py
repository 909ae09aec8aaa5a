"""What synthetic recordings amount to, in sentences: copies first, then what is wrong, then what is right."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from truegrade.result.ecg import EcgGrades, FeatureGrades, Measurement, Number
from truegrade.result.score import About
from truegrade.tables.naming import shown
from truegrade.uncertainty.paired import holm

TELLING = 0.8  # AUC of one trivial tell from which on it is named
TOLD = 0.65  # AUC of a classifier from which on recordings are told apart
MANY = 0.5  # share of copies from which on there is little else
MARGIN = 0.05  # by which a share may miss its least floor
FACTOR = 2.0  # of its largest floor above which a distance is off
CLINICAL = 1.5  # times the mean of its floors above which a clinical distance is off
LEVEL = 0.05  # of all leads, or all measurements, together
LAWS = 0.01  # mV
USEFUL = 0.5
TAUGHT = 0.1
_SHOWN = 3
_LONGEST = 400  # characters of a sentence of another part
_KEYS = ("clipped_density", "clipped_coverage", "precision", "recall")
_ASPECTS = (
    ("Recordings do not look like real ones", ("clipped_density", "precision")),
    ("Variety of real recordings is missing", ("clipped_coverage", "recall")),
)
_SETS = {"descriptors": "descriptors", "spectral": "spectral descriptors", "beats": "the form of the beats"}


def verdict(grades: EcgGrades) -> tuple[str, ...]:
    """Sentences, the most serious first; names of leads are cut, their control characters escaped."""
    parts = (
        _copies,
        _findings,
        _tells,
        _told_apart,
        _missing,
        _leads,
        _measured,
        _beats,
        _laws,
        _useless,
        _fine,
        _failures,
        _size,
    )
    return tuple(sentence for part in parts for sentence in part(grades))


def copied(grades: EcgGrades) -> bool:
    """Whether more recordings are copies than fresh real ones explain; nothing is praised then."""
    return grades.copies is not None and grades.copies.flagged


def off(number: Number, about: About | None) -> bool:
    """Whether a number is worse than every real-against-real cut by more than a margin; never without a floor."""
    value, least, most = number.value, number.floor_low, number.floor_high
    if value is None or least is None or most is None or about is None:
        return False
    spread = max(most - least, _chance(number, about))
    if about.direction == "higher":
        return value < least - max(spread, MARGIN * max(1.0, abs(least)))
    if about.direction == "lower":
        return value > most + max(spread, (FACTOR - 1.0) * abs(most))
    margin = max(spread, 2.0 * MARGIN)
    return value < least - margin or value > most + margin


def _chance(number: Number, about: About) -> float:
    """Of a share: four standard errors of what real against real has at these sizes, as many numbers are looked at."""
    if about.range != (0.0, 1.0) or number.floor is None or not (number.n_real and number.n_synthetic):
        return 0.0
    share = min(max(number.floor, 0.05), 0.95)
    return 4.0 * math.sqrt(share * (1.0 - share) * (1.0 / number.n_real + 1.0 / number.n_synthetic))


def _copies(grades: EcgGrades) -> Iterator[str]:
    if grades.copies is None or not copied(grades):
        return
    share = grades.copies.share
    words = "These are copies of real recordings rather than new ones" if (share.value or 0.0) >= MANY else "Copies"
    floor = "" if share.floor is None else f", {share.floor:.1%} of fresh real ones would be"
    number = "" if share.value is None else f"{share.value:.1%} of the synthetic recordings repeat a real one{floor}"
    yield f"{words}: {number or 'real recordings are repeated'}. Good numbers of copies show no quality."


def _findings(grades: EcgGrades) -> Iterator[str]:
    """What should have stopped the grading, and what biases it."""
    refused = [one for one in grades.findings if one.severity == "refuse" or "all the same" in one.text]
    for one in refused[:_SHOWN]:
        yield f"The numbers may mean nothing ({one.code}): {shown(one.text, _LONGEST)}"
    warned = [one for one in grades.findings if one.severity == "warn" and one not in refused]
    if warned:
        yield f"{_number(len(warned), 'doubt')} about the recordings: {_listed([one.code for one in warned])}."


def _tells(grades: EcgGrades) -> Iterator[str]:
    found = [] if grades.discrimination is None else [t for t in grades.discrimination.tells if t.auc >= TELLING]
    for one in sorted(found, key=lambda tell: -tell.auc)[:_SHOWN]:
        yield f"A trivial tell gives the synthetic recordings away (AUC {one.auc:.2f}): {shown(one.text, _LONGEST)}"


def _told_apart(grades: EcgGrades) -> Iterator[str]:
    clean = {} if grades.discrimination is None else grades.discrimination.clean
    known = [one for one in clean.values() if one.value is not None]
    if not known:
        return
    worst = max(known, key=lambda one: abs((one.value or 0.0) - 0.5))
    auc = worst.value or 0.0
    without = " without the trivial tells" if grades.discrimination and grades.discrimination.tells else ""
    beyond = worst.floor_high is None or auc > worst.floor_high
    if auc >= TOLD and beyond and (worst.low is None or worst.low > 0.5):
        yield f"A classifier tells synthetic recordings from real ones{without} (AUC {auc:.2f}, .5 is guessing)."
    elif auc <= 1.0 - TOLD:
        yield (
            f"A classifier is wrong about recordings that it has not seen (AUC {auc:.2f}, well below .5, which is "
            "guessing): recordings of both sides come in near-equal pairs."
        )
    elif not copied(grades):
        yield f"A classifier can hardly tell synthetic from real recordings{without} (AUC {auc:.2f}, .5 is guessing)."


def _missing(grades: EcgGrades) -> Iterator[str]:
    n, m = (int(grades.settings.get(side, 0)) for side in ("n_real", "n_synthetic"))
    gone = [shown(lead) for lead, (_, synthetic) in grades.missing.items() if m and synthetic == m]
    if gone:
        yield f"Every synthetic recording lacks {_listed(gone)}, counted as the worst in means over leads."
    ours = [f"{shown(lead)} ({real:,} of {n:,})" for lead, (real, _) in grades.missing.items() if real]
    some = [f"{shown(lead)} ({x:,} of {m:,})" for lead, (_, x) in grades.missing.items() if 0 < x < m]
    if some:
        yield f"Synthetic recordings lack leads: {_listed(some)}; they count as flat lines."
    if ours:
        yield f"Real recordings lack leads, and are left out there: {_listed(ours)}."


def _leads(grades: EcgGrades) -> Iterator[str]:
    """On each feature set in how many leads likeness and variety are off, and the worst of them: of those leads that
    differ by more than chance."""
    differ = _differ(grades)
    for found in grades.features:
        leads = [lead for lead in found.per_lead if (found.features, lead) in differ]
        said = [sentence for what, keys in _ASPECTS if (sentence := _aspect(found, what, keys, leads, grades))]
        if not said and leads:
            count = f"{len(leads)} of {_number(len(found.per_lead), 'lead')}"
            words = _listed([shown(lead) for lead in leads])
            said = [f"Recordings differ from real ones by more than chance in {count} ({_set(found)}): {words}."]
        if not said and (found.features, "") in differ:
            said = list(_together(found, grades.about, grades.titles))
        yield from said


def _differ(grades: EcgGrades) -> set[tuple[str, str]]:
    """Feature sets and leads ("" for all together) that differ by more than chance, with all of them looked at."""
    chances = {(found.features, lead): p for found in grades.features for lead, p in found.chance.items()}
    corrected = dict(zip(chances, holm(list(chances.values())), strict=True))
    return {where for where, p in corrected.items() if p < LEVEL}


def _aspect(
    found: FeatureGrades, what: str, keys: Sequence[str], leads: Sequence[str], grades: EcgGrades
) -> str | None:
    """The metric that finds most of the leads off, and these."""
    by_key = {
        key: [
            (shown(lead), one)
            for lead, numbers in found.per_lead.items()
            if lead in leads and (one := numbers.get(key)) is not None and off(one, grades.about.get(key))
        ]
        for key in keys
    }
    key = max(keys, key=lambda one: len(by_key[one]))
    far = sorted(by_key[key], key=lambda item: (item[1].value or 0.0) - (item[1].floor or 0.0))
    if not far:
        return None
    words = [f"{lead} {one.value:.2f}, real data get {one.floor:.2f}" for lead, one in far]
    count = f"{len(far)} of {_number(len(found.per_lead), 'lead')}"
    return f"{what} in {count} ({_set(found)}), by {grades.titles.get(key, key)}: {_listed(words)}."


def _together(found: FeatureGrades, about: Mapping[str, About], titles: Mapping[str, str]) -> Iterator[str]:
    """Leads that are right one by one and differ together."""
    for key in _KEYS:
        one = found.whole.get(key)
        if one is not None and off(one, about.get(key)):
            yield (
                f"Single leads are right and all leads together are not ({_set(found)}): "
                f"{titles.get(key, key)} {one.value:.2f}, real data get {one.floor:.2f}."
            )
            return
    yield f"Single leads are right and all leads together differ from real ones by more than chance ({_set(found)})."


def _measured(grades: EcgGrades) -> Iterator[str]:
    card = grades.scorecard
    if card is None:
        return
    if card.reason:
        yield f"There is no clinical scorecard: {shown(card.reason, _LONGEST)}"
        return
    far = [
        (one, (one.distance.value or 0.0) / max(one.distance.floor_high or 0.0, 1e-12))
        for one in _clinically_off(card.measurements)
    ]
    far.sort(key=lambda item: -item[1])
    words = [
        f"{one.title} by {one.distance.value:.3g} {one.unit} on average, real against real {one.distance.floor:.3g}"
        for one, _ in far
    ]
    if words:
        verb = "measurement is" if len(words) == 1 else "measurements are"
        count = f"{len(words)} of {len(card.measurements)}"
        yield f"{count} clinical {verb} off beyond real against real: {_listed(words)}."
    unknown = [one.title for one in card.measurements if one.distance.value is None]
    if unknown:
        yield f"Not measured: {_listed(unknown)}."


def _clinically_off(measurements: Sequence[Measurement]) -> list[Measurement]:
    """Those that differ by more than chance, with all of them looked at, and by half more than real ones do."""
    tested = [one for one in measurements if one.chance is not None]
    corrected = holm([one.chance for one in tested if one.chance is not None])
    return [
        one
        for one, p in zip(tested, corrected, strict=True)
        if p < LEVEL
        and one.distance.value is not None
        and one.distance.floor is not None
        and one.distance.value > CLINICAL * one.distance.floor
    ]


def _beats(grades: EcgGrades) -> Iterator[str]:
    if grades.scorecard is not None and grades.scorecard.without_beats[1]:
        real, synthetic = grades.scorecard.without_beats
        yield f"No beat was found in {_number(synthetic, 'synthetic recording')} and in {_number(real, 'real one')}."


def _laws(grades: EcgGrades) -> Iterator[str]:
    found = None if grades.laws is None else grades.laws.einthoven
    if found is None or found.value is None:
        return
    if found.value > max(LAWS, 3.0 * (found.floor or 0.0)):
        floor = "" if found.floor is None else f", {found.floor:.3f} mV in real ones"
        yield f"Leads break Einthoven's and Goldberger's laws by {found.value:.3f} mV{floor}."


def _useless(grades: EcgGrades) -> Iterator[str]:
    tasks = [task for task in grades.utility if task.real is not None and task.real - task.baseline >= TAUGHT]
    for task in tasks:
        gain = (task.real or 0.0) - task.baseline
        if task.synthetic is None:
            why = shown(task.reason or "it is undefined", _LONGEST)
            yield f"Synthetic recordings cannot train a model for {shown(task.target)}: {why}"
        elif (task.synthetic - task.baseline) / gain < USEFUL:
            yield (
                f"What real recordings teach is lost: a model trained on synthetic ones predicts {shown(task.target)} "
                f"with {task.score} {task.synthetic:.2f} instead of {task.real:.2f}."
            )


def _fine(grades: EcgGrades) -> Iterator[str]:
    """What is as in real data, never said of copies."""
    if copied(grades):
        return
    wrong = {features for features, _ in _differ(grades)}
    fine = [found for found in grades.features if found.chance and found.features not in wrong]
    if fine:
        sets = _listed([_set(found) for found in fine])
        yield f"By lead and by all leads together the recordings are as real ones at this size would be ({sets})."
    card = grades.scorecard
    known = [] if card is None else [one for one in card.measurements if one.distance.floor_high is not None]
    if known and not _clinically_off(known):
        yield f"All {len(known)} clinical measurements that were made are as in real recordings at this size."


def _failures(grades: EcgGrades) -> Iterator[str]:
    for part, reason in dict(grades.settings.get("failed", {})).items():
        if part != "leads":
            yield f"Not computed, {part}: {shown(reason, _LONGEST)}"


def _size(grades: EcgGrades) -> Iterator[str]:
    """At which size real against real was measured, and how many numbers it would not tell apart."""
    cuts = grades.settings.get("cuts")
    if cuts is None:
        return
    n, m = (int(grades.settings.get(side, 0)) for side in ("n_real", "n_synthetic"))
    if not cuts:
        yield (
            f"There is no real-against-real reference at {n:,} against {m:,} recordings (10 on a side of a cut are "
            "needed), so no number here can be called good or bad."
        )
        return
    numbers = [(one, grades.about.get(key)) for found in grades.features for key, one in found.mean.items()]
    known = [(one, about) for one, about in numbers if one.value is not None and one.floor is not None]
    if known:
        same = sum(not off(one, about) for one, about in known)
        yield (
            f"{same} of {len(known)} means over leads are no worse than those of real recordings against real ones "
            f"({cuts[0][0]:,} against {cuts[0][1]:,})."
        )


def _set(found: FeatureGrades) -> str:
    return _SETS.get(found.features, shown(found.features))


def _number(count: int, what: str) -> str:
    return f"1 {what}" if count == 1 else f"{count:,} {what}s"


def _listed(words: Sequence[str]) -> str:
    return "; ".join(words[:_SHOWN]) + (f" and {len(words) - _SHOWN} more" if len(words) > _SHOWN else "")

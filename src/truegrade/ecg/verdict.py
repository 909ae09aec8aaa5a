"""What synthetic recordings amount to, in sentences: copies first, then what is wrong, then what is right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from truegrade.ecg import summed
from truegrade.ecg.judging import (
    KEYS,
    TOLD,
    beyond,
    clinically_off,
    copied,
    differ,
    far_off,
    never_measured,
    off,
    open_to_praise,
    told_apart,
)
from truegrade.result.ecg import EcgGrades, FeatureGrades
from truegrade.result.score import About
from truegrade.tables.naming import shown

TELLING = 0.8  # AUC of one trivial tell from which on it is named
MANY = 0.5  # share of copies from which on there is little else
LAWS = 0.01  # mV
USEFUL = 0.5
TAUGHT = 0.1
_SHOWN = 3
_LONGEST = 400  # characters of a sentence of another part
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
    refused = [one for one in grades.findings if one.severity == "refuse" or one.overridden]
    for one in refused[:_SHOWN]:
        yield f"The numbers may mean nothing: {shown(one.text, _LONGEST)}"
    warned = sum(one.severity == "warn" and one not in refused for one in grades.findings)
    if warned:
        yield f"The look at the recordings before grading left {_number(warned, 'doubt')}, see the findings."


def _tells(grades: EcgGrades) -> Iterator[str]:
    found = [] if grades.discrimination is None else [t for t in grades.discrimination.tells if t.auc >= TELLING]
    names = [f"{_name(one.text)} (AUC {one.auc:.2f})" for one in sorted(found, key=lambda tell: -tell.auc)]
    if names:
        verb = "A trivial tell gives" if len(names) == 1 else "Trivial tells give"
        yield f"{verb} the synthetic recordings away: {_listed(names)}."


def _name(text: str) -> str:
    """What a tell is called: the words before the colon of its sentence."""
    name = shown(text.partition(":")[0], 60)
    return name[:1].lower() + name[1:]


def _told_apart(grades: EcgGrades) -> Iterator[str]:
    worst = summed.auc(grades)
    if isinstance(worst, str) or worst.value is None:
        return
    auc = worst.value
    without = " without the trivial tells" if grades.discrimination and grades.discrimination.tells else ""
    sides = f"synthetic recordings from real ones{without}"
    found = told_apart(worst)
    if found == "paired":
        yield (
            f"A classifier is wrong about recordings that it has not seen (AUC {auc:.2f}, well below .5, which is "
            "guessing): recordings of both sides come in near-equal pairs."
        )
    elif found == "told":
        little = "" if auc >= TOLD else ", a little better than by guessing"
        yield f"A classifier tells {sides}{little} (AUC {auc:.2f}, .5 is guessing)."
    elif found == "open":
        ends = "" if worst.low is None or worst.high is None else f", {worst.low:.2f} to {worst.high:.2f}"
        floor = "" if worst.floor_high is None else f", real against real gets up to {worst.floor_high:.2f}"
        yield f"Whether a classifier can tell {sides} is open at this size (AUC {auc:.2f}{ends}{floor})."
    elif not copied(grades):
        yield f"A classifier can hardly tell {sides} (AUC {auc:.2f}, .5 is guessing)."


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
    different = differ(grades)
    for found in grades.features:
        leads = [lead for lead in found.per_lead if (found.features, lead) in different]
        said = [sentence for what, keys in _ASPECTS if (sentence := _aspect(found, what, keys, leads, grades))]
        if not said and leads:
            count = f"{len(leads)} of {_number(len(found.per_lead), 'lead')}"
            words = _listed([shown(lead) for lead in leads])
            said = [f"Recordings differ from real ones by more than chance in {count} ({_set(found)}): {words}."]
        if not said and (found.features, "") in different:
            said = list(_together(found, grades.about, grades.titles))
        yield from said


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
    for key in KEYS:
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
        for one in clinically_off(card.measurements)
    ]
    far.sort(key=lambda item: -item[1])
    words = [
        f"{one.title} by {one.distance.value:.3g} {one.unit} on average, real against real {one.distance.floor:.3g}"
        for one, _ in far
    ]
    if words:
        verb = "is" if len(words) == 1 else "are"
        count = f"{len(words)} of {_number(len(card.measurements), 'clinical measurement')}"
        yield f"{count} {verb} off beyond real against real: {_listed(words)}."
    never = never_measured(card.measurements)
    if never:
        yield f"Could not be measured in any synthetic recording: {_listed([one.title for one in never])}."
    unknown = [one.title for one in card.measurements if one.distance.value is None and one not in never]
    if unknown:
        yield f"Not measured: {_listed(unknown)}."


def _beats(grades: EcgGrades) -> Iterator[str]:
    if grades.scorecard is not None and grades.scorecard.without_beats[1]:
        real, synthetic = grades.scorecard.without_beats
        yield f"No beat was found in {_number(synthetic, 'synthetic recording')} and in {_number(real, 'real one')}."


def _laws(grades: EcgGrades) -> Iterator[str]:
    found = None if grades.laws is None else grades.laws.einthoven
    if found is None:
        return
    if found.value is None:
        if found.floor is not None:
            yield f"There is no number of Einthoven's and Goldberger's laws: {shown(found.reason or '', _LONGEST)}"
        return
    if found.value > max(LAWS, 3.0 * (found.floor or 0.0)):
        floor = "" if found.floor is None else f", {found.floor:.3f} mV in real ones"
        yield f"Leads break Einthoven's and Goldberger's laws by {found.value:.3f} mV{floor}."


def _useless(grades: EcgGrades) -> Iterator[str]:
    tasks = [task for task in grades.utility if task.real is not None and task.real - task.baseline >= TAUGHT]
    for task in tasks:
        gain = (task.real or 0.0) - task.baseline
        if task.synthetic is not None and (task.synthetic - task.baseline) / gain < USEFUL:
            yield (
                f"What real recordings teach is lost: a model trained on synthetic ones predicts {shown(task.target)} "
                f"with {task.score} {task.synthetic:.2f} instead of {task.real:.2f}."
            )


def _fine(grades: EcgGrades) -> Iterator[str]:
    """What is as in real data, never said of copies; that no difference was found is no praise by itself."""
    if copied(grades):
        return
    wrong = {features for features, _ in differ(grades)}
    alike = [found for found in grades.features if found.chance and found.features not in wrong]
    fine = [found for found in alike if open_to_praise(grades) and not far_off(found, grades.about)]
    if fine:
        sets = _listed([_set(found) for found in fine])
        yield f"By lead and by all leads together the recordings are as real ones at this size would be ({sets})."
    rest = [_set(found) for found in alike if found not in fine]
    if rest:
        yield (
            f"By lead and by all leads together no difference beyond chance was found at this size ({_listed(rest)}); "
            "that does not show that there is none."
        )
    yield from _clinically_fine(grades)


def _clinically_fine(grades: EcgGrades) -> Iterator[str]:
    card = grades.scorecard
    known = [] if card is None else [one for one in card.measurements if one.distance.floor_high is not None]
    if card is None or not known or clinically_off(known) or never_measured(card.measurements):
        return
    if open_to_praise(grades) and not any(beyond(one.distance) for one in known):
        yield f"All {len(known)} clinical measurements that were made are as in real recordings at this size."
    else:
        yield f"No difference beyond chance was found in {_number(len(known), 'clinical measurement')} at this size."


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
            f"({cuts[0][0]:,} against {cuts[0][1]:,}); each is of one metric on one set of features."
        )


def _set(found: FeatureGrades) -> str:
    return _SETS.get(found.features, shown(found.features))


def _number(count: int, what: str) -> str:
    return f"1 {what}" if count == 1 else f"{count:,} {what}s"


def _listed(words: Sequence[str]) -> str:
    return "; ".join(words[:_SHOWN]) + (f" and {len(words) - _SHOWN} more" if len(words) > _SHOWN else "")

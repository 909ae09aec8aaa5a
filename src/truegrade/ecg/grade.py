"""Grading synthetic recordings against real ones: the parts put together; one that fails costs only itself."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from truegrade.ecg.differences import by_lead, differences
from truegrade.ecg.features import FEATURES, sample_rows
from truegrade.ecg.floors import Cuts, fresh_of, real_cuts
from truegrade.ecg.per_lead import abouts, grade_features, lead_metrics
from truegrade.ecg.scores import PARTS
from truegrade.ecg.verdict import verdict
from truegrade.errors import InputError, Notice, TruegradeError, notice
from truegrade.grading import Run
from truegrade.metrics.base import Metric
from truegrade.recordings import Recordings
from truegrade.result.ecg import EcgCopies, EcgGrades, FeatureGrades
from truegrade.result.exhibits import Exhibits
from truegrade.samples import Samples

_TITLES: Mapping[str, str] = {
    "findings": "The look at the recordings before grading",
    "leads": "The grades by lead",
    "chance": "Whether chance explains the differences",
    "registry": "The sixteen metrics of the registry",
    "scorecard": "The clinical scorecard",
    "laws": "The laws of leads",
    "copies": "The search for copies",
    "discrimination": "The classifiers",
    "utility": "Training on synthetic recordings",
    "strips": "The strips",
    **{f"leads ({which})": f"The grades by lead ({which})" for which in FEATURES},
}

K = 3  # of pr_dist


def grade_ecg(
    sides: Mapping[str, Samples],
    wanted: Collection[str],
    *,
    seed: int,
    run: Run | None = None,
    exhibits: Exhibits | None = None,
    metrics: Mapping[str, Metric] | None = None,
    k: int | None = None,
) -> EcgGrades:
    """What is known of the recordings of sides["synthetic"] against those of sides["real"], by the parts `wanted`.

    Args:
        sides: samples with `.ecg`; a side "holdout" is real recordings that the generator never saw.
        wanted: of "leads", "registry", "scorecard", "laws", "copies", "discrimination", "utility" those asked for.
        exhibits: which recordings are worth drawing. metrics: that were asked for, by key; graded by lead too. k: of
        precision and recall among the sixteen, 3 where nobody said.

    What fails is None or empty, with its reason in settings["failed"] and a notice; settings["defects"] names the parts
    that failed by a defect and not for what they were given. Raises InputError for a side
    without recordings and for an unknown part.
    """
    for side, samples in sides.items():
        if samples.ecg is None:
            raise InputError(f"The {side} set {samples.name!r} holds no recordings; both sides have to.")
    unknown = [str(part)[:60] for part in wanted if part not in PARTS]
    if unknown:
        raise InputError(f"part {unknown[0]!r} asked for; {', '.join(PARTS)} are accepted.")
    job = _Job(sides, frozenset(wanted), seed, run or Run(), exhibits, metrics, K if k is None else k)
    return job.grade()


@dataclass(frozen=True, eq=False)
class _Job:
    sides: Mapping[str, Samples]
    wanted: frozenset[str]
    seed: int
    run: Run
    exhibits: Exhibits | None
    metrics: Mapping[str, Metric] | None
    k: int
    failed: dict[str, str] = field(default_factory=dict)
    defects: list[str] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)

    @property
    def real(self) -> Recordings:
        found: Recordings = self.sides["real"].ecg
        return found

    @property
    def synthetic(self) -> Recordings:
        found: Recordings = self.sides["synthetic"].ecg
        return found

    def fresh(self) -> Recordings | None:
        """The hold-out without patients of the real side, with a notice where it has some."""
        given = self.sides["holdout"].ecg if "holdout" in self.sides else None
        found = fresh_of(self.real, given)
        shared = 0 if given is None else len(given) - (0 if found is None else len(found))
        if shared:
            self.notices.append(notice("groups_shared", count=shared))
        return found

    def grade(self) -> EcgGrades:
        real, synthetic = self.real, self.synthetic
        cuts = real_cuts(real, synthetic.n, seed=self.seed)
        found = EcgGrades(real.leads, real.fs, real.units, None if real.fs is None else real.length / real.fs)
        parts: dict[str, Any] = {"findings": self.attempt("findings", self.findings, ())}
        if "leads" in self.wanted:
            parts |= self.features(cuts)
        for part, make, empty in self.others(cuts):
            if part in self.wanted:
                parts[part] = self.attempt(part, make, empty)
        strips, rhythms = self.attempt("strips", partial(self.strips, parts.get("copies")), ((), ()))
        found = replace(
            found,
            **parts,
            missing=missing_leads(real, synthetic),
            strips=strips,
            rhythms=rhythms,
            settings=self.settings(cuts),
            notices=tuple(dict.fromkeys(self.notices)),
        )
        return replace(found, verdict=verdict(found))

    def attempt(self, part: str, make: Callable[[], Any], empty: Any) -> Any:
        """What a part makes; where it fails `empty`, and its reason is kept."""
        order = [*_TITLES]
        if self.run.progress is not None:
            self.run.progress(order.index(part), len(order), f"ECG: {part}")
        try:
            with np.errstate(all="ignore"):  # what is not finite has a reason, not a line on stderr
                return make()
        except Exception as error:  # a defect in one part must not cost the others
            reason = str(error) if isinstance(error, TruegradeError) else f"{type(error).__name__}: {error}"
            self.failed[part] = reason
            self.defects.extend([] if isinstance(error, TruegradeError) else [part])
            self.notices.append(notice("ecg_part_failed", part=_TITLES[part], reason=reason[:400]))
            return empty

    def findings(self) -> Any:
        from truegrade.ecg.looked import findings_of

        return findings_of(self.real, self.synthetic)

    def features(self, cuts: Cuts) -> dict[str, Any]:
        """The vector metrics on each feature set; one that fails costs only itself."""
        metrics = lead_metrics(self.metrics)
        about, titles = abouts(metrics)
        graded: list[FeatureGrades] = []
        for which in FEATURES:
            sides = self.real, self.synthetic
            grades = partial(grade_features, *sides, which, metrics, cuts, seed=self.seed, run=self.run)
            found = self.attempt(f"leads ({which})", grades, None)
            if found is not None:
                graded.append(found[0])
                self.notices.extend(found[1])
        sets = [one.features for one in graded]
        make = partial(differences, self.real, self.synthetic, sets, seed=self.seed)
        chance = self.attempt("chance", make, {}) if sets else {}
        graded = [replace(one, chance=by_lead(chance, one.features)) for one in graded]
        if "leads (descriptors)" in self.failed:
            self.failed["leads"] = self.failed["leads (descriptors)"]
            self.defects.extend(["leads"] if "leads (descriptors)" in self.defects else [])
        return {"features": tuple(graded), "about": about, "titles": titles}

    def others(self, cuts: Cuts) -> tuple[tuple[str, Callable[[], Any], Any], ...]:
        """The other parts: name (of the field too), how it is made, what it is where that fails."""
        real, synthetic, seed = self.real, self.synthetic, self.seed
        fresh = self.fresh() if self.wanted & {"copies", "utility"} else None

        def registry() -> Any:
            from truegrade.ecg.registry import grade_registry

            return grade_registry(real, synthetic, seed=seed, parameters={"pr_dist": {"k": self.k}})

        def scorecard() -> Any:
            from truegrade.ecg.beats.scorecard import scorecard

            return scorecard(real, synthetic, seed=seed, cuts=cuts)

        def laws() -> Any:
            from truegrade.ecg.laws import lead_laws

            return lead_laws(real, synthetic, cuts=cuts)

        def copies() -> Any:
            from truegrade.ecg.copies import find_copies

            return find_copies(real, synthetic, fresh, seed=seed)

        def discrimination() -> Any:
            from truegrade.ecg.discrimination import discriminate

            return discriminate(real, synthetic, seed=seed)

        def utility() -> Any:
            from truegrade.ecg.utility import utility

            return utility(real, synthetic, fresh, seed=seed)

        return (
            ("copies", copies, None),
            ("laws", laws, None),
            ("registry", registry, ()),
            ("scorecard", scorecard, None),
            ("discrimination", discrimination, None),
            ("utility", utility, ()),
        )

    def strips(self, copies: EcgCopies | None) -> Any:
        """Strips of the recordings that the exhibits name by row of the samples."""
        if self.exhibits is None and copies is None:
            return (), ()
        from truegrade.ecg.strips import make_strips

        real, synthetic = self.real, self.synthetic
        rows = sample_rows(self.sides["real"])
        if len(rows) < len(real):  # rows of the exhibits are those of the samples, of copies those of the recordings
            place = {int(row): at for at, row in enumerate(rows)}
            real = real.subset(rows)
            if copies is not None:
                pairs = [replace(one, real=place[one.real]) for one in copies.pairs if one.real in place]
                copies = replace(copies, pairs=tuple(pairs))
        return make_strips(real, synthetic, self.exhibits, copies, seed=self.seed)

    def settings(self, cuts: Cuts) -> dict[str, Any]:
        return {
            "seed": self.seed,
            "n_real": len(self.real),
            "n_synthetic": len(self.synthetic),
            "cuts": [[len(part) for part in cut] for cut in cuts],
            "patients": None if self.real.patients is None else len(np.unique(self.real.patients)),
            "parts": sorted(self.wanted),
            "k": self.k,
            "failed": dict(self.failed),
            "defects": list(self.defects),
        }


def missing_leads(real: Recordings, synthetic: Recordings) -> dict[str, tuple[int, int]]:
    """By lead how many recordings have no signal there; a lead that a side does not have is missing in all."""
    leads = dict.fromkeys((*real.leads, *synthetic.leads))
    return {lead: (_missing(real, lead), _missing(synthetic, lead)) for lead in leads}


def _missing(recordings: Recordings, lead: str) -> int:
    if lead not in recordings.leads:
        return len(recordings)
    return int(recordings.missing[:, recordings.leads.index(lead)].sum())

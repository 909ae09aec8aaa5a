"""Errors and warning codes. Everything else in the package may import this; it imports nothing of ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


class TruegradeError(Exception):
    """Base of every error that truegrade raises on purpose; its text is meant for the user."""


class InputError(TruegradeError, ValueError):
    """The input cannot be graded: says what was given, what is accepted and what to do."""


class MissingExtra(TruegradeError, ImportError):
    """An optional dependency is needed; says which extra installs it."""


class NotConverged(TruegradeError, RuntimeError):
    """An iterative computation did not reach its result; no approximate number is returned."""


Severity = Literal["note", "caution", "serious"]


@dataclass(frozen=True)
class WarningCode:
    """One kind of warning: `text` is a format string, `severity` how much it should worry the reader."""

    code: str
    severity: Severity
    text: str


@dataclass(frozen=True)
class Notice:
    """A warning that was raised: its code, and the sentence with this run's numbers in it."""

    code: str
    severity: Severity
    text: str


WARNINGS: dict[str, WarningCode] = {
    w.code: w
    for w in (
        WarningCode(
            "few_samples",
            "caution",
            "Only {n} {side} samples; below 500 every score is noisy, read the intervals.",
        ),
        WarningCode(
            "unequal_sizes",
            "caution",
            "{m} synthetic against {n} real samples; scores that count neighbours depend on this ratio. "
            "Sub-sample the larger set for numbers that compare with others.",
        ),
        WarningCode(
            "clipped_pair",
            "note",
            "Clipped density and clipped coverage cannot see modes shrunk to their centres, contraction in many "
            "dimensions or copies of the real samples; symmetric precision and recall, the 1-NN test and the copy "
            "check beside them can.",
        ),
        WarningCode(
            "ill_conditioned",
            "caution",
            "With {m} synthetic against {n} real samples clipped coverage is ill-conditioned (slope {slope:.3g} "
            "at the top); sub-sample the synthetic set to {n}.",
        ),
        WarningCode(
            "zero_radius",
            "caution",
            "{count} of {n} {side} samples have {k} or more exact duplicates, so their neighbour radius is 0; "
            "a sample at distance 0 counts as inside (ties are closed).",
        ),
        WarningCode(
            "zero_radius_strict",
            "caution",
            "{count} of {n} {side} samples have neighbour radius 0; with strict ties nothing is ever inside "
            "such a ball, not even an exact copy.",
        ),
        WarningCode(
            "contraction",
            "serious",
            "Raw clipped density {raw:.3g} is above 1.2: synthetic samples huddle in the densest regions. "
            "That is contraction, not quality.",
        ),
        WarningCode(
            "rank_deficient",
            "note",
            "{n} samples for {d} features: the covariance is singular; the value is exact for these samples "
            "but strongly biased upwards.",
        ),
        WarningCode(
            "bias_not_linear",
            "caution",
            "The smallest parts hold {n} samples for {d} features: with so few the bias does not fall as 1/n, and the "
            "extrapolation leaves a part of it in the value.",
        ),
        WarningCode(
            "statistics_only",
            "note",
            "Of the {side} set only mean and covariance are known: the Fréchet distance can be computed and nothing "
            "else, without an interval and without real against real beside it.",
        ),
        WarningCode(
            "images_differ",
            "caution",
            "The {what} of the two sides have nothing in common ({real} against {synthetic}): a part of every distance "
            "may come from that and not from what the images show. Bring both sides into one form.",
        ),
        WarningCode(
            "space_unknown",
            "caution",
            "The {side} vectors do not say how they were made, the others were made by {space}: the scores mean "
            "something only if both were made in the same way.",
        ),
        WarningCode(
            "transposed",
            "caution",
            "Both sets have fewer rows than columns ({n} and {m} rows, {d} columns). "
            "If rows are features, transpose the arrays.",
        ),
        WarningCode(
            "columns_reordered",
            "note",
            "The columns of {side} were in another order; they were matched by name.",
        ),
        WarningCode(
            "converted",
            "note",
            "The {side} values were {dtype} and were converted to {to} before grading.",
        ),
        WarningCode(
            "record_ignored",
            "caution",
            "What stands in {file} about {side} was ignored: {reason}. The feature space, ids and class probabilities "
            "are not known.",
        ),
        WarningCode(
            "scale_mismatch",
            "serious",
            "Synthetic features spread {ratio:.3g} times as widely as the real ones; "
            "check that both sets use the same units and preprocessing.",
        ),
        WarningCode(
            "exact_copies",
            "serious",
            "{count} of {m} synthetic samples are exact copies of a real sample.",
        ),
        WarningCode(
            "near_copies",
            "serious",
            "{share:.0%} of the synthetic samples lie closer to a real sample than that sample's own nearest "
            "real neighbour ({expected:.0%} expected of fresh samples).",
        ),
        WarningCode(
            "close_copies",
            "serious",
            "{share:.1%} of the synthetic samples lie less than half as far from a real sample as that sample's own "
            "nearest real neighbour does ({expected:.1%} expected of fresh samples).",
        ),
        WarningCode(
            "near_copies_alone",
            "serious",
            "{share:.0%} of the synthetic samples lie closer to a real sample than that sample's own nearest "
            "real neighbour; even in one dimension no more than 67% of fresh samples do.",
        ),
        WarningCode(
            "permutation_subset",
            "note",
            "The permutation p-value was computed on {n} real and {m} synthetic rows (seed {seed}), the score on all.",
        ),
        WarningCode(
            "cells_left_out",
            "note",
            "{count} of {cells} cells hold too few synthetic or held-out samples and were left out of the "
            "copying test; the rest hold {share:.0%} of the held-out samples.",
        ),
        WarningCode(
            "no_holdout",
            "note",
            "No hold-out set was given, so this copy check has no baseline of fresh real samples.",
        ),
        WarningCode(
            "holdout_graded",
            "caution",
            "The synthetic set is the hold-out set itself, so it is its own reference; give other real samples as "
            "hold-out.",
        ),
        WarningCode(
            "equalised",
            "note",
            "The larger set was sub-sampled to {n} rows (seed {seed}), so that chance level is one half.",
        ),
        WarningCode(
            "subset_shrunk",
            "note",
            "Subset size {asked} is larger than the smaller set; {used} was used.",
        ),
        WarningCode(
            "subset_mean",
            "note",
            "More than {most} samples on a side: the value is the mean over {subsets} random subsets of {n} real and "
            "{m} synthetic samples (seed {seed}) and compares only with values at these sizes.",
        ),
        WarningCode(
            "gathered_for_transport",
            "note",
            "{n} against {m} points: for the earth mover's distance they are gathered in {cells} common cells, which "
            "grades a little too low (.006 for two samples of one law, less where the laws differ).",
        ),
        WarningCode(
            "rows_outside_grid",
            "note",
            "{n} of {all_n} real and {m} of {all_m} synthetic points lie so far out that the grid of densities ends "
            "before them: the KL score takes the real ones by exact kernels, the JS and CS scores leave them out, and "
            "Eden has them below its lowest level.",
        ),
        WarningCode(
            "own_bandwidths",
            "caution",
            "{m} synthetic against {n} real points with kernels of their own: the larger set is drawn sharper, and "
            "even a perfect generator is graded lower for it. Give bandwidth='shared', or sets of one size; the "
            "ceiling has the same sizes.",
        ),
        WarningCode(
            "drawn_for_transport",
            "note",
            "The transport was computed on {n} real and {m} synthetic samples, drawn at random (seed {seed}).",
        ),
        WarningCode(
            "halves",
            "note",
            "Without a hold-out the real set was split in halves: this reference is for {n} against {m} samples.",
        ),
        WarningCode(
            "ecg_lead_absent",
            "caution",
            "Lead {lead} is missing in the real recordings (fewer than two have a signal there that differs), so it is "
            "not graded ({what}).",
        ),
        WarningCode(
            "ecg_leads_dropped",
            "caution",
            "In the vectors of all leads ({what}) these leads are left out on both sides, as many of the {n} real "
            "recordings lack them: {leads}.",
        ),
        WarningCode(
            "ecg_left_out",
            "note",
            "{count} of {n} real recordings lack a lead and are left out of the vectors of all leads ({what}).",
        ),
        WarningCode(
            "ecg_constant",
            "note",
            "Features that do not vary in the real recordings are left out ({what}): {names}.",
        ),
        WarningCode(
            "ecg_leads_assumed",
            "note",
            "Nobody named the leads of {side}; they were taken for those of the real recordings, in their order: "
            "{order}.",
        ),
        WarningCode(
            "ecg_leads_matched",
            "note",
            "The leads of {side} were in another order; they were matched by name, in the order {order}.",
        ),
        WarningCode(
            "ecg_leads_lacking",
            "serious",
            "{side} lacks the leads {leads}; they are graded as missing in every recording.",
        ),
        WarningCode(
            "ecg_leads_surplus",
            "note",
            "{side} has leads that the real recordings do not have; they are not graded: {leads}.",
        ),
        WarningCode(
            "ecg_drawn",
            "note",
            "Of sets drawn from one synthetic set only vectors of features are graded, no leads, beats, copies or "
            "tells. Leave repeats out for these, or give several sets.",
        ),
        WarningCode(
            "ecg_part_failed",
            "caution",
            "{part} could not be computed: {reason}",
        ),
        WarningCode(
            "groups_kept",
            "note",
            "Samples belong to groups, such as patients: in the references no group stands on both sides.",
        ),
        WarningCode(
            "groups_shared",
            "caution",
            "{count} hold-out samples belong to a group, such as a patient, that is in the real set too; they were "
            "left out of the references.",
        ),
        WarningCode(
            "many_labels",
            "note",
            "{count} different labels: scores by label are given for at most {most}. Give fewer, broader labels.",
        ),
        WarningCode(
            "constant_columns",
            "note",
            "{count} of {d} columns are constant in both sets and carry no information.",
        ),
        WarningCode(
            "drawn",
            "note",
            "{count} sets of {n} were drawn from {m} synthetic samples; the scores, intervals and references are "
            "those of the first, the spread over all of them is given beside.",
        ),
        WarningCode(
            "table_drawn",
            "note",
            "Of sets drawn from one synthetic table only whole rows are graded: no columns, pairs, detection, "
            "utility or privacy. Leave repeats out for these, or give several tables.",
        ),
        WarningCode(
            "rows_as_probabilities",
            "note",
            "The {side} rows were read as probabilities of {classes} classes and divided by their sums (which miss 1 "
            "by {off:.1g} at most).",
        ),
        WarningCode(
            "class_bias",
            "caution",
            "Splits of {size} samples are few for {classes} classes: the Inception Score is about {share:.0%} too low. "
            "Compare equal sizes only, or take more samples or fewer splits.",
        ),
        WarningCode(
            "class_unseen",
            "caution",
            "The {first} samples take up {count} of {classes} classes that have the probability 0 in every {second} "
            "sample; that makes the Mode Score 0.",
        ),
        WarningCode(
            "protocol_features",
            "caution",
            "The protocol {name} grades features of {embed}; these are of {space}. Its conventions were used, but the "
            "values do not compare with that tool's.",
        ),
        WarningCode(
            "protocol_outside",
            "note",
            "Not part of the protocol {name}, by truegrade's own conventions: {titles}.",
        ),
        WarningCode(
            "protocol_k",
            "note",
            "k={k} was asked for and used; the protocol {name} has k={own}.",
        ),
        WarningCode(
            "images_passed_over",
            "note",
            "Passed over in {side}: {parts}.",
        ),
        WarningCode(
            "images_converted",
            "note",
            "Of {count} images of {side} were converted: {parts}.",
        ),
        WarningCode(
            "images_skipped",
            "caution",
            "{skipped} of {count} images of {side} cannot be read and were left out; first: {first}",
        ),
        WarningCode(
            "range_taken",
            "note",
            "The pixels of {side} are {dtype}; {low} was taken as black and {high} as white.",
        ),
        WarningCode(
            "nearly_black",
            "caution",
            "No pixel of {side} is above 1 in uint8, which is black; values from 0 to 1 have to stay floats.",
        ),
        WarningCode(
            "arrays_unused",
            "note",
            "The archive of {side} also holds {names}, which are not used; the images are {used}.",
        ),
        WarningCode(
            "truncation_unseen",
            "caution",
            "PIL.ImageFile.LOAD_TRUNCATED_IMAGES is set, so files that are cut short are filled with grey unnoticed.",
        ),
        WarningCode(
            "reservoir",
            "note",
            "Of {seen:,} synthetic samples seen {kept:,} were kept, drawn at random (seed {seed}): the Fréchet "
            "distance is that of all, every other score that of those kept.",
        ),
        WarningCode(
            "table_rows",
            "note",
            "Whole rows of {side} are compared on {used:,} of its {rows:,} rows, drawn at random (seed {seed}); "
            "columns, pairs of columns and exact copies on all.",
        ),
        WarningCode(
            "columns_left_out",
            "note",
            "Not compared, since no density or share can be: {columns}. types={{name: type}} (--types name=type) "
            "compares them all the same.",
        ),
        WarningCode(
            "columns_unsupported",
            "note",
            "Left out of {side}, since only numbers, truth values, texts and dates are read: {columns}.",
        ),
        WarningCode(
            "columns_absent",
            "serious",
            "{side} lacks the columns {columns}{hint}; they are graded 0.",
        ),
        WarningCode(
            "columns_surplus",
            "note",
            "{side} has columns that the real table does not have; they are not compared: {columns}.",
        ),
        WarningCode(
            "dates_unclear",
            "caution",
            "Dates of {side} whose day and month cannot be told apart are not compared as dates: {columns}. Write them "
            "as 2024-12-31.",
        ),
        WarningCode(
            "harmonised",
            "note",
            "Stored in another way in {side} and compared by value (1, 1.0 and '1' are one): {columns}.",
        ),
        WarningCode(
            "rows_left_out",
            "caution",
            "{count} of {rows} rows of {side} hold an infinity and were left out; first: row {row}, column {column}.",
        ),
        WarningCode(
            "values_unread",
            "caution",
            "{count} of {rows} values of column {column} of {side} cannot be read as {type}, {example}; they count as "
            "missing.",
        ),
        WarningCode(
            "levels_foreign",
            "serious",
            "{column}: no level occurs on both sides ({real} in the real table / {other} in {side}).",
        ),
        WarningCode(
            "wide_integers",
            "note",
            "Columns of {side} hold whole numbers beyond 2^53, which float64 cannot tell apart; they were read as "
            "text: {columns}.",
        ),
        WarningCode(
            "zones_differ",
            "caution",
            "Time zones of {side} differ from those of the real table; dates are compared in UTC, and those without a "
            "zone taken as UTC: {columns}.",
        ),
        WarningCode(
            "table_copies",
            "serious",
            "{share:.1%} of the synthetic rows are exact copies of real rows ({expected:.1%} of fresh real rows are).",
        ),
        WarningCode(
            "table_leak",
            "serious",
            "{title}: {value:.2f}, where {ideal:g} is ideal and fresh real rows would not be above it: the synthetic "
            "table gives away which real rows it was made from.",
        ),
        WarningCode(
            "recordings_skipped",
            "caution",
            "{skipped} of {count} recordings of {side} cannot be used and were left out; first: {first}",
        ),
        WarningCode(
            "recordings_passed_over",
            "note",
            "Passed over in {side}: {parts}.",
        ),
        WarningCode(
            "recordings_capped",
            "note",
            "The first {n:,} of {count:,} recordings of {side} were taken.",
        ),
        WarningCode(
            "recordings_resampled",
            "note",
            "{n:,} of {count:,} recordings of {side} were resampled to {hz:g} Hz.",
        ),
        WarningCode(
            "recordings_cropped",
            "note",
            "{n:,} of {count:,} recordings of {side} were cut to their first {seconds:g} s.",
        ),
        WarningCode(
            "recordings_arrays_unused",
            "note",
            "The archive {side} also holds {names}, which are not used; the recordings are {used}.",
        ),
        WarningCode(
            "recordings_facts_unfit",
            "caution",
            "{names} in the archive {side} do not fit its recordings and are not used.",
        ),
        WarningCode(
            "leads_reordered",
            "note",
            "{n:,} of {count:,} recordings of {side} hold their leads in another order; by their names all were put in "
            "the order {order}; first: {first}.",
        ),
        WarningCode(
            "units_mixed",
            "caution",
            "{side} is in different units ({parts}); every recording was converted to mV by what its header says.",
        ),
        WarningCode(
            "gain_unknown",
            "caution",
            "{n:,} of {count:,} recordings of {side} are not calibrated (their headers give no gain); 200 per mV was "
            "taken, so amplitudes may be wrong; first: {first}.",
        ),
        WarningCode(
            "checksum_differs",
            "caution",
            "The samples of {n:,} of {count:,} recordings of {side} do not have the checksum of their headers, so they "
            "may be damaged or belong to another header; first: {first}.",
        ),
        WarningCode(
            "unbounded",
            "note",
            "This score has no upper bound of 1 and rewards crowding; read its clipped version beside it.",
        ),
    )
}


def notice(code: str, **numbers: object) -> Notice:
    """The notice for `code` with this run's numbers filled in; an unknown code is a KeyError."""
    kind = WARNINGS[code]
    return Notice(code, kind.severity, kind.text.format(**numbers))

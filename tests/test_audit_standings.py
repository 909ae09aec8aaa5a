"""The table of properties, and advice."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from truegrade.audit.standings import GIVEN, LAWS, recommend, standings
from truegrade.result.audit import AuditCurve, Finding, ScenarioOutcome, Standing


def outcome(*findings: tuple[str, str, bool | None, bool], data: str = "vectors", space: str = "") -> ScenarioOutcome:
    """A scenario with findings (metric, property, passed, expected)."""
    found = tuple(
        Finding(metric, f"c{i}", prop, "a rule", expected, passed, "a reason")
        for i, (metric, prop, passed, expected) in enumerate(findings)
    )
    return ScenarioOutcome(
        "key", "Title", "own", "?", "nobody", "axis", (0.0,), (), False, 0.0, data, space, 10, 2, 3, findings=found
    )


def cells(found: tuple[Standing, ...]) -> dict[tuple[str, str, str], tuple[int, int, bool]]:
    return {(s.metric, s.space, s.property): (s.passed, s.judged, s.expected) for s in found}


def test_criteria_are_counted_by_metric_scope_and_property():
    found = standings(
        [
            outcome(("a", "noise", True, True), ("a", "noise", False, True), ("b", "noise", True, True)),
            outcome(("a", "noise", True, True), data="law"),
            outcome(("a", "noise", True, True), space="pixels"),
        ]
    )
    assert cells(found) == {
        ("a", GIVEN, "noise"): (1, 2, True),
        ("b", GIVEN, "noise"): (1, 1, True),
        ("a", LAWS, "noise"): (1, 1, True),
        ("a", "pixels", "noise"): (1, 1, True),
    }


def test_what_could_not_be_judged_does_not_count():
    assert cells(standings([outcome(("a", "noise", None, True), ("a", "noise", True, True))])) == {
        ("a", GIVEN, "noise"): (1, 1, True)
    }
    assert standings([outcome(("a", "noise", None, True))]) == ()


def test_what_is_only_described_does_not_count_against_what_is_expected():
    found = standings([outcome(("a", "noise", True, True), ("a", "noise", False, False), ("b", "noise", False, False))])
    assert cells(found) == {("a", GIVEN, "noise"): (1, 1, True), ("b", GIVEN, "noise"): (0, 1, False)}


def stands(metric: str, space: str = GIVEN, *, described: tuple[str, ...] = (), **share: float) -> list[Standing]:
    return [Standing(metric, space, p, round(4 * part), 4, p not in described) for p, part in share.items()]


FAMILIES = {"real": "fidelity", "other": "fidelity", "all": "coverage", "far": "distance", "copies": "copying"}


def test_advice_names_one_metric_for_each_question():
    found = recommend(
        [
            *stands("real", noise=1, robust=0.5, linear=1),
            *stands("other", noise=1, robust=0.25, linear=1),
            *stands("all", dropping=1, robust=1),
            *stands("copies", copying=1, noise=0, described=("noise",)),
        ],
        FAMILIES,
    )
    assert found is not None
    assert found.metrics == ("real", "all", "copies")
    assert found.sees == {"real": ("noise",), "all": ("dropping",), "copies": ("copying",)}
    assert found.open == ()
    assert found.words[0] .endswith("has 83% of what is expected of it; not in every check: robust.")


def test_what_is_lacking_is_said():
    found = recommend(stands("real", noise=1, linear=1, robust=0.25), FAMILIES)
    assert found is not None
    assert found.words[0].endswith("; not: robust.")


def test_a_further_metric_is_named_for_what_the_others_do_not_see():
    found = recommend(
        [
            *stands("real", noise=1, collapse=0, described=("collapse",)),
            *stands("other", noise=0.5, collapse=1),
        ],
        FAMILIES,
    )
    assert found is not None
    assert found.metrics == ("real", "other")
    assert "for what the others do not see (collapse)" in found.words[1]


def test_a_metric_with_less_than_half_is_not_named():
    assert recommend(stands("real", noise=0, robust=0.75), FAMILIES) is None
    assert recommend([], FAMILIES) is None


def test_what_nothing_sees_is_said():
    found = recommend([*stands("real", noise=1), *stands("copies", copying=0.25, robust=0.5)], FAMILIES)
    assert found is not None
    assert found.metrics == ("real",)
    assert found.open == ("copying",)


def test_own_data_go_before_laws_and_spaces_are_named():
    laws, lite0 = stands("real", LAWS, noise=1), stands("real", "lite0", noise=0.5)
    found = recommend([*laws, *stands("real", "pixels", noise=1), *lite0], FAMILIES)
    assert found is not None
    assert found.metrics == ("real",)
    several = recommend([*stands("real", "pixels", noise=1), *stands("all", "lite0", dropping=1)], FAMILIES)
    assert several is not None
    assert several.metrics == ("real in pixels", "all in lite0")
    alone = recommend(laws, FAMILIES)
    assert alone is not None
    assert alone.metrics == ("real",)


def test_a_metric_that_sees_nothing_is_not_named_whatever_else_it_has():
    assert recommend(stands("copies", copying=0, harmless=1, exact=1, cheap=1), FAMILIES) is None
    assert recommend(stands("real", noise=0.25, invention=0, harmless=1, robust=1, cheap=1), FAMILIES) is None


def test_no_value_under_damage_is_no_excuse_and_none_anywhere_is():
    found = outcome(("shy", "noise", None, True), ("silent", "noise", None, True))
    curves = (
        AuditCurve("shy", {"score": np.array([[1.0, 0.9], [np.nan, np.nan]])}),
        AuditCurve("silent", {"score": np.full((2, 2), np.nan)}),
    )
    assert cells(standings([replace(found, curves=curves)])) == {("shy", GIVEN, "noise"): (0, 1, True)}

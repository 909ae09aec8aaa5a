"""The table of properties, and advice."""

from __future__ import annotations

from truegrade.audit.standings import GIVEN, LAWS, recommend, standings
from truegrade.result.audit import Finding, ScenarioOutcome, Standing


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


def stands(metric: str, space: str = GIVEN, **share: float) -> list[Standing]:
    return [Standing(metric, space, prop, round(4 * part), 4, True) for prop, part in share.items()]


def test_advice_is_the_smallest_set_that_sees_everything():
    found = recommend(
        [
            *stands("both", noise=1, dropping=1, robust=1),
            *stands("noise only", noise=1, robust=1),
            *stands("copies", copying=1, noise=0, robust=1),
        ]
    )
    assert found is not None
    assert found.metrics == ("both", "copies")
    assert found.sees == {"both": ("noise", "dropping"), "copies": ("copying",)}
    assert found.open == ()


def test_a_metric_that_cannot_be_trusted_is_chosen_only_where_no_other_sees():
    found = recommend(
        [
            *stands("shaky", noise=1, collapse=1, robust=0, linear=0, bounded=0.5),
            *stands("sound", noise=1, robust=1, linear=1, bounded=1),
        ]
    )
    assert found is not None
    assert found.sees == {"sound": ("noise",), "shaky": ("collapse",)}


def test_what_nothing_sees_is_said():
    found = recommend([*stands("a", noise=1, copying=0.25, robust=1), *stands("b", copying=0, robust=1)])
    assert found is not None
    assert found.open == ("copying",)
    assert recommend(stands("blind", noise=0, robust=1)) is None
    assert recommend([]) is None


def test_own_data_go_before_laws_and_spaces_are_named():
    found = recommend([*stands("a", LAWS, noise=1), *stands("b", "pixels", noise=1), *stands("a", "lite0", noise=0.5)])
    assert found is not None
    assert found.metrics == ("b",)
    several = recommend([*stands("a", "pixels", noise=1, robust=1), *stands("a", "lite0", copying=1, robust=1)])
    assert several is not None
    assert set(several.metrics) == {"a in pixels", "a in lite0"}
    laws = recommend(stands("a", LAWS, noise=1))
    assert laws is not None
    assert laws.metrics == ("a",)

"""The report of an audit: numbers where they belong, nothing of the user's as markup, readable at any size."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import audit_cases
import results
import truegrade as tg
from test_report import Page
from truegrade import cli
from truegrade.audit.scenario import PROPERTIES
from truegrade.audit.standings import GIVEN, LAWS, standings
from truegrade.audit.suites import Suite
from truegrade.report.page.audit import render_audit_html
from truegrade.report.page.audit_plots import panel
from truegrade.report.summary.audit import audit_summary
from truegrade.report.text.audit import render_audit_text
from truegrade.report.text.audit_marks import render_audit_markdown
from truegrade.result import Provenance
from truegrade.result.audit import (
    AuditCurve,
    AuditedMetric,
    AuditReport,
    Finding,
    PublishedAgreement,
    Recommendation,
    ScenarioOutcome,
)

if TYPE_CHECKING:
    from browser import Browser

NAN, INF = float("nan"), float("inf")
LEVELS = (0.0, 0.5, 1.0)
HOSTILE = (results.HOSTILE, results.ARABIC, "</script><img src=x onerror=alert(1)>", "*a* [b](c) `d` | e", "x" * 5000)
WIDTH = 112


def metric(key: str, family: str = "fidelity", title: str = "", high: float = 1.0) -> AuditedMetric:
    return AuditedMetric(key, title or key.title(), family, "higher", (0.0, high))


def finding(key: str, passed: bool | None = True, expected: bool = True, prop: str = "noise", **more: Any) -> Finding:
    return Finding(key, f"c-{prop}", prop, "falls as 1 - x", expected, passed, f"the reason of {key}", **more)


def curve(key: str, *rows: tuple[float, ...], desired: tuple[float, ...] | None = (1.0, 0.5, 0.0)) -> AuditCurve:
    values = np.array(rows or ((1.0, 0.9), (0.6, 0.4), (0.1, 0.0)))
    return AuditCurve(key, {"score": values}, desired)


def outcome(key: str, curves: tuple[AuditCurve, ...], findings: tuple[Finding, ...], **changes: Any) -> ScenarioOutcome:
    fields: dict[str, Any] = {
        "title": f"Scenario {key}",
        "suite": "own",
        "question": "Is it seen?",
        "source": "nobody",
        "axis": "share of bad samples",
        "levels": LEVELS,
        "labels": (),
        "log": False,
        "reference": 0.0,
        "data": "vectors",
        "space": "",
        "n": 500,
        "d": 8,
        "repeats": 2,
    }
    return ScenarioOutcome(key=key, curves=curves, findings=findings, **{**fields, **changes})


def report(metrics: tuple[AuditedMetric, ...], *scenarios: ScenarioOutcome, **changes: Any) -> AuditReport:
    fields: dict[str, Any] = {
        "recommendation": None,
        "agreement": (),
        "data": {"name": "digits", "source": "digits.npy", "law": False, "n": 1797, "d": [64], "spaces": [""]},
        "settings": {"suites": ["own"], "metrics": None, "quick": True, "n": None, "repeats": None},
        "provenance": Provenance({"truegrade": "0.1.0"}, 7, 2, "2026-01-01T00:00:00+00:00", 12.5),
    }
    return AuditReport(metrics, scenarios, standings(scenarios), **{**fields, **changes})


def usual() -> AuditReport:
    """Three metrics: the first passes, the second fails, the third is only described; a law beside the data."""
    metrics = (metric("fine"), metric("poor"), metric("far", "distance", "Far (d < 3)", INF))
    findings = (
        finding("fine", number=0.25),
        finding("poor", False, number=0.3, tolerance=0.05, word="low"),
        finding("poor", True, prop="linear"),
        finding("far", False, expected=False),
    )
    first = outcome("first", tuple(curve(m.key) for m in metrics), findings)
    more = (finding("poor", False), finding("fine", None), finding("far", True, expected=False))
    law = outcome("law", (curve("far", (3.0, 5.0), (NAN, NAN), (INF, 7.0)),), more, data="law", suite="raisa", log=True)
    skipped = outcome("wave", (), (), skipped="It needs ECG recordings.", title="Waves")
    sees = {"fine": ("noise",), "far": ()}
    words = ("fine, for whether the samples look real: has 100% of it.", "far, for how far apart the two laws are.")
    return report(
        metrics,
        first,
        law,
        skipped,
        recommendation=Recommendation(("fine", "far"), sees, ("copying",), words),
        agreement=(
            PublishedAgreement("fine", "a paper", 10, 10),
            PublishedAgreement("poor", "a paper", 9, 10, (("check 3", "fail", "pass"),)),
        ),
    )


def hostile() -> AuditReport:
    """Everything that a user can name has a name that would be markup somewhere."""
    metrics = tuple(metric(name, title=name) for name in HOSTILE)
    found = tuple(replace(finding(name, False), reason=name, word=name, criterion=name) for name in HOSTILE)
    curves = tuple(replace(curve(name, (NAN, NAN), (NAN, 0.2), (1.0, 1.0)), reasons=(name,)) for name in HOSTILE)
    names = {"title": HOSTILE[0], "question": HOSTILE[2], "source": HOSTILE[3], "axis": HOSTILE[1], "suite": HOSTILE[0]}
    spaces = [
        outcome(f"s{i}", curves, found, space=space, labels=HOSTILE[:3], **names) for i, space in enumerate(HOSTILE)
    ]
    skipped = outcome("gone", (), (), skipped=HOSTILE[0], **names)
    advice = Recommendation((HOSTILE[0],), {HOSTILE[0]: (HOSTILE[2],)}, (HOSTILE[0],), (HOSTILE[2],))
    data = {"name": HOSTILE[0], "source": HOSTILE[2], "law": False, "n": 9, "d": [1, 2], "spaces": list(HOSTILE)}
    settings = {"suites": list(HOSTILE), "metrics": list(HOSTILE), "quick": False, "n": 99, "repeats": 2}
    agreed = (PublishedAgreement(HOSTILE[0], HOSTILE[2], 0, 1, ((HOSTILE[0], HOSTILE[2], HOSTILE[3]),)),)
    changes = {"recommendation": advice, "agreement": agreed, "data": data, "settings": settings}
    return report(metrics, *spaces, skipped, **changes)


def large(scenarios: int = 60, metrics: int = 20) -> AuditReport:
    """So many scenarios of twelve levels and ten repeats, with two findings for each metric."""
    rng = np.random.default_rng(0)
    levels = tuple(np.linspace(0.0, 1.0, 12))
    keys = [f"metric_{i}_of_many" for i in range(metrics)]
    curves = tuple(
        AuditCurve(key, {"score": rng.random((12, 10))}, tuple(1.0 - level for level in levels)) for key in keys
    )
    found = tuple(
        replace(finding(key, bool(i % 3), prop=p), reason="farthest from the share of good samples at 0.25: 0.7, not 1")
        for i, key in enumerate(keys)
        for p in ("noise", "linear")
    )
    made = [outcome(f"s{i}", curves, found, levels=levels, repeats=10) for i in range(scenarios)]
    families = ("fidelity", "coverage", "distance")
    return report(tuple(metric(key, families[i % 3]) for i, key in enumerate(keys)), *made)


@pytest.fixture(scope="module")
def summary() -> dict[str, Any]:
    return audit_summary(usual())


@pytest.fixture(scope="module")
def page() -> str:
    return render_audit_html(usual())


# --- the summary ---------------------------------------------------------------------------------------------


def test_the_verdict_counts_what_a_good_metric_passes(summary):
    assert summary["verdict"] == (
        "3 metrics went through 2 scenarios: 7 checks, 5 of them of what a good metric does. 2 of these were failed, "
        "by Poor (2 of 3). 1 could not be judged."
    )
    assert "1,797 real samples, 64 features" in summary["facts"]
    assert "seed 7" in summary["facts"]


@pytest.mark.parametrize(
    ("scenarios", "says"),
    [
        ((), "Nothing could be checked."),
        ((outcome("a", (), (finding("fine"),)),), "of what a good metric does. None of these was failed."),
        ((outcome("a", (), (finding("fine", expected=False),)),), "1 check, 0 of them of what a good metric does."),
    ],
)
def test_the_verdict_on_little(scenarios, says):
    assert audit_summary(report((metric("fine"),), *scenarios))["verdict"].endswith(says)


def test_a_summary_is_strict_json_of_plain_values():
    for one in (usual(), hostile()):
        made = audit_summary(one)
        assert json.loads(json.dumps(made, allow_nan=False)) == made


def cells(table: dict[str, Any], columns: list[dict[str, Any]]) -> dict[tuple[str, str], tuple[str, str, str]]:
    rows = [row for family in table["families"] for row in family["rows"]]
    told = {(r["name"], p["key"]): c for r in rows for p, c in zip(columns, r["cells"], strict=True)}
    return {at: (c["state"], c["text"], c["number"]) for at, c in told.items() if c["state"]}


def test_cells_tell_what_is_blamed_from_what_is_described(summary):
    own, law = summary["tables"]
    assert (own["title"], law["title"]) == ("On your data", "On built-in laws")
    assert cells(own, summary["properties"]) == {
        ("Fine", "noise"): ("yes", "yes", "0.25"),
        ("Poor", "noise"): ("no", "no", "0.3"),
        ("Poor", "linear"): ("yes", "yes", ""),
        ("Far (d < 3)", "noise"): ("lacks", "no", ""),
    }
    assert cells(law, summary["properties"]) == {
        ("Poor", "noise"): ("no", "no", ""),
        ("Far (d < 3)", "noise"): ("has", "yes", ""),
    }


def test_a_cell_of_several_checks_counts_them_and_names_those_that_are_failed():
    found = [outcome(key, (), (finding("fine", key == "a"),)) for key in "abc"]
    one = audit_summary(report((metric("fine"),), *found))
    cell = next(c for c in one["tables"][0]["families"][0]["rows"][0]["cells"] if c["state"])
    assert (cell["state"], cell["text"], cell["failed"]) == ("partly", "1 of 3", ["Scenario b", "Scenario c"])


def test_every_space_has_its_table_and_laws_come_last():
    found = [
        outcome("a", (), (finding("fine"),), data="law"),
        *(outcome("b", (), (finding("fine", space == "lite0"),), space=space) for space in ("pixels", "lite0")),
    ]
    one = report((metric("fine"),), *found)
    assert {s.space for s in one.standings} == {LAWS, "pixels", "lite0"}
    titles = [table["title"] for table in audit_summary(one)["tables"]]
    assert titles == ["On your data in pixels", "On your data in lite0", "On built-in laws"]
    assert [s["space"] for s in audit_summary(one)["suites"][0]["scenarios"]] == ["", "pixels", "lite0"]


def test_samples_that_stand_in_for_the_users_are_not_called_theirs():
    one = usual()
    told = audit_summary(replace(one, data={**one.data, "law": True}))
    assert {s.space for s in one.standings} == {GIVEN, LAWS}
    assert [table["title"] for table in told["tables"]] == ["On the built-in samples", "On built-in laws"]
    assert told["facts"][0] == "1,797 built-in samples, 64 features"
    assert told["provenance"]["command"] == "truegrade audit --suite own --seed 7 --quick"


def test_advice_is_told_by_titles(summary):
    fine, far = summary["advice"]["rows"]
    assert (fine["name"], fine["why"]) == ("Fine", "for whether the samples look real: has 100% of it.")
    assert fine["sees"] == ["sees samples that are not real"]
    assert (far["name"], far["sees"]) == ("Far (d < 3)", [])
    assert summary["advice"]["open"] == ["sees copies of real samples"]
    assert "is not moved by single outliers" in summary["advice"]["untested"]


def test_advice_in_a_space_names_both():
    one = replace(usual(), recommendation=Recommendation(("fine in lite0",), {"fine in lite0": ("noise",)}, (), ()))
    (row,) = audit_summary(one)["advice"]["rows"]
    assert (row["metric"], row["space"]) == ("fine", "lite0")


def test_metrics_of_one_title_are_told_apart():
    same = (metric("a", title="Same"), metric("b", title="Same"), metric("c(k=3)", title="Other"), metric("c"))
    names = [one["name"] for one in audit_summary(report(same))["metrics"]]
    assert names == ["Same [a]", "Same [b]", "Other (k=3)", "C"]


# --- curves --------------------------------------------------------------------------------------------------


def one_panel(made: AuditReport, key: str, at: int = 0) -> tuple[dict[str, Any], dict[str, Any]]:
    """A metric's panel in a scenario, and its axis."""
    scenarios = [s for suite in audit_summary(made)["suites"] for s in suite["scenarios"]]
    panels = [p for family in scenarios[at]["families"] for p in family["panels"]]
    return next(p for p in panels if p["metric"] == key), scenarios[at]["across"]


def points(svg: str, kind: str) -> list[list[tuple[int, int]]]:
    """The points of a path's pieces, from its steps."""
    found = re.search(rf'<path class="{kind}" d="([^"]*)"', svg)
    pieces = []
    for x, y, steps in re.findall(r"M(\d+) (\d+)(?:l([-\d ]+)|h0)?", found[1] if found else ""):
        numbers = [int(n) for n in re.findall(r"-?\d+", steps)]
        way = [(int(x), int(y))]
        for dx, dy in zip(numbers[::2], numbers[1::2], strict=True):
            way.append((way[-1][0] + dx, way[-1][1] + dy))
        pieces.append(way)
    return pieces


def test_curves_lie_where_their_values_are():
    found, across = one_panel(usual(), "fine")
    assert found["arms"][0]["mean"] == [0.95, 0.5, 0.05]
    assert (found["arms"][0]["low"], found["arms"][0]["high"]) == ([0.9, 0.4, 0.0], [1.0, 0.6, 0.1])
    svg = panel(found, across, "x")
    (desired,) = points(svg, "d")
    (left, top), middle, (right, bottom) = desired  # from 1 to 0
    assert left < right
    assert top < bottom
    assert middle == ((left + right) / 2, (top + bottom) / 2)
    (line,) = points(svg, "l")
    assert [x for x, _ in line] == [left, middle[0], right]
    heights = [(bottom - y) / (bottom - top) for _, y in line]
    assert heights == pytest.approx([0.95, 0.5, 0.05], abs=0.005)
    (band,) = points(svg, "b")
    edge = [(bottom - y) / (bottom - top) for _, y in band]
    assert edge == pytest.approx([1.0, 0.6, 0.1, 0.0, 0.4, 0.9], abs=0.005)
    assert "Fine: 0.95 at 0, 0.5 at 0.5, 0.05 at 1" in svg


def test_levels_without_a_value_are_gaps_with_a_cross():
    rows = ((1.0, 1.0), (NAN, NAN), (0.5, 0.5), (0.4, 0.4), (NAN, 0.2))
    made = outcome("a", (curve("fine", *rows, desired=None),), (finding("fine"),), levels=(0.0, 1.0, 2.0, 3.0, 4.0))
    found, across = one_panel(report((metric("fine"),), made), "fine")
    assert found["arms"][0]["mean"] == [1.0, None, 0.5, 0.4, 0.2]
    assert found["arms"][0]["lacking"] == [1, 4]
    svg = panel(found, across, "x")
    assert [len(piece) for piece in points(svg, "l")] == [1, 3]
    assert re.search(r'class="x" d="([^"]*)"', svg)[1].count("M") == 2
    assert "no value at 1" in svg


def test_a_metric_without_any_value_says_so():
    made = outcome("a", (curve("fine", *[(NAN, INF)] * 3),), (finding("fine", None),))
    svg = panel(*one_panel(report((metric("fine"),), made), "fine"), "x")
    assert "no value</text>" in svg
    assert 'class="l"' not in svg


@pytest.mark.parametrize(
    ("one", "ends"),
    [
        (metric("fine"), (0.0, 1.0)),
        (metric("fine", high=INF), (0.0, 5.1)),  # from its 0 to its own largest value, and a twentieth
        (AuditedMetric("fine", "Fine", "fidelity", "target", (-INF, INF)), (2.9, 5.1)),
        (AuditedMetric("fine", "Fine", "distance", "lower", (0.0, 100.0)), (0.0, 5.1)),
    ],
    ids=["range", "half", "open", "distance"],
)
def test_scores_without_bounds_are_scaled_by_their_own_values(one, ends):
    rows = ((0.3, 0.5),) * 3 if one.range == (0.0, 1.0) else ((3.0, 5.0),) * 3
    made = report((one,), outcome("a", (curve("fine", *rows, desired=None),), ()))
    found, _ = one_panel(made, "fine")
    assert (found["bottom"], found["top"]) == pytest.approx(ends)


@pytest.mark.parametrize("row", [(1e300, -1e300), (1e308, 1e308), (1.7e308, -1.7e308), (0.0, 0.0), (-5.0, -5.0)])
def test_no_value_breaks_the_scale(row):
    wide = AuditedMetric("fine", "Fine", "distance", "lower", (-INF, INF))
    made = report((wide,), outcome("a", (curve("fine", *(row,) * 3, desired=None),), ()))
    found, across = one_panel(made, "fine")
    assert found["bottom"] < found["top"]
    assert "nan" not in panel(found, across, "x")


def test_places_on_axes():
    log = outcome("a", (), (), levels=(0.0, 10.0, 100.0, 1000.0), log=True)
    names = outcome("b", (), (), levels=(0.0, 5.0, 7.0), labels=("one", "two", "three"))
    even = outcome("c", (), (), levels=(-1.0, 0.0, 3.0))
    one = report((), log, names, even)
    places = [s["across"]["at"] for s in audit_summary(one)["suites"][0]["scenarios"]]
    assert places[0] == pytest.approx([0, 1 / 3, 2 / 3, 1], abs=1e-4)  # what is not positive, a step before the rest
    assert places[1] == [0.0, 0.5, 1.0]
    assert places[2] == [0.0, 0.25, 1.0]


def test_levels_that_are_names_are_dots_and_arms_lie_side_by_side():
    values = {"fresh": np.array([[1.0, 0.8], [0.5, 0.5]]), "damaged": np.array([[0.2, 0.2], [NAN, NAN]])}
    curves = (AuditCurve("fine", values, (1.0, 1.0)),)
    made = report((metric("fine"),), outcome("a", curves, (), levels=(0.0, 1.0), labels=("here", "there")))
    svg = panel(*one_panel(made, "fine"), "x")
    first, second = points(svg, "p"), points(svg, "p c1")
    assert (len(first), len(second)) == (2, 1)
    assert first[0][0][0] < second[0][0][0]
    assert 'class="l"' not in svg
    assert "at here" in svg


def test_time_is_drawn_where_it_is_what_counts():
    taken = AuditCurve("fine", {"score": np.ones((3, 2))}, seconds=(0.01, 0.02, 0.04))
    made = report((metric("fine"),), outcome("a", (taken,), (finding("fine", prop="cheap"),)))
    found, _ = one_panel(made, "fine")
    assert found["arms"][0]["mean"] == [0.01, 0.02, 0.04]
    assert "in seconds" in render_audit_html(made)


# --- the page ------------------------------------------------------------------------------------------------


def test_the_page_has_its_parts_in_order(page):
    parts = re.findall(r"<h2[^>]*>([^<]*)</h2>", page)
    assert parts == [
        "Which metrics together",
        "What each metric does",
        "Agreement with published tables",
        "Scenario by scenario",
        "How to read this",
        "What was not run, and why",
        "How it was made",
    ]
    text = Page(page).text
    assert "Poor fails 2 of 3 Scenario first noise Scenario law noise" in text
    assert "9 of 10 90 %" in text
    assert "check 3: published fail, here pass" in text
    assert "Waves own It needs ECG recordings." in text
    assert "truegrade audit digits.npy --suite own --seed 7 --quick" in text


def test_marks_and_words_stand_beside_colours(page):
    text = Page(page).text
    assert re.search(r'class="au-no"[^>]*>✗ no', page)
    assert re.search(r'class="au-lacks"[^>]*>\(no\)', page)
    assert "Poor noise ✗ fails: low 0.3 0.05 the reason of poor" in text
    assert "✗ 1 of 3 failed" in text
    assert text.index("✗ fails") < text.index("✓ passes")  # what was failed comes first


def test_cells_stand_below_their_properties(page):
    """Columns of properties that nothing was tested for are left out, with their cells."""
    table = re.search(r'<table class="au-table">.*?</table>', page, re.S)[0]
    assert re.findall(r'<th scope="col" title="[^"]*">(\w+)', table) == ["linear", "noise"]
    poor = next(row for row in table.split("<tr") if ">Poor<" in row)
    assert re.findall(r'<td class="(au-\w+)"', poor) == ["au-yes", "au-no"]


def test_the_page_keeps_to_itself(page):
    for made in (page, render_audit_html(hostile())):
        parsed = Page(made)
        policy = next(m["content"] for m in parsed.all("meta") if m.get("http-equiv") == "Content-Security-Policy")
        assert "default-src 'none'" in policy
        assert len(parsed.scripts) == 2
        for _, script in parsed.scripts:
            assert f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" in policy
        assert not re.search(r'(?:src|href)="(?!#)', made)


def test_links_lead_somewhere_and_names_are_unique(page):
    parsed = Page(page)
    ids = [a["id"] for _, a in parsed.elements if "id" in a]
    assert len(ids) == len(set(ids))
    links = {a["href"][1:] for _, a in parsed.elements if "href" in a}
    assert links <= set(ids)
    assert "m-s0" in links


def test_hostile_names_are_text_everywhere():
    made = render_audit_html(hostile())
    parsed = Page(made)
    assert not parsed.all("img")
    assert "\u202e" not in made
    assert "\u0007" not in made
    assert "<script>alert(1)</script>" in parsed.text
    assert len(made) < 400_000  # names of thousands of letters are cut
    text = render_audit_text(hostile())
    assert "\u202e" not in text
    marks = render_audit_markdown(hostile())
    assert "<script" not in marks
    assert "\u202e" not in marks
    bars = {len(re.findall(r"(?<!\\)\|", line)) for line in marks.splitlines() if line.startswith("| ")}
    assert len(bars) == 2  # those of two kinds of tables: no cell breaks one


def test_a_large_audit_stays_small():
    made = render_audit_html(large())
    assert len(made.encode()) < 2_000_000
    assert made.count('role="img"') == 60 * 20
    assert len(re.findall(r'<details class="metric au-scenario"[^>]* open', made)) == 0


def test_the_same_report_makes_the_same_page_from_a_file(tmp_path, page):
    path = usual().to_json(tmp_path / "audit.json")
    assert render_audit_html(AuditReport.from_json(path)) == page


# --- terminal and Markdown -----------------------------------------------------------------------------------


def test_the_terminal_shows_advice_table_agreement_failures():
    text = render_audit_text(usual())
    assert text == str(usual())
    order = ["Audit on digits", "3 metrics went through", "Which metrics", "On your data", "Agreement with a paper"]
    order += ["What a good metric does, and these do not (2 checks)", "Not run"]
    places = [text.index(words) for words in order]
    assert places == sorted(places)
    assert re.search(r"^ Poor +yes +✗no$", text, re.M)
    assert re.search(r"^ Far \(d < 3\) +\(no\)$", text, re.M)
    assert "  Poor, noise: the reason of poor" in text
    assert re.search(r"^poor +9 of 10 +90 % +check 3 \(fail, pass\)$", text, re.M | re.I)


def test_the_terminal_keeps_its_width_and_is_cut():
    made = large(metrics=12)
    for one in (made, hostile(), usual()):
        assert max(map(len, render_audit_text(one).splitlines())) <= WIDTH
    text = render_audit_text(made)
    assert "  and 3 more" in text
    assert re.search(r"^and 416 more in 52 scenarios: see the page", text, re.M)  # 8 failures in each of 60
    assert len(text.splitlines()) < 120


def test_markdown_has_the_table():
    text = render_audit_markdown(usual())
    assert "| Poor | yes | **✗ no** |" in text
    assert "- **Fine**, for whether the samples look real: has 100% of it; sees samples that are not real" in text
    assert "| Poor | 9 of 10 | 90 % | check 3 (fail, pass) |" in text
    assert "- Poor, noise: the reason of poor (tolerance 0.05)" in text


def test_an_empty_audit_is_told_without_parts(tmp_path):
    empty = report(())
    for text in (str(empty), render_audit_markdown(empty), Page(render_audit_html(empty)).text):
        assert "Nothing could be checked." in text
        assert "What a good metric does, and these" not in text


# --- from a run to a file ------------------------------------------------------------------------------------


def test_a_real_audit_is_told_in_every_form(tmp_path):
    suite = Suite("mine", "my own", (audit_cases.scenario(),))
    made = tg.audit(
        np.random.default_rng(0).normal(size=(90, 3)),
        suite=suite,
        metrics=[audit_cases.GoodShare(), audit_cases.GoodShare(power=3.0)],
        threads=1,
    )
    assert "✗no" in str(made)
    page = made.to_html(tmp_path / "a.html").read_text(encoding="utf-8")
    assert "Scenario spoilt" in page
    assert "Good share (power=3.0)" in Page(page).text
    assert "Good share" in made.to_markdown(tmp_path / "a.md").read_text(encoding="utf-8")


def test_commands_show_and_report_a_saved_audit(tmp_path, capsys):
    path = usual().to_json(tmp_path / "audit.json")
    assert cli.main(["show", str(path)]) == 0
    assert "Audit on digits" in capsys.readouterr().out
    assert cli.main(["report", str(path)]) == 0
    assert (tmp_path / "audit.html").read_text(encoding="utf-8") == render_audit_html(usual())
    files = {kind: tmp_path / f"out.{kind}" for kind in ("markdown", "summary")}
    assert cli.main(["report", str(path), *(w for k, f in files.items() for w in (f"--{k}", str(f)))]) == 0
    assert files["markdown"].read_text(encoding="utf-8") == render_audit_markdown(usual())
    assert json.loads(files["summary"].read_text(encoding="utf-8")) == audit_summary(usual())


@pytest.mark.parametrize("command", ["show", "report"])
@pytest.mark.parametrize(
    ("field", "value"), [("data", {"n": "many"}), ("standings", [{}]), ("settings", {"suites": 3}), ("metrics", 4)]
)
def test_a_damaged_file_is_named(tmp_path, capsys, command, field, value):
    path = tmp_path / "audit.json"
    path.write_text(json.dumps({**usual().to_dict(), field: value}))
    assert cli.main([command, str(path)]) == 1
    assert "damaged" in capsys.readouterr().err


# --- in a browser --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory, page: str) -> Path:
    path = tmp_path_factory.mktemp("audit") / "audit.html"
    path.write_text(page, encoding="utf-8")
    return path


@pytest.mark.parametrize("width", [1280, 390])
def test_pages_load_and_fit(browser: Browser, file: Path, tmp_path: Path, width: int) -> None:
    wild = tmp_path / "hostile.html"
    wild.write_text(render_audit_html(hostile()), encoding="utf-8")
    browser.size(width, 900)
    for path in (file, wild):
        browser.open(path)
        browser.js("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert (browser.console(), browser.requests(), browser.too_wide()) == ([], [], [])


def test_metrics_stay_beside_the_table_that_is_scrolled(browser: Browser, tmp_path: Path) -> None:
    many = outcome("a", (), tuple(finding("fine", prop=name) for name in PROPERTIES))
    file = tmp_path / "wide.html"
    file.write_text(render_audit_html(report((metric("fine"),), many)), encoding="utf-8")
    browser.size(390, 900)
    browser.open(file)
    left = "document.querySelector('.au-table tbody tr:nth-child(2) th').getBoundingClientRect().left"
    before = browser.js(left)
    browser.js("document.querySelector('.au-scroll').scrollLeft = 300")
    assert browser.js("document.querySelector('.au-scroll').scrollLeft") == 300
    assert browser.js(left) == before


def test_failures_and_one_metric_can_be_picked(browser: Browser, file: Path) -> None:
    browser.open(file)
    seen = (
        "[...document.querySelectorAll('.au-scenario')].map((s) => s.checkVisibility() "
        "&& [...s.querySelectorAll('.au-grid > li')].filter((p) => !p.hidden).length)"
    )
    assert browser.js(seen) == [3, 1]
    browser.click("#au-only")
    assert browser.js(seen) == [1, 0]
    assert browser.text("#au-count") == "2 of 2 scenarios"
    browser.js("document.getElementById('au-pick').value = '0'")
    browser.js("document.getElementById('au-pick').dispatchEvent(new Event('change'))")
    assert browser.js(seen) == [False, False]
    browser.click("#au-only")
    assert browser.js(seen) == [1, 0]
    browser.js("document.querySelectorAll('.au-suite').forEach((one) => { one.open = false; })")
    browser.js("location.hash = '#m-s0'")  # a link shows what it leads to, whatever was picked
    browser.wait("document.querySelector('#m-s0 .inside').checkVisibility()")


def test_a_page_works_without_scripts(browser: Browser, file: Path) -> None:
    browser.scripting(False)
    browser.open(file)
    assert not browser.find("#au-only").is_displayed()
    browser.click(".au-scenario summary")
    assert browser.find(".au-scenario .au-grid svg").is_displayed()

"""The page and the Markdown: numbers in the right places, nothing of the user's as markup, the same bytes always."""

from __future__ import annotations

import base64
import hashlib
import html as escaping
import importlib.util
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import results
import truegrade as tg
from fabricated import steady
from truegrade import codec
from truegrade.cli import main
from truegrade.errors import InputError, MissingExtra
from truegrade.report import summarize as summaries
from truegrade.report.page.html import _SCRIPTS, embedded, render_html, write_html
from truegrade.report.summarize import summarize
from truegrade.report.summary.card import grade_card, level, planes
from truegrade.report.summary.contrasts import contrasts
from truegrade.report.summary.detail import group_tables, metric_details
from truegrade.report.summary.origin import left_out
from truegrade.report.summary.scale import Scale, around, shared_scale
from truegrade.report.text.markdown import name as markdown_name
from truegrade.report.text.markdown import render_markdown
from truegrade.result import Comparison, Evaluation, Group, Interval, Trace, read_result
from truegrade.uncertainty.paired import combine

HOSTILE_NAMES = (
    results.HOSTILE,
    results.LONG,
    results.ARABIC,
    "</script><img src=x onerror=alert(1)>",
    "*a* [b](c) `d` | e",
)


class Page(HTMLParser):
    """What a browser would see: elements with attributes, text, and the ends that match."""

    VOID = frozenset(
        {"meta", "br", "col", "img", "input", "link", "hr", "image", "use", "path", "rect", "line", "circle"}
    )

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.words: list[str] = []
        self._inside: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self._inside.append(tag)
        if tag == "script":
            self.scripts.append((dict(attrs), ""))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self._inside.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._inside[-1:] == ["script"]:
            attributes, text = self.scripts[-1]
            self.scripts[-1] = (attributes, text + data)
        elif "style" not in self._inside:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def many() -> Comparison:
    return results.comparison()


@pytest.fixture(scope="module")
def summary(many: Comparison) -> dict[str, Any]:
    return summarize(many)


@pytest.fixture(scope="module")
def page(summary: dict[str, Any]) -> str:
    return render_html(summary)


@pytest.fixture(scope="module")
def hostile() -> Comparison:
    found = results.comparison(HOSTILE_NAMES, ("clipped_density", "clipped_coverage", "frechet_distance"))
    evaluations = {
        name: replace(e, real=replace(e.real, name=results.HOSTILE, source=results.HOSTILE), plan=results.HOSTILE)
        for name, e in found.evaluations.items()
    }
    first = evaluations[results.HOSTILE]
    groups = {label: Group(0.5, 1, 1) for label in HOSTILE_NAMES}
    scores = {
        k: replace(s, per_group=groups, parameters={results.HOSTILE: results.HOSTILE}) for k, s in first.scores.items()
    }
    evaluations[results.HOSTILE] = replace(first, scores=scores)
    return replace(found, evaluations=evaluations)


# --- the summary ------------------------------------------------------------------------------------------------


def test_a_summary_is_strict_json_of_plain_values(summary: dict[str, Any]) -> None:
    text = json.dumps(summary, allow_nan=False)
    assert json.loads(text) == summary
    assert summary["schema"] == summaries.SCHEMA


def test_values_that_are_not_finite_become_none() -> None:
    found = results.evaluation()
    wild = replace(found["frechet_distance"], value=float("inf"), interval=None)
    odd = summarize(replace(found, scores={**found.scores, "frechet_distance": wild}))
    json.dumps(odd, allow_nan=False)
    assert "inf" in render_html(odd)


def test_arrays_of_samples_are_not_in_the_summary() -> None:
    few, lots = (results.evaluation() for _ in range(2))
    rng = np.random.default_rng(0)
    scores = {k: replace(s, per_sample={"real": rng.gamma(2.0, size=50_000)}) for k, s in lots.scores.items()}
    more = len(json.dumps(summarize(replace(lots, scores=scores)))) - len(json.dumps(summarize(few)))
    assert abs(more) < 20_000


def test_marks_lie_where_their_values_are(summary: dict[str, Any], many: Comparison) -> None:
    seen = 0
    for aspect in summary["card"]:
        for gauge in aspect["scores"]:
            for mark in gauge["marks"]:
                score = many[mark["model"]][gauge["key"]]
                if score.value is None:
                    assert mark["status"] == "undefined"
                    assert mark["reason"] == score.reason
                    continue
                low, high, log = (gauge["scale"][what] for what in ("low", "high", "log"))
                share = np.log(score.value / low) / np.log(high / low) if log else (score.value - low) / (high - low)
                assert mark["at"] == pytest.approx(100 * share, abs=0.006)
                seen += 1
    assert seen >= 20


def test_the_band_tells_what_the_words_say(summary: dict[str, Any], many: Comparison) -> None:
    """A value in the band, or on its better side, is as good as real data; any other is not."""
    said = set()
    for aspect in summary["card"]:
        for gauge in aspect["scores"]:
            for mark in (m for m in gauge["marks"] if m["status"] == "ok" and m["band"]):
                direction = many[mark["model"]][gauge["key"]].about.direction
                if direction == "target":
                    continue
                low, high = mark["band"]
                good = mark["at"] >= low if direction == "higher" else mark["at"] <= high
                assert good == (mark["words"] == "as good as real data") == (mark["level"] == 0)
                said.add(mark["words"])
    assert len(said) >= 4


@pytest.mark.parametrize(("value", "expected"), [(0.97, 0), (0.9, 1), (0.75, 2), (0.3, 3)])
def test_levels_follow_the_loss(value: float, expected: int) -> None:
    assert level(results.score("clipped_density", value, 0.01)) == expected


@pytest.mark.parametrize(("value", "expected"), [(19.0, 0), (26.0, 1), (50.0, 2), (90.0, 3)])
def test_levels_of_unbounded_distances_follow_the_ratio(value: float, expected: int) -> None:
    assert level(results.score("frechet_distance", value, 2.0)) == expected


def test_the_card_falls_back_to_what_was_computed() -> None:
    found = results.evaluation(keys=("symmetric_precision", "nn_two_sample"))
    fidelity, coverage, copying, distance = grade_card({"m": found})
    assert [gauge["key"] for gauge in fidelity["scores"]] == ["symmetric_precision"]
    assert coverage["scores"] == copying["scores"] == []
    assert coverage["absent"]
    assert [gauge["key"] for gauge in distance["scores"]] == ["nn_two_sample"]
    assert "No score of this kind was computed." in render_html(summarize(found))


def test_a_card_without_any_score_is_left_out() -> None:
    made = results.score("inception_score", 3.0)
    found = replace(results.evaluation(keys=("clipped_density",)), scores={"inception_score": made})
    page = render_html(summarize(found))
    assert 'href="#scores"' in page
    assert "#card" not in page
    assert 'id="card"' not in page


def test_a_pair_that_has_a_blind_spot_never_stands_alone(summary: dict[str, Any]) -> None:
    roles = {gauge["key"]: gauge["role"] for aspect in summary["card"] for gauge in aspect["scores"]}
    assert roles["clipped_density"] == roles["clipped_coverage"] == "main"
    assert roles["symmetric_precision"] == roles["symmetric_recall"] == roles["nn_two_sample"] == "second"


def test_exact_copies_are_told_once() -> None:
    clean, copying = results.evaluation("clean"), results.evaluation("copying")
    score = replace(copying["authenticity"], details={"exact_copies": 1200}, n_synthetic=5000)
    copying = replace(copying, scores={**copying.scores, "authenticity": score})
    told = [{"model": "", "text": "No sample is an exact copy of a real one."}]
    assert [aspect["facts"] for aspect in grade_card({"clean": clean, "other": clean})] == [[], [], told, []]
    told = [{"model": "copying", "text": "1,200 of 5,000 samples are exact copies."}]
    assert grade_card({"clean": clean, "copying": copying})[2]["facts"] == told


# --- scales -----------------------------------------------------------------------------------------------------


def test_scales() -> None:
    assert Scale(0, 2).at(0.5) == 25
    assert Scale(1, 100, log=True).at(10) == pytest.approx(50)
    assert Scale(0, 1).at(7) == 100
    assert Scale(0, 1).at(None) is None
    assert Scale(0, 1).at(float("nan")) is None
    assert [t["text"] for t in Scale(0, 1).ticks()] == ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
    assert [t["text"] for t in Scale(0.9, 130, log=True).ticks()] == ["1", "2", "5", "10", "20", "50", "100"]


@pytest.mark.parametrize(
    "values", [(0.0, 0.0), (3.0, 3.0), (1e-300, 2e-300), (-5e5, 1e6), (1e7, 1.00001e7), (-1e-9, 1e-9)]
)
def test_a_scale_holds_its_values_and_its_ticks(values: tuple[float, float]) -> None:
    scale = around(values)
    assert scale is not None
    assert scale.low < scale.high
    assert all(scale.low <= v <= scale.high for v in values)
    ticks = scale.ticks()
    assert 1 <= len(ticks) <= 7
    assert [t["at"] for t in ticks] == sorted({t["at"] for t in ticks})
    assert all(0 <= t["at"] <= 100 for t in ticks)


def test_no_scale_for_what_cannot_be_drawn() -> None:
    assert around([-1e308, 1e308]) is None
    assert shared_scale([None]) is None
    assert (
        shared_scale([replace(results.score("frechet_distance", 1.0), value=float("inf"), floor=None, interval=None)])
        is None
    )


def test_wide_distances_are_logarithmic_and_signed_ones_never() -> None:
    far, near = results.score("frechet_distance", 9000.0, 5.0), results.score("frechet_distance", 20.0, 5.0)
    scale = shared_scale([far, near])
    assert scale is not None
    assert scale.log
    assert scale.low > 0
    energy = replace(far, about=results.about("energy_distance"), interval=Interval(-1.0, 1.0, 0.95, "x"))
    signed = shared_scale([energy, replace(energy, value=-0.5)])
    assert signed is not None
    assert not signed.log


# --- the plane ----------------------------------------------------------------------------------------------------


def test_ellipses_take_their_correlation_from_shared_traces() -> None:
    found = results.evaluation()
    x, y = found["clipped_coverage"], found["clipped_density"]
    assert x.trace is not None
    assert y.trace is not None
    (point,) = planes({"m": found})[0]["points"]
    assert point["correlation"] == pytest.approx(np.corrcoef(x.trace.values, y.trace.values)[0, 1], abs=1e-4)
    assert point["half_x"] == pytest.approx(0.02 * 2.447747 / 1.959964, rel=1e-4)
    apart = replace(y, trace=replace(y.trace, basis="other"))
    (point,) = planes({"m": replace(found, scores={**found.scores, "clipped_density": apart})})[0]["points"]
    assert point["correlation"] == 0.0
    half = Trace(y.trace.values, 1.0, "shared", own=float(y.trace.values.var(ddof=1)))
    (point,) = planes({"m": replace(found, scores={**found.scores, "clipped_density": replace(y, trace=half)})})[0][
        "points"
    ]
    expected = np.corrcoef(x.trace.values, y.trace.values)[0, 1] * 0.5**0.5
    assert point["correlation"] == pytest.approx(expected, abs=1e-4)


def test_what_is_undefined_in_a_part_is_left_out_of_the_correlation() -> None:
    found = results.evaluation()
    x, y = found["clipped_coverage"], found["clipped_density"]
    assert x.trace is not None
    assert y.trace is not None
    holes = y.trace.values.copy()
    holes[2] = np.nan
    partly = replace(y, trace=replace(y.trace, values=holes))
    (point,) = planes({"m": replace(found, scores={**found.scores, "clipped_density": partly})})[0]["points"]
    known = np.isfinite(holes)
    expected = np.corrcoef(x.trace.values[known], holes[known])[0, 1]
    assert abs(expected) < 0.98
    assert point["correlation"] == pytest.approx(expected, abs=1e-4)


# --- details ------------------------------------------------------------------------------------------------------


def test_histograms_count_every_finite_sample() -> None:
    values = np.concatenate([np.random.default_rng(1).normal(size=997), [np.nan, np.inf, 500.0]])
    found = results.evaluation(keys=("clipped_density",))
    score = replace(found["clipped_density"], per_sample={"synthetic": values})
    (metric,) = metric_details({"m": replace(found, scores={"clipped_density": score})})
    (spread,) = metric["spreads"]
    (row,) = spread["rows"]
    assert spread["clipped"]
    assert spread["high"] < 500
    assert sum(row["counts"]) == 998
    assert row["not_finite"] == 2
    assert row["median"] == pytest.approx(np.median(values[np.isfinite(values)]))
    edges = np.linspace(spread["low"], spread["high"], len(row["counts"]) + 1)
    assert row["counts"][5] == int(((values >= edges[5]) & (values < edges[6])).sum())


def test_samples_that_count_or_do_not_are_shares() -> None:
    found = results.evaluation(keys=("clipped_density",))
    score = replace(found["clipped_density"], per_sample={"real": np.array([0.0, 1.0, 1.0, 1.0])})
    (metric,) = metric_details({"m": replace(found, scores={"clipped_density": score})})
    assert metric["spreads"] == [{"side": "real", "shares": [{"model": "m", "count": 3, "n": 4}]}]


def test_the_worst_labels_come_first_and_many_are_cut() -> None:
    found = results.evaluation(keys=("clipped_density", "frechet_distance"))
    groups = {f"label {i}": Group(i / 500, 5, 5) for i in range(500)} | {"none": Group(None, 1, 0, None, "no samples")}
    scores = {k: replace(s, per_group=groups) for k, s in found.scores.items()}
    (table,) = group_tables({"m": replace(found, scores=scores)})
    assert [row["label"] for row in table["rows"][:3]] == ["none", "label 0", "label 1"]
    assert table["left_out"] == 501 - len(table["rows"]) == 301
    assert table["rows"][1]["cells"][0]["part"] == 0
    (down,) = group_tables({"m": replace(found, scores={"frechet_distance": scores["frechet_distance"]})})
    assert [row["label"] for row in down["rows"][:2]] == ["none", "label 499"]


def test_several_models_are_side_by_side_for_every_score(many: Comparison) -> None:
    tables = group_tables(many.evaluations)
    assert [table["title"] for table in tables] == [many["A"][key].title for key in results.KEYS]
    assert tables[0]["columns"] == ["A", "B", "C"]


# --- comparisons ----------------------------------------------------------------------------------------------------


def test_differences_lie_about_zero(many: Comparison) -> None:
    found = contrasts(many)
    assert found is not None
    seen = 0
    for forest in found["forests"]:
        for row in forest["rows"]:
            difference = next(
                d
                for d in many.differences
                if (d.key, d.first, d.second) == (forest["key"], row["first"], row["second"])
            )
            if difference.value is None:
                assert row["at"] is None
                continue
            assert (row["at"] > forest["zero_at"]) == (difference.value > 0)
            assert difference.interval is not None
            beyond = not difference.interval.low <= 0 <= difference.interval.high
            assert beyond == (not row["low"] <= forest["zero_at"] <= row["high"])
            assert row["better"] == (difference.better or "")
            seen += 1
    assert seen >= 20


def test_of_many_models_neighbours_are_shown() -> None:
    names = tuple("ABCDEFGH")
    found = contrasts(results.comparison(names))
    assert found is not None
    forest = next(f for f in found["forests"] if f["key"] == "frechet_distance")
    assert [(row["first"], row["second"]) for row in forest["rows"]] == list(pairwise(names))
    assert forest["left_out"] == 28 - 7


def test_neighbours_are_those_by_distance_to_the_target() -> None:
    values = {"A": 1.7, "B": 0.9, "C": 1.2, "D": 0.4, "E": 1.5, "F": 0.7, "G": 1.0}
    found = contrasts(combine({name: steady(name, {"density": value}) for name, value in values.items()}))
    assert found is not None
    (forest,) = found["forests"]
    order = sorted(values, key=lambda name: abs(values[name] - 1.0))
    assert [{row["first"], row["second"]} for row in forest["rows"]] == [set(pair) for pair in pairwise(order)]


def test_ranks_and_agreement(many: Comparison, page: str) -> None:
    found = contrasts(many)
    assert found is not None
    assert [cell["text"] for cell in found["ranks"]["rows"][0]["cells"]] == ["1\u20132", "2", "3"]
    triangle = found["agreement"]["rows"]
    assert [len(row) for row in triangle] == list(range(len(results.KEYS)))
    assert triangle[1][0]["kendall"] == 0.6
    assert triangle[2][0]["kendall"] == -0.6
    assert contrasts(results.comparison(("A", "B")))["agreement"] is None  # type: ignore[index]
    assert "\u22120.60" in page


def test_everything_that_lacks_something_is_listed(many: Comparison) -> None:
    rows = left_out(many.evaluations, many)
    told = {(tuple(row["what"]), row["kind"], row["reason"], tuple(row["models"])) for row in rows}
    assert (("Copying test C_T",), "undefined", "too few cells", ("C",)) in told
    assert (("1-NN two-sample accuracy",), "no interval", "fewer than 8 samples", ("C",)) in told
    assert (("1-NN two-sample accuracy",), "no reference", "no hold-out", ("C",)) in told
    (by_label,) = [row for row in rows if row["kind"] == "undefined by label"]
    assert len(by_label["what"]) == len(results.KEYS)
    assert by_label["models"] == []
    assert any(row["kind"] == "no certain difference" for row in rows)


# --- the page --------------------------------------------------------------------------------------------------------


def test_a_saved_result_gives_the_same_bytes(many: Comparison, page: str, tmp_path: Path) -> None:
    saved = many.to_json(tmp_path / "a.json")
    assert read_result(saved).to_html(tmp_path / "a.html").read_text(encoding="utf-8") == page
    assert read_result(saved).to_markdown(tmp_path / "a.md").read_text(encoding="utf-8") == render_markdown(
        summarize(many)
    )


def test_a_page_says_what_the_result_holds(many: Comparison, page: str) -> None:
    text = Page(page).text
    for evaluation in many.evaluations.values():
        for score in evaluation.scores.values():
            assert score.title in text
            assert score.about.formula in text
            assert score.about.reading in text
    for said in ("too few cells", "fewer than 8 samples", "made by hand", "9 runs", "0123456789ab", "seed", "Holm"):
        assert said in text or said.capitalize() in text


def test_a_page_asks_for_nothing(page: str) -> None:
    found = Page(page)
    for tag, attributes in found.elements:
        for name in ("src", "action", "data", "poster", "srcset", "background"):
            assert not attributes.get(name), (tag, name)
        if tag not in ("a", "use", "image"):
            assert "href" not in attributes
    assert found.all("link") == []
    assert "@import" not in page
    assert "url(http" not in page.replace("&#34;", '"')
    (policy,) = [m["content"] for m in found.all("meta") if m.get("http-equiv") == "Content-Security-Policy"]
    assert policy is not None
    assert "default-src 'none'" in policy
    for attributes, script in found.scripts:
        if attributes.get("type") != "application/json":
            digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
            assert f"'sha256-{digest}'" in policy


def test_a_page_can_be_read_by_machines_and_ears(page: str) -> None:
    found = Page(page)
    ids = [a["id"] for _, a in found.elements if a.get("id")]
    assert len(ids) == len(set(ids))
    assert [len(found.all(tag)) for tag in ("h1", "main", "nav", "footer")] == [1, 1, 1, 1]
    levels = [int(tag[1]) for tag, _ in found.elements if re.fullmatch(r"h[1-6]", tag)]
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert page.count("<caption") >= page.count("<table") - page.count("ex-table")
    for attributes in found.all("svg"):
        named = (
            "aria-label" in attributes or "aria-labelledby" in attributes or "strip" in (attributes.get("class") or "")
        )
        assert named or attributes.get("aria-hidden") == "true" or "overflow" in attributes
    for _, attributes in found.elements:
        for name in ("aria-labelledby", "aria-describedby"):
            assert all(one in ids for one in (attributes.get(name) or "").split())
        if (target := attributes.get("href") or "").startswith("#"):
            assert target[1:] in ids
    assert page.count('<svg class="strip" role="img"><title>') == page.count('<svg class="strip"')


def test_the_summary_in_the_page_is_the_summary(summary: dict[str, Any], page: str) -> None:
    ((_, text),) = [script for script in Page(page).scripts if script[0].get("id") == "summary"]
    assert json.loads(text) == summary


def test_embedded_json_cannot_end_its_element() -> None:
    text = embedded({"a": "</script><!-- & \u2028 \ud800"})
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == {"a": "</script><!-- & \u2028 \ud800"}


def test_hostile_names_do_nothing_in_a_page(hostile: Comparison) -> None:
    page = render_html(summarize(hostile))
    found = Page(page)
    assert len(found.scripts) == 1 + len(_SCRIPTS)
    assert found.all("img") == []
    assert not any(name.startswith("on") for _, attributes in found.elements for name in attributes)
    outside = re.sub(r'<script type="application/json".*?</script>', "", page, flags=re.S)
    assert "\u202e" not in outside
    assert "\u0007" not in outside
    assert results.LONG[:200] not in outside
    assert "alert(1)" in found.text
    page.encode("utf-8")
    assert len(page) < 3_000_000


def test_hostile_names_do_nothing_in_markdown(hostile: Comparison) -> None:
    text = render_markdown(summarize(hostile))
    assert "<" not in re.sub(r"p \(Holm\)|< 0\.001", "", text)
    assert "\u202e" not in text
    assert results.LONG[:200] not in text
    assert "[b](c)" not in text
    assert "\u2068" in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    columns = [len(re.findall(r"(?<!\\)\|", row)) for row in rows]
    blocks = re.findall(r"(?:^\|.*\n)+", text + "\n", flags=re.M)
    assert len(columns) > 50
    for block in blocks:
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}) == 1


def test_names_in_markdown_keep_every_letter() -> None:
    assert (
        escaping.unescape(re.sub(r"\\(.)", r"\1", markdown_name("*a* <b> @c & [d] \\e |f")))
        == "*a* <b> @c & [d] \\e |f"
    )


def test_one_set_and_no_labels_make_a_page_too() -> None:
    found = results.evaluation(keys=("clipped_density",))
    bare = {
        k: replace(s, per_group={}, repeats=None, per_sample={}, floor=None, interval=None)
        for k, s in found.scores.items()
    }
    text = Page(render_html(summarize(replace(found, scores=bare, holdout=None, plan="")))).text
    assert "By label" not in text
    assert "no interval" in text
    assert "Which model is better?" not in text


def test_an_evaluation_without_scores_makes_a_page() -> None:
    page = render_html(summarize(results.evaluation(keys=())))
    assert "All scores" in page
    assert "Grade card" not in page


def test_a_page_of_ten_thousand_samples_is_below_three_megabytes(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    real, synthetic = rng.normal(size=(10_000, 4)), rng.normal(size=(10_000, 4))
    found = tg.evaluate(
        real, synthetic, metrics=["clipped_density", "clipped_coverage", "precision", "recall"], intervals=False
    )
    assert found.to_html(tmp_path / "a.html").stat().st_size < 3_000_000


# --- the commands -----------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_report_makes_a_page_beside_the_result(
    many: Comparison, page: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    many.to_json("a.json")
    assert main(["report", "a.json"]) == 0
    assert (folder / "a.html").read_text(encoding="utf-8") == page
    assert capsys.readouterr().out == "Written: a.html\n"
    assert main(["report", "a.json", "--markdown", "deep/b.md", "--summary", "s.json"]) == 0
    assert json.loads((folder / "s.json").read_text()) == summarize(many)
    assert (folder / "deep" / "b.md").read_text(encoding="utf-8").startswith("# A, B, C against real digits\n")


@pytest.mark.parametrize(
    ("change", "said"),
    [({"schema": 99}, "schema version 99"), ({"kind": "x"}, "'x'"), ({"evaluations": {}}, "holds no evaluation")],
)
def test_report_refuses_what_it_does_not_know(
    many: Comparison, change: dict[str, Any], said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "a.json").write_text(codec.dumps({**many.to_dict(), **change}))
    assert main(["report", "a.json"]) == 1
    assert said in capsys.readouterr().err
    assert not (folder / "a.html").exists()


def test_outputs_must_differ_from_inputs_and_from_each_other(
    many: Comparison, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = many.to_json("a.json").read_bytes()
    assert main(["report", "a.json", "--html", "a.json"]) == 2
    assert "--html a.json is also read" in capsys.readouterr().err
    assert main(["report", "a.json", "--html", "b", "--markdown", "./b"]) == 2
    assert "was given twice" in capsys.readouterr().err
    assert (folder / "a.json").read_bytes() == before
    assert sorted(p.name for p in folder.iterdir()) == ["a.json"]


def test_evaluate_writes_all_that_was_asked_for(folder: Path) -> None:
    rng = np.random.default_rng(0)
    for name in ("real", "a"):
        np.save(f"{name}.npy", rng.normal(size=(60, 3)))
    files = ["--json", "o.json", "--html", "o.html", "--markdown", "o.md"]
    assert main(["evaluate", "real.npy", "a.npy", "--metrics", "precision", *files]) == 0
    saved = Evaluation.from_json("o.json")
    assert Path("o.html").read_text(encoding="utf-8") == render_html(summarize(saved))
    assert Path("o.md").read_text(encoding="utf-8") == render_markdown(summarize(saved))


def test_a_path_that_cannot_be_written_is_refused_before_the_work(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "o.html").mkdir()
    np.save("real.npy", np.zeros((3, 2)))
    assert main(["evaluate", "real.npy", "absent.npy", "--html", "o.html"]) == 1
    assert "is a folder" in capsys.readouterr().err


def test_what_is_not_installed_is_named(many: Comparison, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    there = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "jinja2" else there(name))
    with pytest.raises(MissingExtra, match=r"needs jinja2; pip install 'truegrade\[report\]'"):
        write_html(many, tmp_path / "a.html")
    assert list(tmp_path.iterdir()) == []


def test_a_page_is_whole_or_not_there(many: Comparison, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    target = tmp_path / "a.html"
    target.write_text("old")

    def torn(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", torn)
    with pytest.raises(InputError, match="No space left"):
        many.to_html(target)
    assert target.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a.html"]

"""Reports of ECG recordings: to scale, from the record alone, copies said loudly, nothing of the user's is markup."""

from __future__ import annotations

import base64
import json
import re
import zlib
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from rich.cells import cell_len

import ecg_grades
import results
from test_report import Page
from truegrade.ecg.strips import GAP, make_strips, resampled
from truegrade.recordings import LEADS_12, Recordings
from truegrade.report.page.ecg_lines import extremes, path, thinned
from truegrade.report.page.ecg_plots import GRID, LEFT, MILLIVOLT, MM, SECOND, layout, pair
from truegrade.report.page.html import render_html
from truegrade.report.summarize import summarize
from truegrade.report.summary.ecg_strips import PACKED, rhythms_view, strips_view
from truegrade.report.summary.ecg_view import ecg_view
from truegrade.report.summary.ecg_words import cell, figure, step_of
from truegrade.report.text.markdown import render_markdown
from truegrade.report.text.terminal import render_text
from truegrade.report.verdict import judge
from truegrade.result import About, Comparison, Evaluation, read_result
from truegrade.result.ecg import EcgCopies, EcgGrades, Number, Rhythm, Strip, StripPair

HOSTILE = (results.HOSTILE, results.ARABIC, "</script><img src=x onerror=alert(1)>", "*a* [b](c) | e\nnext")


@pytest.fixture(scope="module")
def one() -> Evaluation:
    return ecg_grades.evaluation()


@pytest.fixture(scope="module")
def view(one: Evaluation) -> dict[str, Any]:
    found = ecg_view(one)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def page(one: Evaluation) -> str:
    return render_html(summarize(one))


def grades(*strips: StripPair, **changes: Any) -> EcgGrades:
    return replace(EcgGrades(LEADS_12, 100.0, "mV", 10.0, strips=strips), **changes)


def strip(values: Any, fs: float = 100.0, leads: tuple[str, ...] = ("I",), side: Any = "real") -> Strip:
    return Strip(side, 4, "a", leads, fs, np.asarray(values, np.int16).reshape(len(leads), -1))


def drawn(one: Strip, other: Strip | None = None, **changes: Any) -> tuple[str, str]:
    """The drawings of a pair of strips."""
    (group,) = strips_view(grades(StripPair("worst", one, other), **changes))
    return pair(group["pairs"][0]["shown"], group["pairs"][0]["other"], "x")


def traces(svg: str) -> list[list[tuple[int, int]]]:
    """The places that each trace goes through, read from its path."""
    found = []
    for d in re.findall(r'class="ecg-trace[^"]*" d="([^"]*)"', svg):
        places: list[tuple[int, int]] = []
        for piece in d.split("M")[1:]:
            start, _, steps = piece.partition("l")
            at = np.array(list(map(int, start.replace("h1", "").split())))
            moves = np.array(list(map(int, re.findall(r"-?\d+", steps)))).reshape(-1, 2)
            places += [tuple(p) for p in np.vstack([at, at + moves.cumsum(axis=0)]).tolist()]
        found.append(places)
    return found


def bare(one: Evaluation) -> Evaluation:
    """Without values of single samples and repeats, whose pictures take time."""
    return replace(one, scores={k: replace(s, per_sample={}, repeats=None) for k, s in one.scores.items()})


# --- paper ---------------------------------------------------------------------------------------------------------


def test_paper_is_to_scale() -> None:
    """1 s is 25 mm and 1 mV is 10 mm, as are the squares and the pulse."""
    assert (SECOND, MILLIVOLT) == (25 * MM, 10 * MM)
    values = np.zeros(1000)
    values[300], values[700] = 1000, -500  # microvolts, after 3 and 7 s
    svg, _ = drawn(strip(values))
    (places,) = traces(svg)
    base = places[0][1]
    up, down = min(places, key=lambda at: at[1]), max(places, key=lambda at: at[1])
    assert (up[0] - LEFT, base - up[1]) == (3 * 25 * 10, 10 * 10)
    assert (down[0] - LEFT, down[1] - base) == (7 * 25 * 10, 5 * 10)
    assert f'd="M30 {base}h20v-100h50v100h20"' in svg  # 1 mV high, 0.2 s long
    assert LEFT > 30 + 90
    assert LEFT % 50 == base % 50 == 0  # on lines of the large squares
    assert "25 mm/s   10 mm/mV" in svg
    assert re.search(r'<pattern id="ecg-grid" width="50" height="50".*?M10 0v50M20', GRID)


def test_a_line_passes_every_sample_within_a_tenth_of_a_millimetre() -> None:
    rng = np.random.default_rng(0)
    y = np.rint(80 * np.sin(np.arange(900) / 9) + 4 * rng.normal(size=900)).astype(int)
    x = np.arange(900)
    kept = thinned(x, y, 1.0)
    assert 100 < len(kept) < 800
    assert np.abs(np.interp(x, x[kept], y[kept]) - y).max() <= 1.0
    twice = np.array([0, 1, 1, 1, 2])  # several samples in one place
    assert thinned(twice, np.array([0, 5, -5, 0, 0]), 0.5).tolist() == [0, 1, 2, 3, 4]
    assert path(np.array([3, 5, 9]), np.array([1, -2, 4]), np.array([0, 2])) == "M3 1l2-3M9 4h1"


def test_of_many_samples_the_extremes_are_kept() -> None:
    y = np.random.default_rng(1).integers(-99, 99, 1000)
    x = np.arange(1000)
    kept = set(extremes(x, y, 20).tolist())
    for start in range(0, 1000, 20):
        part = y[start : start + 20]
        assert {part.min(), part.max()} <= {y[i] for i in kept if start <= i < start + 20}
    assert len(kept) <= 102
    rough = strip(np.random.default_rng(2).integers(-900, 900, (1, 2500)), 250.0)
    view = strips_view(grades(*[StripPair("worst", rough, rough)] * 30))[0]["pairs"][0]["shown"]
    svg, _ = pair(view, None, "x")
    assert len(traces(svg)[0]) <= view["points"] < 2500


def test_twelve_leads_have_the_usual_places() -> None:
    order = ("I", "II", "V1", "V2", "V3", "V4", "V5", "V6", "III", "aVR", "aVL", "aVF")
    rows = layout(order, 1000, 100.0)
    assert [[order[s.lead] for s in row] for row in rows] == [
        ["I", "aVR", "V1", "V4"],
        ["II", "aVL", "V2", "V5"],
        ["III", "aVF", "V3", "V6"],
        ["II"],
    ]
    assert [(s.start, s.at) for s in rows[0]] == [(0, 0), (250, 625), (500, 1250), (750, 1875)]
    assert (rows[3][0].start, rows[3][0].stop) == (0, 1000)
    short = layout(order, 200, 100.0)  # 2 s: all leads from the begin
    assert [(s.start, s.stop, s.at) for s in short[1]] == [(0, 200, at) for at in (0, 500, 1000, 1500)]
    assert [len(row) for row in layout(order[:8], 1000, 100.0)] == [1] * 8
    assert len(layout([f"L{i}" for i in range(40)], 100, 100.0)) == 12


def test_two_recordings_have_rows_of_one_height() -> None:
    small, large = np.zeros(500), np.zeros(500)
    small[9], large[9] = 400, 2600
    one, other = drawn(strip(small), strip(large, side="synthetic"))
    assert re.findall(r'viewBox="[^"]*"', one) == re.findall(r'viewBox="[^"]*"', other)
    assert re.findall(r"M30 \d+h", one) == re.findall(r"M30 \d+h", other)


def test_a_trace_that_leaves_its_row_is_marked() -> None:
    values = np.zeros(1000)
    values[200:210], values[600] = 9000, -700
    svg, _ = drawn(strip(values))
    (places,) = traces(svg)
    base = places[0][1]
    assert 300 <= base - min(y for _, y in places) <= 500  # 9 mV are 90 mm, a row has 50
    assert max(y for _, y in places) - base == 70
    (marks,) = re.findall(r'class="ecg-over" d="([^"]*)"', svg)
    assert marks.count("M") == 1
    assert abs(int(re.findall(r"M(\d+)", marks)[0]) - (LEFT + 2.045 * 250)) < 3
    assert "I is cut off where it leaves its row" in svg
    assert "ecg-over" not in drawn(strip(np.where(values > 1000, 1000, values)))[0]


def test_a_lead_without_signal_is_said_in_words() -> None:
    values = np.stack([np.arange(100), np.zeros(100), np.full(100, GAP), np.arange(100)])
    values[3, 40:60] = GAP
    svg, _ = drawn(strip(values, leads=("I", "II", "V1", "V2")))
    assert svg.count("flat: no signal</text>") == 1
    assert svg.count(">no signal</text>") == 1
    assert "II: flat: no signal; V1: no signal" in svg
    assert len(traces(svg)) == 2
    assert svg.count("M", svg.rindex('d="', 0, svg.rindex("ecg-lead")), svg.rindex("ecg-lead")) == 2  # a gap


def test_what_is_not_known_is_not_drawn_to_scale() -> None:
    svg, _ = drawn(strip(np.arange(300), 0.0), units=None)
    assert "sampling rate not known: across not to scale   units not known: upwards not to scale" in svg
    assert "mm/s" not in svg


# --- which recordings are shown --------------------------------------------------------------------------------------


def test_strips_are_the_recordings_they_say() -> None:
    real, synthetic = ecg_grades.sides()
    shown = ecg_grades.exhibits(real, synthetic)
    strips, rhythms = make_strips(real, synthetic, shown, ecg_grades.copies(False), seed=0)
    assert shown.map is not None
    side = shown.map.synthetic
    kinds = {why: [p.shown.row for p in strips if p.why == why] for why in ("worst", "best", "uncovered", "copy")}
    assert kinds["worst"] == side.grade.argsort()[:4].tolist()
    assert set(kinds["best"]) == set(side.grade.argsort()[-4:].tolist())
    assert kinds["uncovered"] == shown.map.real.grade.argsort()[:4].tolist()
    assert [(p.shown.row, p.other.row) for p in strips if p.why == "copy" and p.other] == [(3, 5), (1, 2)]
    first = strips[0]
    assert first.other is not None
    assert side.partner is not None
    assert first.other.row == side.partner[first.shown.row]
    assert first.distance == pytest.approx(float(side.nearest[first.shown.row]))
    assert np.abs(first.shown.values / 1000 - synthetic.data[first.shown.row]).max() <= 0.0005001
    assert (first.shown.name, first.shown.label) == (f"made-{first.shown.row}", synthetic.labels[first.shown.row])  # type: ignore[index]
    for rhythm, recordings in zip(rhythms, (real, synthetic), strict=True):
        assert (rhythm.lead, rhythm.fs, rhythm.values.shape) == ("II", 62.5, (12, 625))
        slow = np.stack([np.interp(np.arange(625) / 62.5, np.arange(1000) / 100, x) for x in recordings.lead("II")])
        assert np.median(np.abs(rhythm.values * rhythm.step - slow)) < rhythm.step


def test_copies_are_never_among_the_best() -> None:
    real, synthetic = ecg_grades.sides()
    shown = ecg_grades.exhibits(real, synthetic)
    best = [p.shown.row for p in make_strips(real, synthetic, shown, None, seed=0)[0] if p.why == "best"]
    assert len(best) == 4
    pairs = tuple(replace(ecg_grades.copies(True).pairs[0], synthetic=row) for row in best[:2])
    few = EcgCopies(Number(2 / 12), 0.99, True, pairs)
    left = [p.shown.row for p in make_strips(real, synthetic, shown, few, seed=0)[0] if p.why == "best"]
    assert len(left) == 4
    assert not {*best[:2]} & {*left}
    many = replace(few, share=Number(0.9))  # more than are named: any may be one
    assert not [p for p in make_strips(real, synthetic, shown, many, seed=0)[0] if p.why == "best"]


def test_strips_have_no_aliases_and_keep_gaps() -> None:
    time = np.arange(10_000) / 1000
    values = np.sin(2 * np.pi * 5 * time) + np.sin(2 * np.pi * 240 * time)  # 240 Hz would be 10 Hz at 250
    slower, fs = resampled(values, 1000.0, 250.0)
    assert (fs, len(slower)) == (250.0, 2500)
    spectrum = np.abs(np.fft.rfft(slower[250:-250])) / 1000
    rates = np.fft.rfftfreq(2000, 1 / 250)
    assert rates[spectrum.argmax()] == 5.0
    assert spectrum[rates > 8].max() < 0.02
    broken = values.copy()
    broken[4000:5000] = np.nan
    gaps = np.isnan(resampled(broken, 1000.0, 250.0)[0])
    assert gaps[1000:1250].all()
    assert gaps.sum() <= 252
    assert resampled(values[:100], 360.0, 250.0)[1] == pytest.approx(250.0)
    assert resampled(values[:100], 100.0, 250.0)[1] == 100.0


def test_what_nobody_said_of_the_recordings() -> None:
    """Without a rate and units the largest values are drawn as about 1.5 mV; a constant offset is no reason to fail."""
    plain = Recordings.from_array(np.random.default_rng(0).normal(size=(6, 2, 400)) * 7e5, leads=("A", "B"))
    shown = ecg_grades.exhibits(plain_named(plain), plain_named(plain))
    strips, rhythms = make_strips(plain, plain, shown, None)
    assert {p.shown.fs for p in strips} == {0.0}
    assert 1000 < max(np.abs(p.shown.values.astype(int)).max() for p in strips) < 2500
    assert {r.lead for r in rhythms} == {"A"}
    assert make_strips(plain, plain, None, None) == ((), ())


def plain_named(one: Recordings) -> Recordings:
    names = np.arange(len(one)).astype(str)
    return replace(one, ids=names, labels=names)


def test_rhythms_are_packed_without_loss_where_they_are_few(one: Evaluation) -> None:
    assert one.ecg is not None
    packed = rhythms_view(one.ecg)
    assert packed is not None
    for rhythm in one.ecg.rhythms:
        found = packed[rhythm.side]
        steps = np.frombuffer(zlib.decompress(base64.b64decode(found["packed"])), np.uint8)
        values = np.cumsum(steps.reshape(rhythm.values.shape), axis=1, dtype=np.uint8).view(np.int8)
        assert np.array_equal(values, rhythm.values)
        assert (found["step"], found["rows"]) == (pytest.approx(rhythm.step), rhythm.rows.tolist())


def test_many_rhythms_are_coarser_and_keep_their_gaps() -> None:
    values = np.random.default_rng(0).integers(-127, 128, (900, 625)).astype(np.int8)
    values[:, 10] = -128
    rhythms = tuple(Rhythm(side, "II", 62.5, 0.02, np.arange(900), values) for side in ("real", "synthetic"))
    packed = rhythms_view(grades(rhythms=rhythms))
    assert packed is not None
    real = packed["real"]
    assert sum(len(packed[side]["packed"]) for side in ("real", "synthetic")) <= PACKED
    steps = np.frombuffer(zlib.decompress(base64.b64decode(real["packed"])), np.uint8)
    again = np.cumsum(steps.reshape(900, real["samples"]), axis=1, dtype=np.uint8).view(np.int8)
    assert (again[:, 10] == -128).all()
    known = np.delete(again, 10, axis=1) * real["step"]
    kept = np.delete(values[:, : real["samples"]], 10, axis=1) * 0.02
    assert np.abs(known - kept).max() <= real["step"] / 2 + 1e-9


# --- numbers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "floor", "direction", "ends", "expected"),
    [
        (0.9, 0.9, "higher", (0, 1), 10),
        (0.95, 0.9, "higher", (0, 1), 10),
        (0.885, 0.9, "higher", (0, 1), 10),  # no worse than the worst cut
        (0.45, 0.9, "higher", (0, 1), 5),
        (0.0, 0.9, "higher", (0, 1), 0),
        (0.1, 0.1, "lower", (0, float("inf")), 10),
        (1.0, 0.1, "lower", (0, float("inf")), 0),
        (0.3162, 0.1, "lower", (0, float("inf")), 5),
        (5.0, 0.0, "lower", (0, float("inf")), 0),
        (-0.001, -0.04, "lower", (float("-inf"), float("inf")), 10),  # below the ideal: chance
        (0.02 * 2.1623, 0.0, "lower", (float("-inf"), float("inf")), 5),  # a floor of 0: in cuts of real data
        (10.0, 31.62, "higher", (float("-inf"), float("inf")), 5),
        (0.9, 0.5, "target", (0, 1), 2),
        (0.51, 0.5, "target", (0, 1), 10),
    ],
)
def test_steps_go_from_the_floor_to_the_worst_value(
    value: float, floor: float, direction: str, ends: tuple[float, float], expected: int
) -> None:
    about = About("x", direction, ends, None, "", "", "")
    one = Number(value, floor=floor, floor_low=floor - 0.02, floor_high=floor + 0.02, cuts=4)
    assert step_of(one, about) == expected


def test_a_number_without_floor_or_value_has_no_colour() -> None:
    about = About("x", "higher", (0, 1), None, "", "", "")
    assert step_of(Number(0.4), about) is None
    assert step_of(Number(0.4, floor=0.5), None) is None
    missing = cell(Number(None, reason="no lead"), about)
    assert (missing["status"], missing["reason"], missing["step"]) == ("undefined", "no lead", None)
    assert cell(None)["reason"] == "not computed"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.01234, "0.0123"),
        (0.9, "0.900"),
        (12.34, "12.3"),
        (415.2, "415"),
        (-1234.5, "-1,234"),
        (3e7, "3.0e+07"),
        (2e-5, "2.0e-05"),
        (None, "\u2013"),
        (float("inf"), "\u2013"),
    ],
)
def test_figures_have_three_digits(value: float | None, text: str) -> None:
    assert figure(value) == text


def test_cells_hold_the_numbers_of_the_record(one: Evaluation, view: dict[str, Any], page: str) -> None:
    assert one.ecg is not None
    first, found = one.ecg.features[0], view["features"][0]
    assert [row["name"] for row in found["rows"]] == [*LEADS_12, "mean of leads", "all together"]
    for row, lead in zip(found["rows"], LEADS_12, strict=False):
        for told, metric in zip(row["cells"], found["metrics"], strict=True):
            number = first.per_lead[lead][metric["key"]]
            assert told["value"] == figure(number.value)
            assert told["floor"] == ("" if number.floor is None else figure(number.floor))
    seen = Page(page)
    cells = [a for a in seen.all("td") if re.search(r"tb-s\d|tb-no|eg-plain", a.get("class") or "")]
    rows = sum(len(s["rows"]) + len(s["labels"]) for s in view["features"])
    assert len(cells) == rows * len(ecg_grades.METRICS)
    assert sum(a["title"] == "every synthetic recording lacks this lead" for a in cells) == 2
    assert any(a["title"] == "far from real data; cuts of real data 0.880 to 0.920" for a in cells)


# --- outputs ---------------------------------------------------------------------------------------------------------


def test_a_saved_evaluation_gives_the_same_page(page: str, one: Evaluation, tmp_path: Any) -> None:
    assert render_html(summarize(read_result(one.to_json(tmp_path / "a.json")))) == page


def test_all_outputs_say_what_was_found(one: Evaluation, view: dict[str, Any], page: str) -> None:
    plain, marked = render_text(one, 400), render_markdown(summarize(one))
    texts = (Page(page).text, plain, marked.replace("\\", ""))
    for said in (
        *view["verdict"],
        "Synthetic values are 1000 times the real ones.",
        "--units uV",
        "Real recordings are whole microvolts, synthetic ones are not.",
        "no encoder: install truegrade[ecg]",
        "Heart rate",
        "31 of 331",
        "Gradient-boosted trees",
    ):
        for text in texts:
            assert said.lower() in text.lower(), said
    assert Page(page).text.count("aVR = -(I + II) / 2") == marked.replace("\\", "").count("aVR = -(I + II) / 2") == 1
    for why in ("worst", "best", "uncovered", "copy"):
        assert f'id="eg0-{why}0-0"' in page
    assert {"href": "#ecg"} in Page(page).all("a")
    ids = [attributes["id"] for _, attributes in Page(page).elements if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_the_specimens_of_features_give_way_to_recordings(one: Evaluation) -> None:
    (model,) = summarize(one)["models"]
    assert one.exhibits is not None
    assert one.exhibits.worst
    assert (model["exhibits"]["worst"], model["exhibits"]["uncovered"], model["exhibits"]["pairs"]) == ([], [], [])
    partner = model["exhibits"]["map"]["real"]["partner"]
    assert one.exhibits.map is not None
    assert one.exhibits.map.real.partner is not None
    assert partner == one.exhibits.map.real.partner.tolist()


def test_only_rhythms_are_embedded(page: str) -> None:
    ((_, text),) = [script for script in Page(page).scripts if script[0].get("id") == "summary"]
    assert list(json.loads(text)["models"][0]["ecg"]) == ["rhythms"]


def test_copies_are_said_loudly_and_never_called_good() -> None:
    good = bare(results.evaluation("copy", 0.0, ("clipped_density",)))
    assert judge(good).code in ("good", "indistinguishable")
    copied = replace(good, ecg=ecg_grades.ecg_grades(flagged=True))
    verdict = judge(copied)
    assert (verdict.code, verdict.words) == (
        "copies",
        "Copies real recordings (40% of the recordings repeat a real one).",
    )
    plain, marked = render_text(copied, 300), render_markdown(summarize(copied))
    for text in (plain, marked):
        assert "COPIES OF REAL RECORDINGS: 40% of the synthetic recordings repeat a real one" in text
    seen = render_html(summarize(copied))
    assert '<li class="serious"><b>Copies of real recordings.</b> Good grades then show only' in seen
    fresh = render_text(replace(good, ecg=ecg_grades.ecg_grades(flagged=False)), 300)
    assert "COPIES" not in fresh
    assert "Copies: 0% of the synthetic recordings" in fresh


def test_a_verdict_on_recordings_stands_where_no_score_speaks() -> None:
    told = replace(results.evaluation("a", 0.0, ("nn_two_sample",)), ecg=ecg_grades.ecg_grades())
    assert judge(told).words.startswith("The recordings cannot be compared as they are: Synthetic values are")


def test_models_of_a_comparison_have_a_part_each() -> None:
    names = ("first model", "second model")
    many = Comparison({name: ecg_grades.evaluation(name, ("I", "II"), 6) for name in names}, (), {}, ())
    seen = Page(render_html(summarize(many)))
    assert [a["data-model"] for a in seen.all("div") if a.get("class") == "eg-model"] == ["0", "1"]
    ids = [attributes["id"] for _, attributes in seen.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert render_text(many, 120).count("The recordings: ") == 2
    assert render_markdown(summarize(many)).count("## The recordings: ") == 2


def test_without_recordings_nothing_is_said_of_them() -> None:
    plain = bare(results.evaluation("a", 0.0, ("clipped_density",)))
    summary = summarize(plain)
    assert summary["models"][0]["ecg"] is None
    assert not re.search(r'id="ecg"|ecg-grid|DecompressionStream', render_html(summary))
    assert "The recordings" not in render_markdown(summary) + render_text(plain)


@pytest.mark.parametrize("width", [20, 60, 100])
def test_no_line_of_the_terminal_is_too_wide(one: Evaluation, width: int) -> None:
    assert max(cell_len(line) for line in render_text(one, width).splitlines()) <= width


def test_hostile_names_are_inert() -> None:
    names = np.array([*HOSTILE, results.LONG, "x" * 10_000])
    sides = ecg_grades.sides(6, ("I", "II"))
    real, synthetic = (replace(s, leads=HOSTILE[:2], ids=names, labels=names[::-1]) for s in sides)
    shown = ecg_grades.exhibits(real, synthetic)
    bad = ecg_grades.ecg_grades(HOSTILE, name=results.HOSTILE, labels=HOSTILE, shown=(real, synthetic, shown))
    told = replace(bad, verdict=HOSTILE, titles={"recall": results.HOSTILE}, units=results.HOSTILE)
    hostile = bare(results.evaluation(results.HOSTILE, 0.3, ("clipped_coverage",)))
    hostile = replace(hostile, ecg=told, exhibits=shown)
    seen = Page(render_html(summarize(hostile)))  # checks that every element ends where it should
    assert len([a for a, _ in seen.scripts if a.get("type") != "application/json"]) == 5
    assert seen.all("img") == []
    assert not any(name.startswith("on") for _, attributes in seen.elements for name in attributes)
    assert not re.search("[\u202e\x07\x1b]", seen.text)
    marked = render_markdown(summarize(hostile))
    assert "<script" not in marked
    assert "<img" not in marked
    for block in re.findall(r"(?:^\|.*\n)+", marked, flags=re.M):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}) == 1, block
    plain = render_text(hostile, 100)
    assert all(c.isprintable() or c == "\n" for c in plain)
    assert max(map(cell_len, plain.splitlines())) <= 100


def test_a_page_of_a_thousand_recordings_a_side_is_below_a_megabyte_and_a_half(one: Evaluation) -> None:
    """The noisiest strips and rhythms there can be, 12 leads at 250 Hz, on the whole number of pairs."""
    assert one.ecg is not None
    rng = np.random.default_rng(0)
    rough = Strip("synthetic", 0, "x" * 200, LEADS_12, 250.0, rng.integers(-1500, 1500, (12, 2500)).astype(np.int16))
    pairs = tuple(StripPair(why, rough, rough) for why in ("worst", "best", "uncovered", "copy") for _ in range(4))
    noise = rng.integers(-127, 128, (1000, 625)).astype(np.int8)
    rhythms = tuple(Rhythm(side, "II", 62.5, 0.02, np.arange(1000), noise) for side in ("real", "synthetic"))
    page = render_html(summarize(replace(one, ecg=replace(one.ecg, strips=pairs, rhythms=rhythms))))
    assert len(page.encode()) < 1_500_000

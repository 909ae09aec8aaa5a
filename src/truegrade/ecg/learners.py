"""The learners of scikit-learn for recordings: the only door to it. One thread each: no number depends on threads."""

from __future__ import annotations

import warnings
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from truegrade.engine.blas import single_thread

NEEDED = "needs scikit-learn: pip install 'truegrade[ecg]'"
ITERATIONS = 40

Floats = NDArray[np.float64]
Index = NDArray[np.intp]


def available() -> bool:
    """Is scikit-learn installed?"""
    return find_spec("sklearn") is not None


def boosting(seed: int) -> Any:
    """Boosted trees, small ones on a third of the features each: for few recordings and many features of any scale."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(
        max_iter=ITERATIONS,
        max_leaf_nodes=8,
        min_samples_leaf=3,
        max_bins=32,
        max_features=0.3,
        early_stopping=False,
        random_state=seed,
    )


def logistic(seed: int) -> Any:
    """Logistic regression with a ridge on coordinates of unit spread; `seed` is not used."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = LogisticRegression(C=0.1, class_weight="balanced", max_iter=300)
    return make_pipeline(StandardScaler(), model)


def probabilities(model: Any, x: Floats, y: Index, z: Floats, classes: int) -> Floats:
    """(len(z), classes) probability of each class by a model of (x, y); 0 of those that y does not have, and all the
    same where y has one alone. Warnings are off: a fit that is not quite converged is as good a classifier here."""
    out = np.zeros((len(z), classes))
    learnt = np.unique(y).astype(np.intp)
    if len(learnt) < 2:
        return out
    with single_thread(), _libraries().limit(limits=1, user_api="openmp"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        out[:, learnt] = model.fit(x, y).predict_proba(z)
    return out


@cache
def _libraries() -> ThreadpoolController:
    """The libraries with threads that scikit-learn brings; looking for them takes milliseconds, so once."""
    import sklearn.ensemble  # noqa: F401 (they are found once it is loaded)

    return ThreadpoolController()

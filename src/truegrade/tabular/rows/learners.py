"""The learners of scikit-learn, an extra: the only door to it. One thread each: no number depends on threads."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from typing import Any, TypeVar

from threadpoolctl import threadpool_limits

from truegrade.cores import usable_cores
from truegrade.engine.blas import single_thread

NEEDED = "needs scikit-learn: pip install 'truegrade[tabular]'"
T = TypeVar("T")


def available() -> bool:
    """Is scikit-learn installed?"""
    return find_spec("sklearn") is not None


def boosted_classifier(*, seed: int, iterations: int, categories: list[bool] | None = None) -> Any:
    """Boosted trees for classes (weighing them costs many times the fit, and areas do not need it)."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(**_settings(seed, iterations, categories))


def boosted_regressor(*, seed: int, iterations: int, categories: list[bool] | None = None) -> Any:
    """Boosted trees for numbers."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    return HistGradientBoostingRegressor(**_settings(seed, iterations, categories))


def _settings(seed: int, iterations: int, categories: list[bool] | None) -> dict[str, Any]:
    return {
        "max_iter": iterations,
        "max_leaf_nodes": 15,
        "early_stopping": False,
        "random_state": seed,
        "categorical_features": categories if categories and any(categories) else None,
    }


def logistic_regression() -> Any:
    """Logistic regression with a weak ridge on coordinates of unit spread, classes of the same weight."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced", max_iter=300))


def side_by_side(work: Sequence[Callable[[], T]], threads: int | None) -> list[T]:
    """The results of all, in order, made by so many threads (default: all processors), each with one of its own.

    Warnings are off: a fit that is not quite converged is as good a classifier here.
    """
    import sklearn.ensemble  # noqa: F401 (its threads can be limited only once it is loaded)

    with single_thread(), warnings.catch_warnings(), ThreadPoolExecutor(threads or usable_cores()) as pool:
        warnings.simplefilter("ignore")
        return list(pool.map(_with_one_thread, work))


def _with_one_thread(one: Callable[[], T]) -> T:
    with threadpool_limits(limits=1, user_api="openmp"):
        return one()

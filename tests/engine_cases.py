"""Data that is hard on the engine, the needs to ask about it, and the comparison with the naive oracle."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truegrade.engine import run
from truegrade.engine.needs import (
    Answers,
    BallCounts,
    BallRatio,
    Knn,
    Nearest,
    Need,
    OwnBallCounts,
)
from truegrade.samples import Samples

Pair = tuple[NDArray[Any], NDArray[Any]]
SINGLE, DOUBLE = np.dtype(np.float32), np.dtype(np.float64)


def gaussian(d: int, offset: float = 0.0, dtype: Any = np.float64, n: int = 150, m: int = 131) -> Pair:
    rng = np.random.default_rng([d, n, m])
    return tuple((rng.normal(size=(rows, d)) + offset).astype(dtype) for rows in (n, m))


def drawn_from(few: NDArray[Any], n: int = 200, m: int = 150, seed: int = 0) -> Pair:
    """Rows of `few`, each many times."""
    rng = np.random.default_rng(seed)
    return few[rng.integers(0, len(few), n)], few[rng.integers(0, len(few), m)]


def grid(step: float = 1.0, levels: int = 4, d: int = 3) -> Pair:
    rng = np.random.default_rng(levels)
    return rng.integers(0, levels, (160, d)) * step, rng.integers(0, levels, (140, d)) * step


def near_ties(distance: float = 1e-7) -> Pair:
    rng = np.random.default_rng(5)
    x, y = drawn_from(rng.normal(size=(40, 5)))
    return x + distance * rng.integers(0, 3, x.shape), y + distance * rng.integers(0, 3, y.shape)


def outlier(size: float, dtype: Any = np.float64) -> Pair:
    x, y = gaussian(6, dtype=dtype)
    x[3], y[:, 0] = size, y[:, 0] + 0.1
    return x, y


def constant_columns() -> Pair:
    x, y = gaussian(9)
    x[:, ::2] = y[:, ::2] = 0.1
    return x, y


def clusters(ratio: float = 1e5) -> Pair:
    rng = np.random.default_rng(6)
    x, y = drawn_from(ratio * rng.normal(size=(5, 6)))
    return x + rng.normal(size=x.shape), y + rng.normal(size=y.shape)


def tiny_but_one(scale: float) -> Pair:
    """All samples so close together that float32 squares vanish, and one at 1."""
    x, y = gaussian(4)
    x, y = x * scale, y * scale
    x[0] = y[1] = 1.0
    return x, y


def approach() -> Pair:
    """Every sample is nearer than all before it: more candidates than the engine keeps at a time."""
    line = np.linspace(300.0, 0.0, 301)[:, None]
    return line, line[:-20] - 0.3


CASES: dict[str, Callable[[], Pair]] = {
    **{f"gaussian {d}": lambda d=d: gaussian(d) for d in (1, 2, 3, 7, 8, 9, 64, 129, 300)},
    "gaussian 1024": lambda: gaussian(1024, n=90, m=70),
    "gaussian 129 float32": lambda: gaussian(129, dtype=np.float32),
    "duplicates": lambda: drawn_from(np.random.default_rng(1).normal(size=(60, 5))),
    "integers": grid,
    "tenths": lambda: grid(0.1),
    "one column of tenths": lambda: grid(0.1, 30, 1),
    "near ties": near_ties,
    "nearer ties": lambda: near_ties(1e-12),
    "offset 1e3": lambda: gaussian(16, 1e3),
    "offset 1e4": lambda: gaussian(16, 1e4),
    "offset 1e8": lambda: gaussian(16, 1e8),
    "offset 1e3 float32": lambda: gaussian(16, 1e3, np.float32),
    "offset 1e4 float32": lambda: gaussian(16, 1e4, np.float32),
    "constant columns": constant_columns,
    "outlier 1e6": lambda: outlier(1e6),
    "outlier 1e12": lambda: outlier(1e12, np.float32),
    "all the same": lambda: (np.full((90, 4), 0.1), np.full((70, 4), 0.1)),
    "clusters": clusters,
    "clusters 1e8": lambda: clusters(1e8),
    "approach": approach,
    "mixed types": lambda: (gaussian(9)[0].astype(np.float32), gaussian(9)[1]),
    "tiny 1e-20": lambda: tiny_but_one(1e-20),
    "tiny 1e-25": lambda: tiny_but_one(1e-25),
    "tiny 1e-25 float32": lambda: tuple(np.float32(side) for side in tiny_but_one(1e-25)),
}
ONLY_DOUBLE: dict[str, Callable[[], Pair]] = {
    "outlier 1e30": lambda: outlier(1e30),
    "outlier 1e30 float32": lambda: outlier(1e30, np.float32),
    "huge 1e39": lambda: tuple(1e39 * side for side in gaussian(5)),
    "tiny 1e-60": lambda: tiny_but_one(1e-60),
    "tiny 1e-150": lambda: tiny_but_one(1e-150),
}


def decisions(ks: Iterable[int]) -> list[Need]:
    """All needs that are decisions about neighbours, in both directions."""
    out: list[Need] = []
    for k in ks:
        for side, other in (("real", "synthetic"), ("synthetic", "real")):
            out += [Knn(side, k), Nearest(side, other, k), Nearest(side, other), BallRatio(side, other, k)]
            out += [BallCounts(side, other, k, clip) for clip in (False, True)]
            out += [OwnBallCounts(side, k, clip) for clip in (False, True)]
    return list(dict.fromkeys(out))


def samples(**sides: NDArray[Any]) -> dict[str, Samples]:
    return {name: Samples.from_array(values, name=name) for name, values in sides.items()}


def ask(needs: Iterable[Need], real: NDArray[Any], synthetic: NDArray[Any], **options: Any) -> Answers:
    return run.answer(needs, samples(real=real, synthetic=synthetic), **options)


def force_products(monkeypatch: Any, dtype: np.dtype[Any]) -> None:
    """Matrix products in this precision, whatever the data."""
    monkeypatch.setattr(run, "product_dtype", lambda *_: dtype)


def force_tree(monkeypatch: Any, fits: bool) -> None:
    monkeypatch.setattr(run, "tree_fits", lambda sweep, *_: fits and not _needs_tiles(sweep))


def _needs_tiles(sweep: Any) -> bool:
    return not all(isinstance(need, BallCounts) for need in sweep.needs)


def arrays(answer: Any) -> dict[str, NDArray[Any]]:
    """The arrays of an answer, by name."""
    fields = vars(answer) if hasattr(answer, "__dict__") else {"value": answer}
    return {name: np.asarray(value) for name, value in fields.items() if value is not None}


def assert_same_decisions(got: Answers, expected: Answers) -> None:
    """Equal to the last bit; ratios to their rounding."""
    for need, answer in expected.values.items():
        for name, values in arrays(answer).items():
            mine = arrays(got[need])[name]
            if isinstance(need, BallRatio):
                np.testing.assert_allclose(mine, values, rtol=1e-15, err_msg=f"{need}")
            else:
                np.testing.assert_array_equal(mine, values, err_msg=f"{need}: {name}")


def assert_identical(got: Answers, expected: Answers) -> None:
    """Every number of every answer, bit for bit."""
    assert set(got.values) == set(expected.values)
    for need, answer in expected.values.items():
        for name, values in arrays(answer).items():
            np.testing.assert_array_equal(arrays(got[need])[name], values, err_msg=f"{need}: {name}")

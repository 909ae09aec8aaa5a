"""Small tables for the tests of whole rows: coded by the schema of the first, and drawn by its encoding."""

from __future__ import annotations

import pandas as pd

from truegrade.load import load_table
from truegrade.tables import Coded, code, describe
from truegrade.tabular.rows.encode import Drawn, Encoding


def coded(*frames: pd.DataFrame, types: dict[str, str] | None = None) -> list[Coded]:
    """Each frame in the terms of the first one."""
    tables = [
        load_table(frame, name=name) for frame, name in zip(frames, ("real", "synthetic", "holdout"), strict=False)
    ]
    schema = describe(tables[0], types)
    return [code(table, schema) for table in tables]


def drawn(*frames: pd.DataFrame, types: dict[str, str] | None = None) -> list[Drawn]:
    """Each frame as vectors, by the encoding of the first one."""
    tables = coded(*frames, types=types)
    encoding = Encoding.fit(tables[0])
    return [encoding.draw(table) for table in tables]

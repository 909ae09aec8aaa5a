"""Score, Evaluation and Comparison: plain records of what was measured, and their JSON form.

Nothing here computes a metric or draws. A saved result can be shown again without the data.
"""

from __future__ import annotations

import os

from truegrade import codec
from truegrade.result.comparison import Agreement, Comparison, Difference, Rank
from truegrade.result.evaluation import Evaluation, Provenance, SetFacts
from truegrade.result.exhibits import Exhibits, MapSide, MapView, Pair, Specimen
from truegrade.result.record import SCHEMA, UnknownScore, did_you_mean
from truegrade.result.score import About, Group, Interval, Reference, Repeats, Score, Trace


def read_result(path: str | os.PathLike[str]) -> Evaluation | Comparison:
    """Whatever result a file holds."""
    record = codec.read(path)
    return Comparison.from_dict(record) if record.get("kind") == "comparison" else Evaluation.from_dict(record)


__all__ = [
    "SCHEMA",
    "About",
    "Agreement",
    "Comparison",
    "Difference",
    "Evaluation",
    "Exhibits",
    "Group",
    "Interval",
    "MapSide",
    "MapView",
    "Pair",
    "Provenance",
    "Rank",
    "Reference",
    "Repeats",
    "Score",
    "SetFacts",
    "Specimen",
    "Trace",
    "UnknownScore",
    "did_you_mean",
    "read_result",
]

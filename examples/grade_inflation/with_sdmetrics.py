"""What sdmetrics says of the same pairs. It runs alone, in an environment of its own:

    python examples/grade_inflation --csv pairs                      # here: the pairs as files
    python -m venv oracle && oracle/bin/pip install sdmetrics==0.32.0
    oracle/bin/python examples/grade_inflation/with_sdmetrics.py pairs examples/grade_inflation/sdmetrics.json

(sdmetrics 0.32.0 needs pandas below 3, which truegrade does not.)
"""

import json
import math
import platform
import sys
from importlib.metadata import version
from pathlib import Path

import pandas as pd
from sdmetrics.column_pairs import CorrelationSimilarity
from sdmetrics.reports import QualityReport

COLUMN = {"sdtype": "numerical"}
METADATA = {"tables": {"pair": {"columns": {"x": COLUMN, "y": COLUMN}}}}


def graded(real, synthetic):
    """The correlation similarity of the pair, and the two parts and the whole of the quality report."""
    report = QualityReport()
    report.generate({"pair": real}, {"pair": synthetic}, METADATA, verbose=False)
    parts = report.get_properties().set_index("Property")["Score"]
    numbers = {
        "correlation_similarity": CorrelationSimilarity.compute(real, synthetic),
        "column_shapes": parts["Column Shapes"],
        "column_pair_trends": parts["Column Pair Trends"],
        "quality": report.get_score(),
    }
    return {name: None if math.isnan(number) else number for name, number in numbers.items()}


def main(folder, out):
    found = {}
    for path in sorted(Path(folder).glob("*_real.csv")):
        key = path.name.removesuffix("_real.csv")
        found[key] = graded(pd.read_csv(path), pd.read_csv(path.with_name(f"{key}_synthetic.csv")))
    if not found:
        sys.exit(f"{folder} holds no pairs; make them with: python examples/grade_inflation --csv {folder}")
    versions = {
        "python": platform.python_version(),
        **{name: version(name) for name in ("sdmetrics", "pandas", "numpy")},
    }
    record = {"versions": versions, "pairs": found}
    Path(out).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])

"""The command line of the example."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import truegrade as tg
from grade_inflation.cases import Case, cases
from grade_inflation.figure import draw
from grade_inflation.measure import ladder, measure, recorded
from grade_inflation.tables import beside, markdown, plain, ranking, seven
from truegrade.codec import write

_DOCS = Path(__file__).resolve().parents[2] / "docs"


def main(arguments: Sequence[str] | None = None) -> int:
    """0 done, 1 bad input."""
    options = _parser().parse_args(arguments)
    try:
        _run(options)
    except tg.TruegradeError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="grade_inflation", description="Pairs of columns that usual scores call right and that are not."
    )
    parser.add_argument("--draws", type=int, default=8, help="synthetic sets a pair (default 8)")
    parser.add_argument("--datasaurus", metavar="FILE.tsv", type=Path, help="dataset, x, y of the R package datasauRus")
    parser.add_argument("--out", metavar="DIR", type=Path, default=Path("inflation"), help="where the figure goes")
    parser.add_argument("--csv", metavar="DIR", type=Path, help="only write the pairs as files, for other programs")
    parser.add_argument("--docs", action="store_true", help="write numbers and figure into docs/inflation.md")
    return parser


def _run(options: argparse.Namespace) -> None:
    if options.draws < 2:
        raise tg.InputError(f"--draws {options.draws} given; at least 2 are needed.")
    pairs = list(cases(options.datasaurus))
    if options.csv:
        _write_pairs(pairs, options.csv)
        return
    rows = list(measure(pairs, options.draws))
    low = ladder(options.draws)
    tables = {"seven": seven(rows), "ranking": ranking(low), "sdmetrics": beside(rows, recorded())}
    print("\n\n".join(plain(table) for table in tables.values()))
    picture = _DOCS / "inflation.png" if options.docs else options.out / "inflation.png"
    picture.parent.mkdir(parents=True, exist_ok=True)
    draw(pairs, {row.key: row for row in rows}, picture)
    if options.docs:
        _write_docs({name: markdown(table) for name, table in tables.items()})


def _write_pairs(pairs: Sequence[Case], folder: Path) -> None:
    """The first draw of each pair as two files, every number with all of its digits."""
    folder.mkdir(parents=True, exist_ok=True)
    for case in pairs:
        for side, points in (("real", case.real), ("synthetic", case.draw(0))):
            path = folder / f"{case.key}_{side}.csv"
            np.savetxt(path, points, fmt="%.17g", delimiter=",", header="x,y", comments="")


def _write_docs(tables: dict[str, str]) -> None:
    """Put the tables between the marks `<!-- name -->` and `<!-- end -->` of the page."""
    page = _DOCS / "inflation.md"
    text = page.read_text(encoding="utf-8")
    for name, table in tables.items():
        before, mark, rest = text.partition(f"<!-- {name} -->\n")
        text = before + mark + table + "\n" + rest[rest.index("<!-- end -->") :]
    write(page, text)

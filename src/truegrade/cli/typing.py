"""What a table's columns are compared as, and why: what `check` says of tables."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from truegrade.errors import Notice
from truegrade.report.words import counted, safe
from truegrade.tables import Coded

_LONGEST = 40  # characters of a column's name


def table_facts(path: str, coded: Coded, notices: Iterable[Notice]) -> RenderableType:
    """The rows and columns of a table, the type of every column, and what is doubtful."""
    schema, table = coded.schema, coded.table
    head = f"{safe(path, 200)}: table of {counted(len(table), 'row')} and {counted(len(table.columns), 'column')}"
    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("  column", "type", "missing", "why"):
        grid.add_column(Text(heading, "bold"), overflow="fold")
    for column in schema.columns:
        facts = coded.facts.get(column.name)
        missing = "absent" if facts is None else f"{facts.missing:,}" if facts.missing else ""
        cells = (f"  {safe(column.name, _LONGEST)}", column.type, missing, safe(column.why, 200))
        grid.add_row(*(Text(cell) for cell in cells))
    notes = [Text(f"  {note.severity}: {safe(note.text, 600)}") for note in notices]
    return Group(Text(head), grid, *notes)

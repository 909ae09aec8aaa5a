"""TableReader: the tables of one evaluation, coded in the terms of the real one and encoded as vectors."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, get_args

from truegrade import codec
from truegrade.errors import InputError, Notice
from truegrade.images import Images
from truegrade.images.collection import OnError
from truegrade.load import Kind, are_features, as_set, table_of
from truegrade.samples import Samples
from truegrade.space import Space
from truegrade.tables import Coded, ColumnType, Schema, Table, code, describe
from truegrade.tabular.rows.encode import Drawn, Encoding

SPACE = "table rows"


@dataclass(frozen=True, eq=False)
class Rows:
    """What `Samples.table` holds: the table that the vectors were made from, which of its rows, and how."""

    drawn: Drawn
    encoding: Encoding

    @property
    def coded(self) -> Coded:
        return self.drawn.coded

    def __len__(self) -> int:
        return len(self.drawn.coded)


@dataclass
class TableReader:
    """Turns tables into samples; the set that is read first, the real one, says whether the others are tables too, and
    fixes the schema and the encoding.

    kind: what data frames and files of tables are, see `truegrade.load.as_set`. types: of columns, by name, where
    another one is meant. on_error: of rows with an infinity. seed: of the rows that are drawn where there are many.
    """

    kind: Kind = "auto"
    types: Mapping[str, str] | None = None
    on_error: OnError = "refuse"
    seed: int = 0
    schema: Schema | None = None
    encoding: Encoding | None = None
    begun: bool = False

    def __post_init__(self) -> None:
        check_types(self.types)

    def read(self, given: object, name: str | None) -> Samples | Images:
        """Samples of what is given, of tables with `.table`; images as they are.

        Raises InputError for what is no table beside a real table, for `types` of what is none, and what `as_set`,
        `describe` and `code` raise.
        """
        if isinstance(given, Samples) and given.table is not None:  # read before
            return given if name is None else replace(given, name=name)
        found = as_set(given, name, self._kind, on_error=self.on_error)
        first, self.begun = not self.begun, True
        table = self._table(found, first)
        if table is not None:
            return self._encoded(table)
        if self.types and first:
            raise InputError(
                f"types={dict(self.types)!r} given, and {found.who if isinstance(found, Images) else found.name} is no "
                "table with named columns. Leave types out, or say kind='table' (--kind table)."
            )
        assert not isinstance(found, Table)
        return found

    @property
    def _kind(self) -> Kind:
        if not self.begun:
            return self.kind
        return "vectors" if self.schema is None else "table"

    def _table(self, found: Samples | Images | Table, first: bool) -> Table | None:
        """What was read as a table; None if it is none."""
        if isinstance(found, Table):
            return found
        if isinstance(found, Images):
            plain = False
        elif first:
            named = found.columns is not None and not are_features(found.columns)
            plain = found.space is None and found.pixels is None
            plain = plain and (self.kind == "table" or (self.kind == "auto" and named))
        else:
            plain = self.schema is not None
        if not plain or not isinstance(found, Samples):
            if self.schema is not None:
                raise InputError(f"The real set is a table, and {found.name} holds images. Give tables on both sides.")
            return None
        return table_of(replace(found, columns=self._names(found)))

    def _names(self, samples: Samples) -> tuple[str, ...]:
        """Names of the columns; of a set without names beside a table of as many columns, those of the table."""
        if samples.columns is not None:
            return samples.columns
        if self.schema is None:
            return tuple(str(at) for at in range(samples.d))
        names = self.schema.names()
        if samples.space is not None or len(names) != samples.d:
            raise InputError(
                f"The real set is a table of {len(names)} columns, and {samples.name} holds vectors of {samples.d} "
                "features without names. Give a table with the same columns, or kind='vectors' (--kind vectors)."
            )
        return names

    def _encoded(self, table: Table) -> Samples:
        said: tuple[Notice, ...] = ()
        if self.schema is None:
            self.schema = describe(table, self.types)
            said = self.schema.notices
        coded = code(table, self.schema)
        if self.encoding is None:
            self.encoding = Encoding.fit(coded)
        drawn = self.encoding.draw(coded, seed=self.seed)
        return replace(
            drawn.samples,
            table=Rows(drawn, self.encoding),
            space=space_of(self.encoding),
            notices=(*table.notices, *said, *coded.notices, *drawn.notices),
        )


def space_of(encoding: Encoding) -> Space:
    """The space of encoded rows: equal for equal encodings alone."""
    text = json.dumps(codec.encode(encoding), sort_keys=True)
    record: dict[str, Any] = {
        "name": "table encoding",
        "version": 1,
        "dimension": len(encoding.names),
        "fingerprint": hashlib.sha256(text.encode()).hexdigest()[:32],
    }
    return Space(SPACE, record)


def check_types(types: Mapping[str, str] | None) -> None:
    """Refuse types of columns that there are not."""
    if types is None:
        return
    if not isinstance(types, Mapping):
        raise InputError(f"types={str(types)[:60]} given; a type by column name is accepted: {{'age': 'number'}}.")
    for name, kind in types.items():
        if kind not in get_args(ColumnType):
            known = ", ".join(get_args(ColumnType))
            raise InputError(f"The type {str(kind)[:60]!r} given for column {str(name)[:60]!r}; {known} is accepted.")

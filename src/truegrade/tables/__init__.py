"""Tables with columns of any type: reading block by block, typing, one set of terms for both sides.

Knows nothing of grades. `describe` types the columns of the real table, `code` reads any table in its terms.
"""

from __future__ import annotations

from truegrade.tables.coded import LEVELLED as LEVELLED
from truegrade.tables.coded import NUMERIC as NUMERIC
from truegrade.tables.coded import Coded as Coded
from truegrade.tables.coded import Column as Column
from truegrade.tables.coded import ColumnType as ColumnType
from truegrade.tables.coded import Facts as Facts
from truegrade.tables.coded import Schema as Schema
from truegrade.tables.coder import code as code
from truegrade.tables.describe import describe as describe
from truegrade.tables.store import MemoryStore as MemoryStore
from truegrade.tables.table import BLOCK as BLOCK
from truegrade.tables.table import Store as Store
from truegrade.tables.table import Stored as Stored
from truegrade.tables.table import Table as Table

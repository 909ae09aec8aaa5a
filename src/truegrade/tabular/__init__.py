"""Grading tables: columns, pairs of columns, grade inflation, whole rows, privacy.

`TableReader` makes vectors of tables, `grade_table` grades what is beyond whole rows, `table_scores` sums it up.
"""

from __future__ import annotations

from truegrade.tabular.choice import Wanted as Wanted
from truegrade.tabular.choice import in_words as in_words
from truegrade.tabular.choice import private_needs as private_needs
from truegrade.tabular.choice import split_choice as split_choice
from truegrade.tabular.conversion import table_scores as table_scores
from truegrade.tabular.reading import Rows as Rows
from truegrade.tabular.reading import TableReader as TableReader
from truegrade.tabular.reading import check_types as check_types
from truegrade.tabular.scores import TABLE_SCORES as TABLE_SCORES
from truegrade.tabular.scores import TableScore as TableScore

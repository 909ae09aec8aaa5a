"""Grading tables: columns, pairs of columns, grade inflation, whole rows, privacy.

`TableReader` makes vectors of tables, `grade_table` grades what is beyond whole rows, `table_scores` sums it up.
"""

from __future__ import annotations

from truegrade.tabular.reading import Rows as Rows
from truegrade.tabular.reading import TableReader as TableReader
from truegrade.tabular.reading import check_types as check_types
from truegrade.tabular.scores import TABLE_SCORES as TABLE_SCORES
from truegrade.tabular.scores import TableScore as TableScore
from truegrade.tabular.scores import Wanted as Wanted
from truegrade.tabular.scores import in_words as in_words
from truegrade.tabular.scores import private_needs as private_needs
from truegrade.tabular.scores import split_choice as split_choice
from truegrade.tabular.scores import table_scores as table_scores

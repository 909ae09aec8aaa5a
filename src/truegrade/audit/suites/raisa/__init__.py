"""The fifteen sanity checks of "Position: All Current Generative Fidelity and Diversity Metrics are Flawed" (2025).

checks: the scenarios; laws: what they draw; criteria: pass rules; convention: the metrics as in the paper; one_class:
the embedding of two of them; published: the paper's table, and how many of its cells are the same here.
"""

from __future__ import annotations

from truegrade.audit.suites.raisa.checks import SCENARIOS as SCENARIOS
from truegrade.audit.suites.raisa.convention import CONVENTION as CONVENTION
from truegrade.audit.suites.raisa.published import agreement as agreement

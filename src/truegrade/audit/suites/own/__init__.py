"""Does a metric behave on the user's own data? Damage of all papers, and more, done to disjoint parts of it.

parts: how sets are drawn from the data; outliers, modes, copies, sizes, harmless: the scenarios by what is done.
"""

from __future__ import annotations

from truegrade.audit.scenario import Scenario
from truegrade.audit.suites.own import copies, harmless, modes, outliers, sizes

SCENARIOS: tuple[Scenario, ...] = (
    *sizes.SCENARIOS,
    *outliers.SCENARIOS,
    *modes.SCENARIOS,
    *copies.SCENARIOS,
    *harmless.SCENARIOS,
)

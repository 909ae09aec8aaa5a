"""The suite after "An empirical study on evaluation metrics of generative adversarial networks" (Xu et al. 2018).

scenarios: what is done to the samples. modes: clusters that collapse or are dropped. rules: pass rules of its own.
convention: the study's metrics. paper: what it says of them, and where these results are the same.
"""

from __future__ import annotations

from truegrade.audit.suites.study_2018.convention import CONVENTION as CONVENTION
from truegrade.audit.suites.study_2018.paper import PAPER as PAPER
from truegrade.audit.suites.study_2018.paper import agreement as agreement
from truegrade.audit.suites.study_2018.scenarios import SCENARIOS as SCENARIOS

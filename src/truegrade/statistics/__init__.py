"""A set of which only mean and covariance are known: statistics files as other tools keep them, and their grade."""

from truegrade.statistics.files import is_statistics_file, load_statistics, save_statistics
from truegrade.statistics.grading import frechet_from_statistics
from truegrade.statistics.pair import grade_statistics, holds_statistics, refuse_samples_only
from truegrade.statistics.record import Statistics

__all__ = [
    "Statistics",
    "frechet_from_statistics",
    "grade_statistics",
    "holds_statistics",
    "is_statistics_file",
    "load_statistics",
    "refuse_samples_only",
    "save_statistics",
]

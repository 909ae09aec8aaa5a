"""truegrade: how good is a generative model really?

    import truegrade as tg

    evaluation = tg.evaluate("real.npy", "model.npy")
    print(evaluation)
    evaluation["clipped_density"].value

The engine with its compiler, the report and the command line are imported when they are first used.
"""

from __future__ import annotations

from importlib.metadata import version as _version
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truegrade import errors, hooks, metrics
from truegrade.agreement import AgreementReport, agree
from truegrade.audit import audit
from truegrade.embedders import Embedder, embed
from truegrade.errors import InputError, MissingExtra, NotConverged, TruegradeError
from truegrade.evaluate import compare, evaluate
from truegrade.images import Images, load_images
from truegrade.load import load, load_table
from truegrade.monitor import Monitor, monitor
from truegrade.pair_sampling import pair_scores, repeat_pair_scores
from truegrade.result import Comparison, Evaluation, Score
from truegrade.result.audit import AuditReport
from truegrade.samples import Samples
from truegrade.uncertainty.paired import combine

if TYPE_CHECKING:
    from truegrade import samplers
    from truegrade.metrics.base import Metric
else:

    def __getattr__(name: str) -> Any:
        if name != "samplers":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return import_module("truegrade.samplers")


__version__ = _version("truegrade")


def _grade_one(metric: Metric, real: object, synthetic: object, **options: Any) -> Score:
    from truegrade.evaluate import grade_one

    return grade_one(metric, real, synthetic, **options)


def _render_text(result: Evaluation | Comparison | AgreementReport | AuditReport) -> str:
    if isinstance(result, AuditReport):
        from truegrade.report.text.audit import render_audit_text

        return render_audit_text(result)
    if isinstance(result, AgreementReport):
        from truegrade.report.text.agreement import render_agreement

        return render_agreement(result)
    from truegrade.report.text.terminal import render_text

    return render_text(result)


def playground(path: str | PathLike[str] = "play.html") -> Path:
    """Write the playground, a page where one damages a model and watches which numbers notice; returns its path.

    One self-contained page. Raises InputError when `path` is a folder or cannot be written.
    """
    from truegrade.report.page.playground import playground as write_playground

    return write_playground(path)


def _write_html(result: Evaluation | Comparison | AuditReport, path: str | PathLike[str]) -> Path:
    if isinstance(result, AuditReport):
        from truegrade.report.page.audit import write_audit_html

        return write_audit_html(result, path)
    from truegrade.report.page.html import write_html

    return write_html(result, path)


def _write_markdown(result: Evaluation | Comparison | AuditReport, path: str | PathLike[str]) -> Path:
    if isinstance(result, AuditReport):
        from truegrade.report.text.audit_marks import write_audit_markdown

        return write_audit_markdown(result, path)
    from truegrade.report.text.markdown import write_markdown

    return write_markdown(result, path)


hooks.grade_one.bind(_grade_one)
hooks.render_text.bind(_render_text)
hooks.write_html.bind(_write_html)
hooks.write_markdown.bind(_write_markdown)

__all__ = [
    "AgreementReport",
    "Comparison",
    "Embedder",
    "Evaluation",
    "Images",
    "InputError",
    "MissingExtra",
    "Monitor",
    "NotConverged",
    "Samples",
    "Score",
    "TruegradeError",
    "__version__",
    "agree",
    "audit",
    "combine",
    "compare",
    "embed",
    "errors",
    "evaluate",
    "load",
    "load_images",
    "load_table",
    "metrics",
    "monitor",
    "pair_scores",
    "playground",
    "repeat_pair_scores",
    "samplers",
]

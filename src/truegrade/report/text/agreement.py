"""Agreement with people in the terminal; all names are shown as plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from truegrade.agreement import AgreementReport, ChoiceAgreement, Coefficient
from truegrade.report.text.terminal import as_text
from truegrade.report.words import safe

_WIDTH = 112
_SHOWN = 12  # names of a list


def render_agreement(report: AgreementReport, width: int = _WIDTH) -> str:
    """The report as plain text, without colour codes."""
    return as_text(agreement_drawing(report), width)


def agreement_drawing(report: AgreementReport) -> RenderableType:
    """What rich prints: where the numbers are from, a table, what was left out and why."""
    head = f"{safe(report.scores, 200)}\n{safe(report.ratings, 200)}\nmatched by {safe(report.joined, 200)}\n"
    body = _correlations(report) if report.form == "ratings" else _choices(report)
    notes = "\n".join(_notes(report))
    return Group(Text(head), *body, *([Text(f"\n{notes}", "dim")] if notes else []))


def _table(columns: Sequence[str]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_edge=False, header_style="dim")
    for i, name in enumerate(columns):
        table.add_column(name, justify="left" if i == 0 else "right", no_wrap=i > 0, overflow="fold")
    return table


def _correlations(report: AgreementReport) -> Iterator[RenderableType]:
    yield Text(f"Rank correlation with {safe(report.rating or '')}", "bold")
    for dataset in dict.fromkeys(c.dataset for c in report.correlations):
        table = _table(["score", "models", "Spearman", "95 % interval", "p", "Kendall", "95 % interval", "p"])
        mine = [c for c in report.correlations if c.dataset == dataset]
        for c in mine:
            cells = [safe(c.score), str(c.n), *_cells(c.spearman), *_cells(c.kendall)]
            table.add_row(*map(Text, cells))
        if dataset:
            yield Text(f"\n{safe(dataset)}", "bold")
        yield table


def _cells(found: Coefficient) -> tuple[str, str, str]:
    if found.value is None:
        return "undefined", "", ""
    interval = "" if found.interval is None else f"{found.interval.low:.2f} to {found.interval.high:.2f}"
    return f"{found.value:.3f}", interval, p_text(found.p)


def p_text(p: float | None) -> str:
    """A p-value with two digits, small ones as such."""
    return "" if p is None else "<0.0001" if p < 1e-4 else f"{p:.2g}" if p < 0.1 else f"{p:.2f}"


def _choices(report: AgreementReport) -> Iterator[RenderableType]:
    base = "chance" if report.reference is None else safe(report.reference)
    yield Text(f"Cohen's kappa with {len({r.rater for r in report.raters})} raters, tested against {base}", "bold")
    heads = ["score", "better", "answers", "ties", "agree", "kappa", "mean of raters", "p above", "Holm"]
    table = _table(heads + (["p below", "Holm"] if report.reference is not None else []))
    for c in report.choices:
        tests = [c.p, c.p_holm, *([c.p_worse, c.p_worse_holm] if report.reference is not None else [])]
        table.add_row(*map(Text, [*_choice_cells(c), *map(p_text, tests)]))
    yield table
    yield Text("\nKappa by rater", "bold")
    scores = [c.score for c in report.choices]
    by_rater = _table(["rater", *(safe(name, 20) for name in scores)])
    kappas = {(r.rater, r.score): r.kappa for r in report.raters}
    for rater in dict.fromkeys(r.rater for r in report.raters):
        values = [kappas.get((rater, name)) for name in scores]
        by_rater.add_row(*map(Text, [safe(rater), *("undefined" if v is None else f"{v:.2f}" for v in values)]))
    yield by_rater


def _choice_cells(c: ChoiceAgreement) -> list[str]:
    kappa, mean = ("undefined" if v is None else f"{v:.3f}" for v in (c.kappa, c.mean_kappa))
    agreed = "" if c.accuracy is None else f"{c.accuracy:.0%}"
    return [safe(c.score), c.direction, str(c.n), str(c.tied), agreed, kappa, mean]


def _notes(report: AgreementReport) -> Iterator[str]:
    for what, names in (
        ("only in the ratings", report.unmatched_ratings),
        ("only in the scores", report.unmatched_scores),
        ("columns of text, not graded", report.left_out),
    ):
        if names:
            yield f"{what}: {_listed([safe(name) for name in names])}"
    yield from (safe(note, 600) for note in report.notes)
    reasons: dict[str, dict[str, None]] = {}
    for c in report.correlations:
        where = safe(c.score) + (f" on {safe(c.dataset)}" if c.dataset else "")
        if c.spearman.reason:
            reasons.setdefault(c.spearman.reason, {})[where] = None
    for choice in report.choices:
        if choice.reason:
            reasons.setdefault(choice.reason, {})[safe(choice.score)] = None
    for rater in report.raters:
        if rater.reason:
            reasons.setdefault(rater.reason, {})[f"{safe(rater.rater)} with {safe(rater.score)}"] = None
    for reason, where_all in reasons.items():
        yield f"{reason}: {_listed(list(where_all))}"


def _listed(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more

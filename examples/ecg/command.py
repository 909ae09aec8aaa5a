"""What do the grades say of a generator of ECGs with one fault? Seven generators, one fault each.

    python examples/ecg                          # 60 simulated recordings of 12 leads and 10 s
    python examples/ecg --n 20 --seconds 4 --fs 250
    python examples/ecg --html .                 # also writes the report of each
    python examples/ecg --real DIR --fs 500 --units mV       # your recordings against deepfake-ecg's generator

Runs offline. Where the package deepfake-ecg is installed (pip install deepfake-ecg; it needs torch), its generator's
recordings are graded too, against the eight leads that it has.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import truegrade as tg
from truegrade.ecg import Recordings, load_ecg
from truegrade.recordings import LEADS_8, LEADS_12

from . import sets

SHOWN = {
    "lead_precision": "precision",
    "lead_recall": "recall",
    "lead_clipped_coverage": "coverage",
    "heart_rate_distance": "heart rate",
    "discriminative_auc": "AUC",
    "ecg_copies": "copies",
}


def chosen(options: argparse.Namespace) -> tuple[Recordings, Mapping[str, sets.Make]]:
    """The real set and the generators."""
    if options.real is None:
        real = sets.real_set(options.n, options.seconds, options.fs, options.leads.split(","))
        made = dict(sets.generators(real))
    else:
        real, made = load_ecg(options.real, fs=options.fs, units=options.units), {}
    if sets.has_deepfake():
        made["deepfake-ecg"] = lambda: sets.deepfake(len(real))
    return real, made


def graded(real: Recordings, synthetic: Recordings) -> tg.Evaluation:
    """The evaluation on the leads that both have, at the lower rate and the shorter length."""
    if synthetic.leads == LEADS_8:
        real = real.select_leads(LEADS_8)
    rates = [float(one.fs) for one in (real, synthetic) if one.fs]
    real, synthetic = (one.resampled(min(rates)) for one in (real, synthetic))
    seconds = min(one.length for one in (real, synthetic)) / min(rates)
    return tg.evaluate(real.cropped(seconds), synthetic.cropped(seconds))


def row(name: str, found: tg.Evaluation) -> str:
    """One line of the table: each score with what real recordings get against each other in brackets."""
    cells = []
    for key in SHOWN:
        score = found.scores.get(key)
        if score is None or score.value is None:
            cells.append("-")
        else:
            cells.append(f"{score.value:.2f}" + ("" if score.floor is None else f" ({score.floor.value:.2f})"))
    return f"{name:18}" + "".join(f"{cell:>15}" for cell in cells)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python examples/ecg", description=__doc__.partition("\n")[0])
    parser.add_argument("--n", type=int, default=60, help="recordings a side")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--fs", type=float, default=500.0, help="sampling rate in Hz")
    parser.add_argument("--leads", default=",".join(LEADS_12), help="which are simulated, by comma")
    parser.add_argument("--only", help="generators, by comma")
    parser.add_argument("--real", metavar="PATH", help="your real recordings instead of simulated ones")
    parser.add_argument("--units", help="of your recordings, where the files do not say")
    parser.add_argument("--html", metavar="DIR", type=Path, help="also write the report of each here")
    options = parser.parse_args(arguments)
    real, made = chosen(options)
    wanted = list(made) if options.only is None else options.only.split(",")
    if not made or not set(wanted) <= set(made):
        parser.error(f"--only: {', '.join(made) or 'nothing (--real needs the package deepfake-ecg)'} can be graded.")
    print(f"{'':18}" + "".join(f"{title:>15}" for title in SHOWN.values()), flush=True)
    said = {}
    for name in wanted:
        found = graded(real, made[name]())
        print(row(name, found), flush=True)
        said[name] = found.ecg.verdict if found.ecg else ()
        if options.html:
            page = f"ecg_{name.replace(' ', '_')}.html"
            print(f"report: {found.to_html(options.html / page)}", flush=True)
    for name, sentences in said.items():
        print(f"\n{name}")
        for sentence in sentences:
            print(f"  {sentence}")
    return 0

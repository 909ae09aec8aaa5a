"""The command that writes the playground."""

from __future__ import annotations

from pathlib import Path

from truegrade.cli.app import DONE, app
from truegrade.cli.tools import say
from truegrade.report.page import playground as page
from truegrade.report.words import safe


@app.command
def playground(*, html: Path = Path("play.html")) -> int:
    """Write a page where you damage a model and watch which numbers notice.

    Args:
        html: File to write. One page, made for any browser; it needs no network.
    """
    where = page.playground(html).resolve()
    say(f"The playground is {safe(str(where), 4000)}; open it in a browser.")
    return DONE

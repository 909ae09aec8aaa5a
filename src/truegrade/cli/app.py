"""The application that the commands register with, and the exit statuses."""

from __future__ import annotations

from cyclopts import App

from truegrade import __version__

DONE, BAD_INPUT, USAGE, MISSED, FAILED, INTERRUPTED = 0, 1, 2, 3, 4, 130

app = App(
    name="truegrade",
    version=__version__,
    help="How good is a generative model really? Grades synthetic samples against real ones.",
    help_format="plaintext",
    suppress_keyboard_interrupt=False,
)

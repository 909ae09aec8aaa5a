"""The command line. Each command reads its arguments, calls the Python interface and prints.

One file a group of commands; what they share is in tools.py, the application in app.py. Results go to stdout,
progress and complaints to stderr. Exit status: 0 done, 1 bad input, 2 usage (unknown option or misspelt metric),
3 a --fail-under was missed, 4 some metric failed, 130 interrupted. When a gate is missed and another metric failed
it is 3; a gate whose metric has no value is missed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from cyclopts import CycloptsError

from truegrade.cli import (  # noqa: F401 (commands register themselves)
    agree,
    audit,
    compare,
    embed,
    evaluate,
    look,
    playground,
    report,
    tools,
)
from truegrade.cli.app import BAD_INPUT, DONE, INTERRUPTED, USAGE, app
from truegrade.cli.tools import UsageError, complain
from truegrade.errors import TruegradeError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status; never a traceback for bad input."""
    try:
        tools.make_printable()
        status = app(arguments, exit_on_error=False, print_error=False, result_action="return_value", verbose=False)
        sys.stdout.flush()
        return status if isinstance(status, int) else DONE
    except CycloptsError as error:
        complain(str(error))
        return USAGE
    except UsageError as error:
        complain(str(error))
        return USAGE
    except TruegradeError as error:
        complain(str(error))
        return BAD_INPUT
    except MemoryError as error:
        complain(f"Out of memory ({error}); grade fewer samples at a time.")
        return BAD_INPUT
    except BrokenPipeError:  # the reader of our output left; nothing more to say
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except OSError as error:
        complain(f"{error.strerror or error}: {error.filename or 'the output'}")
        return BAD_INPUT
    except KeyboardInterrupt:
        complain("Interrupted; no file was left half-written.")
        return INTERRUPTED

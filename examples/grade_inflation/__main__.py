"""`python examples/grade_inflation`; see --help."""

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])

if __name__ == "__main__":
    from grade_inflation.command import main

    sys.exit(main())

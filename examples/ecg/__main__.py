"""`python examples/ecg`; see --help."""

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parents[1])

if __name__ == "__main__":
    from ecg.command import main

    sys.exit(main())

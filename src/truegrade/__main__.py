"""python -m truegrade"""

import sys

from truegrade.cli import main

if __name__ == "__main__":
    sys.exit(main())

"""The command `mapo`, as a script that comes with the package."""

from __future__ import annotations

import os
import shutil
import signal
import sys

from mapo._mapo import run_command


def main() -> int:
    """Runs the command with the arguments of this process."""
    # The command has its own ways with Ctrl-C; Python's handler would only note it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    program = sys.argv[0]
    if os.path.basename(program) == "__main__.py":
        # `python -m mapo`: the script beside Python is the same.
        program = shutil.which("mapo", path=os.path.dirname(sys.executable)) or program
    return run_command(os.path.abspath(program), sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())

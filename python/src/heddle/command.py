"""The command `heddle`."""

import signal
import sys

from heddle import _heddle


def main():
    """Runs `heddle` with the words of the command line; its result is the exit code."""
    # The command stops its own searches at Ctrl-C.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _heddle._command(["heddle", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())

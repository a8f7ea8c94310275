"""Compare and measure players: ``python evaluate.py match A B --variant partners``, and other commands.

Exit codes: 0 done, 1 failed, 2 bad usage, 130 stopped by Ctrl-C.  Results go to standard output, progress and
errors to standard error.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

DONE, FAILED, BAD_USAGE, INTERRUPTED = 0, 1, 2, 130


def main(arguments: list[str] | None = None) -> int:
    """Run a command and return its exit code."""
    # Imported late, so that no numeric library loads before `use_one_thread`.
    from agents.evaluate_parser import make_parser

    options = vars(make_parser(__doc__.split("\n\n")[0]).parse_args(arguments))
    command = options.pop("command")
    try:
        return run(command.name, command.module, command.options, command.run, options)
    except KeyboardInterrupt:
        print("evaluate.py: stopped before anything was played", file=sys.stderr)
        return INTERRUPTED


def run(name: str, module_name: str, options_name: str, run_name: str, options: dict[str, Any]) -> int:
    """Run a command of a module with its options, tell its error, and return the exit code."""
    from concurrent.futures import BrokenExecutor

    from agents.command import CommandError, UsageError
    from tressette_env.players import PlayerError
    from tressette_env.record_form import RecordError

    module = importlib.import_module(module_name)
    try:
        complete = getattr(module, run_name)(getattr(module, options_name)(**options))
    except UsageError as error:
        print(f"evaluate.py {name}: error: {error}", file=sys.stderr)
        return BAD_USAGE
    except BrokenExecutor:
        print(f"evaluate.py {name}: failed: a worker process was killed, or a player ended it", file=sys.stderr)
        return FAILED
    except (CommandError, PlayerError, RecordError, OSError) as error:
        print(f"evaluate.py {name}: failed: {error}", file=sys.stderr)
        return FAILED
    return DONE if complete else INTERRUPTED


def use_one_thread() -> None:
    """Have the numeric libraries, not yet loaded, use one thread a process: parallel work is by processes.

    Sums then have one order everywhere, so that a network's rounding does not depend on the machine's cores.
    """
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")


if __name__ == "__main__":
    use_one_thread()
    sys.exit(main())

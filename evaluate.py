"""Compare players: ``python evaluate.py match A B --variant partners``.

Exit codes: 0 done, 1 failed, 2 bad usage, 130 stopped by Ctrl-C.  Results go to standard output, progress and
errors to standard error.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any, NoReturn

DONE, FAILED, BAD_USAGE, INTERRUPTED = 0, 1, 2, 130

PLAYERS = """\
A and B name players: random, greedy, rules, tuned, a checkpoint file, or module:attribute for your own,
each with options after a colon, as in random:seed=3.

example:
  python evaluate.py match rules greedy --variant partners --pairs 10000 --workers 2 --json result.json
"""


class OneLineParser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Print the error and end with the code for bad usage."""
        self.exit(BAD_USAGE, f"{self.prog}: error: {message} (see --help)\n")


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of all subcommands."""
    parser = OneLineParser(
        prog="evaluate.py",
        description=__doc__.split("\n\n")[0],
        epilog=PLAYERS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    add_match(commands)
    return parser


def add_match(commands: argparse._SubParsersAction[OneLineParser]) -> None:
    """Add the arguments of ``match``."""
    match = commands.add_parser(
        "match",
        help="two players on duplicate pairs: the same cards twice, sides swapped",
        description="Play duplicate pairs: every deal (match) twice on the same cards with the sides swapped.",
        epilog=PLAYERS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    match.add_argument("a", metavar="A", help="the player whose result is shown")
    match.add_argument("b", metavar="B", help="its opponent")
    match.add_argument("--variant", required=True, help="two_player, partners or historical")
    match.add_argument("--pairs", type=int, default=10_000, metavar="N", help="pairs, 2N games (default 10000)")
    match.add_argument("--seed", type=int, default=0, help="names the cards, and seeds the players (default 0)")
    match.add_argument("--napoletana", action="store_true", help="3, 2 and ace of a suit score 3 points")
    match.add_argument("--episode", default="deal", help="what a game is: deal (default) or match")
    match.add_argument("--target", type=int, help="points that end a match: 21 (default), 31 or 41")
    match.add_argument("--workers", type=int, default=1, metavar="W", help="processes (default 1)")
    match.add_argument("--json", type=Path, metavar="FILE", help="also write the result to this file")
    match.set_defaults(run=play_match)


def play_match(options: dict[str, Any]) -> int:
    """Run ``match`` and return the exit code."""
    # Imported late, so that --help is quick and no numeric library loads before `use_one_thread`.
    from concurrent.futures import BrokenExecutor

    from agents.match_command import MatchOptions, UsageError, run_match
    from tressette_env.players import PlayerError

    try:
        complete = run_match(MatchOptions(**options))
    except UsageError as error:
        print(f"evaluate.py match: error: {error}", file=sys.stderr)
        return BAD_USAGE
    except (PlayerError, BrokenExecutor, OSError) as error:
        print(f"evaluate.py match: failed: {error}", file=sys.stderr)
        return FAILED
    return DONE if complete else INTERRUPTED


def main(arguments: list[str] | None = None) -> int:
    """Run a command and return its exit code."""
    options = vars(make_parser().parse_args(arguments))
    run = options.pop("run")
    try:
        return int(run(options))
    except KeyboardInterrupt:
        print("evaluate.py: stopped before anything was played", file=sys.stderr)
        return INTERRUPTED


def use_one_thread() -> None:
    """Have the numeric libraries, not yet loaded, use one thread a process: parallel work is by processes.

    Sums then have one order everywhere, so that a network's rounding does not depend on the machine's cores.
    """
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")


if __name__ == "__main__":
    use_one_thread()
    sys.exit(main())

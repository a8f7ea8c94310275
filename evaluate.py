"""Compare and measure players: ``python evaluate.py match A B --variant partners``, ``regret A``.

Exit codes: 0 done, 1 failed, 2 bad usage, 130 stopped by Ctrl-C.  Results go to standard output, progress and
errors to standard error.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

DONE, FAILED, BAD_USAGE, INTERRUPTED = 0, 1, 2, 130

PLAYERS = """\
Players are named as name[+solver][:options]:
  random, greedy, rules, tuned  without search
  pimc                          worlds that agree with what is known, searched with open cards: pimc:worlds=20
  ismcts                        information set tree search: ismcts:iterations=1000
  cheat                         sees all cards, a reference: marked wherever it appears
  +solver                       in two_player, exact play from the empty stock on: rules+solver
  a checkpoint file             such as runs/NAME/checkpoints/FILE, or its run directory
  module:attribute              your own, a factory or an object with act(view)
each with options, as in random:seed=3.
"""
MATCH_EXAMPLES = """
examples:
  python evaluate.py match rules greedy --variant partners --pairs 10000 --workers 2 --json result.json
  python evaluate.py match pimc:worlds=20 rules --variant partners --pairs 100 --workers 2
  python evaluate.py match ismcts:iterations=1000 rules --variant historical --pairs 100
  python evaluate.py match cheat rules --variant partners --pairs 100
"""
REGRET_EXAMPLES = """
examples:
  python evaluate.py regret rules --variant two_player --pairs 1000 --workers 2
  python evaluate.py regret rules+solver --variant two_player --pairs 100
  python evaluate.py regret greedy --opponent rules --variant partners --cards 6 --json regret.json
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
        epilog=PLAYERS + MATCH_EXAMPLES + REGRET_EXAMPLES.removeprefix("\nexamples:\n"),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    add_match(commands)
    add_regret(commands)
    return parser


def add_match(commands: argparse._SubParsersAction[OneLineParser]) -> None:
    """Add the arguments of ``match``."""
    match = commands.add_parser(
        "match",
        help="two players on duplicate pairs: the same cards twice, sides swapped",
        description="Play duplicate pairs: every deal (match) twice on the same cards with the sides swapped.",
        epilog=PLAYERS + MATCH_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    match.add_argument("a", metavar="A", help="the player whose result is shown")
    match.add_argument("b", metavar="B", help="its opponent")
    add_shared(match, pairs=10_000)
    match.add_argument("--episode", default="deal", help="what a game is: deal (default) or match")
    match.add_argument("--target", type=int, help="points that end a match: 21 (default), 31 or 41")
    match.set_defaults(run=play_match)


def add_regret(commands: argparse._SubParsersAction[OneLineParser]) -> None:
    """Add the arguments of ``regret``."""
    regret = commands.add_parser(
        "regret",
        help="what a player loses against the exact solver",
        description="Measure what a player's cards lose against best play with open cards.  In two_player from the "
        "empty stock on, when every card can be deduced; in partners and historical in the last tricks, where even "
        "the best fair play loses something.",
        epilog=PLAYERS + REGRET_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    regret.add_argument("player", metavar="PLAYER", help="the player to measure")
    add_shared(regret, pairs=1000)
    regret.add_argument(
        "--opponent", metavar="B", help="who sits against it, each deal twice (default: itself, each deal once)"
    )
    regret.add_argument(
        "--cards", type=int, metavar="C", help="measure hands of at most so many cards (default 10 in two_player, 7)"
    )
    regret.set_defaults(run=measure_regret)


def add_shared(command: argparse.ArgumentParser, pairs: int) -> None:
    """Add the arguments that commands share; `pairs` is the default number."""
    command.add_argument("--variant", required=True, help="two_player, partners or historical")
    command.add_argument("--pairs", type=int, default=pairs, metavar="N", help=f"duplicate pairs (default {pairs})")
    command.add_argument("--seed", type=int, default=0, help="names the cards, and seeds the players (default 0)")
    command.add_argument("--napoletana", action="store_true", help="3, 2 and ace of a suit score 3 points")
    command.add_argument("--workers", type=int, default=1, metavar="W", help="processes (default 1)")
    command.add_argument("--json", type=Path, metavar="FILE", help="also write the result to this file")


def play_match(options: dict[str, Any]) -> int:
    """Run ``match`` and return the exit code."""
    # Imported late, so that --help is quick and no numeric library loads before `use_one_thread`.
    from agents.match_command import MatchOptions, run_match

    return exit_code("match", lambda: run_match(MatchOptions(**options)))


def measure_regret(options: dict[str, Any]) -> int:
    """Run ``regret`` and return the exit code."""
    from agents.regret_command import RegretOptions, run_regret

    return exit_code("regret", lambda: run_regret(RegretOptions(**options)))


def exit_code(name: str, run: Callable[[], bool]) -> int:
    """Run a command, which returns whether it was not interrupted, tell its error, and return the exit code."""
    from concurrent.futures import BrokenExecutor

    from agents.command import UsageError
    from tressette_env.players import PlayerError

    try:
        complete = run()
    except UsageError as error:
        print(f"evaluate.py {name}: error: {error}", file=sys.stderr)
        return BAD_USAGE
    except (PlayerError, BrokenExecutor, OSError) as error:
        print(f"evaluate.py {name}: failed: {error}", file=sys.stderr)
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

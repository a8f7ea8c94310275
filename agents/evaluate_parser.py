"""The commands of ``evaluate.py`` and their arguments; the modules that run them are imported when they are run."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from agents.deal_ranges import DEVELOPMENT, RANGES

BAD_USAGE = 2
PLAYERS = """\
Players are named as name[+solver][:options]:
  random, greedy, rules, tuned  without search
  pimc                          worlds that agree with what is known, searched with open cards: pimc:worlds=20
  ismcts                        information set tree search: ismcts:iterations=1000
  network                       the trained agent of the variant, shipped with the package
  search                        a network with search at play time: search:worlds=200,policy=runs/NAME
  cheat                         sees all cards, a reference: marked wherever it appears
  +solver                       in two_player, exact play from the empty stock on: rules+solver
  a checkpoint file             such as runs/NAME/checkpoints/FILE, or its run directory
  module:attribute              your own, a factory or an object with act(view)
  process:COMMAND               a program that speaks lines of JSON, see docs/process.md
each with options, as in random:seed=3; a program has none.
"""


class OneLineParser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Print the error and end with the code for bad usage."""
        self.exit(BAD_USAGE, f"{self.prog}: error: {message} (see --help)\n")


@dataclass(frozen=True)
class Command:
    """A command: what its help says, its arguments, and the module with its options and the function that runs it."""

    name: str
    help: str
    description: str
    examples: tuple[str, ...]
    add: Callable[[argparse.ArgumentParser], None]
    module: str
    options: str
    run: str


def add_match(match: argparse.ArgumentParser) -> None:
    """Add the arguments of ``match``."""
    match.add_argument("a", metavar="A", help="the player whose result is shown")
    match.add_argument("b", metavar="B", help="its opponent")
    add_shared(match, pairs=10_000)
    add_store(match)
    match.add_argument("--episode", default="deal", help="what a game is: deal (default) or match")
    match.add_argument("--target", type=int, help="points that end a match: 21 (default), 31 or 41")
    match.add_argument(
        "--sprt",
        metavar="LOW,HIGH",
        help="stop as soon as a sequential test can tell a mean of at most LOW points from one of at least HIGH, both "
        "errors 5 %%: --sprt 0,0.05, or --sprt=-0.05,0.05; --pairs is then the most",
    )
    match.add_argument(
        "--budget-ms",
        type=float,
        metavar="MS",
        help="measure how many worlds or iterations take MS milliseconds a decision here, print the number, and play "
        "with it; for players whose names leave it open",
    )
    match.add_argument("--details", action="store_true", help="also show results by side, lead and declarations")


def add_ladder(ladder: argparse.ArgumentParser) -> None:
    """Add the arguments of ``ladder``."""
    ladder.add_argument("players", metavar="P", nargs="+", help="two players or more, each once")
    add_shared(ladder, pairs=10_000)
    add_store(ladder)
    ladder.add_argument(
        "--slow-pairs",
        type=int,
        metavar="M",
        help="duplicate pairs where a player that searches plays, at most --pairs (default 1000)",
    )
    ladder.add_argument(
        "--html", type=Path, metavar="FILE", help="also write a page with heat map, ratings and strength against time"
    )


def add_crossplay(crossplay: argparse.ArgumentParser) -> None:
    """Add the arguments of ``crossplay``."""
    crossplay.add_argument("players", metavar="P", nargs="+", help="two players or more, each once")
    add_shared(crossplay, pairs=1000)
    crossplay.add_argument(
        "--opponent", default="rules", metavar="B", help="who holds both seats of the other side (default rules)"
    )


def add_regret(regret: argparse.ArgumentParser) -> None:
    """Add the arguments of ``regret``."""
    regret.add_argument("player", metavar="PLAYER", help="the player to measure")
    add_shared(regret, pairs=1000)
    regret.add_argument(
        "--opponent", metavar="B", help="who sits against it, each deal twice (default: itself, each deal once)"
    )
    regret.add_argument(
        "--cards", type=int, metavar="C", help="measure hands of at most so many cards (default 10 in two_player, 7)"
    )


def add_exploit(exploit: argparse.ArgumentParser) -> None:
    """Add the arguments of ``exploit``; a resumed run has most of them already."""
    exploit.add_argument("player", metavar="PLAYER", nargs="?", help="the player to train against")
    exploit.add_argument("--variant", help="two_player, partners or historical")
    exploit.add_argument("--plays", type=int, metavar="N", help="cards played in training (default 20000000)")
    exploit.add_argument(
        "--pairs", type=int, default=10_000, metavar="N", help="duplicate pairs of the measurement (default 10000)"
    )
    exploit.add_argument(
        "--seed", type=int, help="of the training (default 1); measured is on the report range, which it never plays"
    )
    exploit.add_argument(
        "--napoletana", action="store_true", default=None, help="3, 2 and ace of a suit score 3 points"
    )
    exploit.add_argument(
        "--start", type=Path, metavar="PATH", help="a checkpoint or run whose weights the response starts from"
    )
    exploit.add_argument("--name", metavar="RUN", help="folder under runs/ (default exploit_VARIANT)")
    exploit.add_argument("--resume", type=Path, metavar="RUN_DIR", help="go on with a run, as it was begun")
    exploit.add_argument(
        "--workers", type=int, default=1, metavar="W", help="processes, and threads in training, at most 2 (default 1)"
    )
    exploit.add_argument("--json", type=Path, metavar="FILE", help="also write the result to this file")


def add_review(review: argparse.ArgumentParser) -> None:
    """Add the arguments of ``review``."""
    review.add_argument("record", metavar="RECORD", type=Path, help="a file of records, one game a line")
    review.add_argument(
        "--judge", default=argparse.SUPPRESS, metavar="PLAYER", help="who values cards (default pimc:worlds=200)"
    )
    review.add_argument("--game", type=int, metavar="N", help="only the game of line N, from 1 (default: all)")
    review.add_argument("--json", type=Path, metavar="FILE", help="also write the result to this file")


def add_deals(deals: argparse.ArgumentParser) -> None:
    """Add the arguments of ``deals``."""
    deals.add_argument("--range", default=DEVELOPMENT, dest="name", help=f"one of {', '.join(RANGES)} ({DEVELOPMENT})")
    deals.add_argument("--pairs", type=int, default=10_000, metavar="N", help="the first N deals (default 10000)")
    deals.add_argument("--out", type=Path, required=True, metavar="FILE", help="where to: text, or .gz compressed")


def add_shared(command: argparse.ArgumentParser, pairs: int) -> None:
    """Add the arguments that commands share; `pairs` is the default number."""
    command.add_argument("--variant", required=True, help="two_player, partners or historical")
    command.add_argument("--pairs", type=int, default=pairs, metavar="N", help=f"duplicate pairs (default {pairs})")
    command.add_argument(
        "--seed",
        type=int,
        default=0,
        help="names the cards, and seeds the players: 0 the report range (default), 1 development, 2 selection",
    )
    command.add_argument("--napoletana", action="store_true", help="3, 2 and ace of a suit score 3 points")
    command.add_argument("--workers", type=int, default=1, metavar="W", help="processes (default 1)")
    command.add_argument("--json", type=Path, metavar="FILE", help="also write the result to this file")
    command.add_argument("--records", type=Path, metavar="FILE", help="also write the games to this file")


def add_store(command: argparse.ArgumentParser) -> None:
    """Add the argument that names a store."""
    command.add_argument(
        "--store",
        type=Path,
        metavar="FILE",
        help="keep results in this file: pairs that it holds are not played again, an interrupted match goes on",
    )


COMMANDS = (
    Command(
        "match",
        "two players on duplicate pairs: the same cards twice, sides swapped",
        "Play duplicate pairs: every deal (match) twice on the same cards with the sides swapped.",
        (
            "python evaluate.py match rules greedy --variant partners --pairs 10000 --workers 2 --json result.json",
            "python evaluate.py match pimc:worlds=20 rules --variant partners --pairs 100 --workers 2",
            "python evaluate.py match ismcts:iterations=1000 rules --variant historical --pairs 100 --details",
            "python evaluate.py match tuned rules --variant partners --sprt 0,0.05 --pairs 100000 --workers 2",
            "python evaluate.py match pimc rules --variant partners --pairs 100 --budget-ms 10",
            "python evaluate.py match cheat rules --variant partners --pairs 100 --store results.jsonl",
        ),
        add_match,
        "agents.match_command",
        "MatchOptions",
        "run_match",
    ),
    Command(
        "ladder",
        "every player meets every other on the same deals; all are ranked, with intervals",
        "Play every two players against each other on the same duplicate pairs.  Ranked by points per deal over the "
        "field, with bootstrap intervals over deals; beside it Bradley-Terry ratings with rules = 0.",
        (
            "python evaluate.py ladder random greedy rules tuned --variant partners --workers 2",
            "python evaluate.py ladder greedy rules tuned pimc:worlds=20 --variant partners --slow-pairs 100 "
            "--store results.jsonl --json ladder.json --html ladder.html",
        ),
        add_ladder,
        "agents.ladder_command",
        "LadderOptions",
        "run_ladder",
    ),
    Command(
        "crossplay",
        "what players lose when their partner is another than themselves",
        "Partner every player with itself and with each other against two of a fixed opponent, on the same deals.  The "
        "drop from the partners' own play to mixed play shows conventions that others do not know.",
        (
            "python evaluate.py crossplay rules tuned greedy --variant partners --workers 2",
            "python evaluate.py crossplay rules ismcts:iterations=100 --opponent greedy --variant partners --pairs 50",
        ),
        add_crossplay,
        "agents.crossplay_command",
        "CrossplayOptions",
        "run_crossplay",
    ),
    Command(
        "regret",
        "what a player loses against the exact solver",
        "Measure what a player's cards lose against best play with open cards.  In two_player from the empty stock on, "
        "when every card can be deduced; in partners and historical in the last tricks, where even the best fair play "
        "loses something.",
        (
            "python evaluate.py regret rules --variant two_player --pairs 1000 --workers 2",
            "python evaluate.py regret rules+solver --variant two_player --pairs 100",
            "python evaluate.py regret greedy --opponent rules --variant partners --cards 6 --json regret.json",
        ),
        add_regret,
        "agents.regret_command",
        "RegretOptions",
        "run_regret",
    ),
    Command(
        "exploit",
        "what a best response gains against a player, found by training one",
        "Train a best response against a player that stays as it is, then measure it on duplicate pairs.  Its gain is "
        "a lower bound: more plays, or another start, may find more.",
        (
            "python evaluate.py exploit rules --variant partners --workers 2 --json exploit.json",
            "python evaluate.py exploit greedy --variant two_player --plays 2000000 --pairs 1000 --name probe",
        ),
        add_exploit,
        "agents.exploit_command",
        "ExploitOptions",
        "run_exploit",
    ),
    Command(
        "review",
        "recorded games, decision by decision: the best card and what the one played cost",
        "Judge every decision of recorded games: exactly where the seat can know every card, elsewhere by a player "
        "that values cards.  The three worst come first, then all of them.",
        (
            "python evaluate.py match rules greedy --variant two_player --pairs 5 --records games.jsonl",
            "python evaluate.py review games.jsonl --game 1",
            "python evaluate.py review games.jsonl --judge pimc:worlds=1000 --json review.json",
        ),
        add_review,
        "agents.review_command",
        "ReviewOptions",
        "run_review",
    ),
    Command(
        "deals",
        "write the cards of a published range of deals",
        "Write the decks of a published range of deals as text, so that other implementations can play the same cards.",
        ("python evaluate.py deals --range report --pairs 1000 --out deals.csv",),
        add_deals,
        "agents.deals_command",
        "DealsOptions",
        "run_deals",
    ),
)


def make_parser(description: str) -> OneLineParser:
    """Return the parser of all commands; what it parses has a `Command` as ``command``."""
    examples = "".join(f"  {example}\n" for command in COMMANDS for example in command.examples)
    parser = OneLineParser(
        prog="evaluate.py",
        description=description,
        epilog=f"{PLAYERS}\nexamples:\n{examples}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        examples = "".join(f"  {example}\n" for example in command.examples)
        its_parser = commands.add_parser(
            command.name,
            help=command.help,
            description=command.description,
            epilog=f"{PLAYERS}\nexamples:\n{examples}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        command.add(its_parser)
        its_parser.set_defaults(command=command)
    return parser

"""``evaluate.py review``: recorded games, decision by decision."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

from rich.console import Console
from rich.table import Table

import agents  # noqa: F401  registers the players that this package adds
from agents.command import UsageError, check_different, check_output
from agents.files import write_json
from agents.progress import Progress
from agents.review import EXACT, DealReview, Decision, Judge, review_deal, worst
from tressette_env import ENV_VERSION, Rules
from tressette_env.players import known_players, make_player, sees_hidden_cards
from tressette_env.record import read
from tressette_env.record_form import form_of

DEFAULT_JUDGE = "pimc:worlds=200"
WORST = 3
_WIDTH = 120  # of the tables where there is no terminal
_STOPPED = "stopped early: these are the deals judged so far"


@dataclass(frozen=True, kw_only=True)
class ReviewOptions:
    """The arguments of ``evaluate.py review``, as given; ``game``: the line of the file, None: all of them."""

    record: Path
    judge: str = DEFAULT_JUDGE
    game: int | None = None
    json: Path | None = None


@dataclass
class _Count:
    """What is added up of one player; a side of a deal counts once for it, however many of its seats it has."""

    sides: int = 0
    decisions: int = 0
    forced: int = 0
    faults: int = 0
    lost: float = 0.0


@dataclass
class Reviewed:
    """What was found so far: ``decisions`` with their games, and by player what adds up."""

    deals: int = 0
    decisions: list[tuple[int, Decision]] = field(default_factory=list)
    players: dict[str, _Count] = field(default_factory=dict)

    def add(self, game: int, players: list[str], review: DealReview) -> None:
        """Add a deal of a game."""
        self.deals += 1
        for seat, name in enumerate(players):
            count = self.players.setdefault(name, _Count())
            count.forced += review.forced[seat]
            count.sides += name not in players[seat & 1 : seat : 2]
        for decision in review.decisions:
            count = self.players[decision.player]
            count.decisions += 1
            count.lost += decision.cost
            count.faults += decision.is_fault
            self.decisions.append((game, decision))


def run_review(options: ReviewOptions) -> bool:
    """Judge the games, print what is found, write it to ``--json``, and return whether all deals were judged.

    An interrupt (Ctrl-C) ends it with the deals judged so far.  Raises `UsageError` before anything is judged,
    `RecordError` if the file holds what is no record, and `PlayerError` if the judge fails.
    """
    check_output("--json", options.json)
    check_different({"RECORD": options.record, "--json": options.json})
    games = chosen_games(options)
    judges = make_judges(options.judge, {form_of(record).rules for _, record in games})
    start = time.perf_counter()
    deals = sum(len(record["deals"]) for _, record in games)
    reviewed = Reviewed()
    try:
        with Progress(deals, "deals") as progress:
            for game, record in games:
                judge = judges[form_of(record).rules]
                for number in range(len(record["deals"])):
                    reviewed.add(game, record["players"], review_deal(record, number, judge, options.judge))
                    progress.advance(1)
    except KeyboardInterrupt:
        pass
    report = make_report(options, len(games), deals, reviewed, time.perf_counter() - start)
    show(report)
    if options.json is not None:
        write_json(options.json, report)
    return bool(report["complete"])


def chosen_games(options: ReviewOptions) -> list[tuple[int, dict[str, Any]]]:
    """Return the games to review with their numbers, which are lines of the file from 1."""
    try:
        games = list(enumerate(read(options.record), 1))
    except OSError as error:
        raise UsageError(f"{options.record} cannot be read: {error.strerror or error}") from error
    if not games:
        raise UsageError(f"{options.record} holds no game")
    if options.game is None:
        return games
    if not 1 <= options.game <= len(games):
        raise UsageError(f"--game {options.game}: {options.record} has games 1 to {len(games)}")
    return [games[options.game - 1]]


def make_judges(name: str, rules: Iterable[Rules]) -> dict[Rules, Judge]:
    """Return the judge for each of the rule sets; `UsageError` if the name is no player's that values cards."""
    judges: dict[Rules, Judge] = {}
    for of_game in rules:
        try:
            player = make_player(name, of_game)
        except ValueError as error:
            raise UsageError(f"--judge: {error}") from error
        if not is_judge(player):
            able = ", ".join(known for known in known_players() if _can_judge(known, of_game))
            raise UsageError(f"--judge {name} plays, but does not tell what cards are worth; players that do: {able}")
        judges[of_game] = cast(Judge, player)
    return judges


def is_judge(player: Any) -> bool:
    """Return whether a player values cards by what a seat knows."""
    return isinstance(player, Judge) and not sees_hidden_cards(cast(Any, player))


def _can_judge(name: str, rules: Rules) -> bool:
    try:
        return is_judge(make_player(name, rules))
    except ValueError:
        return False


def make_report(options: ReviewOptions, games: int, deals: int, reviewed: Reviewed, seconds: float) -> dict[str, Any]:
    """Return what is written: counts, players, the worst decisions first, then all by game, deal and ply.

    A player's ``lost_per_deal`` is what a side of it loses in a deal; its ``faults`` are decisions whose cost is above
    1.96 of its standard errors.
    """
    return {
        "record": str(options.record),
        "judge": options.judge,
        "games": games,
        "deals": reviewed.deals,
        "decisions": len(reviewed.decisions),
        "forced": sum(count.forced for count in reviewed.players.values()),
        "exact": sum(decision.judged == EXACT for _, decision in reviewed.decisions),
        "players": [
            {"player": name, **asdict(count), "lost_per_deal": count.lost / count.sides}
            for name, count in reviewed.players.items()
        ],
        "worst": [_as_dict(*entry) for entry in worst(reviewed.decisions, WORST)],
        "list": [_as_dict(*entry) for entry in reviewed.decisions],
        "seconds": seconds,
        "version": ENV_VERSION,
        "complete": reviewed.deals == deals,
    }


def _as_dict(game: int, decision: Decision) -> dict[str, Any]:
    return {"game": game} | asdict(decision) | {"fault": decision.is_fault}


def show(report: dict[str, Any]) -> None:
    """Print a report for people."""
    console = Console(
        width=None if sys.stdout.isatty() else _WIDTH, markup=False, emoji=False, highlight=False, soft_wrap=False
    )
    told = f"{report['decisions']:,} decisions with a choice in {report['deals']:,} deals, {report['forced']:,} forced"
    judged = f"{report['exact']:,} judged exactly, the others by {report['judge']}: an estimate, ± its standard error"
    console.print(f"{report['record']}: {told}\n{judged}", soft_wrap=True)
    console.print(_decisions("worst decisions", report["worst"]))
    console.print(_players(report["players"]))
    console.print(_decisions("all decisions with a choice", report["list"]))
    if not report["complete"]:
        console.print(_STOPPED)


def _table(title: str, headings: dict[str, bool]) -> Table:
    """Return a table; `headings` say whether a column holds numbers."""
    table = Table(title=title, title_justify="left")
    for heading, numbers in headings.items():
        table.add_column(heading, justify="right" if numbers else "left", overflow="fold")
    return table


def _decisions(title: str, rows: list[dict[str, Any]]) -> Table:
    numbers = ("game", "deal", "ply", "trick", "seat")
    headings = dict.fromkeys(numbers, True) | {"player": False, "played": False, "best": False, "cost": True, "±": True}
    table = _table(title, headings | {"judged by": False})
    for row in rows:
        error = "" if row["judged"] == EXACT else f"{row['error']:.2f}"
        cells = row["player"], row["card"], row["best"], f"{row['cost']:.2f}", error, row["judged"]
        table.add_row(*(str(row[name]) for name in numbers), *cells)
    return table


def _players(rows: list[dict[str, Any]]) -> Table:
    headings = dict.fromkeys(("decisions", "forced", "faults", "points lost", "a deal"), True)
    table = _table("players: what a side loses a deal", {"player": False} | headings)
    for row in rows:
        counts = (f"{row[name]:,}" for name in ("decisions", "forced", "faults"))
        table.add_row(row["player"], *counts, f"{row['lost']:.2f}", f"{row['lost_per_deal']:.3f}")
    return table

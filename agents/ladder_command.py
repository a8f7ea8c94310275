"""``evaluate.py ladder``: every player meets every other, and all are ranked."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from agents.arena import NO_EFFORT, Effort
from agents.command import Options, UsageError, cheating, check_options, check_output, deliver, game_text
from agents.deal_ranges import distinct_deals, seed_text
from agents.kept_matches import held_results, key_of, play_kept
from agents.ladder import Fixture, Ladder, fixtures, make_ladder
from agents.ladder_page import ladder_page
from agents.pairs import PairResults
from agents.statistics import summarize
from agents.store import Store
from agents.tables import table_text
from agents.workers import Meeting, any_slow
from tressette_env import ENV_VERSION, Rules
from tressette_env.files import write_whole
from tressette_env.players import AnyPlayer, make_player, shown_name

SLOW_PAIRS = 1000
STOPPED = "stopped early: only the matches that were completed count"


@dataclass(frozen=True, kw_only=True)
class LadderOptions(Options):
    """The arguments of ``evaluate.py ladder``, as given.

    ``slow_pairs``: pairs where a player that searches plays, at most ``pairs``; None: 1000.
    """

    players: Sequence[str]
    pairs: int = 10_000
    slow_pairs: int | None = None
    store: Path | None = None
    html: Path | None = None


@dataclass
class Played:
    """The matches played so far: results by the numbers of the players; ``new``, how many pairs were played now."""

    matches: dict[tuple[int, int], PairResults] = field(default_factory=dict)
    new: dict[tuple[int, int], int] = field(default_factory=dict)
    complete: bool = False


def run_ladder(options: LadderOptions) -> bool:
    """Play what is missing, show and write the ladder, and return whether all matches were completed.

    An interrupt (Ctrl-C) ends the play: the matches completed so far count.  Raises `UsageError` before anything is
    played, and `PlayerError` if a player fails or returns what is no legal card.
    """
    rules = check_ladder(options)
    players = build_named(options.players, rules, options.seed)
    most = min(options.pairs, SLOW_PAIRS if options.slow_pairs is None else options.slow_pairs)
    planned = fixtures([most if any_slow([player]) else options.pairs for player in players.values()])
    meeting_of = meetings(options.players, rules, options.seed, options.records is not None)
    start = time.perf_counter()
    played = play_fixtures(
        planned, meeting_of, options.workers, None if options.store is None else Store(options.store)
    )
    seconds = time.perf_counter() - start
    ladder = make_ladder(options.players, played.matches)
    report = make_report(options, players, played, ladder, seconds)
    if options.records is not None:
        write_whole(options.records, (line for results in played.matches.values() for line in results.records))
    if options.html is not None:
        write_whole(options.html, [ladder_page(report)])
    return deliver(report, as_text(report), options.json)


def check_ladder(options: LadderOptions) -> Rules:
    """Return the rules that the options describe; `UsageError` if anything in the options is wrong."""
    if options.slow_pairs is not None and options.slow_pairs < 1:
        raise UsageError(f"--slow-pairs {options.slow_pairs}: it must be at least 1")
    if options.store is not None and options.records is not None:
        raise UsageError("--records writes down games that are played, not those of --store: use one of them")
    check_output("--store", options.store)
    check_output("--html", options.html)
    check_names("a ladder", options.players)
    return check_options(options)


def check_names(what: str, names: Sequence[str]) -> None:
    """Raise `UsageError` unless there are two players or more, none of them twice."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UsageError(f"{', '.join(twice)} is named twice: {what} has each player once")
    if len(names) < 2:
        raise UsageError(f"{what} needs at least two players")


def build_named(names: Sequence[str], rules: Rules, seed: int) -> dict[str, AnyPlayer]:
    """Return players by name, as `agents.workers.build_players` makes them; `UsageError` if a name is none."""
    try:
        return {name: make_player(name, rules.variant, seed) for name in names}
    except ValueError as error:
        raise UsageError(str(error)) from error


def meetings(players: Sequence[str], rules: Rules, seed: int, recorded: bool = False) -> dict[tuple[int, int], Meeting]:
    """Return the meeting of every two players, by their numbers."""
    return {
        (a, b): Meeting(players[a], players[b], rules, seed, recorded=recorded)
        for a in range(len(players))
        for b in range(a + 1, len(players))
    }


def play_fixtures(
    planned: Sequence[Fixture],
    meeting_of: dict[tuple[int, int], Meeting],
    workers: int = 1,
    store: Store | None = None,
) -> Played:
    """Play the fixtures that a store does not hold, saying which; an interrupt leaves those not completed out."""
    played = Played()
    try:
        for number, fixture in enumerate(planned, 1):
            meeting = meeting_of[fixture.a, fixture.b]
            held = len(held_results(meeting, store))
            if held < fixture.pairs:
                print(_announcement(f"match {number} of {len(planned)}", meeting, fixture.pairs, held), file=sys.stderr)
            results = play_kept(meeting, fixture.pairs, workers, store)
            if len(results) < fixture.pairs:
                return played
            played.matches[fixture.a, fixture.b] = results
            played.new[fixture.a, fixture.b] = fixture.pairs - min(held, fixture.pairs)
        played.complete = True
    except KeyboardInterrupt:
        pass
    return played


def _announcement(which: str, meeting: Meeting, pairs: int, held: int) -> str:
    stored = f", {held:,} of them from the store" if held else ""
    return f"{which}: {meeting.a} against {meeting.b}, {pairs:,} pairs{stored}"

"""``evaluate.py ladder``: every player meets every other, and all are ranked."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from agents.command import Options, UsageError, build_named, cheating, check_names, check_options, deliver
from agents.deal_ranges import distinct_deals
from agents.kept_matches import held_results, play_kept
from agents.ladder import Fixture, Matches, fixtures, make_ladder
from agents.ladder_page import ladder_page
from agents.ladder_report import ladder_report, ladder_text
from agents.pairs import PairResults
from agents.store import Store
from agents.workers import Meeting, any_slow
from tressette_env import ENV_VERSION, Rules
from tressette_env.files import write_whole
from tressette_env.players import shown_name

SLOW_PAIRS = 1000


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


class Played(NamedTuple):
    """The matches that were completed, by the numbers of the players, and whether these are all of them."""

    matches: Matches
    complete: bool


def run_ladder(options: LadderOptions) -> bool:
    """Play what is missing, show and write the ladder, and return whether all matches were completed.

    An interrupt (Ctrl-C) ends the play: the matches completed so far count.  Raises `UsageError` before anything is
    played, and `PlayerError` if a player fails or returns what is no legal card.
    """
    rules = check_ladder(options)
    players = build_named(options.players, rules, options.seed)
    most = min(options.pairs, SLOW_PAIRS if options.slow_pairs is None else options.slow_pairs)
    pairs = [most if any_slow([player]) else options.pairs for player in players.values()]
    store = None if options.store is None else Store(options.store)
    start = time.perf_counter()
    played = play_fixtures(
        plan(options.players, pairs, rules, options.seed, options.records is not None), options.workers, store
    )
    seconds = time.perf_counter() - start
    ladder = make_ladder(options.players, played.matches)
    report = {
        "variant": rules.variant,
        "napoletana": rules.napoletana,
        "seed": options.seed,
        "pairs": options.pairs,
        "slow_pairs": most,
        "distinct_deals": distinct_deals(rules, options.seed, options.pairs),
        **ladder_report(options.players, played.matches, ladder),
        "cheats": cheating(players),
        "seconds": seconds,
        "version": ENV_VERSION,
        "complete": played.complete,
    }
    shown = {name: shown_name(name, player) for name, player in players.items()}
    if options.records is not None:
        write_whole(options.records, (line for results in played.matches.values() for line in results.records))
    if options.html is not None:
        write_whole(options.html, [ladder_page(report, shown)])
    return deliver(report, ladder_text(report, shown), options.json)


def check_ladder(options: LadderOptions) -> Rules:
    """Return the rules that the options describe; `UsageError` if anything in the options is wrong."""
    if options.slow_pairs is not None and options.slow_pairs < 1:
        raise UsageError(f"--slow-pairs {options.slow_pairs}: it must be at least 1")
    check_names("a ladder", options.players)
    return check_options(options)


def plan(
    names: Sequence[str], pairs: Sequence[int], rules: Rules, seed: int, recorded: bool = False
) -> dict[Fixture, Meeting]:
    """Return who is to meet whom, see `agents.ladder.fixtures`, and how."""
    return {
        fixture: Meeting(names[fixture.a], names[fixture.b], rules, seed, recorded=recorded)
        for fixture in fixtures(pairs)
    }


def play_fixtures(planned: Mapping[Fixture, Meeting], workers: int = 1, store: Store | None = None) -> Played:
    """Play the pairs that a store does not hold, saying of which matches; an interrupt ends it."""
    matches: dict[tuple[int, int], PairResults] = {}
    try:
        for number, (fixture, meeting) in enumerate(planned.items(), 1):
            held = len(held_results(meeting, store))
            if held < fixture.pairs:
                stored = f", {held:,} of them from the store" if held else ""
                match = f"match {number} of {len(planned)}: {meeting.a} against {meeting.b}"
                print(f"{match}, {fixture.pairs:,} pairs{stored}", file=sys.stderr)
            results = play_kept(meeting, fixture.pairs, workers, store)
            if len(results) < fixture.pairs:
                break
            matches[fixture.a, fixture.b] = results
    except KeyboardInterrupt:
        pass
    return Played(matches, len(matches) == len(planned))

"""The README's result tables, made from the committed store: ``python -m agents.readme_tables README.md [--play]``.

What stands between the markers of each variant is replaced.  The tables need the results of `ENTRIES`, on the report
range; ``--play`` plays what the store lacks, and nothing else.  Exit codes: 0 done, 1 results are missing or (with
``--check``) the file is not what it would be made, 2 bad usage, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from agents.command import UsageError, build_named
from agents.deal_ranges import RANGES, REPORT
from agents.evaluate_parser import OneLineParser
from agents.kept_matches import held_results
from agents.ladder import ANCHOR, Fixture, Matches, make_ladder
from agents.ladder_command import plan, play_fixtures
from agents.ladder_report import effort_of
from agents.pairs import PairResults
from agents.statistics import summarize
from agents.store import Store
from agents.tables import interval_text, ms_text, number_text
from agents.workers import Meeting
from tressette_env import Rules
from tressette_env.files import write_whole
from tressette_env.players import shown_name

STORE = Path("results/report.jsonl")
BLOCK = re.compile(r"(<!-- results:(\w+)[^\n]*-->\n).*?(<!-- end of results -->)", re.DOTALL)
DONE, FAILED, INTERRUPTED = 0, 1, 130


class Entry(NamedTuple):
    """A player of the tables, the pairs it plays against `rules`, and against the others of the ladder (0: not on it).

    Two players of the ladder meet on as many pairs as the one with fewer.
    """

    player: str
    pairs: int
    ladder_pairs: int = 0


ENTRIES = (
    Entry("random", 10_000, 10_000),
    Entry("greedy", 10_000, 10_000),
    Entry(ANCHOR, 10_000, 10_000),
    Entry("tuned", 10_000, 10_000),
    Entry("ismcts:iterations=1000", 1000, 200),
    Entry("ismcts:iterations=10000", 1000),
    Entry("ismcts:iterations=30000", 100),
    Entry("pimc:worlds=20", 1000, 200),
    Entry("pimc:worlds=100", 1000),
    Entry("pimc:worlds=400", 100),
    Entry("cheat", 1000),
)


def needed(variant: str, entries: Sequence[Entry] = ENTRIES) -> dict[Fixture, Meeting]:
    """Return the matches behind the tables of a variant: all against `rules`, and those of the ladder."""
    names, rules, seed = [entry.player for entry in entries], Rules(variant), RANGES[REPORT].seed
    of_ladder = plan(names, [max(entry.ladder_pairs, 1) for entry in entries], rules, seed)
    ranked = {
        fixture: meeting
        for fixture, meeting in of_ladder.items()
        if entries[fixture.a].ladder_pairs and entries[fixture.b].ladder_pairs
    }
    against_rules = plan(names, [entry.pairs for entry in entries], rules, seed)
    anchored = {fixture: meeting for fixture, meeting in against_rules.items() if ANCHOR in (meeting.a, meeting.b)}
    return anchored | {fixture: meeting for fixture, meeting in ranked.items() if ANCHOR not in (meeting.a, meeting.b)}


def read_results(variant: str, store: Store, entries: Sequence[Entry] = ENTRIES) -> tuple[Matches, list[str]]:
    """Return the matches that a store holds in full, by the numbers of the entries, and what is missing, in words."""
    matches: dict[tuple[int, int], PairResults] = {}
    missing = []
    for fixture, meeting in needed(variant, entries).items():
        held = held_results(meeting, store)
        if len(held) < fixture.pairs:
            missing.append(f"{variant}: {meeting.a} against {meeting.b}, {len(held):,} of {fixture.pairs:,} pairs")
        else:
            matches[fixture.a, fixture.b] = held.first(fixture.pairs)
    return matches, missing


def tables(variant: str, matches: Matches, entries: Sequence[Entry] = ENTRIES) -> str:
    """Return both tables of a variant in Markdown, made from the matches of `needed`."""
    players = build_named([entry.player for entry in entries], Rules(variant), RANGES[REPORT].seed)
    shown = [shown_name(f"`{name}`", player) for name, player in players.items()]
    return "\n".join([*_against_rules(matches, entries, shown), "", *_ladder(matches, entries, shown)])


def _against_rules(matches: Matches, entries: Sequence[Entry], shown: Sequence[str]) -> list[str]:
    rules = [entry.player for entry in entries].index(ANCHOR)
    lines = [
        f"| player | points a deal against `{ANCHOR}` | 95 % interval | deals won | pairs | ms a decision |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for number, name in enumerate(shown):
        if number == rules:
            continue
        meeting = (min(number, rules), max(number, rules))
        results = matches[meeting] if number < rules else matches[meeting].swapped()
        found = summarize(results)
        ms = effort_of(number, {meeting: matches[meeting]}).ms_per_decision[0]
        cells = [
            number_text(found["mean"], "+.3f"),
            interval_text(found["ci95"], "+.3f"),
            number_text(100 * found["win_rate"], ".1f") + " %",
            f"{found['pairs']:,}",
            ms_text(ms),
        ]
        lines.append(_row([name, *cells]))
    return lines


def _ladder(matches: Matches, entries: Sequence[Entry], shown: Sequence[str]) -> list[str]:
    ranked = [number for number, entry in enumerate(entries) if entry.ladder_pairs]
    among = {
        (ranked.index(a), ranked.index(b)): results
        for (a, b), results in matches.items()
        if a in ranked and b in ranked
    }
    ladder = make_ladder([entries[number].player for number in ranked], among)
    lines = [
        f"| ladder | points a deal over the field | 95 % interval | rating, `{ANCHOR}` 0 | 95 % interval |",
        "|---|--:|--:|--:|--:|",
    ]
    for place, index in enumerate(ladder.order.tolist(), 1):
        cells = [
            number_text(float(ladder.scores[index]), "+.3f"),
            interval_text(ladder.scores_ci95[index].tolist(), "+.3f"),
            number_text(float(ladder.ratings[index]), "+.0f"),
            interval_text(ladder.ratings_ci95[index].tolist(), "+.0f"),
        ]
        lines.append(_row([f"{place}. {shown[ranked[index]]}", *cells]))
    return lines


def _row(cells: Sequence[str]) -> str:
    """Return a row of Markdown, its numbers with minus signs; names, which come first, stay as they are."""
    return f"| {cells[0]} | {' | '.join(cells[1:]).replace('-', '−').replace(' to ', ' … ')} |"


def with_tables(text: str, made: dict[str, str]) -> str:
    """Return `text` with what stands between the markers of each variant replaced by its tables."""
    return BLOCK.sub(lambda block: f"{block[1]}{made[block[2]]}\n{block[3]}", text)


def main(arguments: list[str] | None = None) -> int:
    """Make the tables of a file, or check them, and return the exit code."""
    parser = OneLineParser(prog="python -m agents.readme_tables", description=__doc__.split("\n\n")[0])
    parser.add_argument("file", type=Path, metavar="FILE", help="the file with the markers, such as README.md")
    parser.add_argument("--play", action="store_true", help="play the matches that the store lacks, and keep them")
    parser.add_argument(
        "--check", action="store_true", help="write nothing: say whether the file is as it would be made"
    )
    parser.add_argument("--workers", type=int, default=1, metavar="W", help="processes (default 1)")
    parser.add_argument("--store", type=Path, default=STORE, metavar="FILE", help=f"default {STORE}")
    options = parser.parse_args(arguments)
    if options.workers < 1:
        parser.error(f"--workers {options.workers}: it must be at least 1")
    try:
        return make_tables(options.file, Store(options.store), options.play, options.check, options.workers)
    except KeyboardInterrupt:
        return INTERRUPTED
    except UsageError as error:
        parser.error(str(error))
    except (ValueError, OSError) as error:
        print(f"{parser.prog}: error: {error}", file=sys.stderr)
        return FAILED


def make_tables(
    path: Path,
    store: Store,
    play: bool = False,
    check: bool = False,
    workers: int = 1,
    entries: Sequence[Entry] = ENTRIES,
) -> int:
    """Do what `main` is asked for."""
    text = path.read_text(encoding="utf-8")
    variants = sorted({block[2] for block in BLOCK.finditer(text)})
    made, missing = {}, []
    for variant in variants:
        if play and not play_fixtures(needed(variant, entries), workers, store).complete:
            return INTERRUPTED
        matches, lacking = read_results(variant, store, entries)
        missing += lacking
        if not lacking:
            made[variant] = tables(variant, matches, entries)
    if missing:
        print("results are missing, --play plays them:", *missing, sep="\n  ", file=sys.stderr)
        return FAILED
    fresh = with_tables(text, made)
    if check:
        if fresh != text:
            print(f"{path} is out of date: run python -m agents.readme_tables {path}", file=sys.stderr)
        return DONE if fresh == text else FAILED
    write_whole(path, [fresh])
    return DONE


if __name__ == "__main__":
    sys.exit(main())

"""The README's result tables, made from the committed store: ``python -m agents.readme_tables README.md [--play]``.

What stands between the markers of each variant is replaced.  The tables need the results of `ENTRIES` and `DUELS`,
on the report range; ``--play`` plays what the store lacks, and nothing else.  Exit codes: 0 done, 1 results are missing
or (with ``--check``) the file is not what it would be made, 2 bad usage, 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from agents.command import UsageError, build_named
from agents.deal_ranges import RANGES, REPORT
from agents.evaluate_parser import OneLineParser
from agents.kept_matches import held_results
from agents.ladder import ANCHOR, Fixture, Matches, fixtures, make_ladder
from agents.ladder_command import play_fixtures
from agents.ladder_report import effort_of
from agents.pairs import PairResults
from agents.statistics import summarize
from agents.store import Store
from agents.tables import interval_text, ms_text, number_text
from agents.workers import Meeting
from tressette_env import Rules
from tressette_env.files import write_whole
from tressette_env.players import shown_name
from tressette_env.rules import VARIANTS

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
    Entry("network", 10_000, 10_000),
    Entry("search", 500),
    Entry("ismcts:iterations=1000", 1000, 200),
    Entry("ismcts:iterations=10000", 1000),
    Entry("ismcts:iterations=30000", 100),
    Entry("pimc:worlds=20", 1000, 200),
    Entry("pimc:worlds=100", 1000),
    Entry("pimc:worlds=400", 100),
    Entry("cheat", 1000),
)


class Duel(NamedTuple):
    """Two players of which one is to beat the other, the pairs that they play, and in which variants."""

    player: str
    opponent: str
    pairs: int
    variants: tuple[str, ...] = VARIANTS


_TWO, _PAIRS = ("two_player",), ("partners", "historical")
DUELS = (
    Duel("network", "tuned", 10_000),
    Duel("network", "pimc:worlds=20", 1000),
    Duel("network", "pimc:worlds=100", 500, _PAIRS),
    Duel("network+solver", "pimc:worlds=100", 2000, _TWO),
    Duel("network+solver", "network", 2000, _TWO),
    Duel("search", "network", 2000, _PAIRS),
    Duel("search", "network", 1000, _TWO),
    Duel("search", "network+solver", 500, _TWO),
    Duel("search", "pimc:worlds=100", 500),
)


def _of_variant(variant: str, duels: Sequence[Duel]) -> list[Duel]:
    return [duel for duel in duels if variant in duel.variants]


def names_of(entries: Sequence[Entry], duels: Sequence[Duel]) -> list[str]:
    """Return all players, by whose numbers the matches go: the entries in their order, then who has duels alone."""
    fighting = [name for duel in duels for name in (duel.player, duel.opponent)]
    return list(dict.fromkeys([*(entry.player for entry in entries), *fighting]))


def needed(variant: str, entries: Sequence[Entry] = ENTRIES, duels: Sequence[Duel] = DUELS) -> dict[Fixture, Meeting]:
    """Return the matches behind the tables of a variant: all against `rules`, those of the ladder, the duels."""
    duels = _of_variant(variant, duels)
    names = names_of(entries, duels)
    anchor = names.index(ANCHOR)
    pairs: dict[tuple[int, int], int] = {}
    for fixture in fixtures([entry.ladder_pairs for entry in entries]):
        if fixture.pairs and anchor not in fixture[:2]:
            pairs[fixture[:2]] = fixture.pairs
    for number, entry in enumerate(entries):
        if number != anchor:
            pairs[_ordered(number, anchor)] = min(entry.pairs, entries[anchor].pairs)
    for duel in duels:
        met = _ordered(names.index(duel.player), names.index(duel.opponent))
        pairs[met] = max(duel.pairs, pairs.get(met, 0))
    rules, seed = Rules(variant), RANGES[REPORT].seed
    return {Fixture(a, b, number): Meeting(names[a], names[b], rules, seed) for (a, b), number in pairs.items()}


def _ordered(a: int, b: int) -> tuple[int, int]:
    return min(a, b), max(a, b)


def read_results(planned: Mapping[Fixture, Meeting], store: Store) -> tuple[Matches, list[str]]:
    """Return the matches that a store holds in full, by the players' numbers, and what is missing, in words."""
    matches: dict[tuple[int, int], PairResults] = {}
    missing = []
    for fixture, meeting in planned.items():
        held = held_results(meeting, store)
        if len(held) < fixture.pairs:
            missing.append(
                f"{meeting.rules.variant}: {meeting.a} against {meeting.b}, {len(held):,} of {fixture.pairs:,} pairs"
            )
        else:
            matches[fixture.a, fixture.b] = held.first(fixture.pairs)
    return matches, missing


def tables(variant: str, matches: Matches, entries: Sequence[Entry] = ENTRIES, duels: Sequence[Duel] = DUELS) -> str:
    """Return the tables of a variant in Markdown, made from the matches of `needed`."""
    duels = _of_variant(variant, duels)
    players = build_named(names_of(entries, duels), Rules(variant), RANGES[REPORT].seed)
    shown = [shown_name(f"`{name}`", player) for name, player in players.items()]
    lines = [*_against_rules(matches, entries, shown), ""]
    if duels:
        lines += [*_duels(matches, duels, list(players), shown), ""]
    return "\n".join([*lines, *_ladder(matches, entries, shown)])


def _against_rules(matches: Matches, entries: Sequence[Entry], shown: Sequence[str]) -> list[str]:
    anchor = [entry.player for entry in entries].index(ANCHOR)
    lines = [
        f"| player | points a deal against `{ANCHOR}` | 95 % interval | deals won | pairs | ms a decision |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    others = [number for number in range(len(entries)) if number != anchor]
    return lines + [_row([shown[number], *_result(matches, number, anchor)]) for number in others]


def _duels(matches: Matches, duels: Sequence[Duel], names: Sequence[str], shown: Sequence[str]) -> list[str]:
    lines = [
        "| player − opponent | points a deal | 95 % interval | deals won | pairs | ms a decision |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    for duel in duels:
        a, b = names.index(duel.player), names.index(duel.opponent)
        lines.append(_row([f"{shown[a]} − {shown[b]}", *_result(matches, a, b)]))
    return lines


def _result(matches: Matches, player: int, opponent: int) -> list[str]:
    """Return the cells of a match: mean and interval for the player, deals won, pairs, and its milliseconds."""
    meeting = _ordered(player, opponent)
    results = matches[meeting] if player < opponent else matches[meeting].swapped()
    found = summarize(results)
    return [
        number_text(found["mean"], "+.3f"),
        interval_text(found["ci95"], "+.3f"),
        number_text(100 * found["win_rate"], ".1f") + " %",
        f"{found['pairs']:,}",
        ms_text(effort_of(player, {meeting: matches[meeting]}).ms_per_decision[0]),
    ]


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
    duels: Sequence[Duel] = DUELS,
) -> int:
    """Do what `main` is asked for."""
    text = path.read_text(encoding="utf-8")
    variants = sorted({block[2] for block in BLOCK.finditer(text)})
    made, missing = {}, []
    for variant in variants:
        planned = needed(variant, entries, duels)
        if play and not play_fixtures(planned, workers, store).complete:
            return INTERRUPTED
        matches, lacking = read_results(planned, store)
        missing += lacking
        if not lacking:
            made[variant] = tables(variant, matches, entries, duels)
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

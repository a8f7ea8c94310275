"""Results of matches, kept: what was played once is read again, and a longer match plays only what is missing.

A text file of JSON lines, one a match, sorted.  A line holds who played what (`MatchKey`), the result for people to
read, and every margin, packed.  The file is written whole, under a lock, so that several commands may share it and a
killed one spoils nothing.
"""

from __future__ import annotations

import base64
import json
import math
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
from filelock import FileLock

from agents.arena import Effort
from agents.command import UsageError
from agents.pairs import PairResults, led_by_a, no_pairs
from agents.statistics import summarize
from agents.workers import Meeting
from tressette_env import ENV_VERSION, Rules
from tressette_env.cards import IntArray
from tressette_env.files import write_whole
from tressette_env.rules import DEFAULT_TARGET, check_episode

_PLACES = 6  # of the numbers shown, which are also checked against the margins


class StoreError(UsageError):
    """A file that is no store of results, or is damaged; the message names the line."""


@dataclass(frozen=True)
class MatchKey:
    """What decides a result: the players with their versions, the game, the deals (their seed), the environment."""

    variant: str
    napoletana: bool
    episode: str
    target: int | None
    seed: int
    version: int
    a: str
    a_version: str
    b: str
    b_version: str

    @property
    def swapped(self) -> MatchKey:
        """The same match as B's against A."""
        return replace(self, a=self.b, a_version=self.b_version, b=self.a, b_version=self.a_version)

    @property
    def in_order(self) -> bool:
        """Whether the match is kept under this key, or under the swapped one."""
        return (self.a, self.a_version) <= (self.b, self.b_version)

    def rules(self) -> Rules:
        """Return the rules of the game."""
        target = DEFAULT_TARGET if self.target is None else self.target
        return Rules(self.variant, napoletana=self.napoletana, target=target)


class Store:
    """The results in a file, which need not exist yet; it is read anew for every question.

    Raises `StoreError` where the file holds anything else, and ``OSError`` where it cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def get(self, key: MatchKey) -> PairResults:
        """Return the pairs that are kept of a match: those from pair 0 on, none if there is none."""
        return _oriented(self._read().get(_kept(key)), key)

    def add(self, key: MatchKey, results: PairResults) -> None:
        """Keep the results of pairs 0 to n - 1 of a match, unless as many or more of it are kept already."""
        kept = _kept(key)
        with self._locked():
            held = self._read()
            if len(results) > len(held.get(kept, no_pairs())):
                held[kept] = results if kept == key else results.swapped()
                write_whole(self.path, (_line(entry, held[entry]) for entry in sorted(held, key=_sortable)))

    def keys(self) -> list[MatchKey]:
        """Return what is kept, in the order of the file."""
        return list(self._read())

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with FileLock(f"{self.path}.lock"):
            yield

    def _read(self) -> dict[MatchKey, PairResults]:
        try:
            text = self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return {}
        except UnicodeDecodeError as error:
            raise StoreError(f"{self.path} is no store of results: {error}") from error
        held: dict[MatchKey, PairResults] = {}
        for number, line in enumerate(text.splitlines(), 1):
            try:
                key, results = _parsed(line)
                if len(results) > len(held.get(key, no_pairs())):
                    held[key] = results
            except (ValueError, TypeError, KeyError, OverflowError, zlib.error, RecursionError) as error:
                raise StoreError(f"{self.path}, line {number} is no result of a match: {error!r}") from error
        return held


def _kept(key: MatchKey) -> MatchKey:
    return key if key.in_order else key.swapped


def _oriented(results: PairResults | None, key: MatchKey) -> PairResults:
    if results is None:
        return no_pairs()
    return results if key.in_order else results.swapped()


def _sortable(key: MatchKey) -> tuple[Any, ...]:
    return tuple(-1 if part is None else part for part in astuple(key))


def _line(key: MatchKey, results: PairResults) -> str:
    return json.dumps(_shown(key, results) | {"games": _packed(results, key.episode)}) + "\n"


def _shown(key: MatchKey, results: PairResults) -> dict[str, Any]:
    """Return the fields of a line that people can read."""
    summary, effort = summarize(results), results.effort
    return asdict(key) | {
        "pairs": len(results),
        "mean": round(summary["mean"], _PLACES),
        "ci95": [None if math.isnan(end) else round(end, _PLACES) for end in summary["ci95"]],
        "decisions": effort.decisions,
        "choices": list(effort.choices),
        "seconds": [round(seconds, 3) for seconds in effort.seconds],
    }


def _columns(results: PairResults, episode: str) -> list[IntArray]:
    """Return the arrays that do not follow from others: of single deals who won them does."""
    matches = [results.deals_won, results.deals[..., None]] if episode == "match" else []
    return [results.margins[..., None], results.declared, *matches]


def _packed(results: PairResults, episode: str) -> str:
    data = np.concatenate(_columns(results, episode), axis=2).astype("<i2").transpose(2, 0, 1).tobytes()
    return base64.b64encode(zlib.compress(data, 9)).decode("ascii")


def _parsed(line: str) -> tuple[MatchKey, PairResults]:
    entry = json.loads(line)
    key = _key(entry)
    columns = _unpacked(entry["games"], entry["pairs"], 6 if key.episode == "match" else 3)
    margins, declared = columns[..., 0], columns[..., 1:3]
    if key.episode == "match":
        deals_won, deals = columns[..., 3:5], columns[..., 5]
    else:
        deals_won = np.stack([margins > 0, margins < 0], axis=2).astype(np.int64)
        deals = np.ones_like(margins)
    led = _led(key.rules(), key.seed, entry["pairs"], key.episode)
    results = PairResults(margins, led, declared, deals_won, deals, _effort(entry))
    for name, value in _shown(key, results).items():
        if entry[name] != value:
            raise ValueError(f"{name} is {entry[name]!r}, but the games say {value!r}")
    return key, results


def _key(entry: dict[str, Any]) -> MatchKey:
    """Return the key of a line, checked."""
    for name, kind in get_type_hints(MatchKey).items():
        if not isinstance(entry[name], kind):
            raise ValueError(f"{name} must not be {entry[name]!r}")
    key = MatchKey(**{name: entry[name] for name in MatchKey.__dataclass_fields__})
    check_episode(key.episode)
    if not key.in_order or (key.target is None) != (key.episode == "deal"):
        raise ValueError("A must come before B, and matches alone have a target")
    return key


def _unpacked(games: str, pairs: int, width: int) -> IntArray:
    """Return the columns of `_packed`, (2, pairs, width)."""
    if not isinstance(pairs, int) or pairs < 1:
        raise ValueError(f"pairs must be a number of at least 1, not {pairs!r}")
    size = 2 * 2 * pairs * width  # two games a pair, of two-byte numbers
    decoder = zlib.decompressobj()
    data = decoder.decompress(base64.b64decode(games, validate=True), size + 1)
    if len(data) != size or not decoder.eof:
        raise ValueError(f"the games are not those of {pairs} pairs")
    return np.frombuffer(data, "<i2").reshape(width, 2, pairs).transpose(1, 2, 0).astype(np.int64)


def _effort(entry: dict[str, Any]) -> Effort:
    effort = Effort(int(entry["decisions"]), tuple(map(int, entry["choices"])), tuple(map(float, entry["seconds"])))
    if [len(effort.choices), len(effort.seconds)] != [2, 2] or not np.isfinite(effort.seconds).all():
        raise ValueError("choices and seconds must be two numbers each")
    return effort


@lru_cache(maxsize=64)
def _led(rules: Rules, seed: int, pairs: int, episode: str) -> IntArray:
    """Return who led, once for all players who met on these deals: dealing takes a while."""
    return led_by_a(rules, seed, 0, pairs, episode)


def match_key(meeting: Meeting, versions: tuple[str, str]) -> MatchKey:
    """Return the key of a meeting whose players have these versions."""
    rules = meeting.rules
    return MatchKey(
        rules.variant,
        rules.napoletana,
        meeting.episode,
        rules.target if meeting.episode == "match" else None,
        meeting.seed,
        ENV_VERSION,
        meeting.a,
        versions[0],
        meeting.b,
        versions[1],
    )

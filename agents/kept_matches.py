"""Playing matches that are kept: what the store holds is not played again, and nothing is lost on the way."""

from __future__ import annotations

import time
from collections.abc import Callable

from agents.command import UsageError, check_players, collect
from agents.pairs import PairResults, join_results, no_pairs
from agents.store import MatchKey, Store, match_key
from agents.versions import NoVersionError, player_version
from agents.workers import Meeting, play_chunks

SECONDS_BETWEEN_SAVES = 60.0
Until = Callable[[PairResults], bool]


def key_of(meeting: Meeting) -> MatchKey:
    """Return what a meeting is kept under; `UsageError` if a player is unknown or has no version."""
    a, b = check_players(meeting)
    try:
        return match_key(meeting, (player_version(meeting.a, a), player_version(meeting.b, b)))
    except NoVersionError as error:
        raise UsageError(str(error)) from error


def held_results(meeting: Meeting, store: Store | None) -> PairResults:
    """Return the pairs of a meeting that a store holds, none without a store."""
    return no_pairs() if store is None else store.get(key_of(meeting))


def play_kept(
    meeting: Meeting, pairs: int, workers: int = 1, store: Store | None = None, until: Until = lambda results: False
) -> PairResults:
    """Return the first `pairs` pairs of a meeting, from a store as far as it holds them, else played, and kept.

    `until` ends the play early by returning True.  What was played is kept every minute, and at the end also when an
    interrupt or an error ends it; an interrupt returns what there is.
    """
    held = held_results(meeting, store)
    if len(held) >= pairs or until(held):
        return held.first(min(pairs, len(held)))
    saved = time.monotonic()
    parts: list[PairResults] = []

    def save() -> None:
        if store is not None and parts:
            store.add(key_of(meeting), join_results([held, *parts]))

    def heard(so_far: list[PairResults]) -> bool:
        nonlocal saved
        parts[:] = so_far
        if time.monotonic() - saved > SECONDS_BETWEEN_SAVES:
            save()
            saved = time.monotonic()
        return until(join_results([held, *parts]))

    try:
        parts[:] = collect(play_chunks(meeting, pairs, workers, len(held)), pairs - len(held), heard)
    finally:
        save()
    return join_results([held, *parts])

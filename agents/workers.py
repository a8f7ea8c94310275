"""Duplicate pairs in chunks, here or in worker processes; the result is the same either way.

The chunks do not depend on the number of workers, players are built anew from their names in each process,
and results come in the order of the chunks.  Processes are spawned, which works on every platform.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, TimeoutError
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TypeVar

import agents  # noqa: F401  registers the players that this package adds
from agents.pairs import PairResults, play_pairs
from tressette_env import Rules
from tressette_env.players import AnyPlayer, make_player

SMALLEST_CHUNK, LARGEST_CHUNK = 25, 1000  # pairs: a player answers large batches more quickly
LARGEST_SLOW_CHUNK = 8  # pairs of players that need seconds for each, so that progress and Ctrl-C have something
_CHUNKS, _SLOW_CHUNKS = 16, 128  # what a run is cut into between these sizes, so that several workers share it evenly
_POLL_SECONDS = 0.5  # on Windows a wait without end does not notice Ctrl-C
Part = TypeVar("Part")


@dataclass(frozen=True)
class Meeting:
    """Two players by name, the game they play, and its seed (which also seeds the players).

    `recorded`: the games are written down, see `PairResults.records`.
    """

    a: str
    b: str
    rules: Rules
    seed: int = 0
    episode: str = "deal"
    recorded: bool = False


@lru_cache(maxsize=1)
def build_players(meeting: Meeting) -> tuple[AnyPlayer, AnyPlayer]:
    """Return both players; ``ValueError`` for an unknown one.

    Both get the seed of the meeting: they draw from it and what they know, so that a player meeting itself
    scores exactly 0, and swapping A and B swaps the sign of the result.
    """
    a, b = (make_player(name, meeting.rules.variant, meeting.seed) for name in (meeting.a, meeting.b))
    return a, b


def play_chunk(meeting: Meeting, first: int, pairs: int) -> PairResults:
    """Play some consecutive pairs of a meeting."""
    a, b = build_players(meeting)
    names = (f"A ({meeting.a})", f"B ({meeting.b})")
    record_as = (meeting.a, meeting.b) if meeting.recorded else None
    return play_pairs(a, b, meeting.rules, meeting.seed, first, pairs, meeting.episode, names, record_as)


def play_chunks(meeting: Meeting, pairs: int, workers: int = 1, start: int = 0) -> Generator[PairResults, None, None]:
    """Play pairs `start` to `pairs - 1` of a meeting and yield the results chunk by chunk, as `in_chunks` does."""
    return in_chunks(partial(play_chunk, meeting), pairs, workers, any_slow(build_players(meeting)), start)


def any_slow(players: Iterable[AnyPlayer]) -> bool:
    """Return whether one of the players says that its decisions take milliseconds."""
    return any(getattr(player, "slow", False) for player in players)


def in_chunks(
    play: Callable[[int, int], Part], pairs: int, workers: int = 1, slow: bool = False, start: int = 0
) -> Generator[Part, None, None]:
    """Yield ``play(first, size)`` of chunks that make up pairs `start` to `pairs - 1`, in order.

    `play` must be picklable if there is more than one worker.  Closing the iterator, an error or an interrupt stops
    the worker processes.
    """
    number = pairs - start
    if slow:
        chunk = min(max(-(-number // _SLOW_CHUNKS), 1), LARGEST_SLOW_CHUNK)
    else:
        chunk = min(max(-(-number // _CHUNKS), SMALLEST_CHUNK), LARGEST_CHUNK)
    chunks = [(first, min(chunk, pairs - first)) for first in range(start, pairs, chunk)]
    if workers == 1 or len(chunks) == 1:
        for first, size in chunks:
            yield play(first, size)
        return
    executor = ProcessPoolExecutor(min(workers, len(chunks)), multiprocessing.get_context("spawn"), _ignore_interrupts)
    try:
        with _interrupts_ignored():
            futures = [executor.submit(play, first, size) for first, size in chunks]
        for future in futures:
            yield _result(future)
    except BaseException:
        for process in multiprocessing.active_children():
            process.terminate()
        raise
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


def _result(future: Future[Part]) -> Part:
    while True:
        try:
            return future.result(timeout=_POLL_SECONDS)
        except TimeoutError:
            if future.done():  # the error is the player's own
                raise


def _ignore_interrupts() -> None:
    """Leave Ctrl-C, which reaches every process of the terminal, to the main process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Start processes that do not stop in the middle of an import (they inherit this)."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)

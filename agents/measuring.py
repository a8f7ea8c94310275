"""Measuring a network during and after training, on deals that training never plays."""

from __future__ import annotations

from concurrent.futures import Executor

from agents.pairs import join_results, play_pairs
from agents.statistics import Summary, summarize
from tressette_env import Rules
from tressette_env.players import Player

_CHUNK = 500


def measure(a: Player, b: Player, rules: Rules, seed: int, pairs: int, executor: Executor) -> Summary:
    """Return how A does against B over duplicate pairs; the players must be safe to share between threads."""
    starts = range(0, pairs, _CHUNK)
    jobs = [executor.submit(play_pairs, a, b, rules, seed, start, min(_CHUNK, pairs - start)) for start in starts]
    return summarize(join_results(job.result() for job in jobs))

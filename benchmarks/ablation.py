"""How `rules` or `tuned` does against the other baselines, and what each of its rules adds, in points per deal.

Duplicate pairs: every deal is played twice with the sides swapped, and the pair is the unit.  Examples::

    python -m benchmarks.ablation --variant two_player --pairs 20000
    python -m benchmarks.ablation --player tuned --matches-only
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from tressette_env.baselines import GreedyPlayer, RandomPlayer, RulesPlayer, TunedPlayer
from tressette_env.deals import DealBatch
from tressette_env.players import Player
from tressette_env.rules import VARIANTS, Rules

_CHUNK = 4096
_Z95 = 1.96
_PLAYERS: dict[str, type[RulesPlayer]] = {"rules": RulesPlayer, "tuned": TunedPlayer}


class Margin(NamedTuple):
    """Points per deal by which the first player is ahead, and half the width of the 95 % interval."""

    mean: float
    half_width: float


def margin(first: Player, second: Player, rules: Rules, pairs: int, seed: int) -> Margin:
    """Play `pairs` duplicate pairs of the deals of `seed`."""
    means = np.concatenate(
        [
            _pair_means(first, second, rules, seed, np.arange(start, min(start + _CHUNK, pairs)))
            for start in range(0, pairs, _CHUNK)
        ]
    )
    return Margin(float(means.mean()), float(_Z95 * means.std(ddof=1) / np.sqrt(pairs)))


def _pair_means(
    first: Player, second: Player, rules: Rules, seed: int, deal_ids: np.ndarray[tuple[int], np.dtype[np.int64]]
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    gains = []
    for side in (0, 1):
        deals = DealBatch(len(deal_ids), rules)
        deals.reset(seed=seed, deal_ids=deal_ids)
        while not deals.done:
            view = deals.view()
            cards = np.zeros(len(deal_ids), np.int64)
            own = (view.seat & 1) == side
            for player, acts in ((first, own), (second, ~own)):
                rows = np.flatnonzero(acts & (view.seat >= 0))
                if len(rows):
                    cards[rows] = player.act(view.take(rows))
            deals.step(cards)
        gains.append(deals.points[:, side] - deals.points[:, 1 - side])
    return np.asarray((gains[0] + gains[1]) / 2)


def matches(name: str, rules: Rules, pairs: int, seed: int) -> Iterator[tuple[str, Margin]]:
    """Yield the margin of a player over each of the other baselines."""
    others: dict[str, Callable[[Rules], Player]] = {"random": RandomPlayer, "greedy": GreedyPlayer, **_PLAYERS}
    player = others.pop(name)(rules)
    for other, factory in others.items():
        yield f"against {other}", margin(player, factory(rules), rules, pairs, seed)


def ablation(name: str, rules: Rules, pairs: int, seed: int) -> Iterator[tuple[str, Margin]]:
    """Yield the margin of a player over itself without each rule."""
    factory = _PLAYERS[name]
    full = factory(rules)
    for rule in factory.rule_names:
        yield rule, margin(full, factory(rules, without=rule), rules, pairs, seed)


def main() -> None:
    """Print the table of one player and variant."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--player", choices=_PLAYERS, default="rules")
    parser.add_argument("--variant", choices=VARIANTS, default="partners")
    parser.add_argument("--napoletana", action="store_true")
    parser.add_argument("--matches-only", action="store_true", help="leave the rules out")
    parser.add_argument("--pairs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    rules = Rules(arguments.variant, napoletana=arguments.napoletana)
    parts = [matches] if arguments.matches_only else [matches, ablation]
    for part in parts:
        for name, (mean, half_width) in part(arguments.player, rules, arguments.pairs, arguments.seed):
            print(f"{name:16s} {mean:+.3f} ± {half_width:.3f}", flush=True)


if __name__ == "__main__":
    main()

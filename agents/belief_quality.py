"""How much a network's past plays say about the hidden cards: ``python -m agents.belief_quality [--variant VARIANT]``.

A network plays deals with itself.  At no more than one unforced decision of each deal worlds are drawn uniformly, and
the true one is told from them by how well the network explains the plays of the other seats in it
(`agents.search.beliefs.Belief`).  What is shown by trick, for several exponents: by how many nats the belief makes the
true world likelier than a uniform draw does (0: it says nothing), and the effective sample size of the weights as a
share of the worlds.  The mean weight of few worlds is mostly too low, so that fewer worlds show somewhat more nats.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from agents.deal_ranges import DEVELOPMENT, RANGES
from agents.evaluate_parser import OneLineParser
from agents.search.beliefs import Belief
from agents.search.network_search import as_policy
from agents.search.worlds import draw_worlds
from tressette_env import DealBatch, Rules
from tressette_env.cards import IntArray, popcount
from tressette_env.players import decide, make_player
from tressette_env.rules import VARIANTS

EXPONENTS = (0.25, 0.5, 0.75, 1.0)


class Told(NamedTuple):
    """What the plays said at some decisions: ``trick`` (n,), and (n, exponents) ``nats`` and ``sample`` shares."""

    trick: IntArray
    nats: npt.NDArray[np.float64]
    sample: npt.NDArray[np.float64]


def measure(player: str, variant: str, deals: int, worlds: int, seed: int) -> Told:
    """Return what the plays said at one decision of each deal, at a ply drawn at random; forced ones are left out."""
    rules = Rules(variant)
    policy = as_policy(player, make_player(player, rules, seed))
    batch = DealBatch(deals, rules)
    batch.reset(seed=seed)
    last = rules.stock or rules.num_cards - rules.seats  # after it all is known
    stops = np.random.default_rng(seed).integers(1, last, deals)
    told = Told(np.zeros(0, np.int64), np.zeros((0, len(EXPONENTS))), np.zeros((0, len(EXPONENTS))))
    while not batch.done:
        view = batch.view()
        for row in np.flatnonzero((batch.ply == stops) & (popcount(view.legal_cards) > 1)):
            one = view.take([row])
            hands = np.concatenate([batch.hands[[row]], draw_worlds(one, worlds, seed).hands[0]])
            logs = Belief(policy, 1.0).explained(one, hands)
            found = ([one.ply[0] // rules.seats], *([values] for values in _told(logs[0], logs[1:])))
            told = Told(*(np.concatenate(pair) for pair in zip(told, found, strict=True)))
        batch.step(decide(policy, view))
    return told


def _told(of_truth: float, logs: npt.NDArray[np.float64]) -> tuple[list[float], list[float]]:
    """Return for each exponent the nats of the true world, and the effective share of worlds with these logarithms."""
    nats, samples = [], []
    for exponent in EXPONENTS:
        weights = np.exp(exponent * (logs - logs.max()))
        nats.append(float(exponent * (of_truth - logs.max()) - np.log(weights.mean())))
        samples.append(float(weights.sum() ** 2 / (weights**2).sum() / len(weights)))
    return nats, samples


def table(told: Told) -> str:
    """Return the means by trick in Markdown."""
    head = " | ".join(f"exponent {exponent:g}" for exponent in EXPONENTS)
    lines = [f"| trick | decisions | {head} |", "|---|--:|" + "--:|" * len(EXPONENTS)]
    for trick in [*np.unique(told.trick), None]:
        rows = np.ones(len(told.trick), bool) if trick is None else told.trick == trick
        cells = " | ".join(
            f"{nats:.2f} ({sample:.0%})"
            for nats, sample in zip(told.nats[rows].mean(axis=0), told.sample[rows].mean(axis=0), strict=True)
        )
        lines.append(f"| {'all' if trick is None else trick + 1} | {rows.sum():,} | {cells} |")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    parser = OneLineParser(prog="python -m agents.belief_quality", description=__doc__.split("\n\n")[0])
    parser.add_argument("--player", default="network", help="a player with log_probs (default %(default)s)")
    parser.add_argument("--variant", choices=VARIANTS, default="partners", help="(default %(default)s)")
    parser.add_argument("--deals", type=int, default=500, help="(default %(default)s)")
    parser.add_argument("--worlds", type=int, default=2000, help="drawn at a decision (default %(default)s)")
    options = parser.parse_args(arguments)
    if min(options.deals, options.worlds) < 1:
        parser.error("--deals and --worlds must be at least 1")
    try:
        told = measure(options.player, options.variant, options.deals, options.worlds, RANGES[DEVELOPMENT].seed)
    except ValueError as error:
        parser.error(str(error))
    if not len(told.trick):
        parser.error(f"--deals {options.deals}: none of these decisions had a choice; use more deals")
    print(table(told))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""``evaluate.py deals``: the cards of a published range, for other implementations."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from agents.command import UsageError, check_output
from agents.deal_ranges import RANGES
from tressette_env import DealBatch
from tressette_env.cards import cards_text
from tressette_env.files import write_whole

HEADER = "deal,dealer_of_2,dealer_of_4,deck\n"


@dataclass(frozen=True, kw_only=True)
class DealsOptions:
    """The arguments of ``evaluate.py deals``, as given."""

    name: str
    out: Path
    pairs: int = 10_000


def run_deals(options: DealsOptions) -> bool:
    """Write the file and say what is in it; `UsageError` for an unknown range or more deals than it has."""
    if options.name not in RANGES:
        raise UsageError(f"--range {options.name} is not allowed: {', '.join(RANGES)}")
    chosen = RANGES[options.name]
    if not 1 <= options.pairs <= chosen.deals:
        raise UsageError(
            f"--pairs {options.pairs} is not allowed: from 1 to {chosen.deals}, the deals of the {options.name} range"
        )
    check_output("--out", options.out)
    lines = deal_lines(chosen.seed, options.pairs)
    if options.out.suffix == ".gz":
        # Without a name and a time the same deals give the same bytes.
        write_whole(options.out, [gzip.compress("".join(lines).encode("ascii"), mtime=0)])
    else:
        write_whole(options.out, lines)
    print(f"{options.pairs:,} deals of the {options.name} range (seed {chosen.seed}) in {options.out}")
    return True


def deal_lines(seed: int, pairs: int) -> Iterator[str]:
    """Yield the lines of a file of decks: a head, then deal, dealers, and the deck in 40 text forms.

    The seat after the dealer leads.  Seat k holds the k-th ten cards; with two players the rest is the stock, first
    drawn first.  The variants share their decks, but have their own dealers for two and four seats.
    """
    two, four = DealBatch(pairs, "two_player"), DealBatch(pairs, "partners")
    for deals in (two, four):
        deals.reset(seed=seed)
    yield HEADER
    for number, (dealer_of_2, dealer_of_4, deck) in enumerate(
        zip(two.dealer.tolist(), four.dealer.tolist(), four.decks.tolist(), strict=True)
    ):
        yield f"{number},{dealer_of_2},{dealer_of_4},{cards_text(deck)}\n"

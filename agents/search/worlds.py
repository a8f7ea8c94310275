"""Sampling the hidden cards: worlds that agree with all a seat knows, each as likely (CONTRACT §9).

What a seat knows of the cards it does not see comes down to these facts:

* how many cards each hand and the stock hold, and which of them have been shown;
* voids: who did not follow suit holds no unseen card of it, since the unseen cards in a hand have been there
  since the deal (what was drawn is shown);
* silence (RULES §5, §7): a card that with those a seat is known to have had would have been announced is excluded;
  so are two or three unseen keys (3, 2, ace) of a suit that would have been; and in the historical game more
  unseen cards of a rank than go undeclared.

`world_counting` counts the worlds that meet all of them as exact integers and `world_kernel` turns a uniform random
number below the count into a world, so nothing is rejected: the acceptance is 1 at any stage of any deal.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.search import world_kernel
from agents.search.compiled import compiling
from agents.search.world_counting import GROUPS, NO_LIMIT
from tressette_env import declarations
from tressette_env.cards import (
    LOWEST_OF_EACH_SUIT,
    NUM_RANKS,
    NUM_SUITS,
    ONE,
    SUIT_MASKS,
    IntArray,
    UInt64Array,
    bitboard_of,
    popcount,
)
from tressette_env.checking import as_array, described
from tressette_env.deals import DealBatch
from tressette_env.rules import Rules
from tressette_env.shuffling import check_seed, random_bits, stream_keys
from tressette_env.view import View

Weigh = Callable[[View, UInt64Array], Any]
"""A belief: given a view of n rows and hands (n, m, seats), weights (n, m) that are finite and not negative."""

POOL = 8
"""Uniform worlds drawn for each one wanted when they are weighed."""

_RANKS = np.array([bitboard_of(range(rank, NUM_RANKS * NUM_SUITS, NUM_RANKS)) for rank in range(NUM_RANKS)], np.uint64)
_DRAWING, _RESAMPLING, _STOCK, FREE_STREAM = range(4)
"""Random streams of one row of a view; the last is for who searches the worlds."""


class Worlds(NamedTuple):
    """Worlds of n rows.

    ``hands`` (n, worlds, seats) uint64: all hands now, the observer's own included; ``stock`` (n, worlds, longest)
    int8: the undrawn stock, first drawn first, then -1 (longest: the most cards left in any row; 0 where there is
    no stock); ``counts`` (n,) int64: how many worlds there are, orders of the stock not counted.  Rows with seat -1
    have no cards and a count of 0.
    """

    hands: UInt64Array
    stock: npt.NDArray[np.int8]
    counts: IntArray


class Unknown(NamedTuple):
    """What is unknown in n rows and how it may be dealt to the groups, as `world_kernel.draw` takes it.

    The groups are the other seats in order of play; with two players the third is the stock.  ``seats`` (others, n)
    are those seats.
    """

    seats: IntArray
    unseen: UInt64Array
    room: IntArray
    allowed: UInt64Array
    limits: IntArray
    forbidden: UInt64Array


def sample_worlds(
    view: View, worlds: int = 100, seed: Any = 0, weigh: Weigh | None = None, pool: int = POOL
) -> UInt64Array:
    """Draw worlds uniformly, and independently, from all and only those that agree with what the view's seats know.

    Returns (n, worlds, seats) uint64: full hands now, the observer's own included, cards on the table not; zeros in
    rows with seat -1.  What a row gets depends on `seed` (an int or (n,) ints) and its key alone.  With `weigh` the
    worlds follow a belief instead: see `draw_worlds`, which also tells how many worlds there are and orders the
    stock.  Raises ``ValueError`` for a wrong argument.
    """
    return _drawn_hands(view, worlds, seed, weigh, pool)[0]


def draw_worlds(view: View, worlds: int = 100, seed: Any = 0, weigh: Weigh | None = None, pool: int = POOL) -> Worlds:
    """Draw worlds like `sample_worlds`, with the stock in a uniformly random order, and count them.

    `weigh`: a belief.  Then `pool` × `worlds` uniform worlds are drawn, weighed, and `worlds` of them taken by
    systematic resampling (Kitagawa 1996): a world is taken at least ⌊w⌋ and at most ⌈w⌉ times, w its share of the
    row's weight times `worlds`; copies stand side by side.  A larger pool follows the belief more closely.

    Raises ``ValueError`` for a wrong argument, weights of a wrong shape, negative or not finite, or all zero in a row
    to act, and for a view that no world agrees with (no game leads to one).
    """
    hands, count = _drawn_hands(view, worlds, seed, weigh, pool)
    return Worlds(
        hands, _stock_in_order(view, hands, stream_keys(check_seed(seed, len(view)), view.keys, _STOCK)), count
    )


def warm_up(rules: Rules) -> View:
    """Have the sampler compiled, so that the first decision is not kept waiting; return the view drawn from."""
    deals = DealBatch(1, rules)
    deals.reset(seed=0)
    view = deals.view()
    sample_worlds(view, 1)
    return view


def _drawn_hands(view: View, worlds: int, seed: Any, weigh: Weigh | None, pool: int) -> tuple[UInt64Array, IntArray]:
    if not isinstance(view, View):
        raise ValueError(f"view must be a View, such as deals.view(), not {type(view).__name__}")
    number, times = _positive("worlds", worlds), _positive("pool", pool)
    if weigh is not None and not callable(weigh):
        raise ValueError(f"weigh must be a function of (view, hands), not {weigh!r}")
    seeds = check_seed(seed, len(view))
    if not len(view):
        return np.zeros((0, number, view.rules.seats), np.uint64), np.zeros(0, np.int64)
    bits = random_bits(stream_keys(seeds, view.keys, _DRAWING), number if weigh is None else number * times)
    hands, count = _uniform_hands(view, bits)
    if weigh is None:
        return hands, count
    weights = _checked_weights(weigh(view, hands.copy()), hands.shape[:2], view.seat >= 0)
    return _resampled(hands, weights, number, stream_keys(seeds, view.keys, _RESAMPLING)), count


def _positive(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, not {value!r}")
    return int(value)


def _uniform_hands(view: View, bits: UInt64Array) -> tuple[UInt64Array, IntArray]:
    """Return a world for each random number (n, worlds), and the number of worlds of each row."""
    unknown = unknown_cards(view)
    limited = view.rules.variant == "historical"
    with compiling("the world sampler"):
        count, cards = world_kernel.draw(*unknown[1:], limited, bits)
    acting = view.seat >= 0
    count[~acting] = 0
    impossible = np.flatnonzero(acting & (count == 0))
    if len(impossible):
        raise ValueError(f"row {impossible[0]} of the view is of no game: no deal agrees with what its seat knows")
    rows = np.arange(len(view))
    hands = np.repeat(np.where(acting, view.shown, np.uint64(0)).T[:, None, :], bits.shape[1], axis=1)
    hands[rows[acting], :, view.seat[acting]] = view.hand[acting, None]
    for group, seats in enumerate(unknown.seats):
        hands[rows, :, seats] |= cards[:, :, group]
    return hands, count


def unknown_cards(view: View) -> Unknown:
    """Return what the seats of a view do not know; nothing in rows with seat -1."""
    rules, rows = view.rules, np.arange(len(view))
    acting = view.seat >= 0
    seats = (view.seat.astype(np.int64) + np.arange(1, rules.seats)[:, None]) % rules.seats
    had = (view.played | view.declared | view.drawn)[seats, rows]
    seen = np.bitwise_or.reduce(view.played | view.shown, axis=0) | view.hand
    unseen = np.where(acting, np.uint64(bitboard_of(rules.pack)) & ~seen, np.uint64(0))
    in_hand = rules.hand + popcount(view.drawn) - popcount(view.played | view.shown)
    shape = len(view), GROUPS
    unknown = Unknown(
        seats=seats,
        unseen=unseen,
        room=np.zeros(shape, np.int64),
        allowed=np.zeros(shape, np.uint64),
        limits=np.full((len(view), NUM_RANKS, GROUPS), NO_LIMIT, np.int64),
        forbidden=np.zeros(shape, np.uint64),
    )
    others = slice(rules.seats - 1)
    unknown.room[:, others] = (in_hand[seats, rows] * acting).T
    unknown.allowed[:, others] = (unseen & ~(view.void | view.excluded)[seats, rows]).T
    if rules.variant == "two_player":
        unknown.room[:, -1] = (rules.stock - popcount(view.drawn).sum(axis=0)) * acting
        unknown.allowed[:, -1] = unseen
    if rules.variant == "historical":
        held = popcount(had[:, :, None] & _RANKS)
        unknown.limits[:, :, others] = undeclared(rules.ranks)[np.arange(NUM_RANKS), held].transpose(1, 2, 0)
        silent = LOWEST_OF_EACH_SUIT & ~declarations.napoletana_suits(view.declared[seats, rows])
        unknown.forbidden[:, others] = _forbidden_together(silent, had).T
    elif rules.napoletana:
        unknown.forbidden[:, others] = _forbidden_together(view.silent[seats, rows], had).T
    return unknown


def _forbidden_together(silent: UInt64Array, had: UInt64Array) -> UInt64Array:
    """Return the keys of silent suits (lowest bits) that a hand cannot all hold unseen beside what it has had.

    Unseen cards have been in the hand since the deal.  So two of them stood beside the third when the first card
    fell or when the third was drawn, and three of them when the first card fell: announced, if they were there.
    Where one alone is missing, `View.excluded` says whether it can be there.
    """
    missing = declarations.napoletana_cards(silent) & ~had
    several = np.bitwise_count(missing[..., None] & SUIT_MASKS) >= 2
    together: UInt64Array = missing & np.bitwise_or.reduce(np.where(several, SUIT_MASKS, np.uint64(0)), axis=-1)
    return together


@lru_cache(maxsize=64)
def undeclared(ranks: str) -> IntArray:
    """Return how many unseen cards of a rank a hand may hold without having declared them: (10, 5) int64.

    By rank and by how many cards of it the hand is known to have had, in a historical pack of these ranks.
    """
    rules = Rules("historical", ranks=ranks, hand=len(ranks))
    first_suits = ONE << (np.arange(NUM_SUITS, dtype=np.uint64) * np.uint64(NUM_RANKS))
    up_to = np.concatenate([[np.uint64(0)], np.bitwise_or.accumulate(first_suits)])
    declared = np.array([popcount(declarations.declare(up_to << np.uint64(r), rules)[0]) for r in range(NUM_RANKS)])
    # A hand may go up to the number that declares nothing more; more cards never declare less.
    nothing_more = declared[:, :, None] == declared[:, None, :]
    limits: IntArray = np.triu(nothing_more, 1).sum(axis=2)
    return limits


def _checked_weights(weights: Any, shape: tuple[int, ...], acting: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """Return a belief's weights as float64, 1 in rows not to act; ``ValueError`` if they are none."""
    given = as_array(weights)
    if given is None or given.shape != shape or given.dtype.kind not in "biuf":
        raise ValueError(f"weigh must return numbers of shape {shape}, not {described(weights)}")
    checked = np.where(acting[:, None], given.astype(np.float64), 1.0)
    wrong = np.argwhere(~(np.isfinite(checked) & (checked >= 0)))
    if len(wrong):
        row, world = wrong[0]
        raise ValueError(f"weigh must return finite weights of at least 0: row {row} has {given[row, world]!r}")
    without = np.flatnonzero(~checked.any(axis=1))
    if len(without):
        raise ValueError(f"weigh must leave some world possible: row {without[0]} has no weight above 0")
    scaled: npt.NDArray[np.float64] = checked / checked.max(axis=1, keepdims=True)  # so that sums stay finite
    return scaled


def _resampled(hands: UInt64Array, weights: npt.NDArray[np.float64], worlds: int, streams: UInt64Array) -> UInt64Array:
    """Take `worlds` of the hands (n, pool, seats) of each row by systematic resampling."""
    offsets = (random_bits(streams, 1) >> np.uint64(11)) * 2.0**-53
    sums = weights.cumsum(axis=1)
    marks = (np.arange(worlds) + offsets) * (sums[:, -1:] / worlds)
    last = weights.shape[1] - 1 - (weights[:, ::-1] > 0).argmax(axis=1)  # where rounding may lead past the end
    taken = np.stack([np.searchsorted(*row, side="right") for row in zip(sums, marks, strict=True)])
    chosen: UInt64Array = np.take_along_axis(hands, np.minimum(taken, last[:, None])[:, :, None], axis=1)
    return chosen


def _stock_in_order(view: View, hands: UInt64Array, streams: UInt64Array) -> npt.NDArray[np.int8]:
    """Return the cards in no hand that have not been played, in random order: (n, worlds, longest)."""
    rules, (rows, worlds) = view.rules, hands.shape[:2]
    left = (rules.stock - popcount(view.drawn).sum(axis=0)) * (view.seat >= 0)
    longest = int(left.max(initial=0))
    if not longest:
        return np.zeros((rows, worlds, 0), np.int8)
    gone = np.bitwise_or.reduce(view.played, axis=0)[:, None] | np.bitwise_or.reduce(hands, axis=2)
    stock = np.where((view.seat >= 0)[:, None], np.uint64(bitboard_of(rules.pack)) & ~gone, np.uint64(0))
    of_each_world = random_bits(streams, worlds).reshape(-1)
    order: npt.NDArray[np.int8] = world_kernel.shuffle(stock.reshape(-1), random_bits(of_each_world, longest))
    return order.reshape((rows, worlds, longest))

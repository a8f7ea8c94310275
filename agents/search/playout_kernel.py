"""Playouts in compiled code: a deal is played to its end by a quick stochastic policy.

The policy plays a legal card with a probability proportional to its weight, the product of a few factors looked up
by what the seat to act can see: a log-linear policy whose logits are fitted by `fit_playouts` (Silver, Tesauro:
"Monte-Carlo simulation balancing", ICML 2009, has the form).  It looks at no hidden card.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from agents.search import game_kernel
from agents.search.compiled import compiled, lowest, mix64, popcount
from agents.search.game_kernel import BEST, HANDS, PLAYER, PLY, STATE, SUIT, TABLE, TAKEN, WINNER, Game
from tressette_env.baselines.bits import TOPS
from tressette_env.cards import ACES, FIGURES, NUM_CARDS, NUM_RANKS, ONE, RANKS, SUIT_MASK_OF_CARD, UInt64Array

FloatArray = npt.NDArray[np.float32]
MOST_CHOICES = NUM_CARDS // 2
"""Cards in the largest hand: two players may have been dealt the whole pack."""
FACTORS = 4

_GROUPS = np.array([0 if r in "4567" else 1 if r in "FCR" else 2 if r == "A" else 3 for r in RANKS])
_NUM_GROUPS = 4
_LENGTHS = 4  # of a suit in hand: 1, 2, 3, more
_OUT = 4  # cards of a suit still out: 0, 1-2, 3-4, more
_SITUATIONS = 3 * 2 * 2 * 3
_STAGES = 3  # cards in hand: 0-2, 3-5, more

SHAPES = {
    # situation, rank, beats the table, beats all that is out
    "follow: card": (_SITUATIONS, NUM_RANKS, 2, 2),
    # group, length, ace out, an honour (ace, 2, 3) stays in hand
    "follow: suit": (_NUM_GROUPS, _LENGTHS, 2, 2),
    # cards out, group, beats the table
    "follow: out": (_OUT, _NUM_GROUPS, 2),
    # situation, rank, beats all that is out
    "discard: card": (_SITUATIONS, NUM_RANKS, 2),
    # group, length, ace in hand, 3 or 2 stays in hand
    "discard: suit": (_NUM_GROUPS, _LENGTHS, 2, 2),
    # cards out, group, beats all that is out
    "discard: out": (_OUT, _NUM_GROUPS, 2),
    # rank, beats all that is out, length
    "lead: card": (NUM_RANKS, 2, _LENGTHS),
    # group, whereabouts of the ace, stronger cards out
    "lead: suit": (_NUM_GROUPS, 3, 4),
    # cards out, length, group
    "lead: out": (_OUT, _LENGTHS, _NUM_GROUPS),
    # stage, group, beats all that is out
    "lead: stage": (_STAGES, _NUM_GROUPS, 2),
}
"""The factors of the policy: what looks each of them up."""

_sizes = [int(np.prod(shape)) for shape in SHAPES.values()]
_STARTS = dict(zip(SHAPES, np.cumsum([0, *_sizes[:-1]]).tolist(), strict=True))
NO_FACTOR = sum(_sizes)
"""Stands in for a factor that does not apply; its weight is 1."""
SIZE = NO_FACTOR + 1

_FOLLOW_CARD, _FOLLOW_SUIT, _FOLLOW_OUT = (_STARTS[f"follow: {name}"] for name in ("card", "suit", "out"))
_DISCARD_CARD, _DISCARD_SUIT, _DISCARD_OUT = (_STARTS[f"discard: {name}"] for name in ("card", "suit", "out"))
_LEAD_CARD, _LEAD_SUIT, _LEAD_OUT, _LEAD_STAGE = (_STARTS[f"lead: {name}"] for name in ("card", "suit", "out", "stage"))

_ZERO = np.uint64(0)
_HONOURS = TOPS | ACES
_HIGH_HALF = np.uint64(32)
_FRACTION_SHIFT, _FRACTION = np.uint64(40), np.float32(2.0**-24)


@compiled(inline=True)
def random_bits(generator: UInt64Array) -> np.uint64:
    """Return 64 random bits of a SplitMix64 generator: (2,) counter and odd step."""
    generator[0] += generator[1]
    return mix64(generator[0])


@compiled(inline=True)
def pick(cards: np.uint64, generator: UInt64Array) -> np.uint64:
    """Return one card of a set that is not empty, each as likely."""
    skip = ((random_bits(generator) >> _HIGH_HALF) * np.uint64(popcount(cards))) >> _HIGH_HALF
    while skip != _ZERO:
        cards &= cards - ONE
        skip -= ONE
    return cards & (~cards + ONE)


@compiled(inline=True)
def _bucket(cards: np.uint64) -> np.int64:
    """Return the class of a number of cards: 0, 1-2, 3-4, more."""
    return min((popcount(cards) + 1) // 2, _OUT - 1)


@compiled(inline=True)
def situation(state: UInt64Array, out: np.uint64, game: Game) -> np.int64:
    """Return what the table looks like to who follows or discards, 0 to 35; `out`: the cards that are not in sight.

    Place in the trick, whether the partner is winning, whether that can not change in the led suit, value on the table.
    """
    if state[SUIT] == _ZERO:
        return np.int64(0)
    place = np.int64(state[PLY]) & (game.seats - 1)
    last = place == game.seats - 1
    partner = game.seats == 4 and np.int64(state[PLAYER] ^ state[WINNER]) == 2
    settled = last or state[BEST] > out & state[SUIT]
    thirds = popcount(state[TABLE] & FIGURES) + 3 * popcount(state[TABLE] & ACES)
    value = 0 if thirds == 0 else 1 if thirds < 3 else 2
    fraction = 2 if last else place - 1
    return np.int64(((fraction * 2 + partner) * 2 + settled) * 3 + value)


@compiled(inline=True)
def factors(
    state: UInt64Array, hand: np.uint64, out: np.uint64, here: np.int64, bit: np.uint64
) -> tuple[np.int64, np.int64, np.int64, np.int64]:
    """Return the places in the table of the factors that make the weight of one legal card; `here`: the situation."""
    card = lowest(bit)
    rank = card % NUM_RANKS
    group = _GROUPS[rank]
    own, out_of_suit = hand & SUIT_MASK_OF_CARD[card], out & SUIT_MASK_OF_CARD[card]
    length = min(popcount(own), _LENGTHS) - 1
    # Cards of one suit are neighbouring bits, so the stronger card is the greater number.
    unbeaten = np.int64(bit > out_of_suit)
    left = _bucket(out_of_suit)
    if state[SUIT] == _ZERO:
        where = 0 if own & ACES != _ZERO else 1 if out_of_suit & ACES != _ZERO else 2
        stronger = min(popcount(out_of_suit & ~((bit << ONE) - ONE)), 3)
        stage = min(popcount(hand) // 3, _STAGES - 1)
        return (
            _LEAD_CARD + (rank * 2 + unbeaten) * _LENGTHS + length,
            _LEAD_SUIT + (group * 3 + where) * 4 + stronger,
            _LEAD_OUT + (left * _LENGTHS + length) * _NUM_GROUPS + group,
            _LEAD_STAGE + (stage * _NUM_GROUPS + group) * 2 + unbeaten,
        )
    rest = own & ~bit
    if bit & state[SUIT] != _ZERO:
        beats = np.int64(bit > state[BEST])
        ace = np.int64(out_of_suit & ACES != _ZERO)
        kept = np.int64(rest & _HONOURS != _ZERO)
        return (
            _FOLLOW_CARD + ((here * NUM_RANKS + rank) * 2 + beats) * 2 + unbeaten,
            _FOLLOW_SUIT + ((group * _LENGTHS + length) * 2 + ace) * 2 + kept,
            _FOLLOW_OUT + (left * _NUM_GROUPS + group) * 2 + beats,
            np.int64(NO_FACTOR),
        )
    ace = np.int64(own & ACES != _ZERO)
    kept = np.int64(rest & TOPS != _ZERO)
    return (
        _DISCARD_CARD + (here * NUM_RANKS + rank) * 2 + unbeaten,
        _DISCARD_SUIT + ((group * _LENGTHS + length) * 2 + ace) * 2 + kept,
        _DISCARD_OUT + (left * _NUM_GROUPS + group) * 2 + unbeaten,
        np.int64(NO_FACTOR),
    )


@compiled(inline=True)
def out_of_sight(state: UInt64Array, hand: np.uint64, game: Game) -> np.uint64:
    """Return the cards that have not fallen and are not in the hand."""
    return game.pack & ~(hand | state[TAKEN] | state[TAKEN + 1] | state[TABLE])


@compiled()
def choose(
    state: UInt64Array, legal: np.uint64, game: Game, weights: FloatArray, sums: FloatArray, generator: UInt64Array
) -> np.uint64:
    """Draw one of several legal cards from the policy; `weights` (SIZE,), `sums` (MOST_CHOICES,) is scratch."""
    hand = state[HANDS + np.int64(state[PLAYER])]
    out = out_of_sight(state, hand, game)
    here = situation(state, out, game)
    total = np.float32(0)
    choices = np.int64(0)
    left = legal
    while left != _ZERO:
        first, second, third, fourth = factors(state, hand, out, here, left & (~left + ONE))
        total += weights[first] * weights[second] * weights[third] * weights[fourth]
        sums[choices] = total
        choices += 1
        left &= left - ONE
    drawn = np.float32(random_bits(generator) >> _FRACTION_SHIFT) * _FRACTION * total
    choice = np.int64(0)
    while choice < choices - 1 and sums[choice] <= drawn:
        choice += 1
        legal &= legal - ONE
    return legal & (~legal + ONE)


@compiled()
def play_out(
    state: UInt64Array,
    stock: npt.NDArray[np.int8],
    game: Game,
    weights: FloatArray,
    sums: FloatArray,
    generator: UInt64Array,
) -> None:
    """Play a deal to its end by the policy."""
    while not game_kernel.is_over(state, game):
        legal = game_kernel.legal_cards(state)
        if legal & (legal - ONE) != _ZERO:
            legal = choose(state, legal, game, weights, sums, generator)
        game_kernel.play(state, stock, legal, game)


@compiled(allocates=True)
def factors_of_choices(
    known: UInt64Array, hands: UInt64Array, legal: UInt64Array, game: Game
) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int8]]:
    """Return what the policy looks up in n positions: factors (n, MOST_CHOICES, FACTORS), cards (n, MOST_CHOICES).

    `known` (n, STATE) as `states_of` makes it, `hands` (n, seats), `legal` (n,); -1 where there is no further card.
    """
    found = np.full((len(known), MOST_CHOICES, FACTORS), -1, np.int16)
    cards = np.full((len(known), MOST_CHOICES), -1, np.int8)
    state = np.empty(STATE, np.uint64)
    for row in range(len(known)):
        game_kernel.set_world(state, known[row], hands[row])
        hand = state[HANDS + np.int64(state[PLAYER])]
        out = out_of_sight(state, hand, game)
        here = situation(state, out, game)
        left = legal[row]
        choice = np.int64(0)
        while left != _ZERO:
            bit = left & (~left + ONE)
            for place, factor in enumerate(factors(state, hand, out, here, bit)):
                found[row, choice, place] = factor
            cards[row, choice] = lowest(bit)
            choice += 1
            left ^= bit
    return found, cards

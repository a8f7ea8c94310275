"""The play of one deal in compiled code: legal cards, tricks, drawing, announcements and final points (RULES §2-§7).

The twin of `tressette_env.play` and `tressette_env.scoring`, for playing single deals out by the million; a test
holds it equal to them at every ply.  A state is `STATE` unsigned 64-bit numbers, named by the constants below.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from agents.search.compiled import compiled, lowest, popcount
from tressette_env import declarations, scoring
from tressette_env.baselines.bits import strongest
from tressette_env.cards import (
    ACES,
    FIGURES,
    LOWEST_OF_EACH_SUIT,
    ONE,
    SUIT_MASK_OF_CARD,
    UInt64Array,
    bitboard_of,
)
from tressette_env.rules import Rules
from tressette_env.view import View

HANDS = 0
"""By seat: the cards in hand."""
TAKEN = 4
"""By side: the cards of its tricks."""
DECLARED_POINTS = 6
"""By side: points announced or declared."""
ANNOUNCED = 8
"""By seat (two players): lowest bits of the suits whose napoletana has been announced."""
SUIT, BEST, TABLE = 10, 11, 12
"""Of the trick being played: mask to follow (0 for a lead), strongest card of it so far, all its cards."""
PLAYER, WINNER = 13, 14
"""Seat to act; seat that wins the trick so far, or took the one just ended."""
PLY = 15
TRICKS = 16
"""Tricks taken by each seat, 16 bits a seat."""
NEXT_DRAW = 17
"""Cards drawn so far from the stock that comes with the state."""
DEALT_TO_LEADER = 18
"""Cards dealt to the seat that led first (historical)."""
FIRST_LEADER = 19
STATE = 20

_ZERO = np.uint64(0)
_TRICK_BITS = np.uint64(16)
_TRICKS_OF_SEAT = np.uint64((1 << 16) - 1)
_KEYS = declarations.KEYS
_NAPOLETANA = np.uint64(declarations.NAPOLETANA_POINTS)
_STRAMMASSETA, _STRAMMASSONA, _CALLADA, _CALLADONA, _CALLADONDRIONA = scoring.BONUSES.values()
_MOST_FIGURES = scoring.MOST_FIGURES_OF_A_WORTHLESS_TRICK


class Game(NamedTuple):
    """What compiled code has to know of the rules; ``all_but_one``: whether all tricks but one may earn a bonus."""

    seats: int
    cards: int
    napoletana: bool
    historical: bool
    all_but_one: bool
    pack: np.uint64


def game_of(rules: Rules) -> Game:
    """Return the compiled code's form of some rules."""
    return Game(
        seats=rules.seats,
        cards=rules.num_cards,
        napoletana=rules.napoletana,
        historical=rules.variant == "historical",
        all_but_one=scoring.all_but_one_counts(rules),
        pack=np.uint64(bitboard_of(rules.pack)),
    )


def states_of(view: View) -> UInt64Array:
    """Return what a view's rows know of the state, (n, STATE) uint64; `set_world` adds the hands."""
    rows = np.arange(len(view))
    states = np.zeros((len(view), STATE), np.uint64)
    first_leader = (view.dealer + 1) % view.rules.seats
    states[:, TAKEN : TAKEN + 2] = view.taken.T
    states[:, DECLARED_POINTS : DECLARED_POINTS + 2] = view.declared_points
    states[:, ANNOUNCED : ANNOUNCED + 2] = declarations.napoletana_suits(view.declared[:2].T)
    states[:, SUIT] = view.suit
    states[:, TABLE] = view.table
    states[:, PLY] = view.ply
    states[:, PLAYER] = (view.leader + view.ply) % view.rules.seats
    states[:, FIRST_LEADER] = first_leader
    states[:, DEALT_TO_LEADER] = view.played[first_leader, rows]
    for seat, cards in enumerate(view.played):
        tricks = np.bitwise_count(cards & view.won).astype(np.uint64)
        states[:, TRICKS] |= tricks << np.uint64(int(_TRICK_BITS) * seat)
    _set_trick(view, states)
    return states


def _set_trick(view: View, states: UInt64Array) -> None:
    """Note the strongest card of the trick being played and who played it; before a lead, who won the last trick."""
    states[:, BEST] = best = strongest(view.table & view.suit)
    states[:, WINNER] = view.leader
    for seat, cards in enumerate(view.played):
        states[(cards & best) != 0, WINNER] = seat


@compiled(inline=True)
def set_world(state: UInt64Array, known: UInt64Array, hands: UInt64Array) -> None:
    """Copy a row of `states_of` to `state`, with these hands (seats,)."""
    for field in range(STATE):
        state[field] = known[field]
    for seat in range(len(hands)):
        state[HANDS + seat] = hands[seat]
    state[DEALT_TO_LEADER] |= hands[np.int64(state[FIRST_LEADER])]


@compiled(inline=True)
def legal_cards(state: UInt64Array) -> np.uint64:
    """Return the cards that the seat to act may play."""
    hand = state[HANDS + np.int64(state[PLAYER])]
    following = hand & state[SUIT]
    return following if following != _ZERO else hand


@compiled(inline=True)
def is_over(state: UInt64Array, game: Game) -> bool:
    """Return whether the last card has fallen."""
    return np.int64(state[PLY]) == game.cards


@compiled()
def _announce(state: UInt64Array, seat: np.int64) -> None:
    """Announce the napoletanas of a hand that have not been announced yet."""
    hand = state[HANDS + seat]
    suits = (hand >> _KEYS[0]) & (hand >> _KEYS[1]) & (hand >> _KEYS[2]) & LOWEST_OF_EACH_SUIT
    if seat < 2:
        new = suits & ~state[ANNOUNCED + seat]
        state[ANNOUNCED + seat] |= suits
    else:
        new = suits
    state[DECLARED_POINTS + (seat & 1)] += _NAPOLETANA * np.uint64(popcount(new))


@compiled()
def _draw(state: UInt64Array, stock: npt.NDArray[np.int8], game: Game) -> None:
    """Let the winner, then the other draw, if the stock lasts (two players)."""
    place = np.int64(state[NEXT_DRAW])
    if place >= len(stock) or stock[place] < 0:
        return
    seat = np.int64(state[WINNER])
    for card in stock[place : place + 2]:
        state[HANDS + seat] |= ONE << np.uint64(card)
        if game.napoletana:
            _announce(state, seat)
        seat = 1 - seat
    state[NEXT_DRAW] += np.uint64(2)


@compiled(inline=True)
def play(state: UInt64Array, stock: npt.NDArray[np.int8], bit: np.uint64, game: Game) -> None:
    """Let the seat to act play a legal card, given as a bit; `stock`: the cards still to be drawn, then -1."""
    seat = np.int64(state[PLAYER])
    ply = np.int64(state[PLY])
    if game.napoletana and ply < game.seats:
        _announce(state, seat)
    state[HANDS + seat] ^= bit
    suit = state[SUIT]
    if suit == _ZERO:
        state[SUIT] = SUIT_MASK_OF_CARD[lowest(bit)]
        state[BEST] = bit
        state[TABLE] = bit
        state[WINNER] = np.uint64(seat)
    else:
        state[TABLE] |= bit
        # Cards of one suit are neighbouring bits, so the stronger card is the greater number.
        if bit & suit > state[BEST]:
            state[BEST] = bit
            state[WINNER] = np.uint64(seat)
    ply += 1
    state[PLY] = np.uint64(ply)
    if ply & (game.seats - 1) != 0:
        state[PLAYER] = np.uint64((seat + 1) & (game.seats - 1))
        return
    winner = state[WINNER]
    state[TAKEN + np.int64(winner & ONE)] |= state[TABLE]
    state[TRICKS] += ONE << (_TRICK_BITS * winner)
    state[SUIT] = _ZERO
    state[BEST] = _ZERO
    state[TABLE] = _ZERO
    state[PLAYER] = winner
    if len(stock) > 0:
        _draw(state, stock, game)


@compiled(inline=True)
def _tricks(state: UInt64Array, seat: np.int64) -> np.int64:
    return np.int64((state[TRICKS] >> (_TRICK_BITS * np.uint64(seat))) & _TRICKS_OF_SEAT)


@compiled()
def _bonus(state: UInt64Array, side: np.int64, game: Game) -> np.int64:
    """Return the bonus a side earned in a finished historical deal."""
    total = game.cards // game.seats
    first, second = _tricks(state, side), _tricks(state, side + 2)
    alone = first == 0 or second == 0
    if first + second == total:
        if not alone:
            return np.int64(_CALLADA)
        dealt = state[DEALT_TO_LEADER]
        whole_suit = dealt == SUIT_MASK_OF_CARD[lowest(dealt)] & game.pack
        if whole_suit and np.int64(state[FIRST_LEADER]) & 1 == side:
            return np.int64(_CALLADONDRIONA)
        return np.int64(_CALLADONA)
    if first + second == total - 1 and game.all_but_one:
        conceded = state[TAKEN + 1 - side]
        if conceded & ACES == _ZERO and popcount(conceded & FIGURES) <= _MOST_FIGURES:
            return np.int64(_STRAMMASSONA if alone else _STRAMMASSETA)
    return np.int64(0)


@compiled()
def side_points(state: UInt64Array, side: np.int64, game: Game) -> np.int64:
    """Return all points of a side in a finished deal: announced, cards, last trick and bonus."""
    taken = state[TAKEN + side]
    points = np.int64(state[DECLARED_POINTS + side])
    points += (popcount(taken & FIGURES) + 3 * popcount(taken & ACES)) // 3
    if np.int64(state[WINNER]) & 1 == side:
        points += 1
    if game.historical:
        points += _bonus(state, side, game)
    return points

"""The compiled solver, which tells whether side 0 reaches so much with all cards open.

A zero-window alpha-beta search on an explicit stack, with a transposition table at the start of tricks.  An entry
of the table holds only the ranks that decided tricks below it (partition search, Ginsberg 1996; the bridge solver
DDS does alike), so it serves every position whose weaker cards are as many, worth as much and in the same hands.
It does not name a deal: one table serves many.

A *value* is what side 0 still takes in thirds, the last trick's point counted as three, as long as no historical
bonus can be won any more; before that it is the final difference in points (RULES §7).  Numbers are int64.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from agents.search.bonuses import after_trick, most_for_side, won_by_side_0
from agents.search.bounds import (
    cash_in,
    last_trick,
    leader_takes,
    needed,
    others_take,
    points,
    strongest_led,
    thirds_for,
)
from agents.search.compiled import compiled
from agents.search.dominance import without_dominated
from agents.search.memory import recall, remember, shape_of
from agents.search.moves import SUIT, VALUE, distinct_cards, list_moves, order_moves
from agents.search.suit_tables import CLASS, NUM_TABLES, Int64Array, count, thirds_in, weakest
from tressette_env.cards import NUM_RANKS, NUM_SUITS, SUIT_BITS

CARDS, SEAT, PLACE, LED, BEST, LOW, WINNER, WORTH, CONTESTED, NEED, BONUS, BASE = range(12)
"""Fields of a state: cards in hands, seat to play, its place in the trick; of the trick so far the suit (-1 none),
the best card (-1), the weakest card equal to it, whose it is, the thirds, and whether two cards of the suit met;
the value asked for; which bonuses can be won and, while there are any, side 0's thirds so far."""
STATE = 12
GAIN, DECIDED, BASE_AFTER = range(12, 15)
"""Since the play above: thirds won by side 0, the cards that decided tricks, and where the last bonus was lost in
between side 0's thirds then, else -1."""
_BEST_VALUE, _DECIDING, _MOVES, _NEXT, _FIRST, _SECOND = range(15, 21)
FRAME = 21
DEPTH, WIDTH, MOST_SEATS = 42, 20, 4
"""Rows of the stack, moves of a row, and hands."""

MEMORY, EQUAL_CARDS, RANKS, CASHING, OTHERS, ORDER, DOMINANCE = (1 << bit for bit in range(7))
"""The enhancements; each can be switched off, which changes no value."""
ALL_ENHANCEMENTS = MEMORY | EQUAL_CARDS | RANKS | CASHING | OTHERS | ORDER | DOMINANCE

SEATS, TOTAL, MANY_TRICKS, AGE, FLAGS, NODES = range(6)
"""Numbers of a search: the seats; thirds of the deal in all, the last trick's three included; whether all but one
of its tricks are a feat; the age of the table's entries; the enhancements; a count of the positions searched."""
NUMBERS = 6
_UNKNOWN = np.int64(-1000)


class Work(NamedTuple):
    """The arrays of a search, all int64.

    ``owned`` (4,): the hands; ``numbers`` (NUMBERS,); ``tables``: see `suit_tables`; ``memory``: see `memory`;
    ``stack`` (DEPTH, FRAME), its last row free for the caller; ``moves`` and ``scores`` (DEPTH, WIDTH).
    """

    owned: Int64Array
    numbers: Int64Array
    tables: Int64Array
    memory: Int64Array
    stack: Int64Array
    moves: Int64Array
    scores: Int64Array


def new_work(memory: Int64Array) -> Work:
    """Return working space that uses this transposition table."""
    return Work(
        np.zeros(MOST_SEATS, np.int64),
        np.zeros(NUMBERS, np.int64),
        np.zeros((NUM_SUITS, SUIT_BITS + 1, NUM_TABLES), np.int64),
        memory,
        *(np.zeros(shape, np.int64) for shape in ((DEPTH, FRAME), (DEPTH, WIDTH), (DEPTH, WIDTH))),
    )


@compiled()
def search(work: Work, first_move: np.int64) -> np.int64:
    """Return a bound of the value of the state in ``work.stack[0]``: its ``NEED`` or more if the value is, else less.

    `first_move`: the only card to try first, or -1 for any.
    """
    stack, numbers = work.stack, work.numbers
    depth = 0
    _clear_path(stack[0])
    while True:
        state = stack[depth]
        numbers[NODES] += 1
        value, deciding = _UNKNOWN, np.int64(0)
        if first_move < 0:  # what is known of the state holds for its best play, which may be another
            value, deciding = _without_search(state, work)
        if value == _UNKNOWN:
            state[_MOVES], deciding = _plays(first_move, state, work, depth)
            first_move = np.int64(-1)
            if state[_MOVES] == 1:
                state[DECIDED] |= deciding
                play(state, work.moves[depth, 0], work)
                continue
            state[_NEXT], state[_DECIDING], state[_BEST_VALUE] = 0, deciding, _UNKNOWN
        else:
            value = _above(state, value, numbers[TOTAL])
            deciding |= state[DECIDED]
            found = False
            while depth > 0 and not found:
                depth -= 1
                state = stack[depth]
                found = not _finished(state, value, deciding)
                if not found:
                    value, deciding = state[_BEST_VALUE], state[_DECIDING]
                    if state[PLACE] == 0 and numbers[FLAGS] & MEMORY:
                        _store(state, value, deciding, work)
                    value = _above(state, value, numbers[TOTAL])
                    deciding |= state[DECIDED]
            if not found:
                return value
        below = stack[depth + 1]
        for field in range(STATE):
            below[field] = state[field]
        _clear_path(below)
        state[_NEXT] += 1
        play(below, work.moves[depth, state[_NEXT] - 1], work)
        depth += 1


@compiled(inline=True)
def _clear_path(state: Int64Array) -> None:
    state[GAIN], state[DECIDED], state[BASE_AFTER] = 0, 0, -1


@compiled(inline=True)
def _above(state: Int64Array, value: np.int64, total: np.int64) -> np.int64:
    """Return a value as seen from the play above: with what was won between."""
    value += state[GAIN]
    return points(state[BASE_AFTER] + value, total) if state[BASE_AFTER] >= 0 else value


@compiled()
def _finished(state: Int64Array, value: np.int64, deciding: np.int64) -> bool:
    """Take in what a play is worth; return whether no more need be tried.

    A result that refutes needs only the cards that decided below it, any other those of every play.
    """
    best = state[_BEST_VALUE]
    if state[SEAT] & 1 == 0:
        refutes = value >= state[NEED]
        better = best == _UNKNOWN or value > best
    else:
        refutes = value < state[NEED]
        better = best == _UNKNOWN or value < best
    if better:
        state[_BEST_VALUE] = value
    state[_DECIDING] = deciding if refutes else state[_DECIDING] | deciding
    return refutes or state[_NEXT] == state[_MOVES]


@compiled()
def play(state: Int64Array, card: np.int64, work: Work) -> None:
    """Play a card, and settle the trick that it ends."""
    suit = SUIT[card]
    if state[PLACE] == 0:
        state[LED], state[WORTH], state[CONTESTED] = suit, VALUE[card], 0
        _take_the_lead(state, card, work.owned)
    else:
        state[WORTH] += VALUE[card]
        if suit == state[LED]:
            state[CONTESTED] = 1
            if card > state[BEST]:
                _take_the_lead(state, card, work.owned)
    state[CARDS] &= ~(np.int64(1) << card)
    seats = work.numbers[SEATS]
    if state[PLACE] < seats - 1:
        state[PLACE] += 1
        state[SEAT] = (state[SEAT] + 1) & (seats - 1)
    else:
        _end_trick(state, work.numbers)


@compiled(inline=True)
def _take_the_lead(state: Int64Array, card: np.int64, owned: Int64Array) -> None:
    """Make a card the best of the trick; note the weakest card that would have done the same."""
    hand = owned[state[SEAT]] & state[CARDS]
    separating = state[CARDS] & ~hand
    if state[PLACE] > 0:
        separating |= np.int64(1) << state[BEST]
    low, below = card, card - 1
    while below >= NUM_RANKS * SUIT[card] and not (separating >> below) & 1:
        if (hand >> below) & 1 and CLASS[below] == CLASS[card]:
            low = below
        below -= 1
    state[BEST], state[LOW], state[WINNER] = card, low, state[SEAT]


@compiled(inline=True)
def _end_trick(state: Int64Array, numbers: Int64Array) -> None:
    winner, worth = state[WINNER], state[WORTH]
    gain = worth if winner & 1 == 0 else np.int64(0)
    if state[CONTESTED]:
        state[DECIDED] |= np.int64(1) << state[LOW]
    if state[BONUS] == 0:
        state[NEED] -= gain
        state[GAIN] += gain
    else:
        state[BASE] += gain
        state[BONUS] = after_trick(state[BONUS], winner, worth, numbers[MANY_TRICKS] == 1)
        if state[BONUS] == 0:
            state[BASE_AFTER] = state[BASE]
            state[NEED] = thirds_for(state[NEED], state[BASE], numbers[TOTAL])
            state[BASE] = 0
    state[SEAT], state[PLACE], state[LED], state[BEST] = winner, 0, -1, -1


@compiled(inline=True)
def legal_cards(state: Int64Array, work: Work) -> tuple[np.int64, np.int64]:
    """Return the cards that may be played, and those that keep two cards of the hand from being equal."""
    hand = work.owned[state[SEAT]] & state[CARDS]
    others = state[CARDS] & ~hand
    if state[PLACE] == 0:
        return hand, others
    following = hand & (np.int64(SUIT_BITS) << (NUM_RANKS * state[LED]))
    return following if following else hand, others | (np.int64(1) << state[BEST])


@compiled(inline=True)
def _plays(first_move: np.int64, state: Int64Array, work: Work, depth: int) -> tuple[np.int64, np.int64]:
    """Write the plays to try, in order; return how many they are, and the cards that decide why no others are."""
    moves, flags = work.moves[depth], work.numbers[FLAGS]
    if first_move >= 0:
        moves[0] = first_move
        return np.int64(1), np.int64(0)
    tried, separating = legal_cards(state, work)
    legal, deciding = tried, np.int64(0)
    if flags & EQUAL_CARDS:
        tried = distinct_cards(legal, separating)
    if tried & (tried - 1) == 0:
        moves[0] = weakest(tried)
        return np.int64(1), deciding
    seat, cards, seats, led, best = state[SEAT], state[CARDS], work.numbers[SEATS], state[LED], state[BEST]
    partner, opponents = np.int64(0), np.int64(0)
    for later in range(1, seats - state[PLACE]):
        hand = work.owned[(seat + later) & (seats - 1)] & cards
        if later & 1:
            opponents |= hand
        else:
            partner |= hand
    ours = state[PLACE] > 0 and (state[WINNER] ^ seat) & 1 == 0
    if flags & DOMINANCE and flags & EQUAL_CARDS:
        tried, deciding = without_dominated(tried, legal, separating, partner, opponents, led, best, ours)
    if flags & ORDER:
        scores = work.scores[depth]
        return order_moves(tried, separating, partner, opponents, led, best, ours, moves, scores), deciding
    return list_moves(tried, moves), deciding


@compiled()
def _without_search(state: Int64Array, work: Work) -> tuple[np.int64, np.int64]:
    """Return a bound that decides the state, and the cards that decide it; `_UNKNOWN` where search must."""
    if state[PLACE] > 0:
        return _UNKNOWN, np.int64(0)
    cards, need, flags = state[CARDS], state[NEED], work.numbers[FLAGS]
    left = thirds_in(cards) + 3
    if state[BONUS]:
        return _with_bonus(state, left, work)
    if need <= 0:
        return np.int64(0), np.int64(0)
    if need > left:
        return left, np.int64(0)
    if cards == 0:
        return (left if state[SEAT] & 1 == 0 else np.int64(0)), np.int64(0)
    if count(cards) == work.numbers[SEATS]:
        winner, deciding = last_trick(work.owned, cards, state[SEAT], work.numbers[SEATS])
        return (left if winner & 1 == 0 else np.int64(0)), deciding
    value, deciding = _certain(state, left, work)
    if value == _UNKNOWN and flags & MEMORY:
        return _remembered(state, work)
    return value, deciding


@compiled(inline=True)
def _certain(state: Int64Array, left: np.int64, work: Work) -> tuple[np.int64, np.int64]:
    """Return a bound by what either side takes for certain, if it decides the state."""
    seat, cards, need = state[SEAT], state[CARDS], state[NEED]
    hand, flags, tables = work.owned[seat] & cards, work.numbers[FLAGS], work.tables
    cash = cash_in(tables, cards)
    if flags & CASHING:
        thirds, users = leader_takes(tables, cash, cards, hand, seat, left)
        value = thirds if seat & 1 == 0 else left - thirds
        if (value >= need) == (seat & 1 == 0):
            return value, needed(tables, cards, users)
    if flags & OTHERS:
        thirds, users = others_take(tables, cash, cards, hand, seat, left)
        value = thirds if seat & 1 == 1 else left - thirds
        if (value >= need) == (seat & 1 == 1):
            return value, strongest_led(cards, hand) | needed(tables, cards, users)
    return _UNKNOWN, np.int64(0)


@compiled()
def _with_bonus(state: Int64Array, left: np.int64, work: Work) -> tuple[np.int64, np.int64]:
    """`_without_search` while a bonus can still be won: values are final differences in points."""
    cards, need, reach, base = state[CARDS], state[NEED], state[BONUS], state[BASE]
    total = work.numbers[TOTAL]
    if cards == 0:
        final = base + left if state[SEAT] & 1 == 0 else base
        return points(final, total) + won_by_side_0(reach), np.int64(0)
    if count(cards) == work.numbers[SEATS]:
        winner, deciding = last_trick(work.owned, cards, state[SEAT], work.numbers[SEATS])
        final = base + left if winner & 1 == 0 else base
        reach = after_trick(reach, winner, left - 3, work.numbers[MANY_TRICKS] == 1)
        return points(final, total) + won_by_side_0(reach), deciding
    most = points(base + left, total) + most_for_side(reach, 0)
    if most < need:
        return most, np.int64(0)
    least = points(base, total) - most_for_side(reach, 1)
    if least >= need:
        return least, np.int64(0)
    if work.numbers[FLAGS] & MEMORY:
        return _remembered(state, work)
    return _UNKNOWN, np.int64(0)


@compiled(inline=True)
def _remembered(state: Int64Array, work: Work) -> tuple[np.int64, np.int64]:
    """Return a stored bound that decides the state, if there is one; note the state's shape for storing."""
    tables, memory, cards = work.tables, work.memory, state[CARDS]
    first, second = shape_of(tables, cards, state[SEAT], state[BASE], state[BONUS])
    state[_FIRST], state[_SECOND] = first, second
    any_age = work.numbers[FLAGS] == ALL_ENHANCEMENTS  # else each position is solved as if it were the first
    known, value, deciding = recall(memory, first, second, tables, cards, state[NEED], work.numbers[AGE], any_age)
    return (value, deciding) if known else (_UNKNOWN, np.int64(0))


@compiled(inline=True)
def _store(state: Int64Array, value: np.int64, deciding: np.int64, work: Work) -> None:
    """Store the bound found for a state at the start of a trick."""
    tables, memory, numbers = work.tables, work.memory, work.numbers
    cards, first, second = state[CARDS], state[_FIRST], state[_SECOND]
    kept = deciding if numbers[FLAGS] & RANKS else cards
    is_lower = value >= state[NEED]
    remember(memory, first, second, tables, cards, value, is_lower, kept, numbers[AGE])

"""Positions described by lists of cards, as people and tests write them (CONTRACT §9)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from agents.search.bonuses import bonus_in_reach
from agents.search.positions import TABLE, Positions
from tressette_env.cards import SUIT_MASK_OF_CARD, IntArray, UInt64Array, bitboard_of, card_text, cards_text, thirds_of
from tressette_env.rules import Rules
from tressette_env.scoring import whole_suit

Play = tuple[int, int]
"""A seat and the card it played."""


def position_from(
    hands: Sequence[Iterable[int]],
    player: int,
    trick: Sequence[Play],
    thirds: Sequence[int],
    tricks: Sequence[Sequence[Play]],
    rules: Rules,
) -> Positions:
    """Return one position, see `agents.search.solve` for the arguments; ``ValueError`` says what is wrong with them."""
    try:
        held = [[_card(card, f"hand of seat {seat}", rules) for card in hand] for seat, hand in enumerate(hands)]
        table = _plays(trick, "trick", rules)
        played = [_plays(past, f"tricks[{number}]", rules) for number, past in enumerate(tricks)]
        given = _thirds(thirds)
    except TypeError as error:
        raise ValueError(
            f"hands must hold one sequence of ids a seat, trick (seat, card) pairs, tricks lists of such, thirds two "
            f"numbers: {error}"
        ) from error
    _check_turn(_seat(player, "player", rules.seats), table, rules.seats)
    _check_tricks(table, played, rules)
    _check_sizes(held, table, len(played), rules)
    _check_cards_differ(held, [*played, table])
    dealt = _dealt(held, [*played, table])
    _check_followed(dealt, played, table)
    leader = table[0][0] if table else player
    taken, takers = _count_tricks(played, leader, rules.seats)
    first = played[0][0][0] if played else leader
    return Positions(
        hands=np.array([[bitboard_of(hand) for hand in held]], np.uint64),
        leader=np.array([leader], np.int64),
        table=np.array([[card for _, card in table] + [-1] * (TABLE - len(table))], np.int8),
        thirds=given if given.any() else thirds_of(taken.T),
        bonus=_bonus(dealt[first], first, taken, takers, rules),
    )


def _card(card: int, where: str, rules: Rules) -> int:
    if isinstance(card, bool) or not isinstance(card, int | np.integer) or int(card) not in rules.pack:
        raise ValueError(f"{card!r} in the {where} is no card of the pack: use ids from 0 to 39")
    return int(card)


def _seat(seat: int, what: str, seats: int) -> int:
    if isinstance(seat, bool) or not isinstance(seat, int | np.integer) or not 0 <= seat < seats:
        raise ValueError(f"{what} is {seat!r}: it must be a seat from 0 to {seats - 1}")
    return int(seat)


def _plays(trick: Sequence[Play], name: str, rules: Rules) -> list[Play]:
    """Return the plays of a trick, checked: seats in turn, cards of the pack."""
    plays = []
    for play in trick:
        if len(play) != 2:
            raise ValueError(f"{name} must hold (seat, card) pairs, not {play!r}")
        plays.append((_seat(play[0], f"a seat in {name}", rules.seats), _card(play[1], name, rules)))
    for (before, _), (after, _) in pairwise(plays):
        if after != (before + 1) % rules.seats:
            raise ValueError(f"{name}: after seat {before} comes seat {(before + 1) % rules.seats}, not {after}")
    return plays


def _thirds(thirds: Sequence[int]) -> IntArray:
    """Return the thirds taken so far as given, (1, 2)."""
    numbers = [t for t in thirds if isinstance(t, int | np.integer) and not isinstance(t, bool) and 0 <= t <= 99]
    if len(thirds) != 2 or len(numbers) != 2:
        raise ValueError(f"thirds is {thirds!r}: it must be two whole numbers from 0 to 99, of side 0 and of side 1")
    return np.array([numbers], np.int64)


def _check_turn(player: int, table: list[Play], seats: int) -> None:
    if table and (table[-1][0] + 1) % seats != player:
        raise ValueError(
            f"player is {player}, but after seat {table[-1][0]} it is seat {(table[-1][0] + 1) % seats}'s turn"
        )


def _check_tricks(table: list[Play], played: list[list[Play]], rules: Rules) -> None:
    seats = rules.seats
    if len(table) >= seats:
        raise ValueError(f"trick has {len(table)} cards: at most {seats - 1} are on the table before a seat moves")
    if played and rules.variant != "historical":
        raise ValueError(f"tricks are for historical alone, where bonuses depend on them, not for {rules.variant}")
    for number, trick in enumerate(played):
        if len(trick) != seats:
            raise ValueError(f"tricks[{number}] has {len(trick)} cards: a trick that was played has {seats}")


def _check_sizes(held: list[list[int]], table: list[Play], tricks: int, rules: Rules) -> None:
    if len(held) != rules.seats:
        raise ValueError(f"hands has {len(held)} hands: {rules.variant} has {rules.seats} seats")
    sizes = [len(hand) for hand in held]
    for seat, _ in table:
        sizes[seat] += 1
    if len(set(sizes)) > 1 or not 0 < sizes[0] <= rules.num_tricks:
        raise ValueError(
            f"with the cards on the table the seats hold {', '.join(map(str, sizes))} cards: "
            f"all must hold equally many, from 1 to {rules.num_tricks}"
        )
    if tricks and tricks + sizes[0] != rules.num_tricks:
        raise ValueError(
            f"{tricks} tricks played and {sizes[0]} to play: a deal has {rules.num_tricks} (leave tricks out to "
            "solve without a bonus)"
        )


def _check_cards_differ(held: list[list[int]], tricks: list[list[Play]]) -> None:
    cards = [card for hand in held for card in hand] + [card for trick in tricks for _, card in trick]
    twice = sorted({card for card in cards if cards.count(card) > 1})
    if twice:
        raise ValueError(f"{cards_text(twice)} twice: every card is in one hand or was played once")


def _dealt(held: list[list[int]], tricks: list[list[Play]]) -> list[list[int]]:
    """Return each seat's hand before these tricks."""
    hands = [list(hand) for hand in held]
    for trick in tricks:
        for seat, card in trick:
            hands[seat].append(card)
    return hands


def _check_followed(dealt: list[list[int]], played: list[list[Play]], table: list[Play]) -> None:
    """Check that every card follows suit if its seat could; `dealt`: the hands before the first of these tricks."""
    hands = [set(hand) for hand in dealt]
    names = [f"tricks[{number}]" for number in range(len(played))] + ["trick"]
    for name, trick in zip(names, [*played, table], strict=True):
        for seat, card in trick:
            led = trick[0][1]
            suit = int(SUIT_MASK_OF_CARD[led])
            hands[seat].remove(card)
            could = sorted(other for other in hands[seat] if suit >> other & 1)
            if could and not suit >> card & 1:
                raise ValueError(
                    f"{name}: seat {seat} played {card_text(card)} on {card_text(led)} but had {cards_text(could)} "
                    "to follow suit with"
                )


def _count_tricks(played: list[list[Play]], leader: int, seats: int) -> tuple[UInt64Array, IntArray]:
    """Return the cards taken by each side, (2, 1), and the tricks of each seat, (seats, 1); check who led next."""
    taken, takers = np.zeros((2, 1), np.uint64), np.zeros((seats, 1), np.int64)
    leaders = [trick[0][0] for trick in played[1:]] + [leader]
    for number, (trick, next_leader) in enumerate(zip(played, leaders, strict=False)):
        suit = int(SUIT_MASK_OF_CARD[trick[0][1]])
        winner = max((card, seat) for seat, card in trick if suit >> card & 1)[1]
        if next_leader != winner:
            raise ValueError(f"seat {winner} took tricks[{number}], so it leads next, not seat {next_leader}")
        taken[winner & 1] |= np.uint64(bitboard_of(card for _, card in trick))
        takers[winner] += 1
    return taken, takers


def _bonus(hand: list[int], leader: int, taken: UInt64Array, takers: IntArray, rules: Rules) -> IntArray:
    """Return which bonuses can be won, (1,); `hand`: the leader's before the first trick that is known."""
    if len(hand) != rules.num_tricks:  # tricks before that are not known
        return np.zeros(1, np.int64)
    one_suit = leader & 1 if whole_suit(np.array([bitboard_of(hand)], np.uint64), rules)[0] else -1
    return bonus_in_reach(taken, takers, np.array([one_suit]), rules)

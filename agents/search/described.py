"""Positions described by lists of cards, as people and tests write them (CONTRACT §9)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from agents.search.bonuses import bonus_in_reach
from agents.search.positions import TABLE, Positions
from tressette_env.cards import SUIT_MASK_OF_CARD, IntArray, bitboard_of, card_text, cards_text, thirds_of
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
        return _checked(hands, player, trick, thirds, tricks, rules)
    except TypeError as error:
        raise ValueError(
            f"hands must hold one sequence of ids a seat, trick (seat, card) pairs, tricks lists of such, thirds two "
            f"numbers: {error}"
        ) from error


def _checked(
    hands: Sequence[Iterable[int]],
    player: int,
    trick: Sequence[Play],
    thirds: Sequence[int],
    tricks: Sequence[Sequence[Play]],
    rules: Rules,
) -> Positions:
    seats = rules.seats
    if len(hands) != seats:
        raise ValueError(f"hands has {len(hands)} hands: {rules.variant} has {seats} seats")
    held = [[_card(card, f"hand of seat {seat}", rules) for card in hand] for seat, hand in enumerate(hands)]
    _seat(player, "player", seats)
    table = _checked_trick(trick, "trick", rules)
    if len(table) >= seats:
        raise ValueError(f"trick has {len(table)} cards: at most {seats - 1} are on the table before a seat moves")
    played = [_checked_trick(past, f"tricks[{number}]", rules) for number, past in enumerate(tricks)]
    if played and rules.variant != "historical":
        raise ValueError(f"tricks are for historical alone, where bonuses depend on them, not for {rules.variant}")
    if table and (table[-1][0] + 1) % seats != player:
        raise ValueError(
            f"player is {player}, but after seat {table[-1][0]} it is seat {(table[-1][0] + 1) % seats}'s turn"
        )
    _check_cards_differ(held, [*played, table])
    _check_sizes(held, table, played, rules)
    _check_followed(held, table)
    leader = table[0][0] if table else player
    taken, takers = _count_tricks(played, leader, seats)
    return Positions(
        hands=np.array([[bitboard_of(hand) for hand in held]], np.uint64),
        leader=np.array([leader], np.int64),
        table=np.array([[card for _, card in table] + [-1] * (TABLE - len(table))], np.int8),
        thirds=_checked_thirds(thirds, taken),
        bonus=_bonus(held, table, played, leader, taken, takers, rules),
    )


def _card(card: int, where: str, rules: Rules) -> int:
    if isinstance(card, bool) or not isinstance(card, int | np.integer) or int(card) not in rules.pack:
        raise ValueError(f"{card!r} in the {where} is no card of the pack: use ids from 0 to 39")
    return int(card)


def _seat(seat: int, what: str, seats: int) -> int:
    if isinstance(seat, bool) or not isinstance(seat, int | np.integer) or not 0 <= seat < seats:
        raise ValueError(f"{what} is {seat!r}: it must be a seat from 0 to {seats - 1}")
    return int(seat)


def _checked_trick(trick: Sequence[Play], name: str, rules: Rules) -> list[Play]:
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


def _check_cards_differ(held: list[list[int]], tricks: list[list[Play]]) -> None:
    cards = [card for hand in held for card in hand] + [card for trick in tricks for _, card in trick]
    twice = sorted({card for card in cards if cards.count(card) > 1})
    if twice:
        raise ValueError(f"{cards_text(twice)} twice: every card is in one hand or was played once")


def _check_sizes(held: list[list[int]], table: list[Play], played: list[list[Play]], rules: Rules) -> None:
    sizes = [len(hand) for hand in held]
    for seat, _ in table:
        sizes[seat] += 1
    if len(set(sizes)) > 1 or not 0 < sizes[0] <= rules.num_tricks:
        raise ValueError(
            f"with the cards on the table the seats hold {', '.join(map(str, sizes))} cards: "
            f"all must hold equally many, from 1 to {rules.num_tricks}"
        )
    if played and len(played) + sizes[0] != rules.num_tricks:
        raise ValueError(
            f"{len(played)} tricks played and {sizes[0]} to play: a deal has {rules.num_tricks} (leave tricks out to "
            "solve without a bonus)"
        )


def _check_followed(held: list[list[int]], table: list[Play]) -> None:
    for seat, card in table[1:]:
        suit = int(SUIT_MASK_OF_CARD[table[0][1]])
        could = [other for other in held[seat] if suit >> other & 1]
        if not suit >> card & 1 and could:
            raise ValueError(
                f"seat {seat} played {card_text(card)} on {card_text(table[0][1])} but holds {cards_text(could)}"
            )


def _count_tricks(played: list[list[Play]], leader: int, seats: int) -> tuple[list[int], list[int]]:
    """Return the cards taken by each side (bitboards) and the tricks of each seat; check who led the tricks."""
    taken, takers = [0, 0], [0] * seats
    leaders = [trick[0][0] for trick in played] + [leader]
    for number, trick in enumerate(played):
        if len(trick) != seats:
            raise ValueError(f"tricks[{number}] has {len(trick)} cards: a trick that was played has {seats}")
        suit = int(SUIT_MASK_OF_CARD[trick[0][1]])
        winner = max((card, seat) for seat, card in trick if suit >> card & 1)[1]
        if leaders[number + 1] != winner:
            raise ValueError(f"seat {winner} took tricks[{number}], so it leads next, not seat {leaders[number + 1]}")
        taken[winner & 1] |= bitboard_of(card for _, card in trick)
        takers[winner] += 1
    return taken, takers


def _checked_thirds(thirds: Sequence[int], taken: list[int]) -> IntArray:
    """Return the thirds taken so far, (1, 2): as given, or if only the tricks are, what is in these."""
    numbers = [t for t in thirds if isinstance(t, int | np.integer) and not isinstance(t, bool) and 0 <= t <= 99]
    if len(thirds) != 2 or len(numbers) != 2:
        raise ValueError(f"thirds is {thirds!r}: it must be two whole numbers from 0 to 99, of side 0 and of side 1")
    if not any(numbers):
        numbers = [int(part) for part in thirds_of(np.array(taken, np.uint64))]
    return np.array([numbers], np.int64)


def _bonus(
    held: list[list[int]],
    table: list[Play],
    played: list[list[Play]],
    leader: int,
    taken: list[int],
    takers: list[int],
    rules: Rules,
) -> IntArray:
    """Return which bonuses can be won, (1,): none when the tricks before are not given."""
    if len(played) + max(map(len, held)) != rules.num_tricks:
        return np.zeros(1, np.int64)
    first = played[0][0][0] if played else leader
    dealt = held[first] + [card for trick in [*played, table] for seat, card in trick if seat == first]
    one_suit = first & 1 if whole_suit(np.array([bitboard_of(dealt)], np.uint64), rules)[0] else -1
    return bonus_in_reach(
        np.array(taken, np.uint64)[:, None], np.array(takers, np.int64)[:, None], np.array([one_suit]), rules
    )

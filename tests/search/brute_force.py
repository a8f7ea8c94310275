"""Every line of play tried, from the rules alone: what the solver must agree with."""

from __future__ import annotations

import numpy as np
from numba import njit

from tests.oracle import rank_of, suit_of, value_in_thirds


@njit
def thirds_by_brute_force(hands, seats, leader, place, seat, led, best, winner, worth):  # type: ignore[no-untyped-def]
    """Thirds that side 0 still takes, the last trick as three; `hands` (4,) int64 bitboards, changed and restored."""
    if place == seats:
        gain = worth if winner % 2 == 0 else 0
        left = 0
        for other in range(seats):
            left |= hands[other]
        if left == 0:
            return gain + 3 if winner % 2 == 0 else gain
        return gain + thirds_by_brute_force(hands, seats, winner, 0, winner, -1, -1, winner, 0)
    must_follow = place > 0 and (hands[seat] >> (10 * led)) & 1023 != 0
    result = -1
    for card in range(40):
        if not (hands[seat] >> card) & 1 or (must_follow and card // 10 != led):
            continue
        rank = card % 10
        points = worth + (3 if rank == 7 else 1 if rank >= 4 else 0)
        hands[seat] ^= 1 << card
        if place == 0:
            value = thirds_by_brute_force(hands, seats, leader, 1, (seat + 1) % seats, card // 10, card, seat, points)
        elif card // 10 == led and card > best:
            value = thirds_by_brute_force(hands, seats, leader, place + 1, (seat + 1) % seats, led, card, seat, points)
        else:
            value = thirds_by_brute_force(
                hands, seats, leader, place + 1, (seat + 1) % seats, led, best, winner, points
            )
        hands[seat] ^= 1 << card
        if result < 0 or (value > result if seat % 2 == 0 else value < result):
            result = value
    return result


def thirds(hands: list[list[int]], leader: int) -> int:
    """Thirds that side 0 still takes from the start of a trick, the last trick as three."""
    boards = np.zeros(4, np.int64)
    for seat, hand in enumerate(hands):
        boards[seat] = sum(1 << card for card in hand)
    return int(thirds_by_brute_force(boards, len(hands), leader, 0, leader, -1, -1, leader, 0))


def legal(hand: list[int], trick: list[tuple[int, int]]) -> list[int]:
    following = [card for card in hand if trick and suit_of(card) == suit_of(trick[0][1])]
    return following or hand


def final_points(
    hands: list[list[int]],
    player: int,
    trick: list[tuple[int, int]],
    tricks: list[list[tuple[int, int]]],
    historical: bool,
) -> dict[int, int]:
    """Final points of the mover's side minus the other's for each legal card; `tricks`: all that were played."""
    seats = len(hands)
    values = {}
    for card in legal(hands[player], trick):
        after = [[c for c in hand if c != card] for hand in hands]
        now = [*trick, (player, card)]
        if len(now) < seats:
            rest = final_points(after, (player + 1) % seats, now, tricks, historical)
            best = max(rest.values())
            values[card] = best if seats == 4 and (player + 1) % 2 == player % 2 else -best
            continue
        winner = taker(now)
        played = [*tricks, now]
        if any(after):
            best = max(final_points(after, winner, [], played, historical).values())
            values[card] = best if winner % 2 == player % 2 else -best
        else:
            margin = side_0_margin(played, historical)
            values[card] = margin if player % 2 == 0 else -margin
    return values


def taker(trick: list[tuple[int, int]]) -> int:
    """The seat whose card is the strongest of the suit led."""
    return max((card, seat) for seat, card in trick if suit_of(card) == suit_of(trick[0][1]))[1]


def side_0_margin(tricks: list[list[tuple[int, int]]], historical: bool) -> int:
    """Points of side 0 minus those of side 1 at the end, bonus included (RULES §2, §7)."""
    takers = [taker(trick) for trick in tricks]
    cards = [
        [card for trick, seat in zip(tricks, takers, strict=True) if seat % 2 == side for _, card in trick]
        for side in (0, 1)
    ]
    margin = value_in_thirds(cards[0]) // 3 - value_in_thirds(cards[1]) // 3 + (1 if takers[-1] % 2 == 0 else -1)
    if not historical:
        return margin
    for side in (0, 1):
        own = [seat for seat in takers if seat % 2 == side]
        conceded = cards[1 - side]
        worthless = sum(rank_of(card) in "32RCF" for card in conceded) <= 2 and not any(
            rank_of(c) == "A" for c in conceded
        )
        bonus = 0
        if len(own) == len(tricks):
            bonus = 4
            dealt = [card for trick in tricks for seat, card in trick if seat == tricks[0][0][0]]
            if own[0] == tricks[0][0][0] and len({suit_of(card) for card in dealt}) == 1:
                bonus = 16
        elif len(own) == len(tricks) - 1 and worthless:
            bonus = 6 if len(set(own)) == 1 else 3
        margin += bonus if side == 0 else -bonus
    return margin

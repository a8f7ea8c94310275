"""The historical game: declarations, wins by declarations alone, and bonuses."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pytest

from tests.games import dealt, oracles, random_cards, random_dealers, rich_decks
from tests.oracle import Oracle, combinations, value_in_thirds
from tressette_env import DealBatch, Rules
from tressette_env.cards import bitboard_of, card_id, card_ids, cards_of
from tressette_env.declarations import declare

HISTORICAL = Rules("historical")
SUIT = "3{0} 2{0} A{0} R{0} C{0} F{0} 7{0} 6{0} 5{0} 4{0}"
HANDS = [
    ("3B 3C 3D 3S 2B 2C 2D 2S AB AC", 14),
    ("3D 3C 3S 2D 2C 2S AD AC AS RD", 19),
    ("7D 7C 7S 7B", 4),
    ("7D 7C 7S", 3),
    ("RD RC RB", 1),
    ("RD RC RS RB", 4),
    ("CD CC CS", 1),
    ("FD FC FS FB", 4),
    ("5D 5C 5S 5B", 4),
    ("5D 5C 5S", 0),
    ("4D 4C 4B 6D 6C 6B", 0),
    ("3S 2S AS RS CS", 5),
    ("3S 2S AS CS", 3),
    ("3S 2S RS CS", 0),
    ("3S AS RS CS", 0),
    ("3D 3C 3B", 3),
    ("AD AC AS AB", 4),
    (SUIT.format("B"), 10),
    (SUIT.format("B").rsplit(" ", 1)[0], 9),
    ("3D 2D AD 3C 2C AC", 6),
]


@pytest.mark.parametrize(("text", "points"), HANDS)
def test_what_a_hand_declares(text: str, points: int) -> None:
    hand = card_ids(text)
    cards, declared = declare(np.array([bitboard_of(hand)], np.uint64), HISTORICAL)
    assert declared.tolist() == [points]
    shown = set().union(*(cards for cards, _ in combinations(hand, HISTORICAL)))
    assert set(cards_of(cards[0])) == shown


def test_the_cards_shown() -> None:
    hand = np.array([bitboard_of(card_ids("3S 2S AS CS 7S 3D 3C 4D 4C 4S"))], np.uint64)
    cards, points = declare(hand, HISTORICAL)
    assert set(cards_of(cards[0])) == set(card_ids("3S 2S AS 3D 3C"))
    assert points.tolist() == [6]


def test_one_hand_declares_at_most_19_and_a_pair_at_most_30() -> None:
    decks = rich_decks(HISTORICAL, 3000, seed=5)
    deals = dealt(HISTORICAL, decks, random_dealers(HISTORICAL, 3000, 5))
    assert deals.points.max() <= 30
    _, points = declare(deals.hands.reshape(-1), HISTORICAL)
    assert points.max() <= 19
    sums = points.reshape(-1, 4)
    assert (deals.points[deals.active] == (sums[:, :2] + sums[:, 2:])[deals.active]).all()


# Seat 1 holds three 3s, seat 2 three aces, nobody anything else.
THREES_AND_ACES = (
    "2D 2C 3B 4S 5B 6D 7C RS CB FD",
    "3D 3C 3S 4D 5C 6S 7B RD CC FS",
    "AD AC AB 4C 5S 6B 7D RC CS FB",
    "2S 2B AS 4B 5D 6C 7S RB CD FC",
)
QUIET = (
    "2D 2C 3B 4S 5B 6D 7C RS CB FD",
    "3D 3C AB 4D 5C 6S 7B RD CC FS",
    "AD AC 3S 4C 5S 6B 7D RC CS FB",
    "2S 2B AS 4B 5D 6C 7S RB CD FC",
)


def deal_of(hands: Sequence[str], leader: int = 0, scores: tuple[int, int] = (0, 0)) -> DealBatch:
    return dealt(HISTORICAL, [card_ids(" ".join(hands))], [(leader - 1) % 4], scores=[scores])


def test_hands_without_a_combination_declare_nothing() -> None:
    deal = deal_of(QUIET)
    assert deal.points.tolist() == [[0, 0]]
    assert not deal.view().declared.any()
    assert deal.active.all()


def test_the_first_to_reach_21_wins_before_a_card_is_played() -> None:
    deal = deal_of(THREES_AND_ACES, leader=1, scores=(18, 18))
    assert deal.done
    assert deal.player.tolist() == [-1]
    assert deal.legal.tolist() == [0]
    assert deal.points.tolist() == [[0, 3]]
    assert deal.thirds.tolist() == [[0, 0]]
    assert not deal.observe().any()
    assert not deal.observe(2).any()
    # Later seats do not declare: seat 2 would have made it 21:21.
    assert [cards_of(cards) for cards in deal.view().declared[:, 0]] == [[], card_ids("3D 3C 3S"), [], []]
    with pytest.raises(RuntimeError, match="no deal is active"):
        deal.step(np.array([0]))


def test_whoever_declares_first_wins() -> None:
    deal = deal_of(THREES_AND_ACES, leader=2, scores=(18, 18))
    assert deal.done
    assert deal.points.tolist() == [[3, 0]]


@pytest.mark.parametrize(
    ("scores", "over", "points"),
    [
        ((17, 17), False, [3, 3]),  # 20:20
        ((18, 17), True, [3, 3]),  # 18:20, then 21:20
        ((20, 18), True, [0, 3]),  # 20:21 at once
        ((20, 17), True, [3, 3]),
        ((0, 20), True, [0, 3]),
        ((0, 0), False, [3, 3]),
    ],
)
def test_21_is_tested_after_each_declaration(scores: tuple[int, int], over: bool, points: list[int]) -> None:
    deal = deal_of(THREES_AND_ACES, leader=1, scores=scores)
    assert deal.done == over == oracles(HISTORICAL, deal)[0].over
    assert deal.points.tolist() == [points]


def test_level_at_21_is_played_on() -> None:
    assert deal_of(QUIET, scores=(21, 21)).active.all()
    assert not deal_of(THREES_AND_ACES, scores=(21, 21)).active.any()


def test_a_row_won_by_declarations_does_not_stop_the_others() -> None:
    decks = rich_decks(HISTORICAL, 200, seed=3)
    dealers = random_dealers(HISTORICAL, 200, 3)
    scores = np.random.default_rng(3).integers(0, 21, size=(200, 2))
    deals = dealt(HISTORICAL, decks, dealers, scores=scores)
    games = oracles(HISTORICAL, deals)
    over = np.array([deal.over for deal in games])
    assert 20 < over.sum() < 180
    assert (deals.active == ~over).all()
    before = deals.points
    rng = np.random.default_rng(4)
    while not deals.done:
        cards = random_cards(deals, rng)
        cards[over] = rng.choice([-5, 99, 2**40])  # ignored
        deals.step(cards)
    assert (deals.points[over] == before[over]).all()
    assert (deals.ply == np.where(over, 0, 40)).all()
    assert ((deals.points - before)[~over].sum(axis=1) >= 11).all()


class Script(NamedTuple):
    """Cards that seats play in given tricks (from 0); the rest of the pack falls as it may."""

    cards: dict[int, dict[int, str]]
    leader: int = 0


def play_script(script: Script, tries: int = 4000) -> tuple[DealBatch, Oracle]:
    """Deal the other cards at random until the script can be played to the last card; play it."""
    rng = random.Random(0)
    scripted = {seat: {trick: card_id(text) for trick, text in cards.items()} for seat, cards in script.cards.items()}
    fixed = {card for cards in scripted.values() for card in cards.values()}
    for _ in range(tries):
        rest = [card for card in range(40) if card not in fixed]
        rng.shuffle(rest)
        deck: list[int] = []
        for seat in range(4):
            own = list(scripted.get(seat, {}).values())
            deck += own + [rest.pop() for _ in range(10 - len(own))]
        oracle = Oracle(HISTORICAL, deck, (script.leader - 1) % 4)
        while not oracle.over:
            wanted = scripted.get(oracle.player, {}).get(len(oracle.tricks))
            choices = oracle.legal() & ({wanted} if wanted is not None else oracle.legal() - fixed)
            if not choices:
                break
            oracle.play(rng.choice(sorted(choices)))
        if oracle.played_out:
            deal = dealt(HISTORICAL, [deck], [(script.leader - 1) % 4])
            for _, card in oracle.plays:
                deal.step(np.array([card]))
            return deal, oracle
    raise AssertionError("the script cannot be played")


MASTERS = dict(enumerate(["3D", "2D", "AD", "3C", "2C", "AC", "3S", "2S", "AS"]))
FIRST_EIGHT = {trick: card for trick, card in MASTERS.items() if trick < 8}


def last_trick(text: str, leader: int = 0) -> dict[int, str]:
    return {(leader + place) % 4: card for place, card in enumerate(text.split())}


def scripted(own: dict[int, dict[int, str]], last: dict[int, str]) -> Script:
    """The script `own` with the cards of the last trick added."""
    return Script({seat: {**own.get(seat, {}), 9: last[seat]} for seat in range(4)})


ALONE = {0: MASTERS}
BOTH = {0: {**FIRST_EIGHT, 8: "4S"}, 2: {8: "AS"}}  # the partner takes the ninth trick and leads the tenth

BONUS_CASES = [
    # name, script, bonus, points to side 0
    ("one figure conceded last", scripted(ALONE, last_trick("7B RB 6B 4B")), "strammassona", 6),
    ("7 6 R C is worthless", scripted(ALONE, last_trick("7B 6B CB RB")), "strammassona", 6),
    ("7 3 6 2: two figures are worthless", scripted(ALONE, last_trick("7B 3B 6B 2B")), "strammassona", 6),
    ("7 R C F is not", scripted(ALONE, last_trick("7B RB CB FB")), None, 0),
    ("an ace is not", scripted(ALONE, last_trick("7B AB 6B 4B")), None, 0),
    ("nine tricks alone, the tenth the partner's", scripted(ALONE, last_trick("7B 6B RB CB")), "callada", 4),
    ("all ten alone", scripted(ALONE, last_trick("3B 6B RB CB")), "calladona", 4),
    ("nine by both, one conceded", scripted(BOTH, last_trick("7B RB 6B CB", 2)), "strammasseta", 3),
    ("nine by both, three figures", scripted(BOTH, last_trick("7B RB FB CB", 2)), None, 0),
    ("nine by both, an ace", scripted(BOTH, last_trick("7B 6B 5B AB", 2)), None, 0),
    ("all ten by both", scripted(BOTH, last_trick("3B AB 6B CB", 2)), "callada", 4),
    (
        "two worthless tricks conceded",
        scripted({0: {**FIRST_EIGHT, 8: "4B"}, 1: {8: "CB"}, 2: {8: "5B"}, 3: {8: "6B"}}, last_trick("RB 7B 4D 4S", 1)),
        None,
        0,
    ),
]


@pytest.mark.parametrize(
    ("script", "name", "points"), [case[1:] for case in BONUS_CASES], ids=[case[0] for case in BONUS_CASES]
)
def test_bonuses(script: Script, name: str | None, points: int) -> None:
    deal, oracle = play_script(script)
    assert deal.bonus == [name]
    last_winner = oracle.tricks[-1].winner
    expected = list(oracle.declared_points)
    for side in (0, 1):
        expected[side] += value_in_thirds(oracle.taken(side)) // 3 + (last_winner % 2 == side)
    assert deal.points.tolist() == [[expected[0] + points, expected[1]]] == [oracle.points()]


def test_the_conceded_trick_may_be_the_first() -> None:
    masters = {trick + 1: card for trick, card in MASTERS.items()}
    # Seat 0 takes the first trick, leads a denaro to the 3 of seat 3, who keeps the lead.
    script = Script({3: {0: "4B", **masters}, 0: {0: "7B", 1: "4D"}, 1: {0: "6B"}, 2: {0: "5B"}}, leader=3)
    deal, oracle = play_script(script)
    assert [trick.winner for trick in oracle.tricks] == [0] + [3] * 9
    assert deal.bonus == ["strammassona"]
    assert (deal.points[0] - oracle.declared_points).tolist() == [0, 11 + 6]


def test_a_leader_with_ten_cards_of_one_suit_makes_the_calladondriona() -> None:
    hands = [SUIT.format(suit) for suit in "DCSB"]
    deal = deal_of(hands, leader=0)
    assert deal.points.tolist() == [[20, 20]]
    while not deal.done:
        deal.step(np.array([cards_of(deal.legal[0])[0]]))
    assert deal.bonus == ["calladondriona"]
    assert deal.points.tolist() == [[20 + 11 + 16, 20]]


@pytest.mark.parametrize("leader", [1, 2, 3])
def test_ten_cards_of_one_suit_off_the_lead_take_no_trick(leader: int) -> None:
    others = list(range(10, 40))
    random.Random(leader).shuffle(others)
    deck = [*range(10), *others]
    deal = dealt(HISTORICAL, [deck], [leader - 1])
    oracle = oracles(HISTORICAL, deal)[0]
    rng = np.random.default_rng(leader)
    while not deal.done:
        cards = random_cards(deal, rng)
        deal.step(cards)
        oracle.play(int(cards[0]))
    assert oracle.tricks_of(0) == 0
    assert deal.bonus != ["calladondriona"]
    assert deal.points.tolist() == [oracle.points()]


def test_the_modern_game_knows_no_bonus_and_no_declaration() -> None:
    deck = card_ids(" ".join(SUIT.format(suit) for suit in "DCSB"))
    deal = dealt(Rules("partners"), [deck], [3])
    while not deal.done:
        deal.step(np.array([cards_of(deal.legal[0])[0]]))
    assert deal.bonus == [None]
    assert deal.points.tolist() == [[11, 0]]

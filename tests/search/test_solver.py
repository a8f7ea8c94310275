"""The exact solver against every line of play, against itself without each enhancement, and under symmetries."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from agents.search import card_points, double_dummy, final_points, solve, thirds_to_come
from agents.search.positions import Positions, positions_of
from agents.search.solver import NO_VALUE
from tests.games import random_cards
from tests.search import brute_force
from tests.search.endings import ENDINGS
from tests.search.playing import scattered
from tressette_env import DealBatch, Rules
from tressette_env.cards import card_id, card_ids, popcount

SEATS = {"two_player": 2, "partners": 4, "historical": 4}
SOLVED = Path(__file__).parent.parent / "data" / "solved_deals.json"
Hands = list[list[int]]


def random_hands(seats: int, size: int, rng: np.random.Generator, pack: list[int] | None = None) -> Hands:
    cards = rng.permutation(pack or 40)[: seats * size].tolist()
    return [cards[seat * size : (seat + 1) * size] for seat in range(seats)]


def positions(deals: list[tuple[Hands, int]]) -> Positions:
    """Positions at the start of a trick, with nothing taken yet and no bonus to win."""
    number = len(deals)
    return Positions(
        np.array([[sum(1 << card for card in hand) for hand in hands] for hands, _ in deals], np.uint64),
        np.array([leader for _, leader in deals]),
        np.full((number, 4), -1, np.int8),
        np.zeros((number, 2), np.int64),
        np.zeros(number, np.int64),
    )


def random_deals(variant: str, size: int, number: int, seed: int) -> list[tuple[Hands, int]]:
    rng = np.random.default_rng(seed)
    seats = SEATS[variant]
    return [(random_hands(seats, size, rng), int(rng.integers(seats))) for _ in range(number)]


@pytest.mark.parametrize(
    ("variant", "size", "number"),
    [("two_player", 4, 2000), ("two_player", 5, 2000), ("partners", 4, 1000), ("partners", 5, 12)],
)
def test_thirds_equal_brute_force(variant: str, size: int, number: int) -> None:
    deals = random_deals(variant, size, number, seed=size)
    found = thirds_to_come(positions(deals), Rules(variant))
    assert found.tolist() == [brute_force.thirds(hands, leader) for hands, leader in deals]


@pytest.mark.parametrize(
    ("variant", "size", "number"),
    [("two_player", 4, 300), ("two_player", 5, 60), ("partners", 3, 300), ("partners", 4, 20)],
)
def test_values_of_all_cards_equal_brute_force_from_the_middle_of_a_trick_too(
    variant: str, size: int, number: int
) -> None:
    rng = np.random.default_rng(7)
    seats = SEATS[variant]
    for hands, leader in random_deals(variant, size, number, seed=1):
        trick: list[tuple[int, int]] = []
        for place in range(int(rng.integers(seats))):
            seat = (leader + place) % seats
            card = int(rng.choice(brute_force.legal(hands[seat], trick)))
            hands[seat] = [other for other in hands[seat] if other != card]
            trick.append((seat, card))
        player = (leader + len(trick)) % seats
        expected = brute_force.final_points(hands, player, trick, [], historical=False)
        assert solve(hands, player, trick, variant=variant) == expected


@pytest.mark.parametrize(("pack", "size", "number"), [("A23", 3, 150), ("7RA3", 4, 12), ("4CA3", 4, 12)])
def test_historical_values_include_the_bonus(pack: str, size: int, number: int) -> None:
    """Mini deals, where few tricks make every bonus common, from the start, after tricks, and in the middle of one."""
    rules = Rules("historical", ranks=pack, hand=size)
    rng = np.random.default_rng(3)
    for _ in range(number):
        hands = random_hands(4, size, rng, rules.pack)
        leader = int(rng.integers(4))
        tricks: list[list[tuple[int, int]]] = []
        for _ in range(int(rng.integers(size - 1))):
            trick: list[tuple[int, int]] = []
            for place in range(4):
                seat = (leader + place) % 4
                card = int(rng.choice(brute_force.legal(hands[seat], trick)))
                hands[seat] = [other for other in hands[seat] if other != card]
                trick.append((seat, card))
            tricks.append(trick)
            leader = brute_force.taker(trick)
        table: list[tuple[int, int]] = []
        for place in range(int(rng.integers(4))):
            seat = (leader + place) % 4
            card = int(rng.choice(brute_force.legal(hands[seat], table)))
            hands[seat] = [other for other in hands[seat] if other != card]
            table.append((seat, card))
        player = (leader + len(table)) % 4
        expected = brute_force.final_points(hands, player, table, tricks, historical=True)
        assert solve(hands, player, table, tricks=tricks, variant=rules) == expected


def test_ten_of_one_suit_on_lead_earn_sixteen() -> None:
    hands = [list(range(10 * suit, 10 * suit + 10)) for suit in range(4)]
    assert set(solve(hands, 2, variant="historical").values()) == {11 + 16}
    first = [(2, 20), (3, 30), (0, 0), (1, 10)]
    rest = [[card for card in hand if (seat, card) not in first] for seat, hand in enumerate(hands)]
    assert set(solve(rest, 2, tricks=[first], variant="historical").values()) == {11 + 16}
    assert set(solve(hands, 2, variant="partners").values()) == {11}


@pytest.mark.parametrize("variant", ["two_player", "partners", "historical"])
def test_values_are_what_is_left_at_the_end_of_real_games(variant: str) -> None:
    """At each ply the best value of the mover is that of its best card's position, floors and bonus included."""
    rules = Rules(variant)
    deals = DealBatch(40, rules)
    deals.reset(seed=5)
    rng = np.random.default_rng(0)
    while not deals.done:
        solved = deals.active & (deals.ply >= 40 - 5 * rules.seats)
        if not solved.any():
            deals.step(random_cards(deals, rng))
            continue
        rows = np.flatnonzero(solved)
        seats = deals.player[rows]
        values = card_points(positions_of(deals.view().take(rows), deals.hands[rows]), rules).astype(int)
        assert ((values != NO_VALUE) == deals.legal_mask()[rows]).all()
        cards = np.zeros(deals.num_deals, np.int64)
        cards[rows] = values.argmax(axis=1)
        deals.step(cards, rows=solved)
        after = deals.points - deals.view().declared_points
        margin = after[rows, 0] - after[rows, 1]
        going = deals.active[rows]
        if going.any():
            rest = rows[going]
            view = deals.view().take(rest)
            margin[going] = final_points(positions_of(view, deals.hands[rest]), rules)
        assert (values.max(axis=1) == np.where(seats % 2 == 0, margin, -margin)).all()


@pytest.mark.parametrize(
    ("variant", "size", "number"), [("two_player", 7, 60), ("partners", 5, 60), ("partners", 6, 8)]
)
def test_no_enhancement_changes_a_value(variant: str, size: int, number: int) -> None:
    rules = Rules(variant)
    solved = positions(random_deals(variant, size, number, seed=2))
    right = thirds_to_come(solved, rules)
    points = card_points(solved, rules)
    every = double_dummy.ALL_ENHANCEMENTS
    for one in (1 << bit for bit in range(every.bit_length())):
        assert thirds_to_come(solved, rules, flags=every & ~one).tolist() == right.tolist()
        assert (card_points(solved, rules, flags=every & ~one) == points).all()
    if size < 6:
        assert thirds_to_come(solved, rules, flags=0).tolist() == right.tolist()


@pytest.mark.parametrize(("ranks", "size"), [("4RA3", 4), ("4CRA3", 5), ("4567FCRA23", 10)])
def test_no_enhancement_changes_a_value_with_a_bonus_in_reach(ranks: str, size: int) -> None:
    """From any ply with at most five cards in hand, in mini deals from the first on."""
    rules = Rules("historical", ranks=ranks, hand=size)
    deals = scattered(rules, 3000 if size == 10 else 300, seed=4)
    rows = np.flatnonzero(deals.active & (popcount(deals.hands).max(axis=1) <= 5))
    found = positions_of(deals.view().take(rows), deals.hands[rows])
    solved = Positions(*(part[found.bonus != 0] for part in found))
    assert len(solved.leader) > 150
    points, best = card_points(solved, rules), final_points(solved, rules)
    plain = card_points(solved._replace(bonus=np.zeros_like(solved.bonus)), rules)
    assert (points != plain).any(axis=1).sum() > 60  # bonuses matter here
    every = double_dummy.ALL_ENHANCEMENTS
    for flags in (0, *(every & ~(1 << bit) for bit in range(every.bit_length()))):
        assert (card_points(solved, rules, flags=flags) == points).all()
        assert final_points(solved, rules, flags=flags).tolist() == best.tolist()


@pytest.mark.parametrize(("variant", "size"), [("two_player", 6), ("partners", 4)])
def test_one_table_serves_many_deals(variant: str, size: int) -> None:
    """What one deal stored is right for all that match it, whichever plays were left out as equal or dominated."""
    rules = Rules(variant)
    solved = positions(random_deals(variant, size, 1500, seed=12))
    plain = double_dummy.ORDER | double_dummy.CASHING
    assert thirds_to_come(solved, rules).tolist() == thirds_to_come(solved, rules, flags=plain).tolist()


def test_threads_and_company_change_nothing() -> None:
    rules = Rules("partners")
    solved = positions(random_deals("partners", 5, 40, seed=9))
    right = card_points(solved, rules)
    assert (card_points(solved, rules, threads=2) == right).all()
    alone = [card_points(Positions(*(part[row : row + 1] for part in solved)), rules)[0] for row in range(40)]
    assert (np.array(alone) == right).all()


@pytest.mark.parametrize("variant", ["two_player", "partners"])
def test_relabelling_suits_and_turning_the_table_change_nothing(variant: str) -> None:
    rules, seats = Rules(variant), SEATS[variant]
    rng = np.random.default_rng(4)
    deals = random_deals(variant, 6, 40, seed=6)
    left = np.array([brute_force.value_in_thirds([card for hand in hands for card in hand]) + 3 for hands, _ in deals])
    right = thirds_to_come(positions(deals), rules)
    suits = rng.permutation(4)
    relabelled = [
        ([[10 * int(suits[c // 10]) + c % 10 for c in hand] for hand in hands], lead) for hands, lead in deals
    ]
    assert thirds_to_come(positions(relabelled), rules).tolist() == right.tolist()
    for turn in range(1, seats):
        turned = [
            ([hands[(seat - turn) % seats] for seat in range(seats)], (lead + turn) % seats) for hands, lead in deals
        ]
        expected = right if turn % 2 == 0 else left - right
        assert thirds_to_come(positions(turned), rules).tolist() == expected.tolist()


@pytest.mark.parametrize("ending", ENDINGS, ids=lambda ending: ending.right)
def test_positions_with_one_right_move(ending) -> None:  # type: ignore[no-untyped-def]
    hands = [card_ids(text) for text in ending.hands]
    trick = list(enumerate(card_ids(ending.trick)))
    values = solve(hands, len(trick), trick, ending.thirds, ending.variant)
    best = card_id(ending.right)
    assert values.pop(best) == ending.value
    assert max(values.values()) == ending.next_best


def test_stored_deals() -> None:
    """Deals solved before, some of them hard; other positions of the same deals must not disturb them."""
    stored = json.loads(SOLVED.read_text(encoding="utf-8"))
    for variant in ("two_player", "partners"):
        entries = [entry for entry in stored if entry["variant"] == variant]
        assert len(entries) >= 20
        solved = positions([([card_ids(text) for text in entry["hands"]], entry["leader"]) for entry in entries])
        assert thirds_to_come(solved, Rules(variant)).tolist() == [entry["thirds"] for entry in entries]


@pytest.mark.slow
def test_stored_hard_deals() -> None:
    """Whole deals of four players, seconds each."""
    stored = json.loads(SOLVED.read_text(encoding="utf-8"))
    entries = [entry for entry in stored if entry["variant"] == "partners, whole"]
    solved = positions([([card_ids(text) for text in entry["hands"]], entry["leader"]) for entry in entries])
    assert thirds_to_come(solved, Rules("partners"), threads=2).tolist() == [entry["thirds"] for entry in entries]


def test_hands_of_twenty_cards() -> None:
    """Two players may be dealt the whole pack; a hand of one suit and more has many plays to choose from."""
    rules = Rules("two_player", hand=20)
    cards = np.random.default_rng(9).permutation(40)[:30].tolist()
    solved = positions([([cards[:15], cards[15:]], 0)])
    every = double_dummy.ALL_ENHANCEMENTS
    assert thirds_to_come(solved, rules) == thirds_to_come(solved, rules, flags=every & ~double_dummy.ORDER)
    assert double_dummy.WIDTH >= 20


GOOD = {"hands": [[0, 1], [10, 11], [20, 21], [30, 31]], "player": 0}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"hands": [[0], [1]]}, "2 hands"),
        ({"hands": [[0, 40], [10, 11], [20, 21], [30, 31]]}, "40 in the hand of seat 0"),
        ({"hands": [[0, 1], [1, 11], [20, 21], [30, 31]]}, "5D twice"),
        ({"hands": [[0], [10, 11], [20, 21], [30, 31]]}, "1, 2, 2, 2"),
        ({"hands": [[], [], [], []]}, "from 1 to 10"),
        ({"player": 4}, "player is 4"),
        ({"player": 1, "trick": [(3, 2)]}, "seat 0's turn"),
        ({"trick": [(2, 2), (1, 3)]}, "after seat 2 comes seat 3"),
        ({"player": 1, "trick": [(1, 2), (2, 3), (3, 4), (0, 5)]}, "4 cards"),
        ({"thirds": (1,)}, "thirds"),
        ({"thirds": (1, -1)}, "thirds"),
        ({"thirds": (1, 0.5)}, "thirds"),
        ({"thirds": None}, "two numbers"),
        ({"hands": None}, "one sequence of ids a seat"),
        ({"hands": [1, 2, 3, 4]}, "one sequence of ids a seat"),
        ({"trick": [3, 31]}, r"\(seat, card\) pairs"),
        ({"tricks": [(0, 1)], "variant": "historical"}, r"\(seat, card\) pairs"),
        ({"variant": "whist"}, "whist"),
        ({"tricks": [[(0, 2), (1, 3), (2, 4), (3, 5)]]}, "historical alone"),
        ({"variant": "historical", "tricks": [[(0, 2), (1, 3), (2, 4), (3, 5)]]}, "a deal has 10"),
        (
            {"hands": [[1], [10, 11], [20, 21], [31]], "player": 1, "trick": [(3, 2), (0, 39)]},
            "^trick: seat 0 played 3B on 6D but had 5D to follow suit with$",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(change: dict[str, object], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        solve(**(GOOD | change))  # type: ignore[arg-type]


DEAL = ["3D 2D 3C", "AC AD 2C", "2S AS 3S", "2B AB 3B"]
REVOKED = r"^tricks\[0\]: seat 1 played AC on 3D but had AD to follow suit with$"


@pytest.mark.parametrize(
    ("dealt", "tricks", "trick", "told"),
    [
        (DEAL, ["3D AC 2S 2B"], "", REVOKED),  # the AD is in hand,
        (DEAL, ["3D AC 2S 2B"], "2D AD", REVOKED),  # on the table,
        (DEAL, ["3D AC 2S 2B", "2D AD AS AB"], "", REVOKED),  # or fell later
        (
            ["3D 3C 2D", "AD AS AC", "2S 3S 2C", "2B AB 3B"],
            ["3D AD 2S 2B", "3C AS 2C AB"],
            "",
            r"^tricks\[1\]: seat 1 played AS on 3C but had AC to follow suit with$",
        ),
        (
            ["2D AD 3C", "3D AC 2C", *DEAL[2:]],
            ["2D 3D 2S 2B"],
            "",
            r"^seat 1 took tricks\[0\], so it leads next, not seat 0$",
        ),
        (DEAL, [""], "", r"^tricks\[0\] has 0 cards: a trick that was played has 4"),
    ],
)
def test_tricks_that_cannot_have_been_played_are_refused(
    dealt: list[str], tricks: list[str], trick: str, told: str
) -> None:
    *played, table = (list(enumerate(card_ids(text))) for text in (*tricks, trick))  # seat 0 leads every trick
    fallen = [card for past in (*played, table) for _, card in past]
    hands = [[card for card in card_ids(text) if card not in fallen] for text in dealt]
    with pytest.raises(ValueError, match=told):
        solve(hands, len(table), table, tricks=played, variant=Rules("historical", ranks="A23", hand=3))

"""Sampled worlds: all and only those that agree with what a seat knows, each as likely."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, combinations

import numpy as np
import numpy.typing as npt
import pytest

from agents.search.world_kernel import below
from agents.search.worlds import Worlds, draw_worlds, sample_worlds
from tests.games import (
    ALL_RULES,
    FULL_RULES,
    dealt,
    mixed_decks,
    name,
    oracles,
    play_oracles,
    random_cards,
    random_dealers,
)
from tests.oracle import Oracle
from tests.test_no_leak import hidden_places, same_public_past
from tressette_env import DealBatch, Rules
from tressette_env.cards import bitboard_of, card_ids, cards_of
from tressette_env.declarations import napoletana_suits
from tressette_env.shuffling import random_bits
from tressette_env.view import View

MOST_SPLITS = 1700  # tried one by one: three cards to each of three seats are 1,680


def started(rules: Rules, rows: int, seed: int) -> DealBatch:
    scores = np.random.default_rng(seed + 2).integers(0, 15, size=(rows, 2)) if rules.variant == "historical" else None
    return dealt(rules, mixed_decks(rules, rows, seed), random_dealers(rules, rows, seed), scores=scores)


def all_plies(rules: Rules, rows: int, seed: int) -> Iterator[DealBatch]:
    """Random games, half of them from rich decks, before each card."""
    deals, rng = started(rules, rows, seed), np.random.default_rng(seed)
    while not deals.done:
        yield deals
        deals.step(random_cards(deals, rng))


def splits(cards: list[int], sizes: list[int]) -> Iterator[list[list[int]]]:
    """All ways to split cards into sets of these sizes."""
    if len(sizes) == 1:
        yield [cards]
        return
    for first in combinations(cards, sizes[0]):
        for others in splits([card for card in cards if card not in first], sizes[1:]):
            yield [list(first), *others]


def enumerated(rules: Rules, deck: list[int], deal: Oracle, seat: int) -> tuple[set[tuple[int, ...]], int] | None:
    """The hands of every world in which all that is public could have happened, and how many splits were tried."""
    places = hidden_places(deal, deck, seat)
    sections = [min(place // rules.hand, rules.seats) for place in places]
    sizes = [sections.count(section) for section in range(rules.seats + 1)]
    tried = math.factorial(len(places)) // math.prod(map(math.factorial, sizes))
    if tried > MOST_SPLITS:
        return None
    worlds = set()
    for parts in splits([deck[place] for place in places], sizes):
        world = deck.copy()
        for place, card in zip(places, chain(*parts), strict=True):
            world[place] = card
        if same_public_past(rules, world, deal):
            hands = [bitboard_of(deal.known(other) | set(parts[other])) for other in range(rules.seats)]
            hands[seat] = bitboard_of(deal.hands[seat])
            worlds.add(tuple(hands))
    return worlds, tried


@pytest.mark.parametrize("rules", ALL_RULES, ids=name)
def test_worlds_are_those_of_a_naive_enumeration_each_as_likely(rules: Rules) -> None:
    # By replaying the public past from every split of the unseen cards; the history is kept beside the core.
    choose, rng = random.Random(3), np.random.default_rng(3)
    cases = constrained = 0
    deals = started(rules, 24, seed=11)
    naive = oracles(rules, deals)
    while not deals.done:
        view, decks = deals.view(), deals.decks.tolist()
        for row in np.flatnonzero(deals.active):
            seat = int(view.seat[row])
            if (
                choose.random() > (0.1 if rules.num_cards == 40 else 0.25)
                or (found := enumerated(rules, decks[row], naive[row], seat)) is None
            ):
                continue
            worlds, tried = found
            draws = 60 * len(worlds)
            drawn = draw_worlds(view.take([row]), draws, seed=5)
            frequencies = Counter(map(tuple, drawn.hands[0].tolist()))
            assert drawn.counts.tolist() == [len(worlds)]
            assert set(frequencies) == worlds
            deviation = sum((seen - 60) ** 2 / 60 for seen in frequencies.values()) - (len(worlds) - 1)
            assert abs(deviation) <= 5 * math.sqrt(2 * len(worlds))  # chi-square, five standard deviations
            cases += 1
            constrained += len(worlds) < tried
        cards = random_cards(deals, rng)
        deals.step(cards)
        play_oracles(naive, cards)
    assert cases > 20 or rules.num_cards < 8
    assert constrained or rules.num_cards <= 8


def decks_of(deals: DealBatch, view: View, worlds: Worlds) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Every world as a deck, with the row it belongs to."""
    rules, decks, rows = deals.rules, [], []
    true_decks = deals.decks
    for row in np.flatnonzero(view.seat >= 0):
        draws = sum(len(cards_of(cards)) for cards in view.drawn[:, row])
        stock = true_decks[row, rules.seats * rules.hand :][:draws].tolist()
        for world, hands in enumerate(worlds.hands[row]):
            deck = []
            for seat in range(rules.seats):
                dealt_hand = (int(hands[seat]) | int(view.played[seat, row])) & ~int(view.drawn[seat, row])
                deck += cards_of(dealt_hand)
            decks.append(deck + stock + [card for card in worlds.stock[row, world].tolist() if card >= 0])
            rows.append(row)
    return np.array(decks), np.array(rows)


@pytest.mark.parametrize("rules", FULL_RULES, ids=name)
def test_every_world_replays_the_public_past_and_looks_the_same(rules: Rules) -> None:
    for deals in all_plies(rules, 40, seed=7):
        for seat in (None, int(deals.ply.max()) % rules.seats):  # on turn, and any seat off turn
            view = deals.view(seat)
            worlds = draw_worlds(view, 3, seed=1)
            decks, rows = decks_of(deals, view, worlds)
            others = dealt(rules, decks, deals.dealer[rows], scores=deals.scores[rows])
            for ply in range(deals.ply.max()):
                others.step(view.plays[rows, ply])  # raises if it is illegal in this world
            seen = others.view(view.seat[rows])
            assert (others.hands == worlds.hands[view.seat >= 0].reshape(others.hands.shape)).all()
            assert (seen.observation == view.observation[rows]).all()
            for public in ("declared", "drawn", "shown", "void", "silent"):
                assert (getattr(seen, public) == getattr(view, public)[:, rows]).all(), public
            # Who cannot tell two deals apart samples the same worlds in both.
            again = draw_worlds(seen, 3, seed=1)
            assert (again.hands == worlds.hands[rows]).all()
            assert (again.stock == worlds.stock[rows]).all()


@pytest.mark.parametrize("rules", FULL_RULES, ids=name)
def test_a_row_does_not_depend_on_its_batch(rules: Rules) -> None:
    deals, rng = started(rules, 20, seed=2), np.random.default_rng(2)
    for _ in range(8):  # rows of different plies
        deals.step(random_cards(deals, rng), rows=rng.random(20) < 0.8)
    for _ in range(4):
        deals.step(random_cards(deals, rng))
    view = deals.view()
    whole = draw_worlds(view, 7, seed=np.arange(20))
    order = rng.permutation(20)[:15]
    part = draw_worlds(view.take(order), 7, seed=order)
    assert (part.hands == whole.hands[order]).all()
    assert (part.counts == whole.counts[order]).all()
    longest = part.stock.shape[2]
    assert (part.stock == whole.stock[order][:, :, :longest]).all()
    assert (whole.stock[order][:, :, longest:] == -1).all()
    assert (sample_worlds(view, 4, seed=np.arange(20)) == whole.hands[:, :4]).all()  # more worlds: the same ones first
    assert (sample_worlds(view, 7, seed=99) != whole.hands).any()


def test_nothing_is_known_at_the_start_but_the_own_hand() -> None:
    for variant, count in (
        ("two_player", math.comb(30, 10)),
        ("partners", math.factorial(30) // math.factorial(10) ** 3),
    ):
        deals = started(Rules(variant), 3, seed=1)
        assert draw_worlds(deals.view(), 1).counts.tolist() == [count] * 3


def test_a_silent_first_card_leaves_out_the_hands_with_a_napoletana() -> None:
    rules = Rules("partners", napoletana=True)
    hand = card_ids("4D 5D 6D 7D FD CD 4C 5C 6C 7C")
    rest = [card for card in rules.pack if card not in hand]  # by turns: nobody has two neighbouring cards
    deals = dealt(rules, [hand + rest[0::3] + rest[1::3] + rest[2::3]], [3])
    for text in ("4D", "RD"):
        deals.step(np.array(card_ids(text)))
    # Seat 1 holds nine of 29 unseen cards, by inclusion and exclusion without 3, 2 and ace of any of four suits.
    hands = sum((-1) ** j * math.comb(4, j) * math.comb(29 - 3 * j, 9 - 3 * j) for j in range(4))
    worlds = draw_worlds(deals.view(0), 20_000)
    assert worlds.counts.tolist() == [hands * math.comb(20, 10)]
    assert not napoletana_suits(worlds.hands[0, :, 1]).any()
    assert napoletana_suits(worlds.hands[0, :, 2]).any()  # it has played no card yet


def test_the_stock_is_in_any_order_each_as_likely() -> None:
    rules = Rules("two_player", ranks="FRA23", hand=8)  # four cards in the stock
    deals = dealt(rules, mixed_decks(rules, 2, 5), [0, 1])
    worlds = draw_worlds(deals.view(), 24_000, seed=3)
    assert worlds.stock.shape == (2, 24_000, 4)
    held = np.bitwise_or.reduce(worlds.hands, axis=2)
    in_stock = np.bitwise_or.reduce(np.uint64(1) << worlds.stock.astype(np.uint64), axis=2)
    assert (held ^ in_stock == np.uint64(bitboard_of(rules.pack))).all()
    orders = Counter(map(tuple, np.argsort(worlds.stock[0], axis=1).tolist()))
    assert len(orders) == 24
    assert max(abs(seen - 1000) for seen in orders.values()) < 5 * math.sqrt(1000)
    assert draw_worlds(started(Rules("partners"), 2, 1).view(), 3).stock.shape == (2, 3, 0)


def test_rows_not_to_act_are_empty() -> None:
    rules = Rules("partners", suits="D", ranks="4567", hand=1)
    deals = dealt(rules, [[0, 1, 2, 3], [3, 2, 1, 0]], [0, 2])
    while deals.active[0]:
        deals.step(np.array([max(0, *cards_of(deals.legal[0]), 0), 0]), rows=np.array([True, False]))
    worlds = draw_worlds(deals.view(), 5, weigh=lambda view, hands: (view.seat >= 0)[:, None] * np.ones(hands.shape[1]))
    assert not worlds.hands[0].any()
    assert worlds.counts.tolist() == [0, 6]
    assert sample_worlds(deals.view().take([]), 5).shape == (0, 5, 4)


def with_the_ace(view: View, hands: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
    """Whether seat 2 holds AD."""
    return (hands[:, :, 2] >> np.uint64(7) & np.uint64(1)).astype(bool)


def test_worlds_follow_a_belief() -> None:
    deals = started(Rules("partners"), 6, seed=4)
    view = deals.view(0)
    own = (view.hand >> np.uint64(7) & np.uint64(1)).astype(bool)
    view = view.take(~own)  # of the others each holds the ace in a third of the worlds
    assert len(view) >= 3
    plain = with_the_ace(view, sample_worlds(view, 3000, seed=1)).mean(axis=1)
    assert (abs(plain - 1 / 3) < 0.04).all()
    likely = sample_worlds(view, 3000, seed=1, weigh=lambda view, hands: 1 + 5 * with_the_ace(view, hands))
    assert (abs(with_the_ace(view, likely).mean(axis=1) - 6 / 8) < 0.02).all()
    sure = sample_worlds(view, 200, seed=1, weigh=with_the_ace)
    assert with_the_ace(view, sure).all()
    assert (sample_worlds(view, 200, seed=1, weigh=with_the_ace) == sure).all()
    assert (sample_worlds(view.take([1]), 200, seed=1, weigh=with_the_ace) == sure[1:2]).all()


def test_weights_need_no_scale_and_equal_ones_take_every_world_once() -> None:
    view = started(Rules("two_player"), 2, seed=4).view()
    pool = sample_worlds(view, 40, seed=1)
    for weight in (1e-300, 1.0, 1e308):
        kept = sample_worlds(view, 40, seed=1, pool=1, weigh=lambda _, hands, w=weight: np.full(hands.shape[:2], w))
        assert (kept == pool).all()
    spread = sample_worlds(view, 40, seed=1, weigh=lambda _, hands: np.ones(hands.shape[:2], int))
    assert len(np.unique(spread[0, :, 1])) >= 39  # every eighth of 320


def weights(value: object) -> dict[str, object]:
    return {"weigh": lambda view, hands: value if isinstance(value, str) else np.full(hands.shape[:2], value)}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"worlds": 0}, "worlds must be a whole number of at least 1, not 0"),
        ({"worlds": 2.5}, "worlds must be a whole number of at least 1, not 2.5"),
        ({"worlds": True}, "worlds must be a whole number"),
        ({"pool": 0}, "pool must be a whole number of at least 1, not 0"),
        ({"seed": -1}, "seed"),
        ({"seed": "one"}, "seed"),
        ({"seed": [1, 2]}, "seed"),
        ({"weigh": 3}, "weigh must be a function of"),
        ({"weigh": lambda view, hands: np.ones(3)}, r"weigh must return numbers of shape \(3, 800\)"),
        (weights("many"), r"weigh must return numbers of shape \(3, 800\)"),
        (weights(-1.0), "row 0 has .*-1.0"),
        (weights(np.nan), "finite weights of at least 0: row 0 has .*nan"),
        (weights(np.inf), "finite weights of at least 0: row 0 has .*inf"),
        (weights(0), "row 0 has no weight above 0"),
    ],
)
def test_bad_arguments_are_named(arguments: dict[str, object], message: str) -> None:
    view = started(Rules("partners"), 3, seed=1).view()
    with pytest.raises(ValueError, match=message):
        sample_worlds(view, **{"worlds": 100, **arguments})


def test_a_view_of_no_game_is_refused() -> None:
    deals = started(Rules("partners"), 3, seed=1)
    with pytest.raises(ValueError, match=r"view must be a View, such as deals.view\(\), not DealBatch"):
        sample_worlds(deals)
    view = deals.view(0)
    nobody_has = view.void.copy()
    nobody_has[1:, 1] = bitboard_of(range(40))
    with pytest.raises(ValueError, match="row 1 of the view is of no game"):
        sample_worlds(replace(view, void=nobody_has))


def test_random_numbers_below_a_bound_are_not_biased() -> None:
    # Of 2**64 numbers the surplus over a multiple of the bound is a quarter: taken as they are, they would make
    # the lowest third of the results twice as likely as the others.
    bound = 3 << 61
    drawn = [below(bits, bound) for bits in random_bits(np.array([5], np.uint64), 30_000)[0]]
    thirds = Counter(number // (1 << 61) for number in drawn)
    assert set(thirds) == {0, 1, 2}
    assert max(abs(seen - 10_000) for seen in thirds.values()) < 5 * math.sqrt(10_000)

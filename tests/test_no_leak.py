"""What a seat may know holds nothing more: other worlds with the same public past look the same to the last byte."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

import numpy as np
import pytest

from tests.games import ALL_RULES, FULL_RULES, dealt, mixed_decks, name, random_cards, random_dealers
from tests.oracle import Oracle
from tressette_env import Rules
from tressette_env.cards import bitboard_of
from tressette_env.view import View


def hidden_places(deal: Oracle, deck: list[int], seat: int) -> list[int]:
    """The places of the deck whose cards the observer cannot know."""
    seen = deal.hands[seat].union(*(deal.seen(other) for other in range(deal.seats)))
    return [place for place, card in enumerate(deck) if card not in seen]


def rearrangements(places: list[int], rules: Rules, limit: int, rng: random.Random) -> Iterator[list[int]]:
    """Ways to take the cards from these places: all if they are few, else a sample; those of a hand are a set."""
    sections = [min(place // rules.hand, rules.seats) for place in places]
    if len(places) <= 6:
        seen = set()
        for order in itertools.permutations(places):
            in_stock = tuple(place for place, section in zip(order, sections, strict=True) if section == rules.seats)
            hands = frozenset(pair for pair in zip(sections, order, strict=True) if pair[0] < rules.seats)
            if (in_stock, hands) not in seen:
                seen.add((in_stock, hands))
                yield list(order)
        return
    for _ in range(limit):
        # Few exchanges keep voids and announcements as they were more often than a whole shuffle does.
        order = places[:]
        for _ in range(rng.choice([1, 1, 2, 3, 5, len(places)])):
            i, j = rng.sample(range(len(places)), 2)
            order[i], order[j] = order[j], order[i]
        yield order


def same_public_past(rules: Rules, deck: list[int], deal: Oracle) -> bool:
    """Whether this deck can be played like `deal` with the same announcements, draws and silence."""
    world = Oracle(rules, deck, deal.dealer, (deal.scores[0], deal.scores[1]))
    for _, card in deal.plays:
        if card not in world.legal():
            return False
        world.play(card)
    return world.public() == deal.public()


def other_worlds(
    rules: Rules, deck: list[int], deal: Oracle, seat: int, limit: int, rng: random.Random
) -> list[list[int]]:
    places = hidden_places(deal, deck, seat)
    worlds = []
    for order in rearrangements(places, rules, limit, rng) if len(places) > 1 else ():
        world = deck[:]
        for place, source in zip(places, order, strict=True):
            world[place] = deck[source]
        if same_public_past(rules, world, deal):
            worlds.append(world)
    return worlds


def check_alike(rules: Rules, worlds: list[list[int]], deal: Oracle, seat: int) -> None:
    """Play the same cards in every world and compare all that the observer is shown."""
    rows = len(worlds)
    deals = dealt(rules, worlds, [deal.dealer] * rows, scores=[deal.scores] * rows)
    for _, card in deal.plays:
        deals.step(np.full(rows, card))
    observation = deals.observe(seat)
    assert (observation == observation[0]).all()
    if deal.player == seat:
        assert (deals.observe() == observation).all()
        assert (deals.legal == deals.legal[0]).all()
        assert (deals.legal_mask() == deals.legal_mask()[0]).all()
    check_views_alike(deals.view(seat), deal, seat)


def check_views_alike(view: View, deal: Oracle, seat: int) -> None:
    first = view.take([0])
    for row in range(1, min(len(view), 9)):
        other = view.take([row])
        for field in (
            *View.__dataclass_fields__,
            "legal",
            "known",
            "plays",
            "play_seats",
            "thirds",
            "excluded",
            "keys",
        ):
            assert np.array_equal(getattr(first, field), getattr(other, field)), field
    # No bitboard of cards that are somewhere holds a card the observer has not seen.
    seen = deal.hands[seat].union(*(deal.seen(other) for other in range(deal.seats)))
    unseen = np.uint64(bitboard_of(deal.pack - seen))
    for field in (
        "hand",
        "legal_cards",
        "played",
        "shown",
        "drawn",
        "declared",
        "table",
        "led",
        "won",
        "taken",
        "known",
    ):
        assert not (np.asarray(getattr(view, field)) & unseen).any(), field


@pytest.mark.parametrize("rules", ALL_RULES, ids=name)
def test_other_worlds_look_the_same(rules: Rules) -> None:
    rng = random.Random(name(rules))
    games = 12 if rules in FULL_RULES else 20
    limit = 60 if rules in FULL_RULES else 120
    decks, dealers = mixed_decks(rules, games, 21).tolist(), random_dealers(rules, games, 21)
    compared = 0
    for deck, dealer in zip(decks, dealers, strict=True):
        deal = Oracle(rules, deck, dealer)
        stops = set(rng.sample(range(rules.num_cards), min(5, rules.num_cards)))
        while not deal.over:
            if len(deal.plays) in stops:
                seat = rng.randrange(rules.seats)
                worlds = other_worlds(rules, deck, deal, seat, limit, rng)
                if worlds:
                    check_alike(rules, [deck, *worlds], deal, seat)
                    compared += len({tuple(world) for world in worlds} - {tuple(deck)})
            deal.play(rng.choice(sorted(deal.legal())))
    if rules.hand > 1 and (rules.seats == 4 or rules.stock):  # two hands and no stock hide nothing
        assert compared > 100


@pytest.mark.parametrize("rules", [ALL_RULES[1], ALL_RULES[5], ALL_RULES[9], ALL_RULES[12]], ids=name)
def test_what_is_excluded_is_never_true(rules: Rules) -> None:
    rows = 400
    deals = dealt(rules, mixed_decks(rules, rows, 22), random_dealers(rules, rows, 22))
    rng = np.random.default_rng(22)
    excluded = 0
    while not deals.done:
        view = deals.view()
        assert not (view.excluded & deals.hands.T).any()
        void = view.void & ~view.shown
        assert not (void & deals.hands.T & ~view.shown).any()
        excluded += np.count_nonzero(view.excluded)
        deals.step(random_cards(deals, rng))
    assert excluded > 100

"""The observation: its layout, and the decoder against the oracle's facts at every ply and for every seat."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

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
from tests.oracle import SUITS, Oracle, suit_of
from tressette_env import OBSERVATION_LAYOUT, DealBatch, Rules, decode
from tressette_env.observation import OBSERVATION_SIZES, obs_size, suit_order

VARIANTS = ("two_player", "partners", "historical")


def letters(suits: set[str]) -> list[str]:
    return sorted(suits, key=SUITS.index)


def relative(values: list[Any], seat: int) -> list[Any]:
    return values[seat:] + values[:seat]


def expected_facts(deal: Oracle, seat: int) -> dict[str, Any]:
    """What `decode` must return for this observer, from the oracle."""
    seats = range(deal.seats)
    historical = deal.rules.variant == "historical"

    def rel(other: int) -> int:
        return (other - seat) % deal.seats

    plays = [(rel(s), card, ply // deal.seats, ply % deal.seats) for ply, (s, card) in enumerate(deal.plays)]
    announced = [letters({suit_of(card) for card in deal.declared[s]} if not historical else set()) for s in seats]
    side = seat % 2
    by_seat = {
        "known": [sorted(deal.known(s)) for s in seats],
        "drawn": list(deal.drawn),
        "announced": announced,
        "silent": [letters(deal.silent[s]) for s in seats],
        "declared": [sorted(deal.declared[s]) for s in seats],
        "excluded": [sorted(deal.excluded(s)) for s in seats],
        "voids": [letters(deal.voids[s]) for s in seats],
        "tricks_taken": [deal.tricks_of(s) for s in seats],
        "cards_left": [len(deal.hands[s]) for s in seats],
    }
    return {name: relative(values, seat) for name, values in by_seat.items()} | {
        "hand": sorted(deal.hands[seat]),
        "plays": plays,
        "table": plays[len(plays) - len(deal.table) :],
        "tricks": [(rel(trick.leader), rel(trick.winner), list(trick.cards)) for trick in deal.tricks],
        "follow": suit_of(deal.table[0]) if deal.table else None,
        "thirds": relative(deal.thirds(), side),
        "declared_points": relative(deal.points(), side),
        "scores": relative(list(deal.scores), side),
        "target": 0,
        "napoletana": deal.rules.napoletana,
        "stock": len(deal.stock),
        "trick": len(deal.tricks),
        "place": len(deal.table),
        "dealer": rel(deal.dealer),
        "leader": rel(deal.leader),
        "turn": rel(deal.player),
    }


@pytest.mark.parametrize("rules", ALL_RULES, ids=name)
def test_the_decoder_rebuilds_the_facts(rules: Rules) -> None:
    rows = 6 if rules in FULL_RULES else 12
    scores = np.random.default_rng(1).integers(0, 15, size=(rows, 2))
    deals = dealt(rules, mixed_decks(rules, rows, 8), random_dealers(rules, rows, 8), scores=scores)
    games = oracles(rules, deals)
    rng = np.random.default_rng(9)
    while not deals.done:
        for seat in range(rules.seats):
            observation = deals.observe(seat)
            for row, deal in enumerate(games):
                if deal.over:
                    assert not observation[row].any()
                else:
                    assert decode(observation[row], rules.variant) == expected_facts(deal, seat)
        acting = deals.observe()
        for row, deal in enumerate(games):
            if not deal.over:
                assert (acting[row] == deals.observe(deal.player)[row]).all()
        cards = random_cards(deals, rng)
        deals.step(cards)
        play_oracles(games, cards)
    assert not deals.observe().any()
    for seat in range(rules.seats):
        assert not deals.observe(seat).any()


def test_each_row_may_have_its_own_observer() -> None:
    deals = DealBatch(4, "partners")
    deals.reset(seed=1)
    mixed = deals.observe(np.array([3, 0, 2, 1]))
    for row, seat in enumerate([3, 0, 2, 1]):
        assert (mixed[row] == deals.observe(seat)[row]).all()


def test_the_blank_row_decodes_to_nothing() -> None:
    for variant in VARIANTS:
        facts = decode(np.zeros(OBSERVATION_SIZES[variant], np.uint8), variant)
        assert facts["hand"] == facts["plays"] == facts["table"] == facts["tricks"] == []
        assert facts["dealer"] is facts["leader"] is facts["turn"] is facts["follow"] is None


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float32, np.float64, list])
def test_any_dtype_decodes_alike(dtype: Any) -> None:
    deals = DealBatch(1, "two_player", napoletana=True)
    deals.reset(seed=4)
    row = deals.observe()[0]
    converted = row.tolist() if dtype is list else row.astype(dtype)
    assert decode(converted, "two_player") == decode(row, "two_player")


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_blocks_cover_the_row_once(variant: str) -> None:
    size = OBSERVATION_SIZES[variant]
    covered = np.zeros(size, np.int64)
    for block in OBSERVATION_LAYOUT[variant].values():
        covered[block.slice] += 1
        assert block.slice.stop - block.slice.start == np.prod(block.shape)
        assert block.meaning
    assert (covered == 1).all()
    deals = DealBatch(2, variant)
    deals.reset(seed=0)
    assert deals.observe().shape == (2, size)
    assert deals.observe().dtype == np.uint8


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_suit_blocks_share_one_inner_order(variant: str) -> None:
    layout = OBSERVATION_LAYOUT[variant]
    assert list(layout)[:4] == list(SUITS)
    first = layout["D"]
    covered = np.zeros(first.shape[0], np.int64)
    for part in first.fields.values():
        covered[part.slice] += 1
        assert part.slice.stop - part.slice.start == np.prod(part.shape)
        assert part.meaning
    assert (covered == 1).all()
    assert all(layout[suit].fields == first.fields and layout[suit].shape == first.shape for suit in SUITS)


def test_size_and_layout_depend_on_the_variant_alone() -> None:
    for rules in ALL_RULES:
        deals = DealBatch(1, rules)
        deals.reset(seed=0)
        assert deals.observe().shape[1] == OBSERVATION_SIZES[rules.variant]


def good_row(plies: int = 6) -> Any:
    deals = DealBatch(1, "partners")
    deals.reset(seed=2)
    rng = np.random.default_rng(0)
    for _ in range(plies):
        deals.step(random_cards(deals, rng))
    return deals.observe()[0].astype(np.float64)


@pytest.mark.parametrize("rules", ALL_RULES, ids=name)
def test_a_rules_object_names_its_variant(rules: Rules) -> None:
    deals = DealBatch(1, rules)
    deals.reset(seed=3)
    assert decode(deals.observe()[0], rules) == decode(deals.observe()[0], rules.variant)
    assert obs_size(rules) == obs_size(rules.variant) == deals.observe().shape[1]
    assert suit_order(rules, "CDSB").tolist() == suit_order(rules.variant, "CDSB").tolist()


def test_the_plays_of_a_view_are_contiguous() -> None:
    view = dealt(Rules("partners"), [list(range(40))] * 3, [0, 1, 2]).view()
    assert view.plays.flags.c_contiguous
    assert view.play_seats.flags.c_contiguous


@pytest.mark.parametrize("variant", ["bridge", "", None, "Partners", 2, ["partners"], Rules])
def test_refused_variants(variant: Any) -> None:
    with pytest.raises(ValueError, match=r"is not allowed: 'two_player', 'partners', 'historical'"):
        decode(good_row(), variant)
    with pytest.raises(ValueError, match="is not allowed: 'two_player'"):
        obs_size(variant)


def test_refused_rows() -> None:
    row = good_row()
    with pytest.raises(ValueError, match="observation of two_player has shape"):
        decode(row, "two_player")
    with pytest.raises(ValueError, match="has shape"):
        decode(row[None], "partners")
    with pytest.raises(ValueError, match="has shape"):
        decode(row[:-1], "partners")
    with pytest.raises(ValueError, match="not lists of different lengths"):
        decode([[1], [2, 3]], "partners")
    with pytest.raises(ValueError, match="whole numbers, not"):
        decode(row.astype(str), "partners")
    for value in (-1, 0.5, 256, np.nan):
        broken = row.copy()
        broken[3] = value
        with pytest.raises(ValueError, match="column 3"):
            decode(broken, "partners")
    layout = OBSERVATION_LAYOUT["partners"]
    fell = np.concatenate(
        [np.arange(layout[s].slice.start, layout[s].slice.stop)[layout[s].fields["fell"].slice] for s in SUITS]
    )
    gap = row.copy()
    gap[fell[row[fell] == 3]] = 30
    with pytest.raises(ValueError, match="without a gap"):
        decode(gap, "partners")
    nobody = row.copy()
    for suit in SUITS:
        nobody[layout[suit].slice][layout[suit].fields["played"].slice] = 0
    with pytest.raises(ValueError, match="exactly one hand"):
        decode(nobody, "partners")
    nowin = row.copy()
    for suit in SUITS:
        nowin[layout[suit].slice][layout[suit].fields["won"].slice] = 0
    with pytest.raises(ValueError, match="0 cards took trick 0"):
        decode(nowin, "partners")

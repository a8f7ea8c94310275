"""The baseline players: legal, reproducible, and right in positions that a sound player gets right."""

from __future__ import annotations

import dataclasses
import json
import zlib
from pathlib import Path

import numpy as np
import pytest

from tests.games import ALL_RULES, FULL_RULES, name, random_decks
from tressette_env import DealBatch, Rules, make_player
from tressette_env.baselines import GreedyPlayer, RandomPlayer, RulesPlayer, TunedPlayer
from tressette_env.cards import bitboard_of, card_id, card_ids, card_text, thirds_of

POSITIONS = [json.loads(line) for line in Path(__file__).with_name("data").joinpath("positions_rules.jsonl").open()]
PLAYERS = {
    "random": lambda rules: RandomPlayer(rules, seed=3),
    "greedy": GreedyPlayer,
    "rules": RulesPlayer,
    "tuned": TunedPlayer,
    "rules without knowledge": lambda rules: RulesPlayer(rules, without="count_fallen+known_voids+known_cards"),
}
DECISIONS_OF_VERSION_1 = {
    RulesPlayer: {"two_player": 3793742141, "partners": 672291229, "historical": 3123998207},
    TunedPlayer: {"two_player": 1958399023, "partners": 3000029348, "historical": 2956371736},
}


def dealt(rules, rows, seed):
    deals = DealBatch(rows, rules)
    dealers = np.random.default_rng(seed).integers(rules.seats, size=rows)
    deals.reset(decks=random_decks(rules, rows, seed), dealers=dealers)
    return deals


def views_of(rules, rows=60, seed=5):
    """Views of every ply of random games."""
    deals, player = dealt(rules, rows, seed), RandomPlayer(rules, seed=seed)
    while not deals.done:
        view = deals.view()
        yield view
        deals.step(player.act(view))


def position(record):
    """The batch of one deal of a stored position, at the decision."""
    deals = DealBatch(1, record["variant"])
    deck = card_ids(" ".join([*record["hands"], record.get("stock", "")]))
    deals.reset(decks=[deck], dealers=[record["dealer"]])
    for card in card_ids(" ".join(record["plays"])):
        deals.step([card])
    return deals


def is_right(record, player):
    return card_text(int(player.act(position(record).view())[0])) in record["expect"].split()


@pytest.mark.parametrize(
    ("record", "player"),
    [
        pytest.param(record, player, id=f"{player}-{record['rule']}-{record['expect'].replace(' ', '')}")
        for record in POSITIONS
        for player in record["players"]
    ],
)
def test_position(record, player):
    assert is_right(record, make_player(player, record["variant"])), record["lesson"]


@pytest.mark.parametrize("rule", RulesPlayer.rule_names)
def test_every_rule_decides_positions(rule):
    """Of the positions that `rules` must get right for this rule's sake, two or more go wrong without it."""
    records = [record for record in POSITIONS if record["rule"] == rule and "rules" in record["players"]]
    assert sum(not is_right(record, RulesPlayer(record["variant"], without=rule)) for record in records) >= 2


@pytest.mark.parametrize("rule", TunedPlayer.rule_names)
def test_tuned_has_positions_for_every_rule(rule):
    assert sum(record["rule"] == rule and "tuned" in record["players"] for record in POSITIONS) >= 2


def ending(own, other, base):
    """A view of the two-player game with an empty stock: own cards, the other's, and thirds taken by both."""
    rules = Rules("two_player")
    own, other = card_ids(own), card_ids(other)
    fallen = [card for card in rules.pack if card not in own + other]
    played = np.array([[bitboard_of(fallen[0::2])], [bitboard_of(fallen[1::2])]], np.uint64)
    drawn = np.array([[bitboard_of(fallen[0:20:2])], [bitboard_of(fallen[1:20:2])]], np.uint64)
    first: list[int] = []
    for card in sorted(fallen, key=lambda card: -thirds_of(np.uint64(1 << card))):
        if thirds_of(np.uint64(bitboard_of([*first, card]))) <= base[0]:
            first.append(card)
    taken = np.array([[bitboard_of(first)], [bitboard_of(set(fallen) - set(first))]], np.uint64)
    assert thirds_of(taken)[:, 0].tolist() == list(base)
    hand = np.array([bitboard_of(own)], np.uint64)
    facts = {"hand": hand, "legal_cards": hand, "played": played, "drawn": drawn, "taken": taken}
    start = DealBatch(1, rules)
    start.reset(decks=[rules.pack], dealers=[1])
    zero = np.zeros(1, np.int64)
    return dataclasses.replace(start.view(), ply=zero + len(fallen), leader=zero, **facts)


@pytest.mark.parametrize(
    ("own", "other", "base", "right"),
    [
        ("AB RB 7S 5D", "3B 7C 4S 5S", (13, 14), "RB"),
        ("5C CS 3C 7C", "2S 4C 6D RC", (14, 14), "CS"),
        ("5D 2S 6B 6S", "6C FB AS 7C", (13, 14), "6B"),
        ("AS 7C", "2S 5C", (14, 14), "AS"),
    ],
)
def test_endings_with_one_right_move(own, other, base, right):
    """RULES §8: positions of the two-player game with exact values, which `tuned` counts out."""
    assert TunedPlayer("two_player").act(ending(own, other, base)) == [card_id(right)]


def greedy_card(hand, plays, dealer=0, variant="partners"):
    rules = Rules(variant)
    seat = (dealer + 1 + len(card_ids(plays))) % rules.seats
    others = [card for card in rules.pack if card not in card_ids(hand) + card_ids(plays)]
    hands = [[] for _ in range(rules.seats)]
    for turn, card in enumerate(card_ids(plays)):
        hands[(dealer + 1 + turn) % rules.seats] = [card]
    hands[seat] = card_ids(hand)
    for cards in hands:
        while len(cards) < 10:
            cards.append(others.pop())
    deals = DealBatch(1, rules)
    deals.reset(decks=[[card for cards in hands for card in cards] + others], dealers=[dealer])
    for card in card_ids(plays):
        deals.step([card])
    return card_text(int(GreedyPlayer(rules).act(deals.view())[0]))


@pytest.mark.parametrize(
    ("hand", "plays", "expected"),
    [
        ("3D 6D AC RC 4S 5S 6S 7S FB CB", "", "3D"),
        ("2D 6D AC RC 4S 5S 6S 7S FB CB", "", "4S"),
        ("AD RD 4D 4C 5C 6C 4S 5S 4B 5B", "5D FD 6D", "AD"),
        ("3D RD 4D 4C 5C 6C 4S 5S 4B 5B", "FD", "RD"),
        ("AD RD 4D 4C 5C 6C 4S 5S 4B 5B", "5D 3D 6D", "AD"),
        ("AD RD 4D 4C 5C 6C 4S 5S 4B 5B", "3D", "4D"),
        ("AC RC 7C 4S 5S 6S 7S 6B 5B RB", "3D", "4S"),
    ],
)
def test_greedy(hand, plays, expected):
    assert greedy_card(hand, plays) == expected


@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize("rules", ALL_RULES, ids=name)
def test_plays_legal_cards_only(rules, player):
    deals, chooser = dealt(rules, 40, seed=1), PLAYERS[player](rules)
    while not deals.done:
        cards = chooser.act(deals.view())
        assert cards.shape == (40,)
        assert cards.dtype == np.int64
        deals.step(cards)  # refuses illegal cards


@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize("rules", FULL_RULES, ids=name)
def test_decides_the_same_in_any_batch(rules, player):
    chooser = PLAYERS[player](rules)
    order = np.random.default_rng(0).permutation(60)
    views = list(views_of(rules))
    for view in views:
        whole = chooser.act(view)
        active = view.seat >= 0
        assert (whole[order] == chooser.act(view.take(order)))[active[order]].all()
        assert not active[0] or chooser.act(view.take(slice(0, 1)))[0] == whole[0]


@pytest.mark.parametrize("factory", [RulesPlayer, TunedPlayer])
@pytest.mark.parametrize("rules", [Rules("two_player"), Rules("partners")], ids=name)
def test_rows_at_different_plies(rules, factory):
    """A batch whose deals stand at different plies and moments."""
    deals, player = dealt(rules, 80, seed=9), factory(rules)
    rng = np.random.default_rng(2)
    while not deals.done:
        view = deals.view()
        cards = player.act(view)
        rows = deals.active & (rng.random(80) < 0.6)
        for row in np.flatnonzero(rows)[:3]:
            assert player.act(view.take(slice(row, row + 1)))[0] == cards[row]
        if rows.any():
            deals.step(cards, rows=rows)


def test_random_is_uniform_and_seeded():
    views = list(views_of(Rules("partners"), rows=400, seed=8))
    ranks, sizes = [], []
    for view in views:
        cards = RandomPlayer("partners", seed=1).act(view)
        below = np.arange(40) < cards[:, None]
        ranks.append((view.legal & below).sum(axis=1))
        sizes.append(view.legal.sum(axis=1))
    rank, size = np.concatenate(ranks), np.concatenate(sizes)
    for n in range(2, 11):
        share = np.bincount(rank[size == n], minlength=n) / max((size == n).sum(), 1)
        assert abs(share - 1 / n).max() < 6 * np.sqrt(0.25 / (size == n).sum())
    first = views[0]
    assert (RandomPlayer("partners", seed=1).act(first) == RandomPlayer("partners", seed=1).act(first)).all()
    assert (RandomPlayer("partners", seed=1).act(first) != RandomPlayer("partners", seed=2).act(first)).any()


@pytest.mark.parametrize("player", ["greedy", "rules", "tuned"])
@pytest.mark.parametrize("variant", ["two_player", "partners", "historical"])
def test_suits_are_alike(variant, player):
    """Relabelled suits give the relabelled card, but for exact ties between suits."""
    rules = Rules(variant)
    relabel = np.array([10 * new + rank for new in (2, 0, 3, 1) for rank in range(10)])
    decks, dealers = random_decks(rules, 300, seed=4), np.zeros(300, np.int64)
    one, two = DealBatch(300, rules), DealBatch(300, rules)
    one.reset(decks=decks, dealers=dealers)
    two.reset(decks=relabel[decks], dealers=dealers)
    chooser = PLAYERS[player](rules)
    same = []
    while not one.done:
        cards, relabelled = chooser.act(one.view()), chooser.act(two.view())
        same.append((relabel[cards] == relabelled)[one.active])
        one.step(cards)
        two.step(relabel[cards])
    assert np.concatenate(same).mean() > 0.95


@pytest.mark.parametrize(
    ("stronger", "weaker", "at_least"), [(RulesPlayer, GreedyPlayer, 0.5), (TunedPlayer, RulesPlayer, 0)]
)
@pytest.mark.parametrize("rules", FULL_RULES, ids=name)
def test_beats_clearly(rules, stronger, weaker, at_least):
    first, second = stronger(rules), weaker(rules)
    decks, dealers = random_decks(rules, 400, seed=7), np.random.default_rng(7).integers(rules.seats, size=400)
    gains = np.zeros(400)
    for side in (0, 1):
        deals = DealBatch(400, rules)
        deals.reset(decks=decks, dealers=dealers)
        while not deals.done:
            view = deals.view()
            own = (view.seat & 1) == side
            deals.step(np.where(own, first.act(view), second.act(view)))
        gains += (deals.points[:, side] - deals.points[:, 1 - side]) / 2
    assert gains.mean() - 4 * gains.std() / 20 > at_least


@pytest.mark.parametrize("factory", DECISIONS_OF_VERSION_1)
@pytest.mark.parametrize("variant", ["two_player", "partners", "historical"])
def test_frozen(variant, factory):
    """The decisions of version 1: a change of any of them asks for a new version."""
    deals, player = DealBatch(200, variant), factory(variant)
    deals.reset(seed=123)
    played = []
    while not deals.done:
        played.append(np.where(deals.active, player.act(deals.view()), -1).astype("<i8").tobytes())
        deals.step(np.frombuffer(played[-1], "<i8").clip(0))
    assert factory.version == 1
    assert zlib.crc32(b"".join(played)) == DECISIONS_OF_VERSION_1[factory][variant]


def test_blank_rows_and_options():
    deals = DealBatch(3, "partners")
    deals.reset(seed=1)
    blank = deals.view(seat=(deals.player[0] + 1) % 4)
    for factory in PLAYERS.values():
        assert factory(Rules("partners")).act(blank).shape == (3,)
    assert isinstance(make_player("rules:without=hold_aces+thrift", variant="historical"), RulesPlayer)
    assert isinstance(make_player("tuned:without=count_ending", variant="two_player"), TunedPlayer)
    with pytest.raises(ValueError, match=r"unknown rule 'bluff'.*hold_aces"):
        RulesPlayer("partners", without="bluff")
    with pytest.raises(ValueError, match="unknown rule 'count_ending'"):
        RulesPlayer("two_player", without="count_ending")
    with pytest.raises(ValueError, match="variant='bridge'"):
        GreedyPlayer("bridge")
    with pytest.raises(ValueError, match="its options are"):
        make_player("random:depth=3")
    with pytest.raises(ValueError, match="seed"):
        RandomPlayer("partners", seed=-1)

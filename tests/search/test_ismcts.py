"""`ismcts`: legal, deterministic, its visits and its tree as they should be, right where the right card is known."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from agents.search import game_kernel, ismcts_kernel, playout_kernel
from agents.search.fit_playouts import Choices, collect, fit, probabilities
from agents.search.ismcts import IsmctsPlayer, playout_weights
from agents.search.positions import positions_of
from agents.search.solver import card_points
from agents.search.world_values import different_cards
from tests.games import ALL_RULES, FULL_RULES, name
from tests.search.endings import ENDINGS, Ending, reach
from tests.search.playing import scattered
from tressette_env import Rules
from tressette_env.cards import bitboard_of, card_id, card_ids, card_text, popcount
from tressette_env.rules import VARIANTS
from tressette_env.view import View


@pytest.mark.parametrize("rules", ALL_RULES, ids=name)
def test_plays_legal_cards_at_every_stage(rules: Rules) -> None:
    view = scattered(rules, 200, seed=1).view()
    cards = IsmctsPlayer(rules, iterations=30).act(view)
    assert cards.shape == (200,)
    assert cards.dtype == np.int64
    acting = view.seat >= 0
    assert acting.any()
    assert not acting.all()
    assert view.legal[acting, cards[acting]].all()


@pytest.mark.slow
@pytest.mark.parametrize("rules", ALL_RULES, ids=name)
def test_plays_legal_cards_in_a_hundred_thousand_decisions(rules: Rules) -> None:
    player = IsmctsPlayer(rules, iterations=20, pool=5)
    for seed in range(10):
        view = scattered(rules, 700, seed=seed).view()
        cards, acting = player.act(view), view.seat >= 0
        assert view.legal[acting, cards[acting]].all()


@pytest.mark.parametrize("rules", FULL_RULES, ids=name)
def test_one_information_set_and_seed_one_search(rules: Rules) -> None:
    view = scattered(rules, 40, seed=2).view()
    player = IsmctsPlayer(rules, seed=5, iterations=200)
    cards, visits = player.act(view), player.visits(view)
    order = np.random.default_rng(3).permutation(40)
    again = IsmctsPlayer(rules, seed=5, iterations=200)
    np.testing.assert_array_equal(again.act(view.take(order)), cards[order])
    np.testing.assert_array_equal(again.visits(view.take(order)), visits[order])
    for row in range(0, 40, 5):
        np.testing.assert_array_equal(again.visits(view.take([row])), visits[[row]])


def test_the_seed_draws_worlds_and_playouts() -> None:
    view = scattered(Rules("partners"), 40, seed=2).view()
    one, other = (IsmctsPlayer("partners", seed=seed, iterations=200).visits(view) for seed in (1, 2))
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("rules", ALL_RULES, ids=name)
def test_every_iteration_visits_one_card(rules: Rules) -> None:
    view = scattered(rules, 100, seed=3).view()
    found = IsmctsPlayer(rules, iterations=60).search(view)
    choice = popcount(different_cards(view)) > 1
    assert (found.visits.sum(axis=1) == np.where(choice, 60, 0)).all()
    assert (~np.isnan(found.means) == (found.visits > 0)).all()
    assert not found.visits[~view.legal].any()


def test_the_card_played_has_the_most_visits_and_then_the_best_mean() -> None:
    view = scattered(Rules("partners"), 200, seed=4).view()
    player = IsmctsPlayer("partners", iterations=12)
    cards, found = player.act(view), player.search(view)
    ties = 0
    for row in np.flatnonzero(found.visits.any(axis=1)):
        most = np.flatnonzero(found.visits[row] == found.visits[row].max())
        ties += len(most) > 1
        best = max(most, key=lambda card: (found.means[row, card], -card))
        assert cards[row] == best
    assert ties > 10


def test_equal_cards_are_one_choice() -> None:
    """In every tree node only the lowest of equal cards is tried, at the root as the public function has it."""
    view = scattered(Rules("historical"), 200, seed=6).view()
    visits = IsmctsPlayer("historical", iterations=40).visits(view)
    lowest = different_cards(view)
    tried = (np.uint64(1) << np.arange(40, dtype=np.uint64))[None] * (visits > 0)
    assert (tried.sum(axis=1) == np.where(visits.any(axis=1), lowest, 0)).all()


@pytest.mark.parametrize("rules", ALL_RULES, ids=name)
def test_the_compiled_choice_of_different_cards(rules: Rules) -> None:
    deals = scattered(rules, 200, seed=7)
    view, game = deals.view(), game_kernel.game_of(rules)
    state = np.zeros(game_kernel.STATE, np.uint64)
    expected, known = different_cards(view), game_kernel.states_of(view)
    for row in np.flatnonzero(view.seat >= 0):
        game_kernel.set_world(state, known[row], deals.hands[row])
        assert ismcts_kernel.different_cards(state, game) == expected[row]


KNOWN_ENDINGS = [ending for ending in ENDINGS if ending.variant == "two_player"]


@pytest.mark.parametrize("ending", KNOWN_ENDINGS, ids=lambda ending: str(ending.right))
def test_finds_the_right_card_of_the_rules(ending: Ending) -> None:
    """RULES §8: with two players all is known, and the mean tends to the value of the game."""
    found = IsmctsPlayer(ending.variant, iterations=20_000).search(reach(ending).view())
    assert found.visits[0].argmax() == card_id(ending.right)
    assert abs(found.means[0, card_id(ending.right)] - ending.value) < 0.2


@pytest.mark.parametrize("rules", [Rules("two_player"), Rules("two_player", napoletana=True)], ids=name)
def test_small_endings_are_solved(rules: Rules) -> None:
    """With three cards left and nothing hidden the search ends where the exact solver does."""
    deals = scattered(rules, 2000, seed=8)
    view = deals.view().take((deals.ply >= 34) & deals.active)
    found = IsmctsPlayer(rules, iterations=5000).search(view)
    exact = card_points(positions_of(view, _hands(view)), rules)
    own_side_first = np.where(view.seat % 2 == 0, 1, -1)
    declared = (view.declared_points[:, 0] - view.declared_points[:, 1]) * own_side_first
    rows = np.flatnonzero(found.visits.any(axis=1))
    assert len(rows) > 50
    chosen = found.visits[rows].argmax(axis=1)
    assert (exact[rows, chosen] == exact[rows].max(axis=1)).all()
    assert np.abs(found.means[rows, chosen] - exact[rows, chosen] - declared[rows]).max() < 0.5


def _hands(view: View) -> npt.NDArray[np.uint64]:
    """Both hands, where the stock is empty: all that has not fallen is in them."""
    pack = np.uint64(bitboard_of(view.rules.pack))
    other = pack & ~(view.hand | np.bitwise_or.reduce(view.played, axis=0))
    return np.where(view.seat[:, None] == np.arange(2), view.hand[:, None], other[:, None])


@pytest.mark.parametrize("variant", VARIANTS)
def test_playouts_draw_cards_by_their_weights(variant: str) -> None:
    rules = Rules(variant)
    deals = scattered(rules, 60, seed=9)
    view, hands, game = deals.view().take(deals.active), deals.hands[deals.active], game_kernel.game_of(rules)
    weights = playout_weights(variant)
    known = game_kernel.states_of(view)
    factors, cards = playout_kernel.factors_of_choices(known, hands, view.legal_cards, game)
    expected = probabilities(np.log(weights), factors)
    state, sums = np.zeros(game_kernel.STATE, np.uint64), np.zeros(playout_kernel.MOST_CHOICES, np.float32)
    generator = np.array([11, 12345678912345679], np.uint64)
    draws = 2000
    for row in np.flatnonzero(popcount(view.legal_cards) > 1)[:20]:
        game_kernel.set_world(state, known[row], hands[row])
        drawn = [
            int(playout_kernel.choose(state, view.legal_cards[row], game, weights, sums, generator)).bit_length() - 1
            for _ in range(draws)
        ]
        share = (np.array(drawn)[:, None] == cards[row]).mean(axis=0)
        likely = expected[row]
        assert share.sum() == pytest.approx(1)
        assert (np.abs(share - likely) <= 5 * np.sqrt(likely * (1 - likely) / draws) + 2 / draws).all()


def test_fitting_recovers_a_policy() -> None:
    """Choices drawn from known logits are explained almost as well by the fitted ones."""
    rng = np.random.default_rng(10)
    factors = collect(Rules("partners"), "random", 400, seed=1).factors
    truth = rng.normal(size=playout_kernel.SIZE).astype(np.float32)
    truth[playout_kernel.NO_FACTOR] = 0
    likely = probabilities(truth, factors)
    chosen = (likely.cumsum(axis=1) > rng.random((len(likely), 1))).argmax(axis=1)
    fitted = fit(Choices(factors, chosen), epochs=20, batch=512)
    assert fitted[playout_kernel.NO_FACTOR] == 0
    rows = np.arange(len(chosen))
    losses = [-np.log(probabilities(logits, factors)[rows, chosen]).mean() for logits in (truth, fitted, 0 * truth)]
    assert losses[1] < losses[0] + 0.05 < losses[2] - 0.2


@pytest.mark.parametrize("rules", [Rules("partners"), Rules("two_player", napoletana=True)], ids=name)
def test_takes_an_ace(rules: Rules) -> None:
    """The last seat can take a trick worth a point, and does."""
    deals = scattered(rules, 1, seed=0)
    hands = {"partners": ["AD 4C", "6D 5C", "7D 6C", "3D 7C"], "two_player": ["AD 4C", "3D 7C"]}[rules.variant]
    deals.reset(decks=[_deck(rules, hands)], dealers=[rules.seats - 1])
    for text in hands[:-1]:
        deals.step([card_ids(text)[0]])
    view = deals.view()
    assert IsmctsPlayer(rules, iterations=2000).act(view)[0] in card_ids("2D 3D")


def _deck(rules: Rules, hands: list[str]) -> list[int]:
    """A deck in which each seat holds these cards and no other denari."""
    given = [card_ids(text) for text in hands]
    rest = [card for card in rules.pack if card_text(card) not in " ".join(hands)]
    rest.sort(key=lambda card: card < 10)  # the other denari go last: to the last seat, or to the stock
    deck: list[int] = []
    for cards in given:
        need = rules.hand - len(cards)
        deck += cards + rest[:need]
        rest = rest[need:]
    return deck + rest


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"iterations": 0}, "iterations=0"),
        ({"iterations": 1.5}, "iterations=1.5"),
        ({"pool": 0}, "pool=0"),
        ({"exploration": -1}, "exploration=-1"),
        ({"exploration": float("nan")}, "exploration=nan"),
        ({"exploration": True}, "exploration=True"),
    ],
)
def test_bad_options_are_named(options: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        IsmctsPlayer("partners", **options)  # type: ignore[arg-type]

"""What holds for any batch: independence of its size and order, exact copies, and deals from seeds."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from tests.games import ALL_RULES, FULL_RULES, dealt, mixed_decks, name, random_cards, random_dealers
from tressette_env import DealBatch, Rules

RULES_TO_MIX = [*FULL_RULES, ALL_RULES[6], ALL_RULES[12]]


def snapshot(deals: DealBatch, row: int | slice = slice(None)) -> list[Any]:
    """Everything a batch shows, for some rows."""
    view = deals.view()
    arrays: list[Any] = [deals.player, deals.legal, deals.active, deals.thirds, deals.points, deals.ply]
    arrays += [deals.hands, deals.observe(), view.plays, view.play_seats, view.known, view.keys, view.legal]
    arrays += [deals.observe(seat) for seat in range(deals.rules.seats)]
    arrays += [np.array([str(bonus) for bonus in deals.bonus])]
    return [np.asarray(array)[row].tolist() for array in arrays]


def batch(rules: Rules, rows: int, seed: int = 0, **arguments: Any) -> DealBatch:
    return dealt(rules, mixed_decks(rules, rows, seed), random_dealers(rules, rows, seed), **arguments)


def play_some(deals: DealBatch, plies: int, seed: int = 1) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(plies):
        deals.step(random_cards(deals, rng))


def lockstep_games(deals: DealBatch, seed: int) -> tuple[list[list[int]], list[list[Any]]]:
    """Play to the end together: the cards of each deal, and each deal's snapshot at each of its plies."""
    rng = np.random.default_rng(seed)
    plays: list[list[int]] = [[] for _ in range(deals.num_deals)]
    shots: list[list[Any]] = [[snapshot(deals, row)] for row in range(deals.num_deals)]
    while not deals.done:
        cards, active = random_cards(deals, rng), deals.active
        deals.step(cards)
        for row in np.flatnonzero(active):
            plays[row].append(int(cards[row]))
            shots[row].append(snapshot(deals, row))
    return plays, shots


@pytest.mark.parametrize("rules", RULES_TO_MIX, ids=name)
def test_rows_in_any_order_equal_lock_step(rules: Rules) -> None:
    rows = 5
    start = batch(rules, rows)
    plays, shots = lockstep_games(start.copy(), seed=3)
    rng = np.random.default_rng(4)
    deals, ply = start.copy(), [0] * rows
    while not deals.done:
        mask = deals.active & (rng.random(rows) < 0.5)
        cards = np.array([plays[row][ply[row]] if mask[row] else -7 for row in range(rows)])
        deals.step(cards, rows=mask)
        for row in range(rows):
            ply[row] += int(mask[row])
            assert snapshot(deals, row) == shots[row][ply[row]]
    assert [len(cards) for cards in plays] == ply


@pytest.mark.parametrize("rules", RULES_TO_MIX, ids=name)
def test_a_batch_equals_as_many_batches_of_one(rules: Rules) -> None:
    deals = batch(rules, 6)
    singles = [dealt(rules, deals.decks[[row]], deals.dealer[[row]]) for row in range(6)]
    plays, shots = lockstep_games(deals, seed=5)
    for row, single in enumerate(singles):
        assert snapshot(single, 0) == shots[row][0]
        for ply, card in enumerate(plays[row]):
            single.step(np.array([card]))
            assert snapshot(single, 0) == shots[row][ply + 1]


def test_after_rows_have_caught_up_the_batch_goes_on_together() -> None:
    deals = batch(Rules("partners"), 4)
    together = deals.copy()
    rng = np.random.default_rng(0)
    cards = random_cards(deals, rng)
    together.step(cards)
    for row in (2, 0, 3, 1):
        deals.step(cards, rows=np.arange(4) == row)
    assert snapshot(deals) == snapshot(together)
    for _ in range(39):
        cards = random_cards(deals, rng)
        deals.step(cards)
        together.step(cards)
    assert snapshot(deals) == snapshot(together)
    assert deals.done


def test_a_step_without_rows_plays_every_active_deal_whatever_its_ply() -> None:
    deals = batch(Rules("two_player", napoletana=True), 3)
    deals.step(random_cards(deals, np.random.default_rng(0)), rows=np.array([True, False, False]))
    play_some(deals, 39)
    assert deals.ply.tolist() == [40, 39, 39]
    play_some(deals, 1)
    assert deals.done
    assert (deals.thirds.sum(axis=1) == 32).all()


@pytest.mark.parametrize("rules", [Rules("partners"), Rules("two_player", suits="DS", ranks="7A23", hand=4)], ids=name)
def test_deals_may_end_one_after_another(rules: Rules) -> None:
    """Once the batch took the ply of the deals that ended for that of the rest."""
    together, apart = DealBatch(4, rules), DealBatch(4, rules)
    for batch in (together, apart):
        batch.reset(seed=5)
        for _ in range(rules.num_cards - 1):
            batch.step(batch.legal_mask().argmax(axis=1))
    together.step(together.legal_mask().argmax(axis=1))
    for rows in ([True, False, True, False], [False, True, False, False], [False, False, False, True]):
        apart.step(apart.legal_mask().argmax(axis=1), rows=np.array(rows))
        assert (apart.active | (apart.ply == rules.num_cards)).all()
    assert apart.done
    assert apart.points.tolist() == together.points.tolist()


def test_no_row_at_all_plays_nothing() -> None:
    deals = batch(Rules("partners"), 3)
    before = snapshot(deals)
    deals.step(np.full(3, -1), rows=np.zeros(3, bool))
    assert snapshot(deals) == before


COPIES: dict[str, Callable[[DealBatch], DealBatch]] = {
    "copy": lambda deals: deals.copy(),
    "deepcopy": copy.deepcopy,
    "pickle": lambda deals: pickle.loads(pickle.dumps(deals)),
}


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("rules", RULES_TO_MIX, ids=name)
def test_copies_continue_exactly_at_any_ply(rules: Rules, how: str) -> None:
    deals = batch(rules, 4)
    rng = np.random.default_rng(6)
    twins, history = [], []
    while not deals.done:
        if len(history) % 7 == 0:
            twins.append((COPIES[how](deals), snapshot(deals)))
        history.append(random_cards(deals, rng))
        deals.step(history[-1])
    end = snapshot(deals)
    for number, (twin, shot) in enumerate(twins):
        assert snapshot(twin) == shot  # the plays since then left it alone
        for cards in history[7 * number :]:
            twin.step(cards)
        assert snapshot(twin) == end


def test_a_view_is_a_snapshot() -> None:
    deals = batch(Rules("two_player", napoletana=True), 4)
    play_some(deals, 5)
    view = deals.view()
    copied = {field: np.array(getattr(view, field)) for field in view.__dataclass_fields__ if field != "rules"}
    play_some(deals, 6)
    for field, value in copied.items():
        assert (np.asarray(getattr(view, field)) == value).all(), field


# Seeds.


def seeded(rows: int, rules: Rules, **arguments: Any) -> DealBatch:
    deals = DealBatch(rows, rules)
    deals.reset(**arguments)
    return deals


@pytest.mark.parametrize("rules", ALL_RULES[:6], ids=name)
def test_a_deal_depends_on_seed_and_id_alone(rules: Rules) -> None:
    many = seeded(4096, rules, seed=7)
    alone = seeded(1, rules, seed=7, deal_ids=[17])
    ids = np.array([4095, 17, 0, 17])
    some = seeded(4, rules, seed=[7, 7, 7, 8], deal_ids=ids)
    assert (many.decks[17] == alone.decks[0]).all()
    assert many.dealer[17] == alone.dealer[0]
    assert (some.decks[:3] == many.decks[ids[:3]]).all()
    assert (some.dealer[:3] == many.dealer[ids[:3]]).all()
    assert (some.decks[3] != many.decks[17]).any()
    again = seeded(4, rules, seed=7)
    play_some(again, 3)
    again.reset(seed=7)
    assert (again.decks == many.decks[:4]).all()
    assert snapshot(again) == snapshot(seeded(4, rules, seed=7))


def test_a_deal_is_the_same_in_another_process() -> None:
    program = (
        "from tressette_env import DealBatch; d = DealBatch(3, 'two_player'); d.reset(seed=[7, 0, 2**63 - 1], "
        "deal_ids=[17, 10**12, 5]); print(d.decks.tolist(), d.dealer.tolist())"
    )
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    here = seeded(3, Rules("two_player"), seed=[7, 0, 2**63 - 1], deal_ids=[17, 10**12, 5])
    assert printed.strip() == f"{here.decks.tolist()} {here.dealer.tolist()}"


def test_variants_of_one_seed_share_no_state_with_numpy() -> None:
    np.random.seed(1)  # noqa: NPY002 - the point is that the global state neither matters nor moves
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    first = seeded(5, Rules("partners"), seed=3).decks
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002
    np.random.seed(2)  # noqa: NPY002
    assert (seeded(5, Rules("partners"), seed=3).decks == first).all()


def chi_square(counts: npt.NDArray[np.int64]) -> float:
    expected = counts.sum() / counts.size
    return float(((counts - expected) ** 2 / expected).sum())


def test_decks_and_dealers_are_uniform() -> None:
    rows = 40_000
    deals = seeded(rows, Rules("partners"), seed=11)
    counts = np.zeros((40, 40), np.int64)
    for position in range(40):
        counts[position] = np.bincount(deals.decks[:, position], minlength=40)
    # 39 * 39 degrees of freedom: mean 1521, standard deviation 55; a fixed seed, so never a chance failure.
    assert 1521 - 4 * 55 < chi_square(counts) < 1521 + 4 * 55
    assert chi_square(np.bincount(deals.dealer, minlength=4)) < 16  # 3 degrees of freedom
    # Neighbouring deals and seeds have nothing in common: cards that agree in place are 1 in 40.
    for other in (deals.decks[1:], seeded(rows - 1, Rules("partners"), seed=12).decks):
        assert abs((deals.decks[: rows - 1] == other).mean() - 1 / 40) < 0.001
    pairs = np.bincount(deals.decks[:, 0] * 40 + deals.decks[:, 1], minlength=1600).reshape(40, 40)
    off_diagonal = pairs[~np.eye(40, dtype=bool)]
    assert pairs.trace() == 0
    assert 1559 - 4 * 56 < chi_square(off_diagonal) < 1559 + 4 * 56

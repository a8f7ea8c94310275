"""A player asked for its cards, and its replies checked (CONTRACT §6)."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.toy_players import TOYS, Peeking
from tressette_env import DealBatch
from tressette_env.players import IllegalReplyError, PlayerError, decide, make_player
from tressette_env.view import View


class Replies:
    """Returns what it is told to."""

    def __init__(self, reply: Callable[[View], Any]) -> None:
        self._reply = reply

    def act(self, view: View) -> Any:
        return self._reply(view)


def first_trick() -> DealBatch:
    """Three deals, the second of which stands one play behind."""
    deals = DealBatch(3, "partners")
    deals.reset(seed=1)
    deals.step(deals.legal_mask().argmax(axis=1), rows=np.array([True, False, True]))
    return deals


def an_illegal_card(view: View) -> Any:
    cards = view.legal.argmax(axis=1)
    cards[2] = (~view.legal[2]).argmax()
    return cards


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (an_illegal_card, r"^bot played \w\w in row 2 at ply 1; legal cards: \w\w"),
        (lambda view: [40, 40, 40], r"^bot played 40 in row 0 at ply 1"),
        (lambda view: np.where(np.arange(3) == 1, -1, view.legal.argmax(axis=1)), "^bot played -1 in row 1 at ply 0"),
        (lambda view: [0, 0], r"bot returned int64 of shape \(2,\).*must return \(3,\) integers"),
        (lambda view: 7, "bot returned 7"),
        (lambda view: [[1], [2, 3]], r"bot returned lists of different lengths.*must return \(3,\) integers"),
        (lambda view: view.legal.argmax(axis=1) * 1.0, "bot returned float64"),
        (lambda view: view.legal.any(axis=1), "bot returned bool"),
        (lambda view: None, "bot returned None in row 0 at ply 1"),
    ],
)
def test_illegal_replies_name_player_row_and_ply(reply: Callable[[View], Any], told: str) -> None:
    with pytest.raises(IllegalReplyError, match=told):
        decide(Replies(reply), first_trick().view(), "bot")


def fail(view: View) -> Any:
    raise KeyError("a card\nthat is not there")


def test_an_error_of_a_player_names_it_with_row_ply_and_cause() -> None:
    told = (
        r"^bot failed in deal 70 at ply 1 \(the first of 3 decisions\): "
        r"KeyError: .*a card.*not there.*\(test_decide.py, line \d+\)$"
    )
    with pytest.raises(PlayerError, match=told) as raised:
        decide(Replies(fail), first_trick().view(), "bot", lambda row: f"deal {70 + row}")
    assert isinstance(raised.value.__cause__, KeyError)
    assert not isinstance(raised.value, IllegalReplyError)
    assert "\n" not in str(raised.value)
    with pytest.raises(PlayerError, match=r"^bot failed: KeyError"):
        decide(Replies(fail), first_trick().view().take(np.zeros(3, bool)), "bot")


def test_a_player_that_ends_the_program_has_failed() -> None:
    with pytest.raises(PlayerError, match=r"^bot failed in row 0 at ply 1 .*: SystemExit: no licence"):
        decide(Replies(lambda view: sys.exit("no licence")), first_trick().view(), "bot")


def test_the_caller_may_say_where_a_row_belongs() -> None:
    with pytest.raises(IllegalReplyError, match=r"in deal 72 at ply 1; legal cards"):
        decide(Replies(an_illegal_card), first_trick().view(), "bot", lambda row: f"deal {70 + row}")
    with pytest.raises(IllegalReplyError, match=r"in deal 70 at ply 1; act must return"):
        decide(Replies(lambda view: None), first_trick().view(), "bot", lambda row: f"deal {70 + row}")


@pytest.mark.parametrize("nonsense", [-5, 99, 10**12])
def test_replies_for_rows_that_do_not_act_are_ignored(nonsense: int) -> None:
    deals = DealBatch(1, "partners")
    deals.reset(seed=1)
    while not deals.done:
        deals.step(deals.legal_mask().argmax(axis=1))
    both = deals.view()
    assert both.seat.tolist() == [-1]
    assert decide(Replies(lambda view: [nonsense]), both).tolist() == [0]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint64])
def test_any_integer_type_will_do(dtype: type) -> None:
    view = first_trick().view()
    cards = decide(Replies(lambda view: view.legal.argmax(axis=1).astype(dtype)), view)
    assert cards.dtype == np.int64
    assert cards.tolist() == view.legal.argmax(axis=1).tolist()


@pytest.mark.parametrize("variant", ["two_player", "partners", "historical"])
@pytest.mark.parametrize("name", ["random", "greedy", f"{TOYS}:Mixed"])
def test_a_view_may_be_empty(name: str, variant: str) -> None:
    deals = DealBatch(3, variant)
    deals.reset(seed=1)
    nothing = deals.view().take(np.zeros(3, bool))
    assert nothing.observation.shape == (0, deals.observe().shape[1])
    assert decide(make_player(name, variant), nothing).shape == (0,)


def test_a_cheating_player_is_handed_the_deals() -> None:
    player = Peeking("partners")
    deals = first_trick()
    rows = np.array([2, 0])
    cards = decide(player, deals.view().take(rows), "bot", deals=deals, rows=rows)
    assert cards.tolist() == deals.legal_mask()[rows].argmax(axis=1).tolist()
    assert [(batch is deals, rows.tolist()) for batch, rows in player.handed] == [(True, [2, 0])]
    with pytest.raises(PlayerError, match=r"^bot sees all cards: it must be handed the deals"):
        decide(player, deals.view(), "bot")


def test_a_fair_player_is_not_handed_the_deals() -> None:
    deals = first_trick()
    rules = make_player("rules", "partners")
    decide(rules, deals.view(), "bot", deals=deals, rows=np.arange(3))  # its act takes the view alone

"""What a record must keep to, and how one is refused that does not (CONTRACT §8)."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tests.recorded_games import Record, names_of, one, recorded
from tests.test_worked_examples import E2_HANDS, E2_TRICKS
from tressette_env import ENV_VERSION, MatchBatch, Rules
from tressette_env.cards import card_ids
from tressette_env.record import Recorder, RecordError, replay, replay_env, replay_plies, validate


def spoil(change: Callable[[Record], None], record: Record) -> RecordError:
    """The error of a record that is changed so."""
    changed = copy.deepcopy(record)
    change(changed)
    with pytest.raises(RecordError) as caught:
        validate(changed)
    return caught.value


def setting(value: Any, *keys: Any) -> Callable[[Record], None]:
    def change(record: Any) -> None:
        for key in keys[:-1]:
            record = record[key]
        record[keys[-1]] = value

    return change


def without(*keys: Any) -> Callable[[Record], None]:
    def change(record: Any) -> None:
        for key in keys[:-1]:
            record = record[key]
        del record[keys[-1]]

    return change


PLAY = ("deals", 0, "plays")
REFUSED = [
    (setting(ENV_VERSION + 1, "version"), None, None, f"version {ENV_VERSION + 1}: this is environment version"),
    (setting(True, "version"), None, None, "version True"),
    (setting("briscola", "variant"), None, None, "variant='briscola' is not allowed: 'two_player'"),
    (setting(1, "options", "napoletana"), None, None, "options: napoletana must be true or false, not 1"),
    (setting(20, "options", "target"), None, None, "target=20 is not allowed: 21, 31, 41"),
    (setting([0], "options", "scores"), None, None, "options: scores: 1 numbers, but there are two sides"),
    (setting([0, -1], "options", "scores"), None, None, "options: scores of side 1 is -1"),
    (setting(True, "options", "hand"), None, None, "options: hand must be a whole number, not True"),
    (setting(9, "options", "hand"), None, None, "hand=9 deals 36 of 40 cards"),
    (setting(1, "options", "speed"), None, None, "options: 'speed' is unknown; known: napoletana"),
    (without("options", "scores"), None, None, "options: 'scores' is missing"),
    (without("result"), None, None, "the record: 'result' is missing"),
    (setting(["a", "b"], "players"), None, None, "players: 2 names, but partners has 4 seats"),
    (setting(7, "players", 2), None, None, "players: the name of seat 2 must be a text, not 7"),
    (setting("a\nb", "players", 1), None, None, "players: the name of seat 1 is 'a\\nb'"),
    (setting([], "deals"), None, None, "deals: there is none"),
    (lambda record: record["deals"].append(record["deals"][0]), None, None, "without a target a game is one deal"),
    (setting(4, "deals", 0, "dealer"), 0, None, "dealer is 4: it must be from 0 to 3"),
    (setting("5D", "deals", 0, "deck", 3), 0, None, " of the pack is missing"),
    (setting("1D", "deals", 0, "deck", 3), 0, None, "deck: place 3: '1D' is no card"),
    (without("deals", 0, "deck", 3), 0, None, "deck: 39 cards, but the pack has 40"),
    (setting("XX", *PLAY, 17), 0, 17, "the play: 'XX' is no card"),
    (setting(17, *PLAY, 17), 0, 17, "the play must be a text, not 17"),
    (without(*PLAY, 39), 0, 39, "the plays end here, but the deal has 40"),
    (lambda record: record["deals"][0]["plays"].append("3D"), 0, 40, "the deal is over, but a play follows"),
    (setting([11, 1], "deals", 0, "points"), 0, None, "the points are [11, 1], but the deal comes to ["),
    (setting(2.5, "result", "points"), None, None, "result: points is 2.5, but the deals come to ["),
    (setting("none", "result", "bonus"), None, None, "result: bonus is 'none', but the deals come to None"),
    (setting(0, "result", "winner"), None, None, "result: 'winner' is unknown; known: points, thirds, bonus"),
    (without("result", "thirds"), None, None, "result: 'thirds' is missing"),
]


@pytest.mark.parametrize(("change", "deal", "ply", "reason"), REFUSED, ids=[row[-1] for row in REFUSED])
def test_what_is_wrong_is_named(
    change: Callable[[Record], None], deal: int | None, ply: int | None, reason: str
) -> None:
    error = spoil(change, one(Rules("partners")))
    assert (error.deal, error.ply) == (deal, ply)
    assert reason in error.reason
    place = ", ".join(f"{kind} {number}" for kind, number in (("deal", deal), ("ply", ply)) if number is not None)
    assert str(error) == (f"{place}: {error.reason}" if place else error.reason)


def test_an_illegal_card_is_refused_with_what_would_be_legal() -> None:
    """RULES §8 E2: seat 1 must follow denari with the 4 or the 7."""
    before = [*" ".join(cards for cards, _ in E2_TRICKS).split(), "CD", "3D"]
    base = one(Rules("partners"))
    base["deals"][0] |= {"deck": " ".join(E2_HANDS).split(), "dealer": 1, "plays": [*before, "4D"]}
    assert spoil(lambda record: None, base).ply == 23  # it ends too early, but what there is, is legal
    for card, reason in (
        ("FS", "seat 1 played the FS, but must follow D with 7D 4D"),
        ("3D", "seat 1 played the 3D, which it does not hold: it fell at ply 21"),
        ("AS", "seat 1 played the AS, which it does not hold: it fell at ply 18"),
        ("5D", "seat 1 played the 5D, which it does not hold: its hand is 7D 4D 4C FS 2B"),
    ):
        error = spoil(setting(card, *PLAY, 22), base)
        assert (error.deal, error.ply, error.reason) == (0, 22, reason)


def test_what_a_match_must_keep_to() -> None:
    record = one(Rules("two_player"), MatchBatch)
    deals = len(record["deals"])
    assert deals > 1
    error = spoil(setting(record["deals"][0]["dealer"], "deals", 1, "dealer"), record)
    due = 1 - record["deals"][0]["dealer"]
    assert str(error) == f"deal 1: the dealer is seat {1 - due}, but after that of the deal before it is seat {due}"
    error = spoil(without("deals", -1), record)
    assert (error.deal, error.ply) == (deals - 2, None)
    assert error.reason.endswith("and is not won, but there is no other deal")
    more = copy.deepcopy(record["deals"][-1])
    more["dealer"] = 1 - more["dealer"]
    error = spoil(lambda game: game["deals"].append(more), record)
    assert (error.deal, error.ply) == (deals - 1, None)
    standing = record["result"]["scores"]
    assert error.reason == f"after it the match stands at {standing}, which wins it, but another deal follows"
    assert "result: scores is" in spoil(setting([0, 0], "result", "scores"), record).reason
    assert "result: winner is" in spoil(setting(1 - record["result"]["winner"], "result", "winner"), record).reason
    assert "result: payment is True" in spoil(setting(True, "result", "payment"), record).reason
    error = spoil(setting([21, 3], "options", "scores"), record)
    assert error.reason == "options: the scores [21, 3] have decided the match before its first deal"
    swapped = copy.deepcopy(record["deals"][1]["plays"])
    swapped[0], swapped[2] = swapped[2], swapped[0]
    error = spoil(setting(swapped, "deals", 1, "plays"), record)
    assert error.deal == 1
    assert "does not hold" in error.reason


def declared_win() -> Record:
    """A party at 18:18 whose first declarer has 3-2-A of a suit (RULES §8, marks)."""
    rules = Rules("historical")
    first = card_ids("3D 2D AD 7C 6C 5S 4S CB FB RS")
    rest = [card for card in rules.pack if card not in first]
    batch = MatchBatch(1, rules)
    batch.reset(decks=[[*rest[:10], *first, *rest[10:]]], dealers=[0], scores=[[18, 18]])
    assert batch.done
    return Recorder(batch, [names_of(rules)]).records()[0]


def test_a_deal_won_by_declarations_has_no_plays() -> None:
    record = declared_win()
    assert record["deals"][0]["plays"] == []
    assert record["deals"][0]["points"][1] >= 3
    assert record["options"]["scores"] == [18, 18]
    assert (record["result"]["winner"], record["result"]["payment"], record["result"]["next_marks"]) == (1, 1, [0, 0])
    validate(record)
    assert replay(record).done
    assert replay_env(record).unwrapped.result() == record["result"]
    error = spoil(lambda game: game["deals"][0]["plays"].append("3D"), record)
    assert str(error).startswith("deal 0, ply 0: the declarations have won the deal, so that no card is played")
    with pytest.raises(ValueError, match="deal 0 was won by declarations: it has no plays"):
        replay_plies(record)


def test_later_deals_won_by_declarations_are_recorded() -> None:
    records = recorded(Rules("historical"), MatchBatch, 60)
    without_plays = [record for record in records if len(record["deals"]) > 1 and not record["deals"][-1]["plays"]]
    assert without_plays
    for record in without_plays:
        validate(record)

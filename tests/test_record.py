"""Records (CONTRACT §8): round trips, what is refused and why, replay at every ply, and files from strangers."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.games import ALL_RULES, FULL_RULES, dealt, mixed_decks, name, random_cards, random_dealers
from tests.golden import RECORDS_FILE
from tests.test_worked_examples import E1_HANDS, E1_TRICKS, E2_HANDS, E2_TRICKS
from tressette_env import ENV_VERSION, DealBatch, MatchBatch, Rules, tressette_v0
from tressette_env.cards import card_ids
from tressette_env.record import (
    Recorder,
    RecordError,
    deal_text,
    game_text,
    read,
    records_of,
    replay,
    replay_env,
    replay_plies,
    to_line,
    validate,
    write,
)

Record = dict[str, Any]
CLASSES = [DealBatch, MatchBatch]


def names_of(rules: Rules) -> list[str]:
    return [f"player of seat {seat}" for seat in range(rules.seats)]


def started(rules: Rules, kind: type[DealBatch], games: int, seed: int = 1) -> DealBatch:
    batch = kind(games, rules)
    batch.reset(seed=seed, decks=mixed_decks(rules, games, seed), dealers=random_dealers(rules, games, seed))
    return batch


def recorded(rules: Rules, kind: type[DealBatch], games: int, seed: int = 1) -> list[Record]:
    """Random games, written down while they are played."""
    batch = started(rules, kind, games, seed)
    recorder = Recorder(batch, [names_of(rules)] * games)
    rng = np.random.default_rng(seed)
    while not batch.done:
        recorder.step(random_cards(batch, rng))
    return recorder.records()


@lru_cache
def one_line(rules: Rules, kind: type[DealBatch]) -> str:
    return to_line(recorded(rules, kind, 1)[0])


def one(rules: Rules, kind: type[DealBatch] = DealBatch) -> Record:
    """A fresh record to be spoilt."""
    record: Record = json.loads(one_line(rules, kind))
    return record


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("rules", ALL_RULES, ids=name)
def test_what_is_written_is_read(rules: Rules, kind: type[DealBatch], tmp_path: Path) -> None:
    records = recorded(rules, kind, 20)
    path = tmp_path / "games.jsonl"
    write(path, records)
    assert read(path) == records
    for line, record in zip(path.read_text("utf-8").splitlines(), records, strict=True):
        assert list(json.loads(line)) == ["version", "variant", "options", "players", "deals", "result"]
        assert list(record["deals"][0]) == ["deck", "dealer", "plays", "points"]
        assert record["version"] == ENV_VERSION
        assert record["options"]["target"] == (None if kind is DealBatch else rules.target)
    small = {"suits", "ranks", "hand"} & set(records[0]["options"])
    assert bool(small) == (rules.num_cards < 40)


def test_the_worked_example_as_a_record() -> None:
    """RULES §8 E1, written by hand."""
    record = {
        "version": ENV_VERSION,
        "variant": "partners",
        "options": {"napoletana": False, "target": None, "scores": [0, 0]},
        "players": ["a", "b", "c", "d"],
        "deals": [
            {
                "deck": " ".join(E1_HANDS).split(),
                "dealer": 3,
                "plays": " ".join(E1_TRICKS).split(),
                "points": [6, 5],
            }
        ],
        "result": {"points": [6, 5], "thirds": [19, 13], "bonus": None},
    }
    validate(record)
    deals = replay(record)
    assert (deals.points[0].tolist(), deals.thirds[0].tolist()) == ([6, 5], [19, 13])
    text = deal_text(record)
    assert "trick 1: seat 0 led CB 2B 3B 5B, seat 2 took it" in text
    assert text.splitlines()[-1] == "  points 6:5"
    assert game_text(record).splitlines()[0] == "partners, deal"


@pytest.mark.parametrize("rules", FULL_RULES, ids=name)
def test_finished_batches_and_recorders_agree(rules: Rules) -> None:
    deals = started(rules, DealBatch, 30)
    recorder, rng = Recorder(deals, [names_of(rules)] * 30), np.random.default_rng(1)
    while not deals.done:
        recorder.step(random_cards(deals, rng))
    assert recorder.records() == records_of(deals, [names_of(rules)] * 30)


def test_games_played_out_of_step_are_recorded_alike() -> None:
    rules = Rules("two_player", napoletana=True, suits="DC", ranks="RA23", hand=2)
    batch = started(rules, MatchBatch, 12)
    recorder, rng = Recorder(batch, np.array([names_of(rules)] * 12)), np.random.default_rng(2)
    while not batch.done:
        recorder.step(random_cards(batch, rng), rng.random(12) < 0.6)
    records = recorder.records()
    assert [record["result"]["scores"] for record in records] == batch.scores.tolist()
    for record in records:
        validate(record)


def test_a_refused_step_leaves_nothing_behind() -> None:
    rules = Rules("partners", napoletana=True, ranks="A23", hand=3)
    batch = started(rules, DealBatch, 3)
    recorder, rng = Recorder(batch, [names_of(rules)] * 3), np.random.default_rng(3)
    while not batch.done:
        with pytest.raises(ValueError, match="legal cards"):
            recorder.step(np.full(3, card_ids("4D")[0]))
        recorder.step(random_cards(batch, rng))
    for record in recorder.records():
        validate(record)


def test_what_no_recorder_takes() -> None:
    rules = Rules("partners")
    batch = started(rules, DealBatch, 2)
    recorder = Recorder(batch, [names_of(rules)] * 2)
    with pytest.raises(ValueError, match="2 of the games are not over"):
        recorder.records()
    with pytest.raises(ValueError, match="2 of the games are not over"):
        records_of(batch, [names_of(rules)] * 2)
    with pytest.raises(ValueError, match=r"shape \(2, 4\)"):
        Recorder(batch, [names_of(rules)])
    with pytest.raises(ValueError, match="can be printed"):
        Recorder(batch, [["a", "b", "c", "\x1b[31m"]] * 2)
    batch.step(batch.legal_mask().argmax(axis=1))
    with pytest.raises(ValueError, match="have begun"):
        Recorder(batch, [names_of(rules)] * 2)
    with pytest.raises(ValueError, match="have a Recorder play them"):
        records_of(started(rules, MatchBatch, 1), [names_of(rules)])


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


def same(batch: DealBatch, row: int, other: DealBatch) -> None:
    """Row `row` of one batch is row 0 of the other."""
    assert other.player[0] == batch.player[row]
    assert other.legal[0] == batch.legal[row]
    assert np.array_equal(other.hands[0], batch.hands[row])
    assert np.array_equal(other.points[0], batch.points[row])
    assert np.array_equal(other.thirds[0], batch.thirds[row])
    if batch.active[row]:
        for seat in range(batch.rules.seats):
            assert np.array_equal(other.observe(seat)[0], batch.observe(seat)[row])


@pytest.mark.parametrize("rules", FULL_RULES + ALL_RULES[5:6] + ALL_RULES[9:10], ids=name)
def test_replay_at_every_ply_is_the_original_batch(rules: Rules) -> None:
    deals = started(rules, DealBatch, 2)
    states, rng = [deals.copy()], np.random.default_rng(1)
    while not deals.done:
        deals.step(random_cards(deals, rng))
        states.append(deals.copy())
    for row, record in enumerate(records_of(deals, [names_of(rules)] * 2)):
        plies = len(record["deals"][0]["plays"])
        for ply in range(plies + 1):
            same(states[ply], row, replay(record, ply))
        same(states[-1], row, replay(record))
        if plies:
            at_once = replay_plies(record)
            assert at_once.ply.tolist() == list(range(plies))
            for ply in (0, 1, plies // 2, plies - 1):
                assert np.array_equal(at_once.observe()[ply], states[ply].observe()[row])


@pytest.mark.parametrize("rules", [Rules("two_player", napoletana=True), Rules("historical"), ALL_RULES[5]], ids=name)
def test_replay_stands_where_the_environment_stood(rules: Rules) -> None:
    """A match is played in the PettingZoo environment, from another deck source; each replay sees the same."""
    env = tressette_v0.raw_env(rules, episode="match")
    batch = started(rules, MatchBatch, 1)
    recorder, rng = Recorder(batch, [names_of(rules)]), np.random.default_rng(4)
    seen: list[list[Any]] = []
    env.reset(seed=1, options={"deck": batch.decks[0], "dealer": int(batch.dealer[0])})
    while not batch.done:
        if batch.ply[0] == 0:
            seen.append([])
        seen[-1].append([env.observe(agent)["observation"].copy() for agent in env.possible_agents])
        card = random_cards(batch, rng)
        env.step(int(card[0]))
        recorder.step(card)
    record = recorder.records()[0]
    assert env.result() == record["result"]
    assert replay_env(record).unwrapped.result() == record["result"]
    for number, of_deal in enumerate(seen):
        for ply in range(0, len(of_deal), 7):
            again, deals = replay_env(record, ply, number), replay(record, ply, number)
            for seat, agent in enumerate(again.possible_agents):
                assert np.array_equal(again.observe(agent)["observation"], of_deal[ply][seat])
                assert np.array_equal(deals.observe(seat)[0], of_deal[ply][seat])
        if number < len(seen) - 1:
            at_end = replay_env(record, deal=number)
            for seat, agent in enumerate(at_end.possible_agents):
                assert np.array_equal(at_end.observe(agent)["observation"], seen[number + 1][0][seat])


def test_plies_and_deals_that_are_not_there() -> None:
    record = one(Rules("partners"))
    for ply in (-1, 41, True, "3"):
        with pytest.raises(ValueError, match=r"ply=.* deal 0 has 40 plays, so from 0 to 40"):
            replay(record, ply)  # type: ignore[arg-type]
    for deal in (1, -2, None):
        with pytest.raises(ValueError, match=r"deal=.* the game has 1"):
            replay_env(record, 0, deal)  # type: ignore[arg-type]
    record["deals"][0]["points"] = [0, 0]
    for call in (replay, replay_env, replay_plies, deal_text, game_text):
        with pytest.raises(RecordError, match="deal 0: the points"):
            call(record)


def test_a_wrong_record_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    good, bad = one(Rules("partners")), one(Rules("partners"))
    write(path, [good])
    before = path.read_bytes()
    bad["deals"][0]["points"] = [0, 0]
    for records in ([good, bad], [good, 3], [good, good | {"players": []}]):
        with pytest.raises(RecordError, match="line 2") as caught:
            write(path, records)  # type: ignore[list-item]
        assert caught.value.path == str(path)
        assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["games.jsonl"]


def test_an_error_names_file_line_deal_and_ply(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    bad = one(Rules("partners"))
    bad["deals"][0]["plays"][5] = bad["deals"][0]["plays"][4]
    path.write_text(one_line(Rules("two_player"), MatchBatch) + to_line(bad) + "nonsense\n", "utf-8")
    with pytest.raises(RecordError) as caught:
        read(path)
    error = caught.value
    assert (error.path, error.line, error.deal, error.ply) == (str(path), 2, 0, 5)
    assert str(error).startswith(f"{path}, line 2: deal 0, ply 5: seat ")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.__dict__) == (str(error), error.__dict__)
    with pytest.raises(OSError, match=r"missing\.jsonl"):
        read(tmp_path / "missing.jsonl")
    path.write_bytes(b"")
    assert read(path) == []


def test_golden_records() -> None:
    """Records of this environment version stay readable, and are what the recorder writes."""
    records = read(RECORDS_FILE)
    kinds = {(record["variant"], record["options"]["napoletana"], record["options"]["target"]) for record in records}
    assert len(kinds) == 10  # five rule sets, as deals and as matches
    assert "".join(map(to_line, records)) == RECORDS_FILE.read_text("utf-8")
    for record in records:
        options = record["options"]
        rules = Rules(record["variant"], napoletana=options["napoletana"])
        deals = dealt(
            rules,
            [[card_ids(text)[0] for text in record["deals"][0]["deck"]]],
            [record["deals"][0]["dealer"]],
            scores=[options["scores"]],
        )
        for text in record["deals"][0]["plays"]:
            deals.step(card_ids(text))
        assert deals.points[0].tolist() == record["deals"][0]["points"]

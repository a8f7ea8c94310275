"""Records (CONTRACT §8): round trips, the recorder, and files."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

from tests.games import ALL_RULES, FULL_RULES, dealt, name, random_cards
from tests.golden import RECORDS_FILE
from tests.recorded_games import names_of, one, one_line, recorded, started
from tests.test_worked_examples import E1_HANDS, E1_TRICKS
from tressette_env import ENV_VERSION, DealBatch, MatchBatch, Rules
from tressette_env.cards import card_ids
from tressette_env.record import (
    Recorder,
    RecordError,
    deal_text,
    game_text,
    read,
    records_of,
    replay,
    to_line,
    validate,
    write,
)

CLASSES = [DealBatch, MatchBatch]


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

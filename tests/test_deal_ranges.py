"""The published deals, and the file of decks that other implementations read."""

from __future__ import annotations

import gzip
import os
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from agents.config import TrainConfig
from agents.deal_ranges import DEVELOPMENT, RANGES, REPORT, SELECTION, distinct_deals, range_of, seed_text
from agents.trainer import _TRAINING, Trainer
from tests import commands
from tests.commands import Capture
from tests.games import FULL_RULES, name
from tests.test_training import TINY
from tressette_env import DealBatch, MatchBatch, Rules
from tressette_env.shuffling import stream_keys

run, match = partial(commands.run, "deals"), partial(commands.run, "match")


class Row(NamedTuple):
    dealer_of_2: int
    dealer_of_4: int
    deck: list[int]


def read_decks(path: Path) -> list[Row]:
    """Read a file of decks as somebody would who has nothing but the numbering of the cards."""
    rows = []
    with gzip.open(path, "rt") if path.suffix == ".gz" else open(path) as file:
        assert next(file) == "deal,dealer_of_2,dealer_of_4,deck\n"
        for number, line in enumerate(file):
            deal, two, four, deck = line.rstrip("\n").split(",")
            assert int(deal) == number
            cards = ["4567FCRA23".index(card[0]) + 10 * "DCSB".index(card[1]) for card in deck.split(" ")]
            rows.append(Row(int(two), int(four), cards))
    return rows


def test_the_ranges() -> None:
    assert {range: RANGES[range].seed for range in (REPORT, DEVELOPMENT, SELECTION)} == {
        "report": 0,
        "development": 1,
        "selection": 2,
    }
    assert len(RANGES) == 3
    assert [range_of(seed) for seed in (0, 1, 2, 3)] == ["report", "development", "selection", None]
    assert (seed_text(0, 100_000), seed_text(77, 5)) == ("0 (the report range)", "77")
    assert seed_text(0, 100_001) == "0"  # one deal beyond the range
    assert all(deals.deals >= 20_000 for deals in RANGES.values())


def test_ranges_have_no_deal_in_common_and_none_with_training(tmp_path: Path) -> None:
    seeds = [deals.seed for deals in RANGES.values()]
    (tmp_path / "checkpoints").mkdir()
    seeds.append(Trainer(TINY, tmp_path)._deal_seed)
    decks: list[bytes] = []
    for seed in seeds:
        deals = DealBatch(5000, "partners")
        deals.reset(seed=seed)
        decks += [deck.tobytes() for deck in deals.decks]
    assert len(set(decks)) == len(decks) == 20_000


def test_no_training_run_has_the_seed_of_a_range(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its seed is drawn from all 63-bit numbers, so that small ones are left alone."""
    training = {int(stream_keys(seed, _TRAINING)[0] >> np.uint64(1)) for seed in range(10_000)}
    assert min(training) > 1_000_000
    assert Trainer(TINY, tmp_path)._deal_seed in training  # the same formula
    assert TrainConfig().seed in range(10_000)


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz"])
@pytest.mark.parametrize("range", RANGES)
def test_the_file_gives_the_games_of_the_range(capsys: Capture, tmp_path: Path, range: str, suffix: str) -> None:
    path = tmp_path / f"deals{suffix}"
    code, output, errors = run(capsys, "--range", range, "--pairs", "300", "--out", str(path))
    assert (code, errors) == (0, "")
    assert output == f"300 deals of the {range} range (seed {RANGES[range].seed}) in {path}\n"
    assert os.listdir(tmp_path) == [path.name]
    rows = read_decks(path)
    for rules in FULL_RULES:
        given, drawn = DealBatch(300, rules), DealBatch(300, rules)
        dealers = [row.dealer_of_2 if rules.seats == 2 else row.dealer_of_4 for row in rows]
        given.reset(decks=[row.deck for row in rows], dealers=dealers)
        drawn.reset(seed=RANGES[range].seed)
        while not drawn.done:
            for field in ("hands", "player", "legal", "dealer"):
                assert np.array_equal(getattr(given, field), getattr(drawn, field)), name(rules)
            cards = drawn.legal_mask().argmax(axis=1)
            given.step(cards)
            drawn.step(cards)
        assert given.done
        assert np.array_equal(given.points, drawn.points)


def test_what_the_columns_mean(capsys: Capture, tmp_path: Path) -> None:
    """Seat k holds the k-th ten cards, the seat after the dealer leads, the stock is drawn from the front."""
    run(capsys, "--pairs", "20", "--out", str(tmp_path / "d.csv"))
    rows = read_decks(tmp_path / "d.csv")
    for seats, variant in ((2, "two_player"), (4, "partners"), (4, "historical")):
        deals = DealBatch(20, variant)
        deals.reset(seed=RANGES[DEVELOPMENT].seed)
        for deal, row in enumerate(rows):
            dealer = row.dealer_of_2 if seats == 2 else row.dealer_of_4
            assert deals.player[deal] == (dealer + 1) % seats
            for seat in range(seats):
                hand = {card for card in range(40) if int(deals.hands[deal, seat]) >> card & 1}
                assert hand == set(row.deck[10 * seat : 10 * seat + 10])
        if variant == "two_player":
            for _ in range(2):
                deals.step(deals.legal_mask().argmax(axis=1))
            for deal, row in enumerate(rows):
                winner = int(deals.player[deal])
                assert int(deals.hands[deal, winner]) >> row.deck[20] & 1
                assert int(deals.hands[deal, 1 - winner]) >> row.deck[21] & 1


def test_the_first_deals_do_not_depend_on_how_many_are_written(capsys: Capture, tmp_path: Path) -> None:
    few, many = tmp_path / "few.csv", tmp_path / "many.csv"
    run(capsys, "--range", "report", "--pairs", "7", "--out", str(few))
    run(capsys, "--range", "report", "--pairs", "50", "--out", str(many))
    assert many.read_text().startswith(few.read_text())


def test_compressed_files_are_the_same_bytes_each_time(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two, plain = tmp_path / "one.gz", tmp_path / "two.gz", tmp_path / "plain.csv"
    for path in (one, plain):
        run(capsys, "--pairs", "20", "--out", str(path))
    monkeypatch.setattr("time.time", lambda: 2.0e9)
    run(capsys, "--pairs", "20", "--out", str(two))
    assert one.read_bytes() == two.read_bytes()
    assert gzip.decompress(one.read_bytes()) == plain.read_bytes()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("--range party --out d.csv", "--range party is not allowed: report, development, selection"),
        ("--pairs 0 --out d.csv", "--pairs 0 is not allowed"),
        ("--pairs 100001 --out d.csv", "from 1 to 100000, the deals of the development range"),
        ("--out nowhere/d.csv", "--out nowhere/d.csv: there is no folder"),
        ("--out .", "this is a folder, a file is needed"),
        ("--range report", "--out"),
    ],
)
def test_bad_usage(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: str, told: str) -> None:
    monkeypatch.chdir(tmp_path)
    code, output, errors = run(capsys, *arguments.split())
    assert (code, output, errors.count("\n")) == (2, "", 1)
    assert told in errors
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("suffix", ["csv", "gz"])
def test_a_file_that_can_not_be_written_is_told(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    def no_space(*_: object) -> None:
        raise OSError("no space left")

    path = tmp_path / f"d.{suffix}"
    path.write_bytes(b"the old file")
    monkeypatch.setattr(os, "replace", no_space)
    code, output, errors = run(capsys, "--pairs", "5", "--out", str(path))
    assert (code, output) == (1, "")
    assert "failed: no space left" in errors
    assert path.read_bytes() == b"the old file"
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("rules", FULL_RULES, ids=name)
def test_distinct_deals(rules: Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    assert distinct_deals(rules, 3, 0) == 0
    for episode in ("deal", "match"):
        assert distinct_deals(rules, 3, 500, episode) == 500


@pytest.mark.parametrize("kind", [DealBatch, MatchBatch])
def test_deals_that_are_the_same_count_once(kind: type[DealBatch], monkeypatch: pytest.MonkeyPatch) -> None:
    """As if deal i were deal i modulo 7; another dealer makes another deal of the same deck."""
    reset = kind.reset

    def repeat(self: DealBatch, seed: int) -> None:
        reset(self, seed=seed, deal_ids=np.arange(self.num_deals) % 7)

    monkeypatch.setattr(kind, "reset", repeat)
    episode = "deal" if kind is DealBatch else "match"
    assert distinct_deals(Rules("partners"), 3, 5, episode) == 5
    assert distinct_deals(Rules("partners"), 3, 50, episode) == 7


def test_a_match_says_which_deals_it_played(capsys: Capture) -> None:
    common = ("greedy", "random", "--variant", "partners", "--pairs", "30")
    assert "30 duplicate pairs of seed 0 (the report range), 30 of them distinct" in match(capsys, *common)[1]
    assert "of seed 2 (the selection range)," in match(capsys, *common, "--seed", "2")[1]
    assert "of seed 9, 30 of them distinct" in match(capsys, *common, "--seed", "9")[1]

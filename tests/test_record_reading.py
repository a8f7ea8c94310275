"""Files of records from strangers: each is read, or refused with one `RecordError` (CONTRACT §8)."""

from __future__ import annotations

import copy
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.games import ALL_RULES
from tests.recorded_games import Record, one_line
from tressette_env import DealBatch, MatchBatch, Rules
from tressette_env.record import RecordError, read, replay, validate, write

GOOD = one_line(Rules("partners"), DealBatch)
STRANGE = [
    (GOOD[:-1].encode(), "the line has no end"),
    (GOOD[:300].encode(), "the line has no end"),
    (b"\n", "not JSON"),
    (b"\xff\xfe{}\n", "byte 0 of the line is not UTF-8"),
    (b"[" * 200_000 + b"\n", "nested too deeply"),
    (b'{"a":' * 100_000 + b"\n", "nested too deeply"),
    (b"[" * 900 + b"]" * 900 + b"\n", "the record must be an object"),
    (GOOD.replace('"players"', '"deals":[],"players"').encode(), "'deals' is given twice"),
    (GOOD.replace("[0,0]", "[NaN,0]").encode(), "NaN is no whole number"),
    (GOOD.replace("[0,0]", "[-Infinity,0]").encode(), "-Infinity is no whole number"),
    (GOOD.replace("[0,0]", "[1e999,0]").encode(), "1e999 is no whole number"),
    (GOOD.replace("[0,0]", "[0.0,0]").encode(), "0.0 is no whole number"),
    (GOOD.replace("[0,0]", f"[{'9' * 5000},0]").encode(), "a number has 5000 digits"),
    (GOOD.replace("[0,0]", f"[{10**19},0]").encode(), "options: scores of side 0 is 10000000000000000000"),
    (GOOD.replace("[0,0]", '{"0":0,"1":0}').encode(), "options: scores must be a list"),
    (GOOD.replace("player of seat 0", "\\ud800").encode(), "players: the name of seat 0 is"),
    (GOOD.replace("player of seat 0", "\\u001b[2J").encode(), "players: the name of seat 0 is"),
    (GOOD.replace("player of seat 0", "a" * 1001).encode(), "players: the name of seat 0 is"),
    (GOOD.replace("player of seat 0", "a" * 1_000_000).encode(), "longer than 1,000,000 bytes"),
    (b"null\n", "the record must be an object, not None"),
    (b"{}\n", "'version' is missing"),
    (GOOD.encode("utf-16"), "not UTF-8"),
    (b"\xef\xbb\xbf" + GOOD.encode(), "not JSON"),
    (GOOD.replace('"dealer"', '"plays":["4D"],"dealer"').encode(), "'plays' is given twice"),
]


@pytest.mark.parametrize(("data", "reason"), STRANGE, ids=[f"{i} {row[1]}" for i, row in enumerate(STRANGE)])
def test_strange_files(data: bytes, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(GOOD.encode() + data)
    with pytest.raises(RecordError) as caught:
        read(path)
    assert caught.value.line == 2
    assert reason in caught.value.reason
    assert len(str(caught.value)) < 1000


SEEDS = [
    one_line(Rules("two_player", napoletana=True), DealBatch),
    one_line(Rules("historical"), MatchBatch),
    one_line(ALL_RULES[5], MatchBatch),
]
VALUES: list[Any] = [None, True, 0, -1, 1, 2**63, 10**19, "", "3D", "XX", [], {}, [[]], [0, 0], ["4D"] * 50, {"a": 1}]


def read_or_refused(path: Path) -> tuple[list[Record], RecordError | None]:
    try:
        return read(path), None
    except RecordError as error:
        return [], error


def check_read(path: Path, data: bytes) -> None:
    """A file is read, and then holds valid records that come back, or refused with `RecordError`."""
    path.write_bytes(data)
    records, refused = read_or_refused(path)
    assert refused is None or (refused.line is not None and str(refused).isprintable())
    for record in records:
        validate(record)
        replay(record)
    write(path, records)
    assert read(path) == records


@settings(max_examples=150, deadline=None)
@given(data=st.binary(max_size=300))
def test_random_bytes(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    check_read(tmp_path_factory.getbasetemp() / "bytes.jsonl", data)


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_mutated_lines(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    line = bytearray(data.draw(st.sampled_from(SEEDS)).encode())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(line) - 1))
        length = data.draw(st.integers(0, 4))
        letters = st.one_of(
            st.binary(max_size=4), st.text('"[]{}:,0123456789-eDCSBA.\\un \n', max_size=4).map(str.encode)
        )
        line[at : at + length] = data.draw(letters)
    check_read(tmp_path_factory.getbasetemp() / "mutated.jsonl", bytes(line))


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every container and key in a record."""
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [found for key in keys for found in [(value, key), *places(value[key])]]


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_swapped_values(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    record = json.loads(data.draw(st.sampled_from(SEEDS)))
    for _ in range(data.draw(st.integers(1, 2))):
        everywhere = places(record)
        box, key = data.draw(st.sampled_from(everywhere))
        change = data.draw(st.sampled_from(["swap", "replace", "delete", "double"]))
        if change == "swap":
            other, other_key = data.draw(st.sampled_from(everywhere))
            box[key], other[other_key] = copy.deepcopy(other[other_key]), copy.deepcopy(box[key])
        elif change == "replace":
            box[key] = copy.deepcopy(data.draw(st.sampled_from(VALUES)))
        elif change == "delete":
            del box[key]
        elif isinstance(box, list):
            box.insert(key, copy.deepcopy(box[key]))
    with suppress(RecordError):
        validate(record)
    check_read(tmp_path_factory.getbasetemp() / "swapped.jsonl", (json.dumps(record) + "\n").encode())

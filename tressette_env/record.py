"""Records: games as lines of JSON that anybody can read, check and replay (CONTRACT §8).

A record is a dict of plain values.  ``version`` is the environment's; ``variant`` and ``options`` (``napoletana``,
``target``, None in single deals, ``scores`` before the first deal, and ``suits``, ``ranks`` and ``hand`` of a smaller
pack) are the rules; ``players`` has a name a seat; ``deals`` lists, for each, ``deck``, ``dealer``, ``plays`` (empty
where declarations won) and ``points`` of the two sides; ``result`` is what the PettingZoo environment's `result()`
gives.  Cards are text forms, ``"3D"``; a file has one record a line.

Files from strangers are only data: whatever stands in one, it is either read or refused with a `RecordError`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path
from typing import Any

from tressette_env.cards import card_id, card_ids, card_text, cards_text, hand_text
from tressette_env.files import write_whole
from tressette_env.record_form import MOST_BYTES, Form, RecordError, form_of, from_line, to_line
from tressette_env.recording import Recorder, records_of
from tressette_env.replaying import checked, deal_text, find_faults, game_text, replay, replay_env, replay_plies

__all__ = [
    "RecordError",
    "Recorder",
    "card_id",
    "card_ids",
    "card_text",
    "cards_text",
    "deal_text",
    "game_text",
    "hand_text",
    "read",
    "records_of",
    "replay",
    "replay_env",
    "replay_plies",
    "to_line",
    "validate",
    "write",
]


def validate(record: Any) -> None:
    """Raise `RecordError`, which names deal, ply and reason, unless the record is a game by the rules."""
    checked(record)


def read(path: str | PathLike[str]) -> list[dict[str, Any]]:
    """Return the records of a file, all of them valid.

    Raises `RecordError`, which names file, line, deal, ply and reason, for the first line that is none, and
    ``OSError`` if the file cannot be read.
    """
    records: list[dict[str, Any]] = []
    forms: list[Form] = []
    broken: RecordError | None = None
    for number, line in enumerate(_lines(path), 1):
        try:
            record = from_line(line)
            forms.append(form_of(record))
        except RecordError as error:
            broken = error.at(path, number)
            break
        records.append(record)
    _refuse_faults(forms, path)
    if broken is not None:
        raise broken
    return records


def write(path: str | PathLike[str], records: Iterable[dict[str, Any]]) -> None:
    """Write records to a file, in place of what it held; it appears whole or not at all.

    Raises `RecordError`, and writes nothing, if one is no valid record; the line it names is the one it would have.
    """
    listed = list(records)
    forms = []
    for number, record in enumerate(listed, 1):
        try:
            forms.append(form_of(record))
        except RecordError as error:
            raise error.at(path, number) from None
    _refuse_faults(forms, path)
    write_whole(Path(path), map(to_line, listed))


def _lines(path: str | PathLike[str]) -> Iterator[bytes]:
    """Yield the lines of a file; of one that is too long only so much that it shows."""
    with open(path, "rb") as file:
        while line := file.readline(MOST_BYTES + 1):
            yield line


def _refuse_faults(forms: list[Form], path: str | PathLike[str]) -> None:
    for number, fault in enumerate(find_faults(forms), 1):
        if fault is not None:
            raise fault.at(path, number)

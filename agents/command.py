"""What the commands of ``evaluate.py`` share: options, building players, progress, interrupts and reports."""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Generator, Sized
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from agents.progress import Progress
from agents.workers import Meeting, build_players
from tressette_env import Rules
from tressette_env.players import AnyPlayer, sees_hidden_cards
from tressette_env.rules import DEFAULT_TARGET
from tressette_env.shuffling import check_seed

STOPPED = "stopped early: these are the pairs completed so far"
Part = TypeVar("Part", bound=Sized)


class UsageError(ValueError):
    """What the user asked for makes no sense; the message says what would."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """The arguments that commands share, as given."""

    variant: str
    pairs: int
    seed: int = 0
    napoletana: bool = False
    workers: int = 1
    json: Path | None = None


def check_options(options: Options, target: int = DEFAULT_TARGET) -> Rules:
    """Return the rules that the options describe; `UsageError` if anything in the options is wrong."""
    if options.pairs < 1 or options.workers < 1:
        raise UsageError(f"--pairs {options.pairs} and --workers {options.workers}: both must be at least 1")
    try:
        check_seed(options.seed, 1)
    except ValueError as error:
        raise UsageError(f"--seed {options.seed} is not allowed: {error}") from error
    if options.json is not None and not options.json.absolute().parent.is_dir():
        raise UsageError(f"--json {options.json}: there is no folder {options.json.absolute().parent}")
    if options.json is not None and options.json.is_dir():
        raise UsageError(f"--json {options.json}: this is a folder, a file is needed")
    try:
        return Rules(options.variant, napoletana=options.napoletana, target=target)
    except ValueError as error:
        raise UsageError(str(error)) from error


def check_players(meeting: Meeting) -> tuple[AnyPlayer, AnyPlayer]:
    """Return the players of a meeting; `UsageError` if a name is none."""
    try:
        return build_players(meeting)
    except ValueError as error:
        raise UsageError(str(error)) from error


def cheating(players: dict[str, AnyPlayer]) -> list[str]:
    """Return which of the players, by what they are called in a report, see all cards."""
    return [name for name, player in players.items() if sees_hidden_cards(player)]


def collect(chunks: Generator[Part, None, None], pairs: int) -> list[Part]:
    """Return the chunks, each as long as it has pairs, showing progress; Ctrl-C ends them with what there is."""
    parts: list[Part] = []
    try:
        with Progress(pairs, "pairs") as progress, closing(chunks):
            for part in chunks:
                parts.append(part)
                progress.advance(len(part))
    except KeyboardInterrupt:
        pass
    return parts


def game_text(report: dict[str, Any]) -> str:
    """Return the game that a report is about, for people."""
    return str(report["variant"]) + (" with napoletana" if report["napoletana"] else "")


def deliver(report: dict[str, Any], text: str, path: Path | None) -> bool:
    """Print a report and write it as JSON where that is asked for; return whether it is complete."""
    print(text)
    if path is not None:
        write_json(path, report)
    return bool(report["complete"])


def write_json(path: Path, report: dict[str, Any]) -> None:
    """Write a report as JSON, NaN as null; the file appears whole or not at all."""
    text = json.dumps(_without_nan(report), indent=2)
    handle, temporary = tempfile.mkstemp(dir=path.absolute().parent, prefix=path.name, suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text + "\n")
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nan(entry) for name, entry in value.items()}
    if isinstance(value, list):
        return [_without_nan(entry) for entry in value]
    return None if isinstance(value, float) and math.isnan(value) else value

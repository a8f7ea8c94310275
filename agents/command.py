"""What the commands of ``evaluate.py`` share: options, building players, progress, interrupts and reports."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence, Sized
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from agents.files import write_json
from agents.progress import Progress
from agents.workers import Meeting, build_players
from tressette_env import Rules
from tressette_env.players import AnyPlayer, make_player, sees_hidden_cards
from tressette_env.rules import DEFAULT_TARGET
from tressette_env.shuffling import check_seed

STOPPED = "stopped early: these are the pairs completed so far"
Part = TypeVar("Part", bound=Sized)
_FILES = ("json", "records", "store", "html")  # options that name a file to write; few commands have all of them


class UsageError(ValueError):
    """What the user asked for makes no sense; the message says what would."""


class CommandError(RuntimeError):
    """What ends a command that was asked for what makes sense."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """The arguments that commands share, as given."""

    variant: str
    pairs: int
    seed: int = 0
    napoletana: bool = False
    workers: int = 1
    json: Path | None = None
    records: Path | None = None


def check_options(options: Options, target: int = DEFAULT_TARGET) -> Rules:
    """Return the rules that the options describe; `UsageError` if anything in the options is wrong."""
    if options.pairs < 1 or options.workers < 1:
        raise UsageError(f"--pairs {options.pairs} and --workers {options.workers}: both must be at least 1")
    try:
        check_seed(options.seed, 1)
    except ValueError as error:
        raise UsageError(f"--seed {options.seed} is not allowed: {error}") from error
    files = {f"--{name}": getattr(options, name, None) for name in _FILES}
    if files["--store"] is not None and files["--records"] is not None:
        raise UsageError("--records writes down games that are played, not those of --store: use one of them")
    for option, path in files.items():
        check_output(option, path)
    check_different(files)
    try:
        return Rules(options.variant, napoletana=options.napoletana, target=target)
    except ValueError as error:
        raise UsageError(str(error)) from error


def check_output(option: str, path: Path | None) -> None:
    """Raise `UsageError` unless a file can be written there; `option` is what asks for it."""
    if path is not None and not path.absolute().parent.is_dir():
        raise UsageError(f"{option} {path}: there is no folder {path.absolute().parent}")
    if path is not None and path.is_dir():
        raise UsageError(f"{option} {path}: this is a folder, a file is needed")


def check_different(files: Mapping[str, Path | None]) -> None:
    """Raise `UsageError` if two of the files, by the options that name them, are the same."""
    named: dict[Path, str] = {}
    for option, path in files.items():
        if path is not None and named.setdefault(path.resolve(), option) != option:
            raise UsageError(f"{named[path.resolve()]} and {option} both name {path}: each needs a file of its own")


def check_players(meeting: Meeting) -> tuple[AnyPlayer, AnyPlayer]:
    """Return the players of a meeting; `UsageError` if a name is none."""
    try:
        return build_players(meeting)
    except ValueError as error:
        raise UsageError(str(error)) from error


def check_names(what: str, names: Sequence[str]) -> None:
    """Raise `UsageError` unless there are two players or more, none of them twice."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UsageError(f"{', '.join(twice)} is named twice: {what} has each player once")
    if len(names) < 2:
        raise UsageError(f"{what} needs at least two players")


def build_named(names: Sequence[str], rules: Rules, seed: int) -> dict[str, AnyPlayer]:
    """Return players by name, as `agents.workers.build_players` makes them; `UsageError` if a name is none."""
    try:
        return {name: make_player(name, rules.variant, seed) for name in names}
    except ValueError as error:
        raise UsageError(str(error)) from error


def cheating(players: dict[str, AnyPlayer]) -> list[str]:
    """Return which of the players, by what they are called in a report, see all cards."""
    return [name for name, player in players.items() if sees_hidden_cards(player)]


def collect(
    chunks: Generator[Part, None, None],
    pairs: int,
    heard: Callable[[list[Part]], bool] = lambda parts: False,
) -> list[Part]:
    """Return the chunks, each as long as it has pairs, showing progress; Ctrl-C ends them with what there is.

    `heard` is shown all chunks so far after each, and ends them by returning True.
    """
    parts: list[Part] = []
    try:
        with Progress(pairs, "pairs") as progress, closing(chunks):
            for part in chunks:
                parts.append(part)
                progress.advance(len(part))
                if heard(parts):
                    break
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

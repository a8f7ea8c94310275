"""Players by name: one string names a player everywhere (CONTRACT §6)."""

from __future__ import annotations

import importlib
import inspect
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np

from tressette_env.baselines import GreedyPlayer, RandomPlayer, RulesPlayer, TunedPlayer
from tressette_env.cards import IntArray, card_text, cards_of, cards_text
from tressette_env.checking import as_array, count_array, described
from tressette_env.rules import Rules, variant_name
from tressette_env.view import View


@runtime_checkable
class Player(Protocol):
    """Whoever chooses cards: `act` takes a `View` of n rows and returns (n,) integer card ids.

    What it returns for rows that do not act (seat -1) is ignored.
    """

    def act(self, view: View) -> Any:
        """Return a card id for each row."""


Factory = Callable[..., Player]
"""Called as ``factory(variant=…, seed=…, **options)``."""

_FACTORIES: dict[str, Factory] = {
    "random": RandomPlayer,
    "greedy": GreedyPlayer,
    "rules": RulesPlayer,
    "tuned": TunedPlayer,
}
_CHECKPOINT_LOADERS: list[Factory] = []


class PlayerError(ValueError):
    """A player failed; the message names it, where that was, and the cause."""


class IllegalReplyError(PlayerError):
    """A player returned what is no legal card; the message names player, row, ply and the legal cards."""


def register_player(name: str, factory: Factory) -> None:
    """Make a factory known under a name; ``ValueError`` if another one has it."""
    if _FACTORIES.setdefault(name, factory) is not factory:
        raise ValueError(f"a player named {name!r} is registered already")


def register_checkpoint_loader(factory: Factory) -> None:
    """Let paths name players: ``factory(path, variant=…, seed=…, **options)``."""
    if factory not in _CHECKPOINT_LOADERS:
        _CHECKPOINT_LOADERS.append(factory)


def known_players() -> list[str]:
    """Return the registered names."""
    return sorted(_FACTORIES)


def make_player(spec: str, variant: str | Rules = "partners", seed: int = 0) -> Player:
    """Return the player that `spec` names.

    `spec`: a known name, a path to a checkpoint, or ``module:attribute`` (a factory or an object with `act`),
    each with options after a colon, as in ``"rules:without=hold_aces,seed=1"``.  A `seed` option wins over
    the argument.  The factory is handed `variant` as it is: whoever has a `Rules` object should give that, so
    that the player sees its options.
    Raises ``ValueError`` for an unknown player or option, listing the known ones, and `PlayerError`, one too,
    when the player can not be built.
    """
    if not isinstance(spec, str):
        raise ValueError(f"a player is named by a text, not {spec!r}: {_usable()}")
    variant_name(variant)
    name, _, rest = spec.partition(":")
    if name in _FACTORIES:
        return _build(spec, _FACTORIES[name], variant, seed, _options(spec, rest))
    path, options = _split_path(spec)
    if path is not None:
        if not _CHECKPOINT_LOADERS:
            raise ValueError(f"player {spec!r} is a checkpoint: `import agents` first, which registers their loader")
        return _build(spec, _CHECKPOINT_LOADERS[0], variant, seed, _options(spec, options), path)
    return _from_module(spec, variant, seed)


def _split_path(spec: str) -> tuple[Path | None, str]:
    """Return the existing path that a spec starts with, and the options after it."""
    if os.path.exists(spec):  # unlike Path.exists, no for an empty text, and no error for one too long
        return Path(spec), ""
    head, _, tail = spec.rpartition(":")
    if os.path.exists(head):
        return Path(head), tail
    return None, ""


def _from_module(spec: str, variant: str | Rules, seed: int) -> Player:
    module_name, _, rest = spec.partition(":")
    attribute, _, options = rest.partition(":")
    unknown = f"unknown player {spec!r}: {_usable()}"
    if not attribute or not all(part.isidentifier() for part in module_name.split(".")):
        raise ValueError(unknown)
    if "" not in sys.path:  # a console script does not look in the current folder by itself
        sys.path.insert(0, "")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name and (module_name == error.name or module_name.startswith(error.name + ".")):
            raise ValueError(unknown) from None
        raise PlayerError(f"player {spec!r}: {_cause(error)}") from error
    except (Exception, SystemExit) as error:
        raise PlayerError(f"player {spec!r}: {_cause(error)}") from error
    if not hasattr(module, attribute):
        raise ValueError(f"unknown player {spec!r}: module {module_name!r} has no attribute {attribute!r}")
    found = getattr(module, attribute)
    if hasattr(found, "act") and not inspect.isclass(found):
        if options:
            raise ValueError(f"player {spec!r} is an object and takes no options")
        return cast(Player, found)
    if not callable(found):
        raise ValueError(f"player {spec!r} has no method act and is no factory")
    return _build(spec, found, variant, seed, _options(spec, options))


def _options(spec: str, text: str) -> dict[str, Any]:
    """Return ``a=1,b=x`` as a dict; whole numbers, decimals and true/false are converted."""
    options: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if not equals or not key.isidentifier() or not value:
            raise ValueError(f"player {spec!r}: option {part!r} must read name=value")
        options[key] = _value(value)
    return options


def _value(text: str) -> Any:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _build(
    spec: str, factory: Factory, variant: str | Rules, seed: int, options: dict[str, Any], *arguments: Any
) -> Player:
    arguments_by_name = {"variant": variant, "seed": seed} | options
    try:
        count_array("seed", arguments_by_name["seed"], ())
    except ValueError as error:
        raise ValueError(f"player {spec!r}: {error}") from None
    try:
        signature = inspect.signature(factory)
    except (TypeError, ValueError):  # some functions written in C
        raise ValueError(f"player {spec!r} is no factory: it does not take variant and seed") from None
    try:
        signature.bind(*arguments, **arguments_by_name)
    except TypeError as error:
        known = ", ".join(name for name in list(signature.parameters)[len(arguments) :] if name != "variant") or "none"
        raise ValueError(f"player {spec!r}: {error}; its options are: {known}") from None
    try:
        player = factory(*arguments, **arguments_by_name)
    except ValueError as error:  # says itself what is wrong
        raise PlayerError(f"player {spec!r}: {_one_line(error)}") from error
    except Exception as error:
        raise PlayerError(f"player {spec!r}: {_cause(error)}") from error
    if not hasattr(player, "act"):
        raise ValueError(f"player {spec!r} is no player: {type(player).__name__} has no method act")
    return player


def _usable() -> str:
    return f"use one of {', '.join(known_players())}, a checkpoint file, or module:attribute"


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())


def _cause(error: BaseException) -> str:
    """Return an error of a player in one line: kind, message, and the line of the player's code."""
    told = f"{type(error).__name__}: {_one_line(error)}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    in_files = [frame for frame in frames if not frame.filename.startswith("<")]
    if isinstance(error, SyntaxError) or not in_files:
        return told
    return f"{told} ({os.path.basename(in_files[-1].filename)}, line {in_files[-1].lineno})"


def decide(player: Player, view: View, name: str = "player", where: Callable[[int], str] = "row {}".format) -> IntArray:
    """Return the player's cards for a view, (n,) int64, checked; 0 for rows that do not act.

    Raises `PlayerError` when `act` raises, and `IllegalReplyError` for a wrong shape or dtype, or for a card that
    may not be played; `where` says in words which game a row of the view belongs to.
    """
    at = f" in {where(0)} at ply {view.ply[0]}" if len(view) else ""  # of the first row, where all are concerned
    try:
        reply = player.act(view)
    except Exception as error:
        first = f" (the first of {len(view)} decisions)" if len(view) > 1 else ""  # any of them may be the cause
        raise PlayerError(f"{name} failed{at}{first}: {_cause(error)}") from error
    cards = as_array(reply)
    if cards is None or cards.shape != (len(view),) or cards.dtype.kind not in "iu":
        raise IllegalReplyError(f"{name} returned {described(reply)}{at}; act must return ({len(view)},) integers")
    acting = view.seat >= 0
    chosen = np.where(acting, cards, 0).astype(np.int64)
    in_pack = (chosen >= 0) & (chosen < view.legal.shape[1])
    wrong = acting & ~(in_pack & view.legal[np.arange(len(view)), np.where(in_pack, chosen, 0)])
    if wrong.any():
        row = int(wrong.argmax())
        card = card_text(int(chosen[row])) if in_pack[row] else str(chosen[row])
        legal = cards_text(cards_of(view.legal_cards[row]))
        raise IllegalReplyError(f"{name} played {card} in {where(row)} at ply {view.ply[row]}; legal cards: {legal}")
    return chosen

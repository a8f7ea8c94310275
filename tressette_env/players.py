"""Players by name: one string names a player everywhere (CONTRACT §6)."""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np

from tressette_env.baselines import GreedyPlayer, RandomPlayer, RulesPlayer, TunedPlayer
from tressette_env.cards import IntArray, card_text, cards_of, cards_text
from tressette_env.rules import Rules
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


class IllegalReplyError(ValueError):
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
    the argument.  Raises ``ValueError`` for an unknown player or option, listing the known ones.
    """
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
    unknown = (
        f"unknown player {spec!r}: use one of {', '.join(known_players())}, a checkpoint file, or module:attribute"
    )
    if not attribute or not all(part.isidentifier() for part in module_name.split(".")):
        raise ValueError(unknown)
    if "" not in sys.path:  # a console script does not look in the current folder by itself
        sys.path.insert(0, "")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name and (module_name == error.name or module_name.startswith(error.name + ".")):
            raise ValueError(unknown) from None
        raise
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
        inspect.signature(factory).bind(*arguments, **arguments_by_name)
    except TypeError as error:
        taken = inspect.signature(factory).parameters
        known = ", ".join(name for name in list(taken)[len(arguments) :] if name != "variant") or "none"
        raise ValueError(f"player {spec!r}: {error}; its options are: {known}") from None
    player = factory(*arguments, **arguments_by_name)
    if not hasattr(player, "act"):
        raise ValueError(f"player {spec!r} is no player: {type(player).__name__} has no method act")
    return player


def decide(player: Player, view: View, name: str = "player", where: Callable[[int], str] = "row {}".format) -> IntArray:
    """Return the player's cards for a view, (n,) int64, checked; 0 for rows that do not act.

    Raises `IllegalReplyError` for a wrong shape or dtype, or for a card that may not be played; `where` says
    in words which game a row of the view belongs to.
    """
    cards = np.asarray(player.act(view))
    if cards.shape != (len(view),) or cards.dtype.kind not in "iu":
        at = f" in {where(0)} at ply {view.ply[0]}" if len(view) else ""
        raise IllegalReplyError(
            f"{name} returned {cards.dtype} of shape {cards.shape}{at}; act must return ({len(view)},) integers"
        )
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

"""Players by name: one string names a player everywhere (CONTRACT §6)."""

from __future__ import annotations

import importlib
import inspect
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast, runtime_checkable

import numpy as np

from tressette_env.baselines import GreedyPlayer, RandomPlayer, RulesPlayer, TunedPlayer
from tressette_env.cards import IntArray, card_text, cards_of, cards_text
from tressette_env.checking import as_array, count_array, described
from tressette_env.deals import DealBatch
from tressette_env.errors import PlayerError as PlayerError
from tressette_env.network import network
from tressette_env.process_player import ProcessPlayer
from tressette_env.rules import Rules, variant_name
from tressette_env.view import View


@runtime_checkable
class Player(Protocol):
    """Whoever chooses cards: `act` takes a `View` of n rows and returns (n,) integer card ids.

    What it returns for rows that do not act (seat -1) is ignored.  An attribute ``slow = True`` tells commands that
    a decision takes milliseconds, so that they work, and report, in smaller steps.
    """

    def act(self, view: View) -> Any:
        """Return a card id for each row."""


@runtime_checkable
class CheatingPlayer(Protocol):
    """A player that is handed the deals themselves, hidden cards included; wherever it appears that is said.

    Its `act_on` stands in place of `act`: row i of the view is deal ``rows[i]`` of the batch, which it must not change.
    """

    sees_hidden_cards: bool

    def act_on(self, deals: DealBatch, rows: IntArray, view: View) -> Any:
        """Return a card id for each row."""


AnyPlayer = Player | CheatingPlayer

Factory = Callable[..., AnyPlayer]
"""Called as ``factory(variant=…, seed=…, **options)``."""

_FACTORIES: dict[str, Factory] = {
    "random": RandomPlayer,
    "greedy": GreedyPlayer,
    "rules": RulesPlayer,
    "tuned": TunedPlayer,
    "network": network,
}
_PROCESS = "process:"
_CHECKPOINT_LOADERS: list[Factory] = []
_WRAPPERS: dict[str, Factory] = {}


class IllegalReplyError(PlayerError):
    """A player returned what is no legal card; the message names player, row, ply and the legal cards."""


def register_player(name: str, factory: Factory) -> None:
    """Make a factory known under a name; ``ValueError`` if another one has it."""
    if _FACTORIES.setdefault(name, factory) is not factory:
        raise ValueError(f"a player named {name!r} is registered already")


def register_wrapper(name: str, factory: Factory) -> None:
    """Let ``+name`` after a player's name change how it plays: ``factory(player, variant=…, seed=…)``.

    Raises ``ValueError`` if another factory has the name.
    """
    if _WRAPPERS.setdefault(name, factory) is not factory:
        raise ValueError(f"a wrapper named {name!r} is registered already")


def register_checkpoint_loader(factory: Factory) -> None:
    """Let paths name players: ``factory(path, variant=…, seed=…, **options)``."""
    if factory not in _CHECKPOINT_LOADERS:
        _CHECKPOINT_LOADERS.append(factory)


def known_players() -> list[str]:
    """Return the registered names."""
    return sorted(_FACTORIES)


def sees_hidden_cards(player: AnyPlayer) -> bool:
    """Return whether a player cheats: it is asked by `act_on` and handed the deals."""
    return bool(getattr(player, "sees_hidden_cards", False))


def shown_name(name: str, player: AnyPlayer) -> str:
    """Return the name of a player for people, which says so if it cheats."""
    return f"{name} (cheats: sees all cards)" if sees_hidden_cards(player) else name


def make_player(spec: str, variant: str | Rules = "partners", seed: int = 0) -> Player:
    """Return the player that `spec` names.

    `spec` reads ``name[+wrapper][:options]``, as in ``"rules+solver"`` or ``"rules:without=hold_aces,seed=1"``.
    The name is a known one, else an existing path to a checkpoint, else ``module:attribute`` (a factory or an
    object with `act`); all that follows ``process:`` is the command of a foreign program.  Options belong to the
    player named; a `seed` option wins over the argument, for the wrapper too.  The factory is handed `variant` as
    it is: whoever has a `Rules` object should give that, so that the player sees its options.
    A player that cheats, and says so, is a `CheatingPlayer` instead: `decide` asks either kind.
    Raises ``ValueError`` for an unknown player, wrapper or option, listing the known ones, and `PlayerError`, one
    too, when the player can not be built.
    """
    if not isinstance(spec, str):
        raise ValueError(f"a player is named by a text, not {spec!r}: {_usable()}")
    variant_name(variant)
    named = _resolve(spec)
    wrapper = None if named.wrapper is None else _wrapper(spec, named.wrapper)
    arguments = {"variant": variant, "seed": seed} | _options(spec, named.options)
    if named.factory is None:
        player = _from_module(spec, named.name, named.options, arguments)
    else:
        player = _build(spec, named.factory, named.arguments, arguments)
    if wrapper is not None:
        player = _build(spec, wrapper, (player,), {"variant": variant, "seed": arguments["seed"]})
    return cast(Player, player)


class _Named(NamedTuple):
    """The parts of a spec: the factory (None: named by its module), its first arguments, wrapper and options."""

    name: str
    options: str
    wrapper: str | None = None
    factory: Factory | None = None
    arguments: tuple[Any, ...] = ()


def _resolve(spec: str) -> _Named:
    """Return the parts of a spec: known names come first, then existing paths, then modules."""
    if spec.startswith(_PROCESS):
        return _Named(spec, "", None, ProcessPlayer, (spec.removeprefix(_PROCESS),))
    head, _, options = spec.partition(":")
    for name, wrapper in _readings(head):
        if name in _FACTORIES:
            return _Named(name, options, wrapper, _FACTORIES[name])
    before, _, after = spec.rpartition(":")
    for text, options in ((spec, ""), (before, after)):
        for name, wrapper in _readings(text):
            if os.path.exists(name):  # unlike Path.exists, no for an empty text, and no error for one too long
                if not _CHECKPOINT_LOADERS:
                    raise ValueError(
                        f"player {spec!r} is a checkpoint: `import agents` first, which registers their loader"
                    )
                return _Named(name, options, wrapper, _CHECKPOINT_LOADERS[0], (Path(name),))
    module, _, rest = spec.partition(":")
    text, _, options = rest.partition(":")
    attribute, wrapper = _readings(text)[-1]
    if not attribute or not all(part.isidentifier() for part in module.split(".")):
        raise ValueError(_unknown(spec))
    return _Named(f"{module}:{attribute}", options, wrapper)


def _readings(text: str) -> list[tuple[str, str | None]]:
    """Return what a text without options may mean, as (name, wrapper): all of it a name, or a name and a wrapper."""
    name, plus, wrapper = text.rpartition("+")
    return [(text, None), (name, wrapper)] if plus and ":" not in wrapper else [(text, None)]


def _wrapper(spec: str, name: str) -> Factory:
    if name not in _WRAPPERS:
        known = ", ".join(f"+{wrapper}" for wrapper in sorted(_WRAPPERS)) or "none (`import agents` registers some)"
        raise ValueError(f"player {spec!r}: +{name} is unknown; what may follow a name: {known}")
    return _WRAPPERS[name]


def _from_module(spec: str, name: str, options: str, arguments: dict[str, Any]) -> AnyPlayer:
    module_name, _, attribute = name.partition(":")
    if "" not in sys.path:  # a console script does not look in the current folder by itself
        sys.path.insert(0, "")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name and (module_name == error.name or module_name.startswith(error.name + ".")):
            raise ValueError(f"unknown player {spec!r}: there is no module {error.name!r}; {_usable()}") from None
        raise PlayerError(f"player {spec!r}: {_cause(error)}") from error
    except (Exception, SystemExit) as error:
        raise PlayerError(f"player {spec!r}: {_cause(error)}") from error
    if not hasattr(module, attribute):
        raise ValueError(f"unknown player {spec!r}: module {module_name!r} has no attribute {attribute!r}")
    found = getattr(module, attribute)
    if _plays(found) and not inspect.isclass(found):
        if options:
            raise ValueError(f"player {spec!r} is an object and takes no options")
        return cast(AnyPlayer, found)
    if not callable(found):
        raise ValueError(f"player {spec!r} has no method act and is no factory")
    return _build(spec, found, (), arguments)


def _plays(player: Any) -> bool:
    return hasattr(player, "act_on" if sees_hidden_cards(player) else "act")


def _options(spec: str, text: str) -> dict[str, Any]:
    """Return ``a=1,b=x`` as a dict; whole numbers, decimals and true/false are converted."""
    options: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if not equals or not key.isidentifier() or not value:
            raise ValueError(f"player {spec!r}: option {part!r} must read name=value")
        if key == "variant":
            raise ValueError(f"player {spec!r}: variant is no option: a player plays the variant it is asked for")
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


def _build(spec: str, factory: Factory, arguments: tuple[Any, ...], by_name: dict[str, Any]) -> AnyPlayer:
    """Call a factory, or a wrapper, with arguments that are checked against its signature."""
    try:
        count_array("seed", by_name["seed"], ())
    except ValueError as error:
        raise ValueError(f"player {spec!r}: {error}") from None
    try:
        signature = inspect.signature(factory)
    except (TypeError, ValueError):  # some functions written in C
        raise ValueError(f"player {spec!r} is no factory: it does not take variant and seed") from None
    try:
        signature.bind(*arguments, **by_name)
    except TypeError as error:
        known = ", ".join(name for name in list(signature.parameters)[len(arguments) :] if name != "variant") or "none"
        raise ValueError(f"player {spec!r}: {error}; its options are: {known}") from None
    try:
        player = factory(*arguments, **by_name)
    except ValueError as error:  # says itself what is wrong
        raise PlayerError(f"player {spec!r}: {_one_line(error)}") from error
    except (Exception, SystemExit) as error:
        raise PlayerError(f"player {spec!r}: {_cause(error)}") from error
    if not _plays(player):
        raise ValueError(f"player {spec!r} is no player: {type(player).__name__} has no method act")
    return player


def _unknown(spec: str) -> str:
    return f"unknown player {spec!r}: {_usable()}"


def _usable() -> str:
    return f"use one of {', '.join(known_players())}, a checkpoint file, module:attribute, or {_PROCESS}COMMAND"


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())


def _cause(error: BaseException) -> str:
    """Return an error of a player in one line: kind, message, and the line of the player's code."""
    if isinstance(error, PlayerError):  # says itself what is wrong
        return _one_line(error)
    told = f"{type(error).__name__}: {_one_line(error)}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
    in_files = [frame for frame in frames if not frame.filename.startswith("<")]
    if isinstance(error, SyntaxError) or not in_files:
        return told
    return f"{told} ({os.path.basename(in_files[-1].filename)}, line {in_files[-1].lineno})"


def decide(
    player: AnyPlayer,
    view: View,
    name: str = "player",
    where: Callable[[int], str] = "row {}".format,
    deals: DealBatch | None = None,
    rows: IntArray | None = None,
) -> IntArray:
    """Return the player's cards for a view, (n,) int64, checked; 0 for rows that do not act.

    `deals` and `rows` (n,), the batch and its deals that the view's rows show, are handed on only to a
    `CheatingPlayer`, which can not be asked without them.
    Raises `PlayerError` when the player fails, and `IllegalReplyError` for a wrong shape or dtype, or for a card that
    may not be played; `where` says in words which game a row of the view belongs to.
    """
    cheats = sees_hidden_cards(player)
    if cheats and (deals is None or rows is None):
        raise PlayerError(f"{name} sees all cards: it must be handed the deals, which is not done here")
    at = _place(view, where, 0) if len(view) else ""  # of the first row, where all are concerned
    try:
        reply = cast(Any, player).act_on(deals, rows, view) if cheats else cast(Player, player).act(view)
    except (Exception, SystemExit) as error:
        if isinstance(error, PlayerError) and error.row is not None:
            raise PlayerError(f"{name} failed{_place(view, where, error.row)}: {_cause(error)}") from error
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
        raise IllegalReplyError(f"{name} played {card}{_place(view, where, row)}; legal cards: {legal}")
    return chosen


def _place(view: View, where: Callable[[int], str], row: int) -> str:
    return f" in {where(row)} at ply {view.ply[row]}"

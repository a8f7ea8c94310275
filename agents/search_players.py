"""The search players by name: their options are known before anything compiled is loaded.

The defaults are those of the players: see `PimcPlayer`, `IsmctsPlayer`, `CheatPlayer` and `SolverPlayer`.
"""

from __future__ import annotations

from typing import Any, cast

from tressette_env.players import (
    AnyPlayer,
    CheatingPlayer,
    Player,
    register_player,
    register_wrapper,
    sees_hidden_cards,
)
from tressette_env.rules import Rules, variant_name


def pimc(
    variant: str | Rules,
    seed: int = 0,
    worlds: int | None = None,
    exact: int | None = None,
    handover: int | None = None,
    z: float | None = None,
) -> Player:
    """Return `PimcPlayer`: determinization."""
    from agents.search.pimc import PimcPlayer

    return PimcPlayer(variant, seed, **_given(worlds=worlds, exact=exact, handover=handover, z=z))


def ismcts(
    variant: str | Rules,
    seed: int = 0,
    iterations: int | None = None,
    exploration: float | None = None,
    pool: int | None = None,
) -> Player:
    """Return `IsmctsPlayer`: information set tree search."""
    from agents.search.ismcts import IsmctsPlayer

    return IsmctsPlayer(variant, seed, **_given(iterations=iterations, exploration=exploration, pool=pool))


def search(
    variant: str | Rules,
    seed: int = 0,
    worlds: int | None = None,
    candidates: int | None = None,
    z: float | None = None,
    pool: int | None = None,
    temper: float | None = None,
    exact: int | None = None,
    handover: int | None = None,
    tricks: int | None = None,
    policy: str | None = None,
) -> Player:
    """Return `SearchPlayer`: the trained network with search at play time."""
    from agents.search.network_search import SearchPlayer

    return SearchPlayer(
        variant,
        seed,
        **_given(
            worlds=worlds,
            candidates=candidates,
            z=z,
            pool=pool,
            temper=temper,
            exact=exact,
            handover=handover,
            tricks=tricks,
            policy=policy,
        ),
    )


def cheat(variant: str | Rules, seed: int = 0, exact: int | None = None, handover: int | None = None) -> CheatingPlayer:
    """Return `CheatPlayer`, which sees all cards."""
    from agents.search.cheat import CheatPlayer

    return CheatPlayer(variant, seed, **_given(exact=exact, handover=handover))


def _given(**options: float | str | None) -> dict[str, Any]:
    """Return the options that are not left to the player's own defaults."""
    return {name: value for name, value in options.items() if value is not None}


def solver(player: AnyPlayer, variant: str | Rules, seed: int = 0) -> Player:
    """Return `SolverPlayer`: `player`, but exact from the empty stock on; ``ValueError`` where that makes no sense."""
    if variant_name(variant) != "two_player":
        raise ValueError(
            f"+solver plays exactly once every card is known, from the empty stock of two_player on; "
            f"{variant_name(variant)} has none"
        )
    if sees_hidden_cards(player):
        raise ValueError("+solver is for players that do not see all cards")
    from agents.search.solver_player import SolverPlayer

    return SolverPlayer(cast(Player, player), variant, seed)


def register() -> None:
    """Make the search players known by name."""
    register_player("pimc", pimc)
    register_player("ismcts", ismcts)
    register_player("cheat", cheat)
    register_player("search", search)
    register_wrapper("solver", solver)

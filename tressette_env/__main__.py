"""``python -m tressette_env``: what is installed, what an observation holds, and a sample deal."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from tressette_env import ENV_VERSION, DealBatch, __version__, make_player
from tressette_env.cards import card_text
from tressette_env.checking import count_array
from tressette_env.episode import Episode
from tressette_env.layout_table import layout_table
from tressette_env.players import known_players
from tressette_env.render import Scene, render_text
from tressette_env.rules import TARGETS, VARIANTS, Rules

_SAMPLE_PLAYER = "rules"


def about() -> str:
    """Return versions, variants, players and where the environments are."""
    lines = [f"tressette-env {__version__}, environment version {ENV_VERSION}", "", "Variants:"]
    lines += [f"  {variant:12}{_described(Rules(variant))}" for variant in VARIANTS]
    lines += [
        "",
        f"Players: {', '.join(known_players())}",
        'PettingZoo: tressette_env.tressette_v0.env(variant="partners")',
        'Gymnasium: gymnasium.make("tressette_env:Tressette-v0", variant="partners", opponent="rules")',
    ]
    return "\n".join(lines)


def _described(rules: Rules) -> str:
    stock = f" and {rules.stock} in the stock" if rules.stock else ""
    if rules.variant == "historical":
        options = f"declarations and bonuses; parties to {rules.target}"
    else:
        options = f"napoletana or not; matches to {', '.join(map(str, TARGETS))}"
    return f"{rules.seats} seats, {rules.hand} cards each{stock}; {options}"


def sample_deal(variant: str, seed: int) -> str:
    """Return deal 0 of a seed as text, played by `rules` in every seat."""
    deals, player = DealBatch(1, variant), make_player(_SAMPLE_PLAYER, variant)
    deals.reset(seed=seed)
    episode = Episode(deals.rules, "deal")
    episode.start(seed, 0)
    parts = [f"Deal 0 of seed {seed}, `{_SAMPLE_PLAYER}` in every seat:", render_text(Scene.of(episode))]
    while not deals.done:
        cards = player.act(deals.view())
        deals.step(cards)
        episode.play(int(cards[0]))
    parts += ["\n".join(_tricks(episode)), render_text(Scene.of(episode))] if episode.deal.ply else []
    return "\n\n".join(parts)


def _tricks(episode: Episode) -> Iterator[str]:
    seats, deal = episode.rules.seats, episode.deal
    for number, start in enumerate(range(0, deal.ply, seats), start=1):
        plays = ", ".join(f"player_{seat} {card_text(card)}" for seat, card in deal.plays[start : start + seats])
        yield f"trick {number:2}   {plays}"


def main(arguments: list[str] | None = None) -> int:
    """Print all of it and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tressette_env",
        description="Show versions, variants, the observation's layout and a sample deal.",
        epilog="example: python -m tressette_env --variant two_player --seed 7",
    )
    parser.add_argument("--variant", choices=VARIANTS, default="partners", help="of layout and deal (default partners)")
    parser.add_argument("--seed", type=int, default=0, help="of the sample deal (default 0)")
    options = parser.parse_args(arguments)
    try:
        count_array("--seed", options.seed, ())
    except ValueError as error:
        parser.error(str(error))
    print(
        about(),
        f"Observation of {layout_table(options.variant)}",
        sample_deal(options.variant, options.seed),
        sep="\n\n",
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

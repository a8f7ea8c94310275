"""The configuration of a training run: typed, read from YAML, overridden on the command line.

Reading, overriding and refusing unknown fields is jsonargparse's work.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, get_type_hints

import jsonargparse
import yaml

from agents.network import CriticConfig, NetworkConfig
from agents.ppo import PPOConfig
from agents.ranges import check_range
from tressette_env import Rules
from tressette_env.cards import RANKS, SUITS
from tressette_env.checking import LARGEST_COUNT
from tressette_env.files import write_whole

CONFIG_FILE = "config.yaml"
_NETWORKS = "network", "critic"
_ABSENT_MEANS = {"led": False, "facts": False}
"""What configurations stored by earlier versions do not say of their networks."""


@dataclass(frozen=True)
class GameConfig:
    """What is played."""

    variant: Literal["two_player", "partners", "historical"] = "partners"
    """The rule set."""
    napoletana: bool = False
    """Whether 3-2-ace of a suit scores (not in historical)."""
    suits: str = SUITS
    """Suits of the pack; fewer for a mini game."""
    ranks: str = RANKS
    """Ranks of the pack; fewer for a mini game."""
    hand: int = 10
    """Cards dealt to a seat; at least 2, since a single card leaves no choice."""

    def __post_init__(self) -> None:
        """Refuse what is no rule set, and a game without choices."""
        if self.rules.hand < 2:
            raise ValueError(f"game.hand must be at least 2, not {self.hand}: one card leaves no choice to learn")

    @property
    def rules(self) -> Rules:
        """The rules object."""
        return Rules(self.variant, napoletana=self.napoletana, suits=self.suits, ranks=self.ranks, hand=self.hand)


@dataclass(frozen=True)
class SelfPlayConfig:
    """How much is played."""

    plays: int = 9_000_000
    """Cards played in the whole run, 40 a deal, forced plays counted."""
    deals: int = 512
    """Deals of an update."""
    shards: int = 2
    """Fixed parts an update's work is split into; the result depends on it."""
    threads: int = 2
    """Threads that work on the shards; the result does not depend on it."""
    average: float = 0.998
    """Decay per gradient step of the moving average of the weights, which is what plays after training."""
    solved: float = 0.0
    """In two_player, the share of the deals whose end, from the empty stock on, is solved, to learn the best cards."""
    past: float = 0.0
    """Share of the deals that are played against a past self, in both seats of a side; it is not learned from."""
    snapshot_every: int = 50
    """Updates between the snapshots that past selves are drawn from."""
    snapshots: int = 30
    """Most snapshots that are kept: spread over the whole run, the newest among them."""
    opponents: dict[str, float] = field(default_factory=dict)
    """Players by name and the share of the deals played against each, as in {rules: 0.1}."""

    def __post_init__(self) -> None:
        """Refuse what can not be run."""
        check_range("selfplay", self, ("plays", "deals", "shards", "threads"), 1)
        check_range("selfplay", self, ("average", "past", "solved"), 0, 1)
        check_range("selfplay", self, ("snapshot_every", "snapshots"), 1)
        shares = [self.past, *self.opponents.values()]
        if any(not share >= 0 for share in shares) or sum(shares) > 1:
            raise ValueError(
                f"selfplay.past and selfplay.opponents are shares of the deals: {shares} do not fit into 1"
            )
        if self.deals % self.shards:
            raise ValueError(f"selfplay.deals ({self.deals}) must be a multiple of selfplay.shards ({self.shards})")


@dataclass(frozen=True)
class EvaluationConfig:
    """How the run is measured, always in duplicate pairs of deals that training never plays."""

    every: int = 50
    """Updates between measurements against `rules`; 0: none."""
    pairs: int = 1000
    """Pairs of such a measurement."""
    final_pairs: int = 10_000
    """Pairs against each opponent of the table at the end; 0: no table."""
    opponents: tuple[str, ...] = ("random", "greedy", "rules", "tuned")
    """The players of the table at the end."""

    def __post_init__(self) -> None:
        """Refuse what can not be run."""
        check_range("evaluation", self, ("every", "pairs", "final_pairs"), 0)


@dataclass(frozen=True)
class TrainConfig:
    """A training run by self-play."""

    game: GameConfig = field(default_factory=GameConfig)
    network: NetworkConfig = field(default_factory=NetworkConfig)
    critic: CriticConfig = field(default_factory=CriticConfig)
    selfplay: SelfPlayConfig = field(default_factory=SelfPlayConfig)
    ppo: PPOConfig = field(default_factory=PPOConfig)
    evaluation: EvaluationConfig = field(default_factory=EvaluationConfig)
    seed: int = 0
    """Decides the first weights, the deals and every choice."""
    start: str = ""
    """A checkpoint or run whose weights training starts from, of the same variant, no larger; empty: fresh ones."""
    device: Literal["cpu", "cuda", "auto"] = "cpu"
    """Where the networks live; auto: cuda if there is one."""
    precision: Literal["float32", "bfloat16"] = "float32"
    """Arithmetic of the networks in training; bfloat16 is faster only where the processor has units for it."""
    name: str = ""
    """Name of the run's folder under runs/, by default the variant; one that exists gets a number."""
    checkpoint_every: int = 50
    """Updates between checkpoints."""

    def __post_init__(self) -> None:
        """Refuse what can not be run."""
        if not 0 <= self.seed <= LARGEST_COUNT:
            raise ValueError(f"seed must be from 0 to {LARGEST_COUNT}, not {self.seed}")
        if self.name and (Path(self.name).name != self.name or self.name in (".", "..")):
            raise ValueError(f"name must be a plain folder name, not {self.name!r}")
        if self.selfplay.solved and not self.game.rules.stock:
            raise ValueError(f"selfplay.solved is for two_player, where a stock runs out, not for {self.game.variant}")
        if self.checkpoint_every < 1:
            raise ValueError(f"checkpoint_every must be at least 1, not {self.checkpoint_every}")

    @property
    def run_name(self) -> str:
        """Name of the run's folder."""
        return self.name or self.game.variant

    @property
    def updates(self) -> int:
        """Updates of the whole run."""
        return max(1, round(self.selfplay.plays / (self.selfplay.deals * self.game.rules.num_cards)))


def parse_arguments(arguments: Sequence[str] | None = None) -> tuple[TrainConfig, Path | None, int]:
    """Return the configuration that the command line asks for, the run directory to resume if any, and how many seeds.

    Unknown fields and bad values end the program with exit code 2 and one message.
    """
    jsonargparse.set_parsing_settings(docstring_parse_attribute_docstrings=True)
    parser = jsonargparse.ArgumentParser(
        prog="train.py",
        description="Train an agent by self-play and show how it does against the baselines.",
        epilog="example: python train.py --config configs/two_player.yaml --selfplay.plays 2000000 --seed 1",
        usage="train.py [-h] [--config FILE] [--resume RUN_DIR] [--SECTION.FIELD VALUE ...]",
    )
    parser.add_argument("--config", action="config", help="a YAML file with any of the fields below")
    parser.add_argument("--resume", type=Path, metavar="RUN_DIR", help="go on from the newest checkpoint of a run")
    parser.add_argument("--seeds", type=int, default=1, metavar="N", help="as many runs, with seeds SEED, SEED + 1, …")
    parser.add_class_arguments(TrainConfig, as_group=False)
    given = list(sys.argv[1:] if arguments is None else arguments)
    resumed = _resumed_run(given)
    if resumed is not None:
        if not (resumed / CONFIG_FILE).is_file():
            parser.error(f"--resume {resumed}: there is no {CONFIG_FILE} in that folder")
        given = ["--config", str(resumed / CONFIG_FILE), *_set_since(resumed / CONFIG_FILE), *given]
    try:
        namespace = parser.parse_args(given)
        _check_given(namespace)
        values = parser.instantiate(namespace).as_dict()
        values.pop("config", None)
        resume, seeds = values.pop("resume", None), values.pop("seeds")
        if seeds < 1 or (resume is not None and seeds > 1):
            raise ValueError(
                f"--seeds {seeds} is not allowed: at least 1, and 1 with --resume, which goes on with one run"
            )
        return TrainConfig(**values), resume, seeds
    except (ValueError, TypeError) as error:
        parser.error(str(error))


def _set_since(path: Path) -> list[str]:
    """Return arguments that set what a stored configuration lacks, because it is older, to what it was then."""
    try:
        stored = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError):
        return []  # whoever reads it as a configuration says what is wrong
    sections = stored if isinstance(stored, dict) else {}
    return [
        f"--{section}.{name}={str(value).lower()}"
        for section in _NETWORKS
        for name, value in _ABSENT_MEANS.items()
        if isinstance(sections.get(section), dict) and name not in sections[section]
    ]


def _check_given(namespace: jsonargparse.Namespace) -> None:
    """Refuse fields without a value, and unknown sections in configuration files."""
    known = {field.name for field in fields(TrainConfig)}
    for path in namespace.get("config") or []:
        unknown = sorted(set(yaml.safe_load(Path(path).read_text(encoding="utf-8")) or {}) - known)
        if unknown:
            raise ValueError(f"{path}: unknown field {unknown[0]!r}; known are {', '.join(sorted(known))}")
    for name, value in namespace.items():
        if value is None and name not in ("config", "resume"):
            raise ValueError(f"{name} has no value")


def _resumed_run(arguments: Sequence[str]) -> Path | None:
    for index, argument in enumerate(arguments):
        if argument == "--resume" and index + 1 < len(arguments):
            return Path(arguments[index + 1])
        if argument.startswith("--resume="):
            return Path(argument.partition("=")[2])
    return None


def read_config(path: Path) -> TrainConfig:
    """Return the configuration that `write_config` wrote; ``ValueError`` that names the file if it is none."""
    try:
        return from_plain(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (OSError, yaml.YAMLError, ValueError) as error:
        raise ValueError(f"{path} is no configuration of a run: {error}") from None


def from_plain(values: Any) -> TrainConfig:
    """Return the configuration of which `plain` made these values; ``ValueError`` if they are none's."""
    kinds = get_type_hints(TrainConfig)
    try:
        values = values | {section: _ABSENT_MEANS | values[section] for section in _NETWORKS}
        evaluation = values["evaluation"] | {"opponents": tuple(values["evaluation"]["opponents"])}
        parts = {
            name: kinds[name](**value) if isinstance(value, dict) else value
            for name, value in (values | {"evaluation": evaluation}).items()
        }
        return TrainConfig(**parts)
    except (KeyError, TypeError) as error:
        raise ValueError(f"a field is missing or wrong: {error}") from None


def write_config(config: TrainConfig, path: Path) -> None:
    """Write a configuration as YAML that `--config` reads."""
    write_whole(path, [yaml.safe_dump(plain(config), sort_keys=False)])


def plain(config: TrainConfig) -> dict[str, Any]:
    """Return a configuration as plain dicts and lists."""
    values = asdict(config)
    values["evaluation"]["opponents"] = list(values["evaluation"]["opponents"])
    return values

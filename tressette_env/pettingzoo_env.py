"""The PettingZoo environment behind `tressette_env.tressette_v0`, where its page stands."""

from __future__ import annotations

import logging
import secrets
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper
from pettingzoo.utils.wrappers.order_enforcing import AECOrderEnforcingIterable

from tressette_env.cards import NUM_CARDS
from tressette_env.checking import LARGEST_COUNT
from tressette_env.episode import Episode, checked_loss
from tressette_env.errors import IllegalCardError
from tressette_env.interface import (
    RENDER_FPS,
    RENDER_MODES,
    Display,
    Observation,
    card_of,
    mask_of,
    observation_space,
)
from tressette_env.observation import LARGEST_ENTRY, obs_size
from tressette_env.rules import DEFAULT_TARGET, Rules, resolve_rules
from tressette_env.state import state_columns

ILLEGAL = ("lose", "raise")
_logger = logging.getLogger(__name__)


class TressetteEnv(AECEnv[str, Observation, Any]):  # type: ignore[misc]
    """`raw_env`: the environment without order checks; an illegal card raises and changes nothing.

    `variant`: a name or a `Rules` object.  Raises ``ValueError`` for an unknown value of any argument.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (PettingZoo reads a plain dict)
        "name": "tressette_v0",
        "render_modes": list(RENDER_MODES),
        "render_fps": RENDER_FPS,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        variant: str | Rules = "partners",
        napoletana: bool = False,
        episode: str = "deal",
        target: int = DEFAULT_TARGET,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self._display = Display(render_mode)
        self.rules = resolve_rules(variant, napoletana, target)
        self.render_mode = render_mode
        self._episode = Episode(self.rules, episode)
        self._seed: int | None = None
        self._number = 0
        self.possible_agents = [f"player_{seat}" for seat in range(self.rules.seats)]
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.agents: list[str] = []
        self.observation_spaces = {agent: observation_space(self.rules) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(NUM_CARDS) for agent in self.possible_agents}
        size = state_columns(self.rules.variant).size
        self.state_space = spaces.Box(0, LARGEST_ENTRY, (size,), np.float32)

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the space of what `agent` observes."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the card ids."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game: number 0 of a given seed, else the next of the seed in use.

        Without any seed so far one is drawn from the operating system.  `options`: see `Episode.start`.
        Raises ``ValueError``, and changes nothing, when seed or options are wrong.
        """
        number = self._number + 1 if seed is None and self._seed is not None else 0
        chosen = seed if seed is not None else self._seed
        if chosen is None:
            chosen = secrets.randbelow(LARGEST_COUNT + 1)
        self._episode.start(chosen, number, options)
        self._seed, self._number = chosen, number
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None  # what an unfinished round of dead steps left
        self._after_change()

    def step(self, action: Any) -> None:
        """Play the card of the agent to act; None for a terminated agent.

        Raises `IllegalCardError` for a card that may not be played and ``ValueError`` for what is no integer;
        the game is then as it was.
        """
        if not self.agents:
            raise RuntimeError("no game is being played: call reset first")
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._episode.play(card_of(action))
        self._after_change()

    @property
    def illegal_loss(self) -> float:
        """What an illegal card costs when it loses the game, at first as much as the worst legal end.

        It may be set, and holds for the games that end afterwards; ``ValueError`` unless it is a number of
        at least 0.
        """
        return self._episode.illegal_loss

    @illegal_loss.setter
    def illegal_loss(self, loss: float) -> None:
        self._episode.illegal_loss = checked_loss(loss)

    def forfeit(self) -> None:
        """End the game as lost by the agent to act: its side gets ``-illegal_loss``, the other the opposite."""
        self._episode.forfeit()
        self._after_change()

    def _after_change(self) -> None:
        """Select who acts next, or end the game; rewards are zero until then, so nothing is to be cleared."""
        episode = self._episode
        if episode.over:
            by_side = episode.rewards()
            self.rewards = {agent: by_side[seat & 1] for agent, seat in self._seat_of.items()}
            self._cumulative_rewards = self.rewards.copy()
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
        else:
            self.agent_selection = self.possible_agents[episode.deal.player]
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Observation:
        """Return what the seat of `agent` may know now, whoever acts; zeros when the game is over."""
        deal, seat = self._episode.deal, self._seat_of[agent]
        if self._episode.over:
            blank = np.zeros(obs_size(self.rules), np.float32)
            return {"observation": blank, "action_mask": np.zeros(NUM_CARDS, np.int8)}
        mask = mask_of(deal.legal) if seat == deal.player else np.zeros(NUM_CARDS, np.int8)
        return {"observation": deal.observe(seat), "action_mask": mask}

    def state(self) -> npt.NDArray[np.float32]:
        """Return the full hidden state, (state_size,) float32, as `tressette_env.state` describes it."""
        deal = self._episode.deal
        return np.zeros(self.state_space.shape, np.float32) if self._episode.over else deal.state()

    def result(self) -> dict[str, Any] | None:
        """Return None before the end of the game, then its result in plain Python values (`Episode.result`)."""
        return self._episode.result()

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """Return the table as text (``"ansi"``) or as (H, W, 3) uint8, or show it in a window (``"human"``)."""
        return self._display.show(self._episode)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._display.close()


class TressetteWrapper(OrderEnforcingWrapper[str, Observation, Any]):  # type: ignore[misc]
    """`env`: checks the order of calls, and decides what an illegal card does.

    One layer instead of PettingZoo's three, which cost several times what a play costs.  `illegal`:
    ``"lose"`` ends the game with a logged warning, `TressetteEnv.forfeit`; ``"raise"`` raises.
    """

    env: TressetteEnv

    def __init__(self, env: TressetteEnv, illegal: str = "lose") -> None:
        if illegal not in ILLEGAL:
            raise ValueError(f"illegal={illegal!r} is not allowed: {', '.join(map(repr, ILLEGAL))}")
        super().__init__(env)
        self.illegal = illegal

    def step(self, action: Any) -> None:
        """Play the card of the agent to act; None for a terminated agent."""
        try:
            super().step(action)
        except IllegalCardError as error:
            if self.illegal == "raise":
                raise
            _logger.warning("%s; the game ends and this seat's side loses", error)
            self.env.forfeit()

    def agent_iter(self, max_iter: int = 2**63) -> AECOrderEnforcingIterable[str, Observation, Any]:
        """Yield the agents to act; a loop may be left and another begun, but each round must step."""
        agents = super().agent_iter(max_iter)
        self._has_updated = True
        return agents

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Return observation, reward since its last turn, termination, truncation and info of the agent to act."""
        if not self._has_reset:
            self.observe(self.possible_agents[0])  # raises what PettingZoo raises before reset
        last: tuple[Observation | None, float, bool, bool, dict[str, Any]] = self.env.last(observe)
        return last

    def result(self) -> dict[str, Any] | None:
        """Return None before the end of the game, then its result in plain Python values."""
        return self.env.result()

    def __str__(self) -> str:
        return str(self.env)

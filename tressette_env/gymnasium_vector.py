"""Many games of `Tressette-v0` at once: ``gymnasium.make_vec("Tressette-v0", num_envs=N)``.

It equals Gymnasium's `SyncVectorEnv` of N single environments, seed by seed and step by step, in all three autoreset
modes, and plays them in one batch, many times as fast.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from tressette_env.cards import NUM_CARDS, IntArray
from tressette_env.checking import LARGEST_COUNT, batch_size, count_array, described, integer_array
from tressette_env.deals import BoolArray
from tressette_env.episode import checked_loss
from tressette_env.interface import RENDER_FPS, RENDER_MODES, Display, Observation, observation_space
from tressette_env.learner_games import NO_SEED, LearnerGames
from tressette_env.observation import obs_size
from tressette_env.opponents import FloatArray, Opponent, checked_seat
from tressette_env.rules import DEFAULT_TARGET, Rules, resolve_rules

Step = tuple[Observation, FloatArray, BoolArray, BoolArray, dict[str, Any]]
Seeds = int | list[int | None] | None
RESET_MASK = "reset_mask"
_RENDER_MODES = tuple(mode for mode in RENDER_MODES if mode != "human")  # a window shows a single game


class TressetteVectorEnv(VectorEnv[Observation, Any, npt.NDArray[Any]]):
    """`num_envs` games, one learner each; see the page of `tressette_env.gymnasium_env` for the other arguments.

    `autoreset_mode`: what happens where a game is over.  ``NEXT_STEP``: the next step begins a new one, whatever the
    action, with reward 0.  ``SAME_STEP``: the step that ends it begins the next; what the old one ended with stands
    in ``info["final_obs"]`` and ``info["final_info"]``.  ``DISABLED``: `reset` with ``reset_mask`` begins new ones.
    Raises ``ValueError`` for an unknown value of any argument.
    """

    _display = Display(None)  # of one that could not be built, which Gymnasium closes all the same

    def __init__(
        self,
        num_envs: int = 1,
        variant: str | Rules = "partners",
        napoletana: bool = False,
        episode: str = "deal",
        target: int = DEFAULT_TARGET,
        render_mode: str | None = None,
        opponent: Opponent = "rules",
        partner: Opponent | None = None,
        seat: int | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
    ) -> None:
        super().__init__()
        self.autoreset_mode = _autoreset_mode(autoreset_mode)
        self._display = Display(render_mode, _RENDER_MODES)
        self.render_mode = render_mode
        self.metadata = {
            "render_modes": list(_RENDER_MODES),
            "render_fps": RENDER_FPS,
            "autoreset_mode": self.autoreset_mode,
        }
        self.rules = resolve_rules(variant, napoletana, target)
        learner = checked_seat(self.rules, seat)
        self.num_envs = batch_size("num_envs", num_envs)
        self._games = LearnerGames(
            self.num_envs, self.rules, episode, opponent, partner, learner, followed=render_mode is not None
        )
        self.single_observation_space = observation_space(self.rules)
        self.single_action_space = spaces.Discrete(NUM_CARDS)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._ended = np.zeros(self.num_envs, bool)

    def reset(self, *, seed: Seeds = None, options: dict[str, Any] | None = None) -> tuple[Observation, dict[str, Any]]:
        """Begin games: in each environment game 0 of a given seed, else the next one of the seed in use.

        `seed`: an int s gives environment i the seed s + i; a list holds one for each, None for none.
        `options`: ``reset_mask`` (num_envs,) bool, the environments to reset, all by default; the others are those
        of the single environment and hold for each.  Raises ``ValueError``, and changes nothing, when one is wrong.
        """
        rest = dict(options) if isinstance(options, dict) else options
        mask = self._reset_mask(rest.pop(RESET_MASK)) if rest and RESET_MASK in rest else np.ones(self.num_envs, bool)
        rows = np.flatnonzero(mask)
        self._games.begin(rows, self._seeds(seed)[rows], rest)
        if isinstance(seed, int | np.integer):
            super().reset(seed=int(seed))
        self._ended[rows] = False
        observation = self._games.observe()
        return observation, _mask_info(observation["action_mask"], mask)

    def _reset_mask(self, mask: Any) -> BoolArray:
        if not isinstance(mask, np.ndarray) or mask.shape != (self.num_envs,) or mask.dtype != bool or not mask.any():
            wanted = f"a bool array of shape ({self.num_envs},) that is True somewhere"
            raise ValueError(f"options[{RESET_MASK!r}] must be {wanted}, not {described(mask)}")
        return mask

    def _seeds(self, seed: Any) -> IntArray:
        """Return the seeds of a reset, (num_envs,), `NO_SEED` for the next game of the seed in use."""
        count = self.num_envs
        if seed is not None and not (isinstance(seed, list | tuple) and None in seed):
            seeds = count_array("seed", seed, (), (count,))
            if not seeds.ndim and seeds > LARGEST_COUNT - count + 1:
                raise ValueError(f"seed={seed} is too large: environment i gets seed + i, at most 2**63 - 1")
            return seeds if seeds.ndim else seeds + np.arange(count)
        given = [None] * count if seed is None else list(seed)
        if len(given) != count:
            raise ValueError(f"seed must be an int or a list of {count}, not a list of {len(given)}")
        seeds = np.full(count, NO_SEED)
        for row, one in enumerate(given):
            if one is not None:
                seeds[row] = count_array(f"seed of environment {row}", one, ())
        unknown = (seeds == NO_SEED) & (self._games.seeds == NO_SEED)
        if unknown.any():
            seeds[unknown] = self.np_random.integers(LARGEST_COUNT, size=int(unknown.sum()))
        return seeds

    def step(self, actions: Any) -> Step:
        """Play a card in each environment; returns new arrays, the rewards (num_envs,) float64.

        Raises ``ValueError`` for actions of a wrong shape or dtype, ``RuntimeError`` where no game is being played.
        """
        cards = integer_array("actions", actions, (self.num_envs,)).astype(np.int64)
        begins = self._ended if self.autoreset_mode is AutoresetMode.NEXT_STEP else np.zeros(self.num_envs, bool)
        plays = ~begins
        idle = np.flatnonzero(plays & ~self._games.deals.active)
        if len(idle):
            raise RuntimeError(f"no game is being played in environment {idle[0]}: call reset first")
        rewards = self._games.play(cards, plays)
        if begins.any():
            self._begin_next(begins)
        ended = plays & ~self._games.deals.active
        info: dict[str, Any] = {}
        if ended.any() and self.autoreset_mode is AutoresetMode.SAME_STEP:
            info = self._final_info(ended)
            self._begin_next(ended)
        self._ended = ended
        observation = self._games.observe()
        info |= _mask_info(observation["action_mask"], np.ones(self.num_envs, bool))
        return observation, rewards, ended.copy(), np.zeros(self.num_envs, bool), info

    def _begin_next(self, mask: BoolArray) -> None:
        rows = np.flatnonzero(mask)
        self._games.begin(rows, np.full(len(rows), NO_SEED))

    def _final_info(self, ended: BoolArray) -> dict[str, Any]:
        """Return what episodes ended with, as `SyncVectorEnv` tells it."""
        rows = np.flatnonzero(ended)
        observation = np.zeros((len(rows), obs_size(self.rules)), np.float32)
        masks = np.ones((len(rows), NUM_CARDS), np.int8)
        final = np.full(self.num_envs, None, object)
        final[rows] = [{"observation": one, "action_mask": mask} for one, mask in zip(observation, masks, strict=True)]
        masks = np.repeat(ended[:, None].astype(np.int8), NUM_CARDS, axis=1)
        return {
            "final_obs": final,
            "_final_obs": ended.copy(),
            "final_info": {"action_mask": masks, "_action_mask": ended.copy()},
            "_final_info": ended.copy(),
        }

    def action_masks(self) -> BoolArray:
        """Return which cards may be played, (num_envs, 40) bool; all True where the game is over."""
        return self._games.masks()

    def set_opponent(self, opponent: Opponent, partner: Opponent | None = None) -> None:
        """Let other players sit with the learners in the episodes that begin from now on."""
        self._games.set_opponent(opponent, partner)

    @property
    def seats(self) -> IntArray:
        """The learner's seat in each episode, (num_envs,) int."""
        return self._games.seats.copy()

    @property
    def illegal_loss(self) -> float:
        """What an illegal card costs, at first as much as the worst legal end; a number of at least 0 may be set."""
        return self._games.illegal_loss

    @illegal_loss.setter
    def illegal_loss(self, loss: float) -> None:
        self._games.illegal_loss = checked_loss(loss)

    def render(self) -> tuple[Any, ...]:
        """Return the frame of each environment, text or (H, W, 3) uint8."""
        return tuple(self._display.show(self._games.episode(row)) for row in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """Close what drawing opened."""
        self._display.close()


def _autoreset_mode(given: Any) -> AutoresetMode:
    try:
        return AutoresetMode(given)
    except ValueError:
        allowed = ", ".join(f"{mode} ({mode.value!r})" for mode in AutoresetMode)
        raise ValueError(f"autoreset_mode={given!r} is not allowed: {allowed}") from None


def _mask_info(masks: npt.NDArray[np.int8], which: BoolArray) -> dict[str, Any]:
    """Return the info of single environments as one: their masks, and which of them tell one."""
    return {"action_mask": masks * which[:, None], "_action_mask": which.copy()}

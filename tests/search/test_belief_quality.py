"""How much past plays say about the hidden cards."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from agents.belief_quality import EXPONENTS, Told, main, measure, table
from agents.search.beliefs import Belief
from tests.search.toy_policy import Floats, Toy
from tressette_env.cards import IntArray, UInt64Array
from tressette_env.view import View

MODULE = "tests.search.test_belief_quality"


class Strongest(Toy):
    """Nearly always plays its strongest card."""

    def act(self, view: View) -> IntArray:
        """Return the strongest legal cards."""
        strongest: IntArray = 39 - view.legal[:, ::-1].argmax(axis=1)
        return np.where(view.seat >= 0, strongest, 0)

    def log_probs(self, view: View) -> Floats:
        """Return a chance of a hundredth for each other card."""
        chances = np.where(np.arange(40) == self.act(view)[:, None], 0.0, np.log(0.01))
        return np.where(view.legal, chances, -1e9).astype(np.float32)


@pytest.mark.parametrize("variant", ["partners", "two_player"])
def test_who_plays_by_its_cards_tells_them(variant: str) -> None:
    told = measure(f"{MODULE}:Strongest", variant, deals=40, worlds=50, seed=1)
    assert told.nats.shape == told.sample.shape == (len(told.trick), len(EXPONENTS))
    assert 10 < len(told.trick) <= 40
    later = told.trick >= 1
    assert (told.nats[later].mean(axis=0) > 0.5).all()
    assert (np.diff(told.sample[later].mean(axis=0)) < 0).all()  # a sharper belief leaves fewer worlds


def test_the_true_world_is_told_by_its_weight(monkeypatch: pytest.MonkeyPatch) -> None:
    """A belief whose logarithm is 0 for the true world and -1 for half of the others, -3 for the rest."""

    def explained(self: object, view: View, hands: UInt64Array) -> npt.NDArray[np.float64]:
        logs = np.where(np.arange(len(hands)) % 2 == 0, -1.0, -3.0)
        logs[0] = 0.0
        return logs

    monkeypatch.setattr(Belief, "explained", explained)
    told = measure(f"{MODULE}:Strongest", "partners", deals=10, worlds=50, seed=1)
    for column, exponent in enumerate(EXPONENTS):
        pair = np.exp([-exponent, -3 * exponent])
        np.testing.assert_allclose(told.nats[:, column], -np.log(pair.mean()))
        np.testing.assert_allclose(told.sample[:, column], pair.sum() ** 2 / (2 * (pair**2).sum()))


def test_the_table_has_the_means_by_trick() -> None:
    nats = np.array([[1.0] * 4, [3.0] * 4, [5.0] * 4], np.float32)
    told = Told(np.array([0, 0, 2]), nats, np.full((3, 4), 0.25, np.float32))
    lines = table(told).splitlines()
    assert lines[2].startswith("| 1 | 2 | 2.00 (25%) |")
    assert lines[3].startswith("| 3 | 1 | 5.00 (25%) |")
    assert lines[4].startswith("| all | 3 | 3.00 (25%) |")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--deals", "0"], "at least 1"),
        (["--player", "rules"], "has no log_probs"),
        (["--player", f"{MODULE}:Strongest", "--deals", "1"], "none of these decisions had a choice"),
    ],
)
def test_bad_usage_is_refused(arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert told in capsys.readouterr().err

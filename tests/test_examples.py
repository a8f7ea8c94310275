"""The examples: they run as documented, and play sensibly."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import evaluate
from examples import cleanrl_ppo, foreign_player
from examples.measuring import PolicyPlayer, measured, points, report
from examples.own_policy import Policy
from examples.seeding import global_generators
from tests.commands import Capture, run, run_json
from tests.foreign_programs import command
from tests.games import FULL_RULES, name, random_cards
from tressette_env import DealBatch, Rules, decode, make_player, process_player
from tressette_env.players import IllegalReplyError, PlayerError, decide

ROOT = Path(__file__).parent.parent
OWN = "examples.own_policy:Policy"
FOREIGN = "process:" + command(sys.executable, str(ROOT / "examples" / "foreign_player.py"))


def test_the_policy_has_at_most_thirty_lines() -> None:
    assert len((ROOT / "examples" / "own_policy.py").read_text(encoding="utf-8").splitlines()) <= 30


@pytest.mark.parametrize("variant", ["two_player", "partners", "historical"])
def test_the_policy_beats_random(variant: str, tmp_path: Path, capsys: Capture) -> None:
    report = run_json("match", capsys, tmp_path / "o.json", OWN, "random", "--variant", variant, "--pairs", "200")
    assert report["ci95"][0] > 1


@pytest.mark.parametrize("rules", FULL_RULES, ids=name)
def test_the_policy_decides_the_same_in_any_batch(rules: Rules) -> None:
    policy = Policy(rules.variant, seed=3)
    rng = np.random.default_rng(8)
    deals = DealBatch(20, rules)
    deals.reset(seed=2)
    while not deals.done:
        view = deals.view()
        cards = decide(policy, view)
        for row in np.flatnonzero(view.seat >= 0)[:3]:
            assert decide(policy, view.take([row])) == cards[row]
        deals.step(random_cards(deals, rng))


def test_the_policy_is_named_on_a_command_line_and_takes_its_option() -> None:
    arguments = ["match", OWN + ":eager=9", "random", "--variant", "partners", "--pairs", "2"]
    result = subprocess.run([sys.executable, "evaluate.py", *arguments], cwd=ROOT, capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")
    assert OWN in result.stdout


def test_the_foreign_player_imports_nothing_of_this_project() -> None:
    tree = ast.parse((ROOT / "examples" / "foreign_player.py").read_text(encoding="utf-8"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert names <= set(sys.stdlib_module_names)


@pytest.mark.parametrize("variant", ["two_player", "partners", "historical"])
def test_the_foreign_player_beats_random(variant: str, tmp_path: Path, capsys: Capture) -> None:
    report = run_json("match", capsys, tmp_path / "o.json", FOREIGN, "random", "--variant", variant, "--pairs", "40")
    assert report["mean"] > 1


def test_the_foreign_player_against_itself_scores_zero(tmp_path: Path, capsys: Capture) -> None:
    arguments = ("--variant", "two_player", "--napoletana", "--episode", "match", "--pairs", "1")
    report = run_json("match", capsys, tmp_path / "o.json", FOREIGN, FOREIGN, *arguments)
    assert (report["mean"], report["complete"]) == (0, True)


def test_a_foreign_program_that_fails_ends_the_command(tmp_path: Path, capsys: Capture) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text('print(\'{"name": "bot", "version": "1"}\', flush=True)\ninput()\ninput()\nprint(\'I pass\')\n')
    spec = "process:" + command(sys.executable, str(bot))
    code, out, errors = run("match", capsys, spec, "rules", "--variant", "partners", "--pairs", "2")
    assert (code, out) == (evaluate.FAILED, "")
    assert errors.startswith(f"evaluate.py match: failed: A ({spec}) failed in deal 0 at ply ")
    assert "answered 'I pass', which is no JSON object" in errors


def test_a_command_that_is_none_is_bad_usage(capsys: Capture) -> None:
    spec = "process:no-such-program-anywhere"
    code, out, errors = run("match", capsys, spec, "rules", "--variant", "partners", "--pairs", "2")
    assert (code, out) == (evaluate.BAD_USAGE, "")
    assert f"player '{spec}': the command can not be started" in errors


def test_the_documented_exchange_is_a_real_one(monkeypatch: pytest.MonkeyPatch) -> None:
    exchange: list[dict[str, Any]] = []

    class Recorded:
        """Stands for a running program."""

        def __init__(self, command: str) -> None:
            self.command = command

        def ask(self, request: dict[str, Any], asked: str, seconds: float) -> dict[str, Any]:
            exchange.append({"id": len(exchange) // 2} | request)
            exchange.append(foreign_player.answer(exchange[-1]))
            return exchange[-1]

    monkeypatch.setattr(process_player, "Program", Recorded)
    monkeypatch.delenv(process_player.LIMIT_VARIABLE, raising=False)
    deals = DealBatch(1, "two_player", napoletana=True)
    deals.reset(seed=7)
    player = make_player("process:example", "two_player", seed=7)
    while not deals.done:
        deals.step(decide(player, deals.view()))
    text = (ROOT / "docs" / "process.md").read_text(encoding="utf-8")
    hello, who, request, card = (json.loads(block.partition("```")[0]) for block in text.split("```json")[1:])
    assert [hello, who] == exchange[:2]
    assert [request, card] == exchange[2 * request["id"] :][:2]
    assert {f"`{field}`" for field in request} - {"`id`", "`type`"} <= set(text.replace(",", " ").split())


def lowest(observation: Any, legal: Any) -> Any:
    assert (observation.dtype, legal.dtype, len(observation)) == (np.float32, bool, len(legal))
    return legal.argmax(axis=1)


@pytest.mark.parametrize("variant", ["two_player", "partners", "historical"])
def test_a_policy_is_measured_as_a_player_is(
    variant: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ("--variant", variant, "--pairs", "30", "--seed", "1")
    found = run_json("match", capsys, tmp_path / "o.json", "tests.toy_players:Lowest", "random", *arguments)
    assert measured(lowest, variant, "random", pairs=30) == {
        key: found[key] for key in ("mean", "ci95", "win_rate", "sd_pair", "pairs")
    }
    low, high = found["ci95"]
    line = f"{found['mean']:+.2f} ({low:+.2f} … {high:+.2f}) points a deal against random, 30 pairs"
    assert points(lowest, variant, "random", pairs=30) == line
    report("before", lowest, variant, pairs=30)
    assert capsys.readouterr().out.splitlines() == [
        f"before: {line}",
        f"before: {points(lowest, variant, 'rules', pairs=30)}",
    ]


def test_a_policy_may_sit_where_some_rows_do_not_act() -> None:
    deals = DealBatch(2, "partners")
    deals.reset(seed=1)
    while deals.active[0]:
        deals.step(deals.legal_mask().argmax(axis=1), rows=np.array([True, False]))
    seen: list[Any] = []

    def choose(observation: Any, legal: Any) -> Any:
        seen.append(legal)
        return lowest(observation, legal)

    assert decide(PolicyPlayer(choose), deals.view())[1] == deals.legal_mask()[1].argmax()
    assert seen[0][0].all()  # ones, since samplers break on zeros


def test_a_policy_that_leaves_the_mask_out_is_named() -> None:
    with pytest.raises(IllegalReplyError, match=r"^the policy played 4D in deal \d+ at ply \d+; legal cards: "):
        measured(lambda observation, legal: np.zeros(len(legal), int), "partners", "random", pairs=5)
    with pytest.raises(IllegalReplyError, match=r"^the policy returned .* act must return \(\d+,\) integers"):
        measured(lambda observation, legal: legal.argmax(axis=1) + 0.0, "partners", "random", pairs=5)
    with pytest.raises(PlayerError, match=r"^the policy failed .*: ZeroDivisionError: "):
        measured(lambda observation, legal: 1 // 0, "partners", "random", pairs=5)


def test_what_global_generators_say_depends_on_the_seed_alone_and_they_are_left_as_they_were() -> None:
    def drawn() -> list[float]:
        return [*np.random.rand(2), *torch.rand(2).tolist()]  # noqa: NPY002 - as frameworks do

    def seeded(seed: int) -> list[float]:
        with global_generators(seed):
            return drawn()

    numpys, torchs = np.random.get_state(), torch.get_rng_state()  # noqa: NPY002
    after = drawn()
    first = seeded(5)
    assert seeded(5) == first != seeded(6)
    np.random.set_state(numpys)  # noqa: NPY002
    torch.set_rng_state(torchs)
    with pytest.raises(ZeroDivisionError), global_generators(5):
        1 / drawn().index(first[0])
    assert drawn() == after


@pytest.mark.parametrize("variant", ["two_player", "partners", "historical"])
def test_every_seat_has_a_trajectory_that_ends_with_its_margin(variant: str) -> None:
    agent = cleanrl_ppo.Agent(variant, seed=1)
    for parameter in agent.critic.value.parameters():
        torch.nn.init.zeros_(parameter)
    deals = DealBatch(60, variant)
    deals.reset(seed=3)
    played, seats = deals.active.copy(), deals.rules.seats
    decisions = cleanrl_ppo.play(agent, deals, torch.Generator().manual_seed(2))
    turns = 40 // seats
    assert decisions.legal[torch.arange(len(decisions.card)), decisions.card].all()
    assert len(decisions.card) == 40 * played.sum()
    margin = (deals.points[:, 0] - deals.points[:, 1])[played, None] * np.resize([1, -1], seats)
    discount = cleanrl_ppo.GAE_LAMBDA ** np.arange(turns)[::-1]
    found = decisions.advantage.numpy().reshape(turns, -1, seats)
    np.testing.assert_allclose(found, discount[:, None, None] * margin, rtol=1e-5)
    hands = np.array([len(decode(row, variant)["hand"]) for row in decisions.observation.numpy()])
    assert (hands.reshape(found.shape) == np.minimum(10, turns - np.arange(turns))[:, None, None]).all()


def test_an_advantage_runs_from_decision_to_decision_of_a_seat() -> None:
    values, margin = torch.tensor([[1.0, 4.0], [2.0, 0.0]]), torch.tensor([5.0, -5.0])
    last = margin - values[1]
    first = values[1] - values[0] + cleanrl_ppo.GAE_LAMBDA * last
    assert torch.equal(cleanrl_ppo.advantages(values, margin), torch.stack([first, last]))

"""The command `train.py`: what it writes, how it is resumed and stopped, how it refuses."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator, ScalarEvent

import agents
from agents.checkpoint import newest_checkpoint, read_checkpoint

ROOT = Path(__file__).parent.parent
TINY = [
    *("--network.width", "8", "--network.head", "8", "--critic.width", "8", "--critic.head", "8"),
    *("--selfplay.plays", "1920", "--selfplay.deals", "16", "--ppo.minibatches", "2"),
    *("--evaluation.every", "2", "--evaluation.pairs", "20", "--evaluation.final_pairs", "20"),
    *("--checkpoint_every", "1"),
]


def command(*arguments: str) -> list[str]:
    return [sys.executable, str(ROOT / "train.py"), *arguments]


def train(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command(*arguments), cwd=folder, env=environment(), capture_output=True, text=True, timeout=300, check=False
    )


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, "subprocess.CompletedProcess[str]"]:
    folder = tmp_path_factory.mktemp("cli")
    return folder, train(folder, *TINY, "--game.variant", "two_player", "--seed", "3")


def test_a_run_writes_its_files_and_shows_its_table(
    finished: tuple[Path, "subprocess.CompletedProcess[str]"],
) -> None:
    folder, result = finished
    assert result.returncode == 0, result.stderr
    for name in ("random", "greedy", "rules"):
        assert name in result.stdout
    run = folder / "runs" / "two_player"
    config = yaml.safe_load((run / "config.yaml").read_text())
    assert (config["game"]["variant"], config["seed"]) == ("two_player", 3)
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    assert [line["update"] for line in lines] == [1, 2, 3]
    assert "eval/points_vs_rules" in lines[1]
    assert list(run.glob("events.out.tfevents.*"))
    assert agents.load(run).variant == "two_player"


def test_every_logged_tag_is_explained_in_the_readme(
    finished: tuple[Path, "subprocess.CompletedProcess[str]"],
) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for line in (finished[0] / "runs" / "two_player" / "metrics.jsonl").read_text().splitlines():
        for tag in json.loads(line):
            if "/" in tag:
                assert tag.removesuffix("_low").removesuffix("_high") in readme


def test_an_existing_name_gets_a_number_and_a_configuration_file_is_read(
    finished: tuple[Path, "subprocess.CompletedProcess[str]"],
) -> None:
    folder, _ = finished
    written = folder / "runs" / "two_player" / "config.yaml"
    result = train(folder, "--config", str(written), "--evaluation.final_pairs", "0", "--seed", "4")
    assert result.returncode == 0, result.stderr
    config = yaml.safe_load((folder / "runs" / "two_player_2" / "config.yaml").read_text())
    assert (config["seed"], config["network"]["width"], config["evaluation"]["final_pairs"]) == (4, 8, 0)


def scalars(run: Path, tag: str) -> list[ScalarEvent]:
    """Return what TensorBoard shows."""
    shown = EventAccumulator(str(run), size_guidance={"scalars": 0})
    shown.Reload()
    events: list[ScalarEvent] = shown.Scalars(tag)
    return events


def test_an_interrupted_run_saves_and_goes_on(tmp_path: Path) -> None:
    arguments = [*TINY, "--selfplay.plays", "6400000", "--name", "long", "--evaluation.final_pairs", "0"]
    process = subprocess.Popen(command(*arguments), cwd=tmp_path, env=environment(), stderr=subprocess.PIPE, text=True)
    metrics = tmp_path / "runs" / "long" / "metrics.jsonl"
    for _ in range(600):  # until the run is under way
        if metrics.exists() and metrics.read_text():
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "--resume" in errors
    run = tmp_path / "runs" / "long"
    done = read_checkpoint(newest_checkpoint(run)).progress["updates"]
    assert done == len(metrics.read_text().splitlines())
    with metrics.open("a", encoding="utf-8") as file:  # as if killed while writing, after its last checkpoint
        file.write(json.dumps({"update": done + 1}) + '\n{"update": 9')
    plays = str((done + 2) * 16 * 40)
    result = train(tmp_path, "--resume", str(run), "--selfplay.plays", plays)
    assert result.returncode == 0, result.stderr
    assert [json.loads(line)["update"] for line in metrics.read_text().splitlines()] == list(range(1, done + 3))
    assert yaml.safe_load((run / "config.yaml").read_text())["selfplay"]["plays"] == int(plays)
    again = train(tmp_path, "--resume", str(run))  # goes on with what was asked for last: there is nothing left to do
    assert again.returncode == 0, again.stderr
    assert newest_checkpoint(run).name == f"update_{done + 2:07}.safetensors"
    steps = [event.step for event in scalars(run, "train/entropy")]
    assert steps == list(range(1, done + 3))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--ppo.speed", "3"], "--ppo.speed"),
        (["--ppo.clip", "-1"], "ppo.clip must be at least"),
        (["--game.variant", "bridge"], "bridge"),
        (["--game.variant", "historical", "--game.napoletana", "true"], "napoletana"),
        (["--seed", "x"], "seed"),
        (["--selfplay.deals", "3"], "multiple of selfplay.shards"),
        (["--resume", "nowhere"], "nowhere"),
        (["--config", "nowhere.yaml"], "nowhere.yaml"),
        (["--device", "cuda"], "CUDA"),
        (["--seed", "-1"], "seed must be from 0"),
        (["--name", "../outside"], "plain folder name"),
        (["--checkpoint_every", "0"], "checkpoint_every"),
        (["--evaluation.opponents", '["nobody"]'], "nobody"),
    ],
)
def test_bad_usage_is_one_message_and_writes_nothing(tmp_path: Path, arguments: list[str], message: str) -> None:
    result = train(tmp_path, *arguments)
    assert result.returncode == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    "content",
    [
        "game: [1, 2",
        "game:\n  variety: partners\n",
        "- 1\n",
        "ppo:\n  clip: wide\n",
        "gam: {}\n",
        "seed: null\n",
        "game: null\n",
        "selfplay:\n  plays: null\n",
    ],
)
def test_broken_configurations_are_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text(content)
    result = train(tmp_path, "--config", str(path))
    assert result.returncode == 2
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "runs").exists()


def test_a_damaged_checkpoint_is_refused(
    finished: tuple[Path, "subprocess.CompletedProcess[str]"], tmp_path: Path
) -> None:
    folder, _ = finished
    run = tmp_path / "runs" / "damaged"
    (run / "checkpoints").mkdir(parents=True)
    (run / "config.yaml").write_text((folder / "runs" / "two_player" / "config.yaml").read_text())
    (run / "checkpoints" / "update_0000001.safetensors").write_bytes(b"nothing")
    result = train(tmp_path, "--resume", str(run))
    assert result.returncode == 2
    assert "update_0000001" in result.stderr
    assert "Traceback" not in result.stderr


def test_several_seeds_are_several_runs_and_a_table(
    tmp_path: Path, finished: tuple[Path, "subprocess.CompletedProcess[str]"]
) -> None:
    result = train(tmp_path, *TINY, "--game.variant", "two_player", "--seed", "2", "--seeds", "2")
    assert result.returncode == 0, result.stderr
    assert "seed 2" in result.stdout
    assert "seed 3" in result.stdout
    assert "deviation" in result.stdout
    alone = (finished[0] / "runs" / "two_player" / "checkpoints" / "update_0000003.safetensors", "two_player_seed3")
    first, second = read_checkpoint(alone[0]), read_checkpoint(tmp_path / "runs" / alone[1])
    assert all(bool((first.tensors[name] == second.tensors[name]).all()) for name in first.tensors)
    for wrong in (["--seeds", "0"], ["--seeds", "2", "--resume", str(tmp_path / "runs" / alone[1])]):
        refused = train(tmp_path, *wrong)
        assert refused.returncode == 2
        assert "--seeds" in refused.stderr

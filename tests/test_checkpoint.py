"""Checkpoint files: whole or not at all, data only, loadable by their path alone."""

import pickle
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

import agents
from agents.checkpoint import CheckpointError, checkpoint_path, newest_checkpoint, read_checkpoint, write_checkpoint
from agents.trainer import Trainer
from tests.test_training import TINY, run
from tressette_env import DealBatch, make_player


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Trainer, Path]:
    folder = tmp_path_factory.mktemp("run")
    return run(TINY, folder), folder


def test_a_checkpoint_is_loaded_by_its_path_alone(trained: tuple[Trainer, Path]) -> None:
    trainer, folder = trained
    view = a_view()
    expected = trainer.player().act(view)
    path = newest_checkpoint(folder)
    for player in (agents.load(path), agents.load(folder), make_player(str(path)), make_player(f"{path}:seed=3")):
        assert (player.act(view) == expected).all()


def test_building_and_loading_leave_the_global_generator_alone(trained: tuple[Trainer, Path]) -> None:
    before = torch.get_rng_state()
    agents.load(trained[1])
    Trainer(TINY, trained[1])
    assert torch.equal(torch.get_rng_state(), before)


def test_weights_that_are_not_finite_are_refused(trained: tuple[Trainer, Path], tmp_path: Path) -> None:
    good = read_checkpoint(trained[1])
    path = tmp_path / "nan.safetensors"
    broken = {**good.tensors, "average.score.bias": torch.full((10,), float("nan"))}
    write_checkpoint(path, broken, good.config, good.progress)
    with pytest.raises(CheckpointError, match="not finite"):
        agents.load(path)


def a_view():  # type: ignore[no-untyped-def]
    batch = DealBatch(50, "partners")
    batch.reset(seed=2)
    batch.step(batch.legal_mask().argmax(axis=1))
    return batch.view()


def test_a_checkpoint_of_another_variant_is_refused(trained: tuple[Trainer, Path]) -> None:
    with pytest.raises(ValueError, match="plays partners, not two_player"):
        make_player(str(newest_checkpoint(trained[1])), "two_player")


def test_unknown_options_of_a_checkpoint_are_refused(trained: tuple[Trainer, Path]) -> None:
    with pytest.raises(ValueError, match="seed, temperature"):
        make_player(f"{newest_checkpoint(trained[1])}:width=3")


def test_damaged_and_foreign_files_are_refused(trained: tuple[Trainer, Path], tmp_path: Path) -> None:
    data = newest_checkpoint(trained[1]).read_bytes()
    broken = {
        "empty": b"",
        "text": b"no checkpoint at all",
        "half": data[: len(data) // 2],
        "pickle": pickle.dumps({"a": 1}),
        "header": b"\xff" * 8 + data[8:],
    }
    for name, content in broken.items():
        path = tmp_path / f"{name}.safetensors"
        path.write_bytes(content)
        with pytest.raises(CheckpointError, match=name):
            agents.load(path)
    foreign = tmp_path / "foreign.safetensors"
    save_file({"a": torch.zeros(2)}, foreign)
    with pytest.raises(CheckpointError, match="no checkpoint of this project"):
        agents.load(foreign)
    with pytest.raises(CheckpointError, match="there is no checkpoint"):
        agents.load(tmp_path / "missing.safetensors")


def test_missing_weights_and_wrong_sizes_are_refused(trained: tuple[Trainer, Path], tmp_path: Path) -> None:
    good = read_checkpoint(trained[1])
    path = tmp_path / "wrong.safetensors"
    write_checkpoint(path, {"average.score.bias": torch.zeros(10)}, good.config, good.progress)
    with pytest.raises(CheckpointError, match="can build"):
        agents.load(path)
    tensors = good.tensors | {"average.body.tower.weight": torch.zeros(16, 17)}
    write_checkpoint(path, tensors, good.config, good.progress)
    with pytest.raises(CheckpointError, match="can build"):
        agents.load(path)


def test_another_environment_version_is_refused(
    trained: tuple[Trainer, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = read_checkpoint(trained[1])
    path = tmp_path / "old.safetensors"
    with monkeypatch.context() as patched:
        patched.setattr("agents.checkpoint.ENV_VERSION", 0)
        write_checkpoint(path, good.tensors, good.config, good.progress)
    with pytest.raises(CheckpointError, match="env_version 0"):
        agents.load(path)


def test_an_interrupted_write_leaves_the_old_file(
    trained: tuple[Trainer, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = checkpoint_path(tmp_path, 3)
    path.parent.mkdir()
    write_checkpoint(path, {"a": torch.ones(1)}, {}, {"updates": 3})

    def killed(_: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("agents.checkpoint.os.fsync", killed)
    with pytest.raises(KeyboardInterrupt):
        write_checkpoint(path, {"a": torch.zeros(1)}, {}, {"updates": 4})
    assert newest_checkpoint(tmp_path) == path
    assert read_checkpoint(path).progress == {"updates": 3}
    assert read_checkpoint(path).tensors["a"].item() == 1


def test_restoring_another_configuration_is_refused(trained: tuple[Trainer, Path]) -> None:
    from dataclasses import replace

    with pytest.raises(CheckpointError, match="does not fit"):
        Trainer(replace(TINY, network=replace(TINY.network, width=8)), trained[1], resume=True)

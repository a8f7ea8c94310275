"""What may import what, and one version everywhere."""

import ast
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import tressette_env

ROOT = Path(__file__).parent.parent
ALLOWED = set(sys.stdlib_module_names) | {"numpy", "gymnasium", "pettingzoo", "pygame", "tressette_env"}


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: imports are written in full"
            names.add(str(node.module).partition(".")[0])
    return names


def test_the_environment_needs_its_three_libraries_alone() -> None:
    for path in (ROOT / "tressette_env").rglob("*.py"):
        assert imported(path) <= ALLOWED, path


def test_importing_the_environment_loads_no_drawing_and_no_learning() -> None:
    code = "import sys, tressette_env; print(*{'torch', 'agents', 'pygame', 'tqdm', 'rich'} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert result.stdout.split() == []


def users(library: str) -> set[str]:
    """The modules of `agents` that import a library anywhere in them."""
    return {
        str(path.relative_to(ROOT / "agents").with_suffix("")).replace(os.sep, ".")
        for path in (ROOT / "agents").rglob("*.py")
        if library in imported(path)
    }


def test_torch_stays_where_networks_are() -> None:
    assert users("torch") <= {
        "checkpoint",
        "exploit",
        "initialization",
        "network",
        "network_player",
        "pool",
        "ppo",
        "run_log",
        "selfplay",
        "trainer",
    }


def test_compiled_code_stays_where_search_is() -> None:
    assert all(module.startswith("search.") for module in users("numba"))


def test_one_version_everywhere() -> None:
    assert version("tressette-env") == tressette_env.__version__
    assert f"version: {tressette_env.__version__}" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"## {tressette_env.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"environment version {tressette_env.ENV_VERSION}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")

"""The README's result tables come from the store."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents import kept_matches
from agents.ladder import ANCHOR
from agents.readme_tables import DUELS, ENTRIES, STORE, Duel, Entry, main, make_tables, needed
from agents.store import Store
from tests.commands import Capture
from tests.toy_players import TOYS

ROOT = Path(__file__).parent.parent
PEEKING = f"{TOYS}:Peeking"
FEW = (Entry("random", 20, 20), Entry(ANCHOR, 20, 20), Entry("greedy", 10, 10), Entry(PEEKING, 6))
FIGHTS = (Duel("tuned", "random", 8), Duel("greedy", "random", 12))
TEXT = """\
before
<!-- results:two_player (made by a command) -->
old
<!-- end of results -->
after - and - so on
"""


@pytest.fixture
def readme(tmp_path: Path) -> Path:
    path = tmp_path / "README.md"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_the_readme_is_what_its_command_makes() -> None:
    assert main([str(ROOT / "README.md"), "--check", "--store", str(ROOT / STORE)]) == 0


def test_all_meet_rules_and_the_ranked_each_other() -> None:
    met = {
        frozenset((meeting.a, meeting.b)): fixture.pairs
        for fixture, meeting in needed("two_player", FEW, FIGHTS).items()
    }
    assert met == {
        frozenset(("random", ANCHOR)): 20,
        frozenset(("greedy", ANCHOR)): 10,
        frozenset((PEEKING, ANCHOR)): 6,
        frozenset(("random", "greedy")): 12,  # 10 for the ladder
        frozenset(("random", "tuned")): 8,
    }
    names = [entry.player for entry in ENTRIES]
    assert len(set(names)) == len(names)
    assert ANCHOR in names
    assert len(set(DUELS)) == len(DUELS)


def test_missing_results_are_named_and_then_played(
    readme: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "store.jsonl")
    assert make_tables(readme, store, entries=FEW, duels=FIGHTS) == 1
    errors = capsys.readouterr().err
    assert "two_player: random against rules, 0 of 20 pairs" in errors
    assert f"two_player: rules against {PEEKING}, 0 of 6 pairs" in errors
    assert readme.read_text(encoding="utf-8") == TEXT
    assert make_tables(readme, store, play=True, entries=FEW, duels=FIGHTS) == 0
    text = readme.read_text(encoding="utf-8")
    assert text.startswith("before\n<!-- results:two_player (made by a command) -->\n|")
    assert text.endswith("|\n<!-- end of results -->\nafter - and - so on\n")
    assert "| `random` | −" in text
    assert "| 20 |" in text
    assert "| `tuned` − `random` | +" in text
    assert "| `greedy` − `random` | +" in text
    assert "| 12 |" in text
    assert f"| `{PEEKING}` (cheats: sees all cards) |" in text
    assert "`rules` |" in text.split("| ladder |")[1]
    assert PEEKING not in text.split("| ladder |")[1]
    monkeypatch.setattr(kept_matches, "play_chunks", None)  # all is kept
    assert make_tables(readme, store, check=True, entries=FEW, duels=FIGHTS) == 0
    assert make_tables(readme, store, play=True, entries=FEW, duels=FIGHTS) == 0
    assert readme.read_text(encoding="utf-8") == text
    readme.write_text(text.replace("| 20 |", "| 21 |"), encoding="utf-8")
    capsys.readouterr()
    assert make_tables(readme, store, check=True, entries=FEW, duels=FIGHTS) == 1
    assert "out of date" in capsys.readouterr().err
    assert "| 21 |" in readme.read_text(encoding="utf-8")
    assert make_tables(readme, store, entries=FEW, duels=FIGHTS) == 0
    assert readme.read_text(encoding="utf-8") == text


def test_a_file_without_tables_needs_no_results(tmp_path: Path) -> None:
    path = tmp_path / "NOTES.md"
    path.write_text("nothing\n", encoding="utf-8")
    assert main([str(path), "--store", str(tmp_path / "none.jsonl")]) == 0
    assert path.read_text(encoding="utf-8") == "nothing\n"


def test_errors_are_one_line(readme: Path, tmp_path: Path, capsys: Capture) -> None:
    assert main([str(tmp_path / "missing.md")]) == 1
    assert "missing.md" in capsys.readouterr().err
    readme.write_text(TEXT.replace("two_player", "whist"), encoding="utf-8")
    assert main([str(readme)]) == 1
    assert "whist" in capsys.readouterr().err
    damaged = tmp_path / "store.jsonl"
    damaged.write_text("nothing\n", encoding="utf-8")
    readme.write_text(TEXT, encoding="utf-8")
    for wrong in (["--workers", "0"], ["--store", str(damaged)]):
        with pytest.raises(SystemExit) as ended:
            main([str(readme), *wrong])
        assert ended.value.code == 2
        assert capsys.readouterr().err.count("\n") == 1

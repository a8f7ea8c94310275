"""Foreign programs as players: what they are told, and what happens when they do not answer as they should."""

from __future__ import annotations

import gc
import json
import os
import shlex
import subprocess
import sys
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.games import ALL_RULES, FULL_RULES, dealt, mixed_decks, name, oracles, play_oracles, random_cards
from tests.oracle import SUITS, Oracle
from tests.toy_players import Lowest
from tressette_env import DealBatch, Rules, process_player
from tressette_env.cards import card_text
from tressette_env.players import IllegalReplyError, PlayerError, decide, make_player
from tressette_env.process_player import ProcessPlayer, request_of

Spec = Callable[[str], str]

HELLO = """\
import json, os, sys, time

def read():
    return json.loads(sys.stdin.readline())

def write(reply):
    print(json.dumps(reply), flush=True)

"""
POLITE = HELLO + "read()\nwrite({'name': 'toy', 'version': '7'})\n"
FIRST_LEGAL = POLITE + "for line in sys.stdin:\n    write({'card': json.loads(line)['legal'][0]})\n"


def command(*arguments: str) -> str:
    """A command as one writes it on this platform."""
    return shlex.join(arguments) if os.name == "posix" else subprocess.list2cmdline(arguments)


@pytest.fixture
def spec(tmp_path: Path) -> Spec:
    """Makes a player's name of the text of a program."""

    def make(text: str) -> str:
        path = tmp_path / "a player.py"
        path.write_text(text, encoding="utf-8")
        return "process:" + command(sys.executable, str(path))

    return make


def first_leads(rules: str | Rules = "partners", deals: int = 3) -> DealBatch:
    batch = DealBatch(deals, rules)
    batch.reset(seed=1)
    return batch


def is_running(player: Any) -> bool:
    return player._program._process.poll() is None


@pytest.mark.parametrize("rules", FULL_RULES, ids=name)
def test_a_program_plays_like_a_player_that_decides_the_same(spec: Spec, rules: Rules) -> None:
    player = make_player(spec(FIRST_LEGAL), rules)
    same = Lowest(rules.variant)
    deals = DealBatch(2, rules)
    deals.reset(seed=3)
    while not deals.done:
        view = deals.view()
        cards = decide(player, view)
        assert cards.tolist() == decide(same, view).tolist()
        deals.step(cards)


def test_a_program_says_who_it_is_and_is_slow(spec: Spec) -> None:
    player = make_player(spec(FIRST_LEGAL), "partners")
    assert isinstance(player, ProcessPlayer)
    assert (player.name, player.version, player.slow) == ("toy", "7", True)


@pytest.mark.parametrize("rules", ALL_RULES, ids=name)
def test_a_request_holds_what_the_seat_knows(rules: Rules) -> None:
    rng = np.random.default_rng(5)
    decks = mixed_decks(rules, 12, seed=4)
    scores = rng.integers(0, 20, (12, 2))
    deals = dealt(rules, decks, rng.integers(rules.seats, size=12), scores=scores)
    naive = oracles(rules, deals)
    while not deals.done:
        view = deals.view()
        for row in np.flatnonzero(view.seat >= 0):
            request = request_of(view, int(row), "9")
            assert json.loads(json.dumps(request)) == expected(naive[row], scores[row].tolist(), str(view.keys[row]))
        cards = random_cards(deals, rng)
        deals.step(cards)
        play_oracles(naive, cards)


def expected(deal: Oracle, scores: list[int], key: str) -> dict[str, Any]:
    """The request for the seat to play, from the naive rules."""
    rules, seat, seats = deal.rules, deal.player, range(deal.seats)
    draws = [(trick, deal.tricks[trick].winner != s, s, card) for s in seats for card, trick in deal.drawn[s].items()]
    plays = [[player, card_text(card)] for player, card in deal.plays]
    request = {
        "type": "play",
        "variant": rules.variant,
        "napoletana": rules.napoletana,
        "target": 0,
        "scores": scores,
        "seats": deal.seats,
        "seat": seat,
        "dealer": deal.dealer,
        "hand": texts(deal.hands[seat]),
        "legal": texts(deal.legal()),
        "trick": plays[len(plays) - len(deal.table) :],
        "plays": plays,
        "draws": [[s, card_text(card)] for _, _, s, card in sorted(draws)],
        "stock": len(deal.stock),
        "known": [texts(deal.known(s)) for s in seats],
        "declared": [texts(deal.declared[s]) for s in seats],
        "void": ["".join(suit for suit in SUITS if suit in deal.voids[s]) for s in seats],
        "excluded": [texts(deal.excluded(s)) for s in seats],
        "declared_points": deal.declared_points,
        "thirds": deal.thirds(),
        "seed": "9",
        "key": key,
    }
    if rules.num_cards < 40:
        request["pack"] = {"suits": rules.suits, "ranks": rules.ranks, "hand": rules.hand}
    return request


def texts(cards: set[int]) -> list[str]:
    return [card_text(card) for card in sorted(cards)]


@pytest.mark.parametrize("rules", [rules for rules in ALL_RULES if rules.num_cards < 20], ids=name)
def test_one_key_means_one_request_and_one_request_one_key(rules: Rules) -> None:
    rng = np.random.default_rng(6)
    deals = dealt(rules, mixed_decks(rules, 150, seed=7), np.zeros(150, np.int64))
    seen: dict[tuple[int, str], str] = {}
    asked = 0
    while not deals.done:
        view = deals.view()
        for row in np.flatnonzero(view.seat >= 0):
            request = request_of(view, int(row), "0")
            known = (request["seat"], request.pop("key"))
            assert seen.setdefault(known, json.dumps(request)) == json.dumps(request)
            asked += 1
        deals.step(random_cards(deals, rng))
    assert len(set(seen.values())) == len(seen)
    assert rules.num_cards > 8 or len(seen) < asked


def test_the_first_request_and_the_numbers_of_all(spec: Spec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRESSETTE_TIME_LIMIT", "25")
    log = tmp_path / "log"
    player = make_player(
        spec(
            HELLO + f"log = open({str(log)!r}, 'w')\n"
            "for line in sys.stdin:\n"
            "    log.write(line)\n"
            "    log.flush()\n"
            "    request = json.loads(line)\n"
            "    hello = {'name': 'toy', 'version': '7'}\n"
            "    write({**hello, 'id': request['id']} if request['type'] == 'hello' else\n"
            "          {'id': request['id'], 'card': request['legal'][-1], 'thinking': 'none'})\n"
        ),
        "two_player",
        seed=2**63 - 1,
    )
    deals = first_leads("two_player", 2)
    choices = 0
    while not deals.done:
        view = deals.view()
        choices += int((view.legal.sum(axis=1) > 1).sum())
        deals.step(decide(player, view))
    hello, *requests = map(json.loads, log.read_text().splitlines())
    assert hello == {
        "id": 0,
        "type": "hello",
        "protocol": 1,
        "variant": "two_player",
        "seed": "9223372036854775807",
        "time_limit": 25.0,
    }
    assert [request["id"] for request in requests] == list(range(1, choices + 1))
    assert all(len(request["legal"]) > 1 for request in requests)  # a single legal card is no question
    assert choices < 2 * 40


def test_the_targets_of_matches_are_told() -> None:
    from tressette_env import MatchBatch

    matches = MatchBatch(1, "partners", target=31)
    matches.reset(seed=1, scores=[[30, 7]])
    request = request_of(matches.view(), 0, "0")
    assert (request["target"], request["scores"]) == (31, [30, 7])


ANSWERS = {
    "nonsense": ("print('I pass', flush=True)", "answered 'I pass', which is no JSON object"),
    "nothing": ("print(flush=True)", "answered '', which is no JSON object"),
    "a list": ("write(['AC'])", r"""answered '\["AC"\]', which is no JSON object"""),
    "a text": ("write('AC')", """answered '"AC"', which is no JSON object"""),
    "no text": ("sys.stdout.buffer.write(b'\\xff\\xfe\\n'); sys.stdout.flush()", "answered '��', which is no JSON"),
    "depth": ("print('[' * 200000, flush=True)", r"answered '\[{120}…', which is no JSON object"),
    "a long number": ("print('9' * 9999, flush=True)", "answered '9{120}…', which is no JSON object"),
    "no card": ("write({})", r"answered '\{\}', which names no card: write it as in \{\"card\": \"..\"\}$"),
    "no such card": ("write({'card': '1D'})", "names no card"),
    "a lower case": ("write({'card': 'ac'})", "names no card"),
    "a number": ("write({'card': 17})", "names no card"),
    "cards": ("write({'card': ['AC']})", "names no card"),
    "null": ("write({'card': None})", "names no card"),
    "another id": ("write({'id': 4, 'card': request['legal'][0]})", "which has not the id of the request, 1$"),
    "the end": ("sys.exit(3)", "ended with exit code 3 instead of answering$"),
    "last words": ("sys.exit('out of\\nideas')", "ended with exit code 1 .* on standard error: 'out of' | 'ideas'$"),
    "an error": ("1 / 0", "ended with exit code 1 .*: .*'ZeroDivisionError: division by zero'$"),
    "half a line": ("print('{', end=''); sys.exit()", "ended with exit code 0 instead of answering$"),
    "closed": ("os.close(1); sys.stdin.read()", "closed its output instead of answering$"),
    "no end": (
        "while True: sys.stdout.write('x' * 65536)",
        "wrote more than 1,048,576 bytes without ending the line$",
    ),
    "a long line": ("print('x' * 2**21, flush=True)", "wrote more than 1,048,576 bytes without ending the line$"),
}


@pytest.mark.parametrize(("text", "told"), ANSWERS.values(), ids=ANSWERS)
def test_a_bad_answer_names_the_program_the_question_and_the_answer(spec: Spec, text: str, told: str) -> None:
    player: Any = make_player(spec(POLITE + "request = read()\n" + text + "\nread()\n"), "partners")
    view = first_leads().view()
    asked = f"asked which of {card_text(view.legal[0].argmax())} .* seat {view.seat[0]} plays, "
    with pytest.raises(PlayerError, match=f"^program .*, {asked}.*{told}") as raised:
        player.act(view)
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 1000
    assert not is_running(player)
    with pytest.raises(PlayerError, match="is no longer running: it was stopped after a failure"):
        player.act(view)


def test_silence_ends_with_the_time_limit(spec: Spec, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRESSETTE_TIME_LIMIT", "0.2")
    player: Any = make_player(spec(POLITE + "sys.stdin.read()"), "partners")
    with pytest.raises(PlayerError, match=r"did not answer within 0.2 s$"):
        player.act(first_leads().view())
    assert not is_running(player)


def test_a_program_that_never_reads_is_stopped_too(spec: Spec, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_player, "START_SECONDS", 0.2)
    monkeypatch.setenv("TRESSETTE_TIME_LIMIT", "0.1")
    with pytest.raises(PlayerError, match=r"asked for its name and version, did not answer within 0.2 s$"):
        make_player(spec("import time\nwhile True: time.sleep(1)"), "partners")


def test_much_on_standard_error_does_no_harm(spec: Spec) -> None:
    player = make_player(spec(POLITE + "sys.stderr.write('careful\\n' * 200000)\n" + FIRST_LEGAL[len(POLITE) :]))
    view = first_leads().view()
    assert decide(player, view).tolist() == view.legal.argmax(axis=1).tolist()


def test_a_line_too_many_is_no_later_answer(spec: Spec) -> None:
    text = "for line in sys.stdin:\n    reply = json.dumps({'card': json.loads(line)['legal'][0]})\n"
    player: Any = make_player(spec(POLITE + text + "    sys.stdout.write(2 * (reply + '\\n')); sys.stdout.flush()\n"))
    with pytest.raises(PlayerError, match=r"had already written '\{\"card\": .* without being asked$") as raised:
        player.act(first_leads().view())
    assert raised.value.row == 1
    assert not is_running(player)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("print('Welcome!', flush=True)\n" + POLITE, "answered 'Welcome!', which is no JSON object$"),
        ("write({})", '"name" and "version" must be texts of 1 to 100 letters$'),
        ("write({'name': 'toy'})", '"name" and "version" must be'),
        ("write({'name': 'toy', 'version': 7})", '"name" and "version" must be'),
        ("write({'name': ' ', 'version': '7'})", '"name" and "version" must be'),
        ("write({'name': 'toy', 'version': '7' * 101})", '"name" and "version" must be'),
        ("write({'name': 'toy', 'version': '7\\n'})", '"name" and "version" must be'),
        ("sys.exit('no licence')", "ended with exit code 1 instead of answering; .*'no licence'$"),
    ],
)
def test_a_program_that_does_not_say_who_it_is_is_no_player(spec: Spec, text: str, told: str) -> None:
    with pytest.raises(PlayerError, match=f"^player .process:.*: program .*, asked for its name and version, .*{told}"):
        make_player(spec(HELLO + text))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("process:", "the command is empty: write process:COMMAND"),
        ("process: ", "the command is empty"),
        ("process:no-such-program-anywhere --fast", "the command can not be started: .*no-such-program-anywhere"),
        ("process:" + command(str(Path(__file__).parent)), "the command can not be started"),
        ("process", "^unknown player 'process': .*, or process:COMMAND$"),
    ],
)
def test_a_command_that_can_not_be_started_is_refused_at_once(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        make_player(text, "partners")


@pytest.mark.parametrize("limit", ["soon", "0", "-1", "nan", "inf", "1e9"])
def test_a_bad_time_limit_is_refused(spec: Spec, monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    monkeypatch.setenv("TRESSETTE_TIME_LIMIT", limit)
    with pytest.raises(
        ValueError, match=f"TRESSETTE_TIME_LIMIT='{limit}' is no time limit: write seconds, more than 0"
    ):
        make_player(spec(FIRST_LEGAL))


def test_errors_name_the_deal_that_was_asked_about(spec: Spec) -> None:
    text = POLITE + "for _ in 'ab':\n    write({'card': read()['legal'][0]})\nread()\nprint('?', flush=True)\n"
    view = first_leads().view()
    with pytest.raises(PlayerError, match=r"^bot failed in deal 2 at ply 0: program .*, asked .*answered '[?]'"):
        decide(make_player(spec(text)), view, "bot", "deal {}".format)


def test_an_illegal_card_is_told_as_of_any_player(spec: Spec) -> None:
    deals = first_leads()
    deals.step(deals.legal_mask().argmax(axis=1))
    text = "pack = [rank + suit for suit in 'DCSB' for rank in '4567FCRA23']\n" + POLITE
    text += "legal = read()['legal']\nwrite({'card': next(card for card in pack if card not in legal)})\n"
    view = deals.view().take([int((deals.legal_mask().sum(axis=1) > 1).argmax())])
    with pytest.raises(IllegalReplyError, match=r"^bot played .. in row 0 at ply 1; legal cards: "):
        decide(make_player(spec(text)), view, "bot")


def test_a_program_ends_with_its_player(spec: Spec) -> None:
    player: Any = make_player(spec(FIRST_LEGAL))
    process, gone = player._program._process, weakref.ref(player)
    assert process.poll() is None
    del player
    gc.collect()
    assert gone() is None
    assert process.poll() is not None


def test_a_program_ends_with_the_interpreter(spec: Spec, tmp_path: Path) -> None:
    ended = tmp_path / "ended"
    text = POLITE + f"sys.stdin.read()\nopen({str(ended)!r}, 'w').close()\n"
    code = (
        "from tressette_env import make_player, program\nprogram._GRACE_SECONDS = 60\n"  # a slow machine may need them
    )
    code += f"player = make_player({spec(text)!r}, 'partners')\n"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert (result.stdout, result.stderr) == ("", "")
    assert ended.exists()

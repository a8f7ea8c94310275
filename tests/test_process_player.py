"""Foreign programs as players: what they are told, and when they run."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.foreign_programs import FIRST_LEGAL, HELLO, POLITE, Spec, first_leads
from tests.games import ALL_RULES, FULL_RULES, dealt, mixed_decks, name, oracles, play_oracles, random_cards
from tests.oracle import SUITS, Oracle
from tests.toy_players import Lowest
from tressette_env import DealBatch, Rules
from tressette_env.cards import card_text
from tressette_env.players import decide, make_player
from tressette_env.process_player import ProcessPlayer, request_of


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

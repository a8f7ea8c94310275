"""What happens when foreign programs do not answer as they should."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.foreign_programs import FIRST_LEGAL, HELLO, POLITE, Spec, command, first_leads, is_running
from tressette_env import process_player
from tressette_env.cards import card_text
from tressette_env.players import IllegalReplyError, PlayerError, decide, make_player

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

"""Foreign programs for tests."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable
from typing import Any

from tressette_env import DealBatch, Rules

Spec = Callable[[str], str]
"""Makes a player's name of the text of a program: the fixture ``spec``."""


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


def first_leads(rules: str | Rules = "partners", deals: int = 3) -> DealBatch:
    batch = DealBatch(deals, rules)
    batch.reset(seed=1)
    return batch


def is_running(player: Any) -> bool:
    return player._program._process.poll() is None

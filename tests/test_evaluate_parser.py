"""The commands of ``evaluate.py`` and what their help says."""

from __future__ import annotations

import importlib

import pytest

from agents.evaluate_parser import COMMANDS, make_parser


@pytest.mark.parametrize("example", [example for command in COMMANDS for example in command.examples])
def test_the_examples_of_the_help_are_good_usage(example: str) -> None:
    """They are parsed, and their options found good."""
    program, script, *arguments = example.split()
    options = vars(make_parser("").parse_args(arguments))
    command = options.pop("command")
    assert (program, script, arguments[0]) == ("python", "evaluate.py", command.name)
    module = importlib.import_module(command.module)
    given = getattr(module, command.options)(**options)
    for check in ("check_match", "check_regret", "check_ladder", "check_crossplay", "check_exploit"):
        if hasattr(module, check):
            getattr(module, check)(given)
    assert callable(getattr(module, command.run))

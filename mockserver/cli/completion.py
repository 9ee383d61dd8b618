"""`mockserver completion`."""

import argparse

from mockserver.cli.parser import Parser

EXAMPLE = 'eval "$(mockserver completion bash)"'
EXIT_CODES = {"0": "it is printed"}

_BASH = """_mockserver() {{
  local word=${{COMP_WORDS[COMP_CWORD]}}
  case ${{COMP_WORDS[1]}} in
{cases}
    *) COMPREPLY=($(compgen -W "{commands}" -- "$word")) ;;
  esac
}}
complete -o default -F _mockserver mockserver"""
_CASE = """    {name}) (( COMP_CWORD > 1 )) && COMPREPLY=($(compgen -W "{words}" -- "$word")) ;;"""
_ZSH = "autoload -Uz bashcompinit && bashcompinit\n"
"""zsh runs completions that are written for bash."""


def add_arguments(parser: Parser) -> None:
    """See `Command`."""
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), metavar="SHELL", help="bash, zsh or fish")


def run(options: argparse.Namespace) -> int:
    """See `Command`."""
    commands = options.build_whole().commands()
    print(_fish(commands) if options.shell == "fish" else _bash(commands, options.shell == "zsh"))
    return 0


def _bash(commands: dict[str, Parser], is_zsh: bool) -> str:
    cases = "\n".join(
        _CASE.format(name=name, words=" ".join(each.words())) for name, each in commands.items()
    )
    script = _BASH.format(cases=cases, commands=" ".join(commands))
    return f"{_ZSH}{script}" if is_zsh else script


def _fish(commands: dict[str, Parser]) -> str:
    lines = [f"complete -c mockserver -n __fish_use_subcommand -f -a '{' '.join(commands)}'"]
    for name, command in commands.items():
        words = " ".join(command.words())
        lines.append(f"complete -c mockserver -n '__fish_seen_subcommand_from {name}' -a '{words}'")
    return "\n".join(lines)

"""The verbs and examples in the help of the program, so that tests include future ones."""

import functools
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).parents[2]


@functools.cache
def build_folder():
    """Where `swift build` puts its output."""
    command = ["swift", "build", "--show-bin-path"]
    return pathlib.Path(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.strip())


def program():
    """`$PRESSURED_PROGRAM`, or the output of `swift build`."""
    return os.environ.get("PRESSURED_PROGRAM") or str(build_folder() / "pressured")


@functools.cache
def help_of(*words, columns=1000):
    """The output of `--help` on a terminal with that many columns; empty if the program is not built."""
    environment = {"COLUMNS": str(columns)}
    command = [program(), *words, "--help"]
    try:
        return subprocess.run(command, env=environment, capture_output=True, text=True).stdout
    except FileNotFoundError:
        return ""


@functools.cache
def verbs():
    """All verbs in the list of subcommands."""
    _, _, listed = help_of().partition("SUBCOMMANDS:\n")
    return re.findall(r"^  ([a-z-]+) ", listed.partition("\n\n")[0], re.M)


def examples(verb, columns=80):
    """Lists of commands: the first of each, and those for another terminal while it runs."""
    found = []
    for line in help_of(verb, columns=columns).partition("USAGE:")[0].splitlines():
        if line.startswith("Example: "):
            found.append([line.removeprefix("Example: ")])
        elif line.startswith("and then: ") and found:
            found[-1].append(line.removeprefix("and then: "))
    return found

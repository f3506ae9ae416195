"""What the program says of its verbs, so that tests find also those that are yet to come."""

import functools
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).parents[2]


@functools.cache
def program():
    """`$PRESSURED`, or where `swift build` puts it."""
    if path := os.environ.get("PRESSURED"):
        return path
    command = ["swift", "build", "--show-bin-path"]
    result = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return os.path.join(result.stdout.strip(), "pressured")


@functools.cache
def help_of(*words, columns=1000):
    """What `--help` prints on a terminal of so many columns; nothing where there is no program yet."""
    environment = {"COLUMNS": str(columns)}
    command = [program(), *words, "--help"]
    try:
        return subprocess.run(command, env=environment, capture_output=True, text=True).stdout
    except FileNotFoundError:
        return ""


@functools.cache
def verbs():
    """All of them, as the list of subcommands has them."""
    _, _, listed = help_of().partition("SUBCOMMANDS:\n")
    return re.findall(r"^  ([a-z-]+) ", listed.partition("\n\n")[0], re.M)


def options(verb):
    """The long options of a verb."""
    _, _, listed = help_of(verb).partition("OPTIONS:\n")
    return re.findall(r"^  (?:-\w, )?(--[a-z-]+)", listed, re.M)


def examples(verb, columns=80):
    """Lists of commands: the first of each, and those for another terminal while it runs."""
    found = []
    for line in help_of(verb, columns=columns).partition("USAGE:")[0].splitlines():
        if line.startswith("Example: "):
            found.append([line.removeprefix("Example: ")])
        elif line.startswith("and then: ") and found:
            found[-1].append(line.removeprefix("and then: "))
    return found

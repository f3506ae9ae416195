"""The manual documents all verbs, options and settings, and its limits are those of the program."""

import os
import re
import shutil
import subprocess

import pytest

from conftest import ROOT, output

COMMANDS = ROOT / "docs/pressured.1.scd"
SETTINGS = ROOT / "docs/pressured-config.5.scd"
RECORDING = ROOT / "Tests/PressureKitTests/Recordings/two-plums.evemu"


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.scd")), ids=lambda page: page.stem)
def test_the_page_can_be_printed(product, page):
    made = (product / page.stem).read_text(encoding="utf-8")
    # Newer versions of `man` run the preprocessor of tables only then.
    assert made.startswith("'\\\" t\n") == (re.search(r"^\.TS", made, re.M) is not None)
    if shutil.which("man") is None:
        pytest.skip("man is not installed")
    done = subprocess.run(
        ["man", "--warnings", "--local-file", product / page.stem], check=True, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "100"})
    assert done.stderr == ""
    assert done.stdout.startswith(page.stem.partition(".")[0])


def verbs(program):
    listed = output(program, "--help").partition("SUBCOMMANDS:\n")[2]
    return re.findall(r"^  ([a-z]+)", listed.partition("\n\n")[0], re.M)


def usage(program, verb):
    """The options with the names of their values, and the arguments of a verb, from its help."""
    text = output(program, "help", verb)
    line = re.search(r"^USAGE: .*?(?=\n\n|\Z)", text, re.M | re.S)[0].partition(f" {verb}")[2]
    if line == " <options>":
        # The parser leaves out many options; the list has no others.
        line = "\n".join(re.findall(r"^  (--(?!version|help).*)", text, re.M))
    # The value of an option may be optional.
    line = re.sub(r"\[(<[a-z-]+>)\]", r"\1", line)
    options = {name: value for name, value in re.findall(r"(?<![\w-])(--?[a-z][a-z-]*)(?: <([a-z-]+)>)?", line)}
    listed = re.findall(r"(?<![\w-])(--[a-z][a-z-]*)", text.partition("\nOPTIONS:\n")[2])
    # An option with two names has both in the list, and only the first in the usage line.
    for first, second in re.findall(r"^  (--[a-z-]+), (--[a-z-]+)", text, re.M):
        if first in options:
            options[second] = options[first]
    assert set(listed) - {"--version", "--help"} <= {*options, "--output"}, text
    arguments = re.findall(r"<([a-z-]+)>", re.sub(r"--?[a-z][a-z-]* <[a-z-]+>", "", line))
    return options, set(arguments)


def sections():
    """The section of the page for each verb."""
    found = re.findall(r"^## (\S+)\n(.*?)(?=^#|\Z)", COMMANDS.read_text(encoding="utf-8"), re.M | re.S)
    assert len(found) == len(dict(found)), "a verb is documented twice"
    return dict(found)


def described(text):
    """The options that a section of the page describes, with the names of their values."""
    heads = re.findall(r"^\*-.*\*.*$", text, re.M)
    # Some are described together with a related one.
    heads += re.findall(r"^\t.*$", text, re.M)
    found = {}
    for name, value in re.findall(r"\*(--?[a-z-]+)\*(?: \[?_([A-Z]+)_)?", "\n".join(heads)):
        found.setdefault(name, value.lower())
    return found


def test_the_manual_has_all_verbs(product):
    assert sorted(sections()) == sorted(verbs(product / "pressured"))


def test_each_verb_has_the_documented_options_and_arguments(product):
    program = product / "pressured"
    differences = []
    for verb, text in sections().items():
        options, arguments = usage(program, verb)
        documented = described(text)
        # A one-letter form is next to its long form.
        short = {name for name in {*options, *documented} if not name.startswith("--")}
        long = {"--output"} if short == {"-o"} else set()
        for name in {*options, *documented} - short - long:
            if options.get(name) != documented.get(name):
                differences.append((verb, name, "help:", options.get(name), "page:", documented.get(name)))
        placeholders = {word.lower() for word in re.findall(r"_([A-Z]+)_", text.partition("\n*-")[0])}
        if not arguments <= placeholders:
            differences.append((verb, "arguments", arguments, placeholders))
    assert differences == []


def test_each_exit_status_is_documented_with_a_sentence():
    source = "\n".join(file.read_text(encoding="utf-8") for file in (ROOT / "Sources/PressureSystem").rglob("*.swift"))
    body = source.partition("enum Status: Int32")[2].partition("\n  }\n")[0]
    statuses = set(re.findall(r"^    (?:package )?case \w+ = (\d+)", body, re.M))
    section = COMMANDS.read_text(encoding="utf-8").partition("# EXIT STATUS\n")[2].partition("\n# ")[0]
    rows = dict(re.findall(r"\*(\d+)\*\n:<? +(.+)", section))
    assert len(statuses) > 5 and set(rows) == statuses | {"0"}
    cut = {number: text for number, text in rows.items() if text.split()[-1] in ("is", "are", "or", "and", "the", "a")}
    assert cut == {}


def test_generated_pages_are_those_of_the_program():
    done = subprocess.run(
        [ROOT / "scripts/generate", "--check"], check=False, text=True, stdout=subprocess.PIPE)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_example_is_a_valid_configuration(product, tmp_path):
    page = SETTINGS.read_text(encoding="utf-8")
    example = page.partition("# EXAMPLE\n")[2].split("```")[1]
    file = tmp_path / "config.yaml"
    file.write_text(example, encoding="utf-8")
    subprocess.run(
        [product / "pressured", "replay", "--config", file, RECORDING], check=True,
        stdout=subprocess.DEVNULL)


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md"))], ids=lambda page: page.name)
def test_referenced_pages_files_and_headings_exist(page):
    text = page.read_text(encoding="utf-8")
    gone = []
    for link, heading in re.findall(r"\]\(([^)#]*)#?([^)]*)\)", text):
        if "://" in link:
            continue
        target = page.parent / link if link else page
        if not target.exists() or heading and heading not in headings(target):
            gone.append(f"{link}#{heading}")
    assert gone == []
    assert not set(re.findall(r"\]\[(\w+)\]", text)) - set(re.findall(r"^\[(\w+)\]: ", text, re.M))


def headings(page):
    """The anchors of a page's headings, as forges make them."""
    found = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in found}

"""The documentation of the public libraries: every symbol has some, its links lead somewhere, and its code compiles and runs."""

import json
import re
import shutil
import subprocess

import pytest

from verbs import ROOT, build_folder

LIBRARIES = ["PressureKit", "PressureProtocol", "PressureClient"]
ARTICLES = sorted(path for name in LIBRARIES for path in (ROOT / "Sources" / name).glob("*.docc/*.md")) + [ROOT / "docs/clients.md"]
BLOCK = re.compile(r"^```swift\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OUTPUT = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SOURCES = [(article.stem, number, code)
           for article in ARTICLES for number, code in enumerate(BLOCK.findall(article.read_text("utf-8")))]

pytestmark = pytest.mark.skipif(not shutil.which("swift"), reason="there is no swift to read the libraries with")


@pytest.fixture(scope="session")
def graphs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("graphs")
    subprocess.run([ROOT / "scripts" / "symbols", folder], check=True)
    return folder


def undocumented(graph):
    """The public symbols without a comment of their own; what the compiler makes has none."""
    return [".".join(symbol["pathComponents"]) for symbol in graph["symbols"]
            if "docComment" not in symbol and "::SYNTHESIZED::" not in symbol["identifier"]["precise"]]


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_public_symbol_is_documented(graphs, library):
    files = [graphs / f"{library}.symbols.json", *graphs.glob(f"{library}@Pressure*.symbols.json")]
    found = [json.loads(file.read_text("utf-8")) for file in files]
    assert sum(len(graph["symbols"]) for graph in found) > 10
    assert [name for graph in found for name in undocumented(graph)] == []


def test_a_symbol_without_a_comment_is_noticed(graphs):
    graph = json.loads((graphs / "PressureKit.symbols.json").read_text("utf-8"))
    symbol = graph["symbols"][0]
    del symbol["docComment"]
    assert undocumented(graph) == [".".join(symbol["pathComponents"])]


@pytest.mark.skipif(not shutil.which("docc"), reason="the toolchain has no docc")
def test_the_documentation_is_converted_without_warnings(graphs):
    subprocess.run([ROOT / "scripts" / "document", graphs], check=True, stdout=subprocess.DEVNULL)


def compile_(code, folder, *options):
    file = folder / "main.swift"
    file.write_text(code, "utf-8")
    # Of another package: what is not public does not exist for it.
    command = ["swiftc", "-swift-version", "6", "-package-name", "stranger", "-I", build_folder() / "Modules",
               "-I", ROOT / "Sources" / "CLinux", file, *options]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("name, number, code", SOURCES, ids=[f"{name}-{number}" for name, number, _ in SOURCES])
def test_the_code_of_an_article_compiles(tmp_path, name, number, code):
    compile_(code, tmp_path, "-typecheck")


def test_there_is_code_in_every_article():
    assert {name for name, _, _ in SOURCES} == {article.stem for article in ARTICLES} and len(ARTICLES) > 5


def test_the_first_lines_print_what_the_page_says(tmp_path):
    page = (ROOT / "Sources" / "PressureKit" / "PressureKit.docc" / "PressureKit.md").read_text("utf-8")
    # Not those of files that were there once.
    objects = [build_folder() / f"PressureKit.build/{path.name}.o" for path in sorted((ROOT / "Sources/PressureKit").rglob("*.swift"))]
    compile_(BLOCK.findall(page)[0], tmp_path, *objects, "-lm", "-o", tmp_path / "first")
    result = subprocess.run([tmp_path / "first"], check=True, text=True, stdout=subprocess.PIPE)
    assert result.stdout == OUTPUT.findall(page)[0]

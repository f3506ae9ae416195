"""The page in the browser: who may read it, and that it receives what the socket sends."""

import contextlib
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import time
import urllib.parse

import pytest

from connection import DEADLINE, parsed
from fakedaemon import SOCKET, FakeDaemon
from program import children
from recording import Recording
from waiting import wait_until
from webpage import WebPage, status

FILES = ["/", "/page.js", "/views.js", "/pressured.js", "/style.css"]

# A connection by another user, from an address: prints the first bytes that it receives.
STRANGER = """
import os, socket, sys
os.setgroups([]); os.setgid(65534); os.setuid(65534)
page = socket.create_connection(("127.0.0.1", int(sys.argv[1])), source_address=(sys.argv[3], int(sys.argv[4])))
try:
    page.sendall(sys.argv[2].encode())
    print(page.recv(100))
except ConnectionError:
    print(b"")
"""


@pytest.fixture
def daemon(serve):
    daemon = serve(Recording().pause(1).hold())
    daemon.connect().event("heaviest")
    return daemon


@pytest.fixture
def page(program, daemon, folder):
    page = WebPage(program, folder, "--socket", daemon.path)
    yield page
    assert page.process.process.poll() is None, "pressured web has ended"
    page.process.end()


@pytest.fixture
def faked(program, folder):
    """A page of a daemon that the test plays."""
    daemon = FakeDaemon(os.path.join(folder, SOCKET))
    page = WebPage(program, folder, "--socket", daemon.path)
    # The first connection only asks whether a daemon runs.
    assert daemon.accept_in_silence().has_hung_up()
    yield page, daemon
    daemon.close()
    page.process.end()


def test_each_file_of_the_page_is_served(page):
    for path in FILES:
        response = page.get(path)
        assert status(response) == 200, path
        assert b"Content-Security-Policy: default-src 'none';" in response
        assert b"Access-Control" not in response
    assert status(page.get("/../etc/passwd")) == 404


def test_lines_and_requests_are_those_of_the_socket_and_the_user(page, daemon):
    client = daemon.connect()
    connection, lines = page.stream({"do": "subscribe", "id": 7})
    with connection:
        while True:
            line, sent = parsed(lines.readline()), client.line()
            assert {**line, "time": 0} == {**sent, "time": 0}
            if line["event"] == "scale":
                break
        reply = parsed(lines.readline())
        assert (reply["event"], reply["id"], reply["ok"]) == ("reply", 7, True)
    reply = page.ask("tare")
    assert (reply["event"], reply["do"], reply["ok"]) == ("reply", "tare", True)


@pytest.mark.parametrize("request_line", [{"do": "reload"}, {"do": "grab", "on": True}, {"do": "none"}, {"do": "subscribe"}, "tare", 7])
def test_a_page_may_only_display_and_weigh(page, request_line):
    assert status(page.post("/request", request_line)) == 400


@pytest.mark.parametrize("settings", [
    {"host": "evil.example"}, {"host": "127.0.0.1:1"}, {"cookie": None}, {"cookie": "0" * 32}, {"more": "Origin: http://evil.example"},
    {"more": "Origin: null"}, {"more": "Sec-Fetch-Site: cross-site"},
])
def test_what_is_not_the_page_is_refused(page, settings):
    for path in FILES:
        assert status(page.get(path, **settings)) == 403
    assert status(page.exchange(page.head("POST /request", token="own", **settings))) == 403


@pytest.mark.parametrize("token", [None, "0" * 32, ""])
def test_a_request_needs_the_token(page, token):
    assert status(page.post("/request", {"do": "ping"}, token=token)) == 403
    assert status(page.get(f"/?token={token}", cookie=None)) == 403


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.2"])
def test_other_users_are_refused_even_with_the_token(page, address):
    request = page.head("POST /request", token="own", more="Content-Length: 13").decode() + '{"do":"ping"}'
    connection, _ = page.stream({"do": "subscribe"})
    # At another address, the port of the user's own connection is free.
    port = 0 if address == "127.0.0.1" else connection.getsockname()[1]
    with connection:
        command = [sys.executable, "-c", STRANGER, str(page.port), request, address, str(port)]
        output = subprocess.check_output(command, timeout=DEADLINE)
    assert output.strip() == b"b''"


def test_a_recording_that_cannot_be_played_ends_it(run, write):
    # It may end before a browser can connect.
    status, _, log = run("web", "--replay", write("nothing"))
    assert status == 65 and "is not a recognized recording" in log


def test_the_end_of_a_private_daemon_ends_it(program, folder, write):
    page = WebPage(program, folder, "--replay", write(Recording().pause(1).hold().text))
    connection, lines = page.stream({"do": "subscribe"})
    with connection:
        assert lines.readline()
        (private_daemon,) = children(page.process.process.pid)
        os.kill(private_daemon, signal.SIGKILL)
        assert page.process.wait() == 70
    assert "the private daemon was killed by signal 9" in page.process.printed


def test_a_page_that_does_not_read_loses_only_its_own_stream(program, folder, write):
    taps = Recording().pause(1)
    for _ in range(100):
        for slot in range(10):
            taps.begin(slot, 60)
        taps.report().wait(2)
        for slot in range(10):
            taps.lift(slot)
        taps.report().wait(2)
    page = WebPage(program, folder, "--replay", write(taps.text), "--loop")
    try:
        deaf, _ = page.stream({"do": "subscribe"}, receive=4096)

        wait_until(lambda: page.ask("stats")["result"]["daemon"]["stuck"] > 0, "the daemon did not disconnect the page")
        with deaf:
            while deaf.recv(1 << 20):
                pass
        # The page connects again.
        connection, lines = page.stream({"do": "subscribe"})
        with connection:
            assert json.loads(lines.readline())["event"] == "hello"
    finally:
        page.process.end()


def test_a_page_of_ones_own_is_served_from_its_folder(program, folder, daemon):
    """Its files may have any name and many types."""
    root = pathlib.Path(folder, "own")
    (root / "a b").mkdir(parents=True)
    types = {"index.html": "text/html; charset=utf-8", "a b/grün.PNG": "image/png", "a.jpeg": "image/jpeg", "a.gif": "image/gif",
             "a.webp": "image/webp", "a.ico": "image/x-icon", "a.wasm": "application/wasm", "a.wav": "audio/wav", "a.mp3": "audio/mpeg",
             "a.ogg": "audio/ogg", "a.txt": "text/plain; charset=utf-8", "100%.csv": "text/csv; charset=utf-8"}
    for name in (*types, "app.js", ".hidden.js", "secret"):
        (root / name).write_text(name, encoding="utf-8")
    pathlib.Path(folder, "above.js").write_text("above")
    page = WebPage(program, folder, "--socket", daemon.path, "--page", root)
    assert page.get("/").endswith(b"index.html") and page.get("/app.js").endswith(b"app.js")
    assert b"class Pressured " in page.get("/pressured.js")
    for name, kind in types.items():
        response = page.get("/" + urllib.parse.quote(name))
        assert status(response) == 200 and response.endswith(name.encode()) and f"Content-Type: {kind}\r\n".encode() in response, name
        assert b"; media-src 'self';" in response
    for path in ("/.hidden.js", "/../above.js", "/secret", "//app.js", "/none.js", "/%2e%2e/above.js"):
        assert status(page.get(path)) == 404, path
    # A slash, a byte that ends a path, the folder above, and what is not encoded.
    for path in ("/a%20b%2fgr%C3%BCn.PNG", "/a.txt%00", "/a%00.txt", "/%2e./above.js", "/..%2fabove.js", "/100%.csv", "/%+1.txt", "/%ff.txt", "/a.%"):
        assert status(page.get(path)) == 404, path
    for size, expected in ((16 << 20, 200), ((16 << 20) + 1, 404)):
        with open(root / "large.js", "wb") as file:
            file.truncate(size)
        assert status(page.get("/large.js")) == expected
    page.process.end()
    done = subprocess.run([program, "web", "--page", folder], capture_output=True, text=True, timeout=DEADLINE)
    assert done.returncode == 64 and "has no index.html" in done.stderr


def test_malformed_requests_do_no_harm(page):
    chance = random.Random(7)
    good = page.head("POST /request", token="own", more="Content-Length: 13") + b'{"do":"ping"}'
    for _ in range(10_000):
        request = bytearray(good)
        for _ in range(chance.randrange(1, 6)):
            place = chance.randrange(len(request))
            request[place:place + chance.randrange(3)] = chance.randbytes(chance.randrange(3))
        with page.connect() as connection:
            connection.sendall(bytes(request))
            connection.shutdown(socket.SHUT_WR)
            try:
                answer = connection.recv(65536)
            except ConnectionError:
                continue
            assert answer == b"" or status(answer) in (200, 400, 403, 404, 405, 411, 413, 431), (request, answer)
    assert status(page.get("/")) == 200


def test_many_connections_and_slow_senders_leave_the_daemon_alone(page, daemon):
    client = daemon.connect("subscribe events=hello")
    waiting = [page.connect() for _ in range(1000)]
    for connection in waiting[:60]:
        connection.send(b"GET")
    assert client.ask("ping")["ok"]
    for connection in waiting:
        connection.close()
    wait_until(lambda: status(page.get("/")) == 200, "the page was not served again")


def test_a_slow_sender_is_disconnected(page):
    request = page.head("GET /")
    began = time.monotonic()
    with page.connect() as connection, contextlib.suppress(ConnectionError):
        for byte in request[:30]:
            connection.sendall(bytes([byte]))
            connection.settimeout(1)
            with contextlib.suppress(TimeoutError):
                assert connection.recv(1) == b""
                break
    assert 9 < time.monotonic() - began < 20


def test_64_connections_are_served_at_once(faked):
    page, _ = faked
    streams = [page.stream({"do": "subscribe"}) for _ in range(63)]
    assert status(page.get("/")) == 200
    streams.append(page.stream({"do": "subscribe"}))
    assert page.get("/") == b""
    for file in (file for stream in streams for file in stream):
        file.close()
    wait_until(lambda: status(page.get("/")) == 200, "the page was not served again")


def test_the_daemon_waits_for_a_page_that_does_not_read(faked):
    page, daemon = faked
    connection, lines = page.stream({"do": "subscribe"})
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    client = daemon.accept_in_silence().socket
    client.setblocking(False)
    text = b"".join(b"%0999d\n" % number for number in range(16384))
    sent, before = 0, None
    while sent != before:
        before = sent
        with contextlib.suppress(BlockingIOError):
            while count := client.send(text[sent:sent + 65536]):
                sent += count
        # When these are answered, the server has had a turn to read from the daemon.
        for _ in range(2):
            assert status(page.get("/style.css")) == 200
    assert sent < len(text), "all lines are in the memory of the server"
    daemon.close()
    assert lines.read() == text[:text.rindex(b"\n", 0, sent) + 1]
    connection.close()


def test_a_daemon_that_is_away_is_named(page, daemon):
    daemon.terminate()
    response = page.post("/request", {"do": "ping"})
    assert status(response) == 503 and b"(No such file or directory)" in response, response


@pytest.mark.longest
def test_a_page_that_hangs_is_disconnected_and_one_that_reads_slowly_stays(faked):
    page, daemon = faked
    (hung, _), of_hung = page.stream({"do": "subscribe"}, receive=4096), daemon.accept_in_silence().socket
    (slow, lines), of_slow = page.stream({"do": "subscribe"}, receive=4096), daemon.accept_in_silence().socket

    def fill(client):
        client.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while client.send(b"%0999d\n" * 64 % (*range(64),)):
                pass

    def read_some():
        fill(of_slow)
        assert len(lines.read(100_000)) == 100_000
        time.sleep(1)

    began = time.monotonic()
    with hung, slow:
        is_connected = True
        while is_connected:
            read_some()
            try:
                fill(of_hung)
            except ConnectionError:
                is_connected = False
        assert 25 < time.monotonic() - began < 60
        # For longer than a page may hang.
        for _ in range(5):
            read_some()
    # One that lost its daemon meanwhile holds its place no longer, either.
    assert status(page.get("/")) == 200


class Kiosk:
    """A kiosk's page of a daemon that the test plays, and the browsers that it starts."""

    def __init__(self, program, folder, options=("--kiosk",), variable="{} --full-screen", hangs=False):
        self.started = pathlib.Path(folder, "started")
        programs = pathlib.Path(folder, "programs")
        programs.mkdir()
        for name in ("browser", "xdg-open"):
            # As a browser does, it stays, but not longer than the test.
            stays = "trap '' TERM\n" * hangs + f"exec tail --pid={os.getpid()} -f /dev/null\n"
            (programs / name).write_text(f'#!/bin/sh\necho "$$ {name} $@" >>{self.started}\n{stays}')
            (programs / name).chmod(0o755)
        self.daemon = FakeDaemon(os.path.join(folder, SOCKET))
        self.page = WebPage(program, folder, "--socket", self.daemon.path, *options, browser=variable.format("browser"), programs=programs)
        self.started.touch()

    def wait_for_browser(self):
        assert self.daemon.accept_in_silence().has_hung_up()
        wait_until(lambda: self.started.read_bytes().endswith(b"\n"), "no browser was started")

    def browsers(self):
        """The arguments of each browser that was started."""
        return [line.partition(" ")[2] for line in self.started.read_text(encoding="ascii").splitlines()]

    def running(self):
        """The processes of the browsers that have not ended."""
        for line in self.started.read_text(encoding="ascii").splitlines():
            with contextlib.suppress(OSError):
                if pathlib.Path("/proc", line.split()[0], "stat").read_text(encoding="ascii").split()[2] != "Z":
                    yield int(line.split()[0])

    def end(self):
        self.daemon.close()
        self.page.process.process.kill()
        # They have its standard output, whose end is awaited.
        for pid in self.running():
            os.kill(pid, signal.SIGKILL)
        self.page.process.end()


@pytest.fixture
def kiosk(request, program, folder):
    kiosk = Kiosk(program, folder, **getattr(request, "param", {}))
    try:
        kiosk.wait_for_browser()
        yield kiosk
    finally:
        kiosk.end()


def test_a_kiosk_opens_a_page_that_was_closed_again(kiosk):
    connection, lines = kiosk.page.stream({"do": "subscribe"})
    first = [f"browser --full-screen {kiosk.page.address}"]
    assert kiosk.page.address.endswith("#kiosk") and kiosk.browsers() == first
    lines.close()
    connection.close()
    wait_until(lambda: len(kiosk.browsers()) > 1, "the page was not opened again")
    assert kiosk.browsers() == first * 2


@pytest.mark.parametrize("kiosk", [{"hangs": True}], indirect=True)
def test_a_kiosk_replaces_a_browser_that_hangs(kiosk):
    (hung,) = kiosk.running()
    connection, lines = kiosk.page.stream({"do": "subscribe"})
    lines.close()
    connection.close()
    wait_until(lambda: len(kiosk.browsers()) > 1, "the browser was not replaced", 30)
    assert hung not in kiosk.running()


def test_the_end_of_a_kiosk_ends_its_browser(kiosk):
    assert list(kiosk.running())
    kiosk.page.process.process.send_signal(signal.SIGINT)
    assert kiosk.page.process.process.wait(DEADLINE) == 0
    wait_until(lambda: not list(kiosk.running()), "the browser covers the screen", 10)


@pytest.mark.parametrize("kiosk", [
    {"variable": "{0}:chromium"}, {"variable": "{0} %s"}, {"variable": "no-such-browser"}, {"options": ()},
], indirect=True)
def test_other_browsers_are_those_of_the_desktop(kiosk):
    assert kiosk.browsers() == [f"xdg-open {kiosk.page.address}"]


def test_a_kiosk_keeps_a_page_that_waits_for_the_daemon(kiosk):
    connection, lines = kiosk.page.stream({"do": "subscribe"})
    with connection:
        kiosk.daemon.close()
        assert lines.read() == b""
    # As often as a page tries at most, for longer than a page may be away.
    for _ in range(5):
        assert status(kiosk.page.post("/events", {"do": "subscribe"})) == 503
        time.sleep(1)
    assert len(kiosk.browsers()) == 1

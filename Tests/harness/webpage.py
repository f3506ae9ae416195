"""A browser of `pressured web` that knows the address."""

import json
import re
import socket

from daemon import environment
from program import Program
from waiting import DEADLINE


class WebPage:
    def __init__(self, program, folder, *options, browser=None, programs=None):
        variables = environment(folder)
        # Nothing opens a browser on the desktop of whoever runs the tests.
        variables = {name: value for name, value in variables.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
        if browser is not None:
            variables |= {"DISPLAY": ":0", "BROWSER": browser}
        if programs is not None:
            variables["PATH"] = f"{programs}:{variables['PATH']}"
        self.process = Program([program, "web", *options], env=variables)
        found = self.process.expect(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{32})(#kiosk)?\n")
        self.address = found[0].strip()
        self.port, self.token = int(found[1]), found[2]
        response = self.get(f"/?token={self.token}", cookie=None)
        self.cookie = re.search(rb"Set-Cookie: pressured-\d+=(\w{32}); HttpOnly; SameSite=Strict", response)[1].decode()

    def connect(self, receive=None):
        """A connection, which may have a small buffer for what it receives."""
        connection = socket.socket()
        connection.settimeout(DEADLINE)
        if receive is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
        connection.connect(("127.0.0.1", self.port))
        return connection

    def exchange(self, request):
        """The whole response to the bytes of a request; empty if the connection is closed without one."""
        with self.connect() as connection:
            try:
                connection.sendall(request)
                return b"".join(iter(lambda: connection.recv(65536), b""))
            except ConnectionError:
                return b""

    def head(self, first, host=None, cookie="own", token=None, more=""):
        lines = [f"{first} HTTP/1.1", f"Host: {host or f'127.0.0.1:{self.port}'}"]
        if cookie is not None:
            lines.append(f"Cookie: pressured-{self.port}={self.cookie if cookie == 'own' else cookie}")
        if token is not None:
            lines.append(f"X-Pressured-Token: {self.token if token == 'own' else token}")
        return "\r\n".join(lines + [more] * (more != "") + ["", ""]).encode()

    def get(self, path, **settings):
        return self.exchange(self.head(f"GET {path}", **settings))

    def post(self, path, body, token="own", **settings):
        body = json.dumps(body).encode()
        return self.exchange(self.head(f"POST {path}", token=token, more=f"Content-Length: {len(body)}", **settings) + body)

    def ask(self, verb):
        """The reply to a request; events may precede and follow it."""
        lines = self.post("/request", {"do": verb, "id": 1}).splitlines()
        replies = [json.loads(line) for line in lines if line.startswith(b'{"event":"reply"')]
        assert len(replies) == 1, lines
        return replies[0]

    def stream(self, body, receive=None):
        body = json.dumps(body).encode()
        connection = self.connect(receive)
        connection.sendall(self.head("POST /events", token="own", more=f"Content-Length: {len(body)}") + body)
        lines = connection.makefile("rb")
        assert status(lines.readline()) == 200
        while lines.readline() != b"\r\n":
            pass
        return connection, lines


def status(response):
    return int(response.split(b" ")[1]) if response else None

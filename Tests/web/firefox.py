"""Firefox through WebDriver BiDi, which it speaks by itself; Debian has no geckodriver."""

import json
import pathlib
import re
import shutil
import subprocess
import tempfile

import pytest

websocket = pytest.importorskip("websocket", reason="python3-websocket is not installed")


class Firefox:
    """What the tests use of Selenium."""

    def __init__(self, downloads):
        self.profile = pathlib.Path(tempfile.mkdtemp(prefix="pressured-firefox-"))
        settings = {"browser.download.folderList": 2, "browser.download.dir": str(downloads), "browser.download.alwaysOpenPanel": False,
                    "browser.helperApps.neverAsk.saveToDisk": "text/csv,image/svg+xml", "datareporting.policy.dataSubmissionEnabled": False}
        lines = [f"user_pref({json.dumps(key)}, {json.dumps(value)});\n" for key, value in settings.items()]
        (self.profile / "user.js").write_text("".join(lines), encoding="utf-8")
        command = ["firefox-esr", "--headless", "--no-remote", "--profile", self.profile, "--remote-debugging-port", "0"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        address = next(found[1] for line in self.process.stderr if (found := re.search(r"WebDriver BiDi listening on (\S+)", line)))
        self.connection = websocket.create_connection(f"{address}/session", suppress_origin=True)
        self.count = 0
        self.ask("session.new", capabilities={})
        self.context = self.ask("browsingContext.getTree")["contexts"][0]["context"]

    def ask(self, method, **parameters):
        self.count += 1
        self.connection.send(json.dumps({"id": self.count, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.connection.recv())
            if answer.get("id") == self.count:
                assert answer["type"] == "success", answer
                return answer["result"]

    def get(self, address):
        self.ask("browsingContext.navigate", context=self.context, url=address, wait="complete")

    def execute_script(self, body, *arguments):
        """The result of a function body, through JSON."""
        text = f"async () => JSON.stringify(await (async function () {{ {body} }}).apply(null, {json.dumps(arguments)}) ?? null)"
        result = self.ask("script.callFunction", functionDeclaration=text, awaitPromise=True, target={"context": self.context})
        assert result["type"] == "success", result
        return json.loads(result["result"]["value"])

    def execute_async_script(self, body):
        return self.execute_script(f"return new Promise((done) => (function () {{ {body} }})(done))")

    @property
    def current_url(self):
        return self.execute_script("return location.href")

    def quit(self):
        self.process.terminate()
        self.process.wait()
        self.process.stderr.close()
        shutil.rmtree(self.profile, ignore_errors=True)

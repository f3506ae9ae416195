"""The page in Chromium and Firefox, used as a person would; what it shows is compared with the lines of the socket."""

import contextlib
import json
import os
import pathlib
import shutil
import socket
import threading
import time

import pytest

from firefox import Firefox
from recording import Recording
from waiting import DEADLINE, wait_until
from webpage import WebPage

webdriver = pytest.importorskip("selenium.webdriver", reason="python3-selenium is not installed")
chrome = pytest.importorskip("selenium.webdriver.chrome.service")

BROWSERS = ["chromium", "firefox"]

# Presses of two fingers, of which the second gets heavier, then both are lifted, again and again.
STROKES = Recording().pause(500)
STROKES.begin(0, 60, x=200).begin(1, 40, x=900).report()
for pressure in range(45, 256, 5):
    STROKES.wait(10).press(1, pressure).report()
STROKES.pause(1500).lift(0).lift(1).report().pause(500)


class TestedDaemon:
    """A daemon whose snapshot a test writes; it notes the requests, of which it refuses `tare`."""

    __test__ = False

    def __init__(self, path, snapshot):
        self.path, self.snapshot = path, snapshot
        self.requests, self.streams = [], []
        self.start()

    def start(self):
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen()
        threading.Thread(target=self.accept, args=(self.listener,), daemon=True).start()

    def stop(self):
        os.unlink(self.path)
        for each in (self.listener, *self.streams):
            each.shutdown(socket.SHUT_RDWR)
            each.close()
        self.streams = []

    def accept(self, listener):
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        with client.makefile("rb") as lines:
            request = json.loads(lines.readline() or "null")
        if request is None:
            client.close()
            return
        reply = {"event": "reply", "do": request["do"], "id": request.get("id"), "ok": request["do"] != "tare"}
        if request["do"] == "subscribe":
            for line in self.snapshot:
                self.send(client, {**line, "present": True})
                # Not all in one piece.
                time.sleep(0.02)
            self.send(client, {**reply, "result": {}})
            self.streams.append(client)
            return
        self.requests.append(request)
        action = {"type": "lamp", "title": "Lamp", "subtitle": None, "icon": None}
        self.send(client, {**reply, "result": [action] if request["do"] == "actions" else {}, "error": {"code": "no", "message": "refused"}})
        client.close()

    def send(self, client, line):
        client.sendall(json.dumps({**line, "time": time.monotonic_ns() // 1000}).encode() + b"\n")


def pad(name, capability):
    return {"event": "device", "device": name, "change": "present", "name": f"Pad {name}", "capability": capability,
            "weight_source": "calibrated", "size_mm": [100, 60]}


def weighed(grams, device="B"):
    return {"event": "scale", "device": device, "status": "stable", "grams": grams, "tare_grams": 0, "error_grams": 1, "held": False,
            "decaying": False, "target": None}


def open_browser(name, downloads):
    programs = ["chromium", "chromedriver"] if name == "chromium" else ["firefox-esr"]
    missing = [program for program in programs if shutil.which(program) is None]
    if missing:
        pytest.skip(f"{missing[0]} is not installed")
    if name == "firefox":
        return Firefox(downloads)
    options = webdriver.ChromeOptions()
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1100,900"):
        options.add_argument(word)
    options.add_experimental_option("prefs", {
        "download.default_directory": str(downloads), "profile.default_content_setting_values.automatic_downloads": 1})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=chrome.Service(shutil.which(programs[1])))


@pytest.fixture(scope="module", params=BROWSERS)
def browser(request, tmp_path_factory):
    downloads = tmp_path_factory.mktemp("downloads")
    browser = open_browser(request.param, downloads)
    browser.downloads = pathlib.Path(downloads)
    yield browser
    browser.quit()


@pytest.fixture
def page(program, folder):
    path = os.path.join(folder, "pad.evemu")
    with open(path, "w", encoding="ascii") as file:
        file.write(STROKES.text)
    page = WebPage(program, folder, "--replay", path, "--loop")
    yield page
    page.process.end()


@pytest.fixture
def opened(browser, page):
    browser.get(page.address)
    wait_until(lambda: browser.execute_script("return window.pressured?.model.contacts.length > 0"), "the page shows no contact")
    yield browser
    if not isinstance(browser, Firefox):
        # The program of the test before may have ended while its page was still open.
        errors = [entry for entry in browser.get_log("browser")
                  if entry["level"] == "SEVERE" and "ERR_CONNECTION_REFUSED" not in entry["message"]]
        assert errors == []


def text(browser, id):
    return browser.execute_script("return document.getElementById(arguments[0]).textContent", id)


def go(browser, view):
    browser.execute_script("location.hash = arguments[0]", view)
    wait_until(lambda: not browser.execute_script("return document.getElementById(arguments[0]).hidden", view), view)


def click(browser, selector):
    browser.execute_script("document.querySelector(arguments[0]).click()", selector)


def test_the_page_shows_the_lines_of_the_socket_without_the_token_in_its_address(opened):
    assert "token" not in opened.current_url
    # The page reads its own copy of the stream: both are recorded from the same lines.
    wait_until(lambda: opened.execute_script("return window.pressured.model.heaviest") == 1001
               or opened.execute_script("return window.pressured.model.contacts.length") == 2, "two contacts")
    shown = opened.execute_script(
        "const m = window.pressured.model; return {contacts: m.contacts, heaviest: m.heaviest, total: m.total}")
    if shown["contacts"]:
        heaviest = max(shown["contacts"], key=lambda contact: contact["raw"])
        assert shown["heaviest"] == heaviest["contact"]
        assert shown["total"] == pytest.approx(sum(contact["grams"] for contact in shown["contacts"]), abs=0.2)
    assert "measures contact size" in text(opened, "device") or "measures force" in text(opened, "device")


def test_the_views_work(opened):
    go(opened, "scale")
    wait_until(lambda: "+" in text(opened, "reading"), "no saturated reading")
    # The load is lifted after a second, which may be before a test on a busy machine has clicked or looked.
    opened.execute_script("""
      let last = 0;
      window.pressured.daemon.on("scale", (line) => {
        if (line.tare_grams > 0) window.isTared = true;
        if (window.isTared || line.grams < 300 || performance.now() - last < 500) return;
        last = performance.now();
        document.querySelector("[data-request=tare]").click();
      });""")
    wait_until(lambda: opened.execute_script("return window.isTared === true") or "tare" in text(opened, "notice"), "the tare had no effect")
    go(opened, "press")
    wait_until(lambda: "reached light" in text(opened, "presses"), "no press")
    wait_until(lambda: opened.execute_script("return document.getElementById('picture').style.transform") != "scale(1)", "no zoom")
    go(opened, "actions")
    wait_until(lambda: "Tare" in text(opened, "list"), "no actions")
    click(opened, "#list li:nth-child(2) button")
    wait_until(lambda: "daemon" in text(opened, "list") or "scale" in text(opened, "list"), "nobody handled the action")


def test_what_is_plotted_is_saved(opened):
    go(opened, "plot")
    click(opened, "#pause")
    click(opened, "#csv")
    click(opened, "#svg")
    for name, word in (("pressure.csv", "time_us,device,contact,raw,force,grams,error_grams,weight_source"), ("pressure.svg", "force and ≈ grams")):
        path = opened.downloads / name
        wait_until(lambda path=path: path.exists() and path.stat().st_size > 0, f"{name} was not saved")
        assert word in path.read_text(encoding="utf-8")
        assert name != "pressure.svg" or "<path d=\"M" in path.read_text(encoding="utf-8")
        path.unlink()


def test_the_page_notices_the_end_of_the_program(browser, page):
    browser.get(page.address)
    wait_until(lambda: browser.execute_script("return window.pressured?.model.device !== null"), "no device")
    page.process.end()
    wait_until(lambda: "No connection" in text(browser, "notice"), "the page did not notice")


def test_a_page_for_other_platforms_gets_force(opened):
    opened.execute_async_script("""
      const done = arguments[0];
      import("/pressured.js").then((module) => {
        window.forces = [];
        module.provideForce(window.pressured.daemon);
        for (const name of ["webkitmouseforcewillbegin", "webkitmouseforcechanged", "webkitmouseforcedown", "webkitmouseforceup"])
          addEventListener(name, (event) => window.forces.push([name, event.webkitForce]));
        dispatchEvent(new MouseEvent("mousedown"));
        done();
      });""")
    wait_until(lambda: opened.execute_script("return window.forces.some(([name, force]) => name === 'webkitmouseforcedown' && force >= 2)"),
               "no force click", DEADLINE)


def test_a_sixth_page_of_a_browser_states_why_it_waits(opened):
    # Objects of one page share the browser's connections as pages do.
    opened.execute_async_script("""
      const done = arguments[0];
      window.reasons = [];
      window.connected = [];
      import("/pressured.js").then(({ Pressured }) => {
        window.others = Array.from({ length: 5 }, (_, index) =>
          new Pressured({ events: ["device"] }).on("connected", () => window.connected.push(index)).on("lost", (reason) => window.reasons.push(reason)));
        done();
      });""")
    wait_until(lambda: opened.execute_script("return window.connected.length === 4 && window.reasons.length > 0"), "the sixth page did not wait")
    assert "5 pages are open in this browser" in opened.execute_script("return window.reasons[0]")
    # Requests still have a connection.
    assert opened.execute_async_script("const done = arguments[0]; window.pressured.daemon.request('ping').then(() => done(true));")
    opened.execute_script("window.others[window.connected[0]].close()")
    wait_until(lambda: opened.execute_script("return window.connected.length === 5"), "the sixth page was not connected")
    opened.execute_script("for (const each of window.others) each.close()")


@pytest.fixture
def tested(browser, program, folder):
    """A page in the browser, and the daemon that it is connected to."""
    path = os.path.join(folder, "s")
    daemon = TestedDaemon(path, [pad("A", "none"), pad("B", "force"), pad("C", "force"), weighed(100)])
    page = WebPage(program, folder, "--socket", path)
    browser.get(page.address)
    wait_until(lambda: browser.execute_script("return window.pressured?.model.devices.size === 3"), "not connected")
    yield browser, daemon
    page.process.end()


def restart(browser, daemon):
    daemon.stop()
    wait_until(lambda: "No connection" in text(browser, "notice"), "the page did not notice")
    daemon.start()
    wait_until(lambda: browser.execute_script("return window.pressured.model.devices.size === 3") and text(browser, "notice") == "",
               lambda: text(browser, "notice"))


def model(browser, name):
    return browser.execute_script("return window.pressured.model[arguments[0]]", name)


def change(browser, id, value):
    browser.execute_script("""
      const input = document.getElementById(arguments[0]);
      input.value = arguments[1];
      input.dispatchEvent(new Event("change"));""", id, value)


def test_the_device_is_the_same_when_the_daemon_returns(tested):
    browser, daemon = tested
    # The first that measures, once all are known.
    wait_until(lambda: model(browser, "shown") == "B", lambda: model(browser, "shown"))
    wait_until(lambda: len(model(browser, "weighed")) == 1, "no weight")
    restart(browser, daemon)
    wait_until(lambda: model(browser, "scale") is not None, "no weight")
    assert model(browser, "shown") == "B" and len(model(browser, "weighed")) == 1
    # Another load is another entry.
    daemon.snapshot[3] = weighed(120)
    restart(browser, daemon)
    wait_until(lambda: len(model(browser, "weighed")) == 2, "no second weight")
    change(browser, "devices", "C")
    restart(browser, daemon)
    # Three lines of devices, in pieces, precede the reply.
    time.sleep(0.5)
    assert model(browser, "shown") == "C"


def test_an_error_ends_with_its_reason(tested):
    browser, daemon = tested
    go(browser, "scale")
    click(browser, "[data-request=tare]")
    wait_until(lambda: "tare: refused" in text(browser, "notice"), "no error")
    daemon.stop()
    wait_until(lambda: "No connection" in text(browser, "notice"), "the page did not notice")
    go(browser, "actions")
    daemon.start()
    wait_until(lambda: "Lamp" in text(browser, "list") and text(browser, "notice") == "", lambda: text(browser, "notice"))
    go(browser, "scale")
    click(browser, "[data-request=tare]")
    wait_until(lambda: "tare: refused" in text(browser, "notice"), "no error")
    go(browser, "touches")
    wait_until(lambda: text(browser, "notice") == "", "the error of another view")


def test_a_tolerance_leaves_the_target_of_others(tested):
    browser, daemon = tested
    wait_until(lambda: model(browser, "shown") == "B", "not connected")
    go(browser, "scale")
    change(browser, "tolerance", "2")
    change(browser, "target", "50")
    wait_until(lambda: any(each.get("grams") == 50 for each in daemon.requests), "no target")
    change(browser, "target", "")
    wait_until(lambda: daemon.requests[-1].get("grams") == 0, "the target was not cleared")
    assert [(each["do"], each.get("grams"), each.get("tolerance")) for each in daemon.requests] == [("target", 50, 2), ("target", 0, None)]


def test_a_rounded_zero_has_no_sign(tested):
    browser, daemon = tested
    go(browser, "scale")
    change(browser, "unit", "oz")

    def is_shown():
        """Sends the reading again while the page connects and until it draws in the unit."""
        for client in daemon.streams:
            with contextlib.suppress(OSError):
                daemon.send(client, weighed(-0.06))
        shown = text(browser, "number")
        return shown.endswith(" oz") and shown != "3.53 oz"

    wait_until(is_shown, "no reading")
    assert text(browser, "number") == "0.00 oz"
    change(browser, "unit", "g")
    wait_until(lambda: text(browser, "number") == "-0.1 g", "no reading")

#!/usr/bin/python3
"""Measures `pressured web` in Chromium with ten contacts at 240 Hz: run it on an idle machine.

    Tests/web/measure.py PROGRAM [SECONDS [VIEW [MINUTES]]]    VIEW is touches, scale, press or plot

It prints the time from the command to the first circle, the frames a second, how late each frame shows a reading, how late a client of the
socket receives them, and the processor time of `pressured web` and of `pressured watch --plain`, which run beside each other for SECONDS.
With MINUTES, the plot of five minutes is shown first for so long, and what the page's memory and drawing have become is printed.
"""

import contextlib
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "harness"))

from recording import Recording  # noqa: E402
from selenium import webdriver  # noqa: E402
from selenium.webdriver.chrome.service import Service  # noqa: E402

# Notes when the page has drawn its first contact: its own frame was requested before this one.
FIRST = """
const look = () => {
  if (window.pressured?.model.contacts.length > 0) window.firstDrawn = Date.now();
  else requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""

# Notes for each frame how long ago the reading that it shows was received, and when it was measured and drawn: in milliseconds of the
# daemon's clock and of the page's.
WATCH = """
const { daemon } = window.pressured;
const seen = window.seen = { frames: 0, longest: 0, handled: [], measured: [] };
let latest = null, before = performance.now();
daemon.on("weight", (line) => (latest = { time: line.time, received: performance.now() }));
const frame = () => {
  requestAnimationFrame(frame);
  const now = performance.now();
  seen.frames += 1;
  seen.longest = Math.max(seen.longest, now - before);
  before = now;
  if (latest === null) return;
  seen.handled.push(now - latest.received);
  seen.measured.push([latest.time / 1000, now]);
  latest = null;
};
requestAnimationFrame(frame);
"""


def recording():
    """Ten fingers whose forces change in each frame."""
    fingers = Recording()
    for slot in range(10):
        fingers.begin(slot, 40 + 10 * slot, x=100 + 100 * slot)
    fingers.report()
    for step in range(2400):
        fingers.wait(1000 / 240)
        for slot in range(10):
            fingers.press(slot, 60 + (step * (slot + 3)) % 180)
        fingers.report()
    for slot in range(10):
        fingers.lift(slot)
    return fingers.report().text


def processor_time(pid):
    """User and system time of a process in seconds."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def part(values, share):
    values = sorted(values)
    return values[min(int(len(values) * share), len(values) - 1)] if values else float("nan")


def open_browser():
    options = webdriver.ChromeOptions()
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1100,900", "--enable-precise-memory-info",
                 "--js-flags=--expose-gc"):
        options.add_argument(word)
    return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))


def start(*command):
    variables = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    return subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def first_circle(program, path, browser):
    """Seconds from the command to the first drawn circle; the browser runs already."""
    browser.execute_cdp_cmd("Page.enable", {})
    script = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": FIRST})["identifier"]
    began = time.time()
    server = start(program, "web", "--replay", path, "--loop")
    try:
        browser.get(server.stdout.readline().strip())
        while (drawn := browser.execute_script("return window.firstDrawn")) is None:
            time.sleep(0.01)
    finally:
        browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", {"identifier": script})
        browser.get("about:blank")
        server.terminate()
        server.wait()
    return drawn / 1000 - began


def clock_difference(browser):
    """How much the daemon's clock is ahead of the page's, in milliseconds."""
    best = (1e9, 0)
    for _ in range(50):
        before = time.monotonic() * 1000
        page = browser.execute_script("return performance.now()")
        after = time.monotonic() * 1000
        best = min(best, (after - before, (before + after) / 2 - page))
    return best[1]


class Client(threading.Thread):
    """Notes how late a client of the socket receives readings, in milliseconds."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.late = []
        self.connection = socket.socket(socket.AF_UNIX)
        self.connection.connect(path)
        self.connection.sendall(b'{"do":"subscribe","events":["weight"]}\n')
        self.start()

    def run(self):
        for line in self.connection.makefile("rb"):
            if b'"event":"weight"' in line:
                self.late.append((time.monotonic() * 1e6 - json.loads(line)["time"]) / 1000)


def renderers(browser):
    """The processes in which Chromium runs and draws pages."""
    parents, found = {}, []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parents[int(folder.name)] = int((folder / "stat").read_text(encoding="ascii").rpartition(")")[2].split()[1])
            if b"--type=renderer" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
    for pid in found:
        ancestor = pid
        while ancestor in parents and ancestor != browser.service.process.pid:
            ancestor = parents[ancestor]
        if ancestor == browser.service.process.pid:
            yield pid


def state(browser):
    """Megabytes of the page's objects after a collection, its samples, and the processor time of its process in five seconds."""
    size, samples = browser.execute_script("gc(); return [performance.memory.usedJSHeapSize / 1e6, pressured.model.samples.length]")
    before = sum(map(processor_time, renderers(browser)))
    time.sleep(5)
    spent = sum(map(processor_time, renderers(browser))) - before
    return f"page: {size:.1f} MB, {samples} samples, {spent / 5 * 100:.0f} % of a processor"


def main():
    program, seconds, view, minutes = [*sys.argv[1:], *["", "20", "touches", "0"][len(sys.argv) - 1 :]]
    with tempfile.TemporaryDirectory(prefix="pressured-") as folder:
        path, address = f"{folder}/fingers.evemu", f"{folder}/socket"
        pathlib.Path(path).write_text(recording(), encoding="ascii")
        browser = open_browser()
        running = []
        try:
            times = [first_circle(program, path, browser) for _ in range(5)]
            print("to the first circle:", ", ".join(f"{each:.2f}" for each in times), "s")
            running.append(start(program, "run", "--socket", address, "--replay", path, "--loop"))
            while not os.path.exists(address):
                time.sleep(0.01)
            web = start(program, "web", "--socket", address)
            running.append(web)
            browser.get(web.stdout.readline().strip() + f"#{view}")
            if float(minutes) > 0:
                browser.execute_script("""location.hash = "plot"; const list = document.getElementById("span");
                  list.value = "300"; list.dispatchEvent(new Event("change"));""")
                for minute in range(int(float(minutes))):
                    time.sleep(60)
                    print(f"plot of 5 min after {minute + 1} min:", state(browser), flush=True)
                browser.execute_script("location.hash = arguments[0]", view)
            watch = subprocess.Popen([program, "watch", "--plain", "--socket", address], stdout=subprocess.DEVNULL)
            running.append(watch)
            time.sleep(2)
            browser.execute_script(WATCH)
            client = Client(address)
            before = [processor_time(each.pid) for each in (web, watch)]
            time.sleep(float(seconds))
            spent = [processor_time(each.pid) - was for each, was in zip((web, watch), before)]
            seen = json.loads(browser.execute_script("return JSON.stringify(seen)"))
            print(f"frames a second: {seen['frames'] / float(seconds):.1f}, the longest {seen['longest']:.0f} ms")
            ahead = clock_difference(browser)
            for words, late in (("from received to drawn", seen["handled"]),
                                ("from measured to drawn", [drawn + ahead - measured for measured, drawn in seen["measured"]]),
                                ("from measured to a client of the socket", client.late)):
                print(f"{words}: {part(late, 0.5):.1f} ms (median), {part(late, 0.99):.1f} (99 %), of {len(late)}")
            print(f"processor time of {seconds} s: web {spent[0]:.2f} s, watch --plain {spent[1]:.2f} s;", state(browser))
            print("load:", pathlib.Path("/proc/loadavg").read_text(encoding="ascii").strip())
        finally:
            browser.quit()
            for each in running:
                each.terminate()
                each.wait()


if __name__ == "__main__":
    main()

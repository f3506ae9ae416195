"""The same strokes in an unchanged sway, whose libinput loads plugins by itself; wev is the judge."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

sys.path.append("/tests/plugin/libinput")

from strokes import CLICK, FORCE_CLICK, Trial  # noqa: E402  (found by the line above)

RUNTIME = pathlib.Path("/tmp/runtime")


class Desktop(Trial):
    def start(self, folder, nodes, environment, tool):
        shutil.copytree(folder, "/etc/libinput/plugins", dirs_exist_ok=True)
        shutil.rmtree(RUNTIME, ignore_errors=True)
        RUNTIME.mkdir(mode=0o700)
        settings = RUNTIME / "sway"
        settings.write_text('output * resolution 1280x720\nfor_window [app_id=".*"] fullscreen enable\n', encoding="utf-8")
        variables = {"XDG_RUNTIME_DIR": str(RUNTIME), "LC_ALL": "C.UTF-8", "HOME": "/root", "PATH": os.environ["PATH"]}
        backend = {"WLR_BACKENDS": "headless,libinput", "WLR_RENDERER": "pixman", "LIBSEAT_BACKEND": "noop", "LD_LIBRARY_PATH": "/opt/autoload/lib",
                   "LD_PRELOAD": "/follow.so " + environment["LD_PRELOAD"]}
        with open("/sway.log", "wb") as log:
            self.sway = subprocess.Popen(["sway", "-d", "-c", settings], env=environment | variables | backend, stdout=log, stderr=log)
        self.wait(lambda: (RUNTIME / "wayland-1").exists())
        judge = subprocess.Popen(["stdbuf", "-oL", "wev"], env=variables | {"WAYLAND_DISPLAY": "wayland-1"}, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
        # The pointer enters its window.
        while "wl_pointer] enter" not in judge.stdout.readline():
            assert judge.poll() is None
        return judge

    def wait(self, condition):
        deadline = time.monotonic() + 60
        while not condition():
            assert self.sway.poll() is None and time.monotonic() < deadline, pathlib.Path("/sway.log").read_text(errors="replace")[-3000:]
            time.sleep(0.1)

    def parse(self, line):
        event = re.search(r"wl_pointer\] button: .*; button: (\d+) .*, state: (\d)", line)
        return event and (int(event[1]), int(event[2]))

    def check(self, forces, down, button, **options):
        found = next(found for found in (self.clicks(forces, down, **options) for _ in range(100)) if found is not None)
        assert found == [(button, 1), (button, 0)], (found, button)

    def close(self):
        self.sway.terminate()
        super().close()


desktop = Desktop("grams")
for _ in range(5):
    desktop.check(CLICK, 7, 272)
    desktop.check(FORCE_CLICK, 3, 274)
    desktop.check(CLICK[:10], 8, 272, ends_with_touch=True)
desktop.close()
print("5 clicks, force clicks and short clicks in sway")

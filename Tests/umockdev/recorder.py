"""`pressured record` as a child process, with a bed of mocked devices."""

import os
import subprocess
import threading

from mockpad import DEADLINE


class Recorder:
    def __init__(self, program, bed, folder, *options, stderr=None, **settings):
        (folder / "config.yaml").write_text("")
        self.process = subprocess.Popen(
            [program, "record", *map(str, options)],
            env={**bed.environment, "CONFIGURATION_DIRECTORY": str(folder)}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if stderr is None else stderr, **settings,
        )  # fmt: skip
        self.printed = ""
        self.changed = threading.Condition()
        self.is_silent = False
        self.reader = None
        if stderr is None:
            self.reader = threading.Thread(target=self._listen, daemon=True)
            self.reader.start()

    def _listen(self):
        while piece := os.read(self.process.stderr.fileno(), 4096):
            with self.changed:
                self.printed += piece.decode()
                self.changed.notify_all()
        with self.changed:
            self.is_silent = True
            self.changed.notify_all()

    def wait_recording(self):
        """Waits for the message that it records: the device is open and watched then."""
        with self.changed:
            is_ready = lambda: "recording /dev" in self.printed or self.is_silent  # noqa: E731
            assert self.changed.wait_for(is_ready, DEADLINE)
        assert "recording /dev" in self.printed, self.printed
        return self

    def wait(self):
        """Waits for it to exit; returns the status."""
        status = self.process.wait(DEADLINE)
        if self.reader:
            self.reader.join()
        return status

    def stop(self, number):
        """Sends a signal; returns the exit status."""
        self.process.send_signal(number)
        return self.wait()

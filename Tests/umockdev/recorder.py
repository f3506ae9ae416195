"""`pressured record` as a child, over a bed of mocked devices."""

import os
import subprocess
import threading

from mockpad import DEADLINE


class Recorder:
    def __init__(self, program, bed, folder, *options, stderr=None, **settings):
        configuration = folder / "config.yaml"
        configuration.write_text("")
        self.process = subprocess.Popen(
            [program, "record", "--config", str(configuration), *map(str, options)],
            env=bed.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if stderr is None else stderr, **settings,
        )  # fmt: skip
        self.said = ""
        self.heard = threading.Condition()
        self.is_silent = False
        self.reader = None
        if stderr is None:
            self.reader = threading.Thread(target=self._listen, daemon=True)
            self.reader.start()

    def _listen(self):
        while piece := os.read(self.process.stderr.fileno(), 4096):
            with self.heard:
                self.said += piece.decode()
                self.heard.notify_all()
        with self.heard:
            self.is_silent = True
            self.heard.notify_all()

    def wait_recording(self):
        """Waits until it has said that it records: the device is open then, and watched."""
        with self.heard:
            is_ready = lambda: "recording /dev" in self.said or self.is_silent  # noqa: E731
            assert self.heard.wait_for(is_ready, DEADLINE)
        assert "recording /dev" in self.said, self.said
        return self

    def wait(self):
        """Waits for its end; gives the status."""
        status = self.process.wait(DEADLINE)
        if self.reader:
            self.reader.join()
        return status

    def stop(self, number):
        """Ends it by a signal; gives the status."""
        self.process.send_signal(number)
        return self.wait()

"""A truncated calibration file: the daemon starts and reports which calibration is used.

`CalibrationStoreTests` truncates one at each byte.
"""

import itertools
import os

import pytest
from connection import Connection
from daemon import Daemon
from recording import DEVICE
from test_calibrate import lay_all, pad, step, weight_source


@pytest.fixture
def stored(serve, folder):
    """The bytes of two calibrations, the older one first."""
    state = os.path.join(folder, "state")
    path = os.path.join(state, "calibration", f"{DEVICE}.yaml")
    contents = []
    for weights in ({20: 45, 50: 105, 90: 185}, {20: 47, 50: 107, 90: 187}):
        daemon = serve(pad(weights), "--state", state)
        client = daemon.connect()
        lay_all(client, weights)
        assert step(client, "finish")["ok"]
        assert weight_source(client) in ("nominal", "calibrated")
        client.close()
        daemon.terminate()
        with open(path, "rb") as file:
            contents.append(file.read())
    return state, path, contents


def test_with_a_truncated_file_the_daemon_starts_and_reports_it(stored, program, folder, write):
    state, path, (older, newer) = stored
    recording = write(pad())
    for length, has_older in itertools.product((0, 1, len(newer) // 2, len(newer) - 1, len(newer)), (True, False)):
        for name in os.listdir(os.path.dirname(path)):
            os.unlink(os.path.join(os.path.dirname(path), name))
        if has_older:
            with open(path + ".before", "wb") as file:
                file.write(older)
        with open(path, "wb") as file:
            file.write(newer[:length])
        daemon = Daemon(program, folder, ["--replay", recording, "--state", state], f"s{length}{has_older}")
        daemon.start()
        client = Connection(daemon.path)
        source = client.event("device")["weight_source"]
        client.close()
        assert daemon.terminate() == 0, daemon.log
        log = daemon.log
        if length == len(newer):
            assert source == "calibrated"
            assert "calibration" not in log
            continue
        assert source == ("calibrated" if has_older else "nominal"), f"cut at {length}"
        assert f"was renamed to {path}.damaged-1" in log
        with open(path + ".damaged-1", "rb") as file:
            assert file.read() == newer[:length], "the damaged file is kept for recovery"
        in_force = f"the previous calibration is used, from {path}.before"
        assert (in_force if has_older else "no calibration is used") in log

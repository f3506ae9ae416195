"""`pressured doctor --sensor`: what ten seconds of a sensor's values show."""

import json
import time

import pytest


@pytest.fixture
def doctor(serve_pad, start):
    """Starts the program beside a daemon that reads the pad."""
    daemon = serve_pad()
    return lambda *arguments: start("doctor", "--sensor", "--socket", daemon.path, *arguments)


def test_noise_step_and_rate_are_measured(doctor, pad):
    process = doctor("--json")
    pad.lay(100)
    index = 0
    while process.poll() is None:
        # Two units more or less, every 20 ms.
        pad.press(100 + 2 * (index % 2))
        index += 1
        time.sleep(0.02)
    found = json.loads(process.stdout.read())
    assert process.returncode == 0
    assert found["smallest_step"] == 2
    # The square root of 2 if frames come at equal intervals, which a busy machine does not promise; nor does it promise a rate.
    assert 1 < found["noise"] < 2
    assert 0 < found["frames_per_second"] <= 60
    assert not found["saturated"]
    assert found["contacts"] == 1 and "contacts_share_sensor" not in found
    assert abs(found["drift_per_minute"]) < 20


def test_an_untouched_sensor_is_reported(doctor):
    process = doctor()
    output, log = process.communicate(timeout=60)
    assert (process.returncode, output) == (75, "")
    assert "nothing touched it; put a weight or a finger on it" in log

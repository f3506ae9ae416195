"""Good clients lose nothing beside bad ones: a few seconds of what Tests/soak does."""

import pathlib
import sys

import pytest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "soak"))

from soak import WITHOUT_RULES, Soak, lossless_events  # noqa: E402

# Enough for clients that read late on a busy machine.
ROOMY = "socket: { client_buffer_kib: 65536 }\n" + WITHOUT_RULES
FRAMES = 1000


@pytest.fixture
def soak(program):
    soak = Soak(program, FRAMES, clients=16, hertz=0, config=ROOMY)
    yield soak
    soak.close()


def counted(received):
    """If the generator is suspended between reading the clock and writing, times are later; the events stay the same."""
    return {key: value for key, value in lossless_events(received).items() if key != "digest"}


def test_each_lossless_event_arrives_once_and_in_order_beside_bad_clients(soak):
    soak.play(every=0.1)
    # A client that receives other bytes than the first one is reported.
    assert soak.violations == []
    assert counted(soak.received) == counted(soak.replay())
    contacts = soak.generated["contacts"]
    assert int(soak.received["begun"]) == int(soak.received["ended"]) == contacts > 100
    assert int(soak.received["started"]) == int(soak.received["over"]) > 100
    # Each of the bad clients was connected in the meantime.
    assert all(int(count) > 0 for count in soak.bad_results.values())
    assert soak.status == 0


def test_a_lost_or_duplicated_event_would_be_detected(soak):
    lines = soak.replayed().communicate()[0].splitlines(keepends=True)
    expected = soak.counted("".join(lines))
    for event in ("contact", "press", "heaviest"):
        place = next(place for place, line in enumerate(lines) if f'"event":"{event}"' in line)
        for times in (0, 2):
            others = lines[:place] + lines[place : place + 1] * times + lines[place + 1 :]
            found = soak.counted("".join(others))
            assert counted(found) != counted(expected) and found["digest"] != expected["digest"], (event, times)

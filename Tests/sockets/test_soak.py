"""Good clients lose nothing while bad ones do their worst: a few seconds of what Tests/soak does for ten minutes."""

import pathlib
import sys

import pytest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "soak"))

from soak import Soak, happenings  # noqa: E402

# Room enough for who reads late on a busy machine.
ROOMY = "socket: { client_buffer_kib: 65536 }\n"
FRAMES = 1000


@pytest.fixture
def soak(program):
    soak = Soak(program, FRAMES, clients=16, hertz=0, config=ROOMY)
    yield soak
    soak.close()


def counted(heard):
    """On a machine that is busy for ten seconds the stream's times are moved; what happens stays."""
    return {key: value for key, value in happenings(heard).items() if key != "digest"}


def test_every_happening_is_heard_once_and_in_order_beside_bad_clients(soak):
    soak.play(every=0.1)
    # Who breaks a rule of the protocol is named, and so is who has heard other bytes than the first client.
    assert soak.said == []
    assert counted(soak.heard) == counted(soak.replay())
    contacts = soak.pressed["contacts"]
    assert int(soak.heard["begun"]) == int(soak.heard["ended"]) == contacts > 100
    assert int(soak.heard["started"]) == int(soak.heard["over"]) > 100
    # Beside them, each of the bad ones was at it.
    assert [kind for kind, done, _ in soak.bothered if int(done) > 0] == soak.bothers
    assert soak.status == 0


def test_a_happening_that_is_lost_or_doubled_would_be_seen(soak):
    soak.pressed = {"start": 5_000_000}
    lines = soak.replayed().splitlines(keepends=True)
    assert soak.heard_of("".join(lines))[0] == 0
    for event in ("contact", "press", "heaviest"):
        place = next(place for place, line in enumerate(lines) if f'"event":"{event}"' in line)
        for times in (0, 2):
            others = lines[:place] + lines[place : place + 1] * times + lines[place + 1 :]
            assert soak.heard_of("".join(others))[0] == 1, (event, times)

"""The counters that the daemon returns are those of the schema, in their order."""

import pytest

from contract import SCHEMA
from recording import Recording

# The counters of each part of the reply to `stats`.
COUNTS = {"daemon": "daemon_counts", "devices": "device_counts", "clients": "client_counts"}


@pytest.mark.parametrize("part", COUNTS)
def test_counters_match_the_schema(serve, part):
    answer = serve(Recording().pause(1).hold()).connect().ask("stats")["result"]
    assert list(answer) == list(COUNTS)
    answered = answer[part] if part == "daemon" else answer[part][0]
    assert list(answered) == list(SCHEMA["$defs"][COUNTS[part]]["properties"])

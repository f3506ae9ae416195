"""Access to the socket, and activation by the first client."""

import json

import service


def test_a_member_of_the_group_activates_the_service_with_socat():
    assert not service.is_active()
    result = service.socat("alice", "devices\n")
    assert result.returncode == 0, result.stdout
    (reply,) = [line for line in map(json.loads, result.stdout.splitlines()) if line["event"] == "reply"]
    assert reply["ok"] is True
    assert service.is_active()


def test_the_service_runs_as_its_own_user_without_any_capability(connect):
    connect().event("hello")
    with open(f"/proc/{service.main_pid()}/status", encoding="ascii") as file:
        status = dict(line.rstrip("\n").split(":\t", 1) for line in file)
    assert status["CapEff"] == status["CapBnd"] == "0000000000000000"
    assert status["NoNewPrivs"] == "1" and status["Seccomp"] == "2"
    assert status["Uid"].split()[0] != "0"

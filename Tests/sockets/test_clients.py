"""Many clients at once, some of which never read. Slow clients never block others."""

import signal
from concurrent.futures import ThreadPoolExecutor

from connection import DEADLINE, events_of, is_event
from recording import Recording

SPEED = 50

# More than the output for all frames that are written before any client reads; and presses without the rules that depend
# on times, as frames are written faster than their times tell.
ROOMY = """\
socket: { client_buffer_kib: 1024 }
press: { rules: none }
"""


def ten_fingers(frames):
    """More than ten times the size of any buffer."""
    recording = Recording().pause(300 * SPEED)
    for slot in range(10):
        recording.begin(slot, 20 + slot)
    recording.report()
    for number in range(1, frames):
        recording.wait(100)
        for slot in range(10):
            recording.press(slot, 20 + (number * 7 + slot * 31) % 230)
        if number % 50 == 0:
            recording.lift(number // 50 % 10)
        if number % 50 == 5 and len(recording.down) < 10:
            recording.begin(next(slot for slot in range(10) if slot not in recording.down), 99)
        recording.report()
    recording.wait(100)
    for slot in list(recording.down):
        recording.lift(slot)
    return recording.report()


def test_slow_clients_receive_the_final_lines(serve):
    daemon = serve(ten_fingers(600), "--speed", str(4 * SPEED), config=ROOMY)
    slow = daemon.connect("subscribe max_hz=0")
    quick = daemon.connect()
    quick.until(lambda line: is_event(line, "weight", contacts=[]))
    waiting = [client["waiting"] for client in quick.ask("stats")["result"]["clients"] if not client["you"]]
    # Far more than a socket accepts at once.
    assert waiting[0] > 512 * 1024
    # The slow client begins to read at the moment in which the daemon is terminated.
    daemon.process.send_signal(signal.SIGSTOP)
    daemon.process.send_signal(signal.SIGTERM)
    with ThreadPoolExecutor() as pool:
        received = pool.submit(slow.whole_lines)
        daemon.process.send_signal(signal.SIGCONT)
        lines = received.result(DEADLINE)
    assert is_event(events_of(lines, "device")[-1], "device", change="removed")
    assert daemon.process.wait(DEADLINE) == 0

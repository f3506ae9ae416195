"""Runs in the guest: the cost of a frame with increasing numbers of contacts, clients and devices.

The cost is in instructions, including those of the kernel, and therefore reproducible.
"""

import os
import subprocess

from measure import LINE_LENGTH, READERS, SOCKET, Reader, Run, cpu, reads, wait_for_rest
from pad import UinputPad
from waiting import wait_until

FLOOR, LIBINPUT, OURS = READERS[0], READERS[2], READERS[-1]
CONTACTS = (1, 5, 10, 20, 40)
CLIENTS = (1, 16, 64, 128, 256)
DEVICES = (1, 2, 4, 8, 16)
WARM, FRAMES, HERTZ = 50, 100, 50


def cost_of_contacts(reader, contacts):
    # The length of a line of pressured with this many contacts.
    command = [LINE_LENGTH * contacts // 10 if word == LINE_LENGTH else word for word in reader.command]
    return cost(Run(Reader(reader.name, command, "", clients=reader.clients), contacts=contacts))


def cost_of_clients(reader, clients):
    return cost(Run(Reader(reader.name, reader.command, "", clients=clients)))


def cost(run):
    run.stream(WARM, HERTZ)
    before = cpu(run.process.pid)
    run.stream(FRAMES, HERTZ)
    spent = cpu(run.process.pid) - before
    if run.listener:
        run.listener.kill()
    run.end()
    return spent / FRAMES


def cost_of_devices(devices):
    """Instructions per frame with simultaneous touches on several devices and one client."""
    if os.path.exists(SOCKET):
        os.unlink(SOCKET)
    pads = [UinputPad(f"bench {number}", slots=10) for number in range(devices)]
    daemon = subprocess.Popen(
        ["/task/pressured", "run", "--socket", SOCKET, "--state", "/run/bench"], stderr=subprocess.DEVNULL
    )
    wait_until(lambda: os.path.exists(SOCKET), "the daemon did not create its socket")
    client = subprocess.Popen(
        ["socat", "-", f"UNIX-CONNECT:{SOCKET}"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, bufsize=0
    )
    client.stdin.write(b"subscribe events=weight max_hz=0\n")
    wait_until(lambda: all(reads(daemon, pad.node) for pad in pads), "the daemon did not open all devices")
    stream(pads, WARM, daemon)
    before = cpu(daemon.pid)
    stream(pads, FRAMES, daemon)
    spent = cpu(daemon.pid) - before
    client.kill()
    daemon.terminate()
    daemon.wait()
    for pad in pads:
        pad.unplug()
    return spent / FRAMES / devices


def stream(pads, frames, daemon):
    for thread in [pad.start(pad.stream, 10, HERTZ, frames) for pad in pads]:
        thread.join()
    wait_for_rest(daemon.pid)


def main():
    rows = ["what,number,program,instructions"]

    def note(what, number, program, instructions):
        rows.append(f"{what},{number},{program},{instructions:.0f}")
        print(rows[-1], flush=True)

    for reader, name in ((FLOOR, "floor"), (LIBINPUT, "libinput"), (OURS, "pressured")):
        for contacts in CONTACTS:
            note("contacts", contacts, name, cost_of_contacts(reader, contacts))
        for clients in CLIENTS if reader.clients else ():
            note("clients", clients, name, cost_of_clients(reader, clients))
    for devices in DEVICES:
        note("devices", devices, "pressured", cost_of_devices(devices))
    with open("/out/growth.csv", "w", encoding="ascii") as file:
        file.write("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()

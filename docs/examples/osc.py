#!/usr/bin/env python3
"""Sends the force of each contact as OSC messages, for synthesizers and patches: /pressured/DEVICE/SLOT with force ratio, x and y.
It sends none if one of them is unknown.

usage: osc.py HOST PORT [SOCKET]
"""

import json
import os
import socket
import struct
import sys

SYSTEM = "/run/pressured/pressured.sock"


def text(words):
    """A string of OSC: ended by a zero byte and padded to four bytes."""
    raw = words.encode() + b"\0"
    return raw + b"\0" * (-len(raw) % 4)


def message(address, *numbers):
    return text(address) + text("," + "f" * len(numbers)) + struct.pack(f">{len(numbers)}f", *numbers)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    host, port = sys.argv[1], int(sys.argv[2])
    path = sys.argv[3] if len(sys.argv) > 3 else os.environ.get("PRESSURED_SOCKET", SYSTEM)
    with socket.socket(socket.AF_UNIX) as daemon, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        daemon.connect(path)
        daemon.sendall(b'{"do":"subscribe","events":["weight","contact"]}\n')
        with daemon.makefile(encoding="utf-8") as stream:
            for line in map(json.loads, stream):
                contacts = line["contacts"] if line["event"] == "weight" else [line] if line.get("phase") in ("ended", "cancelled") else []
                for contact in contacts:
                    ended = line["event"] == "contact"
                    numbers = [0 if ended else contact["ratio"], contact["x"], contact["y"]]
                    # What is unknown is not 0.
                    if None in numbers:
                        continue
                    receiver.sendto(message(f"/pressured/{line['device']}/{contact['slot']}", *numbers), (host, port))


if __name__ == "__main__":
    main()

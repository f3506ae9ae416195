#!/usr/bin/env python3
"""Prints the weight on each device at most five times per second, and marks estimates.

usage: totals.py [SOCKET]
"""

import json
import os
import socket
import sys

SYSTEM = "/run/pressured/pressured.sock"


def lines(path, **request):
    """Sends one request and yields every line from the daemon."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        connection.sendall(json.dumps(request).encode() + b"\n")
        with connection.makefile(encoding="utf-8") as stream:
            for line in stream:
                yield json.loads(line)


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("PRESSURED_SOCKET", SYSTEM)
    about = {"nominal": "≈ ", "none": "no idea: "}
    sources = {}
    for line in lines(path, do="subscribe", events=["device", "weight"], max_hz=5):
        match line["event"]:
            case "device":
                sources[line["device"]] = line["weight_source"]
            case "weight":
                device, grams = line["device"], line["total_grams"]
                shown = "–" if grams is None else grams
                print(f"{device}: {about.get(sources[device], '')}{shown} g", flush=True)
            case "reply" if not line["ok"]:
                sys.exit(line["error"]["message"])
            # Ignore all other events: later versions of the daemon add some.


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        # The reader of standard output is gone: discard what is still buffered.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        sys.exit(f"no daemon answers: {error}")

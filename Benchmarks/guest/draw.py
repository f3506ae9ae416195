"""Plots the measurements of growth.py.

usage: draw.py growth.csv growth.svg     needs python3-matplotlib
"""

import csv
import sys

import matplotlib

matplotlib.use("svg")
# The output is reproducible.
matplotlib.rcParams["svg.hashsalt"] = "pressured"

from matplotlib import pyplot  # noqa: E402

MARKS = {
    "floor": ("o--", "#0072b2", "bare C, read and write"),
    "libinput": ("^:", "#009e73", "libinput debug-events"),
    "pressured": ("s-", "#d55e00", "pressured"),
}
PER = {"contacts": "frame", "clients": "frame", "devices": "frame"}


def main(source, target):
    with open(source, encoding="ascii") as file:
        rows = list(csv.DictReader(file))
    figure, axes = pyplot.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
    for axis, what in zip(axes, PER):
        for program, (style, color, label) in MARKS.items():
            chosen = [row for row in rows if row["what"] == what and row["program"] == program]
            if chosen:
                numbers = [int(row["number"]) for row in chosen]
                costs = [int(row["instructions"]) / 1000 for row in chosen]
                axis.plot(numbers, costs, style, color=color, label=label, markersize=4)
        axis.set(xlabel=what, title=f"thousand instructions per {PER[what]}", xlim=0, ylim=0)
        axis.title.set_fontsize("medium")
        axis.xaxis.get_major_locator().set_params(integer=True)
        axis.grid(alpha=0.3)
    axes[0].legend()
    figure.savefig(target, metadata={"Date": None})


if __name__ == "__main__":
    main(*sys.argv[1:])

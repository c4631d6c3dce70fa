"""Kernels of an instruction of the processor, of the peak that a probe of it alone reaches."""

import json
import subprocess
import sys
from pathlib import Path

import machines

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build" / "benchmarks" / "bench-instructions"
RESULTS = ROOT / "tests" / "benchmarks" / "results"

INTRODUCTION = """# Kernels of instructions

Made by `./x bench instructions`. Machine: %s; one core, pinned.
The peak is what a probe of the instruction alone reaches (chains of sums in registers), measured beside each sample; a round counts when its
probe is within 5 %% of the best one (`rounds`: counted/tried), and the time is the least of those. A product and its sum are two operations; taps
on the padding count. Inputs and outputs are row-major, padding is done inside of the kernel; weights lie as the instruction reads them. Outputs are equal to
those of the plain kernel, bit by bit.

| kernel | what | instruction | steps | ms | GOP/s | peak, GOP/s | of peak | rounds |
|---|---|---|---|---|---|---|---|---|
"""


def row_text(row):
    if "failure" in row:
        return "| %s | %s |||||||| \n" % (row["name"], row["failure"])
    return "| %s | %s | `%s` | %d | %.4g | %.0f | %.0f | **%.0f %%** | %s |\n" % (
        row["name"], row["what"], row["instruction"], row["steps"], row["milliseconds"], row["gops"],
        row["peak_gops"], 100 * row["of_peak"], row["rounds"])


def main():
    rows = json.loads(subprocess.run([str(PROGRAM)], capture_output=True, text=True, check=True).stdout)
    text = INTRODUCTION % machines.title() + "".join(row_text(row) for row in rows)
    for row in rows:
        if "script" in row:
            text += "\n## The script of %s\n\n```\n%s```\n" % (row["name"], row["script"])
    print(text)
    if any("failure" in row for row in rows):
        return 1
    (RESULTS / ("instructions_%s.md" % machines.kind())).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

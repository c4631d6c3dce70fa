"""A pack of kernels for a machine with a GPU, and what came back from one.

`./x bench gpu --pack [FOLDER]` makes the pack (build/gpu-pack); `sh run.sh` in it is all that such a machine runs.
`./x bench gpu --results FILE` keeps the JSON that it wrote, and prints its tables.
"""

import argparse
import json
import re
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "build" / "benchmarks"
RESULTS = ROOT / "tests" / "benchmarks" / "results"
# Words of a device's name, and as which GPU it is described.
DESCRIBED = [("H200", "h200"), ("H100", "h100"), ("A100", "a100"), ("4090", "rtx4090"), ("Orin", "orin")]

INTRODUCTION = """# Kernels on a GPU

Made by `./x bench gpu --pack`, then `sh run.sh` on the machine, then `./x bench gpu --results`. Device: %s; driver of CUDA %s; %s.
All arithmetic is f32 without TF32. Times are medians of %d rounds in random order of the peers, by the device's events, data warm in caches where
it fits; `graph`: the calls of a sample were one graph. Speed: the peer's time over ours, the median of the rounds' ratios (above 1: we are faster).
%d of %d kernels of the GPU test set are right, %d of %d timed ones; %d were left out for time. The whole run took %.0f s.
%s
"""


def kind_of(name):
    """A word for file names: nvidia_h200."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") or "unknown"


def described(name):
    return next((gpu for word, gpu in DESCRIBED if word in name), None)


def median(values):
    return statistics.median(values) if values else None


def arm_of(item, name):
    return next((arm for arm in item.get("arms", []) if arm["name"] == name and arm.get("seconds")), None)


def speed(item, peer):
    """The peer's time over ours; None where one of both has none."""
    ours, other = arm_of(item, "ours"), arm_of(item, peer)
    if ours is None or other is None:
        return None
    return median([b / a for a, b in zip(ours["seconds"], other["seconds"])])


def modelled(item, gpu):
    return item.get("modelled", {}).get(gpu or "", {}).get("seconds")


def number(value, form="%.2f"):
    return "-" if value is None else form % value


def geometric_mean(values):
    return statistics.geometric_mean(values) if values else None


def times_table(report, gpu):
    peers = [name for name, facts in report.get("peers", {}).items() if "version" in facts]
    text = "\n## Times\n\n"
    for name, facts in report.get("peers", {}).items():
        text += "- %s: %s\n" % (name, "; ".join(filter(None, [facts.get("version"), facts.get("why")])))
    text += "\n| kernel | µs | TFLOP/s | GB/s | modelled, µs | modelled / measured | graph |%s\n" % "".join(
        " speed against %s |" % peer for peer in peers)
    text += "|---|---|---|---|---|---|---|%s\n" % ("---|" * len(peers))
    for item in report["times"]:
        ours = arm_of(item, "ours")
        if ours is None:
            text += "| %s | %s |%s\n" % (item["name"], item.get("why", item.get("left_out", "no time")),
                                         " |" * (5 + len(peers)))
            continue
        seconds, model = median(ours["seconds"]), modelled(item, gpu)
        text += "| %s | %.4g | %.3g | %.0f | %s | %s | %s |%s\n" % (
            item["name"], seconds * 1e6, item["flops"] / seconds * 1e-12, item["bytes"] / seconds * 1e-9,
            number(model and model * 1e6, "%.4g"), number(model and model / seconds),
            "yes" if ours.get("graph") else "no", "".join(" %s |" % number(speed(item, peer)) for peer in peers))
    return text + means(report, peers)


def means(report, peers):
    """Of the groups that goals are set for."""
    groups = [("products (S...)", r"S\d+$"), ("C1-C12, batch 1", r"C\d+$"), ("C1-C12, batch 16", r"C\d+_batch16$"),
              ("depthwise (D...)", r"D\d+$"), ("all", r".")]
    text = "\n| geometric mean of speeds |%s\n|---|%s\n" % ("".join(" %s |" % peer for peer in peers),
                                                            "---|" * len(peers))
    for title, pattern in groups:
        values = [geometric_mean([s for s in (speed(item, peer) for item in report["times"]
                                              if re.match(pattern, item["name"])) if s]) for peer in peers]
        text += "| %s |%s\n" % (title, "".join(" %s |" % number(value) for value in values))
    return text if peers else ""


def model_text(report, gpu):
    ratios = []
    for item in report["times"]:
        ours, model = arm_of(item, "ours"), modelled(item, gpu)
        if ours and model:
            ratio = model / median(ours["seconds"])
            ratios.append(max(ratio, 1 / ratio))
    if not ratios:
        return "\nNo description of this GPU is known, so nothing was modelled.\n" if gpu is None else ""
    return ("\nModelled against measured time (%s): %d of %d within 1.3x, %d within 1.15x; median %.2fx.\n" %
            (gpu, sum(r <= 1.3 for r in ratios), len(ratios), sum(r <= 1.15 for r in ratios), median(ratios)))


def roofs_table(report):
    text = "\n## What the device reaches\n\n| what | rate |\n|---|---|\n"
    for one in report["roofs"]:
        if "rate" in one:
            unit, times = {"bytes a second": ("GB/s", 1e-9), "FLOP a second": ("GFLOP/s", 1e-9)}.get(
                one["unit"], (one["unit"], 1))
            text += "| %s | %.4g %s |\n" % (one["name"], one["rate"] * times, unit)
    return text


def patterns_table(report):
    """Cycles of an access over those of one without conflicts, beside the model's passes over its."""
    text = """
## Passes of shared memory

One access of a warp, all warps of a full block asking; the model's passes are right where cycles follow them.

| bytes a lane | accesses | cycles within 10 % of the passes | farthest |
|---|---|---|---|
"""
    for width in sorted({one["bytes"] for one in report["patterns"] if "passes" in one}):
        own = [one for one in report["patterns"] if one.get("bytes") == width]
        apart = [(abs(one["cycles"] / one["passes"] - 1), one) for one in own]
        worst = max(apart, key=lambda pair: pair[0])[1]
        text += "| %d | %d | %d | %s: %.2f cycles, %d passes |\n" % (
            width, len(own), sum(a <= 0.1 for a, _ in apart), worst["name"], worst["cycles"], worst["passes"])
    return text


def failures(report):
    lines = ["- %s: %s\n" % (one.get("name"), one["why"])
             for part in ("checks", "roofs", "patterns", "times") for one in report[part] if "why" in one]
    for item in report["times"]:
        lines += ["- %s, %s: %s\n" % (item["name"], peer, why) for peer, why in item.get("failures", {}).items()]
        lines += ["- %s, %s: %s\n" % (item["name"], arm["name"], arm["why"])
                  for arm in item.get("arms", []) if "why" in arm]
    return "\n## What went wrong\n\n" + "".join(lines) if lines else ""


def table(report):
    if "device" not in report:
        return "The run came to nothing: %s\n" % report.get("why", "no reason was given")
    gpu = described(report["device"]["name"])
    version = report["device"]["CUDA version of the driver"]
    right = {part: sum(bool(one.get("ok")) for one in report[part]) for part in ("checks", "times")}
    left = sum("left_out" in one for part in ("checks", "times") for one in report[part])
    text = INTRODUCTION % (report["device"]["name"], "%d.%d" % (version // 1000, version % 1000 // 10),
                           report["generator"], report["rounds"], right["checks"], len(report["checks"]),
                           right["times"], len(report["times"]), left, report["seconds"], report.get("note", ""))
    if not report["finished"]:
        text += "The run was ended before it was done.\n"
    return (text + model_text(report, gpu) + times_table(report, gpu) + roofs_table(report) + patterns_table(report) +
            failures(report))


def pack(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    code = subprocess.run([str(PROGRAMS / "bench-gpu-pack"), str(folder), "--runner",
                           str(PROGRAMS / "run-gpu")]).returncode
    if code == 0:
        print("copy it to the machine with the GPU, and there: sh run.sh --out results.json")
    return code


def take(file):
    report = json.loads(Path(file).read_text())
    text = table(report)
    print(text)
    if "device" not in report:
        return 1
    stem = "gpu_" + kind_of(report["device"]["name"])
    (RESULTS / (stem + ".json")).write_text(json.dumps(report) + "\n")
    (RESULTS / (stem + ".md")).write_text(text)
    return 0


def main():
    parser = argparse.ArgumentParser(prog="./x bench gpu", description=__doc__.splitlines()[0])
    parser.add_argument("--pack", nargs="?", const=ROOT / "build" / "gpu-pack", type=Path, metavar="FOLDER")
    parser.add_argument("--results", type=Path, metavar="FILE")
    options = parser.parse_args()
    if options.results:
        return take(options.results)
    return pack(options.pack or ROOT / "build" / "gpu-pack")


if __name__ == "__main__":
    sys.exit(main())

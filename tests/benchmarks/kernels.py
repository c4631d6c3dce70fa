"""Our kernels against the vendor's, one operator at a time, one pinned core.

Each workload runs in processes of its own (a crash loses one row), in each of which all arms are
measured in interleaved rounds; see kernels/rounds.h. There are several because where the system
places a process's memory decides how its tensors share a cache: up to 1.9 times for a depthwise
convolution. With --trials each workload's kernel is tuned first, from an
empty store, and is an arm of its own. Writes the table and the raw samples to
tests/benchmarks/results/, in files of this kind of processor.
"""

import argparse
import json
import math
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import machines

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "benchmarks"
TW = ROOT / "build" / "bin" / "tw"
PROGRAM = BUILD / "bench-kernels"
RESULTS = ROOT / "tests" / "benchmarks" / "results"

# The standard that each kind of workload is measured against, and the Debian package it comes from.
PEERS = {"onednn": "libdnnl-dev", "openblas": "libopenblas-dev"}
SECTIONS = [
    ("C", "Convolutions of ResNet-18", "oneDNN direct", ["onednn"]),
    ("D", "Depthwise convolutions of MobileNet", "oneDNN direct", ["onednn"]),
    ("S", "Products of square matrices", "OpenBLAS", ["openblas", "onednn"]),
]


def section_of(workload):
    return next(section for section in SECTIONS if workload.startswith(section[0]))


def peer_path(name):
    return BUILD / "peers" / (name + ".so")


def measure(workload, options):
    """One report per process, or why there is none."""
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        script = tuned_script(workload, options.trials, folder) if options.trials else None
        for index in range(options.processes):
            run = run_once(workload, options, options.seed + index, script)
            if "failure" in run:
                return {"workload": workload, "failure": run["failure"]}
            runs.append(run)
    return {"workload": workload, "runs": runs}


def tuned_script(workload, trials, folder):
    """The best schedule after so many trials, as a file."""
    model, script = Path(folder) / "model.onnx", Path(folder) / "tuned.tws"
    kernel = subprocess.run([str(PROGRAM), workload, "--write-model", str(model)],
                            capture_output=True, text=True, check=True).stdout.strip()
    subprocess.run([str(TW), "tune", str(model), "--kernel", kernel, "--trials", str(trials), "--threads", "1",
                    "--no-store", "--out", str(script)], capture_output=True, check=True)
    return script


def run_once(workload, options, seed, script):
    rounds = -(-options.rounds // options.processes)
    command = [str(PROGRAM), workload, "--rounds", str(rounds), "--seed", str(seed)]
    for name in section_of(workload)[3]:
        if peer_path(name).exists():
            command += ["--peer", str(peer_path(name))]
    if script:
        command += ["--script", str(script)]
    if options.core is not None:
        command += ["--core", str(options.core)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    except subprocess.TimeoutExpired:
        return {"failure": "took more than 10 minutes"}
    if done.returncode != 0:
        reason = done.stderr.strip() or "ended by signal %d" % -done.returncode
        return {"failure": reason.removeprefix("bench-kernels: ")}
    return json.loads(done.stdout)


def samples_of(run, kept):
    """Of one process: seconds by arm, from the rounds that `kept` marks, with every arm there."""
    seconds = {arm: [s for s, k in zip(samples, kept) if k]
               for arm, samples in run["rounds"]["seconds"].items()}
    # The best arm is not measured twice when it is the standard one, nor is a plain one where
    # nothing changes layouts.
    if "best" not in seconds:
        for ending in ("", "_plain"):
            if "standard" + ending in seconds:
                seconds["best" + ending] = seconds["standard" + ending]
    for arm in ("ours", "standard", "best"):
        if arm in seconds:
            seconds.setdefault(arm + "_plain", seconds[arm])
    return seconds


class Row:
    """The figures of one workload, from the kept rounds of all its processes."""

    def __init__(self, report):
        runs = report["runs"]
        self.workload, self.flops = report["workload"], runs[0]["flops"]
        self.kept = sum(sum(run["rounds"]["kept"]) for run in runs)
        self.tried = sum(len(run["rounds"]["kept"]) for run in runs)
        # Where the machine was never quiet there is nothing but disturbed rounds: marked figures
        # are better than none.
        self.disturbed = self.kept == 0
        self.seconds = {}
        for run in runs:
            for arm, samples in self.samples(run).items():
                self.seconds.setdefault(arm, []).extend(samples)
        self.compile_seconds = min(run["ours"]["compile_seconds"] for run in runs)
        self.fast_compile_seconds = min(run["ours"]["fast_compile_seconds"] for run in runs)
        self.standard = runs[0].get("standard")
        self.best = min((run for run in runs if "best" in run),
                        key=lambda run: min(self.samples(run)["best"], default=math.inf),
                        default={}).get("best")
        self.peers = runs[0]["peers"]
        self.peak = 1e9 * max(max(p) for run in runs for p in run["rounds"]["probe_gflops"].values())

    def samples(self, run):
        kept = run["rounds"]["kept"]
        return samples_of(run, [True] * len(kept) if self.disturbed else kept)

    def least(self, arm):
        return min(self.seconds[arm]) if arm in self.seconds else None

    def fraction_of_peak(self, arm="ours"):
        return self.flops / self.least(arm) / self.peak

    def ratio(self, ours, theirs):
        """Median of the rounds' ratios of times: below 1 we are faster, as for networks."""
        if theirs not in self.seconds or ours not in self.seconds:
            return None
        return statistics.median(o / t for o, t in zip(self.seconds[ours], self.seconds[theirs]))

    def ratio_of_minima(self, ours, theirs):
        return self.least(ours) / self.least(theirs) if theirs in self.seconds else None

    def rounds_text(self):
        return "%d/%d%s" % (self.kept, self.tried, ", disturbed" if self.disturbed else "")


def best_name(row):
    if row.best is None:
        return "-"
    if row.best["algorithm"] == "sgemm":
        return "oneDNN" if row.best["implementation"] == "dnnl_sgemm" else "OpenBLAS"
    # Another implementation of the standard algorithm than the library's own choice.
    other = (row.best["algorithm"] == row.standard["algorithm"]
             and row.best["implementation"] != row.standard["implementation"])
    return row.best["algorithm"] + (" (%s)" % row.best["implementation"] if other else "")


def number(value, form="%.2f"):
    return "-" if value is None else form % value


def milliseconds(value):
    return "-" if value is None else "%.4g" % (value * 1e3)


def row_cells(row):
    cells = [row.workload, milliseconds(row.least("ours")),
             "%.0f" % (row.flops / row.least("ours") * 1e-9),
             "%.0f %%" % (100 * row.fraction_of_peak())]
    cells += [milliseconds(row.least("standard")), number(row.ratio("ours", "standard")),
              number(row.ratio_of_minima("ours", "standard"))]
    cells += [milliseconds(row.least("tuned")), number(row.ratio("tuned", "standard"))]
    cells += [best_name(row), milliseconds(row.least("best")), number(row.ratio("ours", "best"))]
    cells += [milliseconds(row.least("ours_plain")), number(row.ratio("ours_plain", "standard_plain")),
              number(row.ratio("ours_plain", "best_plain"))]
    cells += ["%.0f" % (1e3 * row.compile_seconds), number(row.ratio("ours_fast", "ours")),
              "%.0f" % (1e3 * row.fast_compile_seconds), row.rounds_text()]
    return cells


def geometric_mean(values):
    values = [v for v in values if v]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def mean_cells(rows):
    def ratio_mean(*arms):
        return "**%s**" % number(geometric_mean([row.ratio(*arms) for row in rows]))
    return ["geometric mean", "", "", "**%.0f %%**" % (100 * geometric_mean([r.fraction_of_peak() for r in rows])),
            "", ratio_mean("ours", "standard"),
            "**%s**" % number(geometric_mean([r.ratio_of_minima("ours", "standard") for r in rows])),
            "", ratio_mean("tuned", "standard"),
            "", "", ratio_mean("ours", "best"), "", ratio_mean("ours_plain", "standard_plain"),
            ratio_mean("ours_plain", "best_plain"), "", ratio_mean("ours_fast", "ours"), "", ""]


def section_lines(section, reports):
    prefix, title, standard, _ = section
    reports = [r for r in reports if r["workload"].startswith(prefix)]
    if not reports:
        return []
    good = [Row(r) for r in reports if "failure" not in r]
    if any(row.standard and row.standard["implementation"] == "dnnl_sgemm" for row in good):
        standard = "oneDNN sgemm"  # OpenBLAS is missing
    heads = ["workload", "ours, ms", "GFLOP/s", "of peak", standard + ", ms", "ours / peer", "of minima",
             "tuned, ms", "tuned / peer", "best", "best, ms", "ours / best", "plain to plain, ms", "ours / peer", "ours / best", "built in, ms",
             "fast / full tier", "built in, ms", "rounds"]
    lines = ["## " + title, "", "| %s |" % " | ".join(heads), "|---" * len(heads) + "|"]
    rows = {row.workload: row for row in good}
    for report in reports:
        name = report["workload"]
        cells = row_cells(rows[name]) if name in rows else [name, report["failure"]] + [""] * (len(heads) - 2)
        lines.append("| %s |" % " | ".join(cells))
    if good:
        lines.append("| %s |" % " | ".join(mean_cells(good)))
    return lines + [""]


INTRODUCTION = """# Kernels against vendors' libraries

Made by `%(command)s`. Machine: %(machine)s; one core, pinned; peak by the probe: %(peak).0f GFLOP/s. Peers: %(peers)s.
Batch 1, f32. Ours: a model of one operator, compiled with the default passes and schedules%(tuned)s.
Times are the least of the rounds. `ours / peer` is our time over the peer's (below 1: we are faster), the median over the interleaved rounds of %(processes)d processes;
a round counts when the probes beside its samples are within 5 %% of its process's best one (`rounds`: counted/tried; where none was, all of them, called disturbed). Caches are warm.
Each side has its weights packed beforehand and the tensors in the layouts it likes; `plain to plain` adds the changes of layout from and to row-major tensors on both sides.
A convolution stands between two 1x1 convolutions, as in its network, so that the passes choose its layout; only it is timed. `plain to plain` is the model with it alone, which stays row-major.
`fast / full tier` is the time of the code that the window shows first, without LLVM's optimizer, over that of the full tier, and `built in` after it the time to make it.
`best` is the fastest that the peer has by its kernel alone, whatever the algorithm. Outputs agree with float64 sums to 1e-4 and with each other. FLOP are nominal: taps on the padding count.
"""


def table(report):
    lines = [INTRODUCTION % report]
    for section in SECTIONS:
        lines += section_lines(section, report["workloads"])
    return "\n".join(lines)


def progress(report):
    if "failure" in report:
        return "%-6s %s" % (report["workload"], report["failure"])
    row = Row(report)
    return "%-6s ours %s ms, %.0f %% of peak, %s of the standard's time, %s of the best's (%s rounds)" % (
        row.workload, milliseconds(row.least("ours")), 100 * row.fraction_of_peak(),
        number(row.ratio("ours", "standard")), number(row.ratio("ours", "best")), row.rounds_text())


def chosen(names):
    known = subprocess.run([str(PROGRAM), "--list"], capture_output=True, text=True, check=True).stdout.split()
    if not names:
        return known
    wrong = [name for name in names if name not in known and name not in "CDS"]
    if wrong:
        sys.exit("bench: there is no workload '%s'" % wrong[0])
    return [name for name in known if name in names or name[0] in names]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="undisturbed ones, of all processes together")
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--trials", type=int, default=0, help="to tune each kernel with, first")
    parser.add_argument("--core", type=int, help="the last one when not given")
    parser.add_argument("--output", type=Path, help="folder of the table and the samples")
    parser.add_argument("workloads", nargs="*", help="names like C2, or C, D, S for all of a kind")
    options = parser.parse_args()
    for name, package in PEERS.items():
        if not peer_path(name).exists():
            print("bench: the peer %s is missing; install %s for it" % (name, package))
    reports = []
    for name in chosen(options.workloads):
        reports.append(measure(name, options))
        print(progress(reports[-1]), flush=True)
    rows = [Row(r) for r in reports if "failure" not in r]
    words = ["--trials %d" % options.trials] if options.trials else []
    command = " ".join(["./x bench kernels", *words, *options.workloads])
    tuned = "; `tuned`: the best schedule after %d trials from an empty store" % options.trials
    report = {"command": command, "machine": machines.title(), "rounds": options.rounds, "processes": options.processes,
              "seed": options.seed, "tuned": tuned if options.trials else ", nothing tuned", "peak": max([row.peak * 1e-9 for row in rows], default=0),
              "peers": "; ".join(sorted({p for row in rows for p in row.peers})) or "none",
              "workloads": reports}
    # A part of the workloads does not replace the table of all of them.
    folder = options.output or (None if options.workloads else RESULTS)
    print(table(report))
    if folder is None:
        return 0
    folder.mkdir(parents=True, exist_ok=True)
    stem = "kernels_" + machines.kind()
    (folder / (stem + ".json")).write_text(json.dumps(report) + "\n")
    (folder / (stem + ".md")).write_text(table(report))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The twelve convolutions of ResNet-18 (Chen et al. 2018, TVM, table 2) against oneDNN, one core each.

Ours is the schedule by rule, NCHW in and NCHW out, padding included, no tuning. The peer has layouts
of its own choice on both sides and weights reordered before anything is timed. Rounds are interleaved
in random order; outputs are compared first. Writes tests/benchmarks/results/kernels.{md,json}.
Needs python's onnx and numpy, g++ and libdnnl-dev.
"""

import argparse
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from bench import RESULTS, machine, our_samples, tw

# name: height, input channels, output channels, kernel, stride
WORKLOADS = {"C1": (224, 3, 64, 7, 2), "C2": (56, 64, 64, 3, 1), "C3": (56, 64, 64, 1, 1),
             "C4": (56, 64, 128, 3, 2), "C5": (56, 64, 128, 1, 2), "C6": (28, 128, 128, 3, 1),
             "C7": (28, 128, 256, 3, 2), "C8": (28, 128, 256, 1, 2), "C9": (14, 256, 256, 3, 1),
             "C10": (14, 256, 512, 3, 2), "C11": (14, 256, 512, 1, 2), "C12": (7, 512, 512, 3, 1)}


def write_model(folder, height, channels, outputs, kernel, stride):
    import numpy
    import onnx
    from onnx import helper, numpy_helper
    rng = numpy.random.default_rng(1)
    weights = rng.standard_normal((outputs, channels, kernel, kernel)).astype(numpy.float32)
    weights *= math.sqrt(2 / (channels * kernel * kernel))
    bias = rng.standard_normal(outputs).astype(numpy.float32)
    pad, out = kernel // 2, (height + 2 * (kernel // 2) - kernel) // stride + 1
    node = helper.make_node("Conv", ["X", "W", "B"], ["Y"], kernel_shape=[kernel] * 2,
                            strides=[stride] * 2, pads=[pad] * 4)
    graph = helper.make_graph(
        [node], "conv",
        [helper.make_tensor_value_info("X", 1, [1, channels, height, height])],
        [helper.make_tensor_value_info("Y", 1, [1, outputs, out, out])],
        [numpy_helper.from_array(weights, "W"), numpy_helper.from_array(bias, "B")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.save(model, str(Path(folder) / "model.onnx"))
    weights.tofile(str(Path(folder) / "weights.bin"))
    bias.tofile(str(Path(folder) / "bias.bin"))
    return 2 * channels * kernel * kernel * outputs * out * out


class Peer:
    def __init__(self, program, algorithm, workload, folder):
        height, channels, outputs, kernel, stride = workload
        self.process = subprocess.Popen(
            ["taskset", "-c", "0", str(program), algorithm] +
            [str(v) for v in (channels, height, outputs, kernel, stride, kernel // 2, folder)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"})
        answer = self.process.stdout.readline().split()
        if not answer or answer[0] != "ready":
            raise RuntimeError("oneDNN could not run %s" % algorithm)
        self.kind = answer[1]

    def samples(self, count):
        self.process.stdin.write("%d\n" % count)
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def difference(folder):
    import numpy
    ours = numpy.fromfile(str(Path(folder) / "output_0.bin"), numpy.float32)
    theirs = numpy.fromfile(str(Path(folder) / "peer.bin"), numpy.float32)
    return float(numpy.abs(ours - theirs).max() / numpy.abs(theirs).max())


def bench_workload(name, program, rounds):
    with tempfile.TemporaryDirectory() as folder:
        flops = write_model(folder, *WORKLOADS[name])
        model = Path(folder) / "model.onnx"
        tw("run", model, "--rounds", 1, "--write-inputs", folder)
        tw("run", model, "--rounds", 1, "--input-folder", folder, "--output-folder", folder)
        peers = {a: Peer(program, a, WORKLOADS[name], folder) for a in ("auto", "direct")}
        error = difference(folder)
        if not error <= 1e-3:
            raise RuntimeError("%s: outputs differ by %g" % (name, error))
        times = {"ours": [], "auto": [], "direct": []}
        arms = [("ours", lambda: our_samples(model, 1, 9, folder))]
        arms += [(a, lambda p=p: p.samples(9)) for a, p in peers.items()]
        for _ in range(rounds):
            random.shuffle(arms)
            for arm, run in arms:
                times[arm].append(run())
        for peer in peers.values():
            peer.close()
    ratio = {a: statistics.median(min(t) / min(o) for o, t in zip(times["ours"], times[a]))
             for a in peers}
    return {"name": name, "flops": flops, "error": error, "times_ms": times, "speed": ratio,
            "kinds": {a: p.kind for a, p in peers.items()}}


def mean(values):
    return math.exp(statistics.fmean(math.log(v) for v in values))


def table(report):
    lines = ["# Convolutions against oneDNN", "",
             "Made by `./x bench kernels`. Machine: %s. One core; schedules by rule, no trial. Speed is the" % report["machine"],
             "peer's time over ours, median over %d interleaved rounds: above 1 we are faster. Ours reads and" % report["rounds"],
             "writes NCHW; the peer has its own layouts on both sides.", "",
             "| workload | ours, ms | GFLOP/s | oneDNN direct, ms | speed | oneDNN auto, ms | speed | difference |",
             "|---|---|---|---|---|---|---|---|"]
    for row in report["rows"]:
        least = {arm: min(map(min, t)) for arm, t in row["times_ms"].items()}
        lines.append("| %s | %.3f | %.1f | %.3f | %.2f | %.3f | %.2f | %.1e |" % (
            row["name"], least["ours"], row["flops"] / least["ours"] / 1e6, least["direct"],
            row["speed"]["direct"], least["auto"], row["speed"]["auto"], row["error"]))
    lines.append("| geometric mean | | | | %.2f | | %.2f | |" % (
        mean(r["speed"]["direct"] for r in report["rows"]), mean(r["speed"]["auto"] for r in report["rows"])))
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("workloads", nargs="*", default=list(WORKLOADS))
    options = parser.parse_args()
    random.seed(options.seed)
    report = {"machine": machine(), "rounds": options.rounds, "seed": options.seed, "rows": []}
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "onednn"
        source = Path(__file__).parent / "peers" / "onednn_convolution.cpp"
        built = subprocess.run(["g++", "-O2", "-o", str(program), str(source), "-ldnnl"],
                               capture_output=True, text=True)
        if built.returncode != 0:
            print("bench: oneDNN's headers or library are missing (libdnnl-dev)")
            return 0
        for name in options.workloads or WORKLOADS:
            report["rows"].append(bench_workload(name, program, options.rounds))
            print(name, "%.2f" % report["rows"][-1]["speed"]["direct"], flush=True)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "kernels.json").write_text(json.dumps(report, indent=1) + "\n")
    (RESULTS / "kernels.md").write_text(table(report))
    print(table(report))
    return 0


if __name__ == "__main__":
    sys.exit(main())

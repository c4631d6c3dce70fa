"""Interleaved timings of whole networks against ONNX Runtime, one core each.

Every round measures each arm once, in random order; the table gives the median of the rounds' ratios
and the ratio of the minima. Outputs are compared before anything is timed: a fast wrong arm has no
time. With --tune each network is tuned first, from an empty store, and is an arm of its own. Writes the
table and the raw samples to tests/benchmarks/results/, in files of this kind of processor.
"""

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import machines

ROOT = Path(__file__).resolve().parents[2]
TW = ROOT / "build" / "bin" / "tw"
RESULTS = ROOT / "tests" / "benchmarks" / "results"

ORT_WORKER = r"""
import json, sys, time
import numpy, onnxruntime
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = int(sys.argv[2])
options.inter_op_num_threads = 1
options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
feeds = {}
types = {"tensor(float)": numpy.float32, "tensor(double)": numpy.float64, "tensor(int64)": numpy.int64,
         "tensor(int32)": numpy.int32, "tensor(bool)": numpy.bool_, "tensor(uint8)": numpy.uint8}
shapes = json.load(open(sys.argv[3] + "/shapes.json"))
for item in session.get_inputs():
    shape = shapes.get(item.name) or [d if isinstance(d, int) else 1 for d in item.shape]
    path = sys.argv[3] + "/" + str(len(feeds)) + ".bin"
    feeds[item.name] = numpy.fromfile(path, types[item.type]).reshape(shape)
outputs = session.run(None, feeds)
for index, value in enumerate(outputs):
    value.astype(numpy.float32).tofile(sys.argv[3] + "/ort_%d.bin" % index)
print("ready", flush=True)
for line in sys.stdin:
    samples = []
    for _ in range(int(line)):
        start = time.perf_counter()
        session.run(None, feeds)
        samples.append((time.perf_counter() - start) * 1e3)
    print(json.dumps(samples), flush=True)
"""


def tw(*arguments):
    done = subprocess.run([str(TW), *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return done.stdout


def peer_version():
    probe = subprocess.run(
        [sys.executable, "-c", "import onnxruntime, numpy; print(onnxruntime.__version__)"],
        capture_output=True, text=True)
    return probe.stdout.strip() if probe.returncode == 0 else None


class OrtArm:
    def __init__(self, model, threads, folder):
        self.process = subprocess.Popen(
            [sys.executable, "-c", ORT_WORKER, str(model), str(threads), str(folder)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline().strip() != "ready":
            raise RuntimeError("ONNX Runtime could not run the model")

    def samples(self, count):
        self.process.stdin.write("%d\n" % count)
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def fixes(folder):
    """What the command line must know of inputs whose shapes the model leaves open."""
    shapes = json.loads((Path(folder) / "shapes.json").read_text())
    return [word for name, shape in shapes.items() if shape
            for word in ("--shape", "%s=%s" % (name, "x".join(map(str, shape))))]


def prepare_inputs(model, folder):
    """Stored inputs where the model has some (random ones may lie where a network is chaotic)."""
    stored = sorted((Path(model).parent / "test_data_set_0").glob("input_*.pb"))
    shapes = {}
    if stored:
        import onnx
        from onnx import numpy_helper
        graph = onnx.load(str(model), load_external_data=False).graph
        given = {tensor.name for tensor in graph.initializer}  # older files list these as inputs
        names = [i.name for i in graph.input if i.name not in given]
        for index, path in enumerate(stored):
            array = numpy_helper.to_array(onnx.load_tensor(str(path)))
            shapes[names[index]] = array.shape
            array.tofile(Path(folder) / ("%d.bin" % index))
    (Path(folder) / "shapes.json").write_text(json.dumps(shapes))
    if not stored:
        tw("run", model, "--rounds", 1, "--write-inputs", folder)


def our_samples(model, threads, count, folder):
    fixed = [] if Path(model).suffix == ".twproj" else fixes(folder)  # a project has its shapes
    out = json.loads(tw("run", model, "--json", "--rounds", count, "--threads", threads,
                        *fixed, "--input-folder", folder))
    return out["samples_ms"]


def compare_outputs(model, folder):
    """The largest difference against the largest reference value, over all outputs."""
    import numpy
    tw("run", model, "--rounds", 1, *fixes(folder), "--input-folder", folder, "--output-folder", folder)
    worst = 0.0
    for reference in sorted(Path(folder).glob("ort_*.bin")):
        ours = numpy.fromfile(str(reference).replace("ort_", "output_"), numpy.float32)
        theirs = numpy.fromfile(reference, numpy.float32)
        if ours.shape != theirs.shape:
            return float("inf")
        worst = max(worst, float(numpy.abs(ours - theirs).max() / max(numpy.abs(theirs).max(), 1e-30)))
    return worst


def tuned_project(model, threads, seconds, folder):
    """The network's schedules after so many seconds of search, or why there are none."""
    project = Path(folder) / "tuned.twproj"
    tw("tune", model, *fixes(folder), "--seconds", seconds, "--threads", threads,
       "--store", Path(folder) / "trials.db", "--out", project)
    return project


def bench_model(name, model, options):
    threads = options.threads
    with tempfile.TemporaryDirectory() as folder:
        prepare_inputs(model, folder)
        peer = OrtArm(model, threads, folder)
        error = compare_outputs(model, folder)
        if not error <= 1e-3:
            peer.close()
            return {"name": name, "threads": threads, "failure": "outputs differ: %g" % error}
        arms = {"ours": lambda: our_samples(model, threads, 5, folder), "peer": lambda: peer.samples(5)}
        if options.tune:
            project = tuned_project(model, threads, options.tune, folder)
            arms["tuned"] = lambda: our_samples(project, threads, 5, folder)
        samples = {arm: [] for arm in arms}
        for _ in range(options.rounds):
            for arm in random.sample(list(arms), len(arms)):
                samples[arm].append(arms[arm]())
        peer.close()
    return {"name": name, "threads": threads, "error": error,
            **{arm + "_ms": of for arm, of in samples.items()}}


def least(row, arm):
    return min(map(min, row[arm + "_ms"])) if arm + "_ms" in row else None


def median_ratio(row, arm):
    """Of our time over the peer's, round by round."""
    if arm + "_ms" not in row:
        return None
    return statistics.median(min(a) / min(b) for a, b in zip(row[arm + "_ms"], row["peer_ms"]))


def number(value):
    return "-" if value is None else "%.2f" % value


def cells(row):
    start = [row["name"], str(row["threads"])]
    if "failure" in row:
        return start + [row["failure"]] + [""] * 6
    least_peer = least(row, "peer")
    return start + ["%.2g" % row["error"], number(least_peer), number(least(row, "ours")),
                    number(median_ratio(row, "ours")), number(least(row, "ours") / least_peer),
                    number(least(row, "tuned")), number(median_ratio(row, "tuned"))]


def table(report):
    tuned = " `tuned`: after `tw tune --seconds %g` from an empty store." % report["tune"] if report.get("tune") else ""
    heads = ["network", "threads", "largest difference", "peer, ms (min)", "ours, ms (min)", "ours / peer",
             "of minima", "tuned, ms (min)", "tuned / peer"]
    lines = ["# Whole networks against ONNX Runtime", "",
             "Made by `%s`. Machine: %s. ONNX Runtime %s, all optimizations." % (
                 report["command"], report["machine"], report["peer"]),
             "Warm caches; `ours / peer` is our time over the peer's (below 1: we are faster), median over %d "
             "interleaved rounds.%s" % (report["rounds"], tuned), "",
             "| %s |" % " | ".join(heads), "|---" * len(heads) + "|"]
    lines += ["| %s |" % " | ".join(cells(row)) for row in report["rows"]]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--tune", type=float, default=0, help="seconds to tune each network for, first")
    parser.add_argument("--samples", default="resnet18,mobilenet,dqn,dcgan,lstm", help="built-in models to measure, by name")
    parser.add_argument("--output", type=Path, help="folder of the table and the samples")
    parser.add_argument("models", nargs="*", help="more ONNX files to measure")
    options = parser.parse_args()
    random.seed(options.seed)
    peer = peer_version()
    if peer is None:
        print("bench: no ONNX Runtime in %s; install it into a virtual environment and set PYTHON" % sys.executable)
        return 0
    words = ["--tune %g" % options.tune] if options.tune else []
    words += ["--threads %d" % options.threads] if options.threads != 1 else []
    report = {"command": " ".join(["./x bench", *words]), "machine": machines.title(), "peer": peer,
              "rounds": options.rounds, "seed": options.seed, "tune": options.tune, "rows": []}
    with tempfile.TemporaryDirectory() as folder:
        samples = [(name, Path(folder) / (name + ".onnx")) for name in options.samples.split(",") if name]
        for name, path in samples:
            tw("models", "write", name, path)
        for name, model in samples + [(Path(m).parent.name or m, m) for m in options.models]:
            try:
                report["rows"].append(bench_model(name, model, options))
                print("| %s |" % " | ".join(cells(report["rows"][-1])), flush=True)
            except RuntimeError as failure:
                report["rows"].append({"name": name, "threads": options.threads, "failure": str(failure)})
    folder = options.output or RESULTS
    folder.mkdir(exist_ok=True)
    stem = "networks_" + machines.kind() + ("" if options.threads == 1 else "_%d_threads" % options.threads)
    stem += "_tuned" if options.tune else ""
    (folder / (stem + ".json")).write_text(json.dumps(report) + "\n")
    (folder / (stem + ".md")).write_text(table(report))
    print(table(report))
    return 0


if __name__ == "__main__":
    sys.exit(main())

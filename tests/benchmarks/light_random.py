"""Networks whose files hold no weights, with seeded random ones, against ONNX Runtime.

A light model makes each weight by ConstantOfShape: with all of them equal, a kernel that mixes up
channels is right by chance. Here every weight is drawn (He et al. 2015 for products, variances
positive), the model is written as an ONNX backend test with ONNX Runtime's outputs, and `tw verify`
judges it: max|difference| <= 1e-3 * max|reference| + 1e-6. The scores before a last softmax are an
output too, since a softmax may hide what is wrong.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy
import onnx
import onnxruntime
from onnx import numpy_helper

ROOT = Path(__file__).resolve().parents[2]
TW = ROOT / "build" / "bin" / "tw"
RESULTS = ROOT / "tests" / "benchmarks" / "results"


def role_of(graph, name):
    """What reads the tensor: "weights", "scale", "mean", "variance" or "bias"."""
    for node in graph.node:
        for index, used in enumerate(node.input):
            if used != name:
                continue
            if node.op_type in ("Unsqueeze", "Reshape"):
                return role_of(graph, node.output[0])
            if node.op_type in ("Conv", "Gemm", "MatMul"):
                return "weights" if index == 1 else "bias"
            if node.op_type == "BatchNormalization":
                return ("data", "scale", "bias", "mean", "variance")[index]
            return "scale" if node.op_type == "Mul" else "bias"
    return "unused"


def drawn(rng, role, shape):
    if role == "weights":
        inputs = int(numpy.prod(shape[1:])) or 1
        return rng.standard_normal(shape) * numpy.sqrt(2 / inputs)
    if role in ("scale", "variance"):
        return rng.uniform(0.5, 1.5, shape)
    return rng.standard_normal(shape) * 0.1


def with_random_weights(model, seed):
    """Every float that the model is given by a file or by ConstantOfShape is drawn anew."""
    rng = numpy.random.default_rng(seed)
    graph = model.graph
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    kept, weights = [], []
    for node in list(graph.node):
        if node.op_type == "ConstantOfShape" and node.input[0] in stored:
            name, shape = node.output[0], tuple(stored[node.input[0]])
            graph.node.remove(node)
            weights.append((name, shape))
    for name, value in stored.items():
        if value.dtype == numpy.float32 and value.ndim > 0:
            weights.append((name, value.shape))
        else:
            kept.append(numpy_helper.from_array(value, name))
    for name, shape in weights:
        value = drawn(rng, role_of(graph, name), shape).astype(numpy.float32)
        kept.append(numpy_helper.from_array(value, name))
    names = {tensor.name for tensor in kept}
    used = {name for node in graph.node for name in node.input}
    del graph.initializer[:]
    graph.initializer.extend(tensor for tensor in kept if tensor.name in used)
    inputs = [value for value in graph.input if value.name not in names and value.name not in stored]
    del graph.input[:]
    graph.input.extend(inputs)
    model.ir_version = max(model.ir_version, 4)  # initializers need not be inputs
    return rng


def add_scores(graph):
    last = graph.node[-1]
    if last.op_type == "Softmax":
        value = onnx.helper.make_empty_tensor_value_info(last.input[0])
        value.type.tensor_type.elem_type = onnx.TensorProto.FLOAT
        graph.output.append(value)


def write_test(source, folder, seed):
    """The folder as `tw verify` reads it; the largest output of ONNX Runtime."""
    model = onnx.load(str(source / "model.onnx"))
    rng = with_random_weights(model, seed)
    add_scores(model.graph)
    test_set = folder / "test_data_set_0"
    test_set.mkdir(parents=True)
    onnx.save(model, str(folder / "model.onnx"))
    feeds = {}
    for index, item in enumerate(model.graph.input):
        shape = [dim.dim_value or 1 for dim in item.type.tensor_type.shape.dim]
        feeds[item.name] = rng.standard_normal(shape).astype(numpy.float32)
        tensor = numpy_helper.from_array(feeds[item.name], item.name)
        (test_set / f"input_{index}.pb").write_bytes(tensor.SerializeToString())
    session = onnxruntime.InferenceSession(
        str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
    outputs = session.run(None, feeds)
    for index, value in enumerate(outputs):
        if not numpy.isfinite(value).all():
            raise RuntimeError(f"{source.name}: ONNX Runtime's output {index} is not finite")
        tensor = numpy_helper.from_array(value, model.graph.output[index].name)
        (test_set / f"output_{index}.pb").write_bytes(tensor.SerializeToString())
    return outputs


def verify(folder):
    start = time.perf_counter()
    done = subprocess.run([str(TW), "verify", str(folder), "--json"], capture_output=True, text=True)
    if not done.stdout:
        raise RuntimeError(done.stderr.strip())
    return json.loads(done.stdout)["sets"][0], time.perf_counter() - start


def row_of(source, seed, keep):
    base = Path(tempfile.mkdtemp(prefix="tilewright_light_"))
    try:
        outputs = write_test(source, base / source.name, seed)
        result, seconds = verify(base / source.name)
    finally:
        if not keep:
            shutil.rmtree(base)
    if keep:
        print(f"{source.name}: kept in {base}", file=sys.stderr)
    spread = " / ".join(f"{value.std():.3g}" for value in outputs)
    print(f"{source.name}: {result['outcome']} {result['reason']}", flush=True)
    return result["outcome"] == "passed", (
        f"| {source.name} | {result['outcome']} | {result['max_abs_diff']:.2g} | "
        f"{result['max_abs_ref']:.3g} | {spread} | {seconds:.1f} |")


def main():
    parser = argparse.ArgumentParser(prog="./x bench light-random", description=__doc__)
    parser.add_argument("model", nargs="+", type=Path, help="folders with model.onnx")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--keep", action="store_true", help="leave the written tests behind")
    arguments = parser.parse_args()
    rows = [row_of(source.resolve(), arguments.seed, arguments.keep) for source in arguments.model]
    text = "\n".join([
        "# Light models with random weights", "",
        f"`./x bench light-random DIR...`, seed {arguments.seed}, against ONNX Runtime "
        f"{onnxruntime.__version__}. Judged by max|difference| <= 1e-3 * max|reference| + 1e-6 per "
        "output.", "",
        "Difference and value: the output that differs most. Deviation: of each of ONNX Runtime's "
        "outputs (the model's, then the scores before", "its softmax). Seconds: importing, "
        "compiling, running.", "",
        "| model | outcome | largest difference | largest value | deviation | seconds |",
        "|---|---|--:|--:|--:|--:|",
        *(row for _, row in rows), ""])
    (RESULTS / "light_random.md").write_text(text)
    print(text)
    sys.exit(0 if all(passed for passed, _ in rows) else 1)


if __name__ == "__main__":
    main()

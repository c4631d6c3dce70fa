"""Next moves of `tw suggest`, measured: the first one on kernels of the samples, and following it to the end."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import machines

ROOT = Path(__file__).resolve().parents[2]
TW = ROOT / "build" / "bin" / "tw"
RESULTS = ROOT / "tests" / "benchmarks" / "results"
SAMPLES = {"resnet18": 7, "mobilenet": 5, "dqn": 3, "dcgan": 3, "lstm": 2}  # the largest kernels of each
MOST_MOVES = 30

CONVOLUTION = """kernel {name}(X: f32[1, {c}, {y}, {y}], W: f32[{weights}] @param) -> Y
  pad[n in 1, c in {c}, y in {p}, x in {p}] = select(1 <= y && y < {q} && 1 <= x && x < {q}, X[n, c, y-1, x-1], 0)
"""
KERNELS = {
    "C2": CONVOLUTION.format(name="C2", c=64, y=56, p=58, q=57, weights="64, 64, 3, 3") +
    "  Y[n in 1, o in 64, y in 56, x in 56] = sum[c in 64, r in 3, s in 3] pad[n, c, y+r, x+s] * W[o, c, r, s]\n",
    "S512": """kernel S512(A: f32[512, 512], B: f32[512, 512]) -> C
  C[i in 512, j in 512] = sum[k in 512] A[i, k] * B[k, j]
""",
    "D3": CONVOLUTION.format(name="D3", c=128, y=56, p=58, q=57, weights="128, 3, 3") +
    "  Y[n in 1, c in 128, y in 56, x in 56] = sum[r in 3, s in 3] pad[n, c, y+r, x+s] * W[c, r, s]\n",
    "R512": """kernel R512(A: f32[512, 512], B: f32[512, 512] @param) -> C
  C[i in 512, j in 512] = sum[k in 512] A[i, k] * B[j, k]
""",
    "Q2": """kernel Q2(X: i8[1, 64, 56, 56], W: i8[64, 64, 3, 3] @param) -> Y
  pad[n in 1, c in 64, y in 58, x in 58] = select(1 <= y && y < 57 && 1 <= x && x < 57, X[n, c, y-1, x-1], 0:i8)
  Y[n in 1, o in 64, y in 56, x in 56] = sum[c in 64, r in 3, s in 3] i32(pad[n, c, y+r, x+s]) * i32(W[o, c, r, s])
""",
    "softmax": """kernel softmax(X: f32[128, 1000]) -> Y
  m[i in 128] = max[k in 1000] X[i, k]
  e[i in 128, j in 1000] = exp(X[i, j] - m[i])
  s[i in 128] = sum[k in 1000] e[i, k]
  Y[i in 128, j in 1000] = e[i, j] / s[i]
""",
}

INTRODUCTION = """# Next moves

Made by `./x bench moves`. Machine: %s. Times are those of `tw diff --time`: both schedules in turns, results checked.
"""
FIRST = """
## The move that is ranked first, from the plain nest

%d of %d make the kernel faster when measured.

| kernel | move | modelled gain | plain, ms | with it, ms | measured gain |
|---|---|---|---|---|---|
"""
FOLLOWED = """
## The first move again and again, against the schedule by rule

From the plain nest, while the move is modelled to bring something. Speed: time by rule / time so.

| kernel | moves | plain, ms | followed, ms | by rule, ms | speed |
|---|---|---|---|---|---|
"""


def tw(*arguments):
    done = subprocess.run([str(TW), "--json", *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError("tw %s: %s" % (" ".join(map(str, arguments)), done.stdout + done.stderr))
    return json.loads(done.stdout)


def times(model, kernel, before, after):
    """Of two schedules, measured in turns, in ms."""
    diff = tw("diff", model, "--kernel", kernel, "--script", before, "--script", after, "--time")
    row = next(value for value in diff["values"] if value["name"] == "measured time")
    return row["before"], row["after"]


def first_moves(folder):
    rows = []
    for sample, count in SAMPLES.items():
        model = "sample:" + sample
        kernels = sorted(tw("kernels", model), key=lambda kernel: -kernel["flops"])[:count]
        for kernel in (one["name"] for one in kernels):
            script = folder / "first.tws"
            found = tw("suggest", model, "--kernel", kernel, "--follow", 1, "--out", script)
            if not found["taken"]:
                rows.append((sample, kernel, "none", 1, 0, 0))
                continue
            move = found["taken"][0]
            rows.append((sample, kernel, move["effect"], move["gain"], *times(model, kernel, "plain", script)))
            print(rows[-1], flush=True)
    return rows


def followed(folder):
    rows = []
    for name, text in KERNELS.items():
        model, script = folder / (name + ".te"), folder / (name + ".tws")
        model.write_text("tilewright te 1\n" + text)
        found = tw("suggest", model, "--follow", MOST_MOVES, "--out", script)
        plain, _ = times(model, name, "plain", script)
        rule, so = times(model, name, "default", script)
        rows.append((name, len(found["taken"]), plain, so, rule, rule / so))
        print(rows[-1], found["script"], flush=True)
    return rows


def main():
    with tempfile.TemporaryDirectory() as folder:
        end = followed(Path(folder))
        first = first_moves(Path(folder))
    faster = sum(0 < row[5] < row[4] for row in first)
    text = INTRODUCTION % machines.title() + FIRST % (faster, len(first))
    for sample, kernel, effect, gain, before, after in first:
        text += "| %s %s | %s | %.3g | %.4g | %.4g | %.3g |\n" % (
            sample, kernel, effect, gain, before, after, before / after if after else 0)
    text += FOLLOWED
    for row in end:
        text += "| %s | %d | %.4g | %.4g | %.4g | **%.2f** |\n" % row
    print(text)
    (RESULTS / ("moves_%s.md" % machines.kind())).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""PyTorch for the runner: a request a line, an answer a line, both JSON. Its arithmetic is f32 without TF32."""

import json
import math
import os
import sys

SAMPLE_SECONDS = 2e-3


def work_of(torch, what, device):
    """A function of no arguments that does what the kernel does; None: unknown."""
    functional = torch.nn.functional
    op = what["op"]

    def made(*shape):
        return torch.rand(*shape, device=device) * 2 - 1

    if op == "matmul":
        a, b = made(what["n"], what["k"]), made(what["k"], what["m"])
        return lambda: torch.mm(a, b)
    if op == "batched_matmul":
        a, b = (made(what["batch"], what["n"], what["n"]) for _ in range(2))
        return lambda: torch.bmm(a, b)
    if op == "matrix_vector":
        a, x = made(what["n"], what["n"]), made(what["n"])
        return lambda: torch.mv(a, x)
    if op == "conv":
        x = made(what["batch"], what["channels"], what["image"], what["image"])
        w = made(what["filters"], what["channels"] // what["groups"], what["window"], what["window"])
        return lambda: functional.conv2d(x, w, stride=what["stride"], padding=what["window"] // 2,
                                         groups=what["groups"])
    if op in ("softmax", "layer_norm", "rms_norm", "row_sums", "column_sums", "total"):
        x, n = made(what["rows"], what["n"]), what["n"]
        gain, bias = made(n), made(n)
        if op == "rms_norm" and not hasattr(functional, "rms_norm"):
            return None
        return {"softmax": lambda: torch.softmax(x, -1),
                "layer_norm": lambda: functional.layer_norm(x, (n,), gain, bias),
                "rms_norm": lambda: functional.rms_norm(x, (n,), gain, 1e-5),
                "row_sums": lambda: x.sum(1), "column_sums": lambda: x.sum(0), "total": lambda: x.sum()}[op]
    if op == "add":
        x, z = made(what["n"]), made(what["n"])
        return lambda: x + z
    if op == "gelu":
        x = made(what["n"])
        return lambda: functional.gelu(x, approximate="tanh")
    if op == "transpose":
        x = made(what["n"], what["n"])
        return lambda: x.t().contiguous()
    if op == "max_pool":
        x = made(1, what["channels"], what["image"], what["image"])
        return lambda: functional.max_pool2d(x, 3, 2)
    if op == "network":
        return network_of(torch, what["name"], device)
    if op == "attention":
        q, k, v = (made(1, what["heads"], what["n"], what["d"]) for _ in range(3))
        return lambda: functional.scaled_dot_product_attention(q, k, v, scale=1.0)
    return None


def separable_layers(nn):
    """Of MobileNet, for pictures of 224 x 224."""
    def normed(*convolution, **options):
        return [nn.Conv2d(*convolution, bias=False, **options), nn.BatchNorm2d(convolution[1]), nn.ReLU()]

    channels, layers = 32, normed(3, 32, 3, 2, 1)
    for outputs, stride in ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1), (512, 1), (512, 1),
                            (512, 1), (512, 1), (1024, 2), (1024, 1)):
        layers += normed(channels, channels, 3, stride, 1, groups=channels) + normed(channels, outputs, 1)
        channels = outputs
    return layers + [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(1024, 1000)]


def network_of(torch, name, device):
    """The same layers with weights of its own; None: unknown, or what has it is not there."""
    nn = torch.nn
    if name == "resnet18":
        try:
            from torchvision.models import resnet18
        except ImportError:
            return None
        model, shape = resnet18(weights=None), (1, 3, 224, 224)
    elif name == "mobilenet":
        model, shape = nn.Sequential(*separable_layers(nn)), (1, 3, 224, 224)
    elif name == "dqn":
        model, shape = nn.Sequential(
            nn.Conv2d(4, 32, 8, 4), nn.ReLU(), nn.Conv2d(32, 64, 4, 2), nn.ReLU(), nn.Conv2d(64, 64, 3), nn.ReLU(),
            nn.Flatten(), nn.Linear(3136, 512), nn.ReLU(), nn.Linear(512, 18)), (1, 4, 84, 84)
    elif name == "dcgan":
        layers = [nn.Linear(100, 16384), nn.Unflatten(1, (1024, 4, 4)), nn.BatchNorm2d(1024), nn.ReLU()]
        for channels in (512, 256, 128):
            layers += [nn.ConvTranspose2d(2 * channels, channels, 4, 2, 1, bias=False), nn.BatchNorm2d(channels),
                       nn.ReLU()]
        model, shape = nn.Sequential(*layers, nn.ConvTranspose2d(128, 3, 4, 2, 1, bias=False), nn.Tanh()), (1, 100)
    else:
        return None
    model = model.eval().to(device)
    x = torch.rand(*shape, device=device) * 2 - 1
    return lambda: model(x)


class Timed:
    """Calls between two events, as one graph where that can be had."""

    def __init__(self, torch, work):
        self.torch, self.work, self.graph, self.calls = torch, work, None, 3
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):
                work()
        torch.cuda.current_stream().wait_stream(stream)
        torch.cuda.synchronize()
        seconds = self.sample()
        self.calls = max(1, min(1000, math.ceil(SAMPLE_SECONDS / max(seconds, 1e-7))))
        try:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                for _ in range(self.calls):
                    work()
            self.graph = graph
        except RuntimeError:
            torch.cuda.synchronize()
        self.sample()

    def sample(self):
        begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        if self.graph is not None:
            self.graph.replay()
        else:
            for _ in range(self.calls):
                self.work()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e-3 / self.calls


def open_torch():
    import torch
    if not torch.cuda.is_available():
        raise RuntimeError("it sees no GPU")
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    torch.set_grad_enabled(False)
    torch.zeros(1, device="cuda")
    return torch


def answer_to(torch, request, state):
    if "prepare" in request:
        state.pop("timed", None)
        torch.cuda.empty_cache()
        work = work_of(torch, request["prepare"], "cuda")
        if work is None:
            return {"known": False}
        state["timed"] = Timed(torch, work)
        return {"known": True, "graph": state["timed"].graph is not None}
    return {"seconds": state["timed"].sample()}


def sentence(error):
    return ("%s: %s" % (type(error).__name__, error)).splitlines()[0][:300]


def main():
    out = os.fdopen(os.dup(1), "w")  # what libraries print by themselves is no answer
    os.dup2(2, 1)

    def say(line):
        out.write(json.dumps(line) + "\n")
        out.flush()

    try:
        torch = open_torch()
    except Exception as error:
        say({"why": sentence(error)})
        return
    say({"version": torch.__version__})
    state = {}
    for line in sys.stdin:
        try:
            say(answer_to(torch, json.loads(line), state))
        except Exception as error:
            say({"why": sentence(error)})


if __name__ == "__main__":
    main()

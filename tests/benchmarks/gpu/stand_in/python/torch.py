"""In the place of PyTorch on the stand-in's device: as much of it as its peer uses, and no arithmetic."""

import contextlib
import time
import types

__version__ = "stand-in"


class Tensor:
    def __mul__(self, _):
        return self

    __sub__ = __add__ = __mul__


class Stream:
    def wait_stream(self, _):
        pass


class Event:
    def __init__(self, enable_timing):
        assert enable_timing

    def record(self):
        self.at = time.perf_counter()

    def synchronize(self):
        pass

    def elapsed_time(self, other):
        return (other.at - self.at) * 1e3


class Graph:
    def replay(self):
        time.sleep(1e-3)


def rand(*_shape, device):
    assert device == "cuda"
    return Tensor()


def zeros(*_shape, device):
    return rand(device=device)


def set_grad_enabled(_):
    print("what a library says by itself is no answer")


def mm(a, b):
    return a * b


@contextlib.contextmanager
def graph(_graph):
    yield


def library():
    return types.SimpleNamespace(allow_tf32=True)


nn = types.SimpleNamespace(functional=types.SimpleNamespace())
backends = types.SimpleNamespace(cuda=types.SimpleNamespace(matmul=library()), cudnn=library())
cuda = types.SimpleNamespace(is_available=lambda: True, Stream=Stream, current_stream=Stream, Event=Event,
                             CUDAGraph=Graph, graph=graph, stream=graph, synchronize=lambda: None,
                             empty_cache=lambda: None)

"""Runs the model in this folder on the stored inputs in test/, compares with the stored outputs and
measures. Needs numpy; the model is called through ctypes.

    python3 example.py [FOLDER] [THREADS]
"""
import ctypes
import os
import sys
import time

import numpy

# Element types in the order of TwType; bfloat16 has no twin in numpy.
TYPES = [numpy.float32, numpy.float64, numpy.float16, None, numpy.int8, numpy.uint8, numpy.int16,
         numpy.uint16, numpy.int32, numpy.uint32, numpy.int64, numpy.uint64, numpy.bool_]


class Tensor(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("type_name", ctypes.c_char_p), ("type", ctypes.c_int32),
                ("rank", ctypes.c_int32), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("bytes", ctypes.c_int64)]


class Model:
    """model = Model(folder); outputs = model(input, ...) with numpy arrays."""

    def __init__(self, folder, threads=0):
        self.library = ctypes.CDLL(os.path.join(folder, "libtilewright_runtime.so.1"))
        for name, result, arguments in (
                ("tw_load", ctypes.c_void_p, [ctypes.c_char_p, ctypes.c_int32]),
                ("tw_free", None, [ctypes.c_void_p]),
                ("tw_error", ctypes.c_char_p, []),
                ("tw_name", ctypes.c_char_p, [ctypes.c_void_p]),
                ("tw_input_count", ctypes.c_int32, [ctypes.c_void_p]),
                ("tw_output_count", ctypes.c_int32, [ctypes.c_void_p]),
                ("tw_input", ctypes.POINTER(Tensor), [ctypes.c_void_p, ctypes.c_int32]),
                ("tw_output", ctypes.POINTER(Tensor), [ctypes.c_void_p, ctypes.c_int32]),
                ("tw_input_data", ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_int32]),
                ("tw_output_data", ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_int32]),
                ("tw_run", ctypes.c_int32, [ctypes.c_void_p])):
            function = getattr(self.library, name)
            function.restype, function.argtypes = result, arguments
        self.handle = self.library.tw_load(os.fsencode(folder), threads)
        if not self.handle:
            raise RuntimeError(self.library.tw_error().decode())
        self.name = self.library.tw_name(self.handle).decode()
        self.inputs = [self._array(self.library.tw_input, self.library.tw_input_data, i)
                       for i in range(self.library.tw_input_count(self.handle))]
        self.outputs = [self._array(self.library.tw_output, self.library.tw_output_data, i)
                        for i in range(self.library.tw_output_count(self.handle))]

    def _array(self, tensor_of, data_of, index):
        """The model's own memory as an array."""
        tensor = tensor_of(self.handle, index).contents
        if TYPES[tensor.type] is None:
            raise RuntimeError("numpy has no type for " + tensor.type_name.decode())
        memory = (ctypes.c_char * tensor.bytes).from_address(data_of(self.handle, index))
        return numpy.frombuffer(memory, TYPES[tensor.type]).reshape(tensor.shape[:tensor.rank])

    def __call__(self, *inputs):
        for own, given in zip(self.inputs, inputs, strict=True):
            own[...] = given
        self.run()
        return [output.copy() for output in self.outputs]

    def run(self):
        if self.library.tw_run(self.handle) != 0:
            raise RuntimeError(self.library.tw_error().decode())

    def __del__(self):
        if getattr(self, "handle", None):
            self.library.tw_free(self.handle)


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    model = Model(folder, int(sys.argv[2]) if len(sys.argv) > 2 else 0)

    def stored(kind, index, like):
        return numpy.fromfile(os.path.join(folder, "test", f"{kind}_{index}.bin"),
                              like.dtype).reshape(like.shape)

    with open(os.path.join(folder, "test", "tolerance.txt"), encoding="ascii") as file:
        tolerance = float(file.read())
    outputs = model(*(stored("input", i, own) for i, own in enumerate(model.inputs)))
    for i, output in enumerate(outputs):
        expected = stored("output", i, output).astype(numpy.float64)
        largest = numpy.max(numpy.abs(expected), initial=0)
        difference = numpy.max(numpy.abs(output - expected), initial=0)
        print(f"{model.name}: output {i} differs by {difference:.3g}, its largest value is {largest:.3g}")
        if not difference <= tolerance * largest + 1e-6:
            sys.exit(f"the outputs differ from the stored ones by up to {difference:g}, "
                     f"where the largest value is {largest:g}")
    samples = []
    for _ in range(20):
        start = time.perf_counter()
        model.run()
        samples.append(1e3 * (time.perf_counter() - start))
    print(f"{min(samples):.3f} ms at best; the outputs are the stored ones")


if __name__ == "__main__":
    main()

/// Kernels for VTA as texts, and their streams run on its simulators.
#pragma once

#include <fmt/format.h>

#include <cstring>

#include "engine/backend/backend.h"
#include "engine/lowering/pipeline.h"
#include "engine/support/base/random.h"
#include "engine/te/te.h"
#include "targets/vta/compiler/listings.h"
#include "targets/vta/compiler/stages/kernel_calls.h"
#include "targets/vta/compiler/vta_backend.h"
#include "targets/vta/hardware/boards.h"
#include "targets/vta/hardware/description.h"
#include "targets/vta/simulator/events.h"

namespace tw::vta::testing {

/// A convolution with what follows it; channels and images in blocks.
struct ConvShape {
  int64_t images = 1, height = 14, width = 14, in = 64, out = 64, kernel = 3, stride = 1;
  bool bias = false, residual = false;
  bool rounded = true;   ///< half a step is added before the shift
  bool places = false;   ///< a tensor says how far each channel is shifted
  int64_t least = -127;  ///< what bytes are clipped to below
  int64_t padding() const { return kernel / 2; }
  int64_t result(int64_t extent) const { return (extent + 2 * padding() - kernel) / stride + 1; }
};

/// Windows of bytes: the largest or least of each, or its sum shifted back to bytes.
enum class Pool : uint8_t { kLargest, kLeast, kSum };
struct PoolShape {
  int64_t images = 1, height = 14, width = 14, channels = 64, window = 3, stride = 2, padding = 1;
  Pool pool = Pool::kLargest;
  bool residual = false;  ///< added to sums
  int64_t result(int64_t extent) const { return (extent + 2 * padding - window) / stride + 1; }
};

/// In blocks of the configuration, as the operator's compute has it.
inline std::string text_of(PoolShape const& s, Configuration const& c) {
  int64_t block = c.block(), batch = c.batch(), pad = s.padding;
  std::string rows = batch > 1 ? fmt::format(", {}", batch) : "", row = batch > 1 ? ", b" : "";
  std::string row_axis = batch > 1 ? fmt::format(", b in {}", batch) : "";
  int64_t n = s.images / batch, k = s.channels / block;
  std::string residual = s.residual
                             ? fmt::format(", R: i8[{}, {}, {}, {}{}, {}]", n, k,
                                           s.result(s.height), s.result(s.width), rows, block)
                             : "";
  std::string text =
      fmt::format("tilewright te 1\nkernel pool(X: i8[{}, {}, {}, {}{}, {}]{}) -> Y\n", n, k,
                  s.height, s.width, rows, block, residual);
  if (pad > 0)
    text += fmt::format(
        "  padded[n in {0}, c in {1}, y in {2}, x in {3}{4}, i in {5}] = select({6} <= y && y < "
        "{7} && {6} <= x && x < {8}, X[n, c, y-{6}, x-{6}{9}, i], {10}:i8)\n",
        n, k, s.height + 2 * pad, s.width + 2 * pad, row_axis, block, pad, pad + s.height,
        pad + s.width, row,
        s.pool == Pool::kSum       ? 0
        : s.pool == Pool::kLargest ? -128
                                   : 127);
  std::string step = s.stride > 1 ? fmt::format("*{}", s.stride) : "";
  std::string axes = fmt::format("n in {}, c in {}, y in {}, x in {}{}, i in {}", n, k,
                                 s.result(s.height), s.result(s.width), row_axis, block);
  std::string read =
      fmt::format("{}[n, c, y{}+r, x{}+s{}, i]", pad > 0 ? "padded" : "X", step, step, row);
  std::string window = fmt::format("[r in {0}, s in {0}]", s.window);
  if (s.pool != Pool::kSum)
    return text + fmt::format("  Y[{}] = {}{} {}\n", axes, s.pool == Pool::kLargest ? "max" : "min",
                              window, read);
  text += fmt::format("  sums[{}] = sum{} i32({})\n", axes, window, read);
  std::string at = fmt::format("n, c, y, x{}, i", row);
  std::string total = fmt::format("sums[{}]", at);
  if (s.residual) total += fmt::format(" + i32(R[{}])", at);
  return text +
         fmt::format("  Y[{}]: i8 = i8(min(max(({} + 2:i32) >> 2:i32, -128:i32), 127:i32))\n", axes,
                     total);
}

/// In blocks of the configuration; with one image in a block there is no axis for it.
inline std::string text_of(ConvShape const& s, Configuration const& c) {
  int64_t block = c.block(), batch = c.batch(), pad = s.padding();
  int64_t ic = s.in / block, oc = s.out / block, n = s.images / batch;
  int64_t height = s.result(s.height), width = s.result(s.width);
  std::string rows = batch > 1 ? fmt::format(", {}", batch) : "", row = batch > 1 ? ", b" : "";
  std::string row_axis = batch > 1 ? fmt::format(", b in {}", batch) : "";
  std::string axes = fmt::format("n in {}, o in {}, y in {}, x in {}{}, j in {}", n, oc, height,
                                 width, row_axis, block);
  std::string at = "n, o, y, x" + row + ", j";
  std::string text = fmt::format(
      "tilewright te 1\nkernel conv(X: i8[{0}, {1}, {2}, {3}{4}, {5}], W: i8[{6}, {1}, {7}, {7}, "
      "{5}, {5}] @param",
      n, ic, s.height, s.width, rows, block, oc, s.kernel);
  if (s.bias) text += fmt::format(", B: i32[{}, 1, 1{}, {}] @param", oc, rows, block);
  if (s.places) text += fmt::format(", Places: i32[{}, 1, 1{}, {}] @param", oc, rows, block);
  // Who cannot load bytes into accumulators gets them wide.
  if (s.residual)
    text += fmt::format(", R: {}[{}, {}, {}, {}{}, {}]", c.acc8 ? "i8" : "i32", n, oc, height,
                        width, rows, block);
  text += ") -> Y\n";
  std::string source = "X";
  if (pad > 0) {
    source = "padded";
    text += fmt::format(
        "  padded[n in {0}, c in {1}, y in {2}, x in {3}{4}, i in {5}] = select({6} <= y && y < "
        "{7} && {6} <= x && x < {8}, X[n, c, y-{6}, x-{6}{9}, i], 0:i8)\n",
        n, ic, s.height + 2 * pad, s.width + 2 * pad, row_axis, block, pad, pad + s.height,
        pad + s.width, row);
  }
  auto index = [&](char const* axis, char const* tap) {
    std::string moved = s.stride > 1 ? fmt::format("{}*{}", axis, s.stride) : axis;
    return s.kernel > 1 ? moved + "+" + tap : moved;
  };
  std::string taps =
      s.kernel > 1 ? fmt::format("c in {0}, r in {1}, s in {1}, i in {2}", ic, s.kernel, block)
                   : fmt::format("c in {}, i in {}", ic, block);
  text += fmt::format("  conv[{}] = sum[{}] i32({}[n, c, {}, {}{}, i]) * i32(W[o, c, {}, j, i])\n",
                      axes, taps, source, index("y", "r"), index("x", "s"), row,
                      s.kernel > 1 ? "r, s" : "0, 0");
  std::string value = "conv";
  auto add = [&](std::string const& name, std::string const& expression) {
    text += fmt::format("  {}[{}] = {}\n", name, axes, expression);
    value = name;
  };
  auto last = [&] { return fmt::format("{}[{}]", value, at); };
  if (s.bias) add("biased", fmt::format("{} + B[o, 0, 0{}, j]", last(), row));
  std::string wide = c.acc8 ? fmt::format("i32(R[{}])", at) : fmt::format("R[{}]", at);
  if (s.residual) add("joined", fmt::format("{} + ({} << 4:i32)", last(), wide));
  if (s.rounded) add("half", last() + " + 64:i32");
  std::string places =
      s.places ? fmt::format("min(max(Places[o, 0, 0{}, j], 0:i32), 15:i32)", row) : "7:i32";
  add("shifted", fmt::format("{} >> {}", last(), places));
  add("low", fmt::format("max({}, {}:i32)", last(), s.least));
  add("high", fmt::format("min({}, 127:i32)", last()));
  text += fmt::format("  Y[{}]: i8 = i8({})\n", axes, last());
  return text;
}

inline ir::Program program_of(std::string const& text) {
  auto kernel = te::parse_kernel(text);
  if (!kernel) qFatal("%s\n%s", to_sentence(kernel.error()).c_str(), text.c_str());
  return te::to_program(*kernel).value();
}

inline std::shared_ptr<Backend const> backend_of(Configuration const& configuration) {
  return create_vta_backend(describe(configuration)).value();
}

inline Result<CallProgram> calls_of(ir::Program const& program, Backend const& backend,
                                    Configuration const& configuration) {
  TRY_ASSIGN(auto stages, lower(program, backend.target(), backend.passes(), {}));
  return kernel_calls(stages.back().kernel, configuration, nullptr);
}

/// Main memory with a kernel's inputs and micro-ops; outputs hold what nobody computes.
inline std::vector<std::byte> memory_with(CallProgram const& program, Batch const& batch,
                                          std::vector<NDArray> const& inputs) {
  std::vector<std::byte> memory(size_t(sample_memory(program, int64_t(batch.uops.size()))),
                                std::byte(0x5a));
  Addresses addresses = sample_addresses(program);
  for (size_t i = 0; i < inputs.size(); ++i)
    std::memcpy(memory.data() + addresses.tensors[i], inputs[i].data(),
                size_t(inputs[i].byte_size()));
  std::byte* at = memory.data() + addresses.uops;
  for (MicroOp const& uop : batch.uops) {
    uint64_t bits = encode(program.configuration, uop).value();
    std::memcpy(at, &bits, size_t(program.configuration.uop_bytes()));
    at += program.configuration.uop_bytes();
  }
  return memory;
}

/// The bytes of the last parameter.
inline std::vector<std::byte> result_in(CallProgram const& program,
                                        std::vector<std::byte> const& memory) {
  auto begin = memory.begin() + int64_t(sample_addresses(program).tensors.back());
  return {begin, begin + program.tensors.back().bytes};
}

inline std::vector<NDArray> random_inputs(ir::Program const& program, Rng& rng) {
  std::vector<NDArray> inputs;
  for (ir::Buffer const& input : program.inputs) {
    NDArray array = NDArray::create(input->type, *ir::constant_shape(*input)).value();
    int64_t most = input->type == DType::kI8 ? 127 : 5000, least = -most;
    if (input->name == "Places") least = -3, most = 18;
    for (int64_t i = 0; i < array.size(); ++i) array.set_value(i, double(rng.between(least, most)));
    inputs.push_back(std::move(array));
  }
  return inputs;
}

}  // namespace tw::vta::testing

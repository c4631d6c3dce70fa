/// A network of branches and loops over the common kernels, as the tests of devices use it.
#pragma once

#include "engine/runtime/package/description.h"
#include "tests/device/device_bench.h"

namespace tw::test {

inline NDArray number(DType type, double value) {
  NDArray array = NDArray::create(type, {}).value();
  array.set_value(0, value);
  return array;
}

/// y = choice ? x + p : x doubled `rounds` times. `kernel` takes the place of "add".
inline package::Description choice_network(std::string const& kernel = "add") {
  using namespace package;
  constexpr int64_t kBytes = 4096;
  Buffer choice{Region::kInput, 0, 1}, rounds{Region::kInput, 1, 8}, x{Region::kInput, 2, kBytes},
      y{Region::kOutput, 0, kBytes}, p{Region::kParameters, 0, kBytes},
      state{Region::kArena, 0, kBytes}, next{Region::kArena, kBytes, kBytes};
  Description whole;
  whole.name = "choice";
  whole.library = {"kernels", 0, 0};
  whole.parameters = {"parameters", kBytes, 0};
  whole.arena_bytes = 2 * kBytes;
  whole.inputs = {{"choice", DType::kBool, {}, 1},
                  {"rounds", DType::kI64, {}, 8},
                  {"x", DType::kF32, {1024}, kBytes}};
  whole.outputs = {{"y", DType::kF32, {1024}, kBytes}};
  whole.results = {y};
  package::Step add, loop, scale, choose;
  add.symbol = kernel;
  add.buffers = {x, p, y};
  scale.symbol = "scale";
  scale.buffers = {state, next};
  loop.kind = package::StepKind::kLoop;
  loop.makes = "y";
  loop.loop.most = rounds;
  loop.loop.begin = {{x, state}};
  loop.loop.end = {{state, y}};
  loop.bodies = {{{scale}, {{next, state}}, ""}};
  choose.kind = package::StepKind::kIf;
  choose.makes = "y";
  choose.condition = choice;
  choose.bodies = {{{add}, {}, ""}, {{loop}, {}, ""}};
  whole.steps = {choose};
  return whole;
}

/// The network with its tensors on a bench that is prepared.
struct NetworkBench {
  Bench& bench;
  TensorHandle choice, rounds, arena;
  DeviceStep step;

  explicit NetworkBench(Bench& bench_) : bench(bench_) {}
  Status load(package::Description const& description) {
    TRY_ASSIGN(step.library, bench.device.load_network(bench.library, package::to_text(description),
                                                       bench.options));
    TRY_ASSIGN(choice, bench.device.allocate(64, bench.options));
    TRY_ASSIGN(rounds, bench.device.allocate(64, bench.options));
    TRY_ASSIGN(arena, bench.device.allocate(8192, bench.options));
    step.symbol = description.name;
    step.buffers = {{choice}, {rounds}, {bench.a}, {bench.c}, {bench.b}, {arena}};
    return {};
  }
  Status set(bool chosen, int64_t count) {
    std::byte flag{chosen};
    TRY(bench.device.write(choice, 0, {&flag, 1}, bench.options));
    return bench.device.write(rounds, 0, std::as_bytes(std::span(&count, 1)), bench.options);
  }
  /// The last element that it made.
  Result<double> run(bool chosen, int64_t count) {
    TRY(set(chosen, count));
    TRY(bench.run(step));
    TRY_ASSIGN(NDArray made, get_tensor(bench.device, bench.c, DType::kF32, {1024}, bench.options));
    return made.value_at(1023);
  }
};

}  // namespace tw::test

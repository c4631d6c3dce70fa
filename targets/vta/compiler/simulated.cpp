#include "targets/vta/compiler/simulated.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "targets/vta/compiler/listings.h"
#include "targets/vta/compiler/roofs.h"
#include "targets/vta/prover/verdict.h"
#include "targets/vta/simulator/costs.h"
#include "targets/vta/simulator/port_cache.h"
#include "targets/vta/simulator/timing.h"

namespace tw::vta {
namespace {

/// Main memory as the streams see it: micro-ops where they lie, zeros elsewhere.
Result<std::vector<std::byte>> memory_of(CallProgram const& program, Batch const& batch) {
  std::vector<std::byte> memory(size_t(sample_memory(program, int64_t(batch.uops.size()))));
  size_t at = size_t(sample_addresses(program).uops);
  size_t bytes = size_t(program.configuration.uop_bytes());
  for (MicroOp const& uop : batch.uops) {
    TRY_ASSIGN(uint64_t bits, encode(program.configuration, uop));
    std::memcpy(memory.data() + at, &bits, bytes);
    at += bytes;
  }
  return memory;
}

/// What instructions compute and move, apart from when.
struct Work {
  double products = 0, element_wise = 0;  ///< operations
  double weights = 0, loaded = 0, stored = 0;
  double weight_cycles = 0, load_cycles = 0, store_cycles = 0;  ///< of the port alone
};

void add_transfer(Configuration const& configuration, Instruction const& one, int64_t missed,
                  Work& work) {
  Transfer const& t = one.transfer;
  double bytes =
      double(t.y_size) * t.x_size * double(configuration.element_bytes_in_dram(t.memory));
  double cycles = cost_of(configuration, {}, one, missed).port;
  bool store = one.opcode == Opcode::kStore, weights = t.memory == Memory::kWgt;
  (store ? work.stored : weights ? work.weights : work.loaded) += bytes;
  (store ? work.store_cycles : weights ? work.weight_cycles : work.load_cycles) += cycles;
}

void add_work(Configuration const& configuration, Stream const& stream, Work& work) {
  auto lanes = double(configuration.batch() * configuration.block());
  std::vector<int64_t> missed = missed_bytes(configuration, stream, TimingConstants().cache_bytes);
  for (size_t i = 0; i < stream.size(); ++i) {
    Instruction const& one = stream[i];
    if (one.opcode == Opcode::kLoad || one.opcode == Opcode::kStore)
      add_transfer(configuration, one, missed[i], work);
    if (one.opcode == Opcode::kGemm && !one.nest.reset)
      work.products += 2.0 * double(one.nest.steps() * configuration.macs_per_cycle());
    if (one.opcode == Opcode::kAlu) work.element_wise += double(one.nest.steps()) * lanes;
  }
}

}  // namespace

std::optional<analysis::TimeModel> simulated_time(CallProgram const& program) {
  auto batches = make_batches(program, sample_addresses(program));
  if (!batches) return {};
  analysis::TimeModel model;
  double computing = 0, port = 0;
  Work work;
  for (Batch const& batch : *batches) {
    auto run = run_timed(program.configuration, batch.stream, {}, {.execute = false});
    if (!run) return {};
    model.seconds += run->milliseconds / 1e3;
    computing += double(run->gemm_busy + run->alu_busy);
    port += double(run->dram_busy);
    add_work(program.configuration, batch.stream, work);
  }
  double hertz = program.configuration.clock_mhz * 1e6;
  // Where there are products, what follows them is an ornament, as in a layer's rate.
  model.flops = work.products > 0 ? work.products : work.element_wise;
  model.arithmetic_seconds = computing / hertz;
  model.levels = {{kWeightsWay, work.weights, work.weight_cycles / hertz},
                  {kLoadWay, work.loaded, work.load_cycles / hertz},
                  {kStoreWay, work.stored, work.store_cycles / hertz},
                  {kPort, work.weights + work.loaded + work.stored, port / hertz}};
  model.bound = computing >= port ? "arithmetic" : kPort;
  return model;
}

Result<Timeline> simulated_timeline(CallProgram const& program) {
  TRY_ASSIGN(std::vector<Batch> batches, make_batches(program, sample_addresses(program)));
  if (batches.empty()) return refused("nothing_to_run", "the kernel makes no instruction");
  Batch const& batch = batches.front();
  TRY_ASSIGN(std::vector<std::byte> memory, memory_of(program, batch));
  TRY_ASSIGN(ProofResult proof, prove(program.configuration, batch.stream, memory));
  TRY_ASSIGN(TimedRun run, run_timed(program.configuration, batch.stream, memory,
                                     {.execute = false, .timeline = true}));
  Timeline timeline = std::move(run.timeline);
  tell_verdict(timeline, proof, batch.stream);
  for (size_t i = 0; i < timeline.instructions.size() && i < batch.call_of.size(); ++i)
    if (int32_t call = batch.call_of[i]; call >= 0)
      timeline.instructions[i].line = program.calls[size_t(call)].line;
  return timeline;
}

}  // namespace tw::vta

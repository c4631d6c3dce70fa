#include "targets/vta/compiler/simulated.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "targets/vta/compiler/listings.h"
#include "targets/vta/prover/prover.h"
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

void tell_verdict(Timeline& timeline, ProofResult const& proof, Stream const& stream) {
  timeline.proven = proof.proven();
  size_t count = stream.size();
  timeline.verdict = proof.proven()
                         ? fmt::format("no race, no deadlock: proved for {} instructions", count)
                     : proof.deadlock.empty() ? fmt::format("{} races", proof.race_count)
                                              : "deadlock: " + proof.deadlock;
  for (Race const& race : proof.races)
    timeline.findings.push_back(
        {"race", to_sentence(race, stream), {int32_t(race.first), int32_t(race.second)}});
  for (Hazard const& hazard : proof.hazards)
    timeline.findings.push_back({hazard.code, hazard.sentence, {int32_t(hazard.instruction)}});
}

}  // namespace

std::optional<analysis::TimeModel> simulated_time(CallProgram const& program) {
  auto batches = make_batches(program, sample_addresses(program));
  if (!batches) return {};
  analysis::TimeModel model;
  double gemm = 0, port = 0;
  for (Batch const& batch : *batches) {
    auto memory = memory_of(program, batch);
    auto run = memory ? run_timed(program.configuration, batch.stream, *memory, {.execute = false})
                      : std::unexpected(memory.error());
    if (!run) return {};
    model.seconds += run->milliseconds / 1e3;
    gemm += double(run->gemm_busy + run->alu_busy);
    port += double(run->dram_busy);
  }
  double hertz = program.configuration.clock_mhz * 1e6;
  model.arithmetic_seconds = gemm / hertz;
  model.levels = {{"DRAM", 0, port / hertz}};
  model.bound = gemm >= port ? "arithmetic" : "DRAM";
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

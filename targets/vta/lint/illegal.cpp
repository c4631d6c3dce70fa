#include "targets/vta/lint/illegal.h"

#include <fmt/format.h>

#include "targets/vta/prover/reuse_distance.h"
#include "targets/vta/simulator/tokens.h"

namespace tw::vta {
namespace {

void find_end(std::span<Instruction const> stream, std::vector<LintFinding>& findings) {
  int64_t last = int64_t(stream.size()) - 1;
  if (stream.empty() || stream.back().opcode != Opcode::kFinish)
    findings.push_back(
        {last, "no_finish", "the stream does not end with finish: it may be cut off"});
  for (int64_t i = 0; i < last; ++i)
    if (stream[size_t(i)].opcode == Opcode::kFinish)
      findings.push_back({i, "impossible_instruction", "nothing may follow finish"});
}

LintFinding finding_of(int64_t instruction, Error const& error) {
  if (error.code != "sram_overflow") return {instruction, error.code, error.message};
  return {instruction, "index_overflow",
          error.message +
              ": the functional simulator ends there, the Chisel design wraps at the memory's end, "
              "the HLS design and the OpenCL kernel do not look"};
}

/// The Chisel design's ALU goes through all loops without a pause, and checks in simulation that no
/// step needs what the one before it made.
void find_reuse(Instruction const& instruction, int64_t index, std::span<MicroOp const> uops,
                std::vector<LintFinding>& findings) {
  constexpr int kLatency = 2;
  Nest const& n = instruction.nest;
  if (instruction.opcode != Opcode::kAlu || n.steps() == 0) return;
  auto reuse = close_reuse(instruction, uops.subspan(n.uop_begin, size_t(n.uops())), kLatency,
                           NestSteps::kOfAll);
  if (!reuse) return;
  findings.push_back({index, "alu_reuse",
                      fmt::format("micro-op {} needs acc element {}, which micro-op {} made one "
                                  "step before: the Chisel design stops there",
                                  reuse->to, reuse->accumulator, reuse->from)});
}

}  // namespace

std::vector<Footprint> find_illegal(Configuration const& configuration,
                                    std::span<Instruction const> stream,
                                    std::span<std::byte const> dram,
                                    std::vector<LintFinding>& findings) {
  find_end(stream, findings);
  FootprintMaker maker(configuration, dram);
  std::vector<Footprint> footprints(stream.size());
  for (size_t i = 0; i < stream.size(); ++i) {
    if (auto legal = check_tokens(stream[i]); !legal)
      findings.push_back(finding_of(int64_t(i), legal.error()));
    auto made = maker.next(stream[i]);
    if (!made) {
      findings.push_back(finding_of(int64_t(i), made.error()));
      continue;
    }
    footprints[i] = std::move(*made);
    find_reuse(stream[i], int64_t(i), maker.uops(), findings);
    if (auto uop = maker.unloaded(stream[i]))
      findings.push_back({int64_t(i), "unloaded_uops",
                          fmt::format("micro-op {} is read, which nothing of this stream loaded: "
                                      "it is what an earlier run left there",
                                      *uop)});
  }
  return footprints;
}

}  // namespace tw::vta

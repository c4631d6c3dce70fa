#include "targets/vta/lint/illegal.h"

#include <fmt/format.h>

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
    if (auto uop = maker.unloaded(stream[i]))
      findings.push_back({int64_t(i), "unloaded_uops",
                          fmt::format("micro-op {} is read, which nothing of this stream loaded: "
                                      "it is what an earlier run left there",
                                      *uop)});
  }
  return footprints;
}

}  // namespace tw::vta

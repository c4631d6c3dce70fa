#include "targets/vta/lint/output_rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace tw::vta {
namespace {

/// What was done last to an element of ACC.
enum class Last : uint8_t { kNothing, kComputed, kLoaded, kReset };

struct OutputRule {
  Last last;
  char const* code;
  char const* sentence;
};
constexpr OutputRule kOutputRules[] = {
    {Last::kLoaded, "stale_out",
     "was only loaded into ACC: designs store what OUT held before, the functional simulator "
     "stores ACC"},
    {Last::kReset, "out_after_reset",
     "was reset and nothing computed since: the HLS design and the OpenCL kernel keep the sum "
     "before the reset, the Chisel design what OUT held"},
    {Last::kNothing, "unwritten_out",
     "is of nothing in this stream: designs store what an earlier run left in OUT, the functional "
     "simulator what is left in ACC"},
};

Last last_of(Instruction const& instruction) {
  if (instruction.opcode == Opcode::kLoad) return Last::kLoaded;
  bool resets = instruction.opcode == Opcode::kGemm && instruction.nest.reset;
  return resets ? Last::kReset : Last::kComputed;
}

class Outputs {
public:
  explicit Outputs(Configuration const& configuration)
      : last_(size_t(configuration.depth(Memory::kAcc)), Last::kNothing) {}

  void write(Instruction const& instruction, Footprint const& footprint) {
    if (!footprint.acc) return;
    for (Interval const& one : *footprint.acc)
      std::fill(last_.begin() + one.begin, last_.begin() + one.end, last_of(instruction));
  }
  void check(int64_t store, Interval const& out, std::vector<LintFinding>& findings) const {
    auto begin = last_.begin() + out.begin, end = last_.begin() + out.end;
    for (OutputRule const& rule : kOutputRules)
      if (auto old = std::find(begin, end, rule.last); old != end)
        findings.push_back({store, rule.code,
                            fmt::format("out element {} is stored, which {}", old - last_.begin(),
                                        rule.sentence)});
  }

private:
  std::vector<Last> last_;
};

}  // namespace

void find_old_outputs(Configuration const& configuration, std::span<Instruction const> stream,
                      std::span<Footprint const> footprints, TokenOrder const* order,
                      std::vector<LintFinding>& findings) {
  Outputs outputs(configuration);
  std::vector<size_t> compute;
  for (size_t i = 0; i < stream.size(); ++i)
    if (module_of(stream[i]) == Module::kCompute) compute.push_back(i);
  size_t done = 0;
  for (size_t i = 0; i < stream.size(); ++i) {
    if (!footprints[i].out) continue;
    // Tokens may make a store wait for what stands behind it.
    auto waited = order ? size_t(order->before(int32_t(i), Module::kCompute)) : 0;
    for (; done < compute.size() && (compute[done] < i || done < waited); ++done)
      outputs.write(stream[compute[done]], footprints[compute[done]]);
    outputs.check(int64_t(i), footprints[i].out->front(), findings);
  }
}

}  // namespace tw::vta

/// What is asked of every stage of every lowered kernel: it meets what the list promises, and it
/// survives its text.
#pragma once

#include <QtTest>

#include "engine/ir/kernel.h"
#include "engine/lowering/pipeline.h"

namespace tw::testing {

/// Without the sentences about instructions, which are comments.
inline std::string without_comments(std::string const& text) {
  std::string kept;
  for (size_t at = 0, end; at < text.size(); at = end + 1) {
    end = text.find('\n', at);
    if (text[at] != '#') kept += text.substr(at, end - at + 1);
  }
  return kept;
}

/// Empty when the kernel prints, parses back to an equal one, and prints the same; else what went
/// wrong, with the text.
inline std::string lost_in_text(ir::KernelIr const& kernel) {
  std::string text = ir::print(kernel).text;
  auto again = ir::parse_kernel(text);
  if (!again) return to_sentence(again.error()) + "\n" + text;
  if (ir::print(*again).text != without_comments(text))
    return "prints otherwise\n" + text + ir::print(*again).text;
  return ir::equal(kernel, *again) ? "" : "parses to another kernel\n" + text;
}

/// Lowers with every stage verified; each stage must survive its text. Returns how many did.
inline Result<int> stages_that_survive(ir::Program const& program, Target const& target,
                                       std::span<Pass const> passes) {
  LowerOptions options;
  options.verify = VerifyPasses::kEach;
  TRY_ASSIGN(std::vector<LoweredStage> stages, lower(program, target, passes, options));
  for (LoweredStage const& stage : stages)
    if (std::string lost = lost_in_text(stage.kernel); !lost.empty())
      return bad_input("lost_in_text", stage.name + ": " + lost);
  return int(stages.size());
}

}  // namespace tw::testing

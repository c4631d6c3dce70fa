#include "targets/vta/lint/lint.h"

#include <algorithm>

#include "targets/vta/lint/illegal.h"
#include "targets/vta/lint/output_rules.h"
#include "targets/vta/lint/single_rules.h"
#include "targets/vta/lint/token_rules.h"
#include "targets/vta/prover/stored_micro_ops.h"

namespace tw::vta {

std::vector<LintFinding> lint(Configuration const& configuration,
                              std::span<Instruction const> stream,
                              std::span<std::byte const> dram) {
  std::vector<LintFinding> findings;
  find_single(configuration, stream, findings);
  std::vector<Footprint> footprints = find_illegal(configuration, stream, dram, findings);
  // There is none of an illegal stream, which is found to be one above.
  auto order = happens_before(configuration, stream);
  if (order) find_tokens(configuration, *order, findings);
  if (order)
    if (auto stored = stored_micro_ops(*order, stream, footprints))
      findings.push_back({stored->load, "stored_micro_ops", to_sentence(*stored)});
  find_old_outputs(configuration, stream, footprints, order ? &*order : nullptr, findings);
  std::ranges::stable_sort(findings, {}, &LintFinding::instruction);
  return findings;
}

}  // namespace tw::vta

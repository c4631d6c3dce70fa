#include "engine/lowering/pipeline.h"

namespace tw {

Result<std::vector<LoweredStage>> lower(ir::Program const& program, Target const& target,
                                        std::span<Pass const> passes) {
  ir::Function host{program.name, program.inputs, program.sizes, program.body};
  host.params.insert(host.params.end(), program.outputs.begin(), program.outputs.end());
  std::vector<LoweredStage> stages{{"program", {std::move(host), {}}}};
  PassContext context{target};
  for (Pass const& pass : passes) {
    TRY_ASSIGN(ir::KernelIr next, pass.run(stages.back().kernel, context));
    stages.push_back({pass.name, std::move(next)});
  }
  return stages;
}

}  // namespace tw

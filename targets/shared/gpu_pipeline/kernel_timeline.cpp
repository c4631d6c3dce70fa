// The timeline of a kernel: of its longest launch, with what is proven of all of them.
#include <fmt/format.h>

#include <optional>

#include "engine/ir/kernel.h"
#include "engine/lowering/launch_order.h"
#include "engine/support/base/quantities.h"
#include "targets/shared/gpu_pipeline/pipeline_timeline.h"

namespace tw::gpu {
namespace {

/// The verdict of the order's proof before that of the model.
void tell_order(Timeline& made, LaunchOrder const& order) {
  made.proven = order.proven();
  std::string proof = "Whether barriers and waits suffice is not decided: " + order.undecided;
  if (order.undecided.empty())
    proof = fmt::format("No race: barriers and waits proved for {} of two threads and their copies",
                        count_text(order.events, "event"));
  if (!order.faults.empty()) proof = count_text(int64_t(order.faults.size()), "race");
  made.verdict = fmt::format("{}. {}", proof, made.verdict);
  for (LaunchFault const& fault : order.faults)
    made.findings.push_back({fault.code, fault.sentence, {}});
}

}  // namespace

Result<Timeline> kernel_timeline(Target const& target, ir::KernelIr const& kernel,
                                 Multiprocessor const& unit, Rates const& rates) {
  ir::PrintedProgram printed = ir::print(kernel);
  std::optional<BlockProgram> longest;
  std::string name;
  std::optional<Error> first;
  for (ir::Function const& function : kernel.device) {
    auto program = block_program(function, printed, unit, rates, data_bytes_of(kernel.host));
    if (!program) {
      if (!first) first = program.error();
      continue;
    }
    if (longest && longest->time.seconds >= program->time.seconds) continue;
    longest = *std::move(program);
    name = function.name;
  }
  if (!longest && first) return std::unexpected(*std::move(first));
  if (!longest) return refused("no_pipeline", "the kernel launches nothing");
  Timeline made = pipeline_timeline(*longest, unit, rates, name);
  tell_order(made, launch_order(target, kernel));
  return made;
}

}  // namespace tw::gpu

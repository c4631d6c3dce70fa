// alloc T: bind b: T[b] ...   -->   bind b: alloc T: T[b] ...
#include "engine/arith/instances.h"
#include "engine/lowering/pipeline.h"

namespace tw {
namespace {

Result<ir::KernelIr> run_sink_allocations(ir::KernelIr const& kernel, PassContext const& context) {
  ir::Sharing const sharing = context.target.sharing();
  return ir::rewrite_bodies(
      kernel, [&](ir::Stmt const& body) { return arith::with_tensors_inside(body, sharing); });
}

}  // namespace

Pass sink_allocations() {
  return {
      "sink_allocations",
      "Sinks allocations of tensors private to a block or thread into its loop",
      "before tensors are compacted: inside the loop they shrink to what one block or thread uses",
      run_sink_allocations,
      {.needs = {Invariant::kNoBlocks, Invariant::kScalarCode}}};
}

}  // namespace tw

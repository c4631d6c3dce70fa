// alloc T: bind b: T[b] ...   -->   bind b: alloc T: T[b] ...
#include "engine/arith/instances.h"
#include "engine/lowering/pipeline.h"

namespace tw {
namespace {

Result<ir::KernelIr> run_place_tensors(ir::KernelIr const& kernel, PassContext const& context) {
  ir::Sharing const sharing = context.target.sharing();
  return ir::rewrite_bodies(
      kernel, [&](ir::Stmt const& body) { return arith::with_tensors_inside(body, sharing); });
}

}  // namespace

Pass place_tensors() {
  return {
      "place_tensors",
      "Sinks allocations of tensors private to a block or thread into its loop",
      "before tensors are compacted: inside the loop they shrink to what one block or thread uses",
      run_place_tensors,
      {.needs = {Invariant::kNoBlocks, Invariant::kScalarCode}}};
}

}  // namespace tw

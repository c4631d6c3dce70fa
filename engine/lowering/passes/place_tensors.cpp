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
  return {"place_tensors",
          "Allocates tensors that one block or thread has for itself inside of its loop",
          "before tensors are compacted: inside they have the size of what one of them uses",
          run_place_tensors,
          {.needs = {Invariant::kNoBlocks, Invariant::kScalarCode}}};
}

}  // namespace tw

#include "engine/arith/simplify.h"
#include "engine/lowering/pipeline.h"

namespace tw {

Pass simplify_kernel() {
  return {"simplify",
          "Simplifies index arithmetic and removes conditions that always or never hold",
          "passes leave indices and conditions that can be simplified",
          [](ir::KernelIr const& kernel, PassContext const&) -> Result<ir::KernelIr> {
            return ir::rewrite_bodies(kernel,
                                      [](ir::Stmt const& body) { return arith::simplify(body); });
          }};
}

}  // namespace tw

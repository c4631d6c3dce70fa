#include "engine/arith/known_sizes.h"
#include "engine/arith/simplify.h"
#include "engine/lowering/pipeline.h"

namespace tw {

Pass simplify_kernel() {
  return {"simplify",
          "Simplifies index arithmetic and removes conditions that always or never hold",
          "passes leave indices and conditions that can be simplified",
          [](ir::KernelIr const& kernel, PassContext const&) -> Result<ir::KernelIr> {
            return ir::rewrite_functions(
                kernel, [](ir::Function const& function) -> Result<ir::Function> {
                  ir::Function next = function;
                  next.body = arith::simplify(function.body, arith::ranges_of(function.sizes));
                  return next;
                });
          }};
}

}  // namespace tw

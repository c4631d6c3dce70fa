#include "engine/arith/simplify.h"
#include "engine/lowering/pipeline.h"

namespace tw {

Pass simplify_kernel(std::string why) {
  return {
      "simplify", "Simplifies index arithmetic and removes conditions that always or never hold",
      std::move(why), [](ir::KernelIr const& kernel, PassContext const&) -> Result<ir::KernelIr> {
        ir::KernelIr result = kernel;
        result.host.body = arith::simplify(kernel.host.body);
        return result;
      }};
}

}  // namespace tw

#include "targets/vta/compiler/intrinsics.h"

#include <fmt/format.h>

#include "engine/ir/parse_call.h"

namespace tw::vta {

std::vector<TensorIntrinsic> intrinsics_of(Configuration const& configuration) {
  std::string text = fmt::format(
      "intrinsic gemm(update c: i32[{0}, {1}] @acc, read a: i8[{0}, {1}] @inp, "
      "read b: i8[{1}, {1}] @wgt)\n"
      "  for i in {0}\n"
      "    for j in {1}\n"
      "      for k in {1}\n"
      "        c[i, j] = c[i, j]+i32(a[i, k])*i32(b[j, k])\n",
      configuration.batch(), configuration.block());
  ir::IntrinsicNode node = *ir::parse_intrinsic(text).value();
  node.doc = fmt::format("the GEMM core: {} products of bytes in each cycle",
                         configuration.macs_per_cycle());
  return {{ir::declare(std::move(node)).value(), {2, 2, 2}}};
}

}  // namespace tw::vta

// host f(X: f32[n*64]) size n in 1..8: S   -->   host f(sizes: i64[1], X: f32[sizes[0]*64]): let n
// = sizes[0]: S
#include <algorithm>

#include "engine/ir/rewrite.h"
#include "engine/lowering/pipeline.h"

namespace tw {
namespace {

using namespace ir;

/// The sizes are the elements of a tensor that comes before all others.
Function with_tensor(Function function) {
  std::string name = "sizes";
  while (std::ranges::any_of(function.params, [&](Buffer const& b) { return b->name == name; }))
    name += "_";
  Buffer sizes = make_buffer(name, DType::kI64, {int64_t(function.sizes.size())});
  Substitution elements;
  for (size_t i = 0; i < function.sizes.size(); ++i)
    elements[function.sizes[i].var.to<Variable>().name] = load(sizes, {int_imm(int64_t(i))});
  for (Buffer& param : function.params) {
    if (constant_shape(*param)) continue;
    BufferNode node = *param;
    for (Expr& extent : node.shape) extent = substitute(extent, elements);
    param = std::make_shared<BufferNode const>(std::move(node));
    function.body = replace_buffer(function.body, param->name, param);
  }
  for (size_t i = function.sizes.size(); i-- > 0;)
    function.body =
        make<Let>(function.sizes[i].var, load(sizes, {int_imm(int64_t(i))}), function.body);
  function.params.insert(function.params.begin(), sizes);
  function.sizes.clear();
  return function;
}

/// Device functions get theirs from the host.
Result<KernelIr> run_read_sizes(KernelIr const& kernel, PassContext const&) {
  KernelIr next = kernel;
  if (!next.host.sizes.empty()) next.host = with_tensor(std::move(next.host));
  return next;
}

}  // namespace

Pass read_sizes() {
  return {"read_sizes",
          "Reads the sizes from a tensor that comes before all others",
          "last: all passes before it use the ranges of the sizes",
          run_read_sizes,
          {.needs = {Invariant::kFlatBuffers, Invariant::kPlacedBuffers}}};
}

}  // namespace tw

#include "targets/shared/gpu/pieces.h"

#include "engine/ir/intrinsic.h"
#include "engine/lowering/pipeline.h"
#include "targets/shared/gpu/instruction_mix.h"

namespace tw::gpu {

using namespace ir;

namespace {

constexpr double kWarp = 32;
constexpr int64_t kWidest = 16;  ///< bytes of a thread's own access

}  // namespace

int64_t piece_of(IntrinsicNode const& intrinsic) {
  if (intrinsic.completion != Completion::kStarted || multiply_adds_of(intrinsic) > 0 ||
      intrinsic.params.empty() || !intrinsic.params[0].buffer)
    return 0;
  int64_t bytes = int64_t(size_of(intrinsic.params[0].buffer->type));
  for (Expr const& extent : intrinsic.params[0].buffer->shape) bytes *= as_int(extent).value_or(0);
  return bytes > kWidest ? bytes : 0;
}

void add_piece(LaunchNest& nest, IntrinsicCall const& call, PiecePlace place) {
  double started = place.times * kWarp * place.share.threads;  // of a warp
  nest.instructions.memory += started;
  nest.instructions.control += started;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    Operand const& operand = call.operands[i];
    auto const& element = operand.value.to<Load>();
    BufferNode const& tensor = *element.buffer;
    auto size = int64_t(size_of(tensor.type));
    std::vector<size_t> loops = place.around;
    for (OperandAxis const& axis : operand.axes) {
      loops.push_back(nest.loops.size());
      nest.loops.push_back(
          {.name = axis.name(), .extent = as_int(axis.extent).value_or(1), .unrolled = true});
    }
    nest.accesses.push_back({.tensor = tensor.name,
                             .tensor_bytes = as_int(tensor.shape[0]).value_or(0) * size,
                             .index = element.indices[0],
                             .bytes = int(size),
                             .shared = tensor.scope == kSharedScope,
                             .store = call.intrinsic->params[i].writes(),
                             .loops = std::move(loops),
                             .times = place.times,
                             .piece = piece_of(*call.intrinsic),
                             .share = place.share});
  }
}

}  // namespace tw::gpu

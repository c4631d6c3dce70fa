#include <fmt/format.h>

#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/stages.h"
#include "engine/schedule/rewriting/buffers.h"

namespace tw::primitive_set_scope {
namespace {

using namespace ir;

std::expected<Proof, Refusal> check(StepRequest const& request) {
  Buffer buffer = written_buffer(request.blocks[0]);
  if (!buffer)
    return refuse_stage("not_one_tensor",
                        fmt::format("{} does not write one tensor", request.blocks[0].block->name),
                        "set_scope: the block must write one tensor");
  if (is_parameter(request.program, buffer->name))
    return refuse_stage(
        "writes_an_output",
        fmt::format("{} is an output of the kernel: the caller provides it", buffer->name),
        "set_scope: the tensor must be allocated inside the kernel");
  return Proof{"the memory of a tensor does not change its values"};
}

Applied apply(StepRequest const& request) {
  Applied applied{request.program, {}, {}};
  BufferNode node = *written_buffer(request.blocks[0]);
  node.scope = request.word("scope");
  std::string name = node.name;
  applied.program.body = replace_buffer(request.program.body, name,
                                        std::make_shared<BufferNode const>(std::move(node)));
  return applied;
}

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "set_scope",
      .key = "M",
      .title = "Choose a tensor's memory",
      .doc =
          "Chooses the memory of the tensor that a block writes: the workspace (global) or the "
          "stack of the thread that computes it (local).",
      .rewrite = "alloc T @global  -->  alloc T @local",
      .parameters = {{.name = "scope",
                      .doc = "one of the target's memories",
                      .low = 0,
                      .high = 0,
                      .scope = true}},
      .check = check,
      .apply = apply,
      .kinds = {TargetKind::kBlock},
      .refuses = {"not_one_tensor", "writes_an_output"},
  };
  return primitive;
}

}  // namespace tw::primitive_set_scope

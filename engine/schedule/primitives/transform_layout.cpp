#include <fmt/format.h>

#include <algorithm>

#include "engine/arith/simplify.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/stages.h"
#include "engine/schedule/rewriting/buffers.h"
#include "engine/schedule/rewriting/layout.h"

namespace tw::primitive_transform_layout {
namespace {

using namespace ir;

constexpr char kCondition[] =
    "transform_layout: one letter per dimension (A, B, ...), and blocks as a number and the "
    "lowercase letter";

std::expected<Proof, Refusal> check(StepRequest const& request) {
  Buffer buffer = written_buffer(request.blocks[0]);
  if (!buffer || !constant_shape(*buffer))
    return refuse_stage("not_one_tensor",
                        fmt::format("{} does not write one tensor of constant shape",
                                    request.blocks[0].block->name),
                        "transform_layout: the block must write one tensor of constant shape");
  if (is_parameter(request.program, buffer->name))
    return refuse_stage(
        "writes_an_output",
        fmt::format("{} is an output of the kernel: the caller chooses its layout", buffer->name),
        "transform_layout: the tensor must be allocated inside the kernel");
  if (auto free = used_by_no_call(request.program, buffer->name, "transform_layout"); !free)
    return std::unexpected(free.error());
  if (!buffer->alignments.empty())
    return refuse_stage(
        "aligned",
        fmt::format("dimensions of {} have alignments, and another layout has other dimensions",
                    buffer->name),
        "transform_layout: the layout comes before storage_align");
  auto layout = parse_layout(request.word("layout"), buffer->shape.size());
  if (!layout)
    return refuse_stage("bad_layout",
                        fmt::format("'{}' is not a layout of {}: {}", request.word("layout"),
                                    buffer->name, layout.error().message),
                        kCondition);
  return Proof{"every element has one place"};
}

Applied apply(StepRequest const& request) {
  Buffer buffer = written_buffer(request.blocks[0]);
  Layout layout = *parse_layout(request.word("layout"), buffer->shape.size());
  return {with_layout(request.program, buffer->name, layout), {}, {}};
}

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "transform_layout",
      .key = "L",
      .title = "Change a tensor's layout",
      .doc =
          "Stores a tensor with its dimensions in another order, some of them split into blocks, "
          "in oneDNN's notation: BA is the transpose of AB, and BA16b also splits B into blocks of "
          "16.",
      .rewrite = "T[i, j]  -- layout=BA16b -->  T[j // 16, i, j % 16]",
      .parameters = {{.name = "layout", .doc = "the new order", .low = 0, .high = 0, .word = true}},
      .check = check,
      .apply = apply,
      .kinds = {TargetKind::kBlock},
      .beside_calls = true,
      .looks_into_blocks = true,
      .refuses = {"aligned", "bad_layout", "not_one_tensor", "used_by_a_call", "writes_an_output"},
  };
  return primitive;
}

}  // namespace tw::primitive_transform_layout

#include <fmt/format.h>

#include <algorithm>

#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/block_class.h"
#include "engine/schedule/legality/stages.h"
#include "engine/schedule/rewriting/buffers.h"

namespace tw::primitive_storage_align {
namespace {

using namespace ir;

std::expected<Proof, Refusal> check(StepRequest const& request) {
  Buffer buffer = written_buffer(request.blocks[0]);
  auto shape = buffer ? constant_shape(*buffer) : std::nullopt;
  if (!shape)
    return refuse_stage("not_one_tensor",
                        fmt::format("{} does not write one tensor of constant shape",
                                    request.blocks[0].block->name),
                        "storage_align: the block must write one tensor of constant shape");
  if (is_parameter(request.program, buffer->name))
    return refuse_stage(
        "writes_an_output",
        fmt::format("{} is an output of the kernel: the caller chooses its layout", buffer->name),
        "storage_align: the tensor must be allocated inside the kernel");
  if (auto free = used_by_no_call(request.program, buffer->name, "storage_align"); !free)
    return std::unexpected(free.error());
  if (buffer->map)
    return refuse_stage("mapped",
                        fmt::format("{} has a layout by an index map, and no rows", buffer->name),
                        "storage_align: the tensor must lie row by row");
  int64_t dim = request.number("dim");
  if (dim + 1 >= int64_t(shape->size()))
    return refuse_stage(
        "no_such_dimension",
        fmt::format("dimension {} of {} has no stride to align; only those before the last do", dim,
                    buffer->name),
        "storage_align: the dimension must have a stride to align");
  return Proof{"what is between rows is never read"};
}

Applied apply(StepRequest const& request) {
  Applied applied{request.program, {}, {}};
  BufferNode node = *written_buffer(request.blocks[0]);
  StrideAlignment asked{int(request.number("dim")), request.number("factor"),
                        request.number("offset") % request.number("factor")};
  auto& list = node.alignments;
  std::erase_if(list, [&](auto const& one) { return one.dimension == asked.dimension; });
  list.insert(std::ranges::lower_bound(list, asked.dimension, {}, &StrideAlignment::dimension),
              asked);
  std::string name = node.name;
  applied.program.body = replace_buffer(request.program.body, name,
                                        std::make_shared<BufferNode const>(std::move(node)));
  return applied;
}

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "storage_align",
      .key = "G",
      .title = "Align a tensor's rows",
      .doc =
          "The stride of one dimension of a tensor becomes a multiple of the factor, plus an "
          "offset, in elements: rows start at full vectors, or columns are spread over cache sets "
          "or banks. It stays so where the tensor is later made smaller or gets further slots.",
      .rewrite =
          "alloc T[56, 58]  -- dim=0, factor=16, offset=0 -->  alloc T[56, 58] align(0, 16, 0)",
      .parameters =
          {{.name = "dim", .doc = "the dimension whose stride changes", .low = 0, .high = 16},
           {.name = "factor",
            .doc = "the stride is a multiple of it, plus the offset",
            .low = 1,
            .high = 4096},
           {.name = "offset",
            .doc = "elements added to the multiple",
            .low = 0,
            .high = 4095,
            .preset = 0}},
      .check = check,
      .apply = apply,
      .kinds = {TargetKind::kBlock},
      .beside_calls = true,
      .looks_into_blocks = true,
      .refuses = {"mapped", "no_such_dimension", "not_one_tensor", "used_by_a_call",
                  "writes_an_output"},
  };
  return primitive;
}

}  // namespace tw::primitive_storage_align

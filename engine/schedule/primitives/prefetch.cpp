#include <fmt/format.h>

#include <algorithm>

#include "engine/arith/simplify.h"
#include "engine/ir/rewrite.h"
#include "engine/schedule/legality/placement.h"
#include "engine/schedule/rewriting/buffers.h"
#include "engine/schedule/rewriting/nests.h"

namespace tw::primitive_prefetch {
namespace {

using namespace ir;

constexpr char kVerb[] = "prefetch";
constexpr int64_t kLine = 64, kMostLines = 16;

/// What one iteration of the place reads of the tensor.
std::vector<Span> box_at(StepRequest const& request, BufferNode const& buffer) {
  return box_of({request.blocks[0]}, buffer, request.loops[0].around.size() + 1, false);
}

/// Some index of the tensor is itself read from a tensor.
bool reads_by_data(BlockSite const& site, std::string const& tensor) {
  bool by_data = false;
  for (BufferAccess const& access : accesses_to(site, tensor))
    for (Expr const& index : access.indices)
      walk(index, [&](Expr const& e) { return by_data = by_data || e.as<Load>(), !by_data; });
  return by_data;
}

bool moves_with(std::vector<Span> const& box, For const& loop) {
  return std::ranges::any_of(
      box, [&](Span const& span) { return uses_variable(span.base, loop.name()); });
}

std::expected<Proof, Refusal> check(StepRequest const& request) {
  std::string const& tensor = request.word("tensor");
  std::string const& block = request.blocks[0].block->name;
  LoopSite const& place = request.loops[0];
  std::string at = reference_of(request.program, place.loop->id);
  if (!is_under(request.blocks[0], place.loop->id))
    return refuse_stage("not_around_the_block", fmt::format("{} is not around {}", at, block),
                        "prefetch: the loop must be around the block");
  if (auto fits = place_takes_nests(request.program, place, kVerb); !fits)
    return std::unexpected(fits.error());
  std::vector<std::string> read = read_buffers(*request.blocks[0].block);
  if (std::ranges::find(read, tensor) == read.end())
    return refuse_stage("not_read_there", fmt::format("{} does not read '{}'", block, tensor),
                        "prefetch: the block must read the tensor");
  bool beside =
      std::ranges::any_of(writers_of(request.program, tensor), [&](BlockSite const& writer) {
        return shared_loops(writer.loops, request.blocks[0].loops) > 0;
      });
  if (beside || !lives_at_top(request.program, tensor))
    return refuse_stage("written_beside", fmt::format("{} is computed in the same nest", tensor),
                        "prefetch: the tensor must be complete before the block's nest begins");
  if (reads_by_data(request.blocks[0], tensor))
    return refuse_stage("depends_on_data",
                        fmt::format("the index at which {} reads {} depends on data of the same "
                                    "iteration, which is not known ahead",
                                    block, tensor),
                        "prefetch: the index must depend on loop variables only");
  if (!moves_with(box_at(request, *find_buffer(request.program, tensor)), *place.loop))
    return refuse_stage(
        "same_in_each_iteration",
        fmt::format("every iteration of {} reads {} at the same place", at, tensor),
        "prefetch: the iterations of the loop must read different parts of the tensor");
  return Proof{"a hint does not change any value"};
}

/// Elements that lie in a row from the box's first one on.
int64_t in_a_row(std::vector<Span> const& box, BufferNode const& buffer) {
  int64_t row = 1;
  for (size_t d = box.size(); d-- > 0;) {
    row *= box[d].extent;
    if (box[d].extent != as_int(buffer.shape[d]).value_or(0)) break;
  }
  return row;
}

/// Iterators and the indices that they give.
struct Place {
  std::vector<IterVar> iters;
  std::vector<Expr> indices;
};

/// One iterator for each dimension, as far as its values go: hints may point before or behind the
/// tensor, while iterators count from 0.
Place place_of(StepRequest const& request, std::vector<Span> const& box, Expr const& line,
               int64_t lines, int64_t per_line) {
  For const& loop = *request.loops[0].loop;
  arith::Ranges ranges;
  for (For const* around : request.blocks[0].loops)
    ranges.set(around->name(), {0, as_int(around->extent).value_or(1) - 1});
  int64_t ahead = request.number("ahead");
  arith::Ranges later = ranges;
  later.set(loop.name(), {ahead, as_int(loop.extent).value_or(1) - 1 + ahead});
  Place place;
  for (size_t d = 0; d < box.size(); ++d) {
    auto bound = arith::bounds(box[d].base, later);
    int64_t low = bound ? std::min<int64_t>(bound->low, 0) : 0;
    int64_t extent = bound ? bound->high + 1 - low : int64_t(1) << 40;
    Expr binding = substitute(box[d].base, {{loop.name(), loop.var + ahead}}) - low;
    bool last = d + 1 == box.size();
    if (last && lines > 1) binding = binding + line * per_line, extent += lines * per_line;
    place.iters.push_back({var(fmt::format("vd{}", d)), int_imm(extent), IterKind::kSpatial,
                           arith::simplify(binding, ranges), ""});
    place.indices.push_back(arith::simplify(place.iters.back().var + low));
  }
  return place;
}

Applied apply(StepRequest const& request) {
  Applied applied{request.program, {}, {}};
  LoopSite const& place = request.loops[0];
  Buffer buffer = find_buffer(request.program, request.word("tensor"));
  std::vector<Span> box = box_at(request, *buffer);
  int64_t bytes = size_of(buffer->type);
  int64_t lines = std::min((in_a_row(box, *buffer) * bytes + kLine - 1) / kLine, kMostLines);
  std::string counter = free_name(request.program, place, "line");
  Place at = place_of(request, box, var(counter), lines, kLine / bytes);
  Stmt hint = make<Block>(
      applied.program.fresh_block(), free_tensor_name(request.program, buffer->name + "_ahead"),
      "prefetch", std::move(at.iters), Expr(), Stmt(), make<Prefetch>(load(buffer, at.indices)));
  if (lines > 1)
    hint = make<For>(applied.program.fresh_loop(), var(counter), int_imm(lines), LoopKind::kUnroll,
                     hint);
  set_loop_body(applied.program, place.loop->id, seq({hint, place.loop->body}));
  return applied;
}

}  // namespace

Primitive const& row() {
  static Primitive const primitive{
      .name = "prefetch",
      .key = "H",
      .title = "Prefetch what a later iteration reads",
      .doc =
          "Each iteration of a loop prefetches what a block will read of a tensor some iterations "
          "later, up to 16 contiguous cache lines. Helps where the hardware prefetcher does not "
          "detect the pattern; changes no values.",
      .rewrite = "for k: C += B[k]  -- ahead=4 -->  for k: prefetch B[k+4]; C += B[k]",
      .targets = 2,
      .parameters =
          {{.name = "tensor",
            .doc = "the tensor that the block reads",
            .low = 0,
            .high = 0,
            .word = true},
           {.name = "ahead", .doc = "iterations of the loop", .low = 1, .high = 4096, .preset = 1}},
      .check = check,
      .apply = apply,
      .kinds = {TargetKind::kBlock, TargetKind::kLoop},
      .refuses = {"depends_on_data", "extent_unknown", "not_around_the_block", "not_only_blocks",
                  "not_read_there", "opaque_block", "place_is_vector", "same_in_each_iteration",
                  "written_beside"},
  };
  return primitive;
}

}  // namespace tw::primitive_prefetch

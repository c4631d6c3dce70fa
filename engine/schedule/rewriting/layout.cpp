#include "engine/schedule/rewriting/layout.h"

#include <fmt/format.h>

#include <cctype>

#include "engine/arith/simplify.h"
#include "engine/ir/expr.h"
#include "engine/ir/stmt.h"
#include "engine/schedule/rewriting/buffers.h"

namespace tw {

namespace {

std::unexpected<Error> bad(std::string message) {
  return bad_input("bad_layout", std::move(message));
}

}  // namespace

/// Elements of all blocks of a layout together: what padding may add to a tensor for one of its
/// own.
constexpr int64_t kMostInBlocks = 1 << 16;

Result<Layout> parse_layout(std::string_view word, size_t rank) {
  std::vector<Layout::Part> parts;
  std::vector<int> outer(rank, 0);
  int64_t in_blocks = 1;
  for (size_t i = 0; i < word.size();) {
    int64_t block = 0;
    while (i < word.size() && std::isdigit(word[i]) && block < (1 << 20))
      block = block * 10 + (word[i++] - '0');
    if (i == word.size()) return bad("it ends with a number without a letter");
    char letter = word[i++];
    auto dimension = size_t(std::tolower(letter) - 'a');
    if (!std::isalpha(letter) || dimension >= rank)
      return bad(fmt::format("'{}' is not one of its {} dimensions", letter, rank));
    if ((block > 0) != (std::islower(letter) != 0) && block > 0)
      return bad(fmt::format("a block needs a lowercase letter, not '{}'", letter));
    if (block == 0) ++outer[dimension];
    if (block > 0 && outer[dimension] == 0)
      return bad(fmt::format("the block of '{}' comes before its dimension", letter));
    parts.push_back({dimension, block});
    if (block > 0 && (in_blocks *= block) > kMostInBlocks)
      return bad(
          fmt::format("its blocks have {} elements; the limit is {}", in_blocks, kMostInBlocks));
  }
  for (size_t d = 0; d < rank; ++d)
    if (outer[d] != 1)
      return bad(fmt::format("dimension '{}' occurs {} times", char('A' + d), outer[d]));
  return Layout::of_parts(std::move(parts));
}

std::vector<ir::Expr> blocked_indices(Layout const& layout, std::vector<ir::Expr> const& indices) {
  std::vector<Layout::Part> parts = layout.parts(indices.size());
  std::vector<Layout::Axis> axes = layout.axes(indices.size());
  std::vector<ir::Expr> result;
  for (size_t i = 0; i < parts.size(); ++i) {
    ir::Expr index = indices[parts[i].dim];
    if (axes[i].step > 1) index = ir::floor_div(index, ir::int_imm(axes[i].step));
    if (parts[i].block > 0) index = ir::floor_mod(index, ir::int_imm(parts[i].block));
    result.push_back(arith::simplify(index));
  }
  return result;
}

ir::Program with_layout(ir::Program program, std::string const& tensor, Layout const& layout) {
  ir::Buffer old = find_buffer(program, tensor);
  ir::BufferNode node = *old;
  node.shape.clear();
  for (int64_t extent : layout.stored(*ir::constant_shape(*old)))
    node.shape.push_back(ir::int_imm(extent));
  program.body = remap_buffer(
      program.body, tensor, std::make_shared<ir::BufferNode const>(std::move(node)),
      [&](std::vector<ir::Expr> const& indices) { return blocked_indices(layout, indices); });
  return program;
}

ir::Stmt blocked_copy_nest(ir::Buffer const& stored, ir::Buffer const& plain, Layout const& layout,
                           ir::Program& program) {
  std::vector<Layout::Axis> axes = layout.axes(plain->shape.size());
  std::vector<ir::IterVar> iters;
  std::vector<ir::Expr> loops, from, to(plain->shape.size(), ir::int_imm(0));
  for (size_t d = 0; d < axes.size(); ++d) {
    loops.push_back(ir::var(fmt::format("d{}", d)));
    iters.push_back({ir::var(fmt::format("vd{}", d)), stored->shape[d], ir::IterKind::kSpatial,
                     loops.back(), ""});
    from.push_back(iters.back().var);
    ir::Expr& place = to[axes[d].dim];
    place = arith::simplify(place + iters.back().var * ir::int_imm(axes[d].step));
  }
  ir::Stmt body = ir::make<ir::Block>(
      program.fresh_block(), plain->name, "copy", std::move(iters), ir::Expr(), ir::Stmt(),
      ir::make<ir::Store>(plain, std::move(to), ir::load(stored, std::move(from))));
  for (size_t d = loops.size(); d-- > 0;)
    body = ir::make<ir::For>(program.fresh_loop(), loops[d], stored->shape[d],
                             ir::LoopKind::kSerial, body);
  return body;
}

}  // namespace tw

#include "engine/schedule/rewriting/layout.h"

#include <fmt/format.h>

#include <cctype>

#include "engine/arith/simplify.h"
#include "engine/schedule/rewriting/buffers.h"

namespace tw {

namespace {

std::unexpected<Error> bad(std::string message) {
  return bad_input("bad_layout", std::move(message));
}

/// Product of the blocks of a dimension that stand inside of part `from`.
int64_t inner_blocks(PackLayout const& layout, size_t dimension, size_t from) {
  int64_t product = 1;
  for (size_t i = from; i < layout.parts.size(); ++i)
    if (layout.parts[i].dimension == dimension && layout.parts[i].block > 0)
      product *= layout.parts[i].block;
  return product;
}

}  // namespace

/// Elements of all blocks of a layout together: what padding may add to a tensor for one of its
/// own.
constexpr int64_t kMostInBlocks = 1 << 16;

Result<PackLayout> parse_layout(std::string_view word, size_t rank) {
  PackLayout layout;
  layout.rank = rank;
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
    layout.parts.push_back({dimension, block});
    if (block > 0 && (in_blocks *= block) > kMostInBlocks)
      return bad(
          fmt::format("its blocks have {} elements; the limit is {}", in_blocks, kMostInBlocks));
  }
  for (size_t d = 0; d < rank; ++d)
    if (outer[d] != 1)
      return bad(fmt::format("dimension '{}' occurs {} times", char('A' + d), outer[d]));
  return layout;
}

std::vector<int64_t> blocked_shape(PackLayout const& layout, std::vector<int64_t> const& shape) {
  std::vector<int64_t> result;
  for (PackLayout::Part const& part : layout.parts) {
    int64_t blocks = inner_blocks(layout, part.dimension, 0);
    result.push_back(part.block > 0 ? part.block : (shape[part.dimension] + blocks - 1) / blocks);
  }
  return result;
}

std::vector<ir::Expr> blocked_indices(PackLayout const& layout,
                                      std::vector<ir::Expr> const& indices) {
  std::vector<ir::Expr> result;
  for (size_t i = 0; i < layout.parts.size(); ++i) {
    PackLayout::Part const& part = layout.parts[i];
    int64_t inner = inner_blocks(layout, part.dimension, i + 1);
    ir::Expr index = indices[part.dimension];
    if (part.block == 0) inner = inner_blocks(layout, part.dimension, 0);
    if (inner > 1) index = ir::floor_div(index, ir::int_imm(inner));
    if (part.block > 0) index = ir::floor_mod(index, ir::int_imm(part.block));
    result.push_back(arith::simplify(index));
  }
  return result;
}

ir::Program with_layout(ir::Program program, std::string const& tensor, PackLayout const& layout) {
  ir::Buffer old = find_buffer(program, tensor);
  ir::BufferNode node = *old;
  node.shape.clear();
  for (int64_t extent : blocked_shape(layout, *ir::constant_shape(*old)))
    node.shape.push_back(ir::int_imm(extent));
  program.body = remap_buffer(
      program.body, tensor, std::make_shared<ir::BufferNode const>(std::move(node)),
      [&](std::vector<ir::Expr> const& indices) { return blocked_indices(layout, indices); });
  return program;
}

}  // namespace tw

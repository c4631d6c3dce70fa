#include "engine/moves/working_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/arith/linear.h"
#include "engine/ir/rewrite.h"

namespace tw::moves {
namespace {

bool is_copied(NestLoop const& loop) {
  return loop.kind == ir::LoopKind::kVector || loop.kind == ir::LoopKind::kUnroll;
}

/// The loops at the bottom of the nest that run at once; where none do, the innermost one that
/// would make vectors of results.
std::vector<NestLoop const*> tile_of(BlockNest const& nest) {
  std::vector<NestLoop const*> tile;
  for (size_t i = nest.loops.size(); i-- > 0 && is_copied(nest.loops[i]);)
    tile.push_back(&nest.loops[i]);
  for (size_t i = nest.loops.size(); tile.empty() && i-- > 0;)
    if (nest.loops[i].writes_neighbours) tile.push_back(&nest.loops[i]);
  return tile;
}

analysis::TensorAccess const* access_to(BlockNest const& nest, std::string const& tensor) {
  auto is = [&](auto const& one) { return one.buffer->name == tensor; };
  auto found = std::ranges::find_if(nest.accesses, is);
  return found == nest.accesses.end() ? nullptr : &*found;
}

/// Elements of one dimension that the tile uses together, if they lie side by side there and each
/// tile begins at a multiple of them; 0: they do not.
int64_t block_of(ir::Expr const& index, std::vector<NestLoop const*> const& tile) {
  arith::Linear linear = arith::to_linear(index);
  int64_t reached = 1, iterations = 1;
  for (NestLoop const* loop : tile) {
    int64_t factor = linear.factor_of(loop->variable);
    if (factor == 0) {
      if (ir::uses_variable(index, loop->variable)) return 0;  // below a division
      continue;
    }
    reached += std::abs(factor) * (loop->extent - 1);
    iterations *= loop->extent;
  }
  if (reached != iterations || iterations == 1) return 0;
  auto in_tile = [&](ir::Expr const& term) {
    return std::ranges::any_of(tile, [&](NestLoop const* one) {
      auto const* variable = term.as<ir::Variable>();
      return variable && variable->name == one->variable;
    });
  };
  bool aligned = linear.constant % iterations == 0;
  for (arith::Linear::Term const& term : linear.terms)
    aligned = aligned && (in_tile(term.term) || term.factor % iterations == 0);
  return aligned ? iterations : 0;
}

/// The dimension that the innermost loop of the tile runs over, of those that can be cut into
/// blocks.
std::optional<size_t> blocked_dimension(analysis::TensorAccess const& access,
                                        std::vector<NestLoop const*> const& tile) {
  for (NestLoop const* loop : tile)
    for (size_t d = 0; d < access.indices.size(); ++d)
      if (ir::uses_variable(access.indices[d], loop->variable)) return d;
  return {};
}

/// Dimensions in the order of the outermost loops over them: those that change last come last,
/// those that never do first.
std::vector<size_t> in_order_of_loops(BlockNest const& nest, analysis::TensorAccess const& access,
                                      std::vector<NestLoop const*> const& tile) {
  auto place = [&](size_t d) {
    bool used = false;
    for (size_t i = 0; i < nest.loops.size(); ++i) {
      if (!ir::uses_variable(access.indices[d], nest.loops[i].variable)) continue;
      if (std::ranges::find(tile, &nest.loops[i]) == tile.end()) return i + 1;
      used = true;
    }
    return used ? nest.loops.size() + 1 : size_t(0);
  };
  std::vector<size_t> order(access.indices.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::ranges::stable_sort(order, {}, place);
  return order;
}

}  // namespace

WorkingSet held(BlockNest const& nest, std::string const& tensor, size_t from, int64_t line_bytes) {
  analysis::Iterations iterations;
  double times = 1;
  for (size_t i = 0; i < nest.loops.size(); ++i) {
    NestLoop const& loop = nest.loops[i];
    if (i < from)
      iterations.standing[loop.variable] = loop.extent / 2;
    else
      iterations.running[loop.variable] = loop.extent;
    if (i >= from) times *= double(loop.extent);
  }
  std::vector<analysis::RunningAccess> all;
  for (analysis::TensorAccess const& access : nest.accesses)
    if (access.buffer->name == tensor) all.push_back({&access, iterations});
  WorkingSet held;
  if (all.empty()) return held;
  held.part = analysis::touched(all, line_bytes);
  held.elements = held.part.bytes / int64_t(size_of(all.front().access->buffer->type));
  held.uses = times * double(all.size());
  return held;
}

std::optional<size_t> place_for_copy(BlockNest const& nest, std::string const& tensor,
                                     MemoryLevel const& cache, int64_t line_bytes) {
  int64_t whole = held(nest, tensor, 0, line_bytes).part.bytes;
  size_t inner = nest.loops.size();  // what runs at once is held by registers
  while (inner > 0 && is_copied(nest.loops[inner - 1])) --inner;
  for (size_t at = 0; at + 1 < inner; ++at) {
    WorkingSet below = held(nest, tensor, at + 1, line_bytes);
    if (below.part.bytes == whole || below.part.line_bytes > cache.bytes / 2) continue;
    if (below.elements < 2 || below.uses <= double(below.elements)) return {};
    return at;
  }
  return {};
}

std::string liked_layout(BlockNest const& nest, std::string const& tensor) {
  analysis::TensorAccess const* access = access_to(nest, tensor);
  if (!access || access->indices.size() < 2) return {};
  std::vector<NestLoop const*> tile = tile_of(nest);
  auto blocked = blocked_dimension(*access, tile);
  auto shape = ir::constant_shape(*access->buffer);
  if (!blocked || !shape) return {};
  int64_t block = block_of(access->indices[*blocked], tile);
  if (block == 0) return {};
  bool whole = block >= (*shape)[*blocked];
  std::vector<size_t> order = in_order_of_loops(nest, *access, tile);
  if (whole) {
    std::erase(order, *blocked);
    order.push_back(*blocked);
  }
  std::string word;
  for (size_t d : order) word += char('A' + d);
  if (!whole) return word + fmt::format("{}{}", block, char('a' + *blocked));
  std::erase_if(order, [&](size_t d) { return (*shape)[d] == 1; });
  return std::ranges::is_sorted(order) ? std::string() : word;
}

}  // namespace tw::moves
